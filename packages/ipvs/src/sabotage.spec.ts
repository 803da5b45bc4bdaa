import { beforeEach, describe, expect, test } from '@jest/globals';
import { type ProxyState, verifyState } from '@kube-proxier/core';
import { ClusterSketch, EXAMPLE_SKETCH, type ServiceSketch, sketchAddresses } from '@kube-proxier/core/testing';
import type { IpvsCommand, VirtualServerAddress } from '@kube-proxier/linux';
import { IpvsDataplane } from './dataplane.js';
import { INTERFACE, type SetRole, setName } from './plan/layout.js';
import { type FakeHost, fakeHost, install } from './testing/contents.js';
import { type FakePathOptions, fakePath } from './testing/fake-path.js';

const NODE = sketchAddresses.node('IPv4');
const SERVICES: readonly ServiceSketch[] = [
  EXAMPLE_SKETCH,
  {
    ...EXAMPLE_SKETCH,
    name: 'ns/weighted',
    number: 2,
    kind: 'ClusterIP',
    ranges: undefined,
    annotations: { 'kube-proxier.io/ipvs-scheduler': 'wrr' },
  },
  { ...EXAMPLE_SKETCH, name: 'ns/local', number: 3, kind: 'NodePort', externalLocal: true, ranges: undefined },
  { ...EXAMPLE_SKETCH, name: 'ns/empty', number: 4, kind: 'NodePort', ranges: undefined, endpoints: [] },
  { ...EXAMPLE_SKETCH, name: 'ns/external', number: 5, kind: 'ExternalIP', ranges: undefined, protocol: 'UDP' },
  {
    ...EXAMPLE_SKETCH,
    name: 'ns/remote',
    number: 6,
    kind: 'NodePort',
    externalLocal: true,
    ranges: undefined,
    endpoints: [{ number: 4, node: 'node2' }],
  },
];

const at = (address: string, port: number, protocol: 'TCP' | 'UDP' = 'TCP'): VirtualServerAddress => ({
  kind: 'address',
  family: 'IPv4',
  protocol,
  address,
  port,
});
const WEB = at('10.96.0.1', 80);
const WEIGHTED = at('10.96.0.2', 80);
const REAL_2 = { address: '10.244.0.2', port: 8080, weight: 1 };

interface Change extends FakePathOptions {
  readonly ipvs?: readonly IpvsCommand[];
  /** Rules for iptables-restore, by table. */
  readonly rules?: Readonly<Record<string, string>>;
  readonly host?: (host: FakeHost) => Promise<void>;
}

const inTable =
  (table: string, pattern: RegExp, by: string) =>
  (saved: string): string => {
    const changed = saved.replace(new RegExp(`\\*${table}\n[^*]*`), (text) => text.replace(pattern, by));
    expect(changed).not.toBe(saved);
    return changed;
  };

const withoutEntries = (role: SetRole, isRemoved: (address: string) => boolean) => async (host: FakeHost) => {
  const set = setName(role, 'IPv4');
  const entries = (await host.sets.find(set))?.entries.filter(({ address }) => isRemoved(address)) ?? [];
  expect(entries).not.toEqual([]);
  await host.sets.execute(entries.map((entry) => ({ do: 'delete-entry', set, entry })));
};
const withEntry =
  (
    role: SetRole,
    entry: { address: string; port?: number; protocol?: 'TCP' | 'UDP'; network?: string; mark?: number },
  ) =>
  async (host: FakeHost) => {
    await host.sets.execute([{ do: 'add-entry', set: setName(role, 'IPv4'), entry }]);
  };
const isAny = () => true;
const onInterface = (what: 'add-address' | 'delete-address', address: string) => async (host: FakeHost) => {
  const link = (await host.links.find(INTERFACE))?.index ?? 0;
  expect(await host.links.execute([{ do: what, link, address }])).toEqual([undefined]);
};

