import { align, readU16, readU32 } from './attributes.js';
import type { DatagramSocket } from './datagram-socket.js';
import {
  NETLINK_FLAGS,
  type Netlink,
  type NetlinkAnswer,
  type NetlinkProtocol,
  type NetlinkRequest,
} from './netlink.js';
import { NetlinkError, NetlinkRefused } from './netlink-error.js';
import { openDatagramSocket } from './open-datagram-socket.js';
import { lostAnswer, type NetlinkSocketOptions } from './open-socket.js';
import { encodeMessages, HEADER, MAX_IN_FLIGHT, nextBatch } from './request-batches.js';

/** Milliseconds after which an answer counts as lost. */
const TIMEOUT = 20_000;
const ERROR = 2;
const DONE = 3;

const EPERM = 1;

/** The pending requests, and their answers so far. */
interface Exchange {
  readonly first: number;
  readonly last: number;
  readonly dump: boolean;
  /** The buffer is reused. */
  readonly take: (answer: NetlinkAnswer, sequence: number) => void;
  /** By sequence number. */
  readonly errors: Map<number, number>;
  done: boolean;
}

/** Options for sending requests and handling answers. */
interface Conversation {
  /** Flags of the last request, in addition to its own. Default 0. */
  readonly lastFlags?: number;
  /** Default false. */
  readonly dump?: boolean;
  /** Runs between datagrams, and the event loop as well. Default: datagrams are read without a pause. */
  readonly between?: () => Promise<void> | undefined;
  /** Whether requests are sent from a thread. Default: large ones. */
  readonly inBackground?: boolean;
  /** Default: nothing. */
  readonly take?: Exchange['take'];
}

/**
 * {@link Netlink} by calls of the C library, or through the package `netlink` where the package `koffi`, which calls
 * it, cannot be loaded. The kernel processes a request while it is sent, so with the C library, its answer is available
 * when sending returns. Requests are sent in batches of at most {@link MAX_IN_FLIGHT}; the event loop runs between
 * batches. The socket is opened with the first request; a socket that lost an answer is replaced.
 */
export class NetlinkSocket implements Netlink {
  #socket: DatagramSocket | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #sequence = 1;
  #closed = false;

  constructor(
    private readonly protocol: NetlinkProtocol,
    private readonly options: NetlinkSocketOptions = {},
  ) {}

