import type { Clock } from '@kube-proxier/core';

/** Milliseconds for which a list of addresses is cached. */
const LIFETIME = 10_000;

/** The addresses of the node, read in the background while they are requested. */
export class OwnAddresses {
  #addresses: ReadonlySet<string> = new Set();
  #due = Number.NEGATIVE_INFINITY;
  #isReading = false;

  constructor(
    private readonly localAddresses: () => Promise<readonly string[]>,
    private readonly clock: Clock,
  ) {}

  /** Whether it is one of the last known addresses; reads them at most once in 10 s. Never waits. */
  has(address: string): boolean {
    if (!this.#isReading && this.clock.monotonic() >= this.#due) {
      void this.refresh();
    }
    return this.#addresses.has(address);
  }

  /** Reads them. On failure, the last known addresses are kept. Never rejects. */
  async refresh(): Promise<void> {
    this.#isReading = true;
    try {
      this.#addresses = new Set(await this.localAddresses());
    } catch {
      // The next read may succeed; until then only loopback has a reserved limit.
    } finally {
      this.#isReading = false;
      this.#due = this.clock.monotonic() + LIFETIME;
    }
  }
}
