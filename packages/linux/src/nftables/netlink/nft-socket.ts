import { finish } from '@kube-proxier/core';
import { align, findAttribute, readU16, readU32, writeU16, writeU32 } from '../../netlink/attributes.js';
import type { DatagramSocket } from '../../netlink/datagram-socket.js';
import { NETLINK_FLAGS, type NetlinkAnswer } from '../../netlink/netlink.js';
import { NetlinkError, NetlinkRefused } from '../../netlink/netlink-error.js';
import { openDatagramSocket } from '../../netlink/open-datagram-socket.js';
import { lostAnswer, type NetlinkSocketOptions, type NetlinkTransport, tooLarge } from '../../netlink/open-socket.js';
import { ANSWER_SIZE, encodeMessages, HEADER, refusalSize } from '../../netlink/request-batches.js';
import { encodeNftTransaction, type NftEncodedMessage, type NftEncodedTransaction } from './encode-transaction.js';
import { NFT_MESSAGE_HEAD, NFTA_GENERATION, nftMessageType } from './nf-tables.js';

/** An error that the kernel reported for a message. */
export interface NftKernelError {
  /** Index of the message. */
  readonly message: number;
  /** Positive error number. */
  readonly errno: number;
  /** Offset in the message of the attribute that caused it; undefined when the kernel does not report it. */
  readonly offset: number | undefined;
  /** The extended ACK message of the kernel; undefined without one. */
  readonly text: string | undefined;
}

/** The outcome of a transaction. */
export interface NftBatchOutcome {
  /** Errors in order. Empty: committed. */
  readonly errors: readonly NftKernelError[];
  /** The resulting generation of the ruleset; undefined when nothing changed. */
  readonly generation: number | undefined;
}

/** Milliseconds after which an answer counts as lost. */
const TIMEOUT = 20_000;
const [ERROR, DONE] = [2, 3];
const EPERM = 1;
/** Bit in the flags of an error message: attributes follow. */
const HAS_ATTRIBUTES = 0x200;
const IS_CAPPED = 0x100;
const ACK_ATTRIBUTES = { text: 1, offset: 2 } as const;
const ADVICE = 'install the package koffi, or use the program nft';
/** Buffer size in bytes for the errors and other answers to one transaction. */
const RECEIVE_BUFFER = 8 * 1024 * 1024;

/**
 * The netlink socket of one user of nf_tables. The kernel processes a request while it is sent, so its answer is
 * available when sending returns. Tables with the flag `owner` belong to the socket: it stays open until {@link close},
 * also after refused requests or lost answers.
 *
 * Calls must not overlap.
 */
export class NftSocket {
  #socket: DatagramSocket | undefined;
  #sequence = 1;
  #closed = false;

  constructor(private readonly options: NetlinkSocketOptions = {}) {}

  /** The port id, which identifies the socket in notifications; 0 before the first call. */
  get portId(): number {
    return this.#socket?.portId ?? 0;
  }

  /**
   * Whether {@link requestAtOnce} can be called: after another call has opened the socket, if the transport supports
   * it.
   */
  get isAnsweredAtOnce(): boolean {
    return this.#socket?.isAnsweredAtOnce ?? false;
  }

  /** The package that has opened the socket; undefined before the first call. */
  get transport(): NetlinkTransport | undefined {
    return this.#socket?.transport;
  }

  /**
   * Sends a transaction, also a small one from a thread, if the transport supports it: the kernel processes the transactions of
   * all programs in turn, and one of a firewall can take a second.
   *
   * @throws NetlinkError `NETLINK_LOST` when the outcome is not known.
   */
  async send(transaction: NftEncodedTransaction): Promise<NftBatchOutcome> {
    const socket = await this.#open();
    if (socket.capacity === undefined) {
      return this.#exchange(socket, transaction);
    }
    stopUnboundedAnswer(transaction);
    const outcome = await this.#checkInParts(socket, transaction, socket.capacity);
    return outcome ?? this.#exchange(socket, transaction);
  }

