import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { STICKY_NODE_PORT, StickyClients } from './testing/sticky-clients.js';

const TIMEOUT = 300_000;

describe('session affinity over a change of the proxy mode', () => {
  let clients: StickyClients;

  beforeEach(async () => {
    clients = await StickyClients.create('nft');
  }, TIMEOUT);

  afterEach(() => clients.node.close());

  /** Runs mode nftables after other rules, which are in force, have served every client. */
  async function expectKept(kept: Readonly<Record<string, string>>): Promise<void> {
    expect(new Set(Object.values(kept))).toEqual(new Set(['pod1', 'pod2', 'remote-pod1']));
    await clients.runMode('nftables');
    expect(await clients.endpoints()).toEqual(kept);
    const report = new RegExp(`keep their endpoints .*clients=${StickyClients.count}`, 'g');
    expect(clients.node.log.match(report)).toHaveLength(2);
  }

  test(
    'clients keep their endpoints from mode iptables to mode nftables',
    async () => {
      await clients.runMode('iptables');
      const before = await clients.endpoints();
      await clients.node.stop();
      await expectKept(before);
    },
    TIMEOUT,
  );

  test(
    "clients keep their endpoints from kube-proxy's nftables mode",
    async () => {
      const { node, pods, remotePods } = clients.node.sandbox;
      for (const family of ['IPv4', 'IPv6'] as const) {
        const endpoints = [...pods, ...remotePods].map((pod) => pod.address(family));
        await node.exec(['nft', '-f', '-'], { stdin: kubeProxyRules(family, endpoints) });
      }
      await expectKept(await clients.endpoints());
    },
    TIMEOUT,
  );
});

/** The rules of kube-proxy 1.36 in its nftables mode for the NodePort, shortened. */
function kubeProxyRules(family: 'IPv4' | 'IPv6', endpoints: readonly string[]): string {
  const ip = family === 'IPv4' ? 'ip' : 'ip6';
  const names = endpoints.map((address) => `7QVDYBFL-work/sticky/tcp/__${address.replaceAll(':', '.')}/8080`);
  const target = (address: string) => (family === 'IPv4' ? `${address}:8080` : `[${address}]:8080`);
  const each = (line: (name: string, index: number) => string) => names.map(line).join('\n');
  return `table ${ip} kube-proxy {
${each((name) => `set affinity-${name} { type ${family.toLowerCase()}_addr; flags dynamic,timeout; timeout 3h; }`)}
${each(
  (name, index) =>
    `chain endpoint-${name} { update @affinity-${name} { ${ip} saddr }; meta l4proto tcp dnat to ${target(endpoints[index] ?? '')}; }`,
)}
chain service {
${each((name) => `${ip} saddr @affinity-${name} goto endpoint-${name}`)}
numgen random mod ${names.length} vmap { ${names.map((name, index) => `${index} : goto endpoint-${name}`).join(', ')} }
}
chain nat-prerouting {
type nat hook prerouting priority dstnat; policy accept;
tcp dport ${STICKY_NODE_PORT} fib daddr type local meta mark set meta mark or 0x4000 goto service
}
chain nat-postrouting {
type nat hook postrouting priority srcnat; policy accept;
meta mark & 0x4000 != 0 meta mark set meta mark ^ 0x4000 masquerade
}
}
`;
}
