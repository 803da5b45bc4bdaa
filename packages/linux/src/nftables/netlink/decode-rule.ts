import type { UnknownRecord } from '@kube-proxier/core';
import {
  type AttributeMap,
  asBe32,
  asText,
  asU8,
  asU32,
  attributeMap,
  readAttributes,
} from '../../netlink/attributes.js';
import { addressText } from '../../netlink/ip-bytes.js';
import type { NftFamily } from '../nft-family.js';
import { NFT_TYPE_SIZES, type NftType } from '../rules/nft-expression.js';
import { nftClassid } from '../rules/render-rule.js';
import { NFT_VERDICTS, NFTA_DATA, NFTA_EXPRESSION, NFTA_VERDICT } from './nf-tables.js';
import { readNftFields } from './value-bytes.js';

/** Metadata of the sets and maps that a rule refers to. */
export interface NftRuleSets {
  /** Number of fields in a key; undefined when the set is unknown. */
  keyFields(set: string): number | undefined;
  /** Elements of an anonymous set, in transaction syntax; undefined when they cannot be read. */
  anonymousElements(set: string): readonly string[] | undefined;
}

/** Thrown within this file for an unsupported expression. */
class NotDecoded extends Error {}

/**
 * Decodes a rule as the kernel lists it (`NFTA_RULE_EXPRESSIONS`) into the statements that `nft -j list` prints, for
 * rules of this project and plain matches of other programs.
 *
 * @returns one unknown statement when the rule has unsupported expressions: its effect is unknown.
 */
export function decodeNftRule(expressions: Buffer, family: NftFamily, sets: NftRuleSets): readonly UnknownRecord[] {
  const decoder = new RuleDecoder(family, sets);
  try {
    for (const [, expression] of readAttributes(expressions)) {
      const parts = attributeMap(expression);
      decoder.add(asText(parts.get(NFTA_EXPRESSION.name)), attributeMap(parts.get(NFTA_EXPRESSION.data) ?? NO_BYTES));
    }
  } catch (error) {
    if (error instanceof NotDecoded) {
      return [{ [`a rule with ${error.message}`]: null }];
    }
    throw error;
  }
  return decoder.statements;
}

const NO_BYTES = Buffer.alloc(0);
/** Prefix of anonymous sets, whose names the kernel generates. */
const ANONYMOUS = /^__(?:set|map)\d/;
const WORDS_OF_REGISTER = 4;
const FIRST_WORD_REGISTER = 8;

/** The 32-bit word at which a register begins. Inverse of `register` in compile-rule. */
function wordOf(register: number): number {
  return register < FIRST_WORD_REGISTER ? (register - 1) * WORDS_OF_REGISTER : register - FIRST_WORD_REGISTER;
}

/** The contents of a register. */
interface Loaded {
  /** As `nft -j` prints it. */
  readonly expression: unknown;
  readonly type: NftType | 'constant' | 'looked-up';
  /** The bytes of a constant. */
  readonly bytes?: Buffer;
  readonly words: number;
  /** A mask applied to flags or an address before a comparison. */
  readonly mask?: Buffer;
}

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='] as const;
const META: ReadonlyMap<number, readonly [key: string, type: NftType]> = new Map([
  [2, ['priority', 'classid']],
  [3, ['mark', 'mark']],
  [6, ['iifname', 'ifname']],
  [7, ['oifname', 'ifname']],
  [16, ['l4proto', 'inet_proto']],
]);
const CT: ReadonlyMap<number, readonly [key: string, type: NftType]> = new Map([
  [0, ['state', 'ct_state']],
  [1, ['direction', 'ct_dir']],
  [2, ['status', 'ct_status']],
  [3, ['mark', 'mark']],
  [11, ['proto-src', 'inet_service']],
  [12, ['proto-dst', 'inet_service']],
  [19, ['ip saddr', 'ipv4_addr']],
  [20, ['ip daddr', 'ipv4_addr']],
  [21, ['ip6 saddr', 'ipv6_addr']],
  [22, ['ip6 daddr', 'ipv6_addr']],
]);
const CT_STATES: Readonly<Record<number, string>> = {
  1: 'invalid',
  2: 'established',
  4: 'related',
  8: 'new',
  64: 'untracked',
};
const CT_STATUSES: Readonly<Record<number, string>> = {
  1: 'expected',
  2: 'seen-reply',
  4: 'assured',
  16: 'snat',
  32: 'dnat',
};
const ADDRESS_TYPES: Readonly<Record<number, string>> = {
  ...{ 0: 'unspec', 1: 'unicast', 2: 'local', 3: 'broadcast', 4: 'anycast', 5: 'multicast', 6: 'blackhole' },
  ...{ 7: 'unreachable', 8: 'prohibit' },
};
const VERDICTS: ReadonlyMap<number, string> = new Map([
  ...Object.entries(NFT_VERDICTS).map(([name, code]) => [code, name] as const),
  [-1, 'continue'],
]);
/** Expressions that become a statement without relevant parts. */
const PLAIN: ReadonlySet<string> = new Set(['counter', 'log', 'limit', 'quota', 'notrack', 'last', 'connlimit']);
const SYN = 2;
const TCP_RESET = 1;

