import { describe, expect, test } from '@jest/globals';
import type { ResolvedServicePort } from '@kube-proxier/core';
import { type EndpointDescription, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { type ElementOptions, elementsOf, type ServiceElements } from './service-elements.js';

const addresses = Array.from({ length: 100 }, (_, index) => `10.244.0.${index + 1}`);

function portOf(endpoints: readonly (string | EndpointDescription)[], spec = {}): ResolvedServicePort {
  const service = makeService('a/web', {
    ...{ type: 'NodePort', clusterIP: '10.96.0.10', externalIPs: ['192.0.2.1'] },
    ports: [{ port: 80, protocol: 'TCP', nodePort: 30080 }],
    ...spec,
  });
  const { servicePorts } = resolveObjects({ services: [service], slices: [makeSlice('a/web', endpoints)] });
  return [...servicePorts.values()][0] as ResolvedServicePort;
}

/** How often the second has something more often than the first, as text, and less often. */
function balance(old: ServiceElements, now: ServiceElements): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [{ elements, counters, chains, hairpins }, by] of [
    [old, -1],
    [now, 1],
  ] as const) {
    for (const one of [...elements, ...counters, ...chains.map(({ name }) => name), ...hairpins]) {
      const text = JSON.stringify(one);
      counts.set(text, (counts.get(text) ?? 0) + by);
    }
  }
  return new Map([...counts].filter(([, count]) => count !== 0));
}

const [first = '', ...rest] = addresses;
const CASES: readonly (readonly [string, readonly (string | EndpointDescription)[], object | undefined])[] = [
  ['an endpoint is replaced', ['10.244.9.9', ...rest], undefined],
  ['an endpoint goes', rest, undefined],
  ['an endpoint comes', [...addresses, '10.244.9.9'], undefined],
  ['an endpoint moves to this node', [{ address: first, node: 'node1' }, ...rest], undefined],
  ['all go', [], undefined],
  ['the list is short', addresses.slice(0, 3), undefined],
  ['a frontend goes', ['10.244.9.9', ...rest], { externalIPs: [] }],
  ['session affinity comes', ['10.244.9.9', ...rest], { sessionAffinity: 'ClientIP' }],
];
const LAYOUTS: readonly (readonly [string, ElementOptions])[] = [
  ['counted', { family: 'IPv4', layout: 'constant', countAll: true }],
  ['not counted', { family: 'IPv4', layout: 'constant', countAll: false }],
  ['packets counted', { family: 'IPv4', layout: 'constant', countAll: false, countAllTraffic: true }],
  ['a chain for each', { family: 'IPv4', layout: 'chain-per-service', countAll: false }],
];

describe.each(LAYOUTS)('%s', (layout, options) => {
  test.each(CASES)(
    'what differs from another version is the same without what both have: %s',
    (_what, endpoints, spec) => {
      const was = portOf(addresses);
      const resolved = portOf(endpoints, spec ?? {});
      // As in a state, where unchanged parts are the same object.
      const current =
        spec === undefined ? { ...resolved, frontends: was.frontends, servicePort: was.servicePort } : resolved;
      const [oldAll, newAll] = [elementsOf(was, options), elementsOf(current, options)];
      const [old, now] = [elementsOf(was, options, current), elementsOf(current, options, was)];
      expect(balance(old, now)).toEqual(balance(oldAll, newAll));
      expect([old.hairpins, now.hairpins]).toEqual([oldAll.hairpins, newAll.hairpins]);
      if (layout === 'counted' && spec === undefined && endpoints.length > 90) {
        expect(now.elements.length).toBeLessThan(newAll.elements.length);
        expect(now.counters.length).toBeLessThan(5);
      }
    },
  );

  test('for two versions with equally many slots, only differing slots are written', () => {
    const was = portOf(addresses.slice(0, 2));
    const current = { ...portOf([first, '10.244.9.9']), frontends: was.frontends, servicePort: was.servicePort };
    const { elements, chains, counters } = elementsOf(current, options, was);
    if (layout === 'not counted') {
      expect(elements.map(([, , value]) => value)).toEqual(was.frontends.map(() => '10.244.9.9 . 80'));
      expect([chains, counters]).toEqual([[], []]);
    } else {
      expect(chains).not.toEqual([]);
    }
    // A different number of slots uses a different chain.
    const heavier = { ...was, cluster: was.cluster.map((one, index) => (index === 0 ? { ...one, weight: 2 } : one)) };
    expect(elementsOf(heavier, options, was).chains).not.toEqual([]);
  });
});
