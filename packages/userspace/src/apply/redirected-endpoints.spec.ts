import { expect, test } from '@jest/globals';
import { servicePortKeyFrom } from '@kube-proxier/core/testing';
import type { ListenerSpec, ServiceSpec } from '../plan/userspace-transaction.js';
import { RedirectedEndpoints } from './redirected-endpoints.js';

const POD1 = { key: 'pod1', address: '10.244.0.11', port: 8080, weight: 1 };
const POD2 = { key: 'pod2', address: '10.244.0.12', port: 8080, weight: 1 };

function listener(addresses: readonly string[], id = 'default/web:/TCP external'): ListenerSpec {
  return {
    id,
    servicePort: servicePortKeyFrom('default/web:/TCP'),
    protocol: 'TCP',
    place: { kind: 'proxy-port' },
    portals: addresses.map((address) => ({ address, port: 8080 })),
    allowedSources: undefined,
    routes: [],
  };
}

function service(cluster: ServiceSpec['cluster'], key = 'default/web:/TCP'): ServiceSpec {
  return {
    key: servicePortKeyFrom(key),
    name: 'default/web',
    protocol: 'TCP',
    cluster,
    local: [],
    draining: [],
    existing: undefined,
    affinitySeconds: undefined,
    options: { proxyProtocol: undefined, loadBalancing: 'round-robin', maxConnections: undefined },
  };
}

function inForce(endpoints: RedirectedEndpoints, ...specs: readonly ListenerSpec[]): void {
  for (const spec of specs) {
    endpoints.announce(spec);
  }
  endpoints.confirm(new Map(specs.map((spec) => [spec.id, { spec }])), 'all');
}

test('until rules are written, rules of a previous instance may redirect any endpoint', () => {
  const endpoints = new RedirectedEndpoints();
  expect(endpoints.includes('TCP', POD1)).toBe(true);
  inForce(endpoints);
  expect(endpoints.includes('TCP', POD1)).toBe(false);
});

test('an endpoint is redirected from the time that its rule is about to be written until the rule is gone', () => {
  const endpoints = new RedirectedEndpoints();
  inForce(endpoints);
  endpoints.announce(listener([POD1.address]));
  expect(endpoints.includes('TCP', POD1)).toBe(true);
  expect(endpoints.includes('UDP', POD1)).toBe(false);
  expect(endpoints.includes('TCP', { ...POD1, port: 8081 })).toBe(false);

  // Writing failed: either may be in force.
  endpoints.announce(listener([POD2.address]));
  expect(endpoints.includes('TCP', POD1)).toBe(true);
  expect(endpoints.includes('TCP', POD2)).toBe(true);
  const changed = listener([POD2.address]);
  endpoints.confirm(new Map([[changed.id, { spec: changed }]]), [changed.id]);
  expect(endpoints.includes('TCP', POD1)).toBe(false);
  expect(endpoints.includes('TCP', POD2)).toBe(true);

  endpoints.confirm(new Map(), [changed.id]);
  expect(endpoints.includes('TCP', POD2)).toBe(false);
});

test('redirects of one listener stay when another is removed', () => {
  const endpoints = new RedirectedEndpoints();
  const other = listener([POD1.address], 'default/other:/TCP external');
  inForce(endpoints, listener([POD1.address]), other);
  endpoints.confirm(new Map(), [other.id]);
  expect(endpoints.includes('TCP', POD1)).toBe(true);
  endpoints.confirm(new Map(), 'all');
  expect(endpoints.includes('TCP', POD1)).toBe(false);
});

test('reports listeners whose frontend address becomes, or stops being, an endpoint of a Service', () => {
  const endpoints = new RedirectedEndpoints();
  const spec = listener([POD1.address, '192.0.2.1']);
  inForce(endpoints, spec);
  expect(endpoints.setService(service([POD2]))).toEqual([]);
  expect(endpoints.portalsAtEndpoints(spec)).toEqual([]);
  expect(endpoints.setService(service([POD1], 'default/other:/TCP'))).toEqual([spec.id]);
  expect(endpoints.portalsAtEndpoints(spec)).toEqual([{ address: POD1.address, port: 8080 }]);
  // It was one before.
  expect(endpoints.setService(service([POD1, POD2]))).toEqual([]);
  expect(endpoints.removeService(servicePortKeyFrom('default/other:/TCP'))).toEqual([]);
  expect(endpoints.setService(service([POD2]))).toEqual([spec.id]);
  expect(endpoints.portalsAtEndpoints(spec)).toEqual([]);
  expect(endpoints.removeService(servicePortKeyFrom('default/web:/TCP'))).toEqual([]);
});
