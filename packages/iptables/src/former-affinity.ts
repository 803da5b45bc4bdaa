import type { FormerAffinity } from '@kube-proxier/core';
import { type RecentFiles, readRecentLists } from '@kube-proxier/linux';
import { serviceChain } from './plan/layout.js';

/**
 * The clients of session affinity of mode iptables, kube-proxier's or kube-proxy's: the lists of the match `recent` have
 * the same names (spec I-3).
 *
 * @param files of the lists. Default: of this process's network namespace.
 * @throws Error of the system when a list cannot be read.
 */
export async function readRecentAffinity(files?: RecentFiles): Promise<FormerAffinity> {
  const lists = await readRecentLists('KUBE-SEP-', files);
  return {
    clientsOf({ name, affinitySeconds = 0 }, { key }) {
      const clients = lists.size === 0 ? [] : (lists.get(serviceChain('SEP', name, key)) ?? []);
      return clients.flatMap(({ address, idleSeconds = 0 }) => {
        const seconds = Math.floor(affinitySeconds - idleSeconds);
        return seconds < 1 ? [] : [{ address, seconds }];
      });
    },
  };
}
