import { Socket } from 'node:net';
import { type IPFamily, messageOf } from '@kube-proxier/core';
import { inNamespace } from '../netlink/in-namespace.js';
import { ADDRESS_FAMILIES, addressBytes } from '../netlink/ip-bytes.js';
import { type Libc, loadLibc } from '../netlink/libc.js';
import { errnoName } from '../netlink/netlink-error.js';

/** The target of a connection. Reusing the object makes further attempts cheaper. */
export interface TcpTarget {
  readonly family: IPFamily;
  /** Canonical. */
  readonly address: string;
  /** 1 to 65535. */
  readonly port: number;
  /** Milliseconds until the connection must be established. */
  readonly timeout: number;
  /** Path of the network namespace to connect from. Undefined: that of this process. */
  readonly namespace?: string | undefined;
}

/**
 * @param failure the reason of the failure: the name of an error number such as `ECONNREFUSED`, `ETIMEDOUT` after the
 *   timeout, or a sentence. Undefined when the connection was established.
 * @param milliseconds duration, precise to about 20 ms.
 */
export type TcpConnectCallback = (failure: string | undefined, milliseconds: number) => void;

/** Probes whether ports accept TCP connections, at a high rate. */
export interface TcpConnects {
  /** Attempts one connection, and closes it as soon as it is established. Calls back once, never synchronously. */
  attempt(target: TcpTarget, callback: TcpConnectCallback): void;
  /** Ends all attempts without calling back. Idempotent. */
  close(): void;
}

interface Pending {
  readonly fd: number;
  readonly target: TcpTarget;
  readonly callback: TcpConnectCallback;
  readonly begin: number;
  /** Time of the result, and the reason of a failure. */
  end: number;
  failure: string | undefined;
}

const SOCK_STREAM_CLOEXEC_NONBLOCK = 1 | 0o2000000 | 0o4000;
const SOL_SOCKET = 1;
const SO_ERROR = 4;
const IPPROTO_TCP = 6;
const TCP_DEFER_ACCEPT = 9;
const EINPROGRESS = 115;
const POLLOUT = 4;
const POLLERR = 8;
const POLLHUP = 16;
/** Words of a `struct pollfd`: the descriptor, and events with what happened in its upper half. */
const POLL_WORDS = 2;
const ONE_SECOND = new Uint8Array(Uint32Array.of(1).buffer);
/** An address of no family: connecting to it disconnects a socket. */
const NOWHERE = new Uint8Array(16);
/** Maximum number of pooled sockets for each family. */
const MAX_IDLE = 256;
/** Maximum attempts between two checks: the kernel delays an acknowledgement for about 40 ms only. */
const MAX_STARTED = 128;
/** Milliseconds between two checks of the pending attempts: they double up to the second number. */
const FIRST_LOOK = 1;
const LAST_LOOK = 16;

/**
 * {@link TcpConnects} by calls of the C library, at a few microseconds of CPU time for each attempt.
 *
 * The last acknowledgement of the handshake is delayed (TCP_DEFER_ACCEPT), and a reset is sent instead: the listening
 * program does not see the connection, unless this process is stalled for about 40 ms, and no socket stays in
 * TIME_WAIT. The kernel of the other side answers, so a port whose program no longer accepts connections fails when its
 * accept queue is full.
 */
export class LibcTcpConnects implements TcpConnects {
  #pending: Pending[] = [];
  #descriptors = new Int32Array(64 * POLL_WORDS);
  readonly #idle: Readonly<Record<IPFamily, number[]>> = { IPv4: [], IPv6: [] };
  readonly #addresses = new WeakMap<TcpTarget, Uint8Array>();
  /** Completed attempts that are not reported yet. */
  #decided: Pending[] = [];
  /** Number of attempts started since the last check of pending ones. */
  #started = 0;
  #look: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #delay = FIRST_LOOK;
  #closed = false;

  private constructor(private readonly libc: Libc) {}

  /** @throws Error when the C library cannot be called here. */
  static async load(): Promise<LibcTcpConnects> {
    return new LibcTcpConnects(await loadLibc());
  }

  attempt(target: TcpTarget, callback: TcpConnectCallback): void {
    if (this.#closed) {
      return;
    }
    const begin = performance.now();
    let fd: number;
    try {
      fd = this.#open(target);
    } catch (error) {
      this.#failSoon(messageOf(error), callback, begin);
      return;
    }
    const address = this.#addressOf(target);
    if (this.libc.connect(fd, address, address.length) < 0) {
      const errno = this.libc.errno();
      if (errno !== EINPROGRESS) {
        this.libc.close(fd);
        this.#failSoon(errnoName(errno), callback, begin);
        return;
      }
    }
    this.#pending.push({ fd, target, callback, begin, end: begin, failure: undefined });
    this.#delay = FIRST_LOOK;
    this.#started += 1;
    if (this.#started >= MAX_STARTED) {
      this.#finishReady();
    }
    // On the same host, the connection is already established.
    this.#look ??= setImmediate(() => this.#collect());
  }

