import { describe, expect, test } from '@jest/globals';
import { type IPFamily, type ProxyState, type SimulatedOutcome, simulatePacket } from '@kube-proxier/core';
import { EXAMPLE_SERVICE, runCount } from '@kube-proxier/core/testing';
import { FakeIptables } from '@kube-proxier/linux/testing';
import type { WalkedPacket, WalkOutcome } from '@kube-proxier/network-sandbox';
import { walkPacket } from '@kube-proxier/network-sandbox';
import fc from 'fast-check';
import { IptablesDataplane } from '../dataplane.js';
import { addresses, anySketch, ClusterSketch, everything, type ServiceSketch } from '../testing/clusters.js';
import { fakeSettings } from '../testing/fake-settings.js';
import { renderTransaction } from './iptables-transaction.js';

const families = ['IPv4', 'IPv6'] as const;

type Step = { readonly set: readonly ServiceSketch[]; readonly remove: readonly string[] };

function anySteps(family: IPFamily): fc.Arbitrary<readonly Step[]> {
  const name = fc.integer({ min: 1, max: 60 }).map((number) => `ns/svc${number}`);
  return fc.array(
    fc.record({ set: fc.array(anySketch(family), { maxLength: 25 }), remove: fc.array(name, { maxLength: 12 }) }),
    { minLength: 1, maxLength: 5 },
  );
}

function host(family: IPFamily) {
  const iptables = new FakeIptables({ family });
  const dataplane = new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() });
  return { iptables, dataplane };
}

async function fresh(state: ProxyState): Promise<FakeIptables> {
  const { iptables, dataplane } = host(state.family);
  const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
  if (transaction !== undefined) {
    await dataplane.apply(transaction);
  }
  return iptables;
}

/** Rules as they work: comments may differ. */
async function contents(iptables: FakeIptables): Promise<string> {
  return (await iptables.save('filter'))
    .concat(await iptables.save('nat'))
    .replace(/ -m comment --comment "[^"]*"/g, '');
}

test('the document for one Service with two endpoints, on an empty host', async () => {
  const cluster = new ClusterSketch('IPv4');
  cluster.set(EXAMPLE_SERVICE);
  const { state } = cluster.next();
  const { dataplane } = host('IPv4');
  const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
  expect(transaction && renderTransaction(transaction)).toBe(`*filter
:KUBE-SERVICES - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
:KUBE-PROXIER - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-CLUSTER-IPS - [0:0]
:KUBE-CLOSED-NP - [0:0]
:KUBE-BLOCKED-NP - [0:0]
-N KUBE-FIREWALL
-A KUBE-SERVICES -m conntrack ! --ctstate DNAT -m addrtype ! --dst-type LOCAL -j KUBE-CLUSTER-IPS
-A KUBE-CLUSTER-IPS -d 10.96.0.1/32 -j REJECT --reject-with icmp-port-unreachable
-A KUBE-CLUSTER-IPS -d 10.96.0.0/16 -m comment --comment "not a cluster IP of any service" -j DROP
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A KUBE-FORWARD -j KUBE-PROXIER
-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
-I INPUT 1 -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
-I INPUT 2 -m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS
-I INPUT 3 -m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES
-I FORWARD 1 -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
-I FORWARD 2 -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-I FORWARD 3 -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-I FORWARD 4 -m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES
-I OUTPUT 1 -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
-I OUTPUT 2 -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-I OUTPUT 3 -m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES
-I INPUT 1 -j KUBE-FIREWALL
-I OUTPUT 1 -j KUBE-FIREWALL
COMMIT
*nat
:KUBE-SVC-SXYRVYAD3VPIWXYC - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-PROXIER - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-HAIRPIN - [0:0]
-A KUBE-SVC-SXYRVYAD3VPIWXYC ! -s 10.244.0.0/16 -d 10.96.0.1/32 -m comment --comment "ns/svc1:p cluster IP" -j KUBE-MARK-MASQ
-A KUBE-SVC-SXYRVYAD3VPIWXYC -p tcp -m comment --comment "ns/svc1:p -> 10.244.0.1:8080" -m statistic --mode random --probability 0.50000000000 -j DNAT --to-destination 10.244.0.1:8080
-A KUBE-SVC-SXYRVYAD3VPIWXYC -p tcp -m comment --comment "ns/svc1:p -> 10.244.0.2:8080" -j DNAT --to-destination 10.244.0.2:8080
-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m comment --comment "ns/svc1:p cluster IP" -m tcp --dport 80 -j KUBE-SVC-SXYRVYAD3VPIWXYC
-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-HAIRPIN -s 10.244.0.1/32 -d 10.244.0.1/32 -j KUBE-MARK-MASQ
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -m conntrack --ctstate DNAT -j KUBE-HAIRPIN
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
-A KUBE-POSTROUTING -j KUBE-PROXIER
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-I PREROUTING 1 -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-I OUTPUT 1 -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-I POSTROUTING 1 -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
COMMIT
`);
});

