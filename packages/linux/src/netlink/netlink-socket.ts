import { align, readU16, readU32 } from './attributes.js';
import { type Libc, loadLibc } from './libc.js';
import {
  NETLINK_FLAGS,
  type Netlink,
  type NetlinkAnswer,
  type NetlinkProtocol,
  type NetlinkRequest,
} from './netlink.js';
import { errnoName, NetlinkError, NetlinkRefused } from './netlink-error.js';
import { type NetlinkSocketOptions, openSocket, unavailable } from './open-socket.js';
import { encodeMessages, HEADER, MAX_BYTES, MAX_IN_FLIGHT, nextBatch } from './request-batches.js';

/** Milliseconds after which an answer counts as lost. */
const TIMEOUT = 20_000;
const ERROR = 2;
const DONE = 3;

const MSG_TRUNC = 0x20;
const EPERM = 1;
const EINTR = 4;
const EAGAIN = 11;

/** The pending requests, and their answers so far. */
interface Exchange {
  readonly first: number;
  readonly last: number;
  readonly dump: boolean;
  /** Its bytes are reused. */
  readonly take: (answer: NetlinkAnswer, sequence: number) => void;
  /** By sequence number. */
  readonly errors: Map<number, number>;
  done: boolean;
}

/** How requests are sent, and how their answers are handled. */
interface Conversation {
  /** Flags of the last request, in addition to its own. Default 0. */
  readonly lastFlags?: number;
  /** Default false. */
  readonly dump?: boolean;
  /** Whether the event loop runs between datagrams. Default false. */
  readonly patient?: boolean;
  /** Default: nothing. */
  readonly take?: Exchange['take'];
}

/**
 * {@link Netlink} by calls of the C library: the kernel processes a request while it is sent, so its answer is
 * available when sending returns, and nothing has to be awaited. Requests go in batches of {@link MAX_IN_FLIGHT}; the
 * event loop runs between batches. The socket is opened with the first request; a socket that lost an answer is
 * replaced.
 */
export class NetlinkSocket implements Netlink {
  readonly #buffer = Buffer.alloc(MAX_BYTES);
  #fd: number | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #sequence = 1;
  #closed = false;

  constructor(
    private readonly protocol: NetlinkProtocol,
    private readonly options: NetlinkSocketOptions = {},
  ) {}

  async execute(requests: readonly NetlinkRequest[]): Promise<readonly number[]> {
    const results: number[] = [];
    await this.#inBatches(requests, async (batch) => {
      const { first, errors } = await this.#converse(batch, { lastFlags: NETLINK_FLAGS.ack });
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

  async dump(request: NetlinkRequest, take: (answer: NetlinkAnswer) => void): Promise<void> {
    await this.#askOne(request, { dump: true, patient: true, take });
  }

  close(): void {
    this.#closed = true;
    void this.#inTurn(async () => this.#drop(await loadLibc()));
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
        const batch = nextBatch(requests, from);
        await work(batch);
        from += batch.length;
        if (from < requests.length) {
          await othersTurn();
        }
      }
    });
  }

  /** Runs one operation at a time, so that what is received belongs to the last request. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  /**
   * Sends messages in one batch. Only the last requests an acknowledgement; since the kernel processes them in order,
   * that one confirms that all others are done, and only their errors are sent separately.
   */
  async #converse(
    requests: readonly NetlinkRequest[],
    { lastFlags = 0, dump = false, patient = false, take = () => {} }: Conversation,
  ): Promise<Exchange> {
    const { libc, fd } = await this.#open();
    const first = this.#sequence;
    const last = first + requests.length - 1;
    this.#sequence = last > 0x7fff_0000 ? 1 : last + 1;
    const exchange: Exchange = { first, last, dump, take, errors: new Map(), done: false };
    try {
      send(libc, fd, encodeMessages(requests, first, lastFlags));
      const timeout = this.options.timeout ?? TIMEOUT;
      let deadline = performance.now() + timeout;
      while (!exchange.done) {
        if (this.#receive(libc, fd, exchange)) {
          if (patient) {
            await othersTurn();
            deadline = performance.now() + timeout;
          }
          continue;
        }
        if (exchange.errors.get(first) === EPERM) {
          // Netfilter reports this error once, for the whole batch.
          refuseAll(exchange, EPERM);
          break;
        }
        if (performance.now() > deadline) {
          throw lost('none came in time');
        }
        // Current kernels do not do this.
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return exchange;
    } catch (error) {
      this.#drop(libc);
      throw error;
    }
  }

  async #open(): Promise<{ readonly libc: Libc; readonly fd: number }> {
    if (this.#closed) {
      throw new NetlinkError('NETLINK_CLOSED', 'the netlink socket was closed');
    }
    try {
      const libc = await loadLibc();
      this.#fd ??= openSocket(libc, this.protocol, this.options);
      return { libc, fd: this.#fd };
    } catch (error) {
      throw unavailable(this.protocol, error);
    }
  }

  #drop(libc: Libc): void {
    if (this.#fd !== undefined) {
      libc.close(this.#fd);
      this.#fd = undefined;
    }
  }

  /** Receives one datagram. @returns false when there is none. */
  #receive(libc: Libc, fd: number, exchange: Exchange): boolean {
    const length = libc.recv(fd, this.#buffer, this.#buffer.length, MSG_TRUNC);
    if (length < 0) {
      const errno = libc.errno();
      if (errno === EINTR || errno === EAGAIN) {
        return errno === EINTR;
      }
      // ENOBUFS: the socket overran.
      throw lost(errnoName(errno));
    }
    if (length > this.#buffer.length) {
      throw lost('it was cut short');
    }
    for (let at = 0; at + HEADER <= length; ) {
      const size = readU32(this.#buffer, at);
      if (size < HEADER || at + size > length) {
        throw lost('it could not be read');
      }
      receive(exchange, this.#buffer.subarray(at, at + size));
      at += align(size);
    }
    return true;
  }
}

function receive(exchange: Exchange, message: Buffer): void {
  const type = readU16(message, 4);
  const sequence = readU32(message, 8);
  if (sequence < exchange.first || sequence > exchange.last) {
    return;
  }
  if ((readU16(message, 6) & NETLINK_FLAGS.dumpInterrupted) !== 0) {
    throw lost('what was being listed changed meanwhile');
  }
  if (type !== ERROR && !(type === DONE && exchange.dump)) {
    exchange.take({ type, payload: message.subarray(HEADER) }, sequence);
    return;
  }
  const errno = message.length >= HEADER + 4 ? -(readU32(message, HEADER) | 0) : 0;
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

function send(libc: Libc, fd: number, message: Buffer): void {
  while (libc.send(fd, message, message.length, 0) < 0) {
    const errno = libc.errno();
    if (errno !== EINTR) {
      throw lost(`sending failed with ${errnoName(errno)}`);
    }
  }
}

function lost(why: string): NetlinkError {
  return new NetlinkError('NETLINK_LOST', `an answer of the kernel was lost (${why}); read back the current state`);
}
