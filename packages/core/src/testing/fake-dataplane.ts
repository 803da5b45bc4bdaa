import type { Dataplane } from '../contract/dataplane.js';
import type { ChangeSet } from '../model/change-set.js';
import type { Frontend } from '../model/frontend.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import type { ServicePortKey } from '../model/service-port-name.js';

/** What a {@link FakeDataplane} keeps of a service port: what a backend would print, as text. */
export type InstalledServicePorts = ReadonlyMap<ServicePortKey, string>;

/** Entries to set (text) or remove (undefined). */
export type FakeTransaction = ReadonlyMap<ServicePortKey, string | undefined>;

/** Text that says all that a backend renders of a service port. */
export function renderServicePort(port: ResolvedServicePort): string {
  return JSON.stringify({
    frontends: port.frontends.map(renderFrontend).sort(),
    cluster: port.cluster.map(({ key }) => key),
    local: port.local.map(({ key }) => key),
    here: port.cluster.filter(({ isLocal }) => isLocal).map(({ key }) => key),
    affinitySeconds: port.affinitySeconds,
  });
}

function renderFrontend({ key, kind, allowedSources, exceptAddresses, routes }: Frontend): string {
  return JSON.stringify({ key, kind, allowedSources, exceptAddresses, routes });
}

/** What a fresh start would install for a state. */
export function renderState(state: ProxyState): InstalledServicePorts {
  return new Map([...state.servicePorts].map(([key, port]) => [key, renderServicePort(port)]));
}

/**
 * A backend whose kernel is a map, with the promises of a real one: a transaction is all or nothing, unless it is
 * made to fail half way; and what others do to it stays until it is reconciled.
 */
export class FakeDataplane implements Dataplane<FakeTransaction, InstalledServicePorts> {
  private installed = new Map<ServicePortKey, string>();
  private failures: ('before' | 'halfway' | 'after')[] = [];
  /** Transactions that were applied, failed ones not counted. */
  applied = 0;
  /** Service ports that transactions wrote, over all. */
  written = 0;
  /** Called while a transaction is being applied, before it is. */
  onApply: (() => void | Promise<void>) | undefined;
  /** Nobody has read what is installed since it was flushed. */
  isFlushed = false;

  get contents(): InstalledServicePorts {
    return this.installed;
  }

  /** Has the next calls of `apply` fail: before anything is written, half way, or after all is written. */
  failNext(...when: readonly ('before' | 'halfway' | 'after')[]): void {
    this.failures.push(...when);
  }

  /** As a foreigner would: everything gone. */
  flush(): void {
    this.installed.clear();
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
    const failure = this.failures.shift();
    if (failure === 'before') {
      throw new Error('injected: nothing was written');
    }
    let left = failure === 'halfway' ? Math.floor(transaction.size / 2) : transaction.size;
    const next = new Map(this.installed);
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
    this.installed = next;
    if (failure) {
      throw new Error(`injected: ${failure}`);
    }
    this.applied += 1;
    this.written += transaction.size;
  }

  async readBack(): Promise<InstalledServicePorts> {
    this.isFlushed = false;
    return new Map(this.installed);
  }

  async cleanup(): Promise<void> {
    this.installed.clear();
  }
}
