import { align, attributeEnd, encodeAttributes, readU16 } from '../../netlink/attributes.js';
import type { NftFamily } from '../nft-family.js';
import type { NftStatement } from '../rules/nft-expression.js';
import { compileNftRule } from './compile-rule.js';
import { NFTA_DATA, NFTA_EXPRESSION } from './nf-tables.js';

const TYPE_MASK = 0x3fff;
/** Nested attributes by expression: data, in which a verdict is nested again. */
const NESTED: Readonly<Record<string, readonly number[]>> = { bitwise: [4, 5], cmp: [3], immediate: [2] };
/** Attributes with the name of a set or map, and with its id in the transaction. */
const SET_NAMES: Readonly<Record<string, number>> = { lookup: 1, dynset: 1, objref: 4 };
const SET_NUMBERS: Readonly<Record<string, number>> = { lookup: 4, dynset: 2, objref: 5 };
/** The last attribute that is known; newer kernels may list more. */
const LAST: Readonly<Record<string, number>> = {
  ...{ payload: 8, meta: 3, ct: 4, fib: 3, numgen: 4, hash: 7, bitwise: 7, cmp: 3, lookup: 5, immediate: 2 },
  ...{ dynset: 10, objref: 5, nat: 7, masq: 3, reject: 2 },
};
/** Attributes of the ends of address and port ranges, with those of their starts. The kernel lists both. */
const RANGE_ENDS: Readonly<Record<number, number>> = { 4: 3, 6: 5 };
const NAT_FLAGS = 7;
/** `NF_NAT_RANGE_MAP_IPS` and `NF_NAT_RANGE_PROTO_SPECIFIED`: set by the kernel when there is an address or a port. */
const IMPLIED = 3;
/** An attribute that nft 1.0 writes with a wrong byte order. */
const WITHOUT_EFFECT = /\b4:=1 5:=2$/;
/** The generated name of an anonymous set. */
const ANONYMOUS = /^__(set|map)/;

/**
 * A comparable text of the effect of a rule: its expressions as listed by the kernel, without kernel additions (counter
 * values, generated names, defaults). The elements of anonymous sets are not included.
 *
 * @param buffer contains the expressions, from `start` to `end`.
 */
export function nftRuleFingerprint(buffer: Buffer, start = 0, end = buffer.length): string {
  const parts: string[] = [];
  for (const [from, to] of attributes(buffer, start, end)) {
    let name = '';
    let data: readonly [number, number] = [0, 0];
    for (const [at, until, type] of attributes(buffer, from, to)) {
      if (type === NFTA_EXPRESSION.name) {
        name = buffer.toString('latin1', at, until - 1);
      } else if (type === NFTA_EXPRESSION.data) {
        data = [at, until];
      }
    }
    const fields = name === 'counter' ? '' : fieldsOf(name, buffer, data[0], data[1]);
    if (name !== 'byteorder' || !WITHOUT_EFFECT.test(fields)) {
      parts.push(`${name} ${fields}`);
    }
  }
  return parts.join('\n');
}

/** The fingerprint of a planned rule, for comparison with `NftListedChain.fingerprints`. Pure. */
export function expectedNftFingerprint(statements: readonly NftStatement[], family: NftFamily): string {
  let id = 0;
  return nftRuleFingerprint(encodeAttributes(compileNftRule(statements, family, () => ++id).instructions));
}

function fieldsOf(name: string, buffer: Buffer, start: number, end: number): string {
  const fields: string[] = [];
  const values = new Map<number, string>();
  for (const [from, to, type] of attributes(buffer, start, end)) {
    if (name === 'nat') {
      values.set(type, spell(buffer, from, to));
    }
    if (type === SET_NUMBERS[name] || type > (LAST[name] ?? type) || isDefault(buffer, from, to)) {
      continue;
    }
    if (name === 'nat' && type === NAT_FLAGS) {
      const flags = buffer.readUInt32BE(from) & ~IMPLIED;
      fields.push(...(flags === 0 ? [] : [`${type}:${flags}`]));
      continue;
    }
    if (name === 'nat' && values.get(type) === values.get(RANGE_ENDS[type] ?? 0)) {
      continue;
    }
    if (type === SET_NAMES[name]) {
      const set = buffer.toString('latin1', from, to - 1);
      fields.push(`${type}:${ANONYMOUS.test(set) ? 'anonymous' : set}`);
    } else if (NESTED[name]?.includes(type)) {
      fields.push(`${type}:(${dataOf(buffer, from, to)})`);
    } else {
      fields.push(`${type}:${spell(buffer, from, to)}`);
    }
  }
  return fields.sort().join(' ');
}

/** A value, or a verdict with its chain. */
function dataOf(buffer: Buffer, start: number, end: number): string {
  const fields: string[] = [];
  for (const [from, to, type] of attributes(buffer, start, end)) {
    const content =
      type === NFTA_DATA.verdict
        ? attributes(buffer, from, to).map(([at, until, part]) => `${part}:${spell(buffer, at, until)}`)
        : [spell(buffer, from, to)];
    fields.push(`${type}:${content.join(',')}`);
  }
  return fields.join(' ');
}

/** Bytes as text, with a fast path for numbers, the common case. */
function spell(buffer: Buffer, start: number, end: number): string {
  return end - start === 4 ? `=${buffer.readUInt32BE(start)}` : buffer.toString('hex', start, end);
}

/** Numbers that are zero are not always listed. */
function isDefault(buffer: Buffer, start: number, end: number): boolean {
  const length = end - start;
  return (
    (length === 4 || length === 8) &&
    buffer.readUInt32BE(start) === 0 &&
    (length === 4 || buffer.readUInt32BE(start + 4) === 0)
  );
}

/** Start and end of the value, and type. */
function attributes(buffer: Buffer, start: number, end: number): (readonly [number, number, number])[] {
  const found: (readonly [number, number, number])[] = [];
  for (let at = start; at + 4 <= end; ) {
    const next = attributeEnd(buffer, at);
    if (next < at + 4 || next > end) {
      break;
    }
    found.push([at + 4, next, readU16(buffer, at + 2) & TYPE_MASK]);
    at += align(next - at);
  }
  return found;
}
