import type { Socket as UdpSocket } from 'node:dgram';
import { Socket } from 'node:net';
import { type IPFamily, messageOf } from '@kube-proxier/core';
import { ADDRESS_FAMILIES } from '../netlink/ip-bytes.js';
import { type Libc, loadLibc } from '../netlink/libc.js';
import { errnoName } from '../netlink/netlink-error.js';
import { whyNotPermitted } from '../process/capabilities.js';

/** Options of a TCP socket, as in `net.Socket`. */
export interface MarkedTcpOptions {
  /** Default false. */
  readonly allowHalfOpen?: boolean;
  /** Buffer size in bytes for each direction. Default that of Node. */
  readonly highWaterMark?: number;
}

/**
 * Sockets whose packets carry a mark (SO_MARK) from the first packet on, for matching by packet filter rules of this
 * host. Needs CAP_NET_ADMIN, and `start` before everything else.
 */
export interface MarkedSockets {
  /** The mark of each packet. */
  readonly mark: number;

  /** Why marks cannot be set on this host, with the remedy: a sentence without a full stop. Undefined when they can. */
  readonly unusable: string | undefined;

  /** Probes whether marks can be set. Idempotent; never throws. */
  start(): Promise<void>;

  /**
   * Creates a TCP socket that supports `connect` with an address only.
   *
   * @throws Error with an errno name as `code`, such as `EMFILE`.
   */
  createTcp(family: IPFamily, options?: MarkedTcpOptions): Socket;

  /**
   * Binds a new UDP socket of Node to any free port; the caller then connects it.
   *
   * @throws Error with an errno name as `code`, such as `EMFILE`. The caller must then close the socket.
   */
  bindUdp(family: IPFamily, socket: UdpSocket): void;
}

const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const CLOEXEC_NONBLOCK = 0o2000000 | 0o4000;
const SOL_SOCKET = 1;
const SO_MARK = 36;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const EPERM = 1;
/** Sizes of `sockaddr_in` and `sockaddr_in6`. */
const ADDRESS_LENGTHS: Readonly<Record<IPFamily, number>> = { IPv4: 16, IPv6: 28 };

function asInt(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

/** {@link MarkedSockets} by calls of the C library, since Node offers no way to set the option before connecting. */
export class LibcMarkedSockets implements MarkedSockets {
  #libc: Libc | undefined;
  #starting: Promise<void> | undefined;
  #unusable: string | undefined = 'it was not started';

  /** @param mark 1 to 2³²-1. */
  constructor(readonly mark: number) {}

  get unusable(): string | undefined {
    return this.#unusable;
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  createTcp(family: IPFamily, options: MarkedTcpOptions = {}): Socket {
    const { libc, fd } = this.#open(family, SOCK_STREAM);
    try {
      // Without `manualStart` it would read before it is connected. It is an undocumented option of Node.
      return new Socket({ ...options, fd, manualStart: true } as ConstructorParameters<typeof Socket>[0]);
    } catch (error) {
      libc.close(fd);
      throw error;
    }
  }

  bindUdp(family: IPFamily, socket: UdpSocket): void {
    const { libc, fd } = this.#open(family, SOCK_DGRAM);
    try {
      // Before Node takes the socket, since Node enables port sharing.
      const address = new Uint8Array(ADDRESS_LENGTHS[family]);
      address.set(new Uint8Array(Uint16Array.of(ADDRESS_FAMILIES[family]).buffer));
      if (libc.bind(fd, address, address.length) < 0) {
        throw failure('bind', libc.errno());
      }
      socket.bind({ fd, exclusive: true });
    } catch (error) {
      libc.close(fd);
      throw error;
    }
  }

  async #start(): Promise<void> {
    try {
      this.#libc = await loadLibc();
    } catch (error) {
      this.#unusable = `the C library cannot be called (${messageOf(error)}); install the package koffi for this platform`;
      return;
    }
    try {
      const { libc, fd } = this.#open('IPv4', SOCK_DGRAM);
      libc.close(fd);
      this.#unusable = undefined;
    } catch (error) {
      const reason = error instanceof MarkRefused ? `: ${whyNotPermitted({ refused: 'process' })}` : '';
      this.#unusable = `packets cannot be marked (${messageOf(error)})${reason}`;
    }
  }

  #open(family: IPFamily, type: number): { readonly libc: Libc; readonly fd: number } {
    const libc = this.#libc;
    if (!libc) {
      throw new Error(`marked sockets cannot be used: ${this.#unusable}`);
    }
    const fd = libc.socket(ADDRESS_FAMILIES[family], type | CLOEXEC_NONBLOCK, 0);
    if (fd < 0) {
      throw failure('socket', libc.errno());
    }
    const set = (level: number, name: number, value: number) => libc.setsockopt(fd, level, name, asInt(value), 4) === 0;
    if (!set(SOL_SOCKET, SO_MARK, this.mark) || (family === 'IPv6' && !set(IPPROTO_IPV6, IPV6_V6ONLY, 1))) {
      const errno = libc.errno();
      libc.close(fd);
      throw errno === EPERM ? new MarkRefused('setsockopt: EPERM') : failure('setsockopt', errno);
    }
    return { libc, fd };
  }
}

class MarkRefused extends Error {
  readonly code = 'EPERM';
}

function failure(call: string, errno: number): NodeJS.ErrnoException {
  const code = errnoName(errno);
  return Object.assign(new Error(`${call}: ${code}`), { code, errno, syscall: call });
}
