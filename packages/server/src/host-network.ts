import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { parseAddress } from '@kube-proxier/core';

/** What a {@link ProxyServer} asks of its host's network. */
export interface HostNetwork {
  /** Canonical addresses of all interfaces, of both families. */
  localAddresses(): Promise<readonly string[]>;
  /** Whether IPv6 is there and switched on (spec M-6). */
  hasIPv6(): Promise<boolean>;
}

/** The host that this process runs on, in its network namespace. */
export const thisHost: HostNetwork = {
  async localAddresses() {
    const found = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    // Zones (`fe80::1%eth0`) are told in a field of their own, so `address` is plain.
    return [...new Set(found.flatMap(({ address }) => parseAddress(address)?.text ?? []))];
  },
  async hasIPv6() {
    try {
      await readFile('/proc/net/if_inet6');
      return (await readFile('/proc/sys/net/ipv6/conf/all/disable_ipv6', 'utf8')).trim() !== '1';
    } catch {
      return false;
    }
  },
};
