import { type Clock, messageOf, type Timer } from '@kube-proxier/core';
import { type Ipvs, type IpvsCommand, virtualServerKey } from '@kube-proxier/linux';
import { type DrainingServer, drainingKey } from './ipvs-transaction.js';

/** Milliseconds between two looks at connections that are left. */
export const DRAIN_INTERVAL = 5000;

export interface DrainingOptions {
  readonly ipvs: Ipvs;
  readonly clock: Clock;
  /** Runs work when nothing else is being written. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  readonly onFailure: (reason: string) => void;
}

/**
 * Takes real servers out that are on their way out, each when it has no connection left.
 *
 * - TCP and SCTP: weight 0 keeps new connections away. What is open goes on until it closes; the kernel forgets a
 *   connection that is silent for its timeout (15 minutes for TCP unless set otherwise) and one that was closed within
 *   two minutes, and with the next look after the last one the server goes.
 * - UDP has no end to wait for: the server goes at once, and the next packet of a flow is sent to another.
 *
 * What is on its way out can be seen in the kernel (weight 0), so nothing is lost when this process ends meanwhile.
 */
export class Draining {
  readonly #servers = new Map<string, DrainingServer>();
  #timer: Timer | undefined;
  #looking = false;

  constructor(private readonly options: DrainingOptions) {}

  /** Real servers on their way out. */
  get size(): number {
    return this.#servers.size;
  }

  /** Takes over servers whose weight is 0 already, and looks at them soon. */
  add(servers: readonly DrainingServer[]): void {
    for (const server of servers) {
      this.#servers.set(drainingKey(server), server);
    }
    if (servers.length > 0) {
      this.#lookIn(0);
    }
  }

  /** They are wanted again. */
  keep(commands: readonly IpvsCommand[]): void {
    for (const command of this.#servers.size === 0 ? [] : commands) {
      if (command.do === 'add-real' || command.do === 'set-real') {
        this.#servers.delete(drainingKey({ at: command.at, ...command.real }));
      }
    }
  }

  /** Forgets all, and stops looking. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#servers.clear();
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
            if (this.#servers.size > 0 && this.#timer === undefined) {
              this.#lookIn(DRAIN_INTERVAL);
            }
          });
      }
    });
  }

  /** Looks once, and takes out those without connections. */
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
          // Gone, or somebody gave it work again.
          this.#servers.delete(drainingKey(server));
        } else if (!server.drains || real.activeConnections + real.inactiveConnections === 0) {
          idle.push(server);
        }
      }
      const results = await ipvs.execute(idle.map(({ address, port }) => ({ do: 'delete-real', at, address, port })));
      for (const [index, server] of idle.entries()) {
        if (
          results[index] === undefined ||
          results[index]?.errnoName === 'ENOENT' ||
          results[index]?.errnoName === 'ESRCH'
        ) {
          this.#servers.delete(drainingKey(server));
        }
      }
    }
  }
}
