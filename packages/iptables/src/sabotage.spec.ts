import { beforeEach, describe, expect, test } from '@jest/globals';
import { type ProxyState, verifyState } from '@kube-proxier/core';
import { ClusterSketch, EXAMPLE_SKETCHES, everything, sketchAddresses } from '@kube-proxier/core/testing';
import { type NftTableListing, netfilterPathOf } from '@kube-proxier/linux';
import { FakeIptables, fakePathHost } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { isForeignRule } from './packet-path.js';
import { serviceChain } from './plan/layout.js';
import { fakeSettings } from './testing/fake-settings.js';

const portOf = (name: string) => ({ namespace: 'ns', name, portName: 'p', protocol: 'TCP' }) as const;

const WEB = serviceChain('SVC', portOf('web'));
const STICKY_1 = serviceChain('SEP', portOf('sticky'), '10.244.0.1:8080');

interface Change {
  readonly nat?: readonly string[];
  readonly filter?: readonly string[];
  readonly mangle?: readonly string[];
  readonly raw?: readonly string[];
  /** Changes the output of iptables-save. */
  readonly text?: (saved: string) => string;
  /** Undefined for a setting that cannot be read. */
  readonly sysctls?: Readonly<Record<string, number | undefined>>;
  readonly routes?: Readonly<Record<string, string>>;
  readonly tables?: readonly NftTableListing[];
}

const ROUTES = { '0.0.0.0/0': 'eth0', '10.244.0.0/30': 'cni0' };

const replaced =
  (pattern: RegExp, by: string) =>
  (saved: string): string => {
    const changed = saved.replace(pattern, by);
    expect(changed).not.toBe(saved);
    return changed;
  };

/** As {@link replaced}, in one table only. */
const inTable =
  (table: string, pattern: RegExp, by: string) =>
  (saved: string): string =>
    saved.replace(new RegExp(`\\*${table}\n[^*]*`), replaced(pattern, by));

