import { align, findAttribute, readU16, readU32, u32, writeU32 } from '../../netlink/attributes.js';
import { type Libc, loadLibc } from '../../netlink/libc.js';
import { NETLINK_FLAGS, type NetlinkAnswer } from '../../netlink/netlink.js';
import { errnoName, NetlinkError, NetlinkRefused } from '../../netlink/netlink-error.js';
import { type NetlinkSocketOptions, openSocket, unavailable } from '../../netlink/open-socket.js';
import { encodeMessages, HEADER, MAX_BYTES } from '../../netlink/request-batches.js';
import { encodeNftTransaction, type NftEncodedTransaction } from './encode-transaction.js';
import { NFT_MESSAGE_HEAD, NFTA_GENERATION, nftMessageType } from './nf-tables.js';

/** An error that the kernel reported for a message. */
export interface NftKernelError {
  /** Index of the message. */
  readonly message: number;
  /** Positive error number. */
  readonly errno: number;
  /** Position in the message of the attribute that caused it; undefined where the kernel does not say. */
  readonly offset: number | undefined;
  /** The explanation of the kernel; undefined without one. */
  readonly text: string | undefined;
}

/** What became of a transaction. */
export interface NftBatchOutcome {
  /** In order. None: everything is in force. */
  readonly errors: readonly NftKernelError[];
  /** The generation of the ruleset that it led to; undefined where it changed nothing. */
  readonly generation: number | undefined;
}

/** Milliseconds after which an answer counts as lost. */
const TIMEOUT = 20_000;
const MSG_TRUNC = 0x20;
const [ERROR, DONE] = [2, 3];
const [EPERM, EINTR, EAGAIN, EMSGSIZE] = [1, 4, 11, 90];
const SOL_SOCKET = 1;
const SO_SNDBUFFORCE = 32;
const SO_RCVBUFFORCE = 33;
const SO_SNDBUF = 7;
const SOL_NETLINK = 270;
const NETLINK_CAP_ACK = 10;
const NETLINK_EXT_ACK = 11;
/** Bit in the flags of an error message: attributes follow. */
const HAS_ATTRIBUTES = 0x200;
const IS_CAPPED = 0x100;
const ACK_ATTRIBUTES = { text: 1, offset: 2 } as const;
/** Bytes of errors and other answers to one transaction. */
const RECEIVE_BUFFER = 8 * 1024 * 1024;
/** Bytes that are sent at once, and without a larger buffer. */
const SEND_BUFFER = 128 * 1024;

/**
 * The netlink socket of one user of nf_tables. The kernel carries out a request while it is sent, so its answer is
 * available when sending returns. Tables with the flag `owner` belong to the socket: it stays open until {@link close},
 * whatever is refused or lost.
 *
 * Calls must not overlap.
 */
export class NftSocket {
  readonly #buffer = Buffer.alloc(MAX_BYTES);
  #fd: number | undefined;
  #libc: Libc | undefined;
  #portId = 0;
  #sequence = 1;
  #sendBuffer = SEND_BUFFER;
  #closed = false;

  constructor(private readonly options: NetlinkSocketOptions = {}) {}

  /** The number by which notifications name the socket; 0 before the first call. */
  get portId(): number {
    return this.#portId;
  }

