import { type Clock, GONE_AFTER, type Logger, type Timer } from '@kube-proxier/core';
import type { ServiceSpec } from '../plan/userspace-transaction.js';
import type { CarriedConnection, SpliceCarrier } from '../splice/splice-carrier.js';
import { Balancer } from './balancer.js';
import type { DescriptorBudget } from './descriptor-budget.js';
import type { EndpointDialer } from './endpoint-dialer.js';
import type { KeepAlive } from './keep-alive.js';
import { EndpointBytes, type ServiceTraffic, TrafficCounters } from './service-traffic.js';

/** What all service ports of a proxier share. Durations in milliseconds. */
export interface ProxyEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly budget: DescriptorBudget;
  /** Time for each attempt to connect, one after the other. */
  readonly dialTimeouts: readonly number[];
  /** Idle timeout of a UDP session. */
  readonly udpTimeout: number;
  /** Idle timeout of a half-closed TCP connection. */
  readonly halfClosedTimeout: number;
  /** Of each TCP socket, in bytes, in each direction. */
  readonly highWaterMark: number;
  readonly keepAlive: KeepAlive;
  readonly dialer: EndpointDialer;
  /** Carrier of connections with large transfers; undefined when they stay in the event loop. */
  readonly carrier: SpliceCarrier | undefined;
  /** Bytes in one direction after which a connection is handed over. */
  readonly bulkAfter: number;
  /**
   * Milliseconds from the removal of an endpoint to the reset of its connections, if the Service requests it. Default
   * 1000.
   */
  readonly goneAfter?: number;
  /** Connections and sessions of one service port at once, where its annotation does not say. */
  readonly maxConnectionsPerService: number;
}

/** A connection or session, as far as its service port deals with it. */
export interface Closable {
  readonly endpointKey: string | undefined;
  /** Whether an endpoint has accepted it. */
  readonly isConnected: boolean;
  close(): void;
}

/** Maximum connections per batch, and milliseconds between batches: 1000 a second (spec R-7). */
const RESETS_AT_ONCE = 250;
const PAUSE = 250;
/** Milliseconds between two warnings of one kind about one service port. */
const WARN_EVERY = 10_000;

/** A running service port: its balancer, limits and traffic. */
export class ServiceProxy {
  readonly balancer: Balancer;
  readonly counters = new TrafficCounters();
  readonly open = new Set<Closable>();
  /** Those of the open ones that the carrier has. */
  readonly carried = new Map<CarriedConnection, EndpointBytes>();
  readonly #bytes = new Map<string, EndpointBytes>();
  /** By removed endpoint: time of the reset of its connections. */
  readonly #lost = new Map<string, Timer>();
  #spec: ServiceSpec;
  #lastWarning = Number.NEGATIVE_INFINITY;

  constructor(
    spec: ServiceSpec,
    readonly environment: ProxyEnvironment,
  ) {
    this.balancer = new Balancer({ now: () => environment.clock.monotonic() });
    this.#spec = spec;
    this.balancer.update(spec);
  }

  get spec(): ServiceSpec {
    return this.#spec;
  }

  /**
   * TCP connections to endpoints that are gone continue to their end, unless the Service says otherwise (spec R-1); UDP sessions to them end, and the client's next
   * datagram begins another (spec U-34).
   */
  update(spec: ServiceSpec): void {
    const before = this.#spec;
    this.#spec = spec;
    this.balancer.update(spec);
    const kept = this.balancer.endpointKeys();
    for (const endpoint of this.#bytes.keys()) {
      if (!kept.has(endpoint) && !this.balancer.active.has(endpoint)) {
        this.#bytes.delete(endpoint);
      }
    }
    if (spec.protocol === 'UDP') {
      const known = new Set([...this.balancer.endpointKeys(), ...spec.draining]);
      for (const session of this.open) {
        if (session.endpointKey !== undefined && !known.has(session.endpointKey)) {
          session.close();
        }
      }
      return;
    }
    const { existing } = spec;
    // Whether endpoints went before is not certain of a Service without any (spec R-5).
    if (existing !== undefined && (before.existing !== undefined || existing.length > 0)) {
      this.#watchLost(new Set(existing));
    } else if (existing === undefined) {
      this.keepAll();
    }
  }

  /** Nothing is reset any more. */
  keepAll(): void {
    for (const timer of this.#lost.values()) {
      timer.cancel();
    }
    this.#lost.clear();
  }

