import { isRecord, type UnknownRecord } from '@kube-proxier/core';
import { type Chance, chance, negated, UNKNOWN } from './chance.js';
import { bitsOf, isIn, prefixMask } from './ip-bits.js';
import { classNumber, componentOf, type NftElements } from './nft-elements.js';
import type { PathHost } from './path-host.js';
import type { Walker } from './walker.js';

/** One possible value of an expression. */
export interface NftOption {
  /**
   * Components joined by ` . `. Null when the packet lacks the field, or a map lacks the element: the rule does not
   * match. Undefined when the value is unknown.
   */
  readonly value: string | null | undefined;
  readonly probability: number;
  /** The map of the lookup, and the key. */
  readonly map?: string;
  readonly key?: string;
}

/** Values of an expression for a packet; their probabilities sum to 1. */
export type NftOptions = (walker: Walker) => readonly NftOption[];

const NOT_KNOWN: readonly NftOption[] = [{ value: undefined, probability: 1 }];
/** Result of `fib … oif` without such an interface. */
const NO_INTERFACE = '0';
/** A hash with more values is treated as a key, not as a selection. */
const MAX_CHOICES = 70_000;

export function toNumber(value: string): number | undefined {
  return classNumber(value);
}

/** Evaluates expressions of `nft -j list`. */
export class NftExpressions {
  constructor(
    private readonly host: PathHost,
    private readonly elements: NftElements,
  ) {}

  /** The flag names of a field; undefined for other expressions. */
  flags(left: unknown): ((walker: Walker) => readonly string[] | undefined) | undefined {
    if (!isRecord(left)) {
      return undefined;
    }
    if (isRecord(left.ct)) {
      switch (left.ct.key) {
        case 'state':
          return ({ untracked, isReply }) => (untracked ? ['untracked'] : isReply ? ['established'] : ['new']);
        case 'status':
          return ({ translatedBy, masqueradedBy, isBalanced }) => [
            ...(translatedBy === undefined || isBalanced ? [] : ['dnat']),
            ...(masqueradedBy === undefined ? [] : ['snat']),
          ];
        case 'direction':
          return ({ isReply }) => [isReply ? 'reply' : 'original'];
      }
    }
    return undefined;
  }

  options(expression: unknown): NftOptions {
    const constant = (value: string): NftOptions => {
      const only = [{ value, probability: 1 }];
      return () => only;
    };
    if (typeof expression === 'string' || typeof expression === 'number') {
      return constant(componentOf(expression));
    }
    if (!isRecord(expression)) {
      return () => NOT_KNOWN;
    }
    const [kind = ''] = Object.keys(expression);
    const inner = expression[kind];
    switch (kind) {
      case 'payload':
      case 'meta':
      case 'ct':
      case 'fib': {
        const read = this.#field(kind, isRecord(inner) ? inner : {});
        return (walker) => [{ value: read(walker), probability: 1 }];
      }
      case 'concat':
        return this.#concatenation(Array.isArray(inner) ? inner : []);
      case 'map':
        return this.#map(isRecord(inner) ? inner : {});
      case 'numgen':
        return this.#choice(isRecord(inner) ? inner : {});
      case 'jhash':
      case 'symhash':
        return this.#hash(isRecord(inner) ? inner : {});
      case '&':
      case '|':
      case '^':
      case '<<':
      case '>>':
        return this.#arithmetic(kind, Array.isArray(inner) ? inner : []);
      case 'elem':
        return isRecord(inner) ? this.options(inner.val) : () => NOT_KNOWN;
      default:
        return () => NOT_KNOWN;
    }
  }

  /** Whether `left op right` holds, where `left` has the given value. */
  comparison(op: string, left: unknown, right: unknown): (value: string, walker: Walker) => Chance {
    const not = op === '!=';
    const finish = (value: Chance): Chance => (not ? negated(value) : value);
    if (typeof right === 'string' && right.startsWith('@')) {
      const set = this.elements.setOf(right);
      return (value, walker) => (set === undefined ? UNKNOWN : finish(chance(set.find(value, walker) !== undefined)));
    }
    if (isRecord(right)) {
      if (Array.isArray(right.set)) {
        const set = this.elements.setOf(right);
        return (value, walker) => (set === undefined ? UNKNOWN : finish(chance(set.find(value, walker) !== undefined)));
      }
      if (isRecord(right.prefix)) {
        const { addr, len } = right.prefix;
        const base = bitsOf(String(addr));
        const mask = prefixMask(String(addr).includes(':') ? 128 : 32, Number(len));
        return (value) => {
          const bits = bitsOf(value);
          return base === undefined || bits === undefined
            ? UNKNOWN
            : finish(chance(isIn({ value: base & mask, mask }, bits)));
        };
      }
      if (Array.isArray(right.range)) {
        const [first, last] = right.range.map((end) => numeric(componentOf(end)));
        return (value) => {
          const bits = numeric(value);
          return first === undefined || last === undefined || bits === undefined
            ? UNKNOWN
            : finish(chance(bits >= first && bits <= last));
        };
      }
      const options = this.options(right);
      return (value, walker) => {
        const [only, more] = options(walker);
        return only?.value === undefined || only.value === null || more !== undefined
          ? UNKNOWN
          : compare(op, value, only.value);
      };
    }
    if (typeof right === 'boolean') {
      // `missing` and `exists`.
      return (value) => finish(chance((value !== NO_INTERFACE) === right));
    }
    if (typeof right !== 'string' && typeof right !== 'number') {
      return () => UNKNOWN;
    }
    const text = componentOf(right, this.#typeOf(left));
    return (value) => compare(op, value, text);
  }

  #typeOf(left: unknown): string | undefined {
    if (!isRecord(left)) {
      return undefined;
    }
    if (isRecord(left.meta)) {
      return left.meta.key === 'l4proto' ? 'inet_proto' : left.meta.key === 'priority' ? 'classid' : undefined;
    }
    return isRecord(left.payload) && (left.payload.field === 'protocol' || left.payload.field === 'nexthdr')
      ? 'inet_proto'
      : undefined;
  }

