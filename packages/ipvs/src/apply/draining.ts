import { type Clock, GONE_AFTER, messageOf, type Timer } from '@kube-proxier/core';
import {
  type IpSetEntry,
  type Ipvs,
  type IpvsCommand,
  type VirtualServerAddress,
  virtualServerKey,
} from '@kube-proxier/linux';
import { type DrainingServer, drainingKey, frontendItemKey, type Retirement } from '../plan/ipvs-transaction.js';
import { virtualItemKey } from '../plan/service-items.js';
import { isMissing, type Refusal, refusedServers } from './refusal.js';

/** Milliseconds between two checks for remaining connections. */
export const DRAIN_INTERVAL = 5000;
const LOST_AFTER = 2 * GONE_AFTER;

export interface DrainingOptions {
  readonly ipvs: Ipvs;
  readonly clock: Clock;
  /** Removes what sends packets to virtual servers. */
  readonly detach: (attachments: Attachments) => Promise<readonly Refusal[]>;
  /** Runs work while nothing else is written. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  readonly onFailure: (reason: string) => void;
  /**
   * Whether the endpoint of a draining server was removed and its connections must be reset (spec R-1). Default: never.
   */
  readonly isLost?: (server: DrainingServer) => boolean;
  /** Milliseconds since its removal. Default 2000: conntrack entries are deleted first. */
  readonly lostAfter?: number;
}

/** What sends packets to virtual servers: addresses of the interface, and entries of the set of frontends. */
export interface Attachments {
  readonly addresses: readonly string[];
  readonly entries: readonly IpSetEntry[];
}

/** A virtual server that is no longer desired, but has connections. */
interface Retiring {
  readonly at: VirtualServerAddress;
  readonly reals: readonly DrainingServer[];
  readonly addresses: Set<string>;
  entry: IpSetEntry | undefined;
}

/**
 * Deletes draining real servers, each when it has no connection left.
 *
 * - TCP and SCTP: weight 0 keeps new connections away. Open connections continue until they close; the kernel expires
 *   an idle connection after its timeout (15 minutes for TCP by default) and a closed one within two minutes, and the
 *   next check after the last one removes the server.
 * - UDP has no end of a connection: when its endpoint stops serving, the server is deleted at once, and the next packet
 *   of a flow is sent to another one. Until then it has weight 0.
 *
 * - If the Service requests it (spec R-1), a server is deleted with its connections when its endpoint is removed, not
 *   when it terminates: with `expire_nodest_conn` the kernel expires them, and their next packet is answered with a
 *   reset.
 *
 * A virtual server that is no longer desired is kept with weight 0 while it has open connections: removing a Service
 * interrupts no client. New connections are refused. Its address stays on the interface until then.
 *
 * Draining destinations can be recognised in the kernel (weight 0), so nothing is lost when this process ends meanwhile.
 */
export class Draining {
  readonly #servers = new Map<string, DrainingServer>();
  /** By server: time of the removal of its endpoint. */
  readonly #lostSince = new Map<string, number>();
  readonly #retiring = new Map<string, Retiring>();
  #timer: Timer | undefined;
  #looking = false;

  constructor(private readonly options: DrainingOptions) {}

  /** Number of draining real servers. */
  get size(): number {
    return this.#servers.size;
  }

  /** Adds servers that already have weight 0, and checks them soon. */
  add(servers: readonly DrainingServer[]): void {
    for (const server of servers) {
      this.#servers.set(drainingKey(server), server);
    }
    if (servers.length > 0) {
      this.#lookIn(0);
    }
  }

  /** The servers of these commands are desired again. */
  keep(commands: readonly IpvsCommand[]): void {
    for (const command of this.#servers.size + this.#retiring.size === 0 ? [] : commands) {
      if (command.do === 'add-virtual') {
        this.#takeBack(virtualItemKey(command.virtual.at));
      } else if (command.do === 'add-real' || command.do === 'set-real') {
        this.#forget(drainingKey({ at: command.at, ...command.real }));
      }
    }
  }

