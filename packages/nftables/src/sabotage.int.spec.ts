import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type ProxyState, verifyState } from '@kube-proxier/core';
import { ClusterSketch, casesOf, EXAMPLE_SKETCHES, everything, sketchAddresses } from '@kube-proxier/core/testing';
import { createNetlinkNft, NftChoice } from '@kube-proxier/linux';
import { becomeNode, canMakeNamespaces, makeNamespace, type TestNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { readPacketPath } from './packet-path.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

function stateOf(): ProxyState {
  const cluster = new ClusterSketch('IPv4', { localhostNodePorts: false });
  for (const sketch of EXAMPLE_SKETCHES) {
    cluster.set(sketch);
  }
  return cluster.next().state;
}

/** A foreign change to the node, and what the findings must name. */
type Sabotage = readonly [what: string, commands: readonly string[], named: RegExp];

const T = 'ip kube-proxier';
const SABOTAGES: readonly Sabotage[] = [
  // Foreign rules before and after those of the backend.
  [
    'a foreign table drops all forwarded packets',
    foreignChain('forward', -10, 'drop'),
    /"drop # handle \d+" in chain c of table ip foreign/,
  ],
  [
    'a foreign table drops packets to one pod',
    foreignChain('forward', 10, 'ip daddr 10.244.0.2 drop'),
    /ip daddr 10\.244\.0\.2 drop.*ip foreign/,
  ],
  [
    'a foreign table drops by policy',
    ['add table inet foreign', 'add chain inet foreign c { type filter hook forward priority 0; policy drop; }'],
    /"policy drop" in chain c of table inet foreign/,
  ],
  [
    'a foreign table drops before connections are tracked',
    foreignChain('prerouting', -300, 'tcp dport 80 drop'),
    /tcp dport 80 drop.*ip foreign/,
  ],
  [
    'a foreign table drops what the node sends',
    foreignChain('output', 0, 'ip daddr 10.244.0.0/16 drop'),
    /ip daddr 10\.244\.0\.0\/16 drop/,
  ],
  [
    'a foreign table rejects NodePorts',
    foreignChain('prerouting', -150, 'tcp dport 30000-32767 reject'),
    /tcp dport 30000-32767 reject/,
  ],
  [
    'a second NAT table takes a cluster IP first',
    natTable('prerouting', -110, 'ip daddr 10.96.0.1 tcp dport 80 dnat to 10.9.9.9:1'),
    /sent to 10\.9\.9\.9:1.*ip foreign/,
  ],
  [
    'a second NAT table takes a NodePort first',
    natTable('prerouting', -101, 'tcp dport 30001 redirect to :22'),
    /redirect.*ip foreign/,
  ],
  [
    'a second NAT table masquerades everything',
    natTable('postrouting', 90, 'masquerade'),
    /with an address of the node.*masquerade.*ip foreign/,
  ],
  [
    'a foreign rule clears the mark',
    foreignChain('forward', 0, 'meta mark set 0'),
    /no rule replaces the source address.*ip foreign/,
  ],
  [
    'a foreign rule exempts packets from tracking',
    foreignChain('prerouting', -300, 'ip daddr 10.96.0.5 notrack'),
    /10\.96\.0\.5/,
  ],
  [
    'iptables drops all forwarded packets',
    ['!iptables-nft -A FORWARD -j DROP'],
    /"-j DROP" in chain FORWARD of table filter \(iptables\)/,
  ],
  ['iptables drops by policy', ['!iptables-nft -P FORWARD DROP'], /"policy DROP" in chain FORWARD of table filter/],
  [
    'iptables-legacy translates first',
    ['!iptables-legacy -t nat -A PREROUTING -d 10.96.0.2 -p tcp -j DNAT --to-destination 10.9.9.9:7'],
    /sent to 10\.9\.9\.9:7|10\.96\.0\.2/,
  ],
  // Elements.
  [
    'the element of a cluster IP is deleted',
    [`delete element ${T} services { 10.96.0.1 . tcp . 80 }`],
    /services has no element 10\.96\.0\.1 \. tcp \. 80/,
  ],
  [
    'an element that matches everything takes the place of one that is deleted',
    [
      `delete element ${T} endpoints-tcp { 10.96.0.1 . 80 . 0 }`,
      `add element ${T} endpoints-tcp { * : 10.9.9.9 . 8080 }`,
    ],
    /10\.9\.9\.9/,
  ],
  [
    'the element of a NodePort is deleted',
    [`delete element ${T} node-ports { tcp . 30003 }`],
    /node-ports has no element tcp \. 30003/,
  ],
  [
    'an endpoint is replaced',
    [
      `delete element ${T} endpoints-tcp { 10.96.0.1 . 80 . 0 }`,
      `add element ${T} endpoints-tcp { 10.96.0.1 . 80 . 0 : 10.9.9.9 . 8080 }`,
    ],
    /sent to 10\.9\.9\.9:8080.*endpoints-tcp/,
  ],
  [
    'the port of an endpoint is changed',
    [
      `delete element ${T} endpoints-tcp { 10.96.0.1 . 80 . 1 }`,
      `add element ${T} endpoints-tcp { 10.96.0.1 . 80 . 1 : 10.244.0.2 . 8081 }`,
    ],
    /sent to 10\.244\.0\.2:8081/,
  ],
  [
    'two slots have the same endpoint',
    [
      `delete element ${T} endpoints-tcp { 10.96.0.1 . 80 . 2 }`,
      `add element ${T} endpoints-tcp { 10.96.0.1 . 80 . 2 : 10.244.0.2 . 8080 }`,
    ],
    /never sent to 10\.244\.0\.3:8080/,
  ],
  [
    'an endpoint of a sticky Service is deleted',
    [`flush map ${T} affinity-endpoints`],
    /ns\/sticky.*affinity-endpoints has no element/,
  ],
  [
    'a source range is widened',
    [`add element ${T} allowed-sources { 198.51.100.1 . tcp . 80 . 192.0.2.64/26 }`],
    /sent to .*not dropped/,
  ],
  ['a source range is deleted', [`flush set ${T} allowed-sources`], /are dropped, not forwarded/],
  ['the hairpin element is deleted', [`flush set ${T} hairpin`], /\(endpoint\).*masqueraded to itself/],
  ['a refused NodePort is deleted', [`flush set ${T} refused-node-ports`], /are accepted, not refused/],
  ['the cluster IPs are deleted', [`flush set ${T} cluster-ips`], /dropped, not refused/],
  [
    'a Service leads to the chain of another policy',
    [`delete element ${T} node-ports { tcp . 30003 }`, `add element ${T} node-ports { tcp . 30003 : drop }`],
    /are dropped.*ns\/local|ns\/local.*are dropped/,
  ],
  // Chains and jumps.
  [
    'the jump from prerouting is deleted',
    [`flush chain ${T} nat-prerouting`, `flush chain ${T} nat-prerouting-again`],
    /no rule of chain nat-prerouting.* of table ip kube-proxier leads to it/,
  ],
  [
    'the jump from output is deleted',
    [`flush chain ${T} nat-output`, `flush chain ${T} nat-output-again`],
    /no rule of chain nat-output.* of table ip kube-proxier leads to it/,
  ],
  [
    'the chain dispatch is emptied',
    [`flush chain ${T} dispatch`],
    /chain dispatch of table ip kube-proxier ends without/,
  ],
  [
    'the chain postrouting is emptied',
    [`flush chain ${T} nat-postrouting`],
    /no rule replaces the source address of a packet with the mark 0x4000/,
  ],
  ['the chain of service networks is emptied', [`flush chain ${T} closed-networks`], /accepted, not dropped/],
  ['the chain of closed NodePorts is emptied', [`flush chain ${T} closed-node-ports`], /accepted, not refused/],
  [
    'another mark bit is masqueraded',
    [`flush chain ${T} nat-postrouting`, `add rule ${T} nat-postrouting meta mark & 0x8000 != 0 masquerade`],
    /with the mark 0x4000/,
  ],
  ['the table is deleted', [`delete table ${T}`], /no table that translates addresses has a rule/],
  // Settings.
  ['forwarding is off', ['!sysctl -qw net.ipv4.ip_forward=0'], /sysctl net\.ipv4\.ip_forward = 0/],
  [
    'forwarding is off for one interface',
    ['!sysctl -qw net.ipv4.conf.eth0.forwarding=0'],
    /sysctl net\.ipv4\.conf\.eth0\.forwarding = 0/,
  ],
  [
    'there is no route back, and the reverse path is checked',
    ['!ip route del default', '!sysctl -qw net.ipv4.conf.all.rp_filter=1'],
    /sysctl net\.ipv4\.conf\.all\.rp_filter = 1/,
  ],
];

function foreignChain(hook: string, priority: number, rule: string): readonly string[] {
  return [
    'add table ip foreign',
    `add chain ip foreign c { type filter hook ${hook} priority ${priority}; policy accept; }`,
    `add rule ip foreign c ${rule}`,
  ];
}

function natTable(hook: string, priority: number, rule: string): readonly string[] {
  return [
    'add table ip foreign',
    `add chain ip foreign c { type nat hook ${hook} priority ${priority}; policy accept; }`,
    `add rule ip foreign c ${rule}`,
  ];
}

/** One of each kind; the others differ only in the dropped, translated or deleted object. */
const USUAL = [
  'a foreign table drops all forwarded packets',
  'a second NAT table takes a cluster IP first',
  'a foreign rule clears the mark',
  'iptables drops by policy',
  'an endpoint is replaced',
  'a source range is widened',
  'the element of a NodePort is deleted',
  'the jump from prerouting is deleted',
  'the chain postrouting is emptied',
  'forwarding is off',
];
const isUsual = ([what]: Sabotage) => USUAL.includes(what);

whereAllowed('foreign changes to the rules of the node', () => {
  const state = stateOf();
  let namespace: TestNamespace;
  beforeAll(() => {
    namespace = makeNamespace();
  });
  afterAll(() => namespace.remove());

  beforeEach(async () => {
    namespace.remove();
    namespace = makeNamespace();
    await becomeNode(namespace.runner, [sketchAddresses.node('IPv4')]);
    const dataplane = new NftablesDataplane({
      family: 'IPv4',
      nft: createNetlinkNft({ namespace: namespace.path }),
    });
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
    dataplane.close();
  });

  const verify = async () => {
    const choice = new NftChoice({ runner: namespace.runner });
    const path = await readPacketPath({ family: 'IPv4' }, { ...namespace, choice });
    const result = verifyState(state, path);
    path.close();
    return result;
  };

  test('without a change the state is verified', async () => {
    expect((await verify()).findings).toEqual([]);
  });

  const sabotages = casesOf(
    SABOTAGES.filter(isUsual),
    SABOTAGES.filter((one) => !isUsual(one)),
  );
  test.each(sabotages)('%s: it is found and named', async (_what, commands, named) => {
    const { runner } = namespace;
    const nft = commands.filter((command) => !command.startsWith('!'));
    if (nft.length > 0) {
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin: `${nft.join('\n')}\n` });
    }
    for (const command of commands.filter((one) => one.startsWith('!'))) {
      const [program = '', ...args] = command.slice(1).split(' ');
      await runner.run({ command: program, args });
    }
    const { verdict, findings } = await verify();
    expect(verdict).toBe('different');
    expect(findings.map(({ message }) => message).join('\n')).toMatch(named);
  });
});
