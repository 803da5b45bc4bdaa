import { type Attribute, be32, u32 } from '../../netlink/attributes.js';
import type { NftSetOrMap } from '../nft-transaction.js';
import { NFT_TYPE_SIZES, type NftField, type NftType, nftTypeOf } from '../rules/nft-expression.js';
import { be64, metaKeyNumber } from './instructions.js';
import {
  NFT_BYTE_ORDERS,
  NFT_DATA_VERDICT,
  NFT_OBJECT_COUNTER,
  NFT_SET_FLAGS,
  NFT_TYPE_BITS,
  NFT_TYPE_NUMBERS,
  NFT_TYPE_OF_SLOT,
  NFT_USER_DATA,
  NFT_USER_EXPRESSIONS,
  NFTA_LIST_ELEMENT,
  NFTA_SET,
  NFTA_SET_DESCRIPTION,
  NFTA_SET_FIELD_LENGTH,
} from './nf-tables.js';
import { nftFieldsLength } from './value-bytes.js';

/** The element type of a set or map. */
export interface NftElementTypes {
  readonly key: readonly NftType[];
  /** Undefined in a set. */
  readonly value: readonly NftType[] | 'verdict' | 'counter' | undefined;
  /** Addresses in keys may be networks, and ports ranges. */
  readonly isInterval: boolean;
}

export function nftElementTypes({ key, value, flags = [] }: NftSetOrMap): NftElementTypes {
  return {
    key: key.map(nftTypeOf),
    value: typeof value === 'object' ? value.map(nftTypeOf) : value,
    isInterval: flags.includes('interval'),
  };
}

/** The number of a concatenation of types in nft. */
export function nftTypeNumber(types: readonly NftType[]): number {
  return concatenated(types.map((type) => NFT_TYPE_NUMBERS[type]));
}

/** The number of the types of a key in nft. */
export function nftKeyTypeNumber(types: readonly NftType[]): number {
  return concatenated(types.map((type) => (type === 'integer' ? NFT_TYPE_OF_SLOT : NFT_TYPE_NUMBERS[type])));
}

function concatenated(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum * 2 ** NFT_TYPE_BITS + number, 0);
}

const TYPES_BY_NUMBER: ReadonlyMap<number, NftType> = new Map([
  ...Object.entries(NFT_TYPE_NUMBERS).map(([type, number]) => [number, type as NftType] as const),
  [NFT_TYPE_OF_SLOT, 'integer'],
]);

/** Inverse of {@link nftTypeNumber} and {@link nftKeyTypeNumber}; undefined when one of the types is unknown. */
export function nftTypesOfNumber(number: number): readonly NftType[] | undefined {
  const types: NftType[] = [];
  for (let rest = number; rest > 0; rest = Math.floor(rest / 2 ** NFT_TYPE_BITS)) {
    const type = TYPES_BY_NUMBER.get(rest % 2 ** NFT_TYPE_BITS);
    if (type === undefined) {
      return undefined;
    }
    types.unshift(type);
  }
  return types.length === 0 ? undefined : types;
}

/** The attributes that declare a set or map, besides its table, name and id. */
export function nftSetAttributes(container: NftSetOrMap): readonly Attribute[] {
  const { kind, size, timeout, value, flags = [] } = container;
  const types = nftElementTypes(container);
  const isConcatenation = types.key.length > 1;
  const number = (type: number, is: number): Attribute => ({ type, value: be32(is) });
  const bits =
    (kind === 'map' ? (value === 'counter' ? NFT_SET_FLAGS.object : NFT_SET_FLAGS.map) : 0) |
    flags.reduce((sum, flag) => sum | NFT_SET_FLAGS[flag], 0) |
    (types.isInterval && isConcatenation ? NFT_SET_FLAGS.concatenation : 0);
  const description: Attribute[] = [
    ...(size === undefined ? [] : [number(NFTA_SET_DESCRIPTION.size, size)]),
    ...(types.isInterval && isConcatenation
      ? [{ type: NFTA_SET_DESCRIPTION.fields, value: types.key.map(fieldLength) }]
      : []),
  ];
  return [
    number(NFTA_SET.flags, bits),
    number(NFTA_SET.keyType, nftKeyTypeNumber(types.key)),
    number(NFTA_SET.keyLength, nftFieldsLength(types.key)),
    ...(types.value === 'verdict'
      ? [number(NFTA_SET.dataType, NFT_DATA_VERDICT), number(NFTA_SET.dataLength, 0)]
      : types.value === 'counter'
        ? [number(NFTA_SET.objectType, NFT_OBJECT_COUNTER)]
        : types.value === undefined
          ? []
          : [
              number(NFTA_SET.dataType, nftTypeNumber(types.value)),
              number(NFTA_SET.dataLength, nftFieldsLength(types.value)),
            ]),
    ...(description.length === 0 ? [] : [{ type: NFTA_SET.description, value: description }]),
    ...(timeout === undefined ? [] : [{ type: NFTA_SET.timeout, value: be64(timeout * 1000) }]),
    { type: NFTA_SET.userData, value: setUserData(container) },
  ];
}

