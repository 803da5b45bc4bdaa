import { isRecord, parseAddress, type UnknownRecord } from '@kube-proxier/core';
import type { ReadSet } from '../nftables/netlink/read-table.js';
import type { NftElement, NftObject } from '../nftables/nft-table.js';
import { nftClassid } from '../nftables/rules/render-rule.js';
import { bitsOf, prefixMask } from './ip-bits.js';
import { parseNftElement } from './nft-rule-text.js';
import type { Walker } from './walker.js';

/** The contents of a set or map, for lookups. */
export interface NftLookup<Value> {
  /** @param key components joined by ` . `. */
  find(key: string, walker: Walker): Value | undefined;
}

const PROTOCOL_NAMES: Readonly<Record<string, string>> = { '6': 'tcp', '17': 'udp', '132': 'sctp' };

/** A scalar as a component of a key. */
export function componentOf(value: unknown, type?: string): string {
  if (type === 'classid' || type === 'mark') {
    return String(classNumber(value) ?? value);
  }
  const text = String(value);
  if (type === 'inet_proto') {
    return PROTOCOL_NAMES[text] ?? text;
  }
  // The C library prints the last bits of some IPv6 addresses in IPv4 notation.
  return text.includes(':') && text.includes('.') ? (parseAddress(text)?.text ?? text) : text;
}

/** The number of `1:2` (hexadecimal), `none`, `root` or a number. */
export function classNumber(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  const text = String(value);
  if (text === 'none') {
    return 0;
  }
  if (text === 'root') {
    return 0xffffffff;
  }
  const [, major = '', minor = ''] = /^([0-9a-f]{0,4}):([0-9a-f]{0,4})$/i.exec(text) ?? [];
  if (text.includes(':') && (major !== '' || minor !== '')) {
    return ((Number.parseInt(major || '0', 16) << 16) | Number.parseInt(minor || '0', 16)) >>> 0;
  }
  const number = Number(text);
  return text === '' || Number.isNaN(number) ? undefined : number;
}

/** A value of a listing as nft would print it. */
export function textOfValue(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(textOfValue).join(', ');
  }
  if (!isRecord(value)) {
    return String(value);
  }
  const [kind = ''] = Object.keys(value);
  const inner = value[kind];
  if (kind === 'concat' && Array.isArray(inner)) {
    return inner.map(textOfValue).join(' . ');
  }
  if (kind === 'set') {
    return `{ ${textOfValue(inner)} }`;
  }
  if (Array.isArray(inner)) {
    return inner.map(textOfValue).join(kind === 'range' ? '-' : ` ${kind} `);
  }
  if (!isRecord(inner)) {
    return kind;
  }
  switch (kind) {
    case 'payload':
      return `${String(inner.protocol)} ${String(inner.field)}`;
    case 'meta':
    case 'ct':
      return `${kind} ${inner.dir === undefined ? '' : `${String(inner.dir)} `}${String(inner.key)}`;
    case 'fib':
      return `fib ${textOfValue(inner.flags)} ${String(inner.result)}`;
    case 'prefix':
      return `${String(inner.addr)}/${String(inner.len)}`;
    case 'map':
      return `${textOfValue(inner.key)} map ${textOfValue(inner.data)}`;
    case 'numgen':
      return `numgen ${String(inner.mode)} mod ${Number(inner.mod) >>> 0}`;
    case 'jhash':
      return `jhash ${textOfValue(inner.expr)} mod ${Number(inner.mod) >>> 0}`;
    case 'jump':
    case 'goto':
      return `${kind} ${String(inner.target)}`;
    case 'elem':
      return textOfValue(inner.val);
    default:
      return kind;
  }
}

/** A key in transaction syntax, with numeric classids. */
function withClasses(key: string, types: readonly string[]): string {
  return key
    .split(' . ')
    .map((part, index) => (types[index] === 'classid' && /^\d+$/.test(part) ? nftClassid(Number(part)) : part))
    .join(' . ');
}

interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** A component of an element: exact text, or an interval. */
type Component = string | Interval;

