import { networkInterfaces } from 'node:os';
import { parseAddress } from '@kube-proxier/core';
import { isUsable } from '../link/link-messages.js';
import { type KernelFiles, kernelFiles } from '../process/kernel-files.js';

/** The addresses of this host. */
export interface LocalNetwork {
  /**
   * Canonical addresses of all interfaces, both families, sorted, without duplicates: including loopback, link-local
   * addresses (without zone) and those of interfaces that are down. Without IPv6 addresses during duplicate address
   * detection or after its failure.
   */
  localAddresses(): Promise<readonly string[]>;
}

/**
 * {@link LocalNetwork} from the kernel's routing tables in `/proc/net`: exactly the addresses that packet filters treat
 * as local. `os.networkInterfaces` omits interfaces that are down, such as IPVS's dummy interface; it is used only
 * where `/proc/net` cannot be read.
 */
export class ProcLocalNetwork implements LocalNetwork {
  readonly #files: KernelFiles;

  /** @param files access to `/proc/net`; default is that of this process. */
  constructor(files: KernelFiles = kernelFiles) {
    this.#files = files;
  }

  async localAddresses(): Promise<readonly string[]> {
    const [ipv4, ipv6] = await Promise.all([
      this.#read('/proc/net/fib_trie', parseFibTrie, 'IPv4'),
      this.#read('/proc/net/if_inet6', parseIfInet6, 'IPv6'),
    ]);
    return [...new Set([...ipv4, ...ipv6])].sort();
  }

  async #read(path: string, parse: (text: string) => string[], family: 'IPv4' | 'IPv6'): Promise<string[]> {
    try {
      return parse(await this.#files.read(path));
    } catch {
      return Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .filter((address) => address.family === family)
        .flatMap(({ address }) => parseAddress(address.replace(/%.*/, ''))?.text ?? []);
    }
  }
}

/** Host addresses of the local routing table: a `|--` line with an address, then `/32 host LOCAL`. Pure. */
export function parseFibTrie(text: string): string[] {
  const addresses: string[] = [];
  let address: string | undefined;
  for (const line of text.split('\n')) {
    const node = /^\s*\|-- (\S+)/.exec(line);
    if (node) {
      address = node[1];
    } else if (address !== undefined && /^\s*\/32 host LOCAL/.test(line)) {
      addresses.push(address);
    }
  }
  return addresses;
}

/** Each line has an address as 32 hexadecimal digits, number, prefix length and scope, flags, and a name. Pure. */
export function parseIfInet6(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [, hex = '', flags = ''] = /^([0-9a-f]{32})\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)\s/i.exec(line) ?? [];
    const address = parseAddress(hex.match(/.{4}/g)?.join(':') ?? '')?.text;
    return address !== undefined && isUsable(Number.parseInt(flags, 16)) ? [address] : [];
  });
}
