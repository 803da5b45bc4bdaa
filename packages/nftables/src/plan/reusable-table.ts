import { type NftBaseChain, type NftSetOrMap, type NftTable, nftContainerSignature } from '@kube-proxier/linux';
import type { Chain } from './chain.js';
import type { InstalledNftables } from './installed-nftables.js';
import type { TransactionDraft } from './nftables-transaction.js';

/**
 * The installed table, if the plan can start from it. One of another version of this program, whose sets or base chains differ,
 * is replaced in the same transaction.
 */
export function reusableTable(
  { table, flags, lacksFlags = false }: InstalledNftables,
  containers: ReadonlyMap<string, NftSetOrMap>,
  chains: ReadonlyMap<string, Chain>,
  draft: TransactionDraft,
): NftTable | undefined {
  const addTable = { do: 'add-table', ...(flags === undefined ? {} : { flags }) } as const;
  if (table === undefined) {
    draft.first(addTable);
    return undefined;
  }
  const fits =
    !lacksFlags &&
    [...containers].every(([name, container]) => {
      const found = table.containers.get(name);
      return found === undefined || found.signature === nftContainerSignature(container);
    }) &&
    [...chains].every(([name, { base }]) => {
      const found = table.chains.get(name);
      return found === undefined || sameBase(found.base, base);
    });
  if (fits) {
    if (table.isDormant) {
      // Flags that are not in it are cleared.
      draft.first(addTable);
    }
    return table;
  }
  draft.first({ do: 'delete-table' });
  draft.first(addTable);
  return undefined;
}

function sameBase(a: NftBaseChain | undefined, b: NftBaseChain | undefined): boolean {
  return a?.type === b?.type && a?.hook === b?.hook && a?.priority === b?.priority;
}
