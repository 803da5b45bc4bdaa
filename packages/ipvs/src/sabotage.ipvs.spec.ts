import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FamilyVerification, type ProxyState, verifyState } from '@kube-proxier/core';
import {
  ClusterSketch,
  casesOf,
  EXAMPLE_SKETCH,
  everything,
  type ServiceSketch,
  sketchAddresses,
} from '@kube-proxier/core/testing';
import { becomeNode, makeNamespace, type TestNamespace } from '@kube-proxier/linux/testing';
import { IpvsDataplane } from './dataplane.js';
import type { IpvsHost } from './ipvs-host.js';
import { readPacketPath } from './packet-path.js';
import { INTERFACE, setName } from './plan/layout.js';
import { nodeHost } from './testing/node-host.js';

const NODE = sketchAddresses.node('IPv4');
const clusterIP = (number: number): ServiceSketch => ({
  ...EXAMPLE_SKETCH,
  ...{ name: `ns/web-${number}`, number, kind: 'ClusterIP', ranges: undefined },
});
const SERVICES: readonly ServiceSketch[] = [
  EXAMPLE_SKETCH,
  { ...EXAMPLE_SKETCH, name: 'ns/local', number: 3, kind: 'NodePort', externalLocal: true, ranges: undefined },
  { ...EXAMPLE_SKETCH, name: 'ns/empty', number: 4, kind: 'NodePort', ranges: undefined, endpoints: [] },
  { ...EXAMPLE_SKETCH, name: 'ns/external', number: 5, kind: 'ExternalIP', ranges: undefined, protocol: 'UDP' },
  ...[2, 6, 7, 8, 9, 10, 11].map(clusterIP),
];
const FRONTENDS = setName('FRONTENDS', 'IPv4');
const MASQUERADE = setName('MASQUERADE', 'IPv4');

/** A foreign change by commands, the expected findings, and cleanup commands for objects that no plan removes. */
type Sabotage = readonly [what: string, commands: readonly string[], named: RegExp, undo?: readonly string[]];

/** Each for another Service, so that all can be applied at once. */
const SABOTAGES: readonly Sabotage[] = [
  [
    'a real server has weight 0',
    ['ipvsadm -e -t 10.96.0.1:80 -r 10.244.0.2:8080 -m -w 0'],
    /10\.96\.0\.1:80\/TCP.*never sent to 10\.244\.0\.2:8080/,
  ],
  [
    'a real server is removed',
    ['ipvsadm -d -t 10.96.0.2:80 -r 10.244.0.2:8080'],
    /10\.96\.0\.2:80\/TCP.*never sent to 10\.244\.0\.2:8080/,
  ],
  [
    'a virtual server is removed',
    ['ipvsadm -D -u 10.96.0.5:80'],
    /10\.96\.0\.5:80\/UDP.*IPVS has no virtual server UDP\/10\.96\.0\.5:80/,
  ],
  [
    'a foreign real server is added',
    ['ipvsadm -a -t 10.96.0.6:80 -r 10.9.9.9:8080 -m'],
    /sent to 10\.9\.9\.9:8080.*"real server 10\.9\.9\.9:8080 with weight 1" in table TCP\/10\.96\.0\.6:80 \(ipvs\)/,
  ],
  [
    'another scheduler chooses by another weight',
    ['ipvsadm -E -t 10.96.0.7:80 -s wrr', 'ipvsadm -e -t 10.96.0.7:80 -r 10.244.0.2:8080 -m -w 8'],
    /10\.96\.0\.7:80\/TCP.*with probability 0\.\d+ instead of 0\.333/,
  ],
  [
    'a real server gets packets without translation',
    ['ipvsadm -a -t 10.96.0.8:80 -r 10.244.0.2:80 -g'],
    /10\.96\.0\.8:80\/TCP.*are dropped.*"real server 10\.244\.0\.2:80 with weight 1 by [a-z ]+" in table TCP\/10\.96\.0\.8:80/,
  ],
  [
    'an address is removed from the interface',
    [`ip address delete 10.96.0.9/32 dev ${INTERFACE}`],
    /10\.96\.0\.9:80.*interface kube-ipvs0 does not have the address 10\.96\.0\.9/,
  ],
  [
    'an entry of a set is removed',
    [`ipset del ${FRONTENDS} 10.96.0.10,tcp:80`],
    /10\.96\.0\.10:80\/TCP.*are refused.*! --match-set KUBE-IPVS-FRONTENDS dst,dst -j REJECT/,
  ],
  [
    'a foreign rule drops packets to a virtual address',
    ['iptables-legacy -I INPUT 1 -d 10.96.0.11/32 -j DROP'],
    /"-d 10\.96\.0\.11\/32 -j DROP" in chain INPUT of table filter \(iptables-legacy\)/,
    ['iptables-legacy -D INPUT -d 10.96.0.11/32 -j DROP'],
  ],
  [
    'IPVS does not track connections',
    ['sysctl -qw net.ipv4.vs.conntrack=0'],
    /with its own source address.*sysctl net\.ipv4\.vs\.conntrack = 0/,
  ],
];

