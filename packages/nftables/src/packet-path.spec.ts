import { describe, expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, verifyState } from '@kube-proxier/core';
import { RANDOM_NODE_ADDRESSES, randomNodeState, runCount } from '@kube-proxier/core/testing';
import { plannedPath } from './packet-path.js';

describe.each(['IPv4', 'IPv6'] as const)('%s, without a kernel', (family) => {
  test.each(
    Array.from(
      { length: runCount(10, 100) },
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
});
