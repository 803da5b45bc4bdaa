import type { Clock } from '@kube-proxier/core';

/** Milliseconds that a list of addresses serves. */
const LIFETIME = 10_000;

/** The addresses of the node, looked up in the background while somebody asks for them. */
export class OwnAddresses {
  #addresses: ReadonlySet<string> = new Set();
  #due = Number.NEGATIVE_INFINITY;
  #looking = false;

  constructor(
    private readonly localAddresses: () => Promise<readonly string[]>,
    private readonly clock: Clock,
  ) {}

  /** Whether it is one, as far as is known; at most one look at the host in 10 s. Never waits. */
  has(address: string): boolean {
    if (!this.#looking && this.clock.monotonic() >= this.#due) {
      void this.refresh();
    }
    return this.#addresses.has(address);
  }

  /** Looks them up. Where that fails, those that are known stay. Never rejects. */
  async refresh(): Promise<void> {
    this.#looking = true;
    try {
      this.#addresses = new Set(await this.localAddresses());
    } catch {
      // The next look may succeed; until then only loopback has room of its own.
    } finally {
      this.#looking = false;
      this.#due = this.clock.monotonic() + LIFETIME;
    }
  }
}
