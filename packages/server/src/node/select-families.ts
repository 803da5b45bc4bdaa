import { type IPFamily, ProxierError } from '@kube-proxier/core';

/** Input of the selection of IP families. */
export interface FamilyChoice {
  /** Requested families, in any order. */
  readonly requested: readonly IPFamily[];
  /** Families that the mode can serve on this host. */
  readonly servedByMode: readonly IPFamily[];
  /** The kernel supports IPv6, and it is enabled. */
  readonly hasIPv6: boolean;
  /** The family of the node's primary address. */
  readonly primary: IPFamily;
  /** Address that was configured instead of the Node's; empty for none. */
  readonly bindAddress: string;
}

/** Families that are requested, and that the mode can serve on this host. Pure. */
export function familiesOfMode({
  requested,
  servedByMode,
}: Pick<FamilyChoice, 'requested' | 'servedByMode'>): readonly IPFamily[] {
  return requested.filter((family) => servedByMode.includes(family));
}

/**
 * The families to serve, the primary one first (spec M-6, M-7). Pure.
 *
 * @throws ProxierError `NO_IP_FAMILY` when none is left; `PRIMARY_FAMILY_UNSUPPORTED` when the family of the bind
 *   address is not supported.
 */
export function selectFamilies(choice: FamilyChoice): readonly IPFamily[] {
  const { hasIPv6, primary, bindAddress } = choice;
  const wanted = familiesOfMode(choice);
  const usable = [...new Set(wanted)].filter((family) => family === 'IPv4' || hasIPv6);
  const first = usable.includes(primary) ? primary : usable[0];
  if (first === undefined) {
    throw new ProxierError(
      'NO_IP_FAMILY',
      `none of the requested IP families (${wanted.join(', ')}) is usable on this host`,
    );
  }
  if (first !== primary && bindAddress !== '') {
    throw new ProxierError(
      'PRIMARY_FAMILY_UNSUPPORTED',
      `no support for primary IP family ${primary}, the one of bindAddress ${bindAddress}; use an ${first} address`,
    );
  }
  return [first, ...usable.filter((family) => family !== first)];
}
