import type { Proxier } from '../contract/proxier.js';
import { ProxierGroup } from './proxier-group.js';

/**
 * Combines two single-family proxiers (spec K-100…K-102). Every event goes to both, IPv4 first; each processes the
 * objects of its family. A failure of one never withholds an event from the other.
 */
export class DualStackProxier extends ProxierGroup {
  /** @throws RangeError when the two have different modes. */
  constructor(ipv4: Proxier, ipv6: Proxier) {
    if (ipv4.mode !== ipv6.mode) {
      throw new RangeError(`both proxiers must be of one mode, not "${ipv4.mode}" and "${ipv6.mode}"`);
    }
    super(ipv4.mode, [ipv4, ipv6]);
  }

  /** Ends when both have ended; when one rejects, the other is stopped too and the error is passed on. */
  async syncLoop(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const run = async (proxier: Proxier) => {
      try {
        await proxier.syncLoop(either);
      } catch (error) {
        failed.abort();
        throw error;
      }
    };
    const results = await Promise.allSettled(this.members.map(run));
    const rejected = results.find((result) => result.status === 'rejected');
    if (rejected) {
      throw rejected.reason;
    }
  }
}
