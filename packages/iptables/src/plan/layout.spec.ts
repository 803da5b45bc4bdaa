import { describe, expect, test } from '@jest/globals';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from '../dataplane.js';
import { ClusterSketch, everything, type ServiceSketch, sketch } from '../testing/clusters.js';
import { fakeSettings } from '../testing/fake-settings.js';
import { serviceChain } from './layout.js';

const PLAIN = sketch(10, {
  name: 'ns/web',
  endpoints: [
    { number: 1, node: 'node1' },
    { number: 2, node: 'node2' },
  ],
});
const HASH = serviceChain('SVC', { namespace: 'ns', name: 'web', portName: 'p', protocol: 'TCP' }).slice(-16);

/** All chains of one Service in one cluster, hashes and counters made short. */
async function layout(over: Partial<ServiceSketch>): Promise<Record<string, readonly string[]>> {
  const cluster = new ClusterSketch('IPv4');
  cluster.set({ ...PLAIN, ...over });
  cluster.serviceCIDRs([]);
  const { state } = cluster.next();
  const iptables = new FakeIptables();
  const dataplane = new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables, sysctl: fakeSettings() });
  await dataplane.apply(dataplane.plan(state, everything(state), await dataplane.readBack())!);
  const fixed = /^KUBE-(MARK-MASQ|POSTROUTING|FORWARD|FIREWALL|CLUSTER-IPS)$/;
  const chains: Record<string, readonly string[]> = {};
  for (const table of ['filter', 'nat'] as const) {
    for (const name of iptables.chainsOf(table)) {
      const rules = iptables.rulesOf(table, name) ?? [];
      if (name.startsWith('KUBE-') && !fixed.test(name) && rules.length > 0) {
        const short = (text: string) =>
          text
            .replaceAll(HASH, 'WEB')
            .replace(/KUBE-SEP-[A-Z2-7]{16}/g, (sep) => `KUBE-SEP-${seps.get(sep) ?? '?'}`)
            .replace(/-m comment --comment "[^"]*" ?/g, '');
        const kept = rules.filter((rule) => !/KUBE-NODEPORTS|KUBE-CLUSTER-IPS/.test(rule) || name === 'KUBE-NODEPORTS');
        if (kept.length > 0) {
          chains[`${table} ${short(name)}`] = kept.map(short);
        }
      }
    }
  }
  return chains;
}

const NAME = { namespace: 'ns', name: 'web', portName: 'p', protocol: 'TCP' } as const;
const seps = new Map(
  [1, 2].map((number) => [serviceChain('SEP', NAME, `10.244.0.${number}:8080`), `POD${number}`] as const),
);

const HALF = '-m statistic --mode random --probability 0.50000000000';
const PICK = [
  `-p tcp ${HALF} -j DNAT --to-destination 10.244.0.1:8080`,
  '-p tcp -j DNAT --to-destination 10.244.0.2:8080',
];
const GUARD = '! -s 10.244.0.0/16 -d 10.96.0.10/32 -j KUBE-MARK-MASQ';
const CLUSTER_IP = '-d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-WEB';
const HAIRPIN = { 'nat KUBE-HAIRPIN': ['-s 10.244.0.1/32 -d 10.244.0.1/32 -j KUBE-MARK-MASQ'] };
const REJECT = '-j REJECT --reject-with icmp-port-unreachable';

