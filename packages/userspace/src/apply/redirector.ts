import type { RuleWatchOptions } from '@kube-proxier/linux';
import type { RedirectChanges, RedirectState } from '../plan/redirect-state.js';

/**
 * Redirects packets for foreign addresses to the proxy's sockets: the replaceable part of the userspace mode. One
 * instance serves one IP family.
 */
export interface Redirector {
  /**
   * Applies a state.
   *
   * @throws when not all of it is in force; the caller then applies `all`.
   */
  apply(state: RedirectState, changes: RedirectChanges): Promise<void>;

  /** Whether the kernel holds exactly what was written last. */
  inForce(): Promise<boolean>;

  /** Reports foreign removals of what was written; returns when the signal aborts. Default: none are detected. */
  watch?(
    options: Pick<RuleWatchOptions, 'clock' | 'signal' | 'onDrift' | 'onForeignChange' | 'onFailure'>,
  ): Promise<void>;

  /** Stops long-running helpers. Rules stay in force. Default: does nothing. */
  close?(): void;

  /** Removes all redirect rules, also those of other processes. Idempotent. */
  cleanup(): Promise<void>;
}

/** For hosts without redirection: clients connect to the addresses of the sockets. */
export const noRedirector: Redirector = {
  async apply() {},
  inForce: async () => true,
  async cleanup() {},
};
