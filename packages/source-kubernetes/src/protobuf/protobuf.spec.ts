import { describe, expect, test } from '@jest/globals';
import { isRecord, type UnknownRecord } from '@kube-proxier/core';
import { feedResolver, makeResolver, Random, RandomCluster } from '@kube-proxier/core/testing';
import fc from 'fast-check';
import {
  encodeEvent,
  encodeList,
  encodeMessage,
  encodeObject,
  frame,
  normalizedObject,
} from '../testing/api-encoding.js';
import { API_MESSAGES } from '../testing/api-messages.js';
import { encodeStatus, ObjectEncoder } from '../testing/object-encoder.js';
import { ProtobufWriter } from '../testing/protobuf-writer.js';
import { jsonWatch, protobufWatch } from '../testing/watch-encoding.js';
import { ObjectFormat } from '../watch/object-format.js';
import { ProtobufSupport } from '../watch/protobuf-support.js';
import type { ReceivedObject } from '../watch/received-object.js';
import { ENDPOINT_SLICES, ownNode, SERVICE_CIDRS, SERVICES, type WatchedResource } from '../watch/watched-resource.js';
import { readStatus } from './envelope.js';

const TIME = fc
  .date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().replace(/\.\d+Z$/, 'Z'));
const TEXT = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', 'TCP', 'IPv4', 'None', 'true', 'a'.repeat(200), '\u0000', 'ü', '☸'.repeat(30), '\ud83d\ude00'),
);
const KEY = fc.oneof(
  TEXT.filter((text) => text !== '__proto__'),
  fc.constantFrom(
    'kubernetes.io/service-name',
    'service.kubernetes.io/headless',
    'service.kubernetes.io/service-proxy-name',
    'topology.kubernetes.io/zone',
    'kube-proxier.io/weight',
    'kube-proxier.io/health-check',
    'k8s.io/initial-events-end',
  ),
);
const INT64 = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, 1, 127, 128, 2 ** 31, 2 ** 32, -1));
const SCALARS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: TEXT,
  bool: fc.boolean(),
  int32: fc.oneof(fc.integer(), fc.constantFrom(0, 80, 65_535, -1)),
  int64: INT64,
  Time: TIME,
  map: fc.dictionary(KEY, TEXT, { maxKeys: 4, noNullPrototype: true }),
  Quantities: fc.dictionary(KEY, fc.constantFrom('1', '16Gi', '100m'), { maxKeys: 3, noNullPrototype: true }),
  IntOrString: fc.oneof(fc.integer(), fc.constantFrom('http', '', 0)),
  FieldsV1: fc.constantFrom({ 'f:spec': { 'f:ports': {} } }, {}),
};
const arbitraries = new Map<string, fc.Arbitrary<Readonly<Record<string, unknown>>>>();

/**
 * Any value of a message of Kubernetes, with any of its fields.
 *
 * @param message name of its type, such as `Service`.
 */
function anyMessage(message: string): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  let arbitrary = arbitraries.get(message);
  if (arbitrary === undefined) {
    const fields: Readonly<Record<string, string>> = API_MESSAGES[message as keyof typeof API_MESSAGES];
    const record = Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, anyField(text)]));
    arbitrary = fc.record(record, { requiredKeys: [] });
    arbitraries.set(message, arbitrary);
  }
  return arbitrary;
}

function anyField(text: string): fc.Arbitrary<unknown> {
  const [, type = '', list] = /^\d+ (\w+)(\*?)/.exec(text) ?? [];
  const one = SCALARS[type] ?? anyMessage(type);
  return list === '*' ? fc.array(one, { maxLength: 3 }) : one;
}

const RESOURCES = [SERVICES, ENDPOINT_SLICES, ownNode('node1'), SERVICE_CIDRS];
const METADATA = { resourceVersion: '12', continue: 'next' };
const borders = fc.array(fc.nat(), { maxLength: 12 });

type Objects = readonly Readonly<Record<string, unknown>>[];

interface Listed {
  readonly head: unknown;
  readonly items: readonly ReceivedObject[];
}

/** Chunks of bytes, split at these positions: copies, since a socket reuses its buffers. */
function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((to, index) => Buffer.from(bytes.subarray(places[index], to)));
}

/** The result of reading a list; `invalid` when it is rejected. */
function read(
  resource: WatchedResource,
  bytes: Buffer,
  cuts: readonly number[],
  isProtobuf = true,
  limit = 1e6,
): Listed | 'invalid' {
  const reader = new ObjectFormat(resource, new ProtobufSupport()).listReader(isProtobuf, limit);
  try {
    const items = pieces(bytes, cuts).flatMap((piece) => {
      const some = reader.push(piece);
      piece.fill(0xff);
      return some;
    });
    return { head: reader.end(), items };
  } catch (error) {
    expect(error).toMatchObject({ code: 'API_RESPONSE_INVALID' });
    return 'invalid';
  }
}