describe('the rules of a Service', () => {
  test('cluster IP', async () => {
    expect(await layout({})).toEqual({
      ...HAIRPIN,
      'nat KUBE-SERVICES': [CLUSTER_IP],
      'nat KUBE-SVC-WEB': [GUARD, ...PICK],
    });
  });

  test('cluster IP without endpoints', async () => {
    expect(await layout({ endpoints: [] })).toEqual({
      'filter KUBE-SERVICES': [`-d 10.96.0.10/32 -p tcp -m tcp --dport 80 ${REJECT}`],
    });
  });

  test('cluster IP for local endpoints, of which there are none', async () => {
    expect(await layout({ internalLocal: true, endpoints: [{ number: 2, node: 'node2' }] })).toEqual({
      'filter KUBE-SERVICES': ['-d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j DROP'],
    });
  });

  test('session affinity', async () => {
    const recent = (pod: string, operation: string) =>
      `-m recent ${operation} --name KUBE-SEP-${pod} --mask 255.255.255.255 --rsource`;
    expect(await layout({ affinity: true })).toEqual({
      ...HAIRPIN,
      'nat KUBE-SERVICES': [CLUSTER_IP],
      'nat KUBE-SVC-WEB': [
        GUARD,
        `${recent('POD1', '--rcheck --seconds 600 --reap')} -j KUBE-SEP-POD1`,
        `${recent('POD2', '--rcheck --seconds 600 --reap')} -j KUBE-SEP-POD2`,
        `${HALF} -j KUBE-SEP-POD1`,
        '-j KUBE-SEP-POD2',
      ],
      'nat KUBE-SEP-POD1': [`-p tcp ${recent('POD1', '--set')} -j DNAT --to-destination 10.244.0.1:8080`],
      'nat KUBE-SEP-POD2': [`-p tcp ${recent('POD2', '--set')} -j DNAT --to-destination 10.244.0.2:8080`],
    });
  });

  test('NodePort', async () => {
    expect(await layout({ kind: 'NodePort' })).toEqual({
      ...HAIRPIN,
      'nat KUBE-SERVICES': [CLUSTER_IP],
      'nat KUBE-NODEPORTS': ['-p tcp -m tcp --dport 30010 -j KUBE-EXT-WEB'],
      'nat KUBE-EXT-WEB': ['-j KUBE-MARK-MASQ', '-j KUBE-SVC-WEB'],
      'nat KUBE-SVC-WEB': [GUARD, ...PICK],
    });
  });

  test('external IP without endpoints', async () => {
    expect(await layout({ kind: 'ExternalIP', endpoints: [] })).toEqual({
      'filter KUBE-SERVICES': [`-d 10.96.0.10/32 -p tcp -m tcp --dport 80 ${REJECT}`],
      'filter KUBE-EXTERNAL-SERVICES': [`-d 203.0.113.10/32 -p tcp -m tcp --dport 80 ${REJECT}`],
    });
  });

  test('load balancer with source ranges and local endpoints', async () => {
    expect(await layout({ kind: 'LoadBalancer', externalLocal: true, ranges: ['192.0.2.128/25'] })).toEqual({
      ...HAIRPIN,
      'filter KUBE-PROXY-FIREWALL': ['-d 198.51.100.10/32 -p tcp -m tcp --dport 80 -j DROP'],
      'filter KUBE-NODEPORTS': ['-p tcp -m tcp --dport 32010 -j ACCEPT'],
      'nat KUBE-SERVICES': [CLUSTER_IP, '-d 198.51.100.10/32 -p tcp -m tcp --dport 80 -j KUBE-FW-WEB'],
      'nat KUBE-NODEPORTS': ['-p tcp -m tcp --dport 30010 -j KUBE-EXT-WEB'],
      'nat KUBE-FW-WEB': ['-s 192.0.2.128/25 -j KUBE-EXT-WEB'],
      'nat KUBE-EXT-WEB': [
        '-s 10.244.0.0/16 -j KUBE-SVC-WEB',
        '-m addrtype --src-type LOCAL -j KUBE-MARK-MASQ',
        '-m addrtype --src-type LOCAL -j KUBE-SVC-WEB',
        '-j KUBE-SVL-WEB',
      ],
      'nat KUBE-SVC-WEB': [GUARD, ...PICK],
      'nat KUBE-SVL-WEB': ['-p tcp -j DNAT --to-destination 10.244.0.1:8080'],
    });
  });

  test('load balancer with source ranges, without endpoints: other sources are dropped, not rejected', async () => {
    const rules = await layout({ kind: 'LoadBalancer', ranges: ['192.0.2.128/25'], endpoints: [] });
    const [chain = '', content] = Object.entries(rules).find(([name]) => name.startsWith('filter KUBE-FW-')) ?? [];
    expect(content).toEqual(['-s 192.0.2.128/25 -j RETURN', '-j DROP']);
    expect(rules['filter KUBE-PROXY-FIREWALL']).toEqual([
      `-d 198.51.100.10/32 -p tcp -m tcp --dport 80 -j ${chain.replace('filter ', '')}`,
    ]);
    expect(rules['filter KUBE-EXTERNAL-SERVICES']).toContainEqual(
      `-d 198.51.100.10/32 -p tcp -m tcp --dport 80 ${REJECT}`,
    );
  });
});

