import { type FormerAffinity, keptClientsOf, type ProxyState, type ResolvedServicePort } from '@kube-proxier/core';
import type { ElementValues } from './element-diff.js';
import { clientsSet, layoutOf } from './frontend-chains.js';
import { AFFINITY, clientKey, idOfAffinityKey, type Layout, MAX_REMEMBERED } from './layout.js';
import type { ForgottenClients } from './nftables-transaction.js';
import { affinityOf, classid } from './service-elements.js';

/** Affinity clients of endpoints that a change removes. */
export function removedAffinityClients(
  was: ResolvedServicePort | undefined,
  current: ResolvedServicePort | undefined,
): ForgottenClients[] {
  if (was?.affinitySeconds === undefined) {
    return [];
  }
  const old = affinityOf(was);
  if (current?.affinitySeconds === undefined) {
    return [{ id: old.id, numbers: undefined }];
  }
  const kept = new Set(affinityOf(current).numbers.values());
  const numbers = new Set([...old.numbers.values()].filter((number) => !kept.has(number)).map(classid));
  return numbers.size === 0 ? [] : [{ id: old.id, numbers }];
}

/** Affinity clients of service ports and endpoints that a state does not have. */
export function staleAffinityClients(state: ProxyState, remembered: ElementValues | undefined): ForgottenClients[] {
  if (remembered === undefined || remembered.size === 0) {
    return [];
  }
  const known = new Map<string, Set<string>>();
  for (const port of state.servicePorts.values()) {
    if (port.affinitySeconds !== undefined) {
      const { id, numbers } = affinityOf(port);
      const found = known.get(String(id)) ?? new Set();
      known.set(String(id), found);
      for (const number of numbers.values()) {
        found.add(classid(number));
      }
    }
  }
  const unknown = new Map<string, Set<string>>();
  for (const [key, { value }] of remembered) {
    const id = idOfAffinityKey(key);
    if (value !== undefined && !known.get(id)?.has(value)) {
      unknown.set(id, (unknown.get(id) ?? new Set()).add(value));
    }
  }
  return [...unknown].map(([id, numbers]) => ({ id: Number(id), numbers }));
}

/** An element of a new table that a client of other rules becomes. */
export type FormerClient = readonly [container: string, key: string, value: string | undefined, seconds: number];

/**
 * The elements of the clients of other rules, for a new table, at most {@link MAX_REMEMBERED}. Yields after each service
 * port, so that a caller can pause.
 */
export function* formerClients(
  { family, servicePorts }: ProxyState,
  layout: Layout,
  former: FormerAffinity | undefined,
): Generator<void, readonly FormerClient[]> {
  const clients: FormerClient[] = [];
  for (const port of former === undefined ? [] : servicePorts.values()) {
    yield;
    if (former === undefined || port.affinitySeconds === undefined) {
      continue;
    }
    const hasMap = layoutOf(port, layout) === 'constant';
    const { id, numbers } = affinityOf(port);
    for (const { address, seconds, endpoint } of keptClientsOf(port, former)) {
      const element: FormerClient = hasMap
        ? [AFFINITY, `${clientKey(address, family)} . ${id}`, classid(numbers.get(endpoint) ?? 0), seconds]
        : [clientsSet(port, { key: endpoint }), address, undefined, seconds];
      if (clients.push(element) >= MAX_REMEMBERED) {
        return clients;
      }
    }
  }
  return clients;
}
