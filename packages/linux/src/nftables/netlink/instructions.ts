import { type Attribute, be32, cString, u8 } from '../../netlink/attributes.js';
import type { NftMeta, NftTuple, NftTupleField } from '../rules/nft-expression.js';
import {
  NFT_VERDICTS,
  NFTA_COUNTER,
  NFTA_DATA,
  NFTA_EXPRESSION,
  NFTA_LIST_ELEMENT,
  NFTA_VERDICT,
} from './nf-tables.js';

/** One expression of a rule, as the kernel executes it. */
export type NftInstruction = Attribute;

function instruction(name: string, ...data: readonly Attribute[]): NftInstruction {
  return {
    type: NFTA_LIST_ELEMENT,
    value: [
      { type: NFTA_EXPRESSION.name, value: cString(name) },
      { type: NFTA_EXPRESSION.data, value: data },
    ],
  };
}

const number = (type: number, value: number): Attribute => ({ type, value: be32(value) });
const bytes = (type: number, value: Uint8Array): Attribute => ({ type, value: [{ type: NFTA_DATA.value, value }] });

const PAYLOAD_BASES = { network: 1, transport: 2 } as const;
const META_KEYS = { priority: 2, mark: 3, iifname: 6, oifname: 7, l4proto: 16 } as const;
type MetaKey = keyof typeof META_KEYS;
const CT_KEYS = { state: 0, direction: 1, status: 2 } as const;
const CT_TUPLE_KEYS = {
  ...{ 'proto-src': 11, 'proto-dst': 12, 'ip saddr': 19, 'ip daddr': 20, 'ip6 saddr': 21, 'ip6 daddr': 22 },
} as const satisfies Record<NftTupleField, number>;
const CT_DIRECTIONS = { original: 0, reply: 1 } as const;
const FIB_RESULT_TYPE = 3;
const FIB_FLAGS = { saddr: 1, daddr: 2 } as const;
const COMPARISONS = { '==': 0, '!=': 1 } as const;
const NUMGEN_RANDOM = 1;
const HASH_JENKINS = 0;
const DYNSET_OPERATIONS = { update: 1, delete: 2 } as const;
const NAT_DESTINATION = 1;
const LOOKUP_INVERTED = 1;

/** The number of a meta key in the kernel, and in user data. */
export function metaKeyNumber(key: NftMeta['key']): number {
  return META_KEYS[key];
}

/** Destination register of a map lookup; `verdict` to execute the verdict. */
export type NftDestination = number | 'verdict';

