import { describe, expect, test } from '@jest/globals';
import { COUNT_TRAFFIC_ANNOTATION, DEFAULT_PROXIER_OPTIONS, type ProxyState, verifyState } from '@kube-proxier/core';
import {
  RANDOM_NODE_ADDRESSES,
  randomNodeState,
  rangedState,
  runCount,
  sketchAddresses,
  UNEQUAL_WEIGHTS,
  weightedState,
} from '@kube-proxier/core/testing';
import { plannedPath } from './packet-path.js';
import { LAYOUTS } from './plan/layout.js';

describe.each(['IPv4', 'IPv6'] as const)('%s, without a kernel', (family) => {
  test.each(
    Array.from(
      { length: runCount(3, 100) },
      (_, index) => [index + 1, index % 3 === 2 ? 'chain-per-service' : 'constant'] as const,
    ),
  )('random cluster %i, layout %s: the planned table is verified', (seed, layout) => {
    const state = randomNodeState(seed, family, { localhostNodePorts: false });
    const localAddresses = RANDOM_NODE_ADDRESSES[family];
    const path = plannedPath({ state, options: DEFAULT_PROXIER_OPTIONS, localAddresses }, layout);
    const { verdict, findings, classes } = verifyState(state, path);
    expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
      verdict: 'verified',
      findings: [],
    });
    expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
  });

  test.each(LAYOUTS)(
    'layout %s, traffic counters: the planned table is verified, and that of another cluster is not',
    (layout) => {
      const countedState = (seed: number): ProxyState => {
        const state = randomNodeState(seed, family, { localhostNodePorts: false });
        const counted = [...state.servicePorts].map(([key, port]) => {
          const annotations = { ...port.servicePort.annotations, [COUNT_TRAFFIC_ANNOTATION]: 'true' };
          return [key, { ...port, servicePort: { ...port.servicePort, annotations } }] as const;
        });
        return { ...state, servicePorts: new Map(counted) };
      };
      const verdictOf = (planned: ProxyState, wanted: ProxyState) => {
        const localAddresses = RANDOM_NODE_ADDRESSES[family];
        const path = plannedPath({ state: planned, options: DEFAULT_PROXIER_OPTIONS, localAddresses }, layout);
        const { verdict, findings } = verifyState(wanted, path);
        return [verdict, findings.map(({ message }) => message)];
      };
      const state = countedState(1);
      expect(verdictOf(state, state)).toEqual(['verified', []]);
      expect(verdictOf(countedState(2), state)[0]).toBe('different');
    },
  );

  test.each(LAYOUTS.flatMap((layout) => [80, 8080].map((target) => [layout, target] as const)))(
    'layout %s, ranges of ports to %i: as planned they are verified, and other ranges are not',
    (layout, target) => {
      const verdictOf = (planned: ProxyState, wanted: ProxyState) => {
        const localAddresses = [sketchAddresses.node(family), '127.0.0.1', '::1'];
        const path = plannedPath({ state: planned, options: DEFAULT_PROXIER_OPTIONS, localAddresses }, layout);
        const { verdict, findings } = verifyState(wanted, path);
        return [verdict, findings.map(({ message }) => message)];
      };
      const state = rangedState(family, target, 99);
      expect(verdictOf(state, state)).toEqual(['verified', []]);
      expect(verdictOf(rangedState(family, target, 98), state)[0]).toBe('different');
      expect(verdictOf(rangedState(family, target + 1, 99), state)[0]).toBe('different');
    },
  );

  test.each(LAYOUTS.flatMap((layout) => UNEQUAL_WEIGHTS.map((weights) => [layout, ...weights] as const)))(
    'layout %s, weights %i and %i: the planned table is verified, and one for other weights is not',
    (layout, ...weights) => {
      const verdictOf = (planned: ProxyState, wanted: ProxyState) => {
        const localAddresses = [sketchAddresses.node(family), '127.0.0.1', '::1'];
        const path = plannedPath({ state: planned, options: DEFAULT_PROXIER_OPTIONS, localAddresses }, layout);
        const { verdict, findings } = verifyState(wanted, path);
        return [verdict, findings.map(({ message }) => message)];
      };
      const state = weightedState(family, weights);
      expect(verdictOf(state, state)).toEqual(['verified', []]);
      expect(verdictOf(weightedState(family, [1, 1]), state)[0]).not.toBe('verified');
    },
  );
});