const SABOTAGES: readonly (readonly [what: string, change: Change, named: RegExp])[] = [
  // Virtual and real servers.
  [
    'a real server has weight 0',
    { ipvs: [{ do: 'set-real', at: WEB, real: { ...REAL_2, weight: 0 } }] },
    /10\.96\.0\.1:80\/TCP.*never sent to 10\.244\.0\.2:8080/,
  ],
  [
    'all real servers have weight 0',
    {
      ipvs: [1, 2, 3].map((number) => ({
        do: 'set-real',
        at: WEB,
        real: { ...REAL_2, address: `10.244.0.${number}`, weight: 0 },
      })),
    },
    /are refused.*"no real server with a weight above 0" in table TCP\/10\.96\.0\.1:80 \(ipvs\)/,
  ],
  [
    'a real server has another weight',
    { ipvs: [{ do: 'set-real', at: WEIGHTED, real: { ...REAL_2, weight: 8 } }] },
    /10\.96\.0\.2:80\/TCP.*with probability 0\.\d+ instead of 0\.333.*table TCP\/10\.96\.0\.2:80 \(ipvs\)/,
  ],
  [
    'a real server is removed',
    { ipvs: [{ do: 'delete-real', at: WEB, address: '10.244.0.2', port: 8080 }] },
    /never sent to 10\.244\.0\.2:8080/,
  ],
  [
    'a foreign real server is added',
    { ipvs: [{ do: 'add-real', at: WEB, real: { ...REAL_2, address: '10.9.9.9' } }] },
    /sent to 10\.9\.9\.9:8080.*"real server 10\.9\.9\.9:8080 with weight 1" in table TCP\/10\.96\.0\.1:80 \(ipvs\)/,
  ],
  [
    'a real server has another port',
    {
      ipvs: [
        { do: 'delete-real', at: WEB, address: '10.244.0.2', port: 8080 },
        { do: 'add-real', at: WEB, real: { ...REAL_2, port: 8081 } },
      ],
    },
    /sent to 10\.244\.0\.2:8081/,
  ],
  [
    'a Service without endpoints gets one',
    { ipvs: [{ do: 'add-real', at: at('10.96.0.4', 80), real: REAL_2 }] },
    /10\.96\.0\.4:80\/TCP.*are sent to 10\.244\.0\.2:8080, not refused/,
  ],
  [
    'a virtual server is removed',
    { ipvs: [{ do: 'delete-virtual', at: WEB }] },
    /10\.96\.0\.1:80\/TCP.*IPVS has no virtual server TCP\/10\.96\.0\.1:80/,
  ],
  [
    'the virtual server of a NodePort is removed',
    { ipvs: [{ do: 'delete-virtual', at: at(NODE, 30001) }] },
    /IPVS has no virtual server TCP\/192\.168\.0\.2:30001/,
  ],
  [
    'the virtual server of a UDP Service is removed',
    { ipvs: [{ do: 'delete-virtual', at: at('10.96.0.5', 80, 'UDP') }] },
    /IPVS has no virtual server UDP\/10\.96\.0\.5:80/,
  ],
  [
    'all virtual servers are removed',
    { host: async (host) => host.ipvs.clear() },
    /IPVS has no virtual server TCP\/10\.96\.0\.1:80/,
  ],
  [
    'the virtual server of a mark is removed',
    {
      host: async ({ ipvs }) => {
        const marked = (await ipvs.virtualServers()).find((one) => one.at.kind === 'mark');
        await ipvs.execute([{ do: 'delete-virtual', at: marked?.at ?? WEB }]);
      },
    },
    /30003\/TCP.*never sent to 10\.244\.0\.2:8080.*table TCP\/192\.168\.0\.2:30003/,
  ],
  [
    'a virtual server for a foreign mark, and a rule that sets it',
    {
      ipvs: [
        {
          do: 'add-virtual',
          virtual: {
            at: { kind: 'mark', family: 'IPv4', mark: 7 },
            scheduler: 'rr',
            schedulerFlags: 0,
            persistence: undefined,
          },
        },
        { do: 'add-real', at: { kind: 'mark', family: 'IPv4', mark: 7 }, real: { ...REAL_2, address: '10.9.9.9' } },
      ],
      rules: { mangle: '-I PREROUTING 1 -d 10.96.0.1/32 -j MARK --set-mark 7' },
    },
    /sent to 10\.9\.9\.9:8080.*table mark\/IPv4\/0x7 \(ipvs\)/,
  ],
  // The interface.
  [
    'an address is removed from the interface',
    { host: onInterface('delete-address', '10.96.0.1') },
    /10\.96\.0\.1:80.*interface kube-ipvs0 does not have the address 10\.96\.0\.1/,
  ],
  [
    'the interface is removed',
    { host: ({ links }) => links.remove(INTERFACE) },
    /interface kube-ipvs0 does not have the address 10\.96\.0\.5/,
  ],
  [
    'an unused address of the service network is on the interface',
    { host: onInterface('add-address', '10.96.255.254') },
    /10\.96\.255\.254:80\/TCP \(unused address of a service network\) are accepted, not dropped/,
  ],
  // Sets.
  [
    'an entry of FRONTENDS is removed',
    { host: withoutEntries('FRONTENDS', (address) => address === '10.96.0.1') },
    /are refused.*"[^"]*! --match-set KUBE-IPVS-FRONTENDS dst,dst -j REJECT/,
  ],
  [
    'an entry of FRONTENDS is added',
    { host: withEntry('FRONTENDS', { address: '10.96.0.1', port: 19, protocol: 'TCP' }) },
    /10\.96\.0\.1:19\/TCP \(unused port of a ClusterIP\) are accepted, not refused/,
  ],
  [
    'an entry of ADDRESSES is removed',
    { host: withoutEntries('ADDRESSES', (address) => address === '10.96.0.1') },
    /10\.96\.0\.1:19\/TCP.*are accepted, not refused/,
  ],
  [
    'MASQUERADE is emptied',
    { host: withoutEntries('MASQUERADE', isAny) },
    /with its own source address.*packet without a mark/,
  ],
  [
    'OFF-CLUSTER is emptied',
    { host: withoutEntries('OFF-CLUSTER', isAny) },
    /\(outside\) to 10\.96\.0\.\d:80.*with its own source address/,
  ],
  [
    'a frontend that keeps the source is masqueraded',
    { host: withEntry('MASQUERADE', { address: NODE, port: 30003, protocol: 'TCP' }) },
    /30003\/TCP.*with an address of the node/,
  ],
  ['an entry of DROP is removed', { host: withoutEntries('DROP', isAny) }, /30006\/TCP.*are refused, not dropped/],
  [
    'an entry of DROP is added',
    { host: withEntry('DROP', { address: '10.96.0.1', port: 80, protocol: 'TCP' }) },
    /10\.96\.0\.1:80.*are dropped.*--match-set KUBE-IPVS-DROP dst,dst -j DROP/,
  ],
  [
    'source ranges are not checked',
    { host: withoutEntries('GUARDED', isAny) },
    /to 198\.51\.100\.1:80\/TCP.*not dropped/,
  ],
  [
    'a source range is removed',
    { host: withoutEntries('ALLOWED', isAny) },
    /are dropped.*--match-set KUBE-IPVS-ALLOWED dst,dst,src -j DROP/,
  ],
  [
    'a source range is added',
    {
      host: withEntry('ALLOWED', { address: '198.51.100.1', port: 80, protocol: 'TCP', network: '192.0.2.0/25' }),
    },
    /\(source range\) to 198\.51\.100\.1:80.*not dropped/,
  ],
  [
    'SHORTCUT is emptied',
    { host: withoutEntries('SHORTCUT', isAny) },
    /\((?:pod|node)\) to 192\.168\.0\.2:3000[36]\/TCP/,
  ],
  [
    'SHORTCUT has the mark of no virtual server',
    {
      host: async (host) => {
        const set = setName('SHORTCUT', 'IPv4');
        const entries = (await host.sets.find(set))?.entries ?? [];
        await host.sets.execute(
          entries.map((entry) => ({ do: 'add-entry', set, entry: { ...entry, mark: 0xb5bf_ffff } })),
        );
      },
    },
    /\(pod\) to 192\.168\.0\.2:30006\/TCP.*IPVS has no virtual server for the mark 0xb5bfffff/,
  ],
  [
    'HAIRPIN is emptied',
    { host: withoutEntries('HAIRPIN', isAny) },
    /\(endpoint\).*sent to 10\.244\.0\.1:8080 with its own source address/,
  ],
  // Rules.
  [
    'a foreign rule drops packets to virtual addresses',
    { rules: { filter: '-I INPUT 1 -d 10.96.0.0/16 -j DROP' } },
    /"-d 10\.96\.0\.0\/16 -j DROP" in chain INPUT of table filter/,
  ],
  [
    'a foreign rule drops packets to an endpoint',
    { rules: { filter: '-I OUTPUT 1 -d 10.244.0.2/32 -j DROP' } },
    /"-d 10\.244\.0\.2\/32 -j DROP" in chain OUTPUT of table filter/,
  ],
  [
    'a foreign rule drops answers of endpoints',
    { rules: { filter: '-I FORWARD 1 -s 10.244.0.0/16 -j DROP' } },
    /"-s 10\.244\.0\.0\/16 -j DROP" in chain FORWARD of table filter/,
  ],
  [
    'a foreign rule translates the destination first',
    { rules: { nat: '-I PREROUTING 1 -d 10.96.0.1/32 -p tcp -j DNAT --to-destination 10.9.9.9:1' } },
    /sent to 10\.9\.9\.9:1.*chain PREROUTING of table nat/,
  ],
  [
    'a foreign rule ends the search for MASQUERADE',
    { rules: { nat: '-I POSTROUTING 1 -d 10.244.0.0/16 -j ACCEPT' } },
    /"-d 10\.244\.0\.0\/16 -j ACCEPT" in chain POSTROUTING of table nat/,
  ],
  [
    'the policy of FORWARD drops, and no rule accepts answers',
    {
      text: (saved) =>
        inTable(
          'filter',
          /:FORWARD ACCEPT/,
          ':FORWARD DROP',
        )(inTable('filter', /-A KUBE-IPVS-FORWARD .*\n/, '')(saved)),
    },
    /"policy DROP" in chain FORWARD of table filter/,
  ],
  [
    'the jump from mangle PREROUTING is removed',
    { text: inTable('mangle', /-A PREROUTING .*\n/, '') },
    /\(outside\).*with its own source address/,
  ],
  ['the jump from mangle OUTPUT is removed', { text: inTable('mangle', /-A OUTPUT .*\n/, '') }, /\(node\).*/],
  [
    'the jump from nat POSTROUTING is removed',
    { text: inTable('nat', /-A POSTROUTING .*\n/, '') },
    /with its own source address.*with the mark 0x4000/,
  ],
  [
    'the chain that rejects ports is emptied',
    { text: inTable('filter', /(-A KUBE-IPVS-INPUT .*\n)+/, '') },
    /unused port of a ClusterIP\) are accepted, not refused/,
  ],
  [
    'the wrong mark bit is set',
    { text: inTable('mangle', /0x4000\/0x4000/g, '0x8000/0x8000') },
    /with its own source address.*with the mark 0x8000/,
  ],
  // Settings.
  [
    'IPVS does not track connections',
    { sysctls: { 'net/ipv4/vs/conntrack': 0 } },
    /with its own source address.*sysctl net\.ipv4\.vs\.conntrack = 0/,
  ],
  ['forwarding is off', { sysctls: { 'net/ipv4/ip_forward': 0 } }, /are dropped.*sysctl net\.ipv4\.ip_forward = 0/],
  [
    'there is no route back, and the reverse path is checked',
    { routes: { '10.244.0.0/30': 'cni0' }, sysctls: { 'net/ipv4/conf/all/rp_filter': 1 } },
    /sysctl net\.ipv4\.conf\.all\.rp_filter = 1/,
  ],
];