  /**
   * The kernel refuses each message separately, and all refusals must fit into the buffer. A transaction with more
   * messages is validated in growing prefixes first: the kernel accepts the same prefix again in the same generation.
   *
   * @returns undefined when all refusals fit.
   */
  async #checkInParts(
    socket: DatagramSocket,
    { bytes, messages }: NftEncodedTransaction,
    capacity: number,
  ): Promise<NftBatchOutcome | undefined> {
    const size = ({ start }: NftEncodedMessage) => refusalSize(readU32(bytes, start));
    let room = capacity - 2 * ANSWER_SIZE;
    for (const [index, message] of messages.entries()) {
      room -= size(message);
      if (room < 0) {
        room = capacity - 2 * ANSWER_SIZE - size(message);
        if (room < 0 || index === 0) {
          throw tooLarge(bytes.length, ADVICE);
        }
        const beginning = { bytes: bytes.subarray(0, message.start), messages: messages.slice(0, index) };
        const outcome = await this.#exchange(socket, beginning);
        if (outcome.errors.length > 0) {
          return outcome;
        }
      }
    }
    return undefined;
  }

  async #exchange(socket: DatagramSocket, { bytes, messages }: NftEncodedTransaction): Promise<NftBatchOutcome> {
    const first = this.#take(messages.length + 1);
    for (let index = 0; index < messages.length; index++) {
      writeU32(bytes, first + index, (messages[index] as NftEncodedMessage).start + 8);
    }
    const answers = new BatchAnswers(first, first + messages.length);
    await socket.send(bytes, true);
    // The generation is the last answer to a committed transaction. Without it, the number of answers is unknown.
    if (socket.isAnsweredAtOnce && answers.receive(socket)) {
      return answers.outcome;
    }
    // The answer to this request follows all errors of the transaction.
    await socket.send(encodeMessages([generationRequest()], answers.end, 0));
    await this.#receiveUntil(socket, (_type, sequence, message) => {
      answers.take(message, 0, message.length);
      return sequence === answers.end;
    });
    return answers.outcome;
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
   * The current generation of the ruleset, after all of its notifications were sent. The kernel increments the
   * generation before it notifies, and serializes transactions: this waits for an empty transaction.
   *
   * @throws NetlinkRefused
   */
  async settledGeneration(): Promise<number> {
    const generation = await this.generation();
    await this.send(encodeNftTransaction({ family: 'ip', table: '', commands: [] }, { typesOf: () => undefined }));
    return generation;
  }

  /**
   * Requests one object or a list (flag `dump`). The event loop runs between parts of a list.
   *
   * @returns 0, or the positive error number of a refusal; and whether the ruleset changed during a list.
   */
  async request(
    request: { readonly type: number; readonly flags: number; readonly payload: Uint8Array },
    take: (answer: NetlinkAnswer) => void,
  ): Promise<{ readonly errno: number; readonly isInterrupted: boolean }> {
    const socket = await this.#open();
    const sequence = this.#take(1);
    const isDump = (request.flags & NETLINK_FLAGS.dump) === NETLINK_FLAGS.dump;
    let errno = 0;
    let isInterrupted = false;
    await socket.send(encodeMessages([request], sequence, isDump ? 0 : NETLINK_FLAGS.ack));
    await this.#receiveUntil(socket, (type, found, message) => {
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

  /**
   * Requests one object, and receives it synchronously.
   *
   * @param request a message without the flags `ack` and `dump`; its sequence number is set.
   * @returns 0, or the positive error number of a refusal.
   * @throws NetlinkError `NETLINK_LOST` when no answer is available at once, as without {@link isAnsweredAtOnce}.
   */
  requestAtOnce(request: Buffer, take: (payload: Buffer) => void): number {
    const socket = this.#socket;
    const sequence = this.#take(1);
    writeU32(request, sequence, 8);
    if (socket === undefined || !socket.sendAtOnce(request)) {
      throw lostAnswer('the socket does not answer at once');
    }
    while (socket.receive()) {
      const datagram = socket.received;
      for (let at = 0; at + HEADER <= datagram.length; ) {
        const size = sizeOfMessage(datagram, at);
        if (readU32(datagram, at + 8) === sequence) {
          const message = datagram.subarray(at, at + size);
          if (readU16(message, 4) === ERROR) {
            return readError(message, 0)?.errno ?? 0;
          }
          take(message.subarray(HEADER));
          return 0;
        }
        at += align(size);
      }
    }
    throw lostAnswer('none came at once');
  }

  /**
   * Requests a short list and receives it synchronously, as {@link requestAtOnce}.
   *
   * @param request a message with the flag `dump`; its sequence number is set.
   * @returns 0, or the positive error number of a refusal; and whether the ruleset changed during a list.
   * @throws NetlinkError `NETLINK_LOST` when its end is not available at once.
   */
  listAtOnce(
    request: Buffer,
    take: (payload: Buffer) => void,
  ): { readonly errno: number; readonly isInterrupted: boolean } {
    return finish(this.listInSlices(request, take));
  }

  /**
   * {@link listAtOnce} that can pause between parts of the list. There must be no other request in a pause, and no
   * other one after the list was abandoned.
   */
  *listInSlices(
    request: Buffer,
    take: (payload: Buffer) => void,
  ): Generator<undefined, { readonly errno: number; readonly isInterrupted: boolean }> {
    const socket = this.#socket;
    const sequence = this.#take(1);
    writeU32(request, sequence, 8);
    if (socket === undefined || !socket.sendAtOnce(request)) {
      throw lostAnswer('the socket does not answer at once');
    }
    let isInterrupted = false;
    while (socket.receive()) {
      const datagram = socket.received;
      for (let at = 0; at + HEADER <= datagram.length; ) {
        const size = sizeOfMessage(datagram, at);
        const message = datagram.subarray(at, at + size);
        at += align(size);
        if (readU32(message, 8) !== sequence) {
          continue;
        }
        isInterrupted ||= (readU16(message, 6) & NETLINK_FLAGS.dumpInterrupted) !== 0;
        const type = readU16(message, 4);
        if (type === ERROR || type === DONE) {
          return { errno: type === ERROR ? (readError(message, 0)?.errno ?? 0) : 0, isInterrupted };
        }
        take(message.subarray(HEADER));
      }
      yield;
    }
    throw lostAnswer('the end of a list did not come at once');
  }

  /** Releases the tables that the socket owns. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#socket?.close();
    this.#socket = undefined;
  }

  async #open(): Promise<DatagramSocket> {
    if (this.#closed) {
      throw new NetlinkError('NETLINK_CLOSED', 'the netlink socket was closed');
    }
    this.#socket ??= await openDatagramSocket('netfilter', {
      ...this.options,
      ...{ isExplaining: true, forcedReceiveBuffer: RECEIVE_BUFFER },
    });
    return this.#socket;
  }

  /** Reserves sequence numbers. @returns the first one. */
  #take(count: number): number {
    if (this.#sequence + count > 0x7fff_0000) {
      this.#sequence = 1;
    }
    const first = this.#sequence;
    this.#sequence += count;
    return first;
  }

  /** Receives messages until one is the last. */
  async #receiveUntil(
    socket: DatagramSocket,
    isLast: (type: number, sequence: number, message: Buffer) => boolean,
  ): Promise<void> {
    const timeout = this.options.timeout ?? TIMEOUT;
    let deadline = performance.now() + timeout;
    for (;;) {
      if (!socket.receive()) {
        if (performance.now() > deadline) {
          throw lostAnswer('none came in time');
        }
        await socket.arrival();
        continue;
      }
      const datagram = socket.received;
      let isMulti = false;
      for (let at = 0; at + HEADER <= datagram.length; ) {
        const size = sizeOfMessage(datagram, at);
        const message = datagram.subarray(at, at + size);
        isMulti ||= (readU16(message, 6) & NETLINK_FLAGS.multi) !== 0;
        if (isLast(readU16(message, 4), readU32(message, 8), message)) {
          return;
        }
        at += align(size);
      }
      if (isMulti) {
        await socket.othersTurn();
        deadline = performance.now() + timeout;
      }
    }
  }
}

