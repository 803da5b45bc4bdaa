import { describe, expect, test } from '@jest/globals';
import { type BackendModule, compareModes, DEFAULT_PROXIER_OPTIONS, type ProxyState } from '@kube-proxier/core';
import {
  ClusterSketch,
  EXAMPLE_SERVICE,
  RANDOM_NODE_ADDRESSES,
  randomNodeState,
  runCount,
  sketchAddresses,
} from '@kube-proxier/core/testing';
import { iptablesBackend } from '@kube-proxier/iptables';
import { nftablesBackend } from '@kube-proxier/nftables';

function pathOf({ mode, plannedPath }: BackendModule, state: ProxyState, addresses: readonly string[]) {
  const path = plannedPath?.({ state, options: DEFAULT_PROXIER_OPTIONS, localAddresses: addresses });
  if (path === undefined) {
    throw new Error(`mode ${mode} has no planned path`);
  }
  return { mode, path };
}

describe.each(['IPv4', 'IPv6'] as const)('modes iptables and nftables, %s', (family) => {
  test.each(Array.from({ length: runCount(10, 100) }, (_, index) => [index + 1]))(
    'random cluster %i: both do the same with every class of packets',
    (seed) => {
      const state = randomNodeState(seed, family, { localhostNodePorts: false });
      const addresses = RANDOM_NODE_ADDRESSES[family];
      const { verdict, classes, findings } = compareModes(
        state,
        pathOf(iptablesBackend, state, addresses),
        pathOf(nftablesBackend, state, addresses),
      );
      expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
        verdict: 'verified',
        findings: [],
      });
      expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
    },
  );
});

test('a mode that loses an endpoint, a Service or masquerading differs', () => {
  const addresses = [sketchAddresses.node('IPv4')];
  const stateWith = (endpoints: typeof EXAMPLE_SERVICE.endpoints) => {
    const cluster = new ClusterSketch('IPv4', { localhostNodePorts: false });
    cluster.set({ ...EXAMPLE_SERVICE, endpoints });
    return cluster.next().state;
  };
  const state = stateWith(EXAMPLE_SERVICE.endpoints);
  const findingsWith = (other: ProxyState) =>
    compareModes(state, pathOf(iptablesBackend, state, addresses), pathOf(nftablesBackend, other, addresses)).findings;
  expect(findingsWith(state)).toEqual([]);
  const [lost] = findingsWith(stateWith(EXAMPLE_SERVICE.endpoints.slice(1)));
  expect(lost).toMatchObject({ result: 'different', kind: 'modes-differ', servicePorts: ['ns/svc1:p'] });
  expect(lost?.message).toMatch(
    /are sent to 10\.244\.0\.2:8080, masqueraded in mode nftables, not sent to 10\.244\.0\.1:8080, masqueraded or sent to 10\.244\.0\.2:8080, masqueraded as in mode iptables: by the state: forwarded to/,
  );
  expect(findingsWith(stateWith([]))[0]?.message).toMatch(/are refused in mode nftables, not sent to/);
});
