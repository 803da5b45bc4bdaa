import type { Socket } from 'node:net';
import { parseAddress, type Timer } from '@kube-proxier/core';
import type { Portal, Target } from '../plan/userspace-transaction.js';
import { type CarriedConnection, DESCRIPTORS_OF_PIPES } from '../splice/splice-carrier.js';
import { proxyProtocolHeader } from './proxy-protocol.js';
import type { Closable, ServiceProxy } from './service-proxy.js';

/** The client's socket and the endpoint's. */
export const DESCRIPTORS_PER_CONNECTION = 2;
/** Bytes that any path takes in one segment. */
const ONE_SEGMENT = 1200;

export interface TcpConnectionOptions {
  /** Accepted, paused; each direction ends separately (`allowHalfOpen`). */
  readonly client: Socket;
  /** Canonical address of the client. */
  readonly source: string;
  readonly list: 'cluster' | 'local';
  readonly service: ServiceProxy;
  /** What the client connected to, where that is certain. */
  readonly portal: Portal | undefined;
}

/**
 * One TCP connection of a client, with its connection to an endpoint (spec U-30). Forwards data, ends and resets in
 * both directions; both sockets are finally closed in any case.
 */
export class TcpConnection implements Closable {
  readonly #client: Socket;
  readonly #service: ServiceProxy;
  #failed: Set<string> | undefined;
  #attempt = 0;
  #endpoint: Socket | undefined;
  #connected = false;
  #target: Target | undefined;
  #timer: Timer | undefined;
  /** To be called when the connection to the endpoint is over. */
  #endAtEndpoint: (() => void) | undefined;
  #lastFailure: string | undefined;
  #openSockets = 1;
  #done = false;
  /** Set after the handover to the carrier. */
  #carried: CarriedConnection | undefined;

