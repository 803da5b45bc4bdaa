import { type Attribute, asBe32, be32, cString, encodeAttributes } from '../../netlink/attributes.js';
import { NETLINK_FLAGS, type NetlinkAnswer } from '../../netlink/netlink.js';
import type { NftCounter } from '../nft-counter.js';
import type { NftError } from '../nft-error.js';
import type { NftFamily } from '../nft-family.js';
import type { NftElement, NftListedChain, NftListedContainer, NftTable } from '../nft-table.js';
import { refusalOfKernel } from './netlink-refusal.js';
import {
  NFT_FAMILIES,
  NFT_OBJECT_COUNTER,
  NFT_TABLE_FLAGS,
  NFTA_CHAIN,
  NFTA_ELEMENTS,
  NFTA_OBJECT,
  NFTA_RULE,
  NFTA_SET,
  NFTA_TABLE,
  type NftMessage,
  nftMessageType,
} from './nf-tables.js';
import type { NftSocket } from './nft-socket.js';
import {
  messageAttributes,
  NftElementReader,
  type ReadChain,
  type ReadSet,
  readChain,
  readCounter,
  readRule,
  readSet,
} from './read-table.js';
import type { NftElementTypes } from './set-attributes.js';

/** Maximum attempts while the ruleset changes. */
const MAX_ATTEMPTS = 20;
/** Number of elements below which the kernel resizes a hash table in negligible time. */
const FEW = 4096;
const ENOENT = 2;

interface ListedChain extends NftListedChain {
  readonly rules: (string | undefined)[];
  readonly fingerprints: string[];
}

export interface NftTableRead {
  readonly table: NftTable | undefined;
  /** Element types of its sets and maps. */
  readonly types: readonly (readonly [string, NftElementTypes | undefined])[];
}

/** A dump, and whether the ruleset changed during it. */
export interface NftRead<Value> {
  readonly value: Value;
  readonly isInterrupted: boolean;
}

/**
 * Lists tables and their objects. A dump may be incomplete when the ruleset changes during it; the result is then
 * marked. Every method throws an NftError when the kernel refuses.
 */
export class NftTableLists {
  /** @param socket the current one. */
  constructor(private readonly socket: () => NftSocket) {}