function componentsOf(key: unknown, types: readonly string[]): readonly Component[] | undefined {
  const plain = isRecord(key) && isRecord(key.elem) ? key.elem.val : key;
  const parts = isRecord(plain) && Array.isArray(plain.concat) ? plain.concat : [plain];
  const components = parts.map((part, index): Component | undefined => {
    if (!isRecord(part)) {
      return part === '*' ? { first: 0n, last: (1n << 128n) - 1n } : componentOf(part, types[index]);
    }
    if (isRecord(part.prefix)) {
      const base = bitsOf(String(part.prefix.addr));
      if (base === undefined) {
        return undefined;
      }
      const width = String(part.prefix.addr).includes(':') ? 128 : 32;
      const mask = prefixMask(width, Number(part.prefix.len));
      return { first: base & mask, last: (base & mask) | ((1n << BigInt(width)) - 1n - mask) };
    }
    if (Array.isArray(part.range)) {
      const [first, last] = part.range.map((end) => numericBits(componentOf(end, types[index])));
      return first === undefined || last === undefined ? undefined : { first, last };
    }
    return undefined;
  });
  return components.every((component): component is Component => component !== undefined) ? components : undefined;
}

function numericBits(text: string): bigint | undefined {
  return /^\d+$/.test(text) ? BigInt(text) : bitsOf(text);
}

/** Elements by their exact components, then by intervals. */
class ElementIndex<Value> implements NftLookup<Value> {
  readonly #exact = new Map<string, Value>();
  /** By interval components: lists by the text of the exact components. */
  readonly #shapes = new Map<
    string,
    {
      readonly intervals: readonly number[];
      readonly lists: Map<string, { intervals: readonly Interval[]; value: Value }[]>;
      sorted: boolean;
    }
  >();

  add(components: readonly Component[], value: Value): void {
    const at = components.flatMap((component, index) => (typeof component === 'string' ? [] : [index]));
    if (at.length === 0) {
      this.#exact.set(components.join(' . '), value);
      return;
    }
    const shape = at.join(',');
    const found = this.#shapes.get(shape) ?? { intervals: at, lists: new Map(), sorted: false };
    this.#shapes.set(shape, found);
    const rest = components.filter((component) => typeof component === 'string').join(' . ');
    const list = found.lists.get(rest) ?? [];
    list.push({ intervals: components.filter((component) => typeof component !== 'string'), value });
    found.lists.set(rest, list);
  }

  find(key: string): Value | undefined {
    const exact = this.#exact.get(key);
    if (exact !== undefined || this.#shapes.size === 0) {
      return exact;
    }
    const parts = key.split(' . ');
    for (const shape of this.#shapes.values()) {
      const rest = parts.filter((_part, index) => !shape.intervals.includes(index)).join(' . ');
      const list = shape.lists.get(rest);
      if (list === undefined) {
        continue;
      }
      const bits = shape.intervals.map((index) => numericBits(parts[index] ?? ''));
      const isHit = ({ intervals }: { readonly intervals: readonly Interval[] }) =>
        intervals.every(({ first, last }, index) => {
          const value = bits[index];
          return value !== undefined && value >= first && value <= last;
        });
      if (shape.intervals.length === 1 && list.length > 16) {
        const hit = this.#search(shape, list, bits[0] ?? -1n);
        if (hit !== undefined && isHit(hit)) {
          return hit.value;
        }
        continue;
      }
      const hit = list.find(isHit);
      if (hit !== undefined) {
        return hit.value;
      }
    }
    return undefined;
  }

  /**
   * Intervals of one component never overlap: the last one that starts at or before the value is the only candidate.
   */
  #search(
    shape: {
      readonly lists: Map<string, { intervals: readonly Interval[]; value: Value }[]>;
      sorted: boolean;
    },
    list: { readonly intervals: readonly Interval[]; readonly value: Value }[],
    bits: bigint,
  ): { readonly intervals: readonly Interval[]; readonly value: Value } | undefined {
    if (!shape.sorted) {
      for (const one of shape.lists.values()) {
        one.sort((a, b) => ((a.intervals[0]?.first ?? 0n) < (b.intervals[0]?.first ?? 0n) ? -1 : 1));
      }
      shape.sorted = true;
    }
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle]?.intervals[0]?.first ?? 0n) <= bits) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return list[low - 1];
  }
}

/** Looks up elements in the kernel, on demand. */
export interface LiveElements {
  /** Metadata of a set or map; undefined when it does not exist. */
  set(name: string): Pick<ReadSet, 'types' | 'isDynamic'> | undefined;
  /** Whether elements of this set or map can be looked up. */
  canFind(name: string): boolean;
  /** @param key in transaction syntax. */
  find(name: string, key: string): NftElement | undefined;
}

