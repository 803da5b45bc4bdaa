import { messageOf } from '@kube-proxier/core';
import { align, readU16, readU32, writeU16, writeU32 } from './attributes.js';
import {
  NETLINK_FLAGS,
  NETLINK_PROTOCOLS,
  type Netlink,
  type NetlinkAnswer,
  type NetlinkProtocol,
  type NetlinkRequest,
} from './netlink.js';
import { NetlinkError, NetlinkRefused } from './netlink-error.js';

/** Requests that are under way at one time: what they answer must fit into the socket's buffer. */
export const MOST_IN_FLIGHT = 100;
/** Milliseconds after which an answer counts as lost. */
const TIMEOUT = 20_000;
const MOST_BYTES = 64 * 1024;
const HEADER = 16;
const ERROR = 2;
const DONE = 3;

/** The part of the `netlink` package that is used. */
interface RawSocket {
  on(event: 'message' | 'truncatedMessage', listener: (message: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  send(message: Uint8Array, options: undefined, callback: (error?: Error) => void): void;
  ref(): void;
  unref(): void;
  close(): void;
}

export interface NetlinkSocketOptions {
  /** Size in bytes of the buffer for answers, where the kernel's default does not do. */
  readonly receiveBuffer?: number;
  /** Milliseconds after which an answer counts as lost. Default 20000. */
  readonly timeout?: number;
}

/** What is asked now, and what has come of it. */
interface Exchange {
  readonly first: number;
  readonly last: number;
  readonly answers: NetlinkAnswer[];
  /** By sequence number. */
  readonly errors: Map<number, number>;
  /** The answer is one message, without an end that says so. */
  readonly dump: boolean;
  done(): void;
  fail(error: NetlinkError): void;
}

/**
 * {@link Netlink} over the `netlink` package. It is loaded, and its socket opened, with the first request; a socket that
 * lost an answer is replaced by a new one. An open socket keeps no process alive unless a request is under way.
 */
export class NetlinkSocket implements Netlink {
  #socket: RawSocket | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #exchange: Exchange | undefined;
  #sequence = 1;
  #closed = false;

  constructor(
    private readonly protocol: NetlinkProtocol,
    private readonly options: NetlinkSocketOptions = {},
  ) {}

  execute(requests: readonly NetlinkRequest[]): Promise<readonly number[]> {
    return this.#inTurn(async () => {
      const results: number[] = [];
      while (results.length < requests.length) {
        const batch = takeBatch(requests, results.length);
        const { first, errors } = await this.#converse(batch, NETLINK_FLAGS.ack, false);
        results.push(...batch.map((_request, index) => errors.get(first + index) ?? 0));
      }
      return results;
    });
  }