  /** The service port must have admitted it. */
  constructor(private readonly options: TcpConnectionOptions) {
    const { client, service } = options;
    this.#client = client;
    this.#service = service;
    service.open.add(this);
    // For what happens once, `on` does what `once` does, and costs less.
    client.on('error', () => this.close());
    client.on('close', () => this.#closed(client));
    this.#dial();
  }

  get isConnected(): boolean {
    return this.#connected;
  }

  get endpointKey(): string | undefined {
    return this.#target?.key;
  }

  /** Resets it in both directions. Idempotent. */
  close(): void {
    this.#finishDial();
    this.#carried?.cut();
    cut(this.#client);
    if (this.#endpoint) {
      cut(this.#endpoint);
    }
  }

  #dial(): void {
    const { environment, balancer, counters } = this.#service;
    const { list, source } = this.options;
    const target = balancer.pick(list, source, this.#failed);
    const timeout = environment.dialTimeouts[this.#attempt++];
    if (!target || timeout === undefined) {
      counters.refused++;
      if (this.#lastFailure !== undefined) {
        this.#service.warn(
          `no endpoint of ${this.#service.spec.name} could be reached, the last: ${this.#lastFailure}`,
        );
      }
      this.close();
      return;
    }
    const endpoint = environment.dialer.connectTcp(target, environment.highWaterMark);
    const end = balancer.begin(target.key);
    this.#endAtEndpoint = end;
    this.#openSockets++;
    this.#target = target;
    this.#endpoint = endpoint;
    endpoint.on('close', () => {
      end();
      this.#closed(endpoint);
    });
    endpoint.on('error', (error) => this.#endpointFailed(endpoint, target, error));
    endpoint.on('connect', () => {
      if (this.#endpoint === endpoint) {
        this.#connected = true;
        this.#finishDial();
        this.#splice(endpoint);
      }
    });
    this.#timer = environment.clock.setTimer(timeout, () => {
      // Timers come before sockets: if this process was delayed, the answer may be pending.
      setImmediate(() => {
        if (endpoint.connecting) {
          this.#endpointFailed(endpoint, target, Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
        }
      });
    });
  }

  #endpointFailed(endpoint: Socket, target: Target, error: NodeJS.ErrnoException): void {
    if (this.#endpoint !== endpoint) {
      return;
    }
    if (this.#connected) {
      this.close();
      return;
    }
    this.#service.counters.failedDials++;
    this.#lastFailure = `${target.key}: ${error.code ?? error.message}`;
    this.#finishDial();
    this.#endpoint = undefined;
    endpoint.destroy();
    if (this.#client.destroyed) {
      return;
    }
    if (error.code === 'EMFILE' || error.code === 'ENFILE') {
      // A retry would aggravate the shortage.
      this.#service.limited(`the system has no descriptors left (${error.code}); raise the limit of open files`);
      this.close();
      return;
    }
    this.#failed ??= new Set();
    this.#failed.add(target.key);
    this.#dial();
  }

  #finishDial(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #splice(endpoint: Socket): void {
    const client = this.#client;
    const { counters, spec, environment } = this.#service;
    const own = this.#service.bytesOf(this.#target?.key ?? '');
    const version = spec.options.proxyProtocol;
    if (version) {
      endpoint.setNoDelay(true);
      endpoint.write(proxyProtocolHeader(version, this.#asSeenByClient()));
    }
    environment.keepAlive.watch(client);
    environment.keepAlive.watch(endpoint);
    this.#pump(client, endpoint, (bytes) => {
      counters.bytesToEndpoints += bytes;
      own.toEndpoints += bytes;
    });
    this.#pump(endpoint, client, (bytes) => {
      counters.bytesToClients += bytes;
      own.toClients += bytes;
    });
  }

  #asSeenByClient() {
    const { portal, source } = this.options;
    return {
      source,
      sourcePort: this.#client.remotePort ?? 0,
      destination: portal?.address ?? parseAddress(this.#client.localAddress)?.text ?? source,
      destinationPort: portal?.port ?? this.#client.localPort ?? 0,
    };
  }

  /** One direction. It never reads more than the other side has room for. */
  #pump(from: Socket, to: Socket, count: (bytes: number) => void): void {
    const { bulkAfter, halfClosedTimeout } = this.#service.environment;
    let moved = 0;
    const drained = () => {
      if (moved < bulkAfter || !this.#handOver()) {
        from.resume();
      }
    };
    from.on('data', (chunk: Buffer) => {
      count(chunk.length);
      if (moved === 0 && chunk.length < ONE_SEGMENT) {
        // Nothing holds back the first segment, and many connections have no second.
        moved = chunk.length;
      } else {
        if (moved < ONE_SEGMENT) {
          to.setNoDelay(true);
        }
        moved += chunk.length;
      }
      if (!to.write(chunk)) {
        from.pause();
        to.once('drain', drained);
      }
      if (moved >= bulkAfter) {
        this.#handOver();
      }
    });
    from.on('end', () => {
      if (to.readableEnded && to.writableLength === 0) {
        // Both directions are through: closing informs the other side as well as a shutdown would.
        to.destroy();
        return;
      }
      to.end();
      // The other direction may continue for as long as data moves; a side that is gone for good never ends it.
      to.setTimeout(halfClosedTimeout, () => this.close());
    });
    // The client's was paused when it was accepted.
    from.resume();
  }

  /** Hands it to the carrier, if there is one and the connection is in a suitable state. */
  #handOver(): boolean {
    const endpoint = this.#endpoint;
    const { environment, counters, carried: allCarried } = this.#service;
    const { carrier, budget, clock, halfClosedTimeout, keepAlive } = environment;
    if (!carrier || !endpoint || this.#client.writableLength > 0 || endpoint.writableLength > 0) {
      return false;
    }
    if (!carrier.isReady) {
      void carrier.start();
      return false;
    }
    for (const socket of [this.#client, endpoint]) {
      keepAlive.settle(socket);
      socket.setNoDelay(true);
    }
    if (!budget.take(DESCRIPTORS_OF_PIPES)) {
      return false;
    }
    const watchSilence = (before: number) => {
      const total = carried ? carried.bytesToEndpoint + carried.bytesToClient : 0;
      if (total === before) {
        this.close();
      } else {
        this.#timer = clock.setTimer(halfClosedTimeout, () => watchSilence(total));
      }
    };
    const own = this.#service.bytesOf(this.#target?.key ?? '');
    const carried = carrier.carry(this.#client, endpoint, {
      onHalfClose: () => {
        this.#finishDial();
        watchSilence(-1);
      },
      onEnd: () => {
        counters.bytesToEndpoints += carried?.bytesToEndpoint ?? 0;
        counters.bytesToClients += carried?.bytesToClient ?? 0;
        own.toEndpoints += carried?.bytesToEndpoint ?? 0;
        own.toClients += carried?.bytesToClient ?? 0;
        if (carried) {
          allCarried.delete(carried);
        }
        budget.release(DESCRIPTORS_OF_PIPES);
        this.#endAtEndpoint?.();
        this.#openSockets = 1;
        this.#release();
      },
    });
    if (!carried) {
      budget.release(DESCRIPTORS_OF_PIPES);
      return false;
    }
    this.#carried = carried;
    allCarried.set(carried, own);
    return true;
  }

  #closed(socket: Socket): void {
    this.#service.environment.keepAlive.forget(socket);
    if (this.#connected && !socket.readableEnded) {
      this.close();
    }
    this.#release();
  }

  #release(): void {
    this.#openSockets--;
    if (this.#openSockets === 0 && !this.#done) {
      this.#done = true;
      this.#finishDial();
      this.#service.open.delete(this);
      this.#service.release(DESCRIPTORS_PER_CONNECTION);
    }
  }
}

/** Resets it now. `resetAndDestroy` alone waits for pending writes, which may never complete. */
export function cut(socket: Socket): void {
  if (socket.destroyed) {
    return;
  }
  if (!isShuttingDown(socket)) {
    socket.resetAndDestroy();
  }
  socket.destroy();
}

/**
 * While a shutdown is in progress, a reset is not possible (EINVAL of libuv), and Node 20 would lose the socket:
 * its descriptor stays open, and what comes is read and thrown away for as long as the peer sends. All that was written
 * has been sent by then, so that closing it cuts nothing short, and a peer that sends more is reset for that.
 */
function isShuttingDown(socket: Socket): boolean {
  return socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
}
