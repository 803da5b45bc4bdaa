import { describe, expect, jest, test } from '@jest/globals';
import { parseAddress } from '@kube-proxier/core';
import fc from 'fast-check';
import {
  type ConntrackFlow,
  decodeEntry,
  decodeFlow,
  encodeDeletion,
  encodeFlow,
  encodeFlowRequest,
} from '../conntrack/conntrack-messages.js';
import { decodeListing, encodeEntry, encodeSetCreation } from '../ipset/ip-set-messages.js';
import type { IpSetDefinition, IpSetEntry, IpSetType } from '../ipset/ip-sets.js';
import type { RealServer, VirtualServer, VirtualServerAddress } from '../ipvs/ipvs.js';
import {
  decodeRealServer,
  decodeTimeouts,
  decodeVirtualServer,
  encodeIpvsCommand,
  encodeTimeouts,
} from '../ipvs/ipvs-messages.js';
import { decodeAddress, decodeLink, encodeAddress, encodeLink } from '../link/link-messages.js';
import {
  type Attribute,
  attributeEnd,
  attributeMap,
  encodeAttributes,
  findAttribute,
  readAttributes,
  readU16,
  readU32,
  writeU16,
  writeU32,
} from './attributes.js';
import { addressBytes, addressText } from './ip-bytes.js';
import { encodeMessages } from './request-batches.js';

const family = fc.constantFrom('IPv4' as const, 'IPv6' as const);
const port = fc.integer({ min: 1, max: 65_535 });
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const protocol = fc.constantFrom('TCP' as const, 'UDP' as const, 'SCTP' as const);

function addressOf(kind: 'IPv4' | 'IPv6') {
  const raw =
    kind === 'IPv4'
      ? fc.ipV4()
      : fc
          .array(fc.constantFrom('0', '1', 'fd00', 'abcd'), { minLength: 8, maxLength: 8 })
          .map((words) => words.join(':'));
  // IPv4-mapped IPv6 addresses are treated as IPv4 addresses.
  return raw
    .map((text) => parseAddress(text))
    .filter((parsed) => parsed?.family === kind)
    .map((parsed) => parsed?.text ?? '');
}

const address = family.chain((kind) => addressOf(kind));

const at: fc.Arbitrary<VirtualServerAddress> = family.chain((kind) =>
  fc.oneof(
    fc.record({
      kind: fc.constant('address' as const),
      family: fc.constant(kind),
      protocol,
      address: addressOf(kind),
      port,
    }),
    fc.record({
      kind: fc.constant('mark' as const),
      family: fc.constant(kind),
      mark: fc.integer({ min: 1, max: 0xffff_ffff }),
    }),
  ),
);

const virtual: fc.Arbitrary<VirtualServer> = fc.record({
  at,
  scheduler: fc.constantFrom('rr', 'wlc', 'mh', 'lblcr'),
  schedulerFlags: fc.constantFrom(0, 0x08, 0x10, 0x18, 0x20),
  persistence: fc.option(fc.integer({ min: 1, max: 86_400 }), { nil: undefined }),
});

const flow: fc.Arbitrary<ConntrackFlow> = family.chain((kind) => {
  const tuple = fc.record({
    source: addressOf(kind),
    sourcePort: fc.nat(65_535),
    destination: addressOf(kind),
    destinationPort: fc.nat(65_535),
  });
  const zone = fc.constantFrom(0, 1, 7, 65_535);
  const entry = fc.record({ family: fc.constant(kind), protocol, original: tuple, reply: tuple, zone });
  return fc.record({ entry, id: u32, replyZone: zone });
});

/** The value of the only attribute of a type in a message. */
function only(message: Buffer, type: number): Buffer {
  const value = attributeMap(message).get(type);
  return encodeAttributes([{ type, value: value ?? Buffer.alloc(0) }]);
}