/** Metadata of a set or map. */
interface DeclaredSet {
  /** Types of the key components. */
  readonly types: readonly string[];
  /** Type of the values of a map with one component. */
  readonly dataType: string | undefined;
  /** Undefined when they are looked up on demand. */
  readonly elements: readonly unknown[] | undefined;
  /** Whether rules add elements. */
  readonly isWritten: boolean;
}

function inKernel(
  name: string,
  live: LiveElements,
  types: readonly string[],
  isMap: boolean,
  dataType: string | undefined,
): NftLookup<unknown> {
  const hasClasses = types.includes('classid');
  const isNumber = dataType === 'classid' || dataType === 'mark';
  return {
    find: (key) => {
      const found = live.find(name, hasClasses ? withClasses(key, types) : key);
      if (found === undefined || !isMap) {
        return found && true;
      }
      const value = parseNftElement(found.value ?? '', dataType === 'verdict');
      return isNumber ? (classNumber(value) ?? value) : value;
    },
  };
}

/** The sets and maps of one table, and anonymous ones in rules. */
export class NftElements {
  readonly #listed = new Map<string, UnknownRecord>();
  readonly #indexes = new Map<string, NftLookup<unknown> | undefined>();

  constructor(
    objects: readonly NftObject[],
    /** Sets to which rules add elements. */
    private readonly written: ReadonlySet<string>,
    /** Whether the table is the backend's: dynamic elements added by earlier packets are then ignored. */
    private readonly isOwned: () => boolean,
    /** Lookup of sets and maps that are not listed. Default: all are listed. */
    private readonly live?: LiveElements,
  ) {
    for (const [kind, fields] of objects) {
      if (kind === 'set' || kind === 'map') {
        this.#listed.set(String(fields.name), fields);
      }
    }
  }

  /** The set that an expression names or contains; undefined when unknown. */
  setOf(right: unknown): NftLookup<unknown> | undefined {
    return this.#lookup(right, false);
  }

  /** The map that an expression names or contains; undefined when unknown. */
  mapOf(data: unknown): NftLookup<unknown> | undefined {
    return this.#lookup(data, true);
  }

  #lookup(what: unknown, isMap: boolean): NftLookup<unknown> | undefined {
    if (typeof what === 'string' && what.startsWith('@')) {
      const name = what.slice(1);
      let index = this.#indexes.get(name);
      if (index === undefined) {
        const declared = this.#declared(name);
        index = declared && this.#named(name, declared, isMap);
        this.#indexes.set(name, index);
      }
      return index;
    }
    return isRecord(what) && Array.isArray(what.set) ? this.#index(what.set, [], isMap, undefined) : undefined;
  }

  #declared(name: string): DeclaredSet | undefined {
    const fields = this.#listed.get(name);
    if (fields !== undefined) {
      const { elem, map, type } = fields;
      return {
        types: Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)],
        dataType: typeof map === 'string' ? map : undefined,
        elements: Array.isArray(elem) ? elem : [],
        isWritten: this.written.has(name),
      };
    }
    const { isDynamic = false, types } = this.live?.set(name) ?? {};
    const value = typeof types?.value === 'object' && types.value.length === 1 ? types.value[0] : types?.value;
    return (
      types && {
        types: types.key,
        dataType: typeof value === 'string' ? value : undefined,
        elements: undefined,
        isWritten: isDynamic,
      }
    );
  }

  #named(
    name: string,
    { dataType, elements, isWritten, types }: DeclaredSet,
    isMap: boolean,
  ): NftLookup<unknown> | undefined {
    const isEmpty = isWritten && this.isOwned();
    const stored =
      !isEmpty && elements === undefined
        ? this.live?.canFind(name) === true
          ? inKernel(name, this.live, types, isMap, dataType)
          : undefined
        : this.#index(isEmpty ? [] : (elements ?? []), types, isMap, dataType);
    if (stored === undefined || !isWritten) {
      return stored;
    }
    return {
      find: (key, walker) => {
        const own = walker.written?.get(name)?.get(key);
        return own === null ? undefined : (own ?? stored.find(key, walker));
      },
    };
  }

  #index(
    elements: readonly unknown[],
    types: readonly string[],
    isMap: boolean,
    dataType: string | undefined,
  ): NftLookup<unknown> | undefined {
    const index = new ElementIndex<unknown>();
    for (const element of elements) {
      const [key, value] = isMap && Array.isArray(element) ? element : [element, true];
      const components = componentsOf(key, types);
      if (components === undefined) {
        return undefined;
      }
      index.add(components, dataType === 'classid' || dataType === 'mark' ? (classNumber(value) ?? value) : value);
    }
    return index;
  }
}
