import { type CleanupReport, type IPFamily, LeftoversError, messageOf, type RemovedObjects } from '@kube-proxier/core';
import { type Nft, NftError, NftRefused } from '@kube-proxier/linux';
import { nftFamily, TABLE } from './plan/layout.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** The table of kube-proxy in each family (spec N-1). */
const KUBE_PROXY_TABLE = 'kube-proxy';

/** Removes this backend's tables. */
export function cleanUp(nft: Nft): Promise<CleanupReport> {
  return removeTables(nft, TABLE);
}

/** Removes kube-proxy's tables. This backend uses none of them, so it is safe in any mode. */
export function cleanUpKubeProxy(nft: Nft): Promise<CleanupReport> {
  return removeTables(nft, KUBE_PROXY_TABLE);
}

/** Lists what {@link cleanUp} or {@link cleanUpKubeProxy} would remove. */
export function findLeftovers(nft: Nft, owner: 'backend' | 'kube-proxy'): Promise<readonly RemovedObjects[]> {
  return findTables(nft, owner === 'backend' ? TABLE : KUBE_PROXY_TABLE);
}

/**
 * Removes a table of one family.
 *
 * @returns false when it did not exist.
 */
export async function removeTable(nft: Nft, family: IPFamily, table: string): Promise<boolean> {
  try {
    await nft.run({ family: nftFamily(family), table, commands: [{ do: 'delete-table' }] });
    return true;
  } catch (error) {
    if (!(error instanceof NftRefused) || error.refusal !== 'missing') {
      throw error;
    }
    return false;
  }
}

/** Without nft, there is nothing to clean up (spec N-70). */
async function removeTables(nft: Nft, table: string): Promise<CleanupReport> {
  const names: string[] = [];
  const leftovers: string[] = [];
  let cause: unknown;
  for (const family of FAMILIES) {
    try {
      if (await removeTable(nft, family, table)) {
        names.push(`${nftFamily(family)} ${table}`);
      }
    } catch (error) {
      if (hasNoTables(error)) {
        continue;
      }
      leftovers.push(`table ${nftFamily(family)} ${table} (${messageOf(error)})`);
      cause = error;
    }
  }
  nft.close();
  if (leftovers.length > 0) {
    throw new LeftoversError('NFTABLES_LEFTOVERS', leftovers, { cause });
  }
  return { removed: names.length === 0 ? [] : [{ kind: 'table', names }] };
}

async function findTables(nft: Nft, table: string): Promise<readonly RemovedObjects[]> {
  const names: string[] = [];
  try {
    for (const family of FAMILIES) {
      const tables = await nft.tables(nftFamily(family)).catch((error: unknown) => {
        if (hasNoTables(error)) {
          return [];
        }
        throw error;
      });
      names.push(...tables.filter((name) => name === table).map((name) => `${nftFamily(family)} ${name}`));
    }
  } finally {
    nft.close();
  }
  return names.length === 0 ? [] : [{ kind: 'table', names }];
}

/** nft is not installed, or the kernel lacks nf_tables or this family. */
function hasNoTables(error: unknown): boolean {
  return (
    (error instanceof NftError && error.code === 'NFT_MISSING') ||
    (error instanceof NftRefused && error.refusal === 'unsupported')
  );
}