describe('encoded messages decode to the same values', () => {
  test('addresses, as bytes and as text', () => {
    fc.assert(
      fc.property(address, (text) =>
        expect(addressText(addressBytes(text), text.includes(':') ? 'IPv6' : 'IPv4')).toBe(text),
      ),
    );
  });

  test('attributes, nested ones too, at any length', () => {
    const leaf = fc.record({ type: fc.integer({ min: 1, max: 0x3fff }), value: fc.uint8Array({ maxLength: 40 }) });
    fc.assert(
      fc.property(fc.array(leaf), fc.array(leaf), (flat, inner) => {
        const message = encodeAttributes([...flat, { type: 7, value: inner as readonly Attribute[] }]);
        const read = readAttributes(message).map(([type, value]) => ({ type, value: Uint8Array.from(value) }));
        expect(read.slice(0, -1)).toEqual(flat);
        const nested = readAttributes(Buffer.from(read.at(-1)?.value ?? [])).map(([type, value]) => ({
          type,
          value: Uint8Array.from(value),
        }));
        expect(nested).toEqual(inner);
      }),
    );
  });

  test('a message has no bytes of the memory that was used before', () => {
    const encode = (values: readonly Uint8Array[], texts: readonly string[]) => {
      const flat = values.map((value, type) => ({ type: type + 1, value }));
      const payload = encodeAttributes([...flat, { type: 7, value: flat }], values[0]);
      return [encodeMessages([{ type: 1, flags: 0, payload }], 1, 0), ...texts.map(addressBytes)];
    };
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), fc.array(address), (values, texts) => {
        const [used, other] = [0xff, 0].map((before) => {
          const memory = jest.spyOn(Buffer, 'allocUnsafe').mockImplementation((size) => Buffer.alloc(size, before));
          try {
            return encode(values, texts);
          } finally {
            memory.mockRestore();
          }
        });
        expect(used).toEqual(other);
      }),
    );
  });

  test('any input is decoded without an error, and without reading past its end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        const total = readAttributes(buffer).reduce((sum, [, value]) => sum + value.length + 4, 0);
        expect(total).toBeLessThanOrEqual(buffer.length);
      }),
    );
  });

  test('findAttribute returns what a full decode returns', () => {
    const leaf = fc.record({ type: fc.integer({ min: 1, max: 9 }), value: fc.uint8Array({ maxLength: 12 }) });
    fc.assert(
      fc.property(fc.array(leaf), fc.nat(120), (attributes, cut) => {
        const message = encodeAttributes(attributes).subarray(0, cut);
        for (let type = 1; type < 10; type++) {
          const at = findAttribute(message, type, 0, message.length);
          const value = readAttributes(message).find(([candidate]) => candidate === type)?.[1];
          expect(at < 0 ? undefined : message.subarray(at + 4, attributeEnd(message, at))).toEqual(value);
        }
      }),
    );
  });

  test('tracked connections', () => {
    fc.assert(
      fc.property(flow, (given) => {
        const { entry } = given;
        const message = encodeFlow(given);
        expect(decodeFlow(message, entry.family, entry.protocol)).toEqual(given);
        expect(decodeEntry(message, entry.family, entry.protocol)).toEqual(entry);
        expect(decodeEntry(message, entry.family === 'IPv4' ? 'IPv6' : 'IPv4', entry.protocol)).toBeUndefined();
        expect(decodeEntry(message, entry.family, entry.protocol === 'UDP' ? 'TCP' : 'UDP')).toBeUndefined();
      }),
    );
  });

  test('a tracked connection that is truncated anywhere, or corrupted, is skipped or unchanged', () => {
    fc.assert(
      fc.property(flow, fc.nat(), fc.nat(), fc.nat(255), (given, cut, where, byte) => {
        const { entry } = given;
        const whole = encodeFlow(given);
        const short = whole.subarray(0, cut % whole.length);
        const read = decodeEntry(short, entry.family, entry.protocol);
        expect(read === undefined ? { ...entry } : { ...read, zone: entry.zone }).toEqual(entry);
        expect(decodeFlow(short, entry.family, entry.protocol)?.id ?? given.id).toBe(given.id);
        whole[where % whole.length] = byte;
        expect(() => decodeFlow(whole, entry.family, entry.protocol)).not.toThrow();
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeFlow(Buffer.from([2, 0, 0, 0, ...bytes]), 'IPv4', 'UDP')).toBeUndefined();
        expect(decodeEntry(Buffer.from(bytes), 'IPv6', 'TCP')).toBeUndefined();
      }),
    );
  });

  test('a deletion always identifies one flow: without a tuple the kernel would delete all', () => {
    fc.assert(
      fc.property(flow, (given) => {
        const deletion = attributeMap(encodeDeletion(given).subarray(4));
        const asSeen = attributeMap(encodeFlow({ ...given, replyZone: given.entry.zone }).subarray(4));
        // Zone 0 is omitted, for kernels without zones.
        expect([...deletion.keys()]).toEqual(given.replyZone === 0 ? [2, 12] : [2, 12, 18]);
        expect(deletion.get(2)).toEqual(asSeen.get(2));
        expect(deletion.get(12)?.readUInt32BE()).toBe(given.id);
        expect(deletion.get(18)?.readUInt16BE() ?? 0).toBe(given.replyZone);
        const question = attributeMap(encodeFlowRequest(given.entry).subarray(4));
        expect(question.get(1)).toEqual(asSeen.get(1));
        expect(question.get(18)?.readUInt16BE() ?? 0).toBe(given.entry.zone);
      }),
    );
  });

  test('virtual servers', () => {
    fc.assert(
      fc.property(virtual, (given) => {
        expect(decodeVirtualServer(encodeIpvsCommand({ do: 'add-virtual', virtual: given }).attributes)).toEqual(given);
      }),
    );
  });

  test('real servers', () => {
    const real = at.chain((where) =>
      fc.tuple(fc.constant(where), fc.record({ address: addressOf(where.family), port, weight: u32 })),
    );
    fc.assert(
      fc.property(real, ([where, given]: [VirtualServerAddress, RealServer]) => {
        const { attributes } = encodeIpvsCommand({ do: 'add-real', at: where, real: given });
        expect(decodeRealServer(only(attributes, 2), where.family)).toMatchObject({ ...given, forwarding: 0 });
      }),
    );
  });

  test('timeouts', () => {
    fc.assert(
      fc.property(fc.record({ tcp: u32, tcpFin: u32, udp: u32 }), (timeouts) => {
        expect(decodeTimeouts(encodeTimeouts(timeouts).attributes)).toEqual(timeouts);
      }),
    );
  });

  test('interfaces and their addresses', () => {
    fc.assert(
      fc.property(u32, address, (link, text) => {
        expect(decodeAddress(encodeAddress({ link, address: text }))).toMatchObject({ link, address: text });
      }),
    );
    expect(decodeLink(encodeLink('kube-ipvs0', 'dummy'))).toMatchObject({ name: 'kube-ipvs0', kind: 'dummy' });
  });

  test('sets and their entries', () => {
    const types: readonly IpSetType[] = ['hash:ip', 'hash:ip,port', 'hash:ip,port,ip', 'hash:ip,port,net'];
    const entry = family.chain((kind) =>
      fc.tuple(
        fc.constantFrom(...types),
        addressOf(kind),
        addressOf(kind),
        port,
        protocol,
        fc.option(u32, { nil: undefined }),
        fc.integer({ min: 1, max: kind === 'IPv4' ? 32 : 128 }),
      ),
    );
    fc.assert(
      fc.property(entry, ([type, first, second, number, transport, mark, length]) => {
        const given: IpSetEntry = {
          address: first,
          ...(type === 'hash:ip' ? {} : { port: number, protocol: transport }),
          ...(type === 'hash:ip,port,ip' ? { second } : {}),
          ...(type === 'hash:ip,port,net' ? { network: `${second}/${length}` } : {}),
          ...(mark === undefined ? {} : { mark }),
        };
        const message = encodeEntry('KUBE-A', given);
        const data = attributeMap(message.subarray(4)).get(7) ?? Buffer.alloc(0);
        // In a listing, entries are in a nested list.
        const listing = Buffer.concat([
          message.subarray(0, 4),
          encodeAttributes([{ type: 8, value: [{ type: 7, value: data }] }]),
        ]);
        expect(decodeListing(listing).entries).toEqual([given]);
      }),
    );
    const definition = fc.record({
      name: fc.constant('KUBE-A'),
      type: fc.constantFrom(...types),
      family,
      maxEntries: fc.integer({ min: 1, max: 0x7fff_ffff }),
      marks: fc.boolean(),
    });
    fc.assert(
      fc.property(definition, (given: IpSetDefinition) => {
        expect(decodeListing(encodeSetCreation(given, 5)).definition).toEqual(given);
      }),
    );
  });
});

describe('numbers of a message', () => {
  test('are read as they were written', () => {
    fc.assert(
      fc.property(u32, fc.integer({ min: 0, max: 0xffff }), (large, small) => {
        const buffer = Buffer.alloc(6);
        writeU32(buffer, large, 0);
        writeU16(buffer, small, 4);
        expect([readU32(buffer, 0), readU16(buffer, 4)]).toEqual([large, small]);
      }),
    );
  });

  test.each([
    [0x1_0000, 0],
    [-1, 0],
    [1, 3],
    [1, -1],
  ])('%d at position %d of four bytes is rejected, not shortened', (value, at) => {
    const buffer = Buffer.alloc(4);
    expect(() => writeU16(buffer, value, at)).toThrow(RangeError);
    expect(buffer).toEqual(Buffer.alloc(4));
  });
});
