import type { Dataplane } from '../contract/dataplane.js';
import type { ChangeSet } from '../model/change-set.js';
import type { Frontend } from '../model/frontend.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { optionsOfBackends } from '../model/same-rendering.js';
import type { ServicePortKey } from '../model/service-port-name.js';

/** The state of a service port in a {@link FakeDataplane}: what a backend would render, as text. */
export type InstalledServicePorts = ReadonlyMap<ServicePortKey, string>;

/** Entries to set (text) or remove (undefined). */
export type FakeTransaction = ReadonlyMap<ServicePortKey, string | undefined>;

/** Text with everything that a backend renders of a service port. */
export function renderServicePort(port: ResolvedServicePort): string {
  return JSON.stringify({
    frontends: port.frontends.map(renderFrontend).sort(),
    cluster: port.cluster.map(({ key }) => key),
    local: port.local.map(({ key }) => key),
    here: port.cluster.filter(({ isLocal }) => isLocal).map(({ key }) => key),
    weights: [port.cluster, port.local].map((list) => list.map(({ weight, slowStart }) => [weight, slowStart ?? null])),
    affinitySeconds: port.affinitySeconds,
    slowStartSeconds: port.servicePort.slowStartSeconds,
    whenEndpointGoes: port.servicePort.whenEndpointGoes,
    options: optionsOfBackends(port),
  });
}

function renderFrontend({ key, kind, lastPort, allowedSources, exceptAddresses, routes }: Frontend): string {
  return JSON.stringify({ key, kind, lastPort, allowedSources, exceptAddresses, routes });
}

/** The contents that a fresh start installs for a state. */
export function renderState(state: ProxyState): InstalledServicePorts {
  return new Map([...state.servicePorts].map(([key, port]) => [key, renderServicePort(port)]));
}

/**
 * A backend whose kernel is a map, with the guarantees of a real one: a transaction is atomic, unless it is made to
 * fail half way; and foreign changes persist until they are reconciled.
 */
export class FakeDataplane implements Dataplane<FakeTransaction, InstalledServicePorts> {
  #installed = new Map<ServicePortKey, string>();
  #failures: ('before' | 'halfway' | 'after')[] = [];
  /** Successful transactions. */
  applied = 0;
  /** Total number of service ports that transactions wrote. */
  written = 0;
  /** Called during `apply`, before the transaction is written. */
  onApply: (() => void | Promise<void>) | undefined;
  /** The contents were not read since the last flush. */
  isFlushed = false;

  get contents(): InstalledServicePorts {
    return this.#installed;
  }

  /** Makes the next calls of `apply` fail: before anything is written, half way, or after everything is written. */
  failNext(...when: readonly ('before' | 'halfway' | 'after')[]): void {
    this.#failures.push(...when);
  }

  /** Removes everything, as a foreign flush does. */
  flush(): void {
    this.#installed.clear();
    this.isFlushed = true;
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledServicePorts): FakeTransaction | undefined {
    const transaction = new Map<ServicePortKey, string | undefined>();
    for (const [key, { current }] of changes.servicePorts) {
      const text = current && renderServicePort(current);
      if (!installed || installed.get(key) !== text) {
        transaction.set(key, text);
      }
    }
    for (const key of installed?.keys() ?? []) {
      if (!next.servicePorts.has(key)) {
        transaction.set(key, undefined);
      }
    }
    return transaction.size === 0 ? undefined : transaction;
  }

  async apply(transaction: FakeTransaction): Promise<void> {
    await this.onApply?.();
    const failure = this.#failures.shift();
    if (failure === 'before') {
      throw new Error('injected: nothing was written');
    }
    let left = failure === 'halfway' ? Math.floor(transaction.size / 2) : transaction.size;
    const next = new Map(this.#installed);
    for (const [key, text] of transaction) {
      if (left-- <= 0) {
        break;
      }
      if (text === undefined) {
        next.delete(key);
      } else {
        next.set(key, text);
      }
    }
    this.#installed = next;
    if (failure) {
      throw new Error(`injected: ${failure}`);
    }
    this.applied += 1;
    this.written += transaction.size;
  }

  async readBack(): Promise<InstalledServicePorts> {
    this.isFlushed = false;
    return new Map(this.#installed);
  }

  async cleanup(): Promise<void> {
    this.#installed.clear();
  }
}
