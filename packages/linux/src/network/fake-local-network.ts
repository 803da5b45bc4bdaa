import type { LocalNetwork } from './local-network.js';

/** A host with exactly these addresses, in addition to loopback. */
export class FakeLocalNetwork implements LocalNetwork {
  readonly #addresses: Set<string>;

  /** @param addresses canonical. */
  constructor(addresses: readonly string[] = []) {
    this.#addresses = new Set(['127.0.0.1', '::1', ...addresses]);
  }

  add(address: string): void {
    this.#addresses.add(address);
  }

  remove(address: string): void {
    this.#addresses.delete(address);
  }

  async localAddresses(): Promise<readonly string[]> {
    return [...this.#addresses].sort();
  }
}
