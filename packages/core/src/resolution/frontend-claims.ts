import type { FrontendKey } from '../model/frontend.js';
import { PersistentMap } from '../model/persistent-map.js';
import type { ServicePort } from '../model/service-port.js';
import { serviceKey } from '../model/service-port-name.js';

const NONE: readonly ServicePort[] = [];

/**
 * Assigns addresses to service ports. Two Services may claim the same external IP or, while one moves, the same cluster
 * IP or node port; kube-proxy's result then depends on chance. Here the older Service owns the address, and the first
 * by name among equals; when it releases the address, the next claimant gets it.
 */
export class FrontendClaims {
  /** The owner first. A single claim, the common case, is stored without a list. */
  readonly #claims = PersistentMap.empty<FrontendKey, ServicePort | readonly ServicePort[]>().draft();

  holder(key: FrontendKey): ServicePort | undefined {
    const claim = this.#claims.get(key);
    return claim !== undefined && isList(claim) ? claim[0] : claim;
  }

  /** @returns other service ports that gained or lost an address. */
  claim(key: FrontendKey, port: ServicePort): readonly ServicePort[] {
    const known = this.#claims.get(key);
    if (known === undefined || (!isList(known) && known.key === port.key)) {
      this.#claims.set(key, port);
      return NONE;
    }
    const before = this.#of(key);
    const others = before.filter((claim) => claim.key !== port.key);
    const after = others.length === 0 ? port : [...others, port].sort(byPrecedence);
    this.#claims.set(key, after);
    return this.#moved(before[0], this.holder(key), port);
  }

  /** Releases a claim. @returns as `claim`. */
  release(key: FrontendKey, port: ServicePort): readonly ServicePort[] {
    const before = this.#of(key);
    const after = before.filter((claim) => claim.key !== port.key);
    if (after.length === 0) {
      this.#claims.delete(key);
    } else {
      this.#claims.set(key, after.length === 1 ? (after[0] as ServicePort) : after);
    }
    return this.#moved(before[0], this.holder(key), port);
  }

  /** All claimants, the owner first. */
  claimants(key: FrontendKey): readonly ServicePort[] {
    return this.#of(key);
  }

  #of(key: FrontendKey): readonly ServicePort[] {
    const claim = this.#claims.get(key);
    return claim === undefined ? [] : isList(claim) ? claim : [claim];
  }

  #moved(from: ServicePort | undefined, to: ServicePort | undefined, self: ServicePort): readonly ServicePort[] {
    if (from?.key === to?.key) {
      return NONE;
    }
    return [from, to].filter((port): port is ServicePort => port !== undefined && port.key !== self.key);
  }
}

function isList(claim: ServicePort | readonly ServicePort[]): claim is readonly ServicePort[] {
  return Array.isArray(claim);
}

/** Negative when `left` has precedence: the older Service, and the first by name among equals. */
export function byPrecedence(left: ServicePort, right: ServicePort): number {
  return (
    left.createdAt - right.createdAt ||
    compareText(serviceKey(left.name), serviceKey(right.name)) ||
    compareText(left.key, right.key)
  );
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