/** The attributes that declare an anonymous set of protocols, besides its table, name and id. */
export function nftAnonymousSetAttributes(size: number): readonly Attribute[] {
  const protocol: NftField = { kind: 'meta', key: 'l4proto' };
  return [
    { type: NFTA_SET.flags, value: be32(NFT_SET_FLAGS.anonymous | NFT_SET_FLAGS.constant) },
    { type: NFTA_SET.keyType, value: be32(NFT_TYPE_NUMBERS.inet_proto) },
    { type: NFTA_SET.keyLength, value: be32(NFT_TYPE_SIZES.inet_proto) },
    { type: NFTA_SET.description, value: [{ type: NFTA_SET_DESCRIPTION.size, value: be32(size) }] },
    {
      type: NFTA_SET.userData,
      value: Buffer.concat([
        userNumber(NFT_USER_DATA.set.keyByteOrder, NFT_BYTE_ORDERS.host),
        userData(NFT_USER_DATA.set.keyTypeof, userExpression([protocol])),
      ]),
    },
  ];
}

function fieldLength(type: NftType): Attribute {
  return {
    type: NFTA_LIST_ELEMENT,
    value: [{ type: NFTA_SET_FIELD_LENGTH, value: be32(NFT_TYPE_SIZES[type]) }],
  };
}

/** User data with which nft lists a set or map as declared. */
function setUserData({ kind, key, value }: NftSetOrMap): Buffer {
  const fields = typeof value === 'object' ? value : [];
  const byExpression = [...key, ...fields].some((field) => nftTypeOf(field) === 'integer');
  const tags = NFT_USER_DATA.set;
  const typeofFields = (list: readonly NftField[]) =>
    byExpression ? userExpression(list) : list.length > 1 ? concatenation(Buffer.alloc(0)) : undefined;
  const [keyTypeof, dataTypeof] = [typeofFields(key), fields.length === 0 ? undefined : typeofFields(fields)];
  return Buffer.concat([
    userNumber(tags.keyByteOrder, byteOrder(key)),
    ...(kind === 'map' && value !== 'counter' ? [userNumber(tags.dataByteOrder, byteOrder(fields))] : []),
    ...(keyTypeof === undefined ? [] : [userData(tags.keyTypeof, keyTypeof)]),
    ...(dataTypeof === undefined ? [] : [userData(tags.dataTypeof, dataTypeof)]),
    ...(kind === 'map' ? [userNumber(tags.dataInterval, 0)] : []),
  ]);
}

function byteOrder(fields: readonly NftField[]): number {
  const [only] = fields;
  if (only === undefined || fields.length > 1) {
    return NFT_BYTE_ORDERS.none;
  }
  return only.kind === 'payload' ? NFT_BYTE_ORDERS.network : NFT_BYTE_ORDERS.host;
}

/** One item of user data: type, length, value, each of the first two a byte. */
function userData(type: number, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(type, value.length), value]);
}

/** In host byte order. */
function userNumber(type: number, value: number): Buffer {
  return userData(type, u32(value));
}

function concatenation(parts: Uint8Array): Buffer {
  return Buffer.concat([
    userNumber(NFT_USER_DATA.typeof.expression, NFT_USER_EXPRESSIONS.concatenation),
    userData(NFT_USER_DATA.typeof.data, parts),
  ]);
}

/** The expression that declares types (`typeof`). */
function userExpression(fields: readonly NftField[]): Buffer {
  const [only] = fields;
  return fields.length === 1 && only !== undefined
    ? fieldExpression(only)
    : concatenation(Buffer.concat(fields.map((field, index) => userData(index, fieldExpression(field)))));
}

/** Numbers of protocols and their fields in nft, which it puts into user data. */
const USER_PROTOCOLS = { udp: 6, tcp: 8, sctp: 10, th: 11, ip: 12, ip6: 13 } as const;
const USER_FIELDS = { ip: { saddr: 11, daddr: 12 }, ip6: { saddr: 8, daddr: 9 } } as const;
const USER_PORTS = { sport: 1, dport: 2 } as const;
const USER_IPV4_PROTOCOL = 9;
const NUMGEN_RANDOM = 1;

function fieldExpression(field: NftField): Buffer {
  const tags = NFT_USER_DATA.typeof;
  const of = (expression: number, ...data: readonly number[]) =>
    Buffer.concat([
      userNumber(tags.expression, expression),
      userData(tags.data, Buffer.concat(data.map((number, index) => userNumber(index, number)))),
    ]);
  switch (field.kind) {
    case 'payload': {
      const { protocol, field: name } = field;
      const number =
        name === 'protocol'
          ? USER_IPV4_PROTOCOL
          : name === 'saddr' || name === 'daddr'
            ? USER_FIELDS[protocol as 'ip' | 'ip6'][name]
            : USER_PORTS[name];
      return of(NFT_USER_EXPRESSIONS.payload, USER_PROTOCOLS[protocol], number);
    }
    case 'meta':
      return of(NFT_USER_EXPRESSIONS.meta, metaKeyNumber(field.key));
    case 'numgen':
      return of(NFT_USER_EXPRESSIONS.numgen, NUMGEN_RANDOM, field.modulus, field.offset ?? 0);
    default:
      throw new TypeError(`the types of a set or map are not declared by "${field.kind}"`);
  }
}