describe.each(families)('IptablesPlanner %s', (family) => {
  test('incremental changes give the same result as one full load', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps(family), async (steps) => {
        const cluster = new ClusterSketch(family);
        const { iptables, dataplane } = host(family);
        let first = true;
        for (const step of steps) {
          step.set.forEach((sketch) => {
            cluster.set(sketch);
          });
          step.remove.forEach((name) => {
            cluster.remove(name);
          });
          const { state, changes } = cluster.next();
          const transaction = dataplane.plan(
            state,
            first ? everything(state) : changes,
            first ? await dataplane.readBack() : undefined,
          );
          first = false;
          if (transaction !== undefined) {
            await dataplane.apply(transaction);
          }
          expect(await contents(iptables)).toBe(await contents(await fresh(state)));
          expect(dataplane.plan(state, changes, await dataplane.readBack())).toBeUndefined();
        }
        await dataplane.cleanup();
        expect(await contents(iptables)).toBe(await contents(new FakeIptables({ family })));
      }),
      { numRuns: runCount(20, 60) },
    );
  });

  test('packets reach the endpoints of the state', async () => {
    const node = addresses.node(family);
    await fc.assert(
      fc.asyncProperty(fc.array(anySketch(family), { minLength: 1, maxLength: 50 }), async (sketches) => {
        const cluster = new ClusterSketch(family);
        sketches.forEach((sketch) => {
          cluster.set(sketch);
        });
        const { state } = cluster.next();
        const iptables = await fresh(state);
        const sources: readonly Pick<WalkedPacket, 'source' | 'inInterface'>[] = [
          { source: addresses.pod(family, 200), inInterface: 'veth0' },
          { source: addresses.pod(family, 1), inInterface: 'veth1' },
          { source: addresses.client(family), inInterface: 'eth0' },
          { source: addresses.blocked(family), inInterface: 'eth0' },
          { source: node, inInterface: undefined },
        ];
        for (const { number, protocol } of sketches.slice(0, 12)) {
          for (const from of sources) {
            for (const [destination, port] of [
              [addresses.cluster(family, number), 80],
              [addresses.cluster(family, number), 81],
              [addresses.cluster(family, 250), 80],
              [addresses.external(family, number), 80],
              [addresses.vip(family, number), 80],
              [node, 30000 + number],
              [addresses.pod(family, 77), 80],
            ] as const) {
              const packet: WalkedPacket = { ...from, destination, port, protocol: protocol.toLowerCase() as 'tcp' };
              const { outcome } = simulatePacket(state, {
                source: from.source,
                destination,
                port,
                protocol,
                entry:
                  from.inInterface === undefined ? { kind: 'host' } : { kind: 'interface', name: from.inInterface },
              });
              const walked = walkPacket(iptables, packet, { localAddresses: [node] });
              expect({ packet, ...summary(walked) }).toEqual({ packet, ...expected(outcome) });
            }
          }
        }
      }),
      { numRuns: runCount(10, 25) },
    );
  });
});

function summary(outcomes: readonly WalkOutcome[]) {
  const list = outcomes
    .map(({ probability, verdict, destination, masqueraded }) => {
      const what = verdict === 'accepted' ? (destination === undefined ? 'passed-on' : `to ${destination}`) : verdict;
      return `${what}${verdict === 'accepted' && masqueraded ? ' masqueraded' : ''} ${probability.toFixed(6)}`;
    })
    .sort();
  return { outcomes: list };
}

function expected(outcome: SimulatedOutcome) {
  if (outcome.kind !== 'forwarded') {
    return { outcomes: [`${outcome.kind} 1.000000`] };
  }
  return {
    outcomes: outcome.choices
      .map(
        ({ endpoint, probability, masqueraded }) =>
          `to ${endpoint.key}${masqueraded ? ' masqueraded' : ''} ${probability.toFixed(6)}`,
      )
      .sort(),
  };
}
