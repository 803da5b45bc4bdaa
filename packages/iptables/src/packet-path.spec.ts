import { describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, type ProxyState, verifyState } from '@kube-proxier/core';
import { Random, RandomCluster, resolveObjects, runCount } from '@kube-proxier/core/testing';
import { netfilterPathOf } from '@kube-proxier/linux';
import { FakeIptables, fakePathHost } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { isForeignRule } from './packet-path.js';
import { fakeSettings } from './testing/fake-settings.js';

const NODE = { IPv4: ['192.168.1.10', '192.168.2.10'], IPv6: ['fd00:1::10', 'fd00:2::10'] } as const;
const OPTIONS = {
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] },
} as const;

function stateOf(seed: number, family: IPFamily): ProxyState {
  const cluster = new RandomCluster(new Random(seed));
  const handler = new Proxy({}, { get: () => () => {} }) as Parameters<RandomCluster['step']>[0];
  for (let step = 0; step < 40; step++) {
    cluster.step(handler);
  }
  const node = {
    ...cluster.node,
    status: { addresses: NODE[family].slice(0, 1).map((address) => ({ type: 'InternalIP', address })) },
  };
  return resolveObjects(
    { ...cluster.objects, node, serviceCIDRs: ['10.96.0.0/16', 'fd00:96::/112'], localAddresses: NODE[family] },
    { family, nodeName: 'node1', ...OPTIONS },
  );
}

async function installed(state: ProxyState): Promise<FakeIptables> {
  const iptables = new FakeIptables({ family: state.family });
  const dataplane = new IptablesDataplane({
    family: state.family,
    iptables: async () => iptables,
    sysctl: fakeSettings(),
  });
  const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  if (transaction) {
    await dataplane.apply(transaction);
  }
  return iptables;
}

async function pathOf(state: ProxyState, iptables: FakeIptables, sysctls: Readonly<Record<string, number>> = {}) {
  const { family } = state;
  return netfilterPathOf(
    { saved: new Map([['nft', await iptables.save()]]), tables: [], unread: [] },
    fakePathHost({
      family,
      addresses: NODE[family],
      sysctls: { 'net/ipv4/conf/all/route_localnet': 1, ...sysctls },
    }),
    isForeignRule,
  );
}

describe.each(['IPv4', 'IPv6'] as const)('%s', (family) => {
  test.each(Array.from({ length: runCount(8, 100) }, (_, index) => [index + 1]))(
    'random cluster %i: rules that are as planned are verified',
    async (seed) => {
      const state = stateOf(seed, family);
      const { verdict, findings, classes } = verifyState(state, await pathOf(state, await installed(state)));
      expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
        verdict: 'verified',
        findings: [],
      });
      expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
    },
  );
});
