import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import { AgentOnNode } from './testing/agent-on-node.js';

const NODE_PORT = 31_270;
const CLIENTS = Array.from({ length: 12 }, (_, index) => index + 20);
const ADDRESSES = {
  IPv4: CLIENTS.map((number) => `203.0.113.${number}`),
  IPv6: CLIENTS.map((number) => `2001:db8:203::${number}`),
};
const TIMEOUT = 300_000;

/** Twelve clients and three endpoints: that all keep theirs by chance has a probability of 3^-12, 2 in a million. */
describe('session affinity over a change of the proxy mode', () => {
  let node: AgentOnNode;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    const { client, router, pods, remotePods } = node.sandbox;
    for (const [family, prefix] of [
      ['IPv4', '/32'],
      ['IPv6', '/128'],
    ] as const) {
      for (const address of ADDRESSES[family]) {
        const nodad = family === 'IPv6' ? ['nodad'] : [];
        await client.exec(['ip', 'address', 'add', address + prefix, 'dev', 'eth0', ...nodad]);
        await router.exec([
          'ip',
          'route',
          'add',
          address + prefix,
          'via',
          client.address(family),
          'dev',
          'client',
          'onlink',
        ]);
      }
    }
    const endpoints = [...pods, ...remotePods];
    const slice = (family: 'IPv4' | 'IPv6', addresses: readonly string[]) => `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: sticky-${family.toLowerCase()}, namespace: work, labels: {kubernetes.io/service-name: sticky}}
addressType: ${family}
ports: [{port: 8080}]
endpoints: [${addresses.map((address) => `{addresses: ["${address}"]}`).join(', ')}]
`;
    writeFileSync(
      join(node.directory, 'sticky.yaml'),
      `apiVersion: v1
kind: Service
metadata: {name: sticky, namespace: work}
spec:
  type: NodePort
  ipFamilyPolicy: RequireDualStack
  ipFamilies: [IPv4, IPv6]
  clusterIPs: [10.96.0.20, "fd00:10:96::20"]
  clusterIP: 10.96.0.20
  ports: [{port: 80, nodePort: ${NODE_PORT}}]
  sessionAffinity: ClientIP
${slice(
  'IPv4',
  endpoints.map(({ ipv4 }) => ipv4),
)}${slice(
  'IPv6',
  endpoints.map(({ ipv6 }) => ipv6),
)}---
apiVersion: v1
kind: Node
metadata: {name: ${SANDBOX_NETWORK.nodeName}}
status: {addresses: [{type: InternalIP, address: ${node.sandbox.node.ipv4}}]}
`,
    );
  }, TIMEOUT);

  afterEach(() => node.close());

  /** The endpoint that each client reaches, over both families. */
  async function endpointsOfClients(): Promise<Readonly<Record<string, string>>> {
    const { client, node: host } = node.sandbox;
    const found: Record<string, string> = {};
    for (const family of ['IPv4', 'IPv6'] as const) {
      for (const from of ADDRESSES[family]) {
        const outcome = await client.connect({ to: host.address(family), port: NODE_PORT, from, timeout: 10_000 });
        found[from] = outcome.kind === 'answered' ? outcome.by : outcome.kind;
      }
    }
    return found;
  }

  async function runMode(mode: string): Promise<void> {
    node.start(mode);
    await node.until(`only ${mode}`, () => node.log.includes('No leftovers of other proxy modes found'));
  }

  /** Runs mode nftables after other rules, which are in force, have served every client. */
  async function expectKept(kept: Readonly<Record<string, string>>): Promise<void> {
    expect(new Set(Object.values(kept))).toEqual(new Set(['pod1', 'pod2', 'remote-pod1']));
    await runMode('nftables');
    expect(await endpointsOfClients()).toEqual(kept);
    expect(
      node.log.match(/Session affinity: clients of the previous rules keep their endpoints .*clients=12/g),
    ).toHaveLength(2);
  }

  test(
    'clients keep their endpoints from mode iptables to mode nftables',
    async () => {
      await runMode('iptables');
      const before = await endpointsOfClients();
      await node.stop();
      await expectKept(before);
    },
    TIMEOUT,
  );

  test(
    "clients keep their endpoints from kube-proxy's nftables mode",
    async () => {
      for (const family of ['IPv4', 'IPv6'] as const) {
        const { node: host, pods, remotePods } = node.sandbox;
        const endpoints = [...pods, ...remotePods].map((pod) => pod.address(family));
        await host.exec(['nft', '-f', '-'], { stdin: kubeProxyRules(family, endpoints) });
      }
      await expectKept(await endpointsOfClients());
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
tcp dport ${NODE_PORT} fib daddr type local meta mark set meta mark or 0x4000 goto service
}
chain nat-postrouting {
type nat hook postrouting priority srcnat; policy accept;
meta mark & 0x4000 != 0 meta mark set meta mark ^ 0x4000 masquerade
}
}
`;
}
