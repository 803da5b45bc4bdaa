import type { ServicePortKey } from '@kube-proxier/core';
import type {
  ListenerId,
  ListenerSpec,
  Portal,
  ProxiedProtocol,
  ServiceSpec,
  Target,
} from '../plan/userspace-transaction.js';

/** Keys, each of which may have several owners. Cost follows what is set. */
class KeyOwners {
  readonly #owners = new Map<string, Set<string>>();
  readonly #keys = new Map<string, ReadonlySet<string>>();

  /** @returns keys that gained their first or lost their last owner. */
  set(owner: string, keys: ReadonlySet<string>): readonly string[] {
    const before = this.keysOf(owner);
    const changed: string[] = [];
    for (const key of before) {
      if (!keys.has(key)) {
        const owners = this.#owners.get(key);
        owners?.delete(owner);
        if (owners?.size === 0) {
          this.#owners.delete(key);
          changed.push(key);
        }
      }
    }
    for (const key of keys) {
      const owners = this.#owners.get(key);
      if (owners) {
        owners.add(owner);
      } else {
        this.#owners.set(key, new Set([owner]));
        changed.push(key);
      }
    }
    if (keys.size > 0) {
      this.#keys.set(owner, keys);
    } else {
      this.#keys.delete(owner);
    }
    return changed;
  }

  has(key: string): boolean {
    return this.#owners.has(key);
  }

  ownersOf(key: string): Iterable<string> {
    return this.#owners.get(key) ?? [];
  }

  owners(): readonly string[] {
    return [...this.#keys.keys()];
  }

  keysOf(owner: string): ReadonlySet<string> {
    return this.#keys.get(owner) ?? new Set();
  }
}

const NONE: ReadonlySet<string> = new Set();

function keyOf(protocol: ProxiedProtocol, address: string, port: number): string {
  return `${protocol} ${address} ${port}`;
}

function frontendsOf({ place, protocol, portals }: ListenerSpec): ReadonlySet<string> {
  return place.kind === 'proxy-port'
    ? new Set(portals.flatMap(({ address, port }) => (address === undefined ? [] : [keyOf(protocol, address, port)])))
    : NONE;
}

function endpointsOf({ protocol, cluster, local }: ServiceSpec): ReadonlySet<string> {
  return new Set([...cluster, ...local].map(({ address, port }) => keyOf(protocol, address, port)));
}

/**
 * Tracks endpoints that are also redirected frontends: an external IP may be the address of a pod. A connection of this
 * backend to such an endpoint would loop back to one of its own sockets.
 */
export class RedirectedEndpoints {
  readonly #frontends = new KeyOwners();
  readonly #endpoints = new KeyOwners();
  /** Rules of an instance before this one may be in force. */
  #rulesKnown = false;

  /** Whether a rule may redirect what this host sends to an endpoint. */
  includes(protocol: ProxiedProtocol, { address, port }: Pick<Target, 'address' | 'port'>): boolean {
    return !this.#rulesKnown || this.#frontends.has(keyOf(protocol, address, port));
  }

  /** Frontends of a listener that are endpoints of any service port. */
  portalsAtEndpoints({ protocol, place, portals }: ListenerSpec): readonly Portal[] {
    return place.kind === 'proxy-port'
      ? portals.filter(
          ({ address, port }) => address !== undefined && this.#endpoints.has(keyOf(protocol, address, port)),
        )
      : [];
  }

  /** Called before rules of a listener are written. Earlier rules may be in force as well. */
  announce(listener: ListenerSpec): void {
    this.#frontends.set(listener.id, new Set([...this.#frontends.keysOf(listener.id), ...frontendsOf(listener)]));
  }

  /**
   * Called when rules are in force.
   *
   * @param listeners those that have rules, by their ids.
   * @param ids whose rules were written, and removed where `listeners` has none of that id.
   */
  confirm(
    listeners: ReadonlyMap<ListenerId, { readonly spec: ListenerSpec }>,
    ids: Iterable<ListenerId> | 'all',
  ): void {
    this.#rulesKnown = true;
    for (const id of [...listeners.keys(), ...(ids === 'all' ? this.#frontends.owners() : ids)]) {
      const listener = listeners.get(id);
      this.#frontends.set(id, listener ? frontendsOf(listener.spec) : NONE);
    }
  }

  /** @returns listeners with a frontend that became, or stopped being, an endpoint. */
  setService(service: ServiceSpec): readonly ListenerId[] {
    return this.#listenersAt(this.#endpoints.set(service.key, endpointsOf(service)));
  }

  /** @returns the same. */
  removeService(key: ServicePortKey): readonly ListenerId[] {
    return this.#listenersAt(this.#endpoints.set(key, NONE));
  }

  #listenersAt(keys: readonly string[]): readonly ListenerId[] {
    return keys.flatMap((key) => [...this.#frontends.ownersOf(key)]);
  }
}