const SABOTAGES: readonly (readonly [what: string, change: Change, named: RegExp])[] = [
  // Foreign rules.
  [
    'a rule before ours drops forwarded packets',
    { filter: ['-I FORWARD 1 -j DROP'] },
    /"-j DROP" in chain FORWARD of table filter \(iptables\)/,
  ],
  [
    'a rule drops packets to one pod',
    { filter: ['-A FORWARD -d 10.244.0.2/32 -j DROP'] },
    /"-d 10\.244\.0\.2\/32 -j DROP"/,
  ],
  [
    'a rule before ours rejects a NodePort',
    { filter: ['-I INPUT 1 -p tcp -m tcp --dport 30004 -j DROP'] },
    /are dropped, not refused.*--dport 30004 -j DROP/,
  ],
  [
    'a policy drops',
    { text: replaced(/:FORWARD ACCEPT/, ':FORWARD DROP') },
    /"policy DROP" in chain FORWARD of table filter/,
  ],
  [
    'a chain of another program drops',
    { filter: [':ACME - [0:0]', '-I FORWARD 1 -j ACME', '-A ACME -p tcp -m multiport --dports 8080,9090 -j DROP'] },
    /--dports 8080,9090 -j DROP" in chain ACME/,
  ],
  ['a rule in table raw drops', { raw: ['-A PREROUTING -d 10.96.0.1/32 -j DROP'] }, /chain PREROUTING of table raw/],
  ['a rule in table raw ends tracking', { raw: ['-A PREROUTING -d 10.96.0.1/32 -j CT --notrack'] }, /10\.96\.0\.1:80/],
  [
    'a rule in table mangle drops',
    { mangle: ['-A FORWARD -d 10.244.0.3/32 -j DROP'] },
    /chain FORWARD of table mangle/,
  ],
  [
    'a rule in table mangle sets the mark of ours',
    { mangle: ['-A PREROUTING -j MARK --set-xmark 0x4000/0x4000'] },
    /with an address of the node/,
  ],
  [
    'a DNAT before ours',
    { nat: ['-I PREROUTING 1 -d 10.96.0.1/32 -p tcp -j DNAT --to-destination 10.9.9.9:1'] },
    /sent to 10\.9\.9\.9:1.*-j DNAT --to-destination 10\.9\.9\.9:1" in chain PREROUTING of table nat/,
  ],
  [
    'a redirect before ours',
    { nat: ['-I PREROUTING 1 -p tcp -m tcp --dport 30001 -j REDIRECT --to-ports 22'] },
    /REDIRECT --to-ports 22/,
  ],
  [
    'an ACCEPT before ours in table nat',
    { nat: ['-I PREROUTING 1 -d 10.96.0.5/32 -j ACCEPT'] },
    /10\.96\.0\.5:80\/UDP.*"-d 10\.96\.0\.5\/32 -j ACCEPT" in chain PREROUTING of table nat/,
  ],
  [
    'a MASQUERADE before ours where the source is promised',
    { nat: ['-I POSTROUTING 1 -j MASQUERADE'] },
    /with an address of the node.*"-j MASQUERADE" in chain POSTROUTING/,
  ],
  [
    'an ACCEPT before ours in POSTROUTING',
    { nat: ['-I POSTROUTING 1 -d 10.244.0.0/16 -j ACCEPT'] },
    /own source address.*"-d 10\.244\.0\.0\/16 -j ACCEPT" in chain POSTROUTING of table nat/,
  ],
  ['a second NAT table, of nftables', { tables: [foreignNat()] }, /sent to 10\.9\.9\.9:1.*ip foreign \(nftables\)/],
  // Jumps.
  [
    'the jump from nat PREROUTING is removed',
    { text: inTable('nat', /-A PREROUTING .*-j KUBE-SERVICES\n/, '') },
    /no rule of chain PREROUTING of table nat leads to it/,
  ],
  [
    'the jump from nat OUTPUT is removed',
    { text: inTable('nat', /-A OUTPUT .*-j KUBE-SERVICES\n/, '') },
    /\(node\).*no rule of chain OUTPUT of table nat leads to it/,
  ],
  [
    'the jump from nat POSTROUTING is removed',
    { text: replaced(/-A POSTROUTING .*-j KUBE-POSTROUTING\n/, '') },
    /no rule replaces the source address of a packet with the mark 0x4000/,
  ],
  [
    'the jump to the Service is removed',
    { text: replaced(new RegExp(`-A \\S+ -d 10\\.96\\.0\\.1/32 .*-j ${WEB}\\n`), '') },
    /10\.96\.0\.1:80/,
  ],
  // Chains.
  [
    'the chain of a Service is emptied',
    { text: replaced(new RegExp(`(-A ${WEB} .*\\n)+`), '') },
    new RegExp(`chain ${WEB} of table nat ends without a rule that applies`),
  ],
  [
    'the chain of an endpoint is emptied',
    { text: replaced(new RegExp(`(-A ${STICKY_1} .*\\n)+`), '') },
    new RegExp(`never sent to 10\\.244\\.0\\.1:8080.*chain ${STICKY_1} of table nat has no rules`),
  ],
  [
    'the chain KUBE-SERVICES is emptied',
    { text: inTable('nat', /(-A KUBE-SERVICES .*\n)+/, '') },
    /chain KUBE-SERVICES of table nat ends without a rule that applies/,
  ],
  [
    'the chain that marks is emptied',
    { text: replaced(/-A KUBE-MARK-MASQ .*\n/, '') },
    /no rule replaces the source address of a packet without a mark/,
  ],
  // Rules.
  [
    'another endpoint',
    { text: replaced(/--to-destination 10\.244\.0\.2:8080/, '--to-destination 10.9.9.9:8080') },
    /sent to 10\.9\.9\.9:8080/,
  ],
  [
    'another port of an endpoint',
    { text: replaced(/--to-destination 10\.244\.0\.1:8080/, '--to-destination 10.244.0.1:8081') },
    /sent to 10\.244\.0\.1:8081/,
  ],
  [
    'another share of an endpoint',
    { text: replaced(new RegExp(`(-A ${WEB} .*--probability )0\\.3\\d+`), '$10.90000000000') },
    /with probability 0\.\d+ instead of 0\.333/,
  ],
  [
    'an endpoint is left out',
    { text: replaced(new RegExp(`-A ${WEB} .*--to-destination 10\\.244\\.0\\.2:8080\\n`), '') },
    /never sent to 10\.244\.0\.2:8080/,
  ],
  [
    'the wrong mark bit is set',
    {
      text: replaced(
        /-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000\/0x4000/,
        '-A KUBE-MARK-MASQ -j MARK --set-xmark 0x8000/0x8000',
      ),
    },
    /with the mark 0x8000, set by "-j MARK --set-xmark 0x8000\/0x8000" in chain KUBE-MARK-MASQ/,
  ],
  [
    'the mark is looked for at another bit',
    {
      text: replaced(
        /-A KUBE-POSTROUTING -m mark ! --mark 0x4000\/0x4000 -j RETURN/,
        '-A KUBE-POSTROUTING -m mark ! --mark 0x8000/0x8000 -j RETURN',
      ),
    },
    /with the mark 0x4000/,
  ],
  ['hairpin packets are not masqueraded', { text: replaced(/(-A KUBE-HAIRPIN\S* .*\n)+/, '') }, /\(endpoint\)/],
  [
    'a source range is widened',
    { text: replaced(/192\.0\.2\.128\/25/g, '192.0.2.0/24') },
    /\(source range\).*not dropped/,
  ],
  [
    'a source range is narrowed',
    { text: replaced(/192\.0\.2\.128\/25/g, '192.0.2.128/26') },
    /are dropped, not forwarded/,
  ],
  [
    'a Service without endpoints is not refused',
    { text: replaced(/-A KUBE-CLOSED-NP\S* .*\n/, '') },
    /accepted, not refused/,
  ],
  ['cluster IPs are not refused', { text: replaced(/(-A KUBE-CLUSTER-IPS\S* .*\n)+/, '') }, /not refused/],
  // Settings.
  ['forwarding is off', { sysctls: { 'net/ipv4/ip_forward': 0 } }, /sysctl net\.ipv4\.ip_forward = 0/],
  [
    'localhost NodePorts are not routed',
    { sysctls: { 'net/ipv4/conf/all/route_localnet': 0 } },
    /\(loopback\).*sysctl net\.ipv4\.conf\.all\.route_localnet = 0/,
  ],
  [
    'there is no route back, and the reverse path is checked',
    { routes: { '10.244.0.0/30': 'cni0' }, sysctls: { 'net/ipv4/conf/all/rp_filter': 1 } },
    /sysctl net\.ipv4\.conf\.all\.rp_filter = 1/,
  ],
  [
    'bridged packets bypass netfilter',
    { sysctls: { 'net/bridge/bridge-nf-call-iptables': 0 } },
    /sysctl net\.bridge\.bridge-nf-call-iptables = 0/,
  ],
];

