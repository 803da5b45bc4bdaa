import { expect, test } from '@jest/globals';
import { PersistentMap } from '../model/persistent-map.js';
import type { HealthCheckNodePort } from '../model/proxy-state.js';
import type { ServicePort } from '../model/service-port.js';
import type { ServiceKey } from '../model/service-port-name.js';
import { finish } from '../pacing/slices.js';
import { resolveHealthCheckNodePorts } from './health-check-node-ports.js';

const [web, cart] = ['work/web' as ServiceKey, 'work/cart' as ServiceKey];

function portOf(name: string, healthCheckNodePort: number): ServicePort {
  return { name: { namespace: 'work', name }, healthCheckNodePort } as ServicePort;
}

test('only Services whose health check node port or number of endpoints differs have changed', () => {
  const empty = PersistentMap.empty<ServiceKey, HealthCheckNodePort>();
  const ports = new Map([
    [web, [portOf('web', 0), portOf('web', 32000)]],
    [cart, [portOf('cart', 0)]],
  ]);
  const resolve = (before: typeof empty, endpoints: number) =>
    finish(resolveHealthCheckNodePorts(before, [web, cart], ports, () => endpoints, true));
  const first = resolve(empty, 2);
  expect(Object.fromEntries(first.table)).toEqual({
    [web]: { namespace: 'work', name: 'web', port: 32000, localEndpoints: 2 },
  });
  expect([...first.changed]).toEqual([web]);
  const same = resolve(first.table, 2);
  expect(same.table).toBe(first.table);
  expect(same.changed.size).toBe(0);
  expect([...resolve(first.table, 1).changed]).toEqual([web]);
  ports.delete(web);
  const gone = resolve(first.table, 2);
  expect([gone.table.size, [...gone.changed]]).toEqual([0, [web]]);
});
