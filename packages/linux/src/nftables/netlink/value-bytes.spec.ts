import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { NftType } from '../rules/nft-expression.js';
import { NFT_TYPE_BITS, NFT_TYPE_NUMBERS } from './nf-tables.js';
import { nftKeyTypeNumber, nftTypeNumber, nftTypesOfNumber } from './set-attributes.js';
import { NftValueInvalid, nftFieldsLength, readNftFields, writeNftFields } from './value-bytes.js';

const byte = fc.integer({ min: 0, max: 255 });
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const VALUES: Partial<Record<NftType, fc.Arbitrary<string>>> = {
  ipv4_addr: fc.tuple(byte, byte, byte, byte).map((parts) => parts.join('.')),
  inet_proto: fc.constantFrom('tcp', 'udp', 'sctp', '1', '255'),
  inet_service: fc.integer({ min: 0, max: 65_535 }).map(String),
  ipv6_addr: fc.constantFrom('::', '::1', 'fd00::1:2', '2001:db8:1:2:3:4:5:6', 'fe80::1'),
  mark: number.map(String),
  integer: number.map(String),
  classid: fc
    .tuple(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0xffff }))
    .map((parts) => parts.map((part) => part.toString(16)).join(':')),
};
const TYPES = Object.keys(VALUES) as readonly NftType[];

const anyFields = fc.array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 5 }).chain((types) =>
  fc.record({
    types: fc.constant(types),
    texts: fc.tuple(...types.map((type) => VALUES[type] as fc.Arbitrary<string>)),
  }),
);

describe('fields of keys and values', () => {
  test('round-trip, without touching other bytes', () => {
    fc.assert(
      fc.property(anyFields, ({ types, texts }) => {
        const text = texts.join(' . ');
        const length = nftFieldsLength(types);
        const bytes = Buffer.alloc(length + 8, 0xaa);
        bytes.fill(0, 4, 4 + length);
        writeNftFields(text, types, bytes, 4);
        expect(readNftFields(bytes, types, 4)).toBe(text);
        expect([bytes.readUInt32BE(0), bytes.readUInt32BE(4 + length)]).toEqual([0xaaaaaaaa, 0xaaaaaaaa]);
      }),
    );
  });

  test('types are identified by their number', () => {
    fc.assert(
      fc.property(anyFields, ({ types }) => {
        expect(nftTypesOfNumber(nftTypeNumber(types))).toEqual(types);
      }),
    );
    expect(nftTypesOfNumber(0)).toBeUndefined();
    expect(nftTypesOfNumber(63)).toBeUndefined();
  });

  test.each<[NftType, string]>([
    ['ipv4_addr', '10.0.0.0/8'],
    ['ipv4_addr', '10.96.0.0/12'],
    ['ipv4_addr', '0.0.0.0/0'],
    ['ipv4_addr', '192.0.2.128/31'],
    ['ipv6_addr', 'fc00::/7'],
    ['ipv6_addr', '2001:db8::/65'],
    ['ipv4_addr', '192.0.2.1'],
  ])('networks are intervals: %s %s', (type, text) => {
    const types = ['inet_proto', type] as const;
    const length = nftFieldsLength(types);
    const bytes = Buffer.alloc(2 * length);
    writeNftFields(`tcp . ${text}`, types, bytes, 0, length);
    expect(readNftFields(bytes, types, 0, length)).toBe(`tcp . ${text}`);
  });

  test('bits after the prefix of a network do not matter', () => {
    const bytes = Buffer.alloc(8);
    writeNftFields('10.1.2.3/12', ['ipv4_addr'], bytes, 0, 4);
    expect([...bytes]).toEqual([10, 0, 0, 0, 10, 15, 255, 255]);
  });

  test.each<[NftType, string]>([
    ['ipv4_addr', '10.0.0'],
    ['ipv4_addr', '10.0.0.1.2'],
    ['ipv4_addr', '10.0.0.256'],
    ['ipv4_addr', '10.0..1'],
    ['ipv4_addr', 'fd00::1'],
    ['ipv4_addr', ''],
    ['ipv6_addr', '10.0.0.1'],
    ['inet_service', '65536'],
    ['inet_service', 'http'],
    ['inet_service', '-1'],
    ['inet_proto', '256'],
    ['inet_proto', 'what'],
    ['mark', '4294967296'],
    ['classid', '1'],
    ['classid', '12345:1'],
    ['ifname', 'eth0'],
  ])('no %s: "%s"', (type, text) => {
    expect(() => writeNftFields(text, [type], Buffer.alloc(64), 0)).toThrow(NftValueInvalid);
  });

  test('with a wrong number of fields', () => {
    expect(() => writeNftFields('tcp', ['inet_proto', 'inet_service'], Buffer.alloc(8), 0)).toThrow(NftValueInvalid);
    expect(() => writeNftFields('tcp . 80 . 1', ['inet_proto', 'inet_service'], Buffer.alloc(8), 0)).toThrow(
      NftValueInvalid,
    );
  });
});

// nft 1.0.2 aborts when it lists such a key.
test('the type of a slot number in a key has a size, and is read like that of earlier versions', () => {
  const types = ['ipv4_addr', 'inet_service', 'integer'] as const;
  const number = nftKeyTypeNumber(types);
  expect(number % 2 ** NFT_TYPE_BITS).not.toBe(NFT_TYPE_NUMBERS.integer);
  expect(nftTypesOfNumber(number)).toEqual(types);
  expect(nftTypesOfNumber(nftTypeNumber(types))).toEqual(types);
});
