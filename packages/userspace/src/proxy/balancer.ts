import type { LoadBalancing } from '../plan/service-options.js';
import type { ServiceSpec, Target } from '../plan/userspace-transaction.js';

type ListName = 'cluster' | 'local';

interface AffinityRecord {
  readonly key: string;
  lastUsed: number;
}

/** Maximum number of affinity entries of one service port, with LRU eviction. */
const MAX_CLIENTS = 100_000;
/** Milliseconds for which an endpoint that refused a client is skipped while there is another; until it answers. */
const AVOIDED_FOR = 10_000;

/** Clock and random source of a {@link Balancer}. */
export interface BalancerOptions {
  /** Milliseconds since any fixed time; never set back. */
  readonly now: () => number;
  /** 0 inclusive to 1 exclusive. Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Selects endpoints for one service port (spec U-22…U-26): round robin or least connections, by weight, after session
 * affinity. Each list has its own round robin; affinity entries apply to both, while the endpoint is in the selected
 * list.
 */
export class Balancer {
  #lists: Readonly<Record<ListName, readonly Target[]>> = { cluster: [], local: [] };
  readonly #turns: Record<ListName, number> = { cluster: 0, local: 0 };
  /** Of lists with unequal weights, by endpoint key: the one with most is next. */
  readonly #credits: Record<ListName, Map<string, number> | undefined> = { cluster: undefined, local: undefined };
  /** Clients by address, least recently used first. */
  readonly #clients = new Map<string, AffinityRecord>();
  readonly #active = new Map<string, number>();
  readonly #begun = new Map<string, number>();
  /** When endpoints refused a client last, by their keys. */
  readonly #refusals = new Map<string, number>();
  #affinity: number | undefined;
  #policy: LoadBalancing = 'round-robin';

  constructor(private readonly options: BalancerOptions) {}

  /** Open connections by endpoint key. */
  get active(): ReadonlyMap<string, number> {
    return this.#active;
  }

  /** Number of affinity entries. */
  get remembered(): number {
    return this.#clients.size;
  }

