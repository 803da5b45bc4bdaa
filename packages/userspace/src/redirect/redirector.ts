import type { NodeState } from '@kube-proxier/core';
import type { RuleWatchOptions } from '@kube-proxier/linux';
import type { BoundAddress } from '../proxy/proxy-engine.js';
import type { ListenerId, ListenerSpec, Portal } from '../userspace-transaction.js';

/** One listener, and where its sockets stand. */
export interface RedirectedListener {
  readonly spec: ListenerSpec;
  /** `namespace/name:port`, for comments. */
  readonly name: string;
  readonly at: readonly BoundAddress[];
  /**
   * Of its portals, those that are not redirected for this host itself: the proxy's own connections go there, and would
   * come back to it. Default none.
   */
  readonly notFromHost?: readonly Portal[];
}

/** All that rules are made from. */
export interface RedirectState {
  readonly node: NodeState;
  /** Those that have a socket. */
  readonly listeners: ReadonlyMap<ListenerId, RedirectedListener>;
  /** Addresses whose ports that no listener answers for are refused. */
  readonly clusterIPs: ReadonlySet<string>;
}

/** What may differ from what was written last; `all` when the current state is unknown. */
export type RedirectChanges =
  | 'all'
  | {
      readonly listeners: ReadonlySet<ListenerId>;
      readonly clusterIPs: ReadonlySet<string>;
      readonly node: boolean;
    };

/**
 * Brings packets for addresses that are not this host's to the proxy's sockets: the replaceable half of the userspace
 * mode. One serves one IP family.
 */
export interface Redirector {
  /**
   * Makes the kernel do what `state` says.
   *
   * @throws when not all of it is in force; the caller comes again with `all`.
   */
  apply(state: RedirectState, changes: RedirectChanges): Promise<void>;

  /** Whether the kernel holds just what was written last. */
  inForce(): Promise<boolean>;

  /** Looks out for others removing what was written; returns when the signal aborts. Default: nobody looks. */
  watch?(options: Pick<RuleWatchOptions, 'clock' | 'signal' | 'onDrift' | 'onFailure'>): Promise<void>;

  /** Ends what is kept running between calls. What is redirected stays so. Default: there is nothing to end. */
  close?(): void;

  /** Removes every trace, whoever left it. Idempotent. */
  cleanup(): Promise<void>;
}

/** For hosts where nothing can or should be redirected: clients come to where the sockets stand. */
export const noRedirector: Redirector = {
  async apply() {},
  inForce: async () => true,
  async cleanup() {},
};