class RuleDecoder {
  readonly statements: UnknownRecord[] = [];
  /** By their first word. */
  readonly #loaded = new Map<number, Loaded>();
  #protocol: string | undefined;

  constructor(
    private readonly family: NftFamily,
    private readonly sets: NftRuleSets,
  ) {}

  add(name: string, data: AttributeMap): void {
    switch (name) {
      case 'payload':
        this.#payload(data);
        break;
      case 'meta':
        this.#meta(data);
        break;
      case 'ct':
        this.#ct(data);
        break;
      case 'fib':
        this.#fib(data);
        break;
      case 'numgen': {
        const mode = asBe32(data.get(3)) === 1 ? 'random' : 'inc';
        const numgen = { mode, mod: asBe32(data.get(2)), offset: asBe32(data.get(4)) };
        this.#load(asBe32(data.get(1)), { expression: { numgen }, type: 'integer', words: 1 });
        break;
      }
      case 'hash':
        this.#hash(data);
        break;
      case 'bitwise':
        this.#bitwise(data);
        break;
      case 'cmp':
        this.#compare(data);
        break;
      case 'lookup':
        this.#lookup(data);
        break;
      case 'immediate':
        this.#immediate(data);
        break;
      case 'dynset':
        this.#write(data);
        break;
      case 'objref':
        this.#object(data);
        break;
      case 'nat':
        this.#translate(data);
        break;
      case 'masq':
        this.statements.push({ masquerade: null });
        break;
      case 'reject':
        this.statements.push({ reject: asBe32(data.get(1)) === TCP_RESET ? { type: 'tcp reset' } : null });
        break;
      case 'byteorder':
        // nft 1.0 has the bytes of one byte swapped.
        if (asBe32(data.get(4)) > 1) {
          throw new NotDecoded('a change of the byte order, which is not interpreted');
        }
        break;
      default:
        if (!PLAIN.has(name)) {
          throw new NotDecoded(`the expression "${name}", which is not interpreted`);
        }
        this.statements.push({ [name === 'connlimit' ? 'ct count' : name]: null });
    }
  }

