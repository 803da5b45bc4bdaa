import { type SavedTable, targetOf } from '@kube-proxier/linux';
import { CHAINS, isOnlyOurChain, SHARED_ROOTS } from './layout.js';

/** The owner of chains with names shared by this backend and kube-proxy; `none` without such chains. */
export type TableOwner = 'kube-proxier' | 'kube-proxy' | 'none';

/** The owner of each table that has such chains. */
export type TableOwners = Readonly<Record<'filter' | 'nat', TableOwner>>;

/** The tables of one IP family and one variant of iptables, as they were read. */
export type SavedTables = Readonly<Record<'filter' | 'nat', SavedTable>>;

/**
 * Detects which program's rules are installed, without relying on chain names: by the author of the chains that
 * kube-proxy rewrites with every sync. Those of kube-proxier jump to chains that only kube-proxier creates:
 * {@link CHAINS.marker}, or, where an earlier version wrote them, `KUBE-HAIRPIN` and others. Pure.
 */
export function ownersOf(saved: SavedTables): TableOwners {
  const [nat, filter] = [ownerOf('nat', saved.nat), ownerOf('filter', saved.filter)];
  // Without a refused Service, an earlier version installed nothing in the filter table that kube-proxy does not.
  const isEarlier = nat === 'kube-proxier' && !leadsTo('nat', saved.nat, (chain) => chain === CHAINS.marker);
  return { nat, filter: filter === 'kube-proxy' && isEarlier ? 'kube-proxier' : filter };
}

function ownerOf(table: 'filter' | 'nat', saved: SavedTable): TableOwner {
  if (leadsTo(table, saved, (chain) => isOnlyOurChain(table, chain))) {
    return 'kube-proxier';
  }
  return SHARED_ROOTS[table].some((chain) => saved.has(chain)) ? 'kube-proxy' : 'none';
}

function leadsTo(table: 'filter' | 'nat', saved: SavedTable, matches: (chain: string) => boolean): boolean {
  return SHARED_ROOTS[table].some(
    (root) => saved.get(root)?.rules.some((rule) => matches(targetOf(rule) ?? '')) ?? false,
  );
}