function inProtobuf({ apiVersion, kind }: WatchedResource, objects: Objects): Buffer {
  return encodeList(
    apiVersion,
    kind,
    METADATA,
    objects.map((object) => encodeMessage(kind, object)),
  );
}

function inJson({ apiVersion, kind }: WatchedResource, objects: Objects): Buffer {
  const items = objects.map((object) => normalizedObject(kind, object));
  return Buffer.from(JSON.stringify({ kind: `${kind}List`, apiVersion, metadata: METADATA, items }));
}

function hasList({ head }: Listed): boolean {
  return isRecord(head) && head.items !== undefined;
}

function withoutNamespace(object: UnknownRecord): UnknownRecord {
  const { namespace: _namespace, ...metadata } = isRecord(object.metadata) ? object.metadata : {};
  return { ...object, metadata };
}

/** Equal, and of the same text in the cache. */
function expectSame(resource: WatchedResource, objects: Objects, cuts: readonly number[]): void {
  const json = read(resource, inJson(resource, objects), []);
  const expected = read(resource, inJson(resource, objects), [], false);
  expect(json).toBe('invalid');
  const listed = read(resource, inProtobuf(resource, objects), cuts);
  expect(listed).toEqual(expected);
  const texts = (list: Listed | 'invalid') =>
    list === 'invalid' ? [] : list.items.map(({ kept }) => JSON.stringify(resource.shape.pack(kept)));
  expect(texts(listed)).toEqual(texts(expected));
}

describe.each(RESOURCES.map((resource) => [resource.kind, resource] as const))('%s in protobuf', (kind, resource) => {
  const hasNamespace = resource === SERVICES || resource === ENDPOINT_SLICES;
  const object = anyMessage(kind).map((any) => (hasNamespace ? any : withoutNamespace(any)));
  const objects = fc.array(object, { maxLength: 3 });

  test('is read as in JSON, with any fields, in pieces of any size', () => {
    fc.assert(
      fc.property(objects, borders, (some, cuts) => expectSame(resource, some, cuts)),
      { numRuns: 150 },
    );
  });

  test('is read byte by byte', () => {
    fc.assert(
      fc.property(objects, (some) => {
        const bytes = inProtobuf(resource, some);
        expect(read(resource, bytes, Array.from(bytes.keys()))).toEqual(read(resource, bytes, []));
      }),
      { numRuns: 50 },
    );
  });

  test('is never treated as complete when truncated', () => {
    fc.assert(
      fc.property(objects, fc.nat(), borders, (some, length, cuts) => {
        // The last two fields are empty texts, which may be absent.
        const bytes = inProtobuf(resource, some).subarray(0, -4);
        const result = read(resource, bytes.subarray(0, length % bytes.length), cuts);
        // Before the list begins there is none, which PagedList refuses.
        expect(result === 'invalid' || !hasList(result)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('is either rejected or read when bytes are changed', () => {
    const change = fc.record({ at: fc.nat(), remove: fc.nat({ max: 3 }), insert: fc.uint8Array({ maxLength: 3 }) });
    fc.assert(
      fc.property(objects, fc.array(change, { minLength: 1, maxLength: 3 }), borders, (some, changes, cuts) => {
        let bytes = inProtobuf(resource, some);
        for (const { at, remove, insert } of changes) {
          const place = at % (bytes.length + 1);
          bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + remove)]);
        }
        expect(read(resource, bytes, cuts)).toEqual(read(resource, bytes, []));
      }),
      { numRuns: 300 },
    );
  });

  test('has the events that it has in JSON', () => {
    const event = fc.tuple(fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'), object);
    fc.assert(
      fc.property(fc.array(event, { maxLength: 4 }), borders, (events, cuts) => {
        const encoder = new ObjectEncoder();
        const sent = (isProtobuf: boolean) => {
          const encoding = (isProtobuf ? protobufWatch : jsonWatch)(resource, encoder);
          const reader = new ObjectFormat(resource, new ProtobufSupport()).eventReader(isProtobuf, 1e6);
          const bytes = Buffer.concat(
            events.map(([type, object]) => encoding.event(type, normalizedObject(kind, object))),
          );
          return pieces(bytes, cuts).flatMap((piece) => [...reader.push(piece)]);
        };
        expect(sent(true)).toEqual(sent(false));
      }),
      { numRuns: 80 },
    );
  });
});

test.each([1, 2, 3, 4, 5])('objects of a random cluster are read as in JSON (seed %i)', (seed) => {
  const cluster = new RandomCluster(new Random(seed));
  for (let step = 0; step < 50; step += 1) {
    cluster.step(feedResolver(makeResolver()));
  }
  const plain = (objects: Iterable<object>) => JSON.parse(JSON.stringify([...objects])) as Objects;
  expectSame(SERVICES, plain(cluster.services.values()), [seed * 100]);
  expectSame(ENDPOINT_SLICES, plain(cluster.slices.values()), [seed * 100]);
  expectSame(ownNode('node1'), plain(cluster.node === undefined ? [] : [cluster.node]), []);
});

test('random bytes are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), borders, (random, begins, cuts) => {
      const bytes = Buffer.concat([Buffer.from(begins ? 'k8s\0' : ''), random]);
      expect(read(SERVICES, bytes, cuts)).toEqual(read(SERVICES, bytes, []));
    }),
    { numRuns: 1000 },
  );
});

