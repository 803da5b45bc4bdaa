import type { KindChain } from './frontend-chains.js';
import type { ServiceElements } from './service-elements.js';

/** Parts that were added or removed between `begin` and `end`. */
export interface SharedChanges {
  readonly chains: ReadonlyMap<string, { readonly kind: KindChain; readonly isThere: boolean }>;
  readonly hairpins: ReadonlyMap<string, boolean>;
  /** Whether a service port had a range of ports before. */
  readonly hadRanges: boolean;
}

const NO_CHANGES: Pick<SharedChanges, 'chains' | 'hairpins'> = { chains: new Map(), hairpins: new Map() };

/** Reference counts of shared parts: chains by kind, and local endpoints. */
export class SharedParts {
  readonly #chains = new Map<string, { readonly kind: KindChain; count: number }>();
  readonly #hairpins = new Map<string, number>();
  #ranges = 0;
  #hadRanges = false;
  /** The values at `begin`, of the parts changed since. */
  readonly #chainsBefore = new Map<string, { readonly kind: KindChain; readonly wasThere: boolean }>();
  readonly #hairpinsBefore = new Map<string, boolean>();

  /** Whether a chain is in use. */
  has(chain: string): boolean {
    return this.#chains.has(chain);
  }

  /** Chains in use, by name. */
  get chains(): ReadonlyMap<string, KindChain> {
    return new Map([...this.#chains].map(([name, { kind }]) => [name, kind]));
  }

  get hairpins(): ReadonlyMap<string, number> {
    return this.#hairpins;
  }

  /** Whether a service port has a range of ports. */
  get hasRanges(): boolean {
    return this.#ranges > 0;
  }

  add(elements: ServiceElements): ServiceElements {
    return this.#count(elements, 1);
  }

  remove(elements: ServiceElements): ServiceElements {
    return this.#count(elements, -1);
  }

  begin(): void {
    this.#chainsBefore.clear();
    this.#hairpinsBefore.clear();
    this.#hadRanges = this.hasRanges;
  }

  end(): SharedChanges {
    if (this.#chainsBefore.size === 0 && this.#hairpinsBefore.size === 0) {
      return { ...NO_CHANGES, hadRanges: this.#hadRanges };
    }
    const chains = new Map<string, { kind: KindChain; isThere: boolean }>();
    for (const [name, { kind, wasThere }] of this.#chainsBefore) {
      const isThere = this.#chains.has(name);
      if (isThere !== wasThere) {
        chains.set(name, { kind, isThere });
      }
    }
    const hairpins = new Map<string, boolean>();
    for (const [key, wasThere] of this.#hairpinsBefore) {
      const isThere = this.#hairpins.has(key);
      if (isThere !== wasThere) {
        hairpins.set(key, isThere);
      }
    }
    const hadRanges = this.#hadRanges;
    this.begin();
    return { chains, hairpins, hadRanges };
  }

  #count(elements: ServiceElements, by: 1 | -1): ServiceElements {
    this.#ranges += elements.hasRanges ? by : 0;
    for (const kind of elements.chains) {
      const { name } = kind;
      const found = this.#chains.get(name);
      if (!this.#chainsBefore.has(name)) {
        this.#chainsBefore.set(name, { kind, wasThere: found !== undefined });
      }
      const count = (found?.count ?? 0) + by;
      if (count === 0) {
        this.#chains.delete(name);
      } else if (found !== undefined) {
        found.count = count;
      } else {
        this.#chains.set(name, { kind, count });
      }
    }
    for (const key of elements.hairpins) {
      const found = this.#hairpins.get(key);
      if (!this.#hairpinsBefore.has(key)) {
        this.#hairpinsBefore.set(key, found !== undefined);
      }
      const count = (found ?? 0) + by;
      if (count === 0) {
        this.#hairpins.delete(key);
      } else {
        this.#hairpins.set(key, count);
      }
    }
    return elements;
  }
}
