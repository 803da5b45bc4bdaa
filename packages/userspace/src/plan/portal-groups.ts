import type { IPFamily } from '@kube-proxier/core';
import { clusterIPRules, listenerRules, nodeRules, ownConnectionRules, type PortalRule } from './portal-rules.js';
import type { RedirectChanges, RedirectState } from './redirect-state.js';

/** Rules by what they belong to: a listener, a cluster IP, the node, or the connections of this backend. */
export type PortalGroups = ReadonlyMap<string, readonly PortalRule[]>;

/** Keys of groups besides the ids of listeners, which begin with a namespace. */
export const NODE_GROUP = '\0node';
export const OWN_GROUP = '\0own';

/** Whether rules of a group precede the others in their chain. Those of the node come last. */
export function precedesOthers(key: string): boolean {
  return key.startsWith('\0') && key !== NODE_GROUP;
}

/**
 * All rules of a state.
 *
 * @param ownMark of packets that are never redirected when this host sends them; undefined for none.
 */
export function allGroups(family: IPFamily, state: RedirectState, ownMark: number | undefined): PortalGroups {
  const own = ownMark === undefined ? [] : ownConnectionRules(ownMark);
  return new Map([[OWN_GROUP, own], ...groups(family, state, state.listeners.keys(), state.clusterIPs, true)]);
}

/** Rules of what may have changed; empty groups for what has none now. */
export function changedGroups(
  family: IPFamily,
  state: RedirectState,
  changes: Exclude<RedirectChanges, 'all'>,
): PortalGroups {
  // Rules of every listener depend on the node.
  const listeners: Iterable<string> = changes.node
    ? new Set([...state.listeners.keys(), ...changes.listeners])
    : changes.listeners;
  return groups(family, state, listeners, changes.clusterIPs, changes.node);
}

function groups(
  family: IPFamily,
  { node, listeners, clusterIPs }: RedirectState,
  ids: Iterable<string>,
  addresses: Iterable<string>,
  withNode: boolean,
): PortalGroups {
  const rules = new Map<string, readonly PortalRule[]>();
  for (const id of ids) {
    const listener = listeners.get(id);
    rules.set(id, listener ? listenerRules(family, node, listener) : []);
  }
  for (const address of addresses) {
    rules.set(`\0${address}`, clusterIPs.has(address) ? clusterIPRules(family, address) : []);
  }
  if (withNode) {
    rules.set(NODE_GROUP, nodeRules(node));
  }
  return rules;
}