  /**
   * Sends a transaction.
   *
   * @throws NetlinkError `NETLINK_LOST` when the outcome is not known.
   */
  async send({ bytes, messages }: NftEncodedTransaction): Promise<NftBatchOutcome> {
    const { libc, fd } = await this.#open();
    const first = this.#take(messages.length + 1);
    for (const [index, { start }] of messages.entries()) {
      writeU32(bytes, first + index, start + 8);
    }
    this.#provideBuffer(libc, fd, bytes.length);
    await this.#deliver(libc, fd, bytes);
    const errors = new Map<number, NftKernelError>();
    let generation: number | undefined;
    // An answer to this comes after all errors of the transaction.
    const last = first + messages.length;
    this.#sendAll(libc, fd, encodeMessages([generationRequest()], last, 0));
    await this.#receiveUntil(libc, fd, (type, sequence, message) => {
      if (sequence < first || sequence > last) {
        return false;
      }
      if (sequence === last) {
        return true;
      }
      if (type === nftMessageType('newGeneration')) {
        generation = generationOf(message.subarray(HEADER));
      }
      const error = type === ERROR ? readError(message, sequence - first) : undefined;
      if (error !== undefined && !errors.has(error.message)) {
        errors.set(error.message, error);
      }
      return false;
    });
    return { errors: [...errors.values()].sort((a, b) => a.message - b.message), generation };
  }

  /**
   * The number of the current generation of the ruleset.
   *
   * @throws NetlinkRefused
   */
  async generation(): Promise<number> {
    let generation = 0;
    const { errno } = await this.request(generationRequest(), ({ payload }) => {
      generation = generationOf(payload);
    });
    if (errno !== 0) {
      throw new NetlinkRefused(errno, 'name the generation of the ruleset of nf_tables');
    }
    return generation;
  }

  /**
   * The number of the current generation of the ruleset, once all notifications of what led to it have been sent. The
   * kernel counts before it notifies, and carries out one transaction after the other: this waits for one without content.
   *
   * @throws NetlinkRefused
   */
  async settledGeneration(): Promise<number> {
    const generation = await this.generation();
    await this.send(encodeNftTransaction({ family: 'ip', table: '', commands: [] }, { typesOf: () => undefined }));
    return generation;
  }

  /**
   * Requests one object or a list (flag `dump`). The event loop runs between pieces of a list.
   *
   * @returns 0, or the positive error number of a refusal; and whether the ruleset changed during a list.
   */
  async request(
    request: { readonly type: number; readonly flags: number; readonly payload: Uint8Array },
    take: (answer: NetlinkAnswer) => void,
  ): Promise<{ readonly errno: number; readonly isInterrupted: boolean }> {
    const { libc, fd } = await this.#open();
    const sequence = this.#take(1);
    const isDump = (request.flags & NETLINK_FLAGS.dump) === NETLINK_FLAGS.dump;
    let errno = 0;
    let isInterrupted = false;
    this.#sendAll(libc, fd, encodeMessages([request], sequence, isDump ? 0 : NETLINK_FLAGS.ack));
    await this.#receiveUntil(libc, fd, (type, found, message) => {
      if (found !== sequence) {
        return false;
      }
      isInterrupted ||= (readU16(message, 6) & NETLINK_FLAGS.dumpInterrupted) !== 0;
      if (type === ERROR || type === DONE) {
        errno = type === ERROR ? (readError(message, 0)?.errno ?? 0) : errno;
        return true;
      }
      take({ type, payload: message.subarray(HEADER) });
      return false;
    });
    return { errno, isInterrupted };
  }

  /** Gives up the tables that belong to the socket. Idempotent. */
  close(): void {
    this.#closed = true;
    if (this.#fd !== undefined) {
      this.#libc?.close(this.#fd);
      this.#fd = undefined;
    }
  }

  async #open(): Promise<{ readonly libc: Libc; readonly fd: number }> {
    if (this.#closed) {
      throw new NetlinkError('NETLINK_CLOSED', 'the netlink socket was closed');
    }
    try {
      const libc = await loadLibc();
      if (this.#fd === undefined) {
        const fd = openSocket(libc, 'netfilter', this.options);
        this.#libc = libc;
        this.#fd = fd;
        // Older kernels know less, and explain less.
        for (const option of [NETLINK_CAP_ACK, NETLINK_EXT_ACK]) {
          libc.setsockopt(fd, SOL_NETLINK, option, u32(1), 4);
        }
        // Beyond the limit for all sockets, where that is permitted.
        libc.setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, u32(RECEIVE_BUFFER), 4);
        const address = Buffer.alloc(12);
        libc.getsockname(fd, address, u32(address.length));
        this.#portId = readU32(address, 4);
      }
      return { libc, fd: this.#fd };
    } catch (error) {
      throw unavailable('netfilter', error);
    }
  }

  /** @returns the first of that many sequence numbers. */
  #take(count: number): number {
    if (this.#sequence + count > 0x7fff_0000) {
      this.#sequence = 1;
    }
    const first = this.#sequence;
    this.#sequence += count;
    return first;
  }

  /** A transaction is sent in one piece. The limit for all sockets does not hold for those with `CAP_NET_ADMIN`. */
  #provideBuffer(libc: Libc, fd: number, length: number): void {
    if (length <= this.#sendBuffer) {
      return;
    }
    const size = u32(length + MAX_BYTES);
    if (libc.setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, size, size.length) < 0) {
      libc.setsockopt(fd, SOL_SOCKET, SO_SNDBUF, size, size.length);
    }
    this.#sendBuffer = length;
  }

  /** Large transactions take the kernel up to a second, in which this process does other things. */
  async #deliver(libc: Libc, fd: number, bytes: Buffer): Promise<void> {
    if (bytes.length > SEND_BUFFER && (await libc.sendInBackground(fd, bytes, bytes.length, 0)) >= 0) {
      return;
    }
    this.#sendAll(libc, fd, bytes);
  }

  #sendAll(libc: Libc, fd: number, bytes: Buffer): void {
    while (libc.send(fd, bytes, bytes.length, 0) < 0) {
      const errno = libc.errno();
      if (errno === EMSGSIZE) {
        throw new NetlinkError(
          'NETLINK_REFUSED',
          `${bytes.length} bytes are too many for one transaction here; raise the sysctl net.core.wmem_max`,
        );
      }
      if (errno !== EINTR) {
        throw lost(`sending failed with ${errnoName(errno)}`);
      }
    }
  }

  /** Receives messages until one is the last. */
  async #receiveUntil(
    libc: Libc,
    fd: number,
    isLast: (type: number, sequence: number, message: Buffer) => boolean,
  ): Promise<void> {
    const timeout = this.options.timeout ?? TIMEOUT;
    let deadline = performance.now() + timeout;
    for (;;) {
      const length = libc.recv(fd, this.#buffer, this.#buffer.length, MSG_TRUNC);
      if (length < 0) {
        const errno = libc.errno();
        if (errno === EAGAIN) {
          if (performance.now() > deadline) {
            throw lost('none came in time');
          }
          // Current kernels have answered by now.
          await new Promise((resolve) => setTimeout(resolve, 1));
        } else if (errno !== EINTR) {
          throw lost(errnoName(errno));
        }
        continue;
      }
      if (length > this.#buffer.length) {
        throw lost('it was cut short');
      }
      let isMulti = false;
      for (let at = 0; at + HEADER <= length; ) {
        const size = readU32(this.#buffer, at);
        if (size < HEADER || at + size > length) {
          throw lost('it could not be read');
        }
        const message = this.#buffer.subarray(at, at + size);
        isMulti ||= (readU16(message, 6) & NETLINK_FLAGS.multi) !== 0;
        if (isLast(readU16(message, 4), readU32(message, 8), message)) {
          return;
        }
        at += align(size);
      }
      if (isMulti) {
        await new Promise((resolve) => setImmediate(resolve));
        deadline = performance.now() + timeout;
      }
    }
  }
}

function generationOf(payload: Buffer): number {
  const at = findAttribute(payload, NFTA_GENERATION.id, NFT_MESSAGE_HEAD, payload.length);
  return at < 0 ? 0 : payload.readUInt32BE(at + 4);
}

function generationRequest() {
  return { type: nftMessageType('getGeneration'), flags: 0, payload: Buffer.alloc(4) };
}

/** @returns undefined for a confirmation. */
function readError(message: Buffer, index: number): NftKernelError | undefined {
  const errno = message.length >= HEADER + 4 ? -(readU32(message, HEADER) | 0) : 0;
  if (errno <= 0) {
    return undefined;
  }
  const flags = readU16(message, 6);
  const original = message.length >= HEADER + 8 ? readU32(message, HEADER + 4) : HEADER;
  const start = HEADER + 4 + ((flags & IS_CAPPED) === 0 ? align(original) : HEADER);
  const find = (type: number) =>
    (flags & HAS_ATTRIBUTES) === 0 ? -1 : findAttribute(message, type, start, message.length);
  const [text, offset] = [find(ACK_ATTRIBUTES.text), find(ACK_ATTRIBUTES.offset)];
  return {
    ...{ message: index, errno },
    offset: offset < 0 ? undefined : readU32(message, offset + 4),
    text: text < 0 ? undefined : message.toString('latin1', text + 4, text + readU16(message, text) - 1),
  };
}

/** Whether the process may not do this at all. */
export function isNotPermitted({ errno }: NftKernelError): boolean {
  return errno === EPERM;
}

function lost(why: string): NetlinkError {
  return new NetlinkError('NETLINK_LOST', `an answer of the kernel was lost (${why}); read back the current state`);
}
