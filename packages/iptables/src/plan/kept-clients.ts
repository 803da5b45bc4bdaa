import { type FormerAffinity, type KeptClient, keptClientsOf, type ProxyState, type Slices } from '@kube-proxier/core';
import type { RecentAddition } from '@kube-proxier/linux';
import { serviceChain } from './layout.js';

/**
 * The clients of session affinity of other rules, for the lists of their endpoints: those that keep their endpoint longest
 * come last, as a list that is full forgets the first. Pure. Yields after each service port, so that a caller can pause.
 */
export function* keptClientsOfState(
  { servicePorts }: Pick<ProxyState, 'servicePorts'>,
  former: FormerAffinity | undefined,
): Slices<readonly RecentAddition[]> {
  if (former === undefined) {
    return [];
  }
  const additions: RecentAddition[] = [];
  for (const port of servicePorts.values()) {
    if (port.affinitySeconds === undefined) {
      continue;
    }
    yield;
    const clients = [...keptClientsOf(port, former)].sort((left, right) => left.seconds - right.seconds);
    additions.push(
      ...clients.map(({ address, endpoint }: KeptClient) => ({
        list: serviceChain('SEP', port.name, endpoint),
        address,
      })),
    );
  }
  return additions;
}