  /** Applies a service port. Affinity entries of removed endpoints are deleted (spec U-24). */
  update(spec: Pick<ServiceSpec, 'cluster' | 'local' | 'affinitySeconds' | 'options'>): void {
    for (const name of ['cluster', 'local'] as const) {
      if (!sameTargets(this.#lists[name], spec[name])) {
        // Not the first one, with which the proxies of all nodes would start.
        const random = this.options.random ?? Math.random;
        this.#turns[name] = Math.floor(random() * Math.max(1, spec[name].length));
        this.#credits[name] = isWeighted(spec[name])
          ? new Map(spec[name].map(({ key, weight }) => [key, random() * weight]))
          : undefined;
      }
    }
    this.#lists = { cluster: spec.cluster, local: spec.local };
    const known = this.endpointKeys();
    for (const key of this.#refusals.keys()) {
      if (!known.has(key)) {
        this.#refusals.delete(key);
      }
    }
    for (const key of this.#begun.keys()) {
      if (!known.has(key)) {
        this.#begun.delete(key);
      }
    }
    this.#policy = spec.options.loadBalancing;
    this.#affinity = spec.affinitySeconds === undefined ? undefined : spec.affinitySeconds * 1000;
    if (this.#affinity === undefined) {
      this.#clients.clear();
      return;
    }
    for (const [client, { key }] of this.#clients) {
      if (!known.has(key)) {
        this.#clients.delete(client);
      }
    }
  }

  /** Keys of all endpoints of both lists. */
  endpointKeys(): ReadonlySet<string> {
    return new Set([...this.#lists.cluster, ...this.#lists.local].map(({ key }) => key));
  }

  /**
   * Picks an endpoint for a client.
   *
   * @param failed keys of endpoints that were tried for this connection: affinity is ignored, and another endpoint is
   *   selected if there is one (spec U-22).
   * @returns undefined when the list is empty.
   */
  pick(list: ListName, client: string, failed?: ReadonlySet<string>): Target | undefined {
    const endpoints = this.#lists[list];
    if (endpoints.length === 0) {
      return undefined;
    }
    const remembered = failed || this.#affinity === undefined ? undefined : this.#recall(endpoints, client);
    const chosen = remembered ?? this.#next(list, endpoints, failed);
    if (this.#affinity !== undefined) {
      this.#remember(client, chosen.key);
    }
    return chosen;
  }

  /**
   * Records that a selected endpoint refused a client. Deletes the client's affinity entry (spec U-22). For 10 seconds,
   * or until it answers a client, the endpoint is selected only if there is no other. Affinity entries of other clients
   * are kept (spec U-35).
   */
  refused(client: string, key: string): void {
    if (this.#clients.get(client)?.key === key) {
      this.#clients.delete(client);
    }
    this.#refusals.set(key, this.options.now());
  }

  /** Records that an endpoint answered a client: it is selected again (spec U-35). */
  answered(key: string): void {
    this.#refusals.delete(key);
  }

  /** Connections so far, by the key of each endpoint that has not gone. */
  get begun(): ReadonlyMap<string, number> {
    return this.#begun;
  }

  /** A connection to an endpoint begins; call what is returned once, when it ends. */
  begin(key: string): () => void {
    this.#begun.set(key, (this.#begun.get(key) ?? 0) + 1);
    this.#active.set(key, (this.#active.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#active.get(key) ?? 1) - 1;
      if (left > 0) {
        this.#active.set(key, left);
      } else {
        this.#active.delete(key);
      }
    };
  }

  /** Deletes expired affinity entries (spec U-26). */
  forgetStale(): void {
    const since = this.options.now() - (this.#affinity ?? 0);
    for (const [client, { lastUsed }] of this.#clients) {
      if (lastUsed > since) {
        return;
      }
      this.#clients.delete(client);
    }
  }

  #recall(endpoints: readonly Target[], client: string): Target | undefined {
    const record = this.#clients.get(client);
    if (!record || this.options.now() - record.lastUsed >= (this.#affinity ?? 0)) {
      return undefined;
    }
    return endpoints.find(({ key }) => key === record.key);
  }

  #remember(client: string, key: string): void {
    // Inserted again, so that it is last.
    this.#clients.delete(client);
    this.#clients.set(client, { key, lastUsed: this.options.now() });
    if (this.#clients.size > MAX_CLIENTS) {
      const [oldest] = this.#clients.keys();
      this.#clients.delete(oldest as string);
    }
  }

  #next(list: ListName, endpoints: readonly Target[], failed: ReadonlySet<string> | undefined): Target {
    const first = this.#turns[list] % endpoints.length;
    const credits = this.#credits[list];
    if (this.#policy === 'round-robin' && credits !== undefined) {
      return this.#nextByWeight(endpoints, credits, failed) ?? (endpoints[first] as Target);
    }
    let best: Target | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (let offset = 0; offset < endpoints.length; offset++) {
      const at = (first + offset) % endpoints.length;
      const candidate = endpoints[at] as Target;
      if (failed?.has(candidate.key) || this.#isAvoided(candidate.key)) {
        continue;
      }
      if (this.#policy === 'round-robin') {
        this.#turns[list] = (at + 1) % endpoints.length;
        return candidate;
      }
      const load = (this.#active.get(candidate.key) ?? 0) / candidate.weight;
      if (load < fewest) {
        fewest = load;
        best = candidate;
      }
    }
    this.#turns[list] = (first + 1) % endpoints.length;
    return best ?? (endpoints[first] as Target);
  }

  /** Smooth weighted round robin: each entry gains its weight, the highest is selected and pays the sum. */
  #nextByWeight(
    endpoints: readonly Target[],
    credits: Map<string, number>,
    failed: ReadonlySet<string> | undefined,
  ): Target | undefined {
    let best: Target | undefined;
    let most = Number.NEGATIVE_INFINITY;
    let total = 0;
    for (const candidate of endpoints) {
      const { key, weight } = candidate;
      if (failed?.has(key) || this.#isAvoided(key)) {
        continue;
      }
      const credit = (credits.get(key) ?? 0) + weight;
      credits.set(key, credit);
      total += weight;
      if (credit > most) {
        most = credit;
        best = candidate;
      }
    }
    if (best !== undefined) {
      credits.set(best.key, most - total);
    }
    return best;
  }

  #isAvoided(key: string): boolean {
    const refusedAt = this.#refusals.get(key);
    return refusedAt !== undefined && this.options.now() - refusedAt < AVOIDED_FOR;
  }
}

/** Lists are sorted by key. */
function sameTargets(left: readonly Target[], right: readonly Target[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ key, weight }, index) => key === right[index]?.key && weight === right[index]?.weight)
  );
}

function isWeighted(endpoints: readonly Target[]): boolean {
  return endpoints.some(({ weight }) => weight !== endpoints[0]?.weight);
}