describe('names', () => {
  const name = (text: string, protocol: 'TCP' | 'UDP' = 'TCP') => {
    const [namespace = '', rest = ''] = text.split('/');
    const [short = '', portName = ''] = rest.split(':');
    return { namespace, name: short, portName, protocol };
  };

  test.each([
    ['ns1/svc1:p80', 'TCP', '', 'XPGD46QRK7WJZT7O'],
    ['ns1/svc1:p80', 'TCP', '10.180.0.1:80', 'SXIVWICOYRO3J4NJ'],
    ['ns1/svc1:p80', 'UDP', '', 'OJWW7NSBVZTDHXNW'],
    ['default/kubernetes:https', 'TCP', '', 'NPX46M4PTMTKRN6Y'],
    ['kube-system/kube-dns:dns', 'UDP', '', 'TCOU7JCQXEZGVUNU'],
    ['work/saythx-redis', 'TCP', '', 'FWZO4IPCTY5IWGE6'],
  ] as const)('%s %s %s', (text, protocol, endpoint, hash) => {
    expect(serviceChain('SVC', name(text, protocol), endpoint)).toBe(`KUBE-SVC-${hash}`);
  });
});

describe('the rules of every node', () => {
  async function apply(): Promise<FakeIptables> {
    const { state } = new ClusterSketch('IPv4').next();
    const iptables = new FakeIptables();
    const dataplane = new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables, sysctl: fakeSettings() });
    await dataplane.apply(dataplane.plan(state, everything(state), await dataplane.readBack())!);
    return iptables;
  }

  test('jumps are in the order of kube-proxy, and match packets of the node to external IPs', async () => {
    const iptables = await apply();
    const targets = (table: 'filter' | 'nat', chain: string) =>
      (iptables.rulesOf(table, chain) ?? []).map((rule) => /-j (\S+)$/.exec(rule)?.[1]);
    expect(targets('filter', 'INPUT')).toEqual([
      'KUBE-FIREWALL',
      'KUBE-PROXY-FIREWALL',
      'KUBE-NODEPORTS',
      'KUBE-EXTERNAL-SERVICES',
    ]);
    expect(targets('filter', 'FORWARD')).toEqual([
      'KUBE-PROXY-FIREWALL',
      'KUBE-FORWARD',
      'KUBE-SERVICES',
      'KUBE-EXTERNAL-SERVICES',
    ]);
    expect(targets('filter', 'OUTPUT')).toEqual([
      'KUBE-FIREWALL',
      'KUBE-PROXY-FIREWALL',
      'KUBE-SERVICES',
      'KUBE-EXTERNAL-SERVICES',
    ]);
    expect(targets('nat', 'PREROUTING')).toEqual(['KUBE-SERVICES']);
    expect(targets('nat', 'OUTPUT')).toEqual(['KUBE-SERVICES']);
    expect(targets('nat', 'POSTROUTING')).toEqual(['KUBE-POSTROUTING']);
  });

  test('a packet loses its mark before it is masqueraded', async () => {
    const rules = (await apply()).rulesOf('nat', 'KUBE-POSTROUTING') ?? [];
    const masquerade = rules.findIndex((rule) => rule.includes('-j MASQUERADE --random-fully'));
    expect(rules[masquerade - 1]).toMatch(/-j MARK --(?:xor-mark 0x4000|set-xmark 0x4000\/0x0|and-mark \S+)$/);
    expect(rules[masquerade - 2]).toMatch(/! --mark 0x4000\/0x4000 -j RETURN$/);
  });
});