  async execute(
    requests: readonly NetlinkRequest[],
    { inBackground = false }: { readonly inBackground?: boolean } = {},
  ): Promise<readonly number[]> {
    const results: number[] = [];
    await this.#inBatches(requests, async (batch) => {
      const { first, errors } = await this.#converse(batch, { lastFlags: NETLINK_FLAGS.ack, inBackground });
      results.push(...batch.map((_request, index) => errors.get(first + index) ?? 0));
    });
    return results;
  }

  async request(request: NetlinkRequest): Promise<readonly NetlinkAnswer[]> {
    const answers: NetlinkAnswer[] = [];
    const dump = (request.flags & NETLINK_FLAGS.dump) === NETLINK_FLAGS.dump;
    const lastFlags = dump ? 0 : NETLINK_FLAGS.ack;
    await this.#askOne(request, { dump, lastFlags, take: (answer) => answers.push(copyOf(answer)) });
    return answers;
  }

  async requestEach(requests: readonly NetlinkRequest[]): Promise<readonly (NetlinkAnswer | number)[]> {
    const results: (NetlinkAnswer | number)[] = [];
    await this.#inBatches(requests, async (batch) => {
      const answers = new Map<number, NetlinkAnswer>();
      const { first, errors } = await this.#converse(batch, {
        lastFlags: NETLINK_FLAGS.ack,
        take: (answer, sequence) => answers.set(sequence, copyOf(answer)),
      });
      results.push(...batch.map((_request, index) => errors.get(first + index) ?? answers.get(first + index) ?? 0));
    });
    return results;
  }

  async dump(
    request: NetlinkRequest,
    take: (answer: NetlinkAnswer) => void,
    between: () => Promise<void> | undefined = () => undefined,
  ): Promise<void> {
    await this.#askOne(request, { dump: true, between, take });
  }

  close(): void {
    this.#closed = true;
    void this.#inTurn(async () => this.#drop());
  }

  #askOne(request: NetlinkRequest, conversation: Conversation): Promise<void> {
    return this.#inTurn(async () => {
      const { first, errors } = await this.#converse([request], conversation);
      const errno = errors.get(first) ?? 0;
      if (errno !== 0) {
        throw new NetlinkRefused(errno, `answer (netlink ${this.protocol}, message type ${request.type})`);
      }
    });
  }

  #inBatches(
    requests: readonly NetlinkRequest[],
    work: (batch: readonly NetlinkRequest[]) => Promise<void>,
  ): Promise<void> {
    return this.#inTurn(async () => {
      for (let from = 0; from < requests.length; ) {
        const batch = nextBatch(requests, from, (await this.#open()).capacity);
        await work(batch);
        from += batch.length;
        if (from < requests.length) {
          await othersTurn();
        }
      }
    });
  }

  /** Runs one operation at a time, so that received messages belong to the last request. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  /**
   * Sends messages in one batch. Only the last requests an acknowledgement; since the kernel processes them in order,
   * that acknowledgement covers all others, and only their errors are sent separately.
   */
  async #converse(
    requests: readonly NetlinkRequest[],
    { lastFlags = 0, dump = false, between, inBackground = false, take = () => {} }: Conversation,
  ): Promise<Exchange> {
    const socket = await this.#open();
    const first = this.#sequence;
    const last = first + requests.length - 1;
    this.#sequence = last > 0x7fff_0000 ? 1 : last + 1;
    const exchange: Exchange = { first, last, dump, take, errors: new Map(), done: false };
    try {
      await socket.send(encodeMessages(requests, first, lastFlags), inBackground);
      const timeout = this.options.timeout ?? TIMEOUT;
      let deadline = performance.now() + timeout;
      let isQuiet = false;
      while (!exchange.done) {
        if (socket.receive()) {
          isQuiet = false;
          receiveAll(exchange, socket.received);
          if (between !== undefined && !exchange.done) {
            await between();
            await socket.othersTurn();
            deadline = performance.now() + timeout;
          }
          continue;
        }
        if (isQuiet && exchange.errors.get(first) === EPERM) {
          // Netfilter reports this error once, for the whole batch.
          refuseAll(exchange, EPERM);
          break;
        }
        if (performance.now() > deadline) {
          throw lostAnswer('none came in time');
        }
        await socket.arrival();
        isQuiet = true;
      }
      return exchange;
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  async #open(): Promise<DatagramSocket> {
    if (this.#closed) {
      throw new NetlinkError('NETLINK_CLOSED', 'the netlink socket was closed');
    }
    this.#socket ??= await openDatagramSocket(this.protocol, this.options);
    return this.#socket;
  }

  #drop(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }
}

function receiveAll(exchange: Exchange, datagram: Buffer): void {
  for (let at = 0; at + HEADER <= datagram.length; ) {
    const size = readU32(datagram, at);
    if (size < HEADER || at + size > datagram.length) {
      throw lostAnswer('it could not be read');
    }
    receive(exchange, datagram, at, at + size);
    at += align(size);
  }
}

/** Takes the message between two positions: a host has a million flows, so that its head is no buffer of its own. */
function receive(exchange: Exchange, datagram: Buffer, start: number, end: number): void {
  const type = readU16(datagram, start + 4);
  const sequence = readU32(datagram, start + 8);
  if (sequence < exchange.first || sequence > exchange.last) {
    return;
  }
  if ((readU16(datagram, start + 6) & NETLINK_FLAGS.dumpInterrupted) !== 0) {
    throw lostAnswer('what was being listed changed meanwhile');
  }
  const payloadAt = start + HEADER;
  if (type !== ERROR && !(type === DONE && exchange.dump)) {
    exchange.take({ type, payload: datagram.subarray(payloadAt, end) }, sequence);
    return;
  }
  const errno = end >= payloadAt + 4 ? -(readU32(datagram, payloadAt) | 0) : 0;
  if (errno > 0) {
    exchange.errors.set(sequence, errno);
  }
  exchange.done ||= sequence === exchange.last;
}

function refuseAll({ first, last, errors }: Exchange, errno: number): void {
  for (let sequence = first; sequence <= last; sequence++) {
    errors.set(sequence, errno);
  }
}

function copyOf({ type, payload }: NetlinkAnswer): NetlinkAnswer {
  return { type, payload: Buffer.from(payload) };
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
