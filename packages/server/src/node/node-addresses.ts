import { familyOf, type IPFamily, type Node, parseAddress } from '@kube-proxier/core';

/** The addresses of a node, and its primary IP family. */
export interface NodeAddresses {
  /** Family of the node's primary address; IPv4 when no address is known. */
  readonly primary: IPFamily;
  /** Canonical addresses, the primary one first. */
  readonly addresses: readonly string[];
}

/**
 * Determines the node's addresses (spec W-28): those of the Node object, of which `bindAddress` replaces the first of
 * its family and makes that family the primary one, unless it is empty or unspecified (`0.0.0.0`, `::`).
 *
 * @param nodeAddresses in the order of spec W-22; invalid addresses are ignored.
 */
export function resolveNodeAddresses(nodeAddresses: readonly string[], bindAddress = ''): NodeAddresses {
  const known = nodeAddresses.flatMap((text) => parseAddress(text)?.text ?? []);
  const bind = parseAddress(bindAddress)?.text;
  if (bind === undefined || bind === '0.0.0.0' || bind === '::') {
    const first = known[0];
    return { primary: first === undefined ? 'IPv4' : familyOf(first), addresses: known };
  }
  const primary = familyOf(bind);
  const replaced = known.findIndex((address) => familyOf(address) === primary);
  const others = known.filter((address, index) => index !== replaced && address !== bind);
  return { primary, addresses: [bind, ...others] };
}

/** The Node with `bindAddress` applied: with the addresses of {@link resolveNodeAddresses}. */
export function withBindAddress(node: Node, bindAddress: string): Node {
  const listed = Array.isArray(node.status?.addresses) ? node.status.addresses : [];
  const ofType = (type: string) =>
    listed.flatMap((entry) => (entry?.type === type && typeof entry.address === 'string' ? [entry.address] : []));
  const before = [...ofType('InternalIP'), ...ofType('ExternalIP')];
  const { addresses } = resolveNodeAddresses(before, bindAddress);
  return {
    ...node,
    status: { ...node.status, addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
  };
}
