import { messageOf, type UnknownRecord } from '@kube-proxier/core';
import { DirectMappedCache } from '../../caching/direct-mapped-cache.js';
import { type Attribute, align, be32, cString } from '../../netlink/attributes.js';
import { NETLINK_FLAGS } from '../../netlink/netlink.js';
import type { NetlinkSocketOptions } from '../../netlink/open-socket.js';
import { NftError } from '../nft-error.js';
import type { NftFamily } from '../nft-family.js';
import type { NftElement } from '../nft-table.js';
import { decodeNftRule, type NftRuleSets } from './decode-rule.js';
import {
  NFT_ELEMENT_CATCH_ALL,
  NFT_FAMILIES,
  NFT_TABLE_FLAGS,
  NFTA_DATA,
  NFTA_ELEMENT,
  NFTA_ELEMENTS,
  NFTA_LIST_ELEMENT,
  NFTA_RULE,
  NFTA_SET,
  type NftMessage,
} from './nf-tables.js';
import {
  chainIdentity,
  encodeNftRequest,
  NftConsistentLists,
  type NftTableName,
  withSynchronousSocket,
} from './nft-consistent-lists.js';
import type { NftSocket } from './nft-socket.js';
import { NftTableLists, refusedToList, takeChain } from './nft-table-lists.js';
import { messageAttributes, NftElementReader, type ReadChain, type ReadSet, readSet } from './read-table.js';
import type { NftElementTypes } from './set-attributes.js';
import { CATCH_ALL, nftFieldsLength, writeNftFields } from './value-bytes.js';

const [ENOENT, EINVAL] = [2, 22];
/** Maximum attempts to list a set while the ruleset changes. */
const MAX_ATTEMPTS = 20;
/** Maximum number of chains whose rules are cached. */
const MOST_REMEMBERED = 65_536;
/** 512 elements of a set are cached: as many as packets of 64 classes look up. */
const REMEMBERED_BITS = 9;
/** Maximum number of sets with cached elements. */
const MOST_SETS = 64;
/** Cached instead of an element that does not exist. */
const NO_ELEMENT = Symbol('no element');
/** Maximum number of chains whose decoded rules are cached and reused while the kernel lists the same bytes. */
const MOST_DECODED = 16_384;

/** A reusable request for one element. */
interface ElementRequest {
  readonly types: NftElementTypes;
  readonly bytes: Buffer;
  readonly keyAt: number;
  readonly keyLength: number;
  readonly reader: NftElementReader;
}

/** A rule that was looked up. */
export interface NftFoundRule {
  /** As `nft -j list` prints it. */
  readonly statements: readonly UnknownRecord[];
  readonly handle: number;
}

/**
 * Looks up single elements, and the rules of single chains, of one table, as currently in the kernel. The cost does not
 * depend on the size of the table, and commits do not interrupt it: listing 50,000 elements takes a second in the
 * kernel, and `nft list ruleset` restarts after each commit.
 */
