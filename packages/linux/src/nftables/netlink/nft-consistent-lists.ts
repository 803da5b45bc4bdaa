import { finish } from '@kube-proxier/core';
import { type Attribute, asBe32, asText, cString, encodeAttributes, findAttribute } from '../../netlink/attributes.js';
import { NETLINK_FLAGS } from '../../netlink/netlink.js';
import type { NetlinkSocketOptions } from '../../netlink/open-socket.js';
import { encodeMessages } from '../../netlink/request-batches.js';
import { NftError } from '../nft-error.js';
import {
  NFT_FAMILIES,
  NFT_MESSAGE_HEAD,
  NFT_TABLE_FLAGS,
  NFTA_CHAIN,
  NFTA_GENERATION,
  NFTA_RULE,
  NFTA_TABLE,
  type NftMessage,
  nftMessageType,
} from './nf-tables.js';
import { NftSocket } from './nft-socket.js';
import { refusedToList } from './nft-table-lists.js';
import { messageAttributes } from './read-table.js';

const ENOENT = 2;
/** Maximum attempts while the ruleset changes. */
const MAX_ATTEMPTS = 20;
const NFPROTO_UNSPEC = 0;
/** As nft spells them. */
const FAMILY_NAMES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(NFT_FAMILIES).map(([name, number]) => [number, name] as const),
  ...([
    [1, 'inet'],
    [3, 'arp'],
    [5, 'netdev'],
    [7, 'bridge'],
  ] as const),
]);

/** Identity of a table. */
export interface NftTableName {
  /** `ip`, `ip6`, `inet`, `arp`, `netdev`, `bridge`. */
  readonly family: string;
  readonly name: string;
  /** The kernel ignores its chains (flag `dormant`). Default false. */
  readonly isDormant?: true;
}

/** A message for one request, to be sent with {@link NftSocket.requestAtOnce} or {@link NftSocket.listAtOnce}. */
export function encodeNftRequest(
  what: NftMessage,
  attributes: readonly Attribute[],
  family: number,
  flags = 0,
): Buffer {
  const payload = encodeAttributes(attributes, Buffer.of(family, 0, 0, 0));
  return encodeMessages([{ type: nftMessageType(what), flags, payload }], 0, 0);
}

/**
 * Prepares lookups with a socket that answers at once. The socket is closed when that fails.
 *
 * @returns undefined when synchronous requests are not supported (without the package `koffi`).
 * @throws NftError when the kernel refuses, NetlinkError when no socket can be opened, and what `prepare` throws.
 */