/** Collects the answers to a transaction. */
class BatchAnswers {
  #errors: Map<number, NftKernelError> | undefined;
  #generation: number | undefined;

  /**
   * @param first sequence number of its first message.
   * @param end the one after its last message.
   */
  constructor(
    private readonly first: number,
    readonly end: number,
  ) {}

  get outcome(): NftBatchOutcome {
    return {
      errors: this.#errors === undefined ? [] : [...this.#errors.values()].sort((a, b) => a.message - b.message),
      generation: this.#generation,
    };
  }

  /**
   * Receives available answers, up to the generation.
   *
   * @returns whether the generation was received: the answers are complete.
   */
  receive(socket: DatagramSocket): boolean {
    while (this.#generation === undefined && socket.receive()) {
      const datagram = socket.received;
      for (let at = 0; at + HEADER <= datagram.length; ) {
        const size = sizeOfMessage(datagram, at);
        this.take(datagram, at, size);
        at += align(size);
      }
    }
    return this.#generation !== undefined;
  }

  /** Records a message, if it is an answer to the transaction. */
  take(datagram: Buffer, at: number, size: number): void {
    const sequence = readU32(datagram, at + 8);
    if (sequence < this.first || sequence >= this.end) {
      return;
    }
    const type = readU16(datagram, at + 4);
    if (type === nftMessageType('newGeneration')) {
      this.#generation = generationIn(datagram, at + HEADER, at + size);
    } else if (type === ERROR) {
      const error = readError(datagram.subarray(at, at + size), sequence - this.first);
      this.#errors ??= new Map();
      if (error !== undefined && !this.#errors.has(error.message)) {
        this.#errors.set(error.message, error);
      }
    }
  }
}

/** @throws NetlinkError when the message is truncated. */
function sizeOfMessage(datagram: Buffer, at: number): number {
  const size = readU32(datagram, at);
  if (size < HEADER || at + size > datagram.length) {
    throw lostAnswer('it could not be read');
  }
  return size;
}

/** The kernel echoes the flush of a chain with all of its rules. */
function stopUnboundedAnswer({ bytes, messages: [, first] }: NftEncodedTransaction): void {
  if (first !== undefined && readU16(bytes, first.start + 4) === nftMessageType('deleteRule')) {
    writeU16(bytes, readU16(bytes, first.start + 6) & ~NETLINK_FLAGS.echo, first.start + 6);
  }
}

function generationOf(payload: Buffer): number {
  return generationIn(payload, 0, payload.length);
}

function generationIn(bytes: Buffer, start: number, end: number): number {
  const at = findAttribute(bytes, NFTA_GENERATION.id, start + NFT_MESSAGE_HEAD, end);
  return at < 0 ? 0 : bytes.readUInt32BE(at + 4);
}

function generationRequest() {
  return { type: nftMessageType('getGeneration'), flags: 0, payload: Buffer.alloc(4) };
}

/** @returns undefined for an acknowledgement. */
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

/** Whether the error is a missing permission. */
export function isNotPermitted({ errno }: NftKernelError): boolean {
  return errno === EPERM;
}