const FURTHER: readonly Sabotage[] = [
  ['all virtual servers are removed', ['ipvsadm -C'], /IPVS has no virtual server TCP\/10\.96\.0\.1:80/],
  ['the interface is removed', [`ip link delete ${INTERFACE}`], /interface kube-ipvs0 does not have the address/],
  [
    'a Service without endpoints gets one',
    ['ipvsadm -a -t 10.96.0.4:80 -r 10.244.0.2:8080 -m'],
    /10\.96\.0\.4:80\/TCP.*are sent to 10\.244\.0\.2:8080, not refused/,
  ],
  ['a set is emptied', [`ipset flush ${MASQUERADE}`], /with its own source address.*packet without a mark/],
  [
    'a foreign rule drops answers of endpoints',
    ['iptables-legacy -I FORWARD 1 -s 10.244.0.0/16 -j DROP'],
    /"-s 10\.244\.0\.0\/16 -j DROP" in chain FORWARD of table filter/,
    ['iptables-legacy -D FORWARD -s 10.244.0.0/16 -j DROP'],
  ],
  [
    'a foreign rule translates the destination first',
    ['iptables-legacy -t nat -I PREROUTING 1 -d 10.96.0.1/32 -p tcp -j DNAT --to-destination 10.9.9.9:1'],
    /sent to 10\.9\.9\.9:1.*chain PREROUTING of table nat/,
    ['iptables-legacy -t nat -D PREROUTING -d 10.96.0.1/32 -p tcp -j DNAT --to-destination 10.9.9.9:1'],
  ],
];

// The same, and more of them, on a kernel in memory: sabotage.spec.ts.
describe('foreign changes to virtual servers, sets, rules and settings of a kernel', () => {
  let namespace: TestNamespace;
  let host: IpvsHost;
  let dataplane: IpvsDataplane;
  let state: ProxyState;

  beforeAll(async () => {
    namespace = makeNamespace();
    await becomeNode(namespace.runner, [NODE]);
    host = nodeHost({ ...namespace, namespacePath: namespace.path }, 'IPv4');
    dataplane = new IpvsDataplane({ family: 'IPv4', host });
    const cluster = new ClusterSketch('IPv4', { localhostNodePorts: false });
    for (const sketch of SERVICES) {
      cluster.set(sketch);
    }
    ({ state } = cluster.next());
    await repair();
  });

  afterAll(() => namespace.remove());

  const run = async (commands: readonly string[]): Promise<void> => {
    for (const line of commands) {
      const [command = '', ...args] = line.split(' ');
      await namespace.runner.run({ command, args, timeout: 60_000 });
    }
  };

  async function repair(): Promise<void> {
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
  }

  async function verify(): Promise<FamilyVerification> {
    const { runner, files } = namespace;
    const path = await readPacketPath({ family: 'IPv4' }, { ...host, runner, files });
    return verifyState(state, path, { servesLoopback: false });
  }

  test('without a change the state is verified', async () => {
    const { findings, verdict } = await verify();
    expect(findings.map(({ message }) => message)).toEqual([]);
    expect(verdict).toBe('verified');
  });

  const messagesAfter = async (sabotages: readonly Sabotage[]): Promise<string> => {
    await run(sabotages.flatMap(([, commands]) => commands));
    const { verdict, findings } = await verify();
    await run(sabotages.flatMap(([, , , undo = []]) => undo));
    await repair();
    expect(verdict).toBe('different');
    return findings.map(({ message }) => message).join('\n');
  };

  test('ten changes at once are all found and named', async () => {
    const messages = await messagesAfter(SABOTAGES);
    const missing = SABOTAGES.filter(([, , named]) => !named.test(messages)).map(([what]) => what);
    expect({ missing, messages: missing.length === 0 ? '' : messages }).toEqual({ missing: [], messages: '' });
  });

  for (const sabotage of casesOf([], [...SABOTAGES, ...FURTHER])) {
    const [what, , named] = sabotage;
    test(`${what}: it is found and named`, async () => {
      expect(await messagesAfter([sabotage])).toMatch(named);
    });
  }

  test('the repaired state is verified', async () => {
    expect((await verify()).findings).toEqual([]);
  });
});