  #load(register: number, loaded: Loaded): void {
    const word = wordOf(register);
    for (const [at, { words }] of this.#loaded) {
      if (at < word + loaded.words && word < at + words) {
        this.#loaded.delete(at);
      }
    }
    this.#loaded.set(word, loaded);
  }

  #at(register: number): Loaded {
    const loaded = this.#loaded.get(wordOf(register));
    if (loaded === undefined) {
      throw new NotDecoded('a register whose content is not known');
    }
    return loaded;
  }

  /** Values in consecutive registers. */
  #fields(register: number, isWhole: (count: number, words: number) => boolean): unknown {
    const parts: unknown[] = [];
    let word = wordOf(register);
    const first = word;
    while (!isWhole(parts.length, word - first)) {
      const loaded = this.#loaded.get(word);
      if (loaded === undefined || loaded.mask !== undefined || loaded.type === 'constant') {
        throw new NotDecoded('a key that is not decoded');
      }
      parts.push(loaded.expression);
      word += loaded.words;
    }
    return parts.length === 1 ? parts[0] : { concat: parts };
  }

  /** The key that is looked up in a set or map. */
  #key(register: number, set: string): unknown {
    const fields = this.sets.keyFields(set);
    if (fields === undefined) {
      throw new NotDecoded(`the set ${set}, whose type is not known`);
    }
    return this.#fields(register, (count) => count === fields);
  }

  #payload(data: AttributeMap): void {
    const [base, offset, length] = [asBe32(data.get(2)), asBe32(data.get(3)), asBe32(data.get(4))];
    if (data.has(5)) {
      throw new NotDecoded('a statement that changes a header');
    }
    const field =
      base === 1 ? this.#networkField(offset, length) : base === 2 ? this.#transportField(offset, length) : undefined;
    if (field === undefined) {
      throw new NotDecoded('a field of a header that is not interpreted');
    }
    const [protocol, name, type] = field;
    const expression = { payload: { protocol, field: name } };
    this.#load(asBe32(data.get(1)), { expression, type, words: Math.ceil(length / 4) });
  }

  #networkField(offset: number, length: number): readonly [string, string, NftType] | undefined {
    const isFour = this.family === 'ip';
    const type = isFour ? 'ipv4_addr' : 'ipv6_addr';
    const [source, destination] = isFour ? [12, 16] : [8, 24];
    if (length <= NFT_TYPE_SIZES[type] && (offset === source || offset === destination)) {
      return [this.family, offset === source ? 'saddr' : 'daddr', type];
    }
    return length === 1 && offset === (isFour ? 9 : 6)
      ? [this.family, isFour ? 'protocol' : 'nexthdr', 'inet_proto']
      : undefined;
  }

  #transportField(offset: number, length: number): readonly [string, string, NftType] | undefined {
    if (length === 1 && offset === 13) {
      return ['tcp', 'flags', 'integer'];
    }
    return length === 2 && (offset === 0 || offset === 2)
      ? [this.#protocol ?? 'th', offset === 0 ? 'sport' : 'dport', 'inet_service']
      : undefined;
  }

  #meta(data: AttributeMap): void {
    const [key, type] = META.get(asBe32(data.get(2))) ?? [];
    if (key === undefined || type === undefined) {
      throw new NotDecoded('a meta key that is not interpreted');
    }
    const from = data.get(3);
    if (from === undefined) {
      this.#load(asBe32(data.get(1)), { expression: { meta: { key } }, type, words: NFT_TYPE_SIZES[type] > 4 ? 4 : 1 });
      return;
    }
    const { bytes, expression } = this.#at(asBe32(from));
    const constant = bytes && (type === 'classid' ? nftClassid(asU32(bytes)) : asU32(bytes));
    this.statements.push({ mangle: { key: { meta: { key } }, value: constant ?? expression } });
  }

  #ct(data: AttributeMap): void {
    if (data.has(4)) {
      throw new NotDecoded('a statement that changes a connection');
    }
    const [key, type] = CT.get(asBe32(data.get(2))) ?? [];
    if (key === undefined || type === undefined) {
      throw new NotDecoded('a ct key that is not interpreted');
    }
    const direction = data.get(3);
    const dir = direction === undefined ? {} : { dir: asU8(direction) === 0 ? 'original' : 'reply' };
    const words = Math.ceil(NFT_TYPE_SIZES[type] / 4);
    this.#load(asBe32(data.get(1)), { expression: { ct: { key, ...dir } }, type, words });
  }

  #fib(data: AttributeMap): void {
    const flags = asBe32(data.get(3));
    if (asBe32(data.get(2)) !== 3 || (flags !== 1 && flags !== 2)) {
      throw new NotDecoded('a fib lookup that is not interpreted');
    }
    const fib = { result: 'type', flags: [flags === 1 ? 'saddr' : 'daddr'] };
    this.#load(asBe32(data.get(1)), { expression: { fib }, type: 'fib_addrtype', words: 1 });
  }

  #hash(data: AttributeMap): void {
    if (asBe32(data.get(7)) !== 0) {
      throw new NotDecoded('a hash that is not interpreted');
    }
    const length = asBe32(data.get(3));
    const expr = this.#fields(asBe32(data.get(1)), (_count, words) => words * 4 >= length);
    const jhash = { expr, mod: asBe32(data.get(4)), offset: asBe32(data.get(6)) };
    this.#load(asBe32(data.get(2)), { expression: { jhash }, type: 'integer', words: 1 });
  }

  #bitwise(data: AttributeMap): void {
    const from = this.#at(asBe32(data.get(1)));
    const [mask, xor] = [dataOf(data.get(4)).bytes, dataOf(data.get(5)).bytes];
    if (asBe32(data.get(6)) !== 0 || mask === undefined || xor === undefined || from.mask !== undefined) {
      throw new NotDecoded('a calculation that is not interpreted');
    }
    const { expression, type } = from;
    const to = asBe32(data.get(2));
    if (type === 'mark' || type === 'classid' || (type === 'integer' && mask.length === 4)) {
      const [kept, flipped] = [asU32(mask), asU32(xor)];
      const masked = kept === 0xffff_ffff ? expression : { '&': [expression, kept] };
      const calculated =
        flipped === 0
          ? masked
          : (kept | flipped) >>> 0 === 0xffff_ffff && (kept & flipped) === 0
            ? { '|': [expression, flipped] }
            : { '^': [masked, flipped] };
      this.#load(to, { ...from, expression: calculated });
    } else if (xor.every((byte) => byte === 0)) {
      this.#load(to, { ...from, mask });
    } else {
      throw new NotDecoded('a calculation that is not interpreted');
    }
  }

  #compare(data: AttributeMap): void {
    const loaded = this.#at(asBe32(data.get(1)));
    const op = COMPARISONS[asBe32(data.get(2))];
    const { bytes } = dataOf(data.get(3));
    if (op === undefined || bytes === undefined) {
      throw new NotDecoded('a comparison that is not interpreted');
    }
    const { expression: left, type } = loaded;
    if (loaded.mask !== undefined && !type.startsWith('ipv')) {
      this.statements.push({ match: maskedMatch(loaded, loaded.mask, op, bytes) });
      return;
    }
    const right = comparedValue(loaded, bytes);
    this.statements.push({ match: { op, left, right } });
    if (op === '==' && type === 'inet_proto' && typeof right === 'string') {
      this.#protocol = PORTS_OF.has(right) ? right : undefined;
    }
  }

  #lookup(data: AttributeMap): void {
    const set = asText(data.get(1));
    const key = this.#key(asBe32(data.get(2)), set);
    const to = data.get(3);
    if (to === undefined) {
      const op = (asBe32(data.get(5)) & 1) === 0 ? '==' : '!=';
      this.statements.push({ match: { op, left: key, right: this.#content(set) } });
    } else if (ANONYMOUS.test(set)) {
      throw new NotDecoded('a map without a name');
    } else if (asBe32(to) === 0) {
      this.statements.push({ vmap: { key, data: `@${set}` } });
    } else {
      // The value may be an address with its port.
      this.#load(asBe32(to), {
        ...{ expression: { map: { key, data: `@${set}` } }, type: 'looked-up' },
        words: this.family === 'ip' ? 2 : 5,
      });
    }
  }

  #content(set: string): unknown {
    if (!ANONYMOUS.test(set)) {
      return `@${set}`;
    }
    const elements = this.sets.anonymousElements(set);
    if (elements === undefined) {
      throw new NotDecoded('a set without a name');
    }
    return { set: elements };
  }

  #immediate(data: AttributeMap): void {
    const { bytes, verdict } = dataOf(data.get(2));
    if (bytes !== undefined) {
      const words = Math.ceil(bytes.length / 4);
      this.#load(asBe32(data.get(1)), { expression: undefined, type: 'constant', bytes, words });
      return;
    }
    const name = VERDICTS.get(asBe32(verdict?.get(NFTA_VERDICT.code)) | 0);
    if (name === undefined) {
      throw new NotDecoded('a verdict that is not interpreted');
    }
    const chain = verdict?.get(NFTA_VERDICT.chain);
    this.statements.push({ [name]: chain === undefined ? null : { target: asText(chain) } });
  }

  #write(data: AttributeMap): void {
    const op = ['add', 'update', 'delete'][asBe32(data.get(3))];
    const set = asText(data.get(1));
    if (op === undefined || data.has(7) || data.has(10)) {
      throw new NotDecoded('a statement that adds elements, which is not interpreted');
    }
    const elem = this.#key(asBe32(data.get(4)), set);
    const from = data.get(5);
    this.statements.push(
      from === undefined
        ? { set: { op, elem, set: `@${set}` } }
        : { map: { op, elem, data: this.#at(asBe32(from)).expression, map: `@${set}` } },
    );
  }

  #object(data: AttributeMap): void {
    const map = data.get(4);
    if (map === undefined) {
      if (asBe32(data.get(1)) !== 1) {
        throw new NotDecoded('an object that is not interpreted');
      }
      this.statements.push({ counter: asText(data.get(2)) });
      return;
    }
    const name = asText(map);
    this.statements.push({ counter: { map: { key: this.#key(asBe32(data.get(3)), name), data: `@${name}` } } });
  }

  #translate(data: AttributeMap): void {
    if (asBe32(data.get(1)) !== 1) {
      this.statements.push({ snat: null });
      return;
    }
    const [address, port] = [data.get(3), data.get(5)];
    const to = address && this.#at(asBe32(address));
    if (to === undefined || differs(data, 3, 4) || differs(data, 5, 6)) {
      throw new NotDecoded('a translation to several addresses or ports');
    }
    const addr = to.bytes === undefined ? to.expression : addressText(to.bytes, this.family === 'ip' ? 'IPv4' : 'IPv6');
    const isFound = to.type === 'looked-up' && port !== undefined && this.#isPartOf(asBe32(address), to, asBe32(port));
    if (port === undefined || isFound) {
      this.statements.push({ dnat: { family: this.family, addr } });
      return;
    }
    const { bytes, expression } = this.#at(asBe32(port));
    this.statements.push({
      dnat: { family: this.family, addr, port: bytes === undefined ? expression : bytes.readUInt16BE() },
    });
  }

  #isPartOf(register: number, { words }: Loaded, part: number): boolean {
    return wordOf(part) > wordOf(register) && wordOf(part) < wordOf(register) + words;
  }
}

const PORTS_OF: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp']);

/** Whether a range has more than one value. */
function differs(data: AttributeMap, first: number, last: number): boolean {
  const end = data.get(last);
  return end !== undefined && asBe32(end) !== asBe32(data.get(first));
}

function dataOf(data: Buffer | undefined): { readonly bytes?: Buffer; readonly verdict?: AttributeMap } {
  const parts = data && attributeMap(data);
  const [bytes, verdict] = [parts?.get(NFTA_DATA.value), parts?.get(NFTA_DATA.verdict)];
  return {
    ...(bytes === undefined ? {} : { bytes: Buffer.from(bytes) }),
    ...(verdict === undefined ? {} : { verdict: attributeMap(verdict) }),
  };
}

/** A comparison of masked flags. */
function maskedMatch({ expression: left, type }: Loaded, mask: Buffer, op: string, bytes: Buffer): UnknownRecord {
  const isZero = bytes.every((byte) => byte === 0);
  const names = type === 'ct_state' ? CT_STATES : type === 'ct_status' ? CT_STATUSES : undefined;
  if (names !== undefined && isZero && (op === '==' || op === '!=')) {
    const bits = asU32(mask);
    const words = Object.entries(names).flatMap(([bit, word]) => ((bits & Number(bit)) === 0 ? [] : [word]));
    if (words.length > 0) {
      return { op: op === '!=' ? '==' : '!=', left, right: words.length === 1 ? words[0] : { set: words } };
    }
  }
  if (type === 'integer' && isZero && op === '==' && mask.length === 1 && mask[0] === SYN) {
    return { op: '!', left, right: 'syn' };
  }
  throw new NotDecoded('flags that are not interpreted');
}

function comparedValue({ type, mask }: Loaded, bytes: Buffer): unknown {
  switch (type) {
    case 'ipv4_addr':
    case 'ipv6_addr': {
      const size = NFT_TYPE_SIZES[type];
      const whole = Buffer.alloc(size);
      bytes.copy(whole);
      const addr = addressText(whole, type === 'ipv4_addr' ? 'IPv4' : 'IPv6');
      const len = mask === undefined ? bytes.length * 8 : prefixLength(mask);
      return len === size * 8 ? addr : { prefix: { addr, len } };
    }
    case 'inet_proto':
    case 'inet_service':
    case 'mark':
    case 'classid':
    case 'integer':
      if (bytes.length < NFT_TYPE_SIZES[type]) {
        break;
      }
      return readNftFields(bytes, [type]);
    case 'ct_state':
      return known(CT_STATES, asU32(bytes));
    case 'ct_dir':
      return asU8(bytes) === 0 ? 'original' : 'reply';
    case 'fib_addrtype':
      return known(ADDRESS_TYPES, asU32(bytes));
    case 'ifname': {
      const end = bytes.indexOf(0);
      const name = bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
      return end < 0 && bytes.length < NFT_TYPE_SIZES.ifname ? `${name}*` : name;
    }
  }
  throw new NotDecoded('a comparison that is not interpreted');
}

function known(names: Readonly<Record<number, string>>, value: number): string {
  const name = names[value];
  if (name === undefined) {
    throw new NotDecoded('a comparison that is not interpreted');
  }
  return name;
}

/** @throws NotDecoded when the mask is not a prefix. */
function prefixLength(mask: Buffer): number {
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const length = bits.indexOf('0');
  if (length >= 0 && bits.includes('1', length)) {
    throw new NotDecoded('a mask that is no prefix');
  }
  return length < 0 ? bits.length : length;
}