/** The expressions, by their names in the kernel. Registers are numbers of `enum nft_registers`. */
export const instructions = {
  payload: (to: number, base: keyof typeof PAYLOAD_BASES, offset: number, length: number) =>
    instruction('payload', number(1, to), number(2, PAYLOAD_BASES[base]), number(3, offset), number(4, length)),

  meta: (to: number, key: MetaKey) => instruction('meta', number(2, META_KEYS[key]), number(1, to)),

  setMeta: (key: NftMeta['key'], from: number) => instruction('meta', number(2, META_KEYS[key]), number(3, from)),

  ct: (to: number, key: keyof typeof CT_KEYS) => instruction('ct', number(2, CT_KEYS[key]), number(1, to)),

  ctTuple: (to: number, field: NftTupleField, direction: NftTuple['direction']) =>
    instruction(
      'ct',
      ...[number(2, CT_TUPLE_KEYS[field]), number(1, to)],
      ...[{ type: 3, value: u8(CT_DIRECTIONS[direction]) }],
    ),

  fibType: (to: number, address: keyof typeof FIB_FLAGS) =>
    instruction('fib', number(3, FIB_FLAGS[address]), number(2, FIB_RESULT_TYPE), number(1, to)),

  numgenRandom: (to: number, modulus: number, offset: number) =>
    instruction('numgen', number(1, to), number(2, modulus), number(3, NUMGEN_RANDOM), number(4, offset)),

  jhash: (to: number, from: number, length: number, modulus: number, seed: number, offset: number) =>
    instruction(
      'hash',
      ...[number(1, from), number(2, to), number(3, length), number(4, modulus), number(5, seed), number(6, offset)],
      number(7, HASH_JENKINS),
    ),

  /** `register & mask ^ xor`. */
  bitwise: (register: number, mask: Uint8Array, xor: Uint8Array) =>
    instruction(
      'bitwise',
      number(1, register),
      number(2, register),
      number(3, mask.length),
      bytes(4, mask),
      bytes(5, xor),
    ),

  compare: (register: number, operator: keyof typeof COMPARISONS, value: Uint8Array) =>
    instruction('cmp', number(1, register), number(2, COMPARISONS[operator]), bytes(3, value)),

  range: (register: number, first: Uint8Array, last: Uint8Array) =>
    instruction('range', number(1, register), number(2, 0), bytes(3, first), bytes(4, last)),

  /** A counter that begins at 0. */
  count: () =>
    instruction(
      'counter',
      { type: NFTA_COUNTER.bytes, value: be64(0) },
      { type: NFTA_COUNTER.packets, value: be64(0) },
    ),

  /** An extension of xtables, through `nft_compat`. */
  extension: (kind: 'match' | 'target', name: string, revision: number, structure: Uint8Array) =>
    instruction(kind, { type: 1, value: cString(name) }, number(2, revision), { type: 3, value: structure }),

  lookup: (
    key: number,
    set: { readonly name: string; readonly id?: number },
    { to, isNot = false }: { readonly to?: NftDestination; readonly isNot?: boolean } = {},
  ) =>
    instruction(
      'lookup',
      number(2, key),
      ...(to === undefined ? [] : [number(3, to === 'verdict' ? 0 : to)]),
      { type: 1, value: cString(set.name) },
      ...(set.id === undefined ? [] : [number(4, set.id)]),
      ...(isNot ? [number(5, LOOKUP_INVERTED)] : []),
    ),

  immediate: (to: number, value: Uint8Array) => instruction('immediate', number(1, to), bytes(2, value)),

  verdict: (verdict: keyof typeof NFT_VERDICTS, chain?: string) =>
    instruction('immediate', number(1, 0), { type: 2, value: [verdictData(verdict, chain)] }),

  writeElement: (
    operation: keyof typeof DYNSET_OPERATIONS,
    set: string,
    key: number,
    { value, timeoutMilliseconds }: { readonly value?: number; readonly timeoutMilliseconds?: number },
  ) =>
    instruction(
      'dynset',
      number(4, key),
      ...(value === undefined ? [] : [number(5, value)]),
      number(3, DYNSET_OPERATIONS[operation]),
      ...(timeoutMilliseconds === undefined ? [] : [{ type: 6, value: be64(timeoutMilliseconds) }]),
      { type: 1, value: cString(set) },
    ),

  objectFromMap: (key: number, map: string) => instruction('objref', number(3, key), { type: 4, value: cString(map) }),

  nat: (family: number, address: number, port?: number, flags?: number) =>
    instruction(
      'nat',
      ...[number(1, NAT_DESTINATION), number(2, family), number(3, address)],
      ...(port === undefined ? [] : [number(5, port)]),
      ...(flags === undefined ? [] : [number(7, flags)]),
    ),

  masquerade: (flags?: number) => instruction('masq', ...(flags === undefined ? [] : [number(1, flags)])),

  /** @param code absent for types without a code, as in the kernel's dump. */
  reject: (type: number, code?: number) =>
    instruction('reject', number(1, type), ...(code === undefined ? [] : [{ type: 2, value: u8(code) }])),
} as const;

/** A verdict as data. */
export function verdictData(verdict: keyof typeof NFT_VERDICTS, chain?: string): Attribute {
  return {
    type: NFTA_DATA.verdict,
    value: [
      number(NFTA_VERDICT.code, NFT_VERDICTS[verdict]),
      ...(chain === undefined ? [] : [{ type: NFTA_VERDICT.chain, value: cString(chain) }]),
    ],
  };
}

/** In network byte order. */
export function be64(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer;
}
