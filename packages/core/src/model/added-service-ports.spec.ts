import { expect, test } from '@jest/globals';
import { makeService, makeSlice, resolveObjects } from '../testing/index.js';
import { AddedServicePorts } from './added-service-ports.js';

const services = [1, 2, 3].map((number) => makeService(`default/s${number}`, { clusterIP: `10.96.0.${number}` }));
const slices = [1, 2, 3].map((number) => makeSlice(`default/s${number}`, [`10.244.0.${number}`]));
const { servicePorts } = resolveObjects({ services, slices });

test('added service ports read as a map of their changes', () => {
  const expected = new Map([...servicePorts].map(([key, current]) => [key, { previous: undefined, current }]));
  const added = new AddedServicePorts(servicePorts);
  expect(expected.size).toBe(3);
  expect(added.size).toBe(3);
  expect(new Map(added)).toEqual(expected);
  expect([...added.entries()]).toEqual([...expected]);
  expect([...added.keys()]).toEqual([...expected.keys()]);
  expect([...added.values()]).toEqual([...expected.values()]);
  const seen: unknown[] = [];
  added.forEach((change, key, map) => {
    expect(map).toBe(added);
    seen.push([key, change]);
  });
  expect(seen).toEqual([...expected]);
  for (const [key, change] of expected) {
    expect(added.get(key)).toEqual(change);
    expect(added.has(key)).toBe(true);
  }
});
