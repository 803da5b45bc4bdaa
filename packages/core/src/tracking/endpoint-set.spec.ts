import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Endpoint } from '../model/endpoint.js';
import { EndpointSet, type TopologyPlace } from './endpoint-set.js';
import { compareKeys } from './sorted-endpoints.js';

const PLACE: TopologyPlace = { nodeName: 'node1', zone: 'a', nodeHints: true };

/** Hints are likely, so that all ready endpoints often have them. */
const endpoints = fc.record({
  number: fc.nat(90),
  isLocal: fc.boolean(),
  ready: fc.boolean(),
  serving: fc.boolean(),
  terminating: fc.boolean(),
  weight: fc.constantFrom(0, 1, 1),
  zoneHints: fc.constantFrom(['a'], ['a'], ['a'], ['b'], []),
  nodeHints: fc.constantFrom(['node1'], ['node1'], ['node2'], []),
});

function endpointOf({ number, ...rest }: { readonly number: number } & Partial<Endpoint>): Endpoint {
  const address = `10.0.${number >> 5}.${(number & 31) + 10}`;
  return { key: `${address}:80`, address, port: 80, sliceName: 'web', ...rest } as Endpoint;
}

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.array(fc.tuple(endpoints, fc.boolean()), { minLength: 1, maxLength: 9 }) },
    { weight: 1, arbitrary: fc.array(fc.tuple(endpoints, fc.boolean()), { minLength: 60, maxLength: 90 }) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'b', undefined) },
  ),
  { minLength: 1, maxLength: 12 },
);

test('changes one by one lead to the same selection as all endpoints at once, for short and long lists', () => {
  // Counts are kept for lists longer than 64.
  let long = 0;
  fc.assert(
    fc.property(fc.constantFrom(0, 60, 70, 90), endpoints, steps, (atFirst, sketch, changes) => {
      const first = Array.from({ length: atFirst }, (_, number) => endpointOf({ ...sketch, number }));
      const expected = new Map(first.map((endpoint) => [endpoint.key, endpoint]));
      const set = new EndpointSet(PLACE);
      set.fill([...first].sort(compareKeys));
      let place = PLACE;
      for (const step of changes) {
        if (!Array.isArray(step)) {
          place = { ...place, zone: step };
          set.moveTo(place);
        } else {
          const edits = new Map(
            step.map(([changed, isPresent]) => {
              const endpoint = endpointOf(changed);
              return [endpoint.key, isPresent ? endpoint : undefined] as const;
            }),
          );
          set.change([...edits]);
          for (const [key, endpoint] of edits) {
            if (endpoint === undefined) {
              expected.delete(key);
            } else {
              expected.set(key, endpoint);
            }
          }
        }
        const fresh = new EndpointSet(place);
        fresh.fill([...expected.values()].sort(compareKeys));
        expect(set.view).toEqual(fresh.view);
        long += expected.size > 64 ? 1 : 0;
      }
    }),
    { seed: 1, numRuns: 200 },
  );
  expect(long).toBeGreaterThan(100);
});
