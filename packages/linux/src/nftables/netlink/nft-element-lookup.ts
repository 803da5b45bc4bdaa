import { messageOf } from '@kube-proxier/core';
import { align, be32, cString, encodeAttributes } from '../../netlink/attributes.js';
import type { NetlinkSocketOptions } from '../../netlink/open-socket.js';
import { encodeMessages } from '../../netlink/request-batches.js';
import { NftError } from '../nft-error.js';
import type { NftFamily } from '../nft-family.js';
import type { NftElement } from '../nft-table.js';
import {
  NFT_ELEMENT_CATCH_ALL,
  NFT_FAMILIES,
  NFTA_DATA,
  NFTA_ELEMENT,
  NFTA_ELEMENTS,
  NFTA_LIST_ELEMENT,
  nftMessageType,
} from './nf-tables.js';
import { NftSocket } from './nft-socket.js';
import { NftTableLists, refusedToList } from './nft-table-lists.js';
import { NftElementReader, type ReadSet } from './read-table.js';
import type { NftElementTypes } from './set-attributes.js';
import { CATCH_ALL, nftFieldsLength, writeNftFields } from './value-bytes.js';

const [ENOENT, EINVAL] = [2, 22];
/** Attempts while the ruleset changes. */
const MAX_ATTEMPTS = 20;
/** Elements that are remembered between two calls of {@link NftElementLookup.forget}. */
const MOST_REMEMBERED = 65_536;

/** A request for one element, to be sent again with other keys. */
interface ElementRequest {
  readonly types: NftElementTypes;
  readonly bytes: Buffer;
  readonly keyAt: number;
  readonly keyLength: number;
  readonly reader: NftElementReader;
}

/**
 * Looks up single elements in sets and maps of one table, each as it is in the kernel at that moment. The cost does not depend on the
 * size of the set, and a ruleset that changes meanwhile does no harm: to list 50,000 elements takes the kernel a second, and nft
 * begins again whenever a transaction is committed.
 */
export class NftElementLookup {
  readonly #remembered = new Map<string, Map<string, NftElement | undefined>>();
  readonly #requests = new Map<string, ElementRequest>();
  #count = 0;

  private constructor(
    private readonly socket: NftSocket,
    private readonly lists: NftTableLists,
    private readonly family: NftFamily,
    private readonly table: string,
    private readonly sets: ReadonlyMap<string, ReadSet>,
  ) {}

  /**
   * @returns undefined where the kernel does not answer at once (without the package `koffi`).
   * @throws NftError when the kernel refuses, NetlinkError when no socket can be opened.
   */
  static async open(
    family: NftFamily,
    table: string,
    options: NetlinkSocketOptions = {},
  ): Promise<NftElementLookup | undefined> {
    const socket = new NftSocket(options);
    try {
      const lists = new NftTableLists(() => socket);
      const { value } = await lists.sets(family, table);
      const sets = new Map((value ?? []).map((set) => [set.name, set]));
      if (socket.isAnsweredAtOnce) {
        return new NftElementLookup(socket, lists, family, table, sets);
      }
    } catch (error) {
      socket.close();
      throw error;
    }
    socket.close();
    return undefined;
  }

  /** Whether elements of this set or map can be looked up: a hash table, to which only transactions add elements. */
  canFind(name: string): boolean {
    const set = this.sets.get(name);
    return set?.types !== undefined && set.isHash;
  }

  /**
   * All elements of a set or map: for those that are small, or that {@link canFind} excludes.
   *
   * @returns undefined where its types are not known, or the ruleset changed each time that it was read.
   * @throws NftError when the kernel refuses.
   */
  async list(name: string): Promise<ReadonlyMap<string, NftElement> | undefined> {
    const set = this.sets.get(name);
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
   * The element of a key as transactions have it, or the one that matches what no other one does; undefined where there is none. The answer is remembered until {@link forget}.
   *
   * @throws NftError when the kernel refuses, or the set is not one of those that can be looked up.
   */
  find(name: string, key: string): NftElement | undefined {
    let remembered = this.#remembered.get(name);
    if (remembered === undefined) {
      remembered = new Map();
      this.#remembered.set(name, remembered);
    }
    const known = remembered.get(key);
    if (known !== undefined || remembered.has(key)) {
      return known;
    }
    if (this.#count >= MOST_REMEMBERED) {
      this.forget();
    }
    const found = this.#read(name, key) ?? (key === CATCH_ALL ? undefined : this.find(name, CATCH_ALL));
    remembered.set(key, found);
    this.#count += 1;
    return found;
  }

  /** What is looked up from now on is as the kernel has it from now on. */
  forget(): void {
    for (const remembered of this.#remembered.values()) {
      remembered.clear();
    }
    this.#count = 0;
  }

  close(): void {
    this.socket.close();
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
    reader.elements.clear();
    const errno = this.socket.requestAtOnce(bytes, (payload) => reader.read(payload));
    // Before Linux 5.13 there are none, and the kernel does not know the request.
    if (errno !== 0 && errno !== ENOENT && !(isCatchAll && errno === EINVAL)) {
      throw refusedToList(errno);
    }
    const [element] = reader.elements.values();
    return element;
  }

  #requestFor(name: string, isCatchAll: boolean): ElementRequest {
    const types = this.sets.get(name)?.types;
    if (types === undefined) {
      throw new NftError('NFT_FAILED', `elements of ${name} in table ${this.family} ${this.table} cannot be looked up`);
    }
    const keyLength = nftFieldsLength(types.key);
    const key = isCatchAll
      ? { type: NFTA_ELEMENT.flags, value: be32(NFT_ELEMENT_CATCH_ALL) }
      : { type: NFTA_ELEMENT.key, value: [{ type: NFTA_DATA.value, value: Buffer.alloc(keyLength) }] };
    const payload = encodeAttributes(
      [
        { type: NFTA_ELEMENTS.table, value: cString(this.table) },
        { type: NFTA_ELEMENTS.set, value: cString(name) },
        { type: NFTA_ELEMENTS.elements, value: [{ type: NFTA_LIST_ELEMENT, value: [key] }] },
      ],
      Buffer.of(NFT_FAMILIES[this.family], 0, 0, 0),
    );
    const bytes = encodeMessages([{ type: nftMessageType('getElements'), flags: 0, payload }], 0, 0);
    // The key is the end of the message.
    return { types, bytes, keyLength, keyAt: bytes.length - align(keyLength), reader: new NftElementReader(types) };
  }
}