  #field(kind: string, fields: UnknownRecord): (walker: Walker) => string | null | undefined {
    switch (kind) {
      case 'payload':
        return payload(fields, this.host.facts.family === 'IPv4' ? 'ip' : 'ip6');
      case 'meta':
        return this.#meta(String(fields.key));
      case 'ct':
        return connection(fields);
      default:
        return this.#routing(fields);
    }
  }

  #meta(key: string): (walker: Walker) => string | null | undefined {
    const six = this.host.facts.family === 'IPv6';
    switch (key) {
      case 'l4proto':
        return ({ protocol }) => protocol;
      case 'protocol':
        return () => (six ? 'ip6' : 'ip');
      case 'nfproto':
        return () => (six ? 'ipv6' : 'ipv4');
      case 'mark':
        return ({ mark }) => String(mark);
      case 'priority':
        return ({ priority }) => String(priority);
      case 'iifname':
      case 'iif':
        return ({ inInterface }) => (inInterface === null ? '' : inInterface);
      case 'oifname':
      case 'oif':
        return ({ outInterface }) => (outInterface === null ? '' : outInterface);
      default:
        return () => undefined;
    }
  }

  #routing({ result, flags }: UnknownRecord): (walker: Walker) => string | null | undefined {
    const words = Array.isArray(flags) ? flags.map(String) : [String(flags)];
    if (result === 'oif' || result === 'oifname') {
      return this.#routedInterface(words);
    }
    if (result !== 'type' || words.length !== 1) {
      return () => undefined;
    }
    return ({ source, destination }) =>
      this.host.isLocal(words[0] === 'saddr' ? source : destination) ? 'local' : 'unicast';
  }

  /**
   * `fib saddr . iif oif`: the output interface of the route to an address, if it is the input interface of the packet.
   */
  #routedInterface(flags: readonly string[]): (walker: Walker) => string | undefined {
    const ofInput = flags.includes('iif');
    if (flags.includes('oif')) {
      return () => undefined;
    }
    const ofSource = flags.includes('saddr');
    return ({ source, destination, mark, inInterface }) => {
      if (ofInput && (inInterface === 'lo' || inInterface === undefined)) {
        return inInterface;
      }
      const found = this.host.interfaceOf({
        source: ofSource ? destination : source,
        destination: ofSource ? source : destination,
        mark: flags.includes('mark') ? mark : 0,
      });
      return found === undefined || (found !== null && found !== 'lo' && (!ofInput || found === inInterface))
        ? found
        : NO_INTERFACE;
    };
  }

  #concatenation(parts: readonly unknown[]): NftOptions {
    const all = parts.map((part) => this.options(part));
    return (walker) => {
      let found: readonly NftOption[] = [{ value: '', probability: 1 }];
      all.forEach((options, index) => {
        const next = options(walker);
        found = found.flatMap((left) =>
          next.map((right): NftOption => {
            const probability = left.probability * right.probability;
            return left.value === null || right.value === null
              ? { value: null, probability }
              : left.value === undefined || right.value === undefined
                ? { value: undefined, probability }
                : { value: index === 0 ? right.value : `${left.value} . ${right.value}`, probability };
          }),
        );
      });
      return found;
    };
  }

  #map({ key, data }: UnknownRecord): NftOptions {
    const keys = this.options(key);
    const map = this.elements.mapOf(data);
    const name = typeof data === 'string' ? data.replace(/^@/, '') : '';
    return (walker) =>
      keys(walker).map((option): NftOption => {
        const { value, probability } = option;
        if (value === undefined || map === undefined) {
          return { value: undefined, probability };
        }
        const found = value === null ? undefined : map.find(value, walker);
        return {
          value: found === undefined ? null : valueText(found),
          probability,
          map: name,
          ...(value === null ? {} : { key: value }),
        };
      });
  }

  #choice({ mod, offset }: UnknownRecord): NftOptions {
    return choices(Number(mod), Number(offset ?? 0));
  }

  #hash({ expr, mod, offset }: UnknownRecord): NftOptions {
    // Large numbers are printed as negative numbers.
    const count = Number(mod) >>> 0;
    if (count <= MAX_CHOICES) {
      // The value depends on the client's address: over all clients, each is equally probable.
      return choices(count, Number(offset ?? 0));
    }
    const inner = this.options(expr);
    return (walker) =>
      inner(walker).map(({ value, probability }) => ({
        value: value === undefined || value === null ? value : `hash(${value.replaceAll(' . ', ',')})`,
        probability,
      }));
  }

  #arithmetic(operator: string, [left, right]: readonly unknown[]): NftOptions {
    const lefts = this.options(left);
    const rights = this.options(right);
    return (walker) => {
      const [a, moreLeft] = lefts(walker);
      const [b, moreRight] = rights(walker);
      const x = typeof a?.value === 'string' ? toNumber(a.value) : undefined;
      const y = typeof b?.value === 'string' ? toNumber(b.value) : undefined;
      if (x === undefined || y === undefined || moreLeft !== undefined || moreRight !== undefined) {
        return NOT_KNOWN;
      }
      return [{ value: String(calculate(operator, x, y)), probability: 1 }];
    };
  }
}

