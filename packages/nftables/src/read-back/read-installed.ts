import type { IPFamily } from '@kube-proxier/core';
import { type Nft, NftRefused, type NftTableFlag } from '@kube-proxier/linux';
import type { InstalledNftables } from '../plan/installed-nftables.js';
import { type Layout, nftFamily, TABLE } from '../plan/layout.js';

/** Options of the read-back. */
export interface ReadTarget {
  readonly nft: Nft;
  readonly family: IPFamily;
  readonly layout: Layout;
  /** Flags that the table must have; undefined for none. */
  readonly flags: readonly NftTableFlag[] | undefined;
  readonly fullyRandom: boolean;
  /** Whether connections and packets can be counted per endpoint. */
  readonly endpointCounters: boolean;
}

/** Reads the table of one family. A table with flags is claimed, and created empty if it does not exist. */
export async function readInstalled(target: ReadTarget): Promise<InstalledNftables> {
  const { nft, family, layout, flags, fullyRandom, endpointCounters } = target;
  const claimed = flags === undefined || (await claim(nft, family, flags));
  const table = await nft.list(nftFamily(family), TABLE);
  return {
    table,
    facts: { fullyRandom, layout, endpointCounters },
    ...(flags === undefined ? {} : { flags, lacksFlags: !claimed }),
  };
}

/** @returns false when the table exists with other flags. */
async function claim(nft: Nft, family: IPFamily, flags: readonly NftTableFlag[]): Promise<boolean> {
  try {
    await nft.run({ family: nftFamily(family), table: TABLE, commands: [{ do: 'add-table', flags }] });
    return true;
  } catch (error) {
    if (error instanceof NftRefused && error.refusal === 'unsupported') {
      return false;
    }
    throw error;
  }
}

/** Whether `masquerade fully-random` is supported, by letting the kernel validate a rule. */
export async function supportsFullyRandom(nft: Nft, family: IPFamily): Promise<boolean> {
  try {
    await nft.check({
      family: nftFamily(family),
      table: `${TABLE}-trial`,
      commands: [
        { do: 'add-table' },
        { do: 'add-chain', chain: 'trial', base: { type: 'nat', hook: 'postrouting', priority: 100 } },
        { do: 'add-rule', chain: 'trial', rule: { statements: [{ kind: 'masquerade', fullyRandom: true }] } },
      ],
    });
    return true;
  } catch (error) {
    if (error instanceof NftRefused) {
      return false;
    }
    throw error;
  }
}
