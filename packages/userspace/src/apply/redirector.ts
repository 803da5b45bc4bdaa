import type { RuleWatchOptions } from '@kube-proxier/linux';
import type { RedirectChanges, RedirectState } from '../plan/redirect-state.js';

/**
 * Brings packets for addresses that are not this host's to the proxy's sockets: the replaceable half of the userspace
 * mode. One serves one IP family.
 */
export interface Redirector {
  /**
   * Brings a state into force.
   *
   * @throws when not all of it is in force; the caller then applies `all`.
   */
  apply(state: RedirectState, changes: RedirectChanges): Promise<void>;

  /** Whether the kernel holds exactly what was written last. */
  inForce(): Promise<boolean>;

  /** Reports foreign removals of what was written; returns when the signal aborts. Default: none are detected. */
  watch?(options: Pick<RuleWatchOptions, 'clock' | 'signal' | 'onDrift' | 'onFailure'>): Promise<void>;

  /** Ends processes that are kept between calls. Rules stay in force. Default: does nothing. */
  close?(): void;

  /** Removes all redirect rules, also those of other processes. Idempotent. */
  cleanup(): Promise<void>;
}

/** For hosts where nothing can or should be redirected: clients connect to the addresses of the sockets. */
export const noRedirector: Redirector = {
  async apply() {},
  inForce: async () => true,
  async cleanup() {},
};