export async function withSynchronousSocket<Lookup>(
  options: NetlinkSocketOptions,
  prepare: (socket: NftSocket) => Lookup | Promise<Lookup>,
): Promise<Lookup | undefined> {
  const socket = new NftSocket(options);
  try {
    await socket.generation();
    if (socket.isAnsweredAtOnce) {
      return await prepare(socket);
    }
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.close();
  return undefined;
}

/**
 * Consistent lists while other processes commit all the time. The kernel marks a list as interrupted (NLM_F_DUMP_INTR)
 * when any table changed during it, also another one. So a list is also accepted when it is the same twice in a row: the
 * handle of a rule is never used again, so every rule in it existed between the two.
 *
 * Synchronous, so that this process does not change the ruleset during a list.
 */
export class NftConsistentLists {
  readonly #generation = encodeNftRequest('getGeneration', [], NFPROTO_UNSPEC);

  /** @param socket answers at once ({@link NftSocket.isAnsweredAtOnce}). */
  constructor(private readonly socket: NftSocket) {}

  /**
   * The number of the current generation of the ruleset, which each commit increments.
   *
   * @throws NftError when the kernel refuses.
   */
  generation(): number {
    let generation = 0;
    const errno = this.socket.requestAtOnce(this.#generation, (payload) => {
      const at = findAttribute(payload, NFTA_GENERATION.id, NFT_MESSAGE_HEAD, payload.length);
      generation = at < 0 ? 0 : payload.readUInt32BE(at + 4);
    });
    if (errno !== 0) {
      throw refusedToList(errno);
    }
    return generation;
  }

  /**
   * All tables, of all families. Unlike this, `nft list tables` reads all elements of all tables.
   *
   * @throws NftError when the kernel refuses, or the list changes all the time.
   */
  tables(): readonly NftTableName[] {
    let tables: NftTableName[] = [];
    this.list(encodeNftRequest('getTable', [], NFPROTO_UNSPEC, NETLINK_FLAGS.dump), () => {
      tables = [];
      return (payload) => {
        const family = FAMILY_NAMES.get(payload[0] ?? 0);
        const attributes = messageAttributes(payload);
        const name = asText(attributes.get(NFTA_TABLE.name));
        if (family !== undefined) {
          const isDormant = (asBe32(attributes.get(NFTA_TABLE.flags)) & NFT_TABLE_FLAGS.dormant) !== 0;
          tables.push({ family, name, ...(isDormant ? { isDormant } : {}) });
        }
        return `${family} ${name}`;
      };
    });
    return tables;
  }

  /**
   * The number of a table, which no other table ever has: one that was deleted and created again has another number.
   *
   * @returns undefined when it does not exist.
   * @throws NftError when the kernel refuses.
   */
  tableHandle(family: number, table: string): bigint | undefined {
    let handle: bigint | undefined;
    const request = encodeNftRequest('getTable', [{ type: NFTA_TABLE.name, value: cString(table) }], family);
    const errno = this.socket.requestAtOnce(request, (payload) => {
      handle = numberOf(payload, NFTA_TABLE.handle);
    });
    if (errno !== 0 && errno !== ENOENT) {
      throw refusedToList(errno);
    }
    return handle;
  }

  /**
   * The rules of one chain; none when it does not exist.
   *
   * @param begin called for each attempt; the result receives each message, which is valid during the call only, and
   * the handle of its rule.
   * @throws NftError when the kernel refuses, or the chain changes all the time.
   */
  rules(family: number, table: string, chain: string, begin: () => (payload: Buffer, handle: bigint) => void): void {
    finish(this.rulesInSlices(family, table, chain, begin));
  }

  /** {@link rules} that can pause. See {@link NftSocket.listInSlices}. */
  *rulesInSlices(
    family: number,
    table: string,
    chain: string,
    begin: () => (payload: Buffer, handle: bigint) => void,
  ): Generator<undefined, void> {
    const request = encodeNftRequest(
      'getRule',
      [
        { type: NFTA_RULE.table, value: cString(table) },
        { type: NFTA_RULE.chain, value: cString(chain) },
      ],
      family,
      NETLINK_FLAGS.dump,
    );
    yield* this.#listInSlices(
      request,
      () => {
        const take = begin();
        let before = 0n;
        return (payload) => {
          const handle = numberOf(payload, NFTA_RULE.handle) ?? 0n;
          take(payload, handle);
          // The rule before it, if this is not the first: another one was left out, or listed twice, when it is not the
          // last one.
          const isLinked = (numberOf(payload, NFTA_RULE.position) ?? before) === before;
          before = handle;
          return isLinked ? handle : undefined;
        };
      },
      `chain ${chain} of table ${table}`,
    );
  }

  /**
   * Repeats a list until it is consistent.
   *
   * @param begin called for each attempt; the result returns the identity of each object, which has the same content for
   * its lifetime. Undefined: the list has a gap, so it is consistent only if it was not interrupted.
   * @param what for the message of the error.
   * @throws NftError
   */
  list(
    request: Buffer,
    begin: () => (payload: Buffer) => string | bigint | undefined,
    what = 'the ruleset of nf_tables',
  ): void {
    finish(this.#listInSlices(request, begin, what));
  }

  *#listInSlices(
    request: Buffer,
    begin: () => (payload: Buffer) => string | bigint | undefined,
    what: string,
  ): Generator<undefined, void> {
    let before: (string | bigint | undefined)[] | undefined;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const take = begin();
      const ids: (string | bigint | undefined)[] = [];
      const { errno, isInterrupted } = yield* this.socket.listInSlices(request, (payload) => ids.push(take(payload)));
      if (errno !== 0 && errno !== ENOENT) {
        throw refusedToList(errno);
      }
      if (!isInterrupted || isSame(ids, before)) {
        return;
      }
      before = ids;
    }
    throw new NftError('NFT_FAILED', `${what} changed during each of ${MAX_ATTEMPTS} attempts to read it; try again`);
  }
}

/** The identity of a chain in a list of all: its handle is unique in its table. */
export function chainIdentity(payload: Buffer): string {
  const attributes = messageAttributes(payload);
  const handle = numberOf(payload, NFTA_CHAIN.handle);
  return `${asText(attributes.get(NFTA_CHAIN.table))} ${handle} ${asBe32(attributes.get(NFTA_CHAIN.policy))}`;
}

function isSame(
  ids: readonly (string | bigint | undefined)[],
  before: readonly (string | bigint | undefined)[] | undefined,
): boolean {
  return before?.length === ids.length && ids.every((id, index) => id !== undefined && id === before[index]);
}

function numberOf(payload: Buffer, type: number): bigint | undefined {
  const at = findAttribute(payload, type, NFT_MESSAGE_HEAD, payload.length);
  return at < 0 ? undefined : payload.readBigUInt64BE(at + 4);
}