  #forget(key: string): void {
    this.#servers.delete(key);
    this.#lostSince.delete(key);
  }

  /** Whether its connections must be reset now. */
  #isLost(key: string, server: DrainingServer): boolean {
    const { isLost, lostAfter = LOST_AFTER, clock } = this.options;
    if (isLost?.(server) !== true) {
      this.#lostSince.delete(key);
      return false;
    }
    const now = clock.monotonic();
    const since = this.#lostSince.get(key) ?? now;
    this.#lostSince.set(key, since);
    return now - since >= lostAfter;
  }

  /** The virtual server is desired again; its desired real servers are not known yet. */
  #takeBack(key: string): void {
    const { reals = [] } = this.#retiring.get(key) ?? {};
    this.#retiring.delete(key);
    for (const server of reals) {
      this.#servers.set(drainingKey(server), server);
    }
    if (reals.length > 0 && this.#timer === undefined) {
      this.#lookIn(DRAIN_INTERVAL);
    }
  }

  /** The addresses are desired again. */
  keepAddresses(addresses: readonly string[]): void {
    for (const { addresses: held } of this.#retiring.values()) {
      for (const address of addresses) {
        held.delete(address);
      }
    }
  }

  /** The addresses that no draining virtual server needs; other addresses are removed with the last connection. */
  removable(addresses: readonly string[]): readonly string[] {
    return addresses.filter((address) => {
      const users = [...this.#retiring.values()].filter((retiring) => mayUse(retiring, address));
      for (const { addresses: held } of users) {
        held.add(address);
      }
      return users.length === 0;
    });
  }

  /** Deletes virtual servers; those with open connections when these have closed. */
  async retire({ servers, reals, addresses, entries }: Retirement): Promise<readonly Refusal[]> {
    const { ipvs, detach } = this.options;
    const weights = reals.map(
      ({ at, address, port }) => ({ do: 'set-real', at, real: { address, port, weight: 0 } }) as const,
    );
    const refusedWeights = refusedServers(weights, await ipvs.execute(weights));
    const byKey = new Map(entries.map((entry) => [frontendKey(entry), entry]));
    const idle: VirtualServerAddress[] = [];
    for (const at of servers) {
      const key = virtualItemKey(at);
      if (await this.#hasConnections(at)) {
        const own = reals.filter((real) => virtualItemKey(real.at) === key);
        this.#retiring.set(key, { at, reals: own, addresses: new Set(), entry: byKey.get(key) });
        byKey.delete(key);
      } else {
        idle.push(at);
      }
    }
    const deletions = idle.map((at) => ({ do: 'delete-virtual', at }) as const);
    const refused = [
      ...refusedWeights,
      ...(await detach({ addresses: this.removable(addresses), entries: [] })),
      ...refusedServers(deletions, await ipvs.execute(deletions)),
      ...(await detach({ addresses: [], entries: [...byKey.values()] })),
    ];
    if (this.#retiring.size > 0) {
      this.#lookIn(DRAIN_INTERVAL);
    }
    return refused.filter(({ error }) => !isMissing(error));
  }

  async #hasConnections(at: VirtualServerAddress): Promise<boolean> {
    return (await this.options.ipvs.realServers(at)).some(({ activeConnections }) => activeConnections > 0);
  }

  /** Clears all servers and stops checking. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#servers.clear();
    this.#lostSince.clear();
    this.#retiring.clear();
  }

  #lookIn(milliseconds: number): void {
    this.#timer?.cancel();
    this.#timer = this.options.clock.setTimer(milliseconds, () => {
      this.#timer = undefined;
      if (!this.#looking) {
        this.#looking = true;
        void this.options
          .inTurn(() => this.look())
          .catch((error) => this.options.onFailure(messageOf(error)))
          .finally(() => {
            this.#looking = false;
            if (this.#servers.size + this.#retiring.size > 0 && this.#timer === undefined) {
              const { lostAfter = LOST_AFTER } = this.options;
              this.#lookIn(this.#lostSince.size > 0 ? Math.min(lostAfter, DRAIN_INTERVAL) : DRAIN_INTERVAL);
            }
          });
      }
    });
  }

  /** Checks all once, and deletes those without connections. */
  async look(): Promise<void> {
    const { ipvs } = this.options;
    const byVirtual = new Map<string, DrainingServer[]>();
    for (const server of this.#servers.values()) {
      const key = virtualServerKey(server.at);
      byVirtual.set(key, [...(byVirtual.get(key) ?? []), server]);
    }
    for (const servers of byVirtual.values()) {
      const [{ at }] = servers as [DrainingServer];
      const found = new Map((await ipvs.realServers(at)).map((real) => [`${real.address}:${real.port}`, real]));
      const idle: DrainingServer[] = [];
      for (const server of servers) {
        const real = found.get(`${server.address}:${server.port}`);
        if (real === undefined || real.weight !== 0) {
          // Deleted, or has a weight again.
          this.#forget(drainingKey(server));
        } else if (
          !server.drains ||
          this.#isLost(drainingKey(server), server) ||
          real.activeConnections + real.inactiveConnections === 0
        ) {
          idle.push(server);
        }
      }
      const results = await ipvs.execute(idle.map(({ address, port }) => ({ do: 'delete-real', at, address, port })));
      for (const [index, server] of idle.entries()) {
        const result = results[index];
        if (result === undefined || isMissing(result)) {
          this.#forget(drainingKey(server));
        }
      }
    }
    for (const [key, retiring] of this.#retiring) {
      if (!(await this.#hasConnections(retiring.at))) {
        this.#retiring.delete(key);
        await this.#remove(retiring);
      }
    }
  }

  async #remove({ at, addresses, entry }: Retiring): Promise<void> {
    const { ipvs, detach } = this.options;
    await detach({ addresses: this.removable([...addresses]), entries: [] });
    await ipvs.execute([{ do: 'delete-virtual', at }]);
    await detach({ addresses: [], entries: entry === undefined ? [] : [entry] });
  }
}

/** The addresses of a virtual server with a mark are unknown. */
function mayUse({ at }: Retiring, address: string): boolean {
  return at.kind === 'mark' || at.address === address;
}

function frontendKey(entry: IpSetEntry): string {
  return frontendItemKey(entry) ?? '';
}