  /** Names of the tables of a family. */
  async tableNames(family: NftFamily): Promise<readonly string[]> {
    const names = new Set<string>();
    await this.#dumpAll('getTable', family, [], (payload) => {
      if (payload[0] === NFT_FAMILIES[family]) {
        names.add(nameOf(payload, NFTA_TABLE.name));
      }
    });
    return [...names];
  }

  /** A table with all of its objects. */
  async table(family: NftFamily, table: string): Promise<NftRead<NftTableRead>> {
    const flags = await this.tableFlags(family, table);
    if (flags === undefined) {
      return { value: { table: undefined, types: [] }, isInterrupted: false };
    }
    const isDormant = (flags & NFT_TABLE_FLAGS.dormant) !== 0;
    const interrupted: boolean[] = [];
    const listed = await this.chains(family, table);
    interrupted.push(listed.isInterrupted);
    const chains = new Map<string, ListedChain>(
      listed.value.map(({ name, ...chain }) => [name, { ...chain, rules: [], fingerprints: [] }]),
    );
    interrupted.push(
      await this.#dump('getRule', family, [{ type: NFTA_RULE.table, value: cString(table) }], (payload) => {
        const { chain, comment, fingerprint } = readRule(messageAttributes(payload));
        const found = chains.get(chain);
        found?.rules.push(comment);
        found?.fingerprints.push(fingerprint);
      }),
    );
    const sets = await this.sets(family, table);
    interrupted.push(sets.isInterrupted);
    const containers = new Map<string, NftListedContainer>();
    for (const set of sets.value ?? []) {
      const elements = await this.elements(family, table, set);
      interrupted.push(elements.isInterrupted);
      containers.set(set.name, {
        ...{ kind: set.kind, signature: set.signature },
        elements: elements.value ?? new Map(),
      });
    }
    const counters = await this.counters(family, table);
    interrupted.push(counters.isInterrupted);
    return {
      value: {
        table: { ...{ counters: counters.value, chains, containers }, ...(isDormant ? { isDormant } : {}) },
        types: (sets.value ?? []).map(({ name, types }) => [name, types]),
      },
      isInterrupted: interrupted.includes(true),
    };
  }

  /** The chains of a table, without their rules. */
  async chains(family: NftFamily, table: string, attempts = MAX_ATTEMPTS): Promise<NftRead<readonly ReadChain[]>> {
    const chains = new Map<string, ReadChain>();
    const take = (payload: Buffer) => takeChain(chains, table, payload);
    const isInterrupted = await this.#dumpAll('getChain', family, [], take, attempts);
    return { value: [...chains.values()], isInterrupted };
  }

  /** Undefined when the table does not exist. */
  async tableFlags(family: NftFamily, table: string): Promise<number | undefined> {
    const name: Attribute = { type: NFTA_TABLE.name, value: cString(table) };
    let flags = 0;
    const { errno } = await this.socket().request(message('getTable', family, [name], 0), ({ payload }) => {
      flags = asBe32(messageAttributes(payload).get(NFTA_TABLE.flags));
    });
    if (errno !== 0 && errno !== ENOENT) {
      throw refusedToList(errno);
    }
    return errno === 0 ? flags : undefined;
  }

  /** @param name of a single set or map. Default: all that are not anonymous. */
  async sets(family: NftFamily, table: string, name?: string): Promise<NftRead<readonly ReadSet[] | undefined>> {
    const sets: ReadSet[] = [];
    const take = (payload: Buffer) => {
      const set = readSet(messageAttributes(payload));
      if (!set.isAnonymous && nameOf(payload, NFTA_SET.table) === table) {
        sets.push(set);
      }
    };
    const attributes: Attribute[] = [{ type: NFTA_SET.table, value: cString(table) }];
    if (name === undefined) {
      return { value: sets, isInterrupted: await this.#dump('getSet', family, attributes, take) };
    }
    attributes.push({ type: NFTA_SET.name, value: cString(name) });
    const { errno } = await this.socket().request(message('getSet', family, attributes, 0), ({ payload }) =>
      take(payload),
    );
    if (errno !== 0 && errno !== ENOENT) {
      throw refusedToList(errno);
    }
    return { value: sets, isInterrupted: false };
  }

  /** The elements of a set or map. */
  async elements(
    family: NftFamily,
    table: string,
    { name, types, count, isHash }: ReadSet,
  ): Promise<NftRead<ReadonlyMap<string, NftElement> | undefined>> {
    if (types === undefined) {
      return { value: new Map(), isInterrupted: false };
    }
    const reader = new NftElementReader(types);
    const { elements } = reader;
    const attributes: Attribute[] = [
      { type: NFTA_ELEMENTS.table, value: cString(table) },
      { type: NFTA_ELEMENTS.set, value: cString(name) },
    ];
    let isInterrupted = false;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = elements.size;
      isInterrupted = await this.#dump('getElements', family, attributes, (payload) => reader.read(payload));
      // Older kernels do not report the number: a second dump must then have nothing new.
      const isWhole = count === undefined ? before === elements.size || elements.size < FEW : elements.size >= count;
      if (isInterrupted || isWhole || !isHash) {
        break;
      }
      // The kernel skips elements while it resizes the hash table, briefly after large transactions.
      await new Promise((resolve) => setTimeout(resolve, attempt));
    }
    return { value: elements, isInterrupted };
  }

  /** The named counters of a table. */
  async counters(family: NftFamily, table: string): Promise<NftRead<ReadonlyMap<string, NftCounter>>> {
    const counters = new Map<string, NftCounter>();
    const attributes: Attribute[] = [
      { type: NFTA_OBJECT.table, value: cString(table) },
      { type: NFTA_OBJECT.type, value: be32(NFT_OBJECT_COUNTER) },
    ];
    const isInterrupted = await this.#dumpAll('getObject', family, attributes, (payload) => {
      if (nameOf(payload, NFTA_OBJECT.table) === table) {
        counters.set(...readCounter(messageAttributes(payload)));
      }
    });
    return { value: counters, isInterrupted };
  }

  /** The named counters of a table that exist. */
  async countersNamed(
    family: NftFamily,
    table: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, NftCounter>> {
    const counters = new Map<string, NftCounter>();
    for (const name of names) {
      const attributes: Attribute[] = [
        { type: NFTA_OBJECT.table, value: cString(table) },
        { type: NFTA_OBJECT.name, value: cString(name) },
        { type: NFTA_OBJECT.type, value: be32(NFT_OBJECT_COUNTER) },
      ];
      const { errno } = await this.socket().request(message('getObject', family, attributes, 0), ({ payload }) => {
        counters.set(...readCounter(messageAttributes(payload)));
      });
      if (errno !== 0 && errno !== ENOENT) {
        throw refusedToList(errno);
      }
    }
    return counters;
  }

  /**
   * A dump that the kernel iterates by position, across all tables of a family: when another table changes during the
   * dump, entries may be skipped or repeated, so it is retried until it is consistent.
   */
  async #dumpAll(
    what: NftMessage,
    family: NftFamily,
    attributes: readonly Attribute[],
    take: (payload: Buffer) => void,
    attempts = MAX_ATTEMPTS,
  ): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const isInterrupted = await this.#dump(what, family, attributes, take);
      if (!isInterrupted || attempt === attempts) {
        return isInterrupted;
      }
    }
  }

  /** @returns whether the ruleset changed during the dump. The dump of a missing object is empty. */
  async #dump(
    what: NftMessage,
    family: NftFamily,
    attributes: readonly Attribute[],
    take: (payload: Buffer) => void,
  ): Promise<boolean> {
    const { errno, isInterrupted } = await this.socket().request(
      message(what, family, attributes, NETLINK_FLAGS.dump),
      ({ payload }: NetlinkAnswer) => take(payload),
    );
    if (errno !== 0 && errno !== ENOENT) {
      throw refusedToList(errno);
    }
    return isInterrupted || errno === ENOENT;
  }
}

function message(what: NftMessage, family: NftFamily, attributes: readonly Attribute[], flags: number) {
  const payload = encodeAttributes(attributes, Buffer.of(NFT_FAMILIES[family], 0, 0, 0));
  return { type: nftMessageType(what), flags, payload };
}

/** Adds a listed chain if it is in that table: the kernel lists chains of all tables of a family. */
export function takeChain(chains: Map<string, ReadChain>, table: string, payload: Buffer): void {
  if (nameOf(payload, NFTA_CHAIN.table) === table) {
    const chain = readChain(messageAttributes(payload));
    chains.set(chain.name, chain);
  }
}

function nameOf(payload: Buffer, type: number): string {
  const value = messageAttributes(payload).get(type);
  return value === undefined ? '' : value.toString('latin1', 0, Math.max(0, value.length - 1));
}

/** The error when the kernel refuses a dump. */
export function refusedToList(errno: number): NftError {
  return refusalOfKernel(
    { family: 'ip', table: '', commands: [] },
    { bytes: Buffer.alloc(0), messages: [] },
    { message: 0, errno, offset: undefined, text: undefined },
  );
}
