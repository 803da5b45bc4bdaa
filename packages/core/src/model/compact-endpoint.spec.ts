import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { joinHostPort } from './address.js';
import { compactEndpoint, endpointWith } from './compact-endpoint.js';
import type { Endpoint } from './endpoint.js';
import { structurallyEqual } from './structurally-equal.js';

const NAMES = [undefined, 'node-1', 'node-2', 'node-a-long-name-1', 'node-b-long-name-1'];
const names = fc.constantFrom<(readonly string[])[]>([], ['zone-a'], ['zone-a', 'zone-b']);

/** Few values of each field: many endpoints share some of them. */
const endpoints: fc.Arbitrary<Endpoint> = fc
  .record({
    address: fc.constantFrom('10.0.0.1', '10.244.17.203', 'fd00::1', '2001:db8::a:b'),
    port: fc.constantFrom(1, 80, 8080, 65535),
    isLocal: fc.boolean(),
    ready: fc.boolean(),
    serving: fc.boolean(),
    terminating: fc.boolean(),
    weight: fc.constantFrom(0, 1, 300),
    nodeName: fc.constantFrom(...NAMES),
    podName: fc.constantFrom(undefined, 'web-1'),
    sliceName: fc.constantFrom(undefined, 'web-abcde'),
    zoneHints: names,
    nodeHints: names,
    notReadyReason: fc.constantFrom(undefined, 'its probe fails'),
    slowStart: fc.constantFrom(undefined, 1, 9),
  })
  .map((fields) => ({ key: joinHostPort(fields.address, fields.port), ...fields }));

/** The fields that a loop over an object sees. */
function looped(endpoint: Endpoint): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const name in endpoint) {
    fields[name] = endpoint[name as keyof Endpoint];
  }
  return fields;
}

describe('compactEndpoint', () => {
  test('many endpoints keep their own values in each field, however many they share', () => {
    fc.assert(
      fc.property(fc.array(endpoints, { maxLength: 50 }), (originals) => {
        const compact = originals.map(compactEndpoint);
        for (const [index, original] of originals.entries()) {
          expect(looped(compact[index]!)).toEqual(original);
        }
      }),
    );
  });

  test('equals the record of its fields, and has the same JSON', () => {
    fc.assert(
      fc.property(endpoints, endpoints, (one, other) => {
        expect(JSON.parse(JSON.stringify(compactEndpoint(one)))).toEqual(JSON.parse(JSON.stringify(one)));
        expect(structurallyEqual(compactEndpoint(one), other)).toBe(structurallyEqual(one, other));
        expect(structurallyEqual(other, compactEndpoint(one))).toBe(structurallyEqual(other, one));
      }),
    );
  });

  test('endpoints with equal fields share them', () => {
    const fields = { ready: true, serving: true, terminating: false, weight: 1, isLocal: false };
    const [first, second] = ['10.0.0.1', '10.0.0.2'].map((address) =>
      compactEndpoint({
        ...{ ...fields, key: `${address}:80`, address, port: 80, nodeName: 'node-1' },
        ...{ zoneHints: ['zone-a'], nodeHints: [] },
      }),
    );
    expect(second?.zoneHints).toBe(first?.zoneHints);
  });
});

describe('endpointWith', () => {
  test('changes these fields only, of a record and of a compact endpoint', () => {
    fc.assert(
      fc.property(endpoints, fc.constantFrom(undefined, 5), fc.boolean(), (original, slowStart, isCompact) => {
        const endpoint = isCompact ? compactEndpoint(original) : original;
        const changed = endpointWith(endpoint, { weight: 7, slowStart });
        expect(looped(changed)).toEqual({ ...original, weight: 7, slowStart });
        expect(looped(endpoint)).toEqual(original);
      }),
    );
  });
});
