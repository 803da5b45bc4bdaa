import { createSocket, type Socket } from 'node:dgram';
import { parseAddress, type Timer } from '@kube-proxier/core';
import type { Target } from '../plan/userspace-transaction.js';
import { listenError } from './listen-error.js';
import type { Closable, ServiceProxy } from './service-proxy.js';
import type { ListenerView } from './tcp-socket.js';

/** Datagrams of a new session that wait for its socket, at most. */
const MAX_WAITING = 16;
/** Milliseconds after which a timer is late. */
const LATE = 10;
/** Bytes that may wait to be sent by one socket; more is dropped, as a router does. */
const MAX_QUEUED = 1 << 20;
const DESCRIPTORS_PER_SESSION = 1;
/** Errors that mean that the endpoint does not listen; the first is what ICMP "port unreachable" becomes. */
const REFUSALS: readonly (string | undefined)[] = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'];
/** An earlier datagram was too large for a link on the path: the kernel has recorded its MTU, and fragments the next ones (spec U-36). */
const SMALLER_PATH = 'EMSGSIZE';
/**
 * Receive buffer size: each new session takes time, and the default 208 KiB hold only 277 small datagrams. The kernel
 * limits it to net.core.rmem_max.
 */
const RECEIVE_BUFFER = 4 << 20;

/** Addresses only, so that nothing waits for a resolver. */
function lookup(
  address: string,
  _options: unknown,
  done: (error: null, address: string, family: number) => void,
): void {
  done(null, address, address.includes(':') ? 6 : 4);
}

function newSocket(address: string, options: { readonly recvBufferSize?: number } = {}): Socket {
  const ipv6 = address.includes(':');
  const type = ipv6 ? 'udp6' : 'udp4';
  return createSocket({ type, ipv6Only: ipv6, lookup, ...options } as Parameters<typeof createSocket>[0]);
}

/** One UDP socket that clients send to, with a session for each (spec U-31). */
export class UdpSocket {
  readonly #sessions = new Map<string, UdpSession>();
  #sweep: Timer | undefined;
  #postponed = false;

  private constructor(
    private readonly socket: Socket,
    readonly address: string,
    readonly port: number,
    private readonly view: () => ListenerView,
  ) {
    socket.on('message', (message, { address: source, port: sourcePort }) =>
      this.#receive(message, source, sourcePort),
    );
  }

  /**
   * @param port 0 takes any free one.
   * @throws UserspaceError
   */
  static async open(address: string, port: number, view: () => ListenerView): Promise<UdpSocket> {
    const socket = newSocket(address, { recvBufferSize: RECEIVE_BUFFER });
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => {
        socket.close();
        reject(listenError('UDP', address, port, error));
      };
      socket.once('error', failed);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', failed);
        // Errors of datagrams that could not be delivered to a client.
        socket.on('error', () => {});
        resolve();
      });
    });
    return new UdpSocket(socket, address, socket.address().port, view);
  }

  /** Ends it, and its sessions with it. Resolves when the port is free. */
  async close(): Promise<void> {
    this.#sweep?.cancel();
    this.#sweep = undefined;
    for (const session of [...this.#sessions.values()]) {
      session.close();
    }
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }

  #receive(message: Buffer, source: string, sourcePort: number): void {
    const client = `${source} ${sourcePort}`;
    const known = this.#sessions.get(client);
    if (known) {
      known.send(message);
      return;
    }
    const { service, route } = this.view();
    const address = parseAddress(source)?.text ?? source;
    const chosen = route(address);
    const target = chosen.action === 'forward' ? service.balancer.pick(chosen.endpoints, address) : undefined;
    if (!target) {
      service.counters.refused++;
      return;
    }
    if (!service.admit(DESCRIPTORS_PER_SESSION)) {
      return;
    }
    const bytes = service.bytesOf(target.key);
    const session = new UdpSession(
      service,
      address,
      target,
      (answer) => {
        if (this.socket.getSendQueueSize() < MAX_QUEUED) {
          service.counters.bytesToClients += answer.length;
          bytes.toClients += answer.length;
          this.socket.send(answer, sourcePort, source, () => {});
        }
      },
      () => this.#sessions.delete(client),
    );
    this.#sessions.set(client, session);
    session.send(message);
    this.#sweepLater();
  }

  /** One timer for all sessions, and none when there are none. */
  #sweepLater(): void {
    const { clock, udpTimeout } = this.view().service.environment;
    const period = Math.max(10, udpTimeout / 4);
    const due = clock.monotonic() + period;
    this.#sweep ??= clock.setTimer(period, () => {
      this.#sweep = undefined;
      // Timers come before sockets: if this process was delayed, answers may be pending. Only once in a row, or
      // sessions would never expire in a permanently late process.
      this.#postponed = !this.#postponed && clock.monotonic() - due > LATE;
      if (this.#postponed) {
        this.#sweepLater();
        return;
      }
      const since = clock.monotonic() - udpTimeout;
      for (const session of [...this.#sessions.values()]) {
        if (session.lastUsed <= since) {
          session.close();
        }
      }
      if (this.#sessions.size > 0) {
        this.#sweepLater();
      }
    });
  }
}