export class NftTableLookup {
  /** Elements since the last call of {@link forget}, by set. */
  readonly #remembered = new Map<string, DirectMappedCache<NftElement | typeof NO_ELEMENT>>();
  readonly #requests = new Map<string, ElementRequest>();
  readonly #sets = new Map<string, ReadSet>();
  /** Rules of chains, read in the generation {@link #generation} or later. */
  readonly #rules = new Map<string, readonly NftFoundRule[]>();
  #generation = 0;
  /** Whether there may be a later generation, as {@link forget} was called. */
  #isGenerationOld = true;
  /** Rules with the bytes from which they were decoded. */
  readonly #decoded = new Map<string, { readonly bytes: Buffer; readonly rules: readonly NftFoundRule[] }>();
  readonly #ruleSets: NftRuleSets = {
    keyFields: (name) => this.set(name)?.types?.key.length,
    anonymousElements: (name) => this.#listAtOnce(name),
  };
  readonly #consistent: NftConsistentLists;

  private constructor(
    private readonly socket: NftSocket,
    private readonly lists: NftTableLists,
    private readonly family: NftFamily,
    private readonly table: string,
  ) {
    this.#consistent = new NftConsistentLists(socket);
  }

  /**
   * @returns undefined when synchronous requests are not supported (without the package `koffi`).
   * @throws NftError when the kernel refuses, NetlinkError when no socket can be opened.
   */
  static open(
    family: NftFamily,
    table: string,
    options: NetlinkSocketOptions = {},
  ): Promise<NftTableLookup | undefined> {
    return withSynchronousSocket(options, async (socket) => {
      const lookup = new NftTableLookup(socket, new NftTableLists(() => socket), family, table);
      for (const set of (await lookup.lists.sets(family, table)).value ?? []) {
        lookup.#sets.set(set.name, set);
      }
      return lookup;
    });
  }

  /** @see NftConsistentLists.tables */
  tables(): readonly NftTableName[] {
    return this.#consistent.tables();
  }

  /** Names of the sets and maps when the lookup was opened. */
  get sets(): readonly string[] {
    return [...this.#sets.keys()];
  }

  /** A set or map, also one that was added later; undefined when there is none. */
  set(name: string): ReadSet | undefined {
    const known = this.#sets.get(name);
    if (known !== undefined) {
      return known;
    }
    const found: ReadSet[] = [];
    const request = this.#request('getSet', [
      { type: NFTA_SET.table, value: cString(this.table) },
      { type: NFTA_SET.name, value: cString(name) },
    ]);
    const errno = this.socket.requestAtOnce(request, (payload) => found.push(readSet(messageAttributes(payload))));
    if (errno !== 0 && errno !== ENOENT) {
      throw refusedToList(errno);
    }
    const [set] = found;
    if (set !== undefined && !set.isAnonymous) {
      this.#sets.set(name, set);
    }
    return set;
  }

  /**
   * Whether elements of this set or map can be looked up: a hash table that only transactions change, or a set of
   * concatenated intervals, where the lookup returns the element that contains the key.
   */
  canFind(name: string): boolean {
    const set = this.set(name);
    return set?.types !== undefined && (set.isHash || (set.types.isInterval && set.types.key.length > 1));
  }

  /**
   * The chains of the table, without their rules.
   *
   * @returns undefined when the table does not exist or is inactive (flag `dormant`).
   * @throws NftError when the kernel refuses.
   */
  async chains(): Promise<readonly ReadChain[] | undefined> {
    const flags = await this.lists.tableFlags(this.family, this.table);
    if (flags === undefined || (flags & NFT_TABLE_FLAGS.dormant) !== 0) {
      return undefined;
    }
    const { value, isInterrupted } = await this.lists.chains(this.family, this.table, 1);
    return isInterrupted ? this.#chainsAtOnce() : value;
  }

  /**
   * The rules of a chain; empty when it does not exist. Cached until {@link forget}, and after it while no process has
   * committed a change of any table; the result is the same object while the chain is unchanged.
   *
   * @throws NftError when the kernel refuses.
   */
  rules(chain: string): readonly NftFoundRule[] {
    if (this.#isGenerationOld) {
      const generation = this.#consistent.generation();
      if (generation !== this.#generation) {
        this.#rules.clear();
        this.#generation = generation;
      }
      this.#isGenerationOld = false;
    }
    let rules = this.#rules.get(chain);
    if (rules === undefined) {
      if (this.#rules.size >= MOST_REMEMBERED) {
        this.#rules.clear();
      }
      rules = this.#readRules(chain);
      this.#rules.set(chain, rules);
    }
    return rules;
  }

  /**
   * All elements of a set or map, for small ones and those that {@link canFind} excludes.
   *
   * @returns undefined when its types are unknown, or the ruleset changed during each attempt.
   * @throws NftError when the kernel refuses.
   */
  async list(name: string): Promise<ReadonlyMap<string, NftElement> | undefined> {
    const set = this.set(name);
    if (set?.types === undefined) {
      return undefined;
    }
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { value, isInterrupted } = await this.lists.elements(this.family, this.table, set);
      if (!isInterrupted) {
        return value;
      }
    }
    return undefined;
  }

  /**
   * The element of a key in transaction syntax, or else the catch-all element (`*`); undefined when there is neither.
   * Cached until {@link forget} at most.
   *
   * @throws NftError when the kernel refuses, or the set does not support lookups.
   */
  find(name: string, key: string): NftElement | undefined {
    let remembered = this.#remembered.get(name);
    if (remembered === undefined) {
      if (this.#remembered.size >= MOST_SETS) {
        this.#remembered.clear();
      }
      remembered = new DirectMappedCache(REMEMBERED_BITS);
      this.#remembered.set(name, remembered);
    }
    const known = remembered.get(key);
    if (known !== undefined) {
      return known === NO_ELEMENT ? undefined : known;
    }
    const found = this.#read(name, key) ?? (key === CATCH_ALL ? undefined : this.find(name, CATCH_ALL));
    remembered.set(key, found ?? NO_ELEMENT);
    return found;
  }

  /** Later lookups read the kernel again. */
  forget(): void {
    for (const remembered of this.#remembered.values()) {
      remembered.clear();
    }
    this.#isGenerationOld = true;
  }

  close(): void {
    this.socket.close();
  }

  #chainsAtOnce(): readonly ReadChain[] {
    const chains = new Map<string, ReadChain>();
    this.#consistent.list(this.#request('getChain', [], NETLINK_FLAGS.dump), () => {
      chains.clear();
      return (payload) => {
        takeChain(chains, this.table, payload);
        return chainIdentity(payload);
      };
    });
    return [...chains.values()];
  }

  #readRules(chain: string): readonly NftFoundRule[] {
    let payloads: Buffer[] = [];
    this.#consistent.rules(NFT_FAMILIES[this.family], this.table, chain, () => {
      payloads = [];
      return (payload) => payloads.push(Buffer.from(payload));
    });
    const bytes = Buffer.concat(payloads);
    const before = this.#decoded.get(chain);
    if (before?.bytes.equals(bytes)) {
      return before.rules;
    }
    const rules = payloads.map((payload): NftFoundRule => {
      const attributes = messageAttributes(payload);
      const handle = attributes.get(NFTA_RULE.handle);
      const expressions = attributes.get(NFTA_RULE.expressions) ?? Buffer.alloc(0);
      return {
        statements: decodeNftRule(expressions, this.family, this.#ruleSets),
        handle: handle === undefined ? 0 : Number(handle.readBigUInt64BE()),
      };
    });
    if (this.#decoded.size >= MOST_DECODED) {
      this.#decoded.clear();
    }
    this.#decoded.set(chain, { bytes, rules });
    return rules;
  }

  #listAtOnce(name: string): readonly string[] | undefined {
    const types = this.set(name)?.types;
    if (types === undefined || types.value !== undefined || types.isInterval) {
      return undefined;
    }
    const reader = new NftElementReader(types);
    const request = this.#request(
      'getElements',
      [
        { type: NFTA_ELEMENTS.table, value: cString(this.table) },
        { type: NFTA_ELEMENTS.set, value: cString(name) },
      ],
      NETLINK_FLAGS.dump,
    );
    const { errno } = this.socket.listAtOnce(request, (payload) => reader.read(payload));
    return errno === 0 ? [...reader.elements.keys()] : undefined;
  }

  #request(what: NftMessage, attributes: readonly Attribute[], flags = 0): Buffer {
    return encodeNftRequest(what, attributes, NFT_FAMILIES[this.family], flags);
  }

  #read(name: string, key: string): NftElement | undefined {
    const isCatchAll = key === CATCH_ALL;
    const id = isCatchAll ? `${name} ${CATCH_ALL}` : name;
    let request = this.#requests.get(id);
    if (request === undefined) {
      request = this.#requestFor(name, isCatchAll);
      this.#requests.set(id, request);
    }
    const { bytes, keyAt, keyLength, reader, types } = request;
    if (!isCatchAll) {
      bytes.fill(0, keyAt, keyAt + keyLength);
      try {
        writeNftFields(key, types.key, bytes, keyAt);
      } catch (cause) {
        throw new NftError('NFT_FAILED', `cannot look up ${key} in ${name}: ${messageOf(cause)}`, { cause });
      }
    }
    let element: NftElement | undefined;
    const errno = this.socket.requestAtOnce(bytes, (payload) => {
      element = reader.readOne(payload);
    });
    // Not supported before Linux 5.13.
    if (errno !== 0 && errno !== ENOENT && !(isCatchAll && errno === EINVAL)) {
      throw refusedToList(errno);
    }
    return element;
  }

  #requestFor(name: string, isCatchAll: boolean): ElementRequest {
    const types = this.set(name)?.types;
    if (types === undefined) {
      throw new NftError('NFT_FAILED', `elements of ${name} in table ${this.family} ${this.table} cannot be looked up`);
    }
    const keyLength = nftFieldsLength(types.key);
    const key = isCatchAll
      ? { type: NFTA_ELEMENT.flags, value: be32(NFT_ELEMENT_CATCH_ALL) }
      : { type: NFTA_ELEMENT.key, value: [{ type: NFTA_DATA.value, value: Buffer.alloc(keyLength) }] };
    const bytes = this.#request('getElements', [
      { type: NFTA_ELEMENTS.table, value: cString(this.table) },
      { type: NFTA_ELEMENTS.set, value: cString(name) },
      { type: NFTA_ELEMENTS.elements, value: [{ type: NFTA_LIST_ELEMENT, value: [key] }] },
    ]);
    // The key is at the end of the message.
    return { types, bytes, keyLength, keyAt: bytes.length - align(keyLength), reader: new NftElementReader(types) };
  }
}
