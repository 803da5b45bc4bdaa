import type { IPFamily } from '@kube-proxier/core';

/** Addresses of this host that sockets can be bound to, and the last bound ones. */
export class LocalAddresses {
  #applied = '';

  /** @param source canonical addresses of all interfaces. */
  constructor(
    private readonly family: IPFamily,
    private readonly source: () => Promise<readonly string[]>,
  ) {}

  /** Addresses of the family, except link-local ones: they depend on an interface, and cannot be bound without it. */
  async read(): Promise<readonly string[]> {
    const ipv6 = this.family === 'IPv6';
    const addresses = await this.source();
    return addresses.filter((address) => address.includes(':') === ipv6 && !/^(fe[89ab]|169\.254\.)/.test(address));
  }

  /** Whether sockets were bound to exactly these addresses. */
  isApplied(addresses: readonly string[]): boolean {
    return addresses.join(' ') === this.#applied;
  }

  markApplied(addresses: readonly string[]): void {
    this.#applied = addresses.join(' ');
  }
}