  ask(request: NetlinkRequest): Promise<readonly NetlinkAnswer[]> {
    return this.#inTurn(async () => {
      const dump = (request.flags & NETLINK_FLAGS.dump) === NETLINK_FLAGS.dump;
      const { first, errors, answers } = await this.#converse([request], dump ? 0 : NETLINK_FLAGS.ack, dump);
      const errno = errors.get(first) ?? 0;
      if (errno !== 0) {
        throw new NetlinkRefused(errno, `answer (netlink ${this.protocol}, message type ${request.type})`);
      }
      return answers;
    });
  }

  close(): void {
    this.#closed = true;
    this.#drop(new NetlinkError('NETLINK_CLOSED', 'the netlink socket was closed'));
  }

  /** One thing after another: then what comes in belongs to what was asked last. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  /**
   * Sends messages in one go. Only the last asks for an acknowledgement; since the kernel works through them in their
   * order, that one says that all others are through, and only errors of theirs come by themselves.
   */
  async #converse(requests: readonly NetlinkRequest[], lastFlags: number, dump: boolean): Promise<Exchange> {
    const socket = await this.#open();
    const first = this.#sequence;
    this.#sequence = first + requests.length > 0x7fff_0000 ? 1 : first + requests.length;
    const message = encodeMessages(requests, first, lastFlags);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Exchange>((resolve, reject) => {
        const exchange: Exchange = {
          first,
          last: first + requests.length - 1,
          answers: [],
          errors: new Map(),
          dump,
          done: () => resolve(exchange),
          fail: reject,
        };
        this.#exchange = exchange;
        timer = setTimeout(() => this.#drop(lost('no answer came in time')), this.options.timeout ?? TIMEOUT);
        socket.ref();
        socket.send(message, undefined, (error) => {
          if (error !== undefined && this.#exchange === exchange) {
            this.#drop(lost(`a request could not be sent: ${messageOf(error)}`, error));
          }
        });
      });
    } finally {
      clearTimeout(timer);
      this.#exchange = undefined;
      this.#socket?.unref();
    }
  }

  async #open(): Promise<RawSocket> {
    if (this.#closed) {
      throw new NetlinkError('NETLINK_CLOSED', 'the netlink socket was closed');
    }
    if (this.#socket === undefined) {
      let socket: RawSocket;
      try {
        // A native addon: loaded only where it is used.
        const { RawNetlinkSocket } = await import('netlink');
        socket = new RawNetlinkSocket(NETLINK_PROTOCOLS[this.protocol]) as unknown as RawSocket;
        const { receiveBuffer } = this.options;
        if (receiveBuffer !== undefined) {
          (socket as unknown as { setRecvBufferSize(size: number): void }).setRecvBufferSize(receiveBuffer);
        }
      } catch (error) {
        throw new NetlinkError(
          'NETLINK_UNAVAILABLE',
          `netlink (${this.protocol}) cannot be used here: ${messageOf(error)}`,
          { cause: error },
        );
      }
      socket.on('message', (message) => this.#receive(socket, message));
      socket.on('truncatedMessage', () => this.#lose(socket, 'an answer was cut short'));
      socket.on('error', (error) => this.#lose(socket, messageOf(error), error));
      socket.unref();
      this.#socket = socket;
    }
    return this.#socket;
  }

  #lose(socket: RawSocket, why: string, cause?: unknown): void {
    if (socket === this.#socket) {
      this.#drop(lost(why, cause));
    }
  }

  /** Gives the socket up, with whatever is still in it. */
  #drop(error: NetlinkError): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#exchange?.fail(error);
  }

  #receive(socket: RawSocket, datagram: Buffer): void {
    const exchange = this.#exchange;
    if (socket !== this.#socket || exchange === undefined) {
      return;
    }
    for (let at = 0; at + HEADER <= datagram.length; ) {
      const length = readU32(datagram, at);
      if (length < HEADER || at + length > datagram.length) {
        this.#drop(lost('an answer could not be read'));
        return;
      }
      const header = {
        type: readU16(datagram, at + 4),
        flags: readU16(datagram, at + 6),
        sequence: readU32(datagram, at + 8),
      };
      this.#take(exchange, header, datagram.subarray(at + HEADER, at + length));
      at += align(length);
    }
  }

  #take(
    exchange: Exchange,
    { type, flags, sequence }: { type: number; flags: number; sequence: number },
    payload: Buffer,
  ): void {
    if (sequence < exchange.first || sequence > exchange.last) {
      return;
    }
    if ((flags & NETLINK_FLAGS.dumpInterrupted) !== 0) {
      this.#drop(lost('what was being listed changed meanwhile'));
      return;
    }
    if (type === ERROR || (type === DONE && exchange.dump)) {
      const errno = payload.length >= 4 ? -(readU32(payload, 0) | 0) : 0;
      if (errno > 0) {
        exchange.errors.set(sequence, errno);
      }
      if (sequence === exchange.last) {
        exchange.done();
      }
      return;
    }
    exchange.answers.push({ type, payload });
  }
}

function lost(why: string, cause?: unknown): NetlinkError {
  return new NetlinkError(
    'NETLINK_LOST',
    `an answer of the kernel was lost (${why}); what is there has to be read back`,
    cause === undefined ? {} : { cause },
  );
}

function takeBatch(requests: readonly NetlinkRequest[], from: number): readonly NetlinkRequest[] {
  let bytes = 0;
  let end = from;
  while (end < requests.length && end - from < MOST_IN_FLIGHT) {
    bytes += HEADER + align((requests[end] as NetlinkRequest).payload.length);
    if (end > from && bytes > MOST_BYTES) {
      break;
    }
    end++;
  }
  return requests.slice(from, end);
}

function encodeMessages(requests: readonly NetlinkRequest[], first: number, lastFlags: number): Buffer {
  const length = requests.reduce((sum, { payload }) => sum + HEADER + align(payload.length), 0);
  const buffer = Buffer.alloc(length);
  let at = 0;
  for (const [index, { type, flags, payload }] of requests.entries()) {
    const isLast = index === requests.length - 1;
    writeU32(buffer, HEADER + payload.length, at);
    writeU16(buffer, type, at + 4);
    writeU16(buffer, flags | NETLINK_FLAGS.request | (isLast ? lastFlags : 0), at + 6);
    writeU32(buffer, first + index, at + 8);
    buffer.set(payload, at + HEADER);
    at += HEADER + align(payload.length);
  }
  return buffer;
}