describe('hostile protobuf', () => {
  const writer = () => new ProtobufWriter();
  const LONG = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
  const service = (fields: ProtobufWriter, kind = 'Service') => encodeList('v1', kind, METADATA, [fields.bytes]);
  const metadata = (fields: ProtobufWriter) => service(writer().delimited(1, fields.bytes));
  const invalid: readonly (readonly [string, Buffer])[] = [
    ['nothing', Buffer.alloc(0)],
    ['JSON', Buffer.from('{"kind":"ServiceList","items":[]}')],
    ['another kind of list', encodeList('v1', 'Node', METADATA, [])],
    ['a Status', encodeStatus({ status: 'Failure', code: 500 })],
    ['a number without an end', service(writer().raw(Uint8Array.from([0x08, ...LONG])))],
    ['a number that is cut off', service(writer().raw(Uint8Array.from([0x08, 0x80])))],
    ['a field of number 0', service(writer().raw(Uint8Array.from([0x02, 0x00])))],
    ['a field of a huge number', service(writer().raw(Uint8Array.from([...LONG.slice(0, 9), 0x01, 0x00])))],
    ['a group', service(writer().raw(Uint8Array.from([0x0b, 0x0c])))],
    ['an unknown group', service(writer().raw(Uint8Array.from([0x7b, 0x7c])))],
    ['a wire type that does not exist', service(writer().raw(Uint8Array.from([0x7e])))],
    ['a length beyond the message', metadata(writer().raw(Uint8Array.from([0x0a, 0x05, 0x61])))],
    ['a length of 2^31', metadata(writer().header(1, 2 ** 31))],
    ['a length of 2^63', metadata(writer().raw(Uint8Array.from([0x0a, ...LONG.slice(0, 8), 0x7f])))],
    ['a text that is a number', metadata(writer().number(1, 5))],
    ['a structure that is a number', service(writer().number(2, 5))],
    ['a structure twice', service(writer().delimited(2, '').delimited(2, ''))],
    ['a name twice', metadata(writer().delimited(1, 'a').delimited(1, 'b'))],
    ['a name that is not UTF-8', metadata(writer().delimited(1, Buffer.from([0x61, 0xc3, 0x28])))],
    ['a long name that is not UTF-8', metadata(writer().delimited(1, Buffer.alloc(300, 0xff)))],
    ['a name with a half of a surrogate pair', metadata(writer().delimited(1, Buffer.from([0xed, 0xa0, 0x80])))],
    ['a time that does not exist', metadata(writer().delimited(8, writer().number(1, 2 ** 52).bytes))],
    [
      'a list of 2^31 bytes',
      writer()
        .raw(Buffer.from('k8s\0'))
        .header(2, 2 ** 31).bytes,
    ],
    ['a list that is JSON', encodeWithType('application/json')],
    ['two lists', Buffer.concat([encodeList('v1', 'Service', METADATA, []), writer().delimited(2, '').bytes])],
    ['an item beyond the list', writer().raw(Buffer.from('k8s\0')).delimited(2, writer().header(2, 9).bytes).bytes],
  ];

  function encodeWithType(type: string): Buffer {
    const list = new ProtobufWriter().delimited(1, encodeMessage('ListMeta', METADATA)).bytes;
    const kind = new ProtobufWriter().delimited(1, 'v1').delimited(2, 'ServiceList').bytes;
    return new ProtobufWriter().raw(Buffer.from('k8s\0')).delimited(1, kind).delimited(2, list).delimited(4, type)
      .bytes;
  }

  test.each(invalid)('%s is refused, in one piece and byte by byte', (name, bytes) => {
    const isList = (cuts: readonly number[]) => {
      const result = read(SERVICES, bytes, cuts);
      // PagedList refuses what has the type of another kind, or no list.
      return result !== 'invalid' && hasList(result);
    };
    expect([name, isList([]), isList(Array.from(bytes.keys()))]).toEqual([name, false, false]);
  });

  test('structures are skipped however deeply they are nested', () => {
    let deep: Uint8Array = Buffer.alloc(0);
    for (let depth = 0; depth < 5000; depth += 1) {
      deep = new ProtobufWriter().delimited(99, deep).bytes;
    }
    const listed = read(
      SERVICES,
      service(
        writer()
          .delimited(1, encodeMessage('ObjectMeta', { name: 'a' }))
          .delimited(99, deep),
      ),
      [7],
    );
    expect(listed).toMatchObject({ items: [{ key: 'a' }] });
  });

  test('an oversized item is rejected before it has arrived, and only one incomplete item is buffered', () => {
    const head = writer()
      .raw(Buffer.from('k8s\0'))
      .header(2, 2 ** 31 - 1)
      .delimited(1, encodeMessage('ListMeta', METADATA));
    expect(read(SERVICES, Buffer.from(head.header(2, 101).bytes), [], true, 100)).toBe('invalid');
    const item = writer().delimited(
      2,
      encodeMessage('Service', { metadata: { name: 'web', annotations: { x: 'y'.repeat(1500) } } }),
    ).bytes;
    const chunk = Buffer.concat(Array.from({ length: 40 }, () => item));
    const reader = new ObjectFormat(SERVICES, new ProtobufSupport()).listReader(true, 10_000);
    reader.push(
      writer()
        .raw(Buffer.from('k8s\0'))
        .header(2, 2 ** 31 - 1)
        .delimited(1, encodeMessage('ListMeta', METADATA)).bytes,
    );
    const before = process.memoryUsage().arrayBuffers;
    let items = 0;
    for (let count = 0; count < 1000; count += 1) {
      items += reader.push(chunk.subarray(0, 777)).length + reader.push(chunk.subarray(777)).length;
    }
    expect(items).toBe(40_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  });

  test('too much data around the items is rejected', () => {
    const list = encodeList('v1', 'Service', METADATA, []);
    const padding = (bytes: number) => Buffer.concat([list, writer().delimited(99, Buffer.alloc(bytes)).bytes]);
    expect(read(SERVICES, padding(1000), [5])).toMatchObject({ items: [] });
    expect(read(SERVICES, padding(1_100_000), [5])).toBe('invalid');
  });

  const events = () => new ObjectFormat(SERVICES, new ProtobufSupport()).eventReader(true, 1000);
  const object = encodeObject(
    'v1',
    'Service',
    encodeMessage('Service', { metadata: { name: 'a', resourceVersion: '7' } }),
  );

  test.each([
    ['a frame without an event', frame(Buffer.alloc(0))],
    ['an event of an unknown type', encodeEvent('SYNC', object)],
    ['an event without an object', frame(writer().delimited(1, 'ADDED').bytes)],
    ['an event about another kind', encodeEvent('ADDED', encodeObject('v1', 'Node', encodeMessage('Node', {})))],
    ['an event in JSON', Buffer.from('{"type":"ADDED","object":{}}\n')],
    ['a frame that is too long', frame(Buffer.alloc(0), 1001)],
    ['an error that is none', encodeEvent('ERROR', object)],
  ])('%s is refused', (_name, bytes) => {
    expect(() => [...events().push(bytes)]).toThrow(expect.objectContaining({ code: 'API_RESPONSE_INVALID' }));
  });

  test('the events before a malformed one are delivered', () => {
    const iterator = events()
      .push(Buffer.concat([encodeEvent('ADDED', object), encodeEvent('SYNC', object)]))
      [Symbol.iterator]();
    expect(iterator.next().value).toMatchObject({ type: 'ADDED', resourceVersion: '7', object: { key: 'a' } });
    expect(() => iterator.next()).toThrow('unknown type SYNC');
  });

  test('an error of the server is thrown as with JSON', () => {
    const status = {
      kind: 'Status',
      status: 'Failure',
      code: 504,
      reason: 'Timeout',
      message: 'Too large resource version: 9',
    };
    const details = { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large' }], retryAfterSeconds: 1 };
    const expected = { status: 504, reason: 'Timeout', isVersionTooLarge: true, retryAfter: 1000 };
    expect(() => [...events().push(encodeEvent('ERROR', encodeStatus({ ...status, details })))]).toThrow(
      expect.objectContaining(expected),
    );
    expect(readStatus(encodeStatus({ ...status, details }))).toEqual({ ...status, details });
  });
});
