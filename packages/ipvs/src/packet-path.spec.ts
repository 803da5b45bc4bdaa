import { describe, expect, test } from '@jest/globals';
import { type ProxyState, verifyState } from '@kube-proxier/core';
import {
  RANDOM_NODE_ADDRESSES,
  randomNodeState,
  rangedState,
  runCount,
  sketchAddresses,
  UNEQUAL_WEIGHTS,
  weightedState,
} from '@kube-proxier/core/testing';
import { IpvsDataplane } from './dataplane.js';
import { type FakeHost, fakeHost, install } from './testing/contents.js';
import { fakePath } from './testing/fake-path.js';

async function installed(state: ProxyState, addresses = RANDOM_NODE_ADDRESSES[state.family]): Promise<FakeHost> {
  const host = fakeHost(state.family, addresses);
  await install(new IpvsDataplane({ family: state.family, host }), state);
  return host;
}

describe.each(['IPv4', 'IPv6'] as const)('%s', (family) => {
  test.each(Array.from({ length: runCount(10, 100) }, (_, index) => [index + 1]))(
    'random cluster %i: virtual servers, sets and rules that are as planned are verified',
    async (seed) => {
      const state = randomNodeState(seed, family, { localhostNodePorts: false, portRanges: 'same-port' });
      const { verdict, findings, classes } = verifyState(state, await fakePath(family, await installed(state)), {
        servesLoopback: false,
      });
      expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
        verdict: 'verified',
        findings: [],
      });
      expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
    },
  );

  test('port ranges: the planned state is verified, and a shorter range is not', async () => {
    const addresses = [sketchAddresses.node(family)];
    const verdictOf = async (planned: ProxyState, wanted: ProxyState) => {
      const path = await fakePath(family, await installed(planned, addresses));
      const { verdict, findings } = verifyState(wanted, path, { servesLoopback: false });
      return [verdict, findings.map(({ message }) => message)];
    };
    const state = rangedState(family, 80, 99);
    expect(await verdictOf(state, state)).toEqual(['verified', []]);
    expect((await verdictOf(rangedState(family, 80, 98), state))[0]).toBe('different');
    expect((await verdictOf(rangedState(family, 80), state))[0]).toBe('different');
  });

  test.each(UNEQUAL_WEIGHTS)(
    'weights %i and %i: what is as planned is verified, and other weights are not',
    async (...weights) => {
      const state = weightedState(family, weights);
      const addresses = [sketchAddresses.node(family)];
      const verdictOf = async (planned: ProxyState) => {
        const { verdict, findings } = verifyState(state, await fakePath(family, await installed(planned, addresses)), {
          servesLoopback: false,
        });
        return [verdict, findings.map(({ message }) => message)];
      };
      expect(await verdictOf(state)).toEqual(['verified', []]);
      expect((await verdictOf(weightedState(family, [1, 1])))[0]).not.toBe('verified');
    },
  );
});
