import { existsSync, readFileSync } from 'node:fs';
import type { IPFamily } from '@kube-proxier/core';
import { asText, attributeMap } from '../netlink/attributes.js';
import { inNamespace } from '../netlink/in-namespace.js';
import { type Libc, loadLibc } from '../netlink/libc.js';
import { NETLINK_FLAGS } from '../netlink/netlink.js';
import { NetlinkError } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import { NFT_FAMILIES, NFT_MESSAGE_HEAD, NFTA_TABLE, nftMessageType } from '../nftables/netlink/nf-tables.js';
import { systemErrorCode } from '../process/kernel-files.js';
import type { IptablesTable, IptablesVariant } from './iptables.js';

const TABLES: ReadonlySet<string> = new Set<IptablesTable>(['filter', 'nat', 'mangle', 'raw', 'security']);
const FAMILIES: readonly number[] = Object.values(NFT_FAMILIES);
const FAMILY_NAMES: readonly IPFamily[] = ['IPv4', 'IPv6'];
/** Directory of the network namespace of the calling thread. */
const NET = '/proc/thread-self/net';
/** Files with the tables of the legacy variant that a program has used since the namespace was created. */
const LEGACY_NAMES = { IPv4: 'ip_tables_names', IPv6: 'ip6_tables_names' } as const;

/**
 * Whether a network namespace has tables of a variant, of IPv4 or IPv6. Starts no program, and loads no kernel module. Never rejects.
 *
 * @param namespace path of the network namespace; undefined: that of this process.
 * @returns undefined when unknown, for example without privileges.
 */
export async function hasIptablesTables(
  variant: IptablesVariant,
  namespace: string | undefined,
): Promise<boolean | undefined> {
  try {
    return variant === 'nft' ? await hasNftTables(namespace) : await hasLegacyTables(namespace);
  } catch {
    // The C library cannot be called, or the namespace cannot be entered.
    return undefined;
  }
}

async function hasNftTables(namespace: string | undefined): Promise<boolean | undefined> {
  const netlink = new NetlinkSocket('netfilter', namespace === undefined ? {} : { namespace });
  try {
    const tables = await netlink.request({
      type: nftMessageType('getTable'),
      flags: NETLINK_FLAGS.dump,
      payload: Buffer.alloc(NFT_MESSAGE_HEAD),
    });
    return tables.some(
      ({ payload }) =>
        FAMILIES.includes(payload[0] ?? 0) &&
        TABLES.has(asText(attributeMap(payload.subarray(NFT_MESSAGE_HEAD)).get(NFTA_TABLE.name))),
    );
  } catch (error) {
    if (error instanceof NetlinkError) {
      return undefined;
    }
    throw error;
  } finally {
    netlink.close();
  }
}

async function hasLegacyTables(namespace: string | undefined): Promise<boolean | undefined> {
  const libc = namespace === undefined ? undefined : await loadLibc();
  return FAMILY_NAMES.some((family) => legacyTableNames(libc, family, namespace).length > 0);
}

/**
 * The names of the tables of the legacy variant that exist; empty when the kernel lacks this variant.
 *
 * @param libc undefined where `namespace` is.
 * @throws Error when the namespace cannot be entered, or the names cannot be read.
 */
export function legacyTableNames(
  libc: Libc | undefined,
  family: IPFamily,
  namespace: string | undefined,
): readonly string[] {
  const read = () => readNames(`${NET}/${LEGACY_NAMES[family]}`);
  return libc === undefined ? read() : inNamespace(libc, namespace, read);
}

function readNames(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    // Without procfs, nothing is known.
    if (systemErrorCode(error) === 'ENOENT' && existsSync(NET)) {
      return [];
    }
    throw error;
  }
}
