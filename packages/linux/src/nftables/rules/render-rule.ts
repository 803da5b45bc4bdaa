import { assertNever } from '@kube-proxier/core';
import {
  type NftBitwise,
  type NftField,
  type NftLookup,
  type NftStatement,
  type NftType,
  nftTypeOf,
} from './nft-expression.js';

/** A rule in the language of nft, on one line. Pure. */
export function renderNftRule(statements: readonly NftStatement[]): string {
  return statements.map(renderStatement).join(' ');
}

/** Fields in the language of nft. Pure. */
export function renderNftFields(fields: readonly NftField[]): string {
  return fields.map(renderField).join(' . ');
}

function renderStatement(statement: NftStatement): string {
  switch (statement.kind) {
    case 'match': {
      const { left, operator, right } = statement;
      const field = left.kind === 'bitwise' ? left.left : left;
      const value = left.kind === 'bitwise' ? String(right) : renderValue(right, nftTypeOf(field));
      return `${left.kind === 'bitwise' ? renderBitwise(left) : renderField(left)} ${operator === '!=' ? '!= ' : ''}${value}`;
    }
    case 'member':
      return `${renderNftFields(statement.key)} ${statement.isNot ? '!= ' : ''}@${statement.set}`;
    case 'one-of':
      return `${renderField(statement.left)} { ${statement.values.join(', ')} }`;
    case 'vmap':
      return `${renderNftFields(statement.key)} vmap @${statement.map}`;
    case 'assign':
      return `${renderField(statement.to)} set ${renderAssigned(statement.value, nftTypeOf(statement.to))}`;
    case 'write-element': {
      const { operation, set, key, value, timeoutSeconds } = statement;
      const timeout = timeoutSeconds === undefined ? '' : ` timeout ${timeoutSeconds}s`;
      const data = value === undefined ? '' : ` : ${renderField(value)}`;
      return `${operation} @${set} { ${renderNftFields(key)}${timeout}${data} }`;
    }
    case 'count':
      return `counter name ${renderNftFields(statement.key)} map @${statement.map}`;
    case 'dnat':
      return `dnat ${statement.family} to ${renderTarget(statement.to)}`;
    case 'masquerade':
      return statement.fullyRandom ? 'masquerade fully-random' : 'masquerade';
    case 'jump':
    case 'goto':
      return `${statement.kind} ${statement.chain}`;
    case 'no-syn':
      return 'tcp flags & syn == 0';
    case 'reject':
      return statement.with === undefined ? 'reject' : 'reject with tcp reset';
    case 'accept':
    case 'drop':
      return statement.kind;
    default:
      return assertNever(statement);
  }
}

function renderField(field: NftField): string {
  switch (field.kind) {
    case 'payload':
      return `${field.protocol} ${field.field}`;
    case 'meta':
      return field.key === 'iifname' ? field.key : `meta ${field.key}`;
    case 'ct':
      return `ct ${field.key}`;
    case 'ct-tuple':
      return `ct ${field.direction} ${field.field}`;
    case 'fib':
      return `fib ${field.address} type`;
    case 'numgen':
      return `numgen random mod ${field.modulus}${renderOffset(field.offset)}`;
    case 'jhash':
      return `jhash ${renderNftFields(field.of)} mod ${field.modulus} seed 0x${field.seed.toString(16)}${renderOffset(field.offset)}`;
    default:
      return assertNever(field);
  }
}

function renderOffset(offset = 0): string {
  return offset === 0 ? '' : ` offset ${offset}`;
}

function renderAssigned(value: number | NftBitwise | NftLookup, type: NftType): string {
  return typeof value === 'number'
    ? renderValue(value, type)
    : value.kind === 'lookup'
      ? renderLookup(value)
      : renderBitwise(value);
}

function renderBitwise({ left, operator, right }: NftBitwise): string {
  return `${renderField(left)} ${operator} ${renderValue(right, nftTypeOf(left))}`;
}

function renderLookup({ key, map }: NftLookup): string {
  return `${renderNftFields(key)} map @${map}`;
}

function renderTarget(to: Extract<NftStatement, { kind: 'dnat' }>['to']): string {
  if (to.kind === 'lookup') {
    return renderLookup(to);
  }
  const { address, port } = to;
  if (port === undefined) {
    return address;
  }
  const portText = typeof port === 'number' ? String(port) : renderLookup(port);
  return address.includes(':') ? `[${address}]:${portText}` : `${address}:${portText}`;
}

function renderValue(value: string | number, type: NftType): string {
  if (type === 'ifname') {
    return `"${value}"`;
  }
  if (typeof value === 'number' && type === 'mark') {
    return `0x${value.toString(16).padStart(8, '0')}`;
  }
  return typeof value === 'number' && type === 'classid' ? nftClassid(value) : String(value);
}

/** A priority in nft syntax, for example `abcd:12`. */
export function nftClassid(number: number): string {
  return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
}