function foreignNat(): NftTableListing {
  const daddr = { payload: { protocol: 'ip', field: 'daddr' } };
  return {
    family: 'ip',
    name: 'foreign',
    objects: [
      [
        'chain',
        { family: 'ip', table: 'foreign', name: 'c', type: 'nat', hook: 'prerouting', prio: -110, policy: 'accept' },
      ],
      [
        'rule',
        {
          chain: 'c',
          handle: 2,
          expr: [{ match: { op: '==', left: daddr, right: '10.96.0.1' } }, { dnat: { addr: '10.9.9.9', port: 1 } }],
        },
      ],
    ],
  };
}

describe('foreign changes to the rules of the node', () => {
  let iptables: FakeIptables;
  let state: ProxyState;
  beforeEach(async () => {
    const cluster = new ClusterSketch('IPv4');
    for (const sketch of EXAMPLE_SKETCHES) {
      cluster.set(sketch);
    }
    ({ state } = cluster.next());
    iptables = new FakeIptables();
    const dataplane = new IptablesDataplane({
      family: 'IPv4',
      iptables: async () => iptables,
      sysctl: fakeSettings(),
    });
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
  });

  async function verify({ text = (saved) => saved, sysctls = {}, routes = ROUTES, tables = [], ...rules }: Change) {
    for (const [table, lines] of Object.entries(rules) as [string, readonly string[]][]) {
      await iptables.restoreByOthers(`*${table}\n${lines.join('\n')}\nCOMMIT\n`);
    }
    const path = netfilterPathOf(
      { saved: new Map([['nft', text(await iptables.save())]]), tables, unread: [] },
      fakePathHost({
        family: 'IPv4',
        addresses: [sketchAddresses.node('IPv4')],
        routes,
        bridges: ['cni0'],
        sysctls: {
          'net/ipv4/conf/all/route_localnet': 1,
          'net/bridge/bridge-nf-call-iptables': 1,
          ...sysctls,
        },
      }),
      { isForeign: isForeignRule },
    );
    return verifyState(state, path);
  }

  test('without a change the state is verified', async () => {
    expect((await verify({})).findings).toEqual([]);
  });

  test.each(SABOTAGES)('%s: it is found and named', async (_what, change, named) => {
    const { verdict, findings } = await verify(change);
    expect(findings.map(({ message }) => message).join('\n')).toMatch(named);
    expect(verdict).toBe('different');
  });

  test('a forwarding setting that cannot be read leaves the verdict unknown', async () => {
    const { verdict, findings } = await verify({ sysctls: { 'net/ipv4/ip_forward': undefined } });
    expect(findings.map(({ message }) => message).join('\n')).toMatch(
      /not known.*sysctl net\.ipv4\.ip_forward \(not readable\)/,
    );
    expect(verdict).toBe('unknown');
  });
});
