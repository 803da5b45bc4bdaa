import type { Slices } from '@kube-proxier/core';
import { align, attributeEnd, findAttribute, readU16, readU32, u32 } from '../../netlink/attributes.js';
import { type Libc, loadLibc } from '../../netlink/libc.js';
import { errnoName, NetlinkError } from '../../netlink/netlink-error.js';
import { type NetlinkSocketOptions, openSocket, unavailable } from '../../netlink/open-socket.js';
import { HEADER, MAX_BYTES } from '../../netlink/request-batches.js';
import type { NftFamily } from '../nft-family.js';
import { NFT_FAMILIES, NFT_MESSAGE_HEAD, NFTA_GENERATION, NFTABLES_SUBSYSTEM, nftMessageType } from './nf-tables.js';

/** A transaction of another process, or of another socket of this process. */
export interface NftForeignTransaction {
  /** The generation of the ruleset that it led to. */
  readonly generation: number;
  /** The thread that sent it, which is the process for a program with one thread. */
  readonly pid: number | undefined;
  /** The name of the thread. */
  readonly program: string | undefined;
  /** The changed tables, as keys of {@link nftTableKey}. */
  readonly tables: ReadonlySet<string>;
}

/** The changes since the last read. */
export interface NftJournalEntries {
  /** In order. */
  readonly transactions: readonly NftForeignTransaction[];
  /** The generation that the last transaction led to, own ones included; undefined without any. */
  readonly generation: number | undefined;
  /** Some notifications were lost. */
  readonly missed: boolean;
}

/** Identifies a table. */
export function nftTableKey(family: NftFamily, table: string): string {
  return `${NFT_FAMILIES[family]} ${table}`;
}

/** Bit mask of `NFNLGRP_NFTABLES`. */
const GROUP = 1 << 6;
const RECEIVE_BUFFER = 8 * 1024 * 1024;
const MSG_TRUNC = 0x20;
const SOL_SOCKET = 1;
const SO_RCVBUFFORCE = 33;
const [EINTR, EAGAIN, ENOBUFS] = [4, 11, 105];
/** First attribute of all messages about tables and what is in them. */
const TABLE_NAME = 1;

/**
 * The changes of the ruleset in a network namespace, from the notifications of the kernel, which buffers them until
 * they are read. Each transaction is followed by its generation and process.
 */
export class NftJournal {
  readonly #buffer = Buffer.alloc(MAX_BYTES);
  #fd: number | undefined;
  #libc: Libc | undefined;
  #tables = new Set<string>();
  #isOwn = false;
  #generation: number | undefined;

  /** @param ownPortId port id of the socket whose transactions are excluded. */
  constructor(
    private readonly ownPortId: () => number,
    private readonly options: Pick<NetlinkSocketOptions, 'namespace' | 'receiveBuffer'> = {},
  ) {}

  get isOpen(): boolean {
    return this.#fd !== undefined;
  }

  /**
   * Subscribes. No effect when already subscribed.
   *
   * @returns whether it subscribed now.
   * @throws NetlinkError
   */
  async open(): Promise<boolean> {
    if (this.#fd !== undefined) {
      return false;
    }
    try {
      const libc = await loadLibc();
      this.#libc = libc;
      const { receiveBuffer = RECEIVE_BUFFER } = this.options;
      this.#fd ??= openSocket(libc, 'netfilter', { ...this.options, receiveBuffer }, GROUP);
      // Beyond the limit for all sockets, where that is permitted.
      const size = u32(receiveBuffer);
      libc.setsockopt(this.#fd, SOL_SOCKET, SO_RCVBUFFORCE, size, size.length);
      return true;
    } catch (error) {
      throw unavailable('netfilter', error);
    }
  }

  /**
   * Reads the notifications since the last call. Never waits for one. Yields after each datagram, so that a caller can pause: while the
   * kernel commits a large transaction of another socket, there may be as many as it has elements. Ends early when the journal is closed
   * during a pause.
   *
   * @throws NetlinkError when it must be reopened.
   */
  *readInSlices(): Slices<NftJournalEntries> {
    const [libc, fd] = [this.#libc, this.#fd];
    const transactions: NftForeignTransaction[] = [];
    let missed = false;
    this.#generation = undefined;
    while (libc !== undefined && fd !== undefined && this.#fd === fd) {
      const length = libc.recv(fd, this.#buffer, this.#buffer.length, MSG_TRUNC);
      if (length >= 0) {
        missed = length > this.#buffer.length || missed;
        this.#readDatagram(Math.min(length, this.#buffer.length), transactions);
        yield;
        continue;
      }
      const errno = libc.errno();
      if (errno === EAGAIN) {
        break;
      }
      if (errno === ENOBUFS) {
        missed = true;
        this.#discardPart();
      } else if (errno !== EINTR) {
        this.close();
        throw new NetlinkError('NETLINK_LOST', `listening to changes of nftables failed: ${errnoName(errno)}`);
      }
    }
    if (missed) {
      // The kernel reports the loss before the notifications that it has kept: the end of the last transaction may be lost.
      this.#discardPart();
    }
    return { transactions, generation: this.#generation, missed };
  }

  /** Forgets a transaction that was received in part. */
  #discardPart(): void {
    this.#tables = new Set();
    this.#isOwn = false;
  }

  /** Idempotent. */
  close(): void {
    if (this.#fd !== undefined) {
      this.#libc?.close(this.#fd);
      this.#fd = undefined;
      this.#discardPart();
    }
  }

  #readDatagram(length: number, transactions: NftForeignTransaction[]): void {
    const buffer = this.#buffer;
    for (let at = 0; at + HEADER <= length; ) {
      const size = readU32(buffer, at);
      if (size < HEADER || at + size > length) {
        return;
      }
      const type = readU16(buffer, at + 4);
      if (type === nftMessageType('newGeneration')) {
        this.#endTransaction(at + HEADER + NFT_MESSAGE_HEAD, at + size, transactions);
      } else if (type >> 8 === NFTABLES_SUBSYSTEM) {
        this.#isOwn ||= readU32(buffer, at + 12) === this.ownPortId();
        if (!this.#isOwn) {
          this.#noteTable(buffer[at + HEADER] ?? 0, at + HEADER + NFT_MESSAGE_HEAD, at + size);
        }
      }
      at += align(size);
    }
  }

  #noteTable(family: number, start: number, end: number): void {
    const at = findAttribute(this.#buffer, TABLE_NAME, start, end);
    if (at >= 0) {
      const name = this.#buffer.toString('latin1', at + 4, attributeEnd(this.#buffer, at) - 1);
      this.#tables.add(`${family} ${name}`);
    }
  }

  #endTransaction(start: number, end: number, transactions: NftForeignTransaction[]): void {
    const find = (type: number) => findAttribute(this.#buffer, type, start, end);
    const id = find(NFTA_GENERATION.id);
    const generation = id < 0 ? 0 : this.#buffer.readUInt32BE(id + 4);
    this.#generation = generation;
    if (!this.#isOwn) {
      const [pid, name] = [NFTA_GENERATION.processId, NFTA_GENERATION.processName].map(find);
      transactions.push({
        generation,
        pid: pid === undefined || pid < 0 ? undefined : this.#buffer.readUInt32BE(pid + 4),
        program:
          name === undefined || name < 0
            ? undefined
            : this.#buffer.toString('utf8', name + 4, attributeEnd(this.#buffer, name) - 1),
        tables: this.#tables,
      });
    }
    this.#tables = new Set();
    this.#isOwn = false;
  }
}