  close(): void {
    this.#closed = true;
    for (const { fd } of this.#pending) {
      this.libc.close(fd);
    }
    for (const fd of [...this.#idle.IPv4.splice(0), ...this.#idle.IPv6.splice(0)]) {
      this.libc.close(fd);
    }
    this.#pending = [];
  }

  #failSoon(reason: string, callback: TcpConnectCallback, begin: number): void {
    setImmediate(() => this.#closed || callback(reason, performance.now() - begin));
  }

  #open({ family, namespace }: TcpTarget): number {
    const idle = namespace === undefined ? this.#idle[family].pop() : undefined;
    if (idle !== undefined) {
      return idle;
    }
    const fd = inNamespace(this.libc, namespace, () =>
      this.libc.socket(ADDRESS_FAMILIES[family], SOCK_STREAM_CLOEXEC_NONBLOCK, 0),
    );
    if (fd < 0) {
      throw new Error(errnoName(this.libc.errno()));
    }
    // Unlike TCP_QUICKACK, this persists when the socket is reused.
    this.libc.setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, ONE_SECOND, ONE_SECOND.length);
    return fd;
  }

  #addressOf(target: TcpTarget): Uint8Array {
    let address = this.#addresses.get(target);
    if (!address) {
      address = socketAddress(target);
      this.#addresses.set(target, address);
    }
    return address;
  }

  #collect(): void {
    this.#look = undefined;
    if (this.#closed) {
      return;
    }
    this.#finishReady();
    if (this.#pending.length > 0) {
      this.#look = setTimeout(() => this.#collect(), this.#delay).unref();
      this.#delay = Math.min(this.#delay * 2, LAST_LOOK);
    }
    const decided = this.#decided;
    this.#decided = [];
    for (const { callback, failure, begin, end } of decided) {
      if (this.#closed) {
        return;
      }
      callback(failure, end - begin);
    }
  }

  /** Ends the completed attempts. Their callbacks are called later. */
  #finishReady(): void {
    this.#started = 0;
    const pending = this.#pending;
    if (pending.length === 0) {
      return;
    }
    const ready = this.#poll(pending);
    const now = performance.now();
    const rest: Pending[] = [];
    const report = (one: Pending, failure: string | undefined) => {
      one.end = now;
      one.failure = failure;
      this.#decided.push(one);
    };
    for (let index = 0; index < pending.length; index++) {
      const one = pending[index] as Pending;
      const events = ready ? (this.#descriptors[index * POLL_WORDS + 1] as number) >>> 16 : 0;
      if (events !== 0) {
        report(one, this.#finish(one, events));
      } else if (now - one.begin >= one.target.timeout) {
        this.libc.close(one.fd);
        report(one, 'ETIMEDOUT');
      } else {
        rest.push(one);
      }
    }
    this.#pending = rest;
  }

  #poll(pending: readonly Pending[]): boolean {
    if (this.#descriptors.length < pending.length * POLL_WORDS) {
      this.#descriptors = new Int32Array(pending.length * 2 * POLL_WORDS);
    }
    // Avoids Buffer methods, which validate arguments: this runs for each attempt at each check.
    const descriptors = this.#descriptors;
    for (let index = 0; index < pending.length; index++) {
      descriptors[index * POLL_WORDS] = (pending[index] as Pending).fd;
      descriptors[index * POLL_WORDS + 1] = POLLOUT;
    }
    return this.libc.poll(new Uint8Array(descriptors.buffer), pending.length, 0) > 0;
  }

  /** @returns the reason of the failure. */
  #finish({ fd, target: { family, namespace } }: Pending, events: number): string | undefined {
    if ((events & (POLLERR | POLLHUP)) !== 0 || (events & POLLOUT) === 0) {
      const errno = this.#errorOf(fd);
      this.libc.close(fd);
      return errnoName(errno);
    }
    // Sends the reset and makes the socket reusable, which is cheaper than a new socket.
    const isReusable = this.libc.connect(fd, NOWHERE, NOWHERE.length) === 0;
    const idle = this.#idle[family];
    // A named namespace can be deleted and created again: its sockets are not kept.
    if (isReusable && namespace === undefined && idle.length < MAX_IDLE) {
      idle.push(fd);
    } else {
      this.libc.close(fd);
    }
    return undefined;
  }

  /** The error of a socket. */
  #errorOf(fd: number): number {
    const value = new Uint32Array(1);
    const length = Uint32Array.of(4);
    this.libc.getsockopt(fd, SOL_SOCKET, SO_ERROR, new Uint8Array(value.buffer), new Uint8Array(length.buffer));
    return value[0] ?? 0;
  }
}

/** `sockaddr_in` or `sockaddr_in6`. */
function socketAddress({ family, address, port }: TcpTarget): Uint8Array {
  const bytes = Buffer.alloc(family === 'IPv4' ? 16 : 28);
  bytes.writeUInt16LE(ADDRESS_FAMILIES[family]);
  bytes.writeUInt16BE(port, 2);
  addressBytes(address).copy(bytes, family === 'IPv4' ? 4 : 8);
  return bytes;
}

/**
 * Creates a TCP socket in a network namespace, ready for `connect` with an address.
 *
 * @param namespace its path.
 * @throws Error when it cannot be entered, or the C library cannot be called.
 */
export async function tcpSocketIn(namespace: string, family: IPFamily): Promise<Socket> {
  const libc = await loadLibc();
  const fd = inNamespace(libc, namespace, () => libc.socket(ADDRESS_FAMILIES[family], SOCK_STREAM_CLOEXEC_NONBLOCK, 0));
  if (fd < 0) {
    throw new Error(errnoName(libc.errno()));
  }
  try {
    // Without `manualStart` it would read before it is connected. It is an undocumented option of Node.
    return new Socket({ fd, manualStart: true } as ConstructorParameters<typeof Socket>[0]);
  } catch (error) {
    libc.close(fd);
    throw error;
  }
}
