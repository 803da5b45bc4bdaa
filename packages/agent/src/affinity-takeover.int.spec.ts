import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProxyMode } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { chainHash } from '@kube-proxier/iptables';
import { STICKY_NODE_PORT, StickyClients } from './testing/sticky-clients.js';

const TIMEOUT = 300_000;

/** All clients are served, not by one endpoint only: by chance with a probability of 3^-11, 6 in a million. */
function expectServed(endpoints: Readonly<Record<string, string>>): void {
  const names = new Set(Object.values(endpoints));
  expect(['pod1', 'pod2', 'remote-pod1']).toEqual(expect.arrayContaining([...names]));
  expect(names.size).toBeGreaterThan(1);
}

describe('session affinity over a change of the proxy mode', () => {
  let clients: StickyClients;

  beforeEach(async () => {
    clients = await StickyClients.create('nft');
  }, TIMEOUT);

  afterEach(() => clients.node.close());

  /** Runs a mode after other rules, which are in force, have served every client. */
  async function expectKept(kept: Readonly<Record<string, string>>, mode: ProxyMode = 'nftables'): Promise<void> {
    expectServed(kept);
    await clients.runMode(mode);
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

  // Its lists have the names of kube-proxier's, whose change to mode nftables is tested above.
  test.each(casesOf(['iptables'], ['nftables']))(
    "clients keep their endpoints from kube-proxy's iptables mode to mode %s",
    async (mode) => {
      const { pods, remotePods } = clients.node.sandbox;
      await clients.node.iptables.restore(kubeProxyIptables([...pods, ...remotePods].map(({ ipv4 }) => ipv4)));
      const before = await clients.endpoints('IPv4');
      expectServed(before);
      await clients.runMode(mode);
      expect(await clients.endpoints('IPv4')).toEqual(before);
    },
    TIMEOUT,
  );

  test.each(['nftables', 'iptables'] as const)(
    "clients keep their endpoints from kube-proxy's nftables mode to mode %s",
    async (mode) => {
      const { node, pods, remotePods } = clients.node.sandbox;
      for (const family of ['IPv4', 'IPv6'] as const) {
        const endpoints = [...pods, ...remotePods].map((pod) => pod.address(family));
        await node.exec(['nft', '-f', '-'], { stdin: kubeProxyRules(family, endpoints) });
      }
      await expectKept(await clients.endpoints(), mode);
    },
    TIMEOUT,
  );

  test(
    'IPv4 clients keep their endpoints from mode nftables to mode iptables, which knows no addresses of IPv6 clients',
    async () => {
      await clients.runMode('nftables');
      const before = await clients.endpoints('IPv4');
      expectServed(before);
      await clients.node.stop();
      await clients.runMode('iptables');
      expect(await clients.endpoints('IPv4')).toEqual(before);
    },
    TIMEOUT,
  );
});

/** The rules of kube-proxy 1.36 in its iptables mode for the NodePort, shortened. */
function kubeProxyIptables(endpoints: readonly string[]): string {
  const hash = (endpoint = '') => chainHash(`work/stickytcp${endpoint}`);
  const chains = endpoints.map((address) => ({ address, name: `KUBE-SEP-${hash(`${address}:8080`)}` }));
  const [service, external] = [`KUBE-SVC-${hash()}`, `KUBE-EXT-${hash()}`];
  const each = (lines: (chain: string, address: string, index: number) => string[]) =>
    chains.flatMap(({ name, address }, index) => lines(name, address, index)).join('\n');
  const probability = (index: number) =>
    index === chains.length - 1 ? '' : `-m statistic --mode random --probability ${1 / (chains.length - index)} `;
  return `*nat
:KUBE-SERVICES - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-MARK-MASQ - [0:0]
:${external} - [0:0]
:${service} - [0:0]
${each((chain) => [`:${chain} - [0:0]`])}
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-NODEPORTS -p tcp -m tcp --dport ${STICKY_NODE_PORT} -j ${external}
-A ${external} -j KUBE-MARK-MASQ
-A ${external} -j ${service}
${each((chain) => [`-A ${service} -m recent --name ${chain} --rcheck --seconds 10800 --reap -j ${chain}`])}
${each((chain, _address, index) => [`-A ${service} ${probability(index)}-j ${chain}`])}
${each((chain, address) => [`-A ${chain} -p tcp -m recent --name ${chain} --set -m tcp -j DNAT --to-destination ${address}:8080`])}
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -j MASQUERADE
COMMIT
`;
}

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
