import { describe, expect, test } from '@jest/globals';
import { diffStates, type ProxyState, verifyState } from '@kube-proxier/core';
import {
  RANDOM_NODE_ADDRESSES,
  randomNodeState,
  rangedState,
  runCount,
  sketchAddresses,
  UNEQUAL_WEIGHTS,
  weightedState,
} from '@kube-proxier/core/testing';
import { netfilterPathOf } from '@kube-proxier/linux';
import { FakeIptables, fakePathHost } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { isForeignRule } from './packet-path.js';
import { fakeSettings } from './testing/fake-settings.js';

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

async function pathOf(
  state: ProxyState,
  iptables: FakeIptables,
  sysctls: Readonly<Record<string, number>> = {},
  addresses = RANDOM_NODE_ADDRESSES[state.family],
) {
  const { family } = state;
  return netfilterPathOf(
    { saved: new Map([['nft', await iptables.save()]]), tables: [], unread: [] },
    fakePathHost({
      family,
      addresses,
      sysctls: { 'net/ipv4/conf/all/route_localnet': 1, ...sysctls },
    }),
    { isForeign: isForeignRule },
  );
}

describe.each(['IPv4', 'IPv6'] as const)('%s', (family) => {
  test.each(Array.from({ length: runCount(8, 100) }, (_, index) => [index + 1]))(
    'random cluster %i: rules that are as planned are verified',
    async (seed) => {
      const state = randomNodeState(seed, family);
      const { verdict, findings, classes } = verifyState(state, await pathOf(state, await installed(state)));
      expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
        verdict: 'verified',
        findings: [],
      });
      expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
    },
  );

  test.each([80, 8080])(
    'ranges of ports, to %i: as planned they are verified, and other ranges are not',
    async (target) => {
      const addresses = [sketchAddresses.node(family)];
      const verdictOf = async (planned: ProxyState, wanted: ProxyState) => {
        const { verdict, findings } = verifyState(
          wanted,
          await pathOf(wanted, await installed(planned), {}, addresses),
        );
        return [verdict, findings.map(({ message }) => message)];
      };
      const state = rangedState(family, target, 99);
      expect(await verdictOf(state, state)).toEqual(['verified', []]);
      expect((await verdictOf(rangedState(family, target, 98), state))[0]).toBe('different');
      expect((await verdictOf(rangedState(family, target + 1, 99), state))[0]).toBe('different');
    },
  );

  test.each(UNEQUAL_WEIGHTS)(
    'weights %i and %i: rules that are as planned are verified, others are not',
    async (...weights) => {
      const state = weightedState(family, weights);
      const addresses = [sketchAddresses.node(family)];
      const { verdict, findings } = verifyState(state, await pathOf(state, await installed(state), {}, addresses));
      expect([verdict, findings.map(({ message }) => message)]).toEqual(['verified', []]);
      const equal = await installed(weightedState(family, [1, 1]));
      expect(verifyState(state, await pathOf(state, equal, {}, addresses)).verdict).not.toBe('verified');
    },
  );
});