/** A session of one client with its endpoint. */
class UdpSession implements Closable {
  readonly #socket: Socket;
  readonly #end: () => void;
  #waiting: Buffer[] | undefined = [];
  #closed = false;
  lastUsed: number;

  constructor(
    private readonly service: ServiceProxy,
    private readonly client: string,
    private readonly target: Target,
    answer: (message: Buffer) => void,
    private readonly onClose: () => void,
  ) {
    const { clock } = service.environment;
    this.lastUsed = clock.monotonic();
    this.#end = service.balancer.begin(target.key);
    service.open.add(this);
    this.#socket = newSocket(target.address);
    this.#socket.on('message', (message) => {
      this.lastUsed = clock.monotonic();
      service.balancer.answered(target.key);
      answer(message);
    });
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(error));
    service.environment.dialer.connectUdp(this.#socket, target, (error) => {
      if (error) {
        this.#fail(error);
        return;
      }
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const message of waiting) {
        this.send(message);
      }
    });
  }

  get isConnected(): boolean {
    return true;
  }

  get endpointKey(): string {
    return this.target.key;
  }

  send(message: Buffer): void {
    if (this.#closed) {
      return;
    }
    this.lastUsed = this.service.environment.clock.monotonic();
    if (this.#waiting) {
      if (this.#waiting.length < MAX_WAITING) {
        this.#waiting.push(message);
      }
    } else if (this.#socket.getSendQueueSize() < MAX_QUEUED) {
      this.service.counters.bytesToEndpoints += message.length;
      this.service.bytesOf(this.target.key).toEndpoints += message.length;
      this.#transmit(message, true);
    }
  }

  /** @param again after an error of an earlier datagram, which the kernel reports instead of sending this one. */
  #transmit(message: Buffer, again: boolean): void {
    this.#socket.send(message, (error) => {
      if (error && 'code' in error && error.code === SMALLER_PATH && again && !this.#closed) {
        this.#transmit(message, false);
      } else if (error) {
        this.#fail(error);
      }
    });
  }

  /** The endpoint does not listen, or no descriptor is left: the next datagram begins a new session, with another endpoint if there is one. */
  #fail({ code }: NodeJS.ErrnoException): void {
    if (this.#closed || code === SMALLER_PATH) {
      return;
    }
    this.service.counters.failedDials++;
    if (code === 'EMFILE' || code === 'ENFILE') {
      this.service.limited(`the system has no descriptors left (${code}); raise the limit of open files`);
    }
    if (REFUSALS.includes(code)) {
      this.service.balancer.refused(this.client, this.target.key);
    }
    this.close();
  }

  close(): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    this.#waiting = undefined;
    this.#end();
    this.service.open.delete(this);
    this.service.release(DESCRIPTORS_PER_SESSION);
    this.onClose();
    this.#socket.close();
  }
}
