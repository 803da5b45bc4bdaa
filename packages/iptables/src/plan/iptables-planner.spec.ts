import { describe, expect, test } from '@jest/globals';
import { type IPFamily, type ProxyState, type SimulatedOutcome, simulatePacket } from '@kube-proxier/core';
import { FakeIptables } from '@kube-proxier/linux/testing';
import type { WalkedPacket, WalkOutcome } from '@kube-proxier/network-sandbox';
import { walkPacket } from '@kube-proxier/network-sandbox';
import fc from 'fast-check';
import { IptablesDataplane } from '../dataplane.js';
import { addresses, anySketch, ClusterSketch, everything, type ServiceSketch } from '../testing/clusters.js';
import { fakeSettings } from '../testing/fake-settings.js';

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

describe.each(families)('IptablesPlanner %s', (family) => {
  test('many small steps lead where one large one does', async () => {
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
      { numRuns: 60 },
    );
  });

  test('packets go where the state says', async () => {
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
      { numRuns: 25 },
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