  #watchLost(existing: ReadonlySet<string>): void {
    for (const [key, timer] of this.#lost) {
      if (existing.has(key)) {
        timer.cancel();
        this.#lost.delete(key);
      }
    }
    for (const { endpointKey } of this.open) {
      if (endpointKey !== undefined && !existing.has(endpointKey) && !this.#lost.has(endpointKey)) {
        this.#resetIn(this.#goneAfter, endpointKey, 0);
      }
    }
  }

  get #goneAfter(): number {
    return this.environment.goneAfter ?? GONE_AFTER;
  }

  /** @param done connections to this endpoint that were reset so far. */
  #resetIn(milliseconds: number, endpoint: string, done: number): void {
    const timer = this.environment.clock.setTimer(milliseconds, () => {
      this.#lost.delete(endpoint);
      const all = [...this.open].filter(({ endpointKey }) => endpointKey === endpoint);
      const some = all.filter(({ isConnected }) => isConnected).slice(0, RESETS_AT_ONCE);
      for (const connection of some) {
        connection.close();
      }
      this.counters.resets += some.length;
      const count = done + some.length;
      if (all.length > some.length) {
        // Those that are being connected may yet get another endpoint.
        this.#resetIn(some.length === 0 ? this.#goneAfter : PAUSE, endpoint, count);
      } else if (count > 0) {
        const what = `${count} ${count === 1 ? 'connection' : 'connections'}`;
        this.environment.logger.info(
          `Reset ${what} of ${this.#spec.name} to endpoints that are gone: ${endpoint} (${count})`,
        );
      }
    });
    this.#lost.set(endpoint, timer);
  }

  /** Where to count the bytes of an endpoint. */
  bytesOf(endpoint: string): EndpointBytes {
    const known = this.#bytes.get(endpoint);
    if (known !== undefined) {
      return known;
    }
    const bytes = new EndpointBytes();
    this.#bytes.set(endpoint, bytes);
    return bytes;
  }

  /** Admits a connection that needs this many descriptors; false at a limit. */
  admit(descriptors: number): boolean {
    const most = this.#spec.options.maxConnections ?? this.environment.maxConnectionsPerService;
    if (this.counters.active >= most) {
      this.limited(`it has ${most} connections, as many as it may have at once`);
      return false;
    }
    if (!this.environment.budget.take(descriptors)) {
      this.limited('the process has as many open files as it may have; raise its limit (RLIMIT_NOFILE)');
      return false;
    }
    this.counters.active++;
    this.counters.connections++;
    return true;
  }

  /** The opposite of `admit`. */
  release(descriptors: number): void {
    this.counters.active--;
    this.environment.budget.release(descriptors);
  }

  /** Counts a connection rejected at a limit, and logs it with rate limiting. */
  limited(reason: string): void {
    this.counters.limited++;
    this.warn(`${this.#spec.name} turns clients away: ${reason}`);
  }

  warn(message: string): void {
    const now = this.environment.clock.monotonic();
    if (now - this.#lastWarning >= WARN_EVERY) {
      this.#lastWarning = now;
      this.environment.logger.warn(message);
    }
  }

  get traffic(): ServiceTraffic {
    const { key, name, protocol, options } = this.#spec;
    const counters = { ...this.counters };
    const bytesByEndpoint = new Map([...this.#bytes].map(([endpoint, bytes]) => [endpoint, { ...bytes }]));
    const copies = new Map([...this.#bytes].map(([endpoint, bytes]) => [bytes, bytesByEndpoint.get(endpoint)]));
    for (const [{ bytesToEndpoint, bytesToClient }, of] of this.carried) {
      counters.bytesToEndpoints += bytesToEndpoint;
      counters.bytesToClients += bytesToClient;
      const copy = copies.get(of);
      if (copy !== undefined) {
        copy.toEndpoints += bytesToEndpoint;
        copy.toClients += bytesToClient;
      }
    }
    return {
      servicePort: key,
      name,
      protocol,
      activeByEndpoint: new Map(this.balancer.active),
      connectionsByEndpoint: new Map(this.balancer.begun),
      bytesByEndpoint,
      countConnections: options.countConnections,
      ...counters,
    };
  }

  /** Resets all open connections. */
  closeAll(): void {
    this.keepAll();
    for (const connection of [...this.open]) {
      connection.close();
    }
  }
}
