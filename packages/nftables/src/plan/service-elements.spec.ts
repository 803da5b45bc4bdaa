import { expect, test } from '@jest/globals';
import type { ResolvedServicePort } from '@kube-proxier/core';
import { type EndpointDescription, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { elementsOf } from './service-elements.js';

const OPTIONS = { family: 'IPv4', layout: 'constant', countAll: true } as const;
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

/** The elements and counters that one has and the other has not, as text. */
function without(some: ReturnType<typeof elementsOf>, others: ReturnType<typeof elementsOf>): readonly string[] {
  const texts = ({ elements, counters }: ReturnType<typeof elementsOf>) => [
    ...elements.map((element) => JSON.stringify(element)),
    ...counters,
  ];
  const known = new Set(texts(others));
  return texts(some).filter((text) => !known.has(text));
}

const [first = '', ...rest] = addresses;
test.each<[string, readonly (string | EndpointDescription)[], object | undefined]>([
  ['an endpoint is replaced', ['10.244.9.9', ...rest], undefined],
  ['an endpoint goes', rest, undefined],
  ['an endpoint comes', [...addresses, '10.244.9.9'], undefined],
  ['an endpoint moves to this node', [{ address: first, node: 'node1' }, ...rest], undefined],
  ['all go', [], undefined],
  ['the list is short', addresses.slice(0, 3), undefined],
  ['a frontend goes', ['10.244.9.9', ...rest], { externalIPs: [] }],
  ['session affinity comes', ['10.244.9.9', ...rest], { sessionAffinity: 'ClientIP' }],
])('what differs from another version is the same without what both have: %s', (_what, endpoints, spec) => {
  const was = portOf(addresses);
  const resolved = portOf(endpoints, spec ?? {});
  // As in a state, where what is the same is the same object.
  const current =
    spec === undefined ? { ...resolved, frontends: was.frontends, servicePort: was.servicePort } : resolved;
  const [oldAll, newAll] = [elementsOf(was, OPTIONS), elementsOf(current, OPTIONS)];
  const [old, now] = [elementsOf(was, OPTIONS, current), elementsOf(current, OPTIONS, was)];
  expect(without(old, now)).toEqual(without(oldAll, newAll));
  expect(without(now, old)).toEqual(without(newAll, oldAll));
  expect([old.hairpins, old.chains]).toEqual([oldAll.hairpins, oldAll.chains]);
  expect([now.hairpins, now.chains]).toEqual([newAll.hairpins, newAll.chains]);
  if (spec === undefined && endpoints.length > 90) {
    expect(now.elements.length).toBeLessThan(newAll.elements.length);
    expect(now.counters.length).toBeLessThan(5);
  }
});