function calculate(operator: string, x: number, y: number): number {
  switch (operator) {
    case '&':
      return (x & y) >>> 0;
    case '|':
      return (x | y) >>> 0;
    case '^':
      return (x ^ y) >>> 0;
    case '<<':
      return (x << y) >>> 0;
    default:
      return x >>> y;
  }
}

function choices(count: number, offset: number): NftOptions {
  if (!Number.isInteger(count) || count < 1 || count > MAX_CHOICES) {
    return () => NOT_KNOWN;
  }
  const all = Array.from({ length: count }, (_, index) => ({ value: String(offset + index), probability: 1 / count }));
  return () => all;
}

/** The data of a map element: `address . port`, a number, a name. */
function valueText(value: unknown): string {
  if (isRecord(value) && Array.isArray(value.concat)) {
    return value.concat.map((part) => componentOf(part)).join(' . ');
  }
  return componentOf(value);
}

function compare(op: string, value: string, text: string): Chance {
  switch (op) {
    case '==':
    case 'in':
      return chance(sameValue(value, text));
    case '!=':
      return chance(!sameValue(value, text));
    default: {
      const [x, y] = [numeric(value), numeric(text)];
      if (x === undefined || y === undefined) {
        return UNKNOWN;
      }
      return chance(op === '<' ? x < y : op === '>' ? x > y : op === '<=' ? x <= y : x >= y);
    }
  }
}

function sameValue(value: string, text: string): boolean {
  return value === text || (/^[\d:a-f]+$/i.test(text) && bitsOf(value) !== undefined && bitsOf(value) === bitsOf(text));
}

function numeric(text: string): bigint | undefined {
  return /^\d+$/.test(text) ? BigInt(text) : bitsOf(text);
}

function payload({ protocol, field }: UnknownRecord, ip: 'ip' | 'ip6'): (walker: Walker) => string | null | undefined {
  switch (protocol) {
    case 'ip':
    case 'ip6':
      if (protocol !== ip) {
        return () => null;
      }
      switch (field) {
        case 'saddr':
          return ({ source }) => source;
        case 'daddr':
          return ({ destination }) => destination;
        case 'protocol':
        case 'nexthdr':
          return ({ protocol: found }) => found;
        default:
          return () => undefined;
      }
    case 'th':
    case 'tcp':
    case 'udp':
    case 'sctp': {
      const read = (walker: Walker) =>
        field === 'dport' ? String(walker.port) : field === 'sport' ? String(walker.packet.sourcePort) : undefined;
      return (walker) => (protocol === 'th' || protocol === walker.protocol ? read(walker) : null);
    }
    case 'icmp':
    case 'icmpv6':
    case 'igmp':
    case 'esp':
    case 'ah':
    case 'dccp':
    case 'udplite':
    case 'arp':
      return () => null;
    default:
      return () => undefined;
  }
}

function connection({ key, dir }: UnknownRecord): (walker: Walker) => string | null | undefined {
  const original = dir === undefined || dir === 'original';
  switch (key) {
    case 'mark':
      return ({ connectionMark }) => String(connectionMark);
    case 'daddr':
    case 'ip daddr':
    case 'ip6 daddr':
      return (walker) => (original ? walker.originalDestination : undefined);
    case 'saddr':
    case 'ip saddr':
    case 'ip6 saddr':
      return (walker) => (original ? walker.packet.source : undefined);
    case 'proto-dst':
      return (walker) => (original ? String(walker.packet.port) : undefined);
    case 'proto-src':
      return (walker) => (original ? String(walker.packet.sourcePort) : undefined);
    case 'protocol':
      return ({ protocol }) => protocol;
    default:
      return () => undefined;
  }
}
