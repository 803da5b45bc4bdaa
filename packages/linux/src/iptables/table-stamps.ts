import type { IPFamily } from '@kube-proxier/core';
import {
  type Attribute,
  type AttributeMap,
  asBe32,
  attributeMap,
  cString,
  encodeAttributes,
} from '../netlink/attributes.js';
import { inNamespace } from '../netlink/in-namespace.js';
import { type Libc, loadLibc } from '../netlink/libc.js';
import { NETLINK_FLAGS, type NetlinkAnswer } from '../netlink/netlink.js';
import { NetlinkError } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import {
  NFT_FAMILIES,
  NFT_MESSAGE_HEAD,
  NFTA_RULE,
  NFTA_TABLE,
  type NftMessage,
  nftMessageType,
} from '../nftables/netlink/nf-tables.js';
import type { IptablesTable, IptablesVariant } from './iptables.js';
import { legacyRulesDigest, legacyTableInfo } from './legacy-rules.js';
import { legacyTableNames } from './tables-in-use.js';

/** Detects table changes through the kernel, with a few system calls and without starting a program. */
export interface TableStamps {
  /** Whether stamps are increasing numbers. */
  readonly counted: boolean;
  /**
   * A value that is equal only if tables `filter` and `nat` have the same rules. With the legacy variant, it costs a
   * copy of the tables and is undefined for large ones. Never rejects.
   */
  ofRules(): Promise<string | undefined>;
  /** The scope of one stamp: stamps cannot distinguish changes of tables in one scope. */
  scopeOf(table: IptablesTable): string;
  /** See {@link Iptables.stamp}. Never rejects. */
  of(table: IptablesTable): Promise<string | undefined>;
  /** See {@link Iptables.chainStamp}. Never rejects. */
  ofChain(table: IptablesTable, chain: string): Promise<string | undefined>;
  /** A later call reopens it. Idempotent. */
  close(): void;
}

/** @param namespace path of the network namespace; undefined: that of this process. */
export function createTableStamps(
  family: IPFamily,
  variant: IptablesVariant,
  namespace: string | undefined,
): TableStamps {
  return variant === 'nft' ? new GenerationStamps(family, namespace) : new InfoStamps(family, namespace);
}

/** `NFTA_GEN_ID` of `linux/netfilter/nf_tables.h`. */
const NFTA_GEN_ID = 1;

/** nf_tables counts the transactions of a network namespace, of any program, for any change. */
class GenerationStamps implements TableStamps {
  readonly counted = true;
  #netlink: NetlinkSocket | undefined;

  constructor(
    private readonly family: IPFamily,
    private readonly namespace: string | undefined,
  ) {}

  scopeOf(): string {
    return 'nf_tables';
  }

  ofRules(): Promise<string | undefined> {
    return this.of();
  }

  async of(): Promise<string | undefined> {
    return await this.#unlessRefused(async () => {
      const [answer] = await this.#request('getGeneration', []);
      const generation = answer && attributesOf(answer).get(NFTA_GEN_ID);
      return generation && String(asBe32(generation));
    });
  }

  /**
   * The handles of table and rules: a table handle is never reused; a rule handle is not reused while its table exists.
   */
  async ofChain(table: IptablesTable, chain: string): Promise<string | undefined> {
    return await this.#unlessRefused(async () => {
      const [answer] = await this.#request('getTable', [{ type: NFTA_TABLE.name, value: cString(table) }]);
      const handle = answer && attributesOf(answer).get(NFTA_TABLE.handle);
      if (handle === undefined) {
        return undefined;
      }
      const ofChain = [
        { type: NFTA_RULE.table, value: cString(table) },
        { type: NFTA_RULE.chain, value: cString(chain) },
      ];
      const rules = await this.#request('getRule', ofChain, NETLINK_FLAGS.dump);
      const handles = rules.map((rule) => attributesOf(rule).get(NFTA_RULE.handle)?.toString('hex'));
      return [handle.toString('hex'), ...handles].join(' ');
    });
  }

  async #request(message: NftMessage, attributes: readonly Attribute[], flags = 0): Promise<readonly NetlinkAnswer[]> {
    this.#netlink ??= new NetlinkSocket('netfilter', this.namespace === undefined ? {} : { namespace: this.namespace });
    // `struct nfgenmsg`: address family, version, resource id (unused).
    const head = Buffer.from([this.family === 'IPv4' ? NFT_FAMILIES.ip : NFT_FAMILIES.ip6, 0, 0, 0]);
    return await this.#netlink.request({
      type: nftMessageType(message),
      flags,
      payload: encodeAttributes(attributes, head),
    });
  }

  async #unlessRefused(read: () => Promise<string | undefined>): Promise<string | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof NetlinkError) {
        return undefined;
      }
      throw error;
    }
  }

  close(): void {
    this.#netlink?.close();
    this.#netlink = undefined;
  }
}

function attributesOf({ payload }: NetlinkAnswer): AttributeMap {
  return attributeMap(payload.subarray(NFT_MESSAGE_HEAD));
}

const AF = { IPv4: 2, IPv6: 10 } as const;
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000;
/** Maximum size in bytes of a table for a comparison of all rules: about 10,000 rules. */
const MAX_COMPARED = 4 * 1024 * 1024;

/** What the kernel reports about a table without copying it: its size, and the position of each hook in it. */
class InfoStamps implements TableStamps {
  readonly counted = false;
  #libc: Libc | undefined;
  #fd: number | undefined;

  constructor(
    private readonly family: IPFamily,
    private readonly namespace: string | undefined,
  ) {}

  scopeOf(table: IptablesTable): string {
    return `${this.family} ${table}`;
  }

  of(table: IptablesTable): Promise<string | undefined> {
    return this.#read((libc, fd) => legacyTableInfo(libc, fd, this.family, table)?.toString('hex'));
  }

  ofRules(): Promise<string | undefined> {
    return this.#read((libc, fd) => {
      // The kernel creates a table when it is queried.
      const existing = legacyTableNames(libc, this.family, this.namespace);
      const digests = (['filter', 'nat'] as const).map((table) =>
        existing.includes(table) ? legacyRulesDigest(libc, fd, this.family, table, MAX_COMPARED) : 'none',
      );
      return digests.includes(undefined) ? undefined : digests.join(' ');
    });
  }

  async #read(read: (libc: Libc, fd: number) => string | undefined): Promise<string | undefined> {
    try {
      const libc = await loadLibc();
      this.#libc = libc;
      this.#fd ??= inNamespace(libc, this.namespace, () => libc.socket(AF[this.family], SOCK_DGRAM_CLOEXEC, 0));
      const value = read(libc, this.#fd);
      if (value !== undefined) {
        return value;
      }
    } catch {
      // The C library cannot be called, or the namespace cannot be entered.
    }
    this.close();
    return undefined;
  }

  /** The kernel reports only the whole table. */
  ofChain(table: IptablesTable): Promise<string | undefined> {
    return this.of(table);
  }

  close(): void {
    if (this.#fd !== undefined && this.#fd >= 0) {
      this.#libc?.close(this.#fd);
    }
    this.#fd = undefined;
  }
}