describe('foreign changes to virtual servers, sets, rules and addresses of the node', () => {
  let host: FakeHost;
  let state: ProxyState;
  beforeEach(async () => {
    const cluster = new ClusterSketch('IPv4', { localhostNodePorts: false });
    for (const sketch of SERVICES) {
      cluster.set(sketch);
    }
    ({ state } = cluster.next());
    host = fakeHost('IPv4', [NODE, '127.0.0.1']);
    await install(new IpvsDataplane({ family: 'IPv4', host }), state);
  });

  test('without a network of pods, processes keep virtual addresses as their source: it is found and named', async () => {
    const cluster = new ClusterSketch('IPv4', { localhostNodePorts: false, localTrafficDetection: { kind: 'none' } });
    cluster.set(EXAMPLE_SKETCH);
    ({ state } = cluster.next());
    await install(new IpvsDataplane({ family: 'IPv4', host }), state);
    expect((await verify({})).findings).toEqual([]);
    const { findings } = await verify({
      text: inTable('mangle', /-A KUBE-IPVS-SERVICES .*--match-set KUBE-IPVS-ADDRESSES src .*\n/, ''),
    });
    expect(findings).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(
          /\(node\) to 10\.96\.0\.1:80.*10\.96\.0\.1 is the source address of processes that choose none, and is kept/,
        ),
      }),
    ]);
  });

  async function verify({ ipvs = [], rules = {}, host: change, ...options }: Change) {
    expect(await host.ipvs.execute(ipvs)).toEqual(ipvs.map(() => undefined));
    for (const [table, lines] of Object.entries(rules)) {
      await host.tools.restoreByOthers(`*${table}\n${lines}\nCOMMIT\n`);
    }
    await change?.(host);
    return verifyState(state, await fakePath('IPv4', host, options), { servesLoopback: false });
  }

  test('without a change the state is verified', async () => {
    expect((await verify({})).findings).toEqual([]);
  });

  test.each(SABOTAGES)('%s: it is found and named', async (_what, change, named) => {
    const { verdict, findings } = await verify(change);
    expect(findings.map(({ message }) => message).join('\n')).toMatch(named);
    expect(verdict).toBe('different');
  });
});
