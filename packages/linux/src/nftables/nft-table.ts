import { isRecord, ProxierError, parseAddress, type UnknownRecord } from '@kube-proxier/core';
import type { NftCounter } from './nft-counter.js';
import type { NftBaseChain } from './nft-transaction.js';

/** An element of a set or map. */
export interface NftElement {
  /** The value in a map, in transaction syntax; undefined in a set. */
  readonly value: string | undefined;
  /** Timeout of the element in seconds; undefined without one. */
  readonly timeout?: number;
  /** Remaining seconds at the time of the listing. */
  readonly expires?: number;
}

/** A listed chain. */
export interface NftListedChain {
  readonly base: NftBaseChain | undefined;
  /** The policy is `drop`. Default false. */
  readonly dropsByPolicy?: boolean;
  /**
   * Comments of its rules, in order; undefined for rules without a comment. The text of a rule differs by nft version.
   */
  readonly rules: readonly (string | undefined)[];
  /** Fingerprints of the rules, for comparison with `expectedNftFingerprint`; undefined with the program. */
  readonly fingerprints?: readonly string[];
}

/** A listed set or map. */
export interface NftListedContainer {
  readonly kind: 'set' | 'map';
  /** For comparison with `nftContainerSignature`. */
  readonly signature: string;
  readonly elements: ReadonlyMap<string, NftElement>;
}

/** A listed table. */
export interface NftTable {
  /** The table is inactive (flag `dormant`). Default false. */
  readonly isDormant?: boolean;
  readonly counters: ReadonlyMap<string, NftCounter>;
  readonly chains: ReadonlyMap<string, NftListedChain>;
  readonly containers: ReadonlyMap<string, NftListedContainer>;
}

/** The output of nft could not be parsed. */
export class NftListingUnreadable extends ProxierError {
  constructor(what: string, options?: ErrorOptions) {
    super(
      'NFT_LISTING_UNREADABLE',
      `cannot read what "nft -j list" printed: ${what}; check that nft is version 1.0.6 or later`,
      options,
    );
  }
}

function record(value: unknown, what: string): UnknownRecord {
  if (!isRecord(value)) {
    throw new NftListingUnreadable(`${what} is no object`);
  }
  return value;
}

function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new NftListingUnreadable(`${what} is no list`);
  }
  return value;
}

/** The objects of a listing: `[kind, fields]`. */
export function parseNftObjects(text: string): readonly NftObject[] {
  return objectsOf(list(record(parseJson(text), 'the listing').nftables, '"nftables"'));
}

/** Between two rules of a listing. Quotes in a string are escaped, so no string contains this. */
const BEFORE_RULE = ', {"rule": {';
/** Number of characters that are parsed between two pauses. */
const SLICE = 20_000;
const BEGIN = /^\s*\{"nftables": \[/;

/** {@link parseNftObjects} that can pause. */
export function* parseNftObjectsInSlices(text: string): Generator<undefined, readonly NftObject[]> {
  const begin = BEGIN.exec(text)?.[0].length;
  const end = text.lastIndexOf(']');
  if (begin === undefined || text.length < SLICE || end < begin) {
    return parseNftObjects(text);
  }
  const objects: NftObject[] = [];
  for (let at = begin; at < end; ) {
    const next = text.indexOf(BEFORE_RULE, at + SLICE);
    const upTo = next < 0 ? end : next;
    objects.push(...objectsOf(list(parseJson(`[${text.slice(at, upTo)}]`), 'a part of "nftables"')));
    at = upTo + 1;
    yield;
  }
  return objects;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NftListingUnreadable('it is no JSON', { cause });
  }
}

function objectsOf(items: readonly unknown[]): readonly NftObject[] {
  return items.flatMap((item) =>
    Object.entries(record(item, 'an item')).map(([kind, fields]) => [kind, record(fields, kind)] as const),
  );
}

/** The entries of a listing: `[kind, fields]`. */
export type NftObject = readonly [kind: string, fields: UnknownRecord];

/** Parses the output of `nft -j list table`. */
export function parseNftTable(text: string): NftTable {
  return nftTableOf(parseNftObjects(text));
}

const CHAIN = /^\tchain (\S+) \{/;
const BASE = /^\t\ttype \S+ hook /;
const RULE = /^\t\t\S.*?(?: comment "([^"]*)")?$/;

/** Parses the rules in the output of `nft list table`, without `-j`: chain and comment of each, as objects. */
export function parseNftRules(text: string): readonly NftObject[] {
  let chain: string | undefined;
  return text.split('\n').flatMap((line): NftObject[] => {
    const name = CHAIN.exec(line)?.[1];
    chain = name ?? (line.startsWith('\t}') ? undefined : chain);
    const rule = name === undefined && chain !== undefined && !BASE.test(line) ? RULE.exec(line) : null;
    return rule === null ? [] : [['rule', { chain, comment: rule[1] }]];
  });
}

/** The table that contains these chains, rules, sets, maps and counters. */
export function nftTableOf(objects: readonly NftObject[]): NftTable {
  const chains = new Map<string, NftListedChain & { readonly rules: (string | undefined)[] }>();
  const containers = new Map<string, NftListedContainer>();
  const counters = new Map<string, NftCounter>();
  let isDormant = false;
  for (const [kind, fields] of objects) {
    const name = String(fields.name);
    if (kind === 'table') {
      isDormant = isDormantBy(fields.flags);
    } else if (kind === 'chain') {
      const dropsByPolicy = fields.policy === 'drop';
      chains.set(name, { base: baseOf(fields), rules: [], ...(dropsByPolicy ? { dropsByPolicy } : {}) });
    } else if (kind === 'rule') {
      const comment = typeof fields.comment === 'string' ? fields.comment : undefined;
      chains.get(String(fields.chain))?.rules.push(comment);
    } else if (kind === 'counter') {
      counters.set(name, counterOf(fields));
    } else if (kind === 'set' || kind === 'map') {
      containers.set(name, {
        kind,
        signature: signatureOf(kind, fields),
        elements: parseNftElements(fields),
      });
    }
  }
  return { chains, containers, counters, ...(isDormant ? { isDormant } : {}) };
}

/** A single flag is printed as a string; nft 1.0.6 prints an invalid one. */
function isDormantBy(flags: unknown): boolean {
  return Array.isArray(flags)
    ? flags.includes('dormant')
    : flags !== undefined && flags !== 'owner' && flags !== 'persist';
}

/** Parses a listed counter. */
export function counterOf({ packets, bytes }: UnknownRecord): NftCounter {
  return { packets: Number(packets), bytes: Number(bytes) };
}

function baseOf({ type, hook, prio }: UnknownRecord): NftBaseChain | undefined {
  return typeof hook === 'string'
    ? { type: type as NftBaseChain['type'], hook: hook as NftBaseChain['hook'], priority: Number(prio) }
    : undefined;
}

function signatureOf(kind: 'set' | 'map', { type, map, flags, size, timeout }: UnknownRecord): string {
  const data = kind === 'set' ? '' : ` : ${Array.isArray(map) ? map.join(' . ') : String(map)}`;
  const listed = (Array.isArray(flags) ? flags.map(String) : []).filter((flag) => flag !== 'dynamic').sort();
  return [
    `${kind} ${Array.isArray(type) ? type.join(' . ') : String(type)}${data}`,
    ...listed,
    ...(size === undefined ? [] : [`size ${String(size)}`]),
    ...(timeout === undefined ? [] : [`timeout ${String(timeout)}`]),
  ].join(', ');
}

/** The elements of a set or map, from its fields. */
export function parseNftElements({ elem, map }: UnknownRecord): ReadonlyMap<string, NftElement> {
  const elements = new Map<string, NftElement>();
  for (const item of elem === undefined ? [] : list(elem, '"elem"')) {
    const [key, value] = map === undefined ? [item, undefined] : list(item, 'an element');
    const lifetime = lifetimeOf(key);
    elements.set(spell(lifetime ? lifetime.val : key), {
      value: value === undefined ? undefined : spell(value),
      ...(lifetime && typeof lifetime.timeout === 'number' ? { timeout: lifetime.timeout } : {}),
      ...(lifetime && typeof lifetime.expires === 'number' ? { expires: lifetime.expires } : {}),
    });
  }
  return elements;
}

function lifetimeOf(key: unknown): UnknownRecord | undefined {
  return typeof key === 'object' && key !== null && 'elem' in key ? record(key.elem, '"elem"') : undefined;
}

/** A key or value in the syntax of a transaction. */
function spell(value: unknown): string {
  if (typeof value === 'number') {
    return String(value);
  }
  if (typeof value === 'string') {
    // The C library prints the last bits of some IPv6 addresses in IPv4 notation.
    return value.includes(':') && value.includes('.') ? (parseAddress(value)?.text ?? value) : value;
  }
  const parts = record(value, 'an element');
  if (Array.isArray(parts.concat)) {
    return parts.concat.map(spell).join(' . ');
  }
  if (parts.prefix !== undefined) {
    const { addr, len } = record(parts.prefix, '"prefix"');
    return `${spell(addr)}/${String(len)}`;
  }
  if (Array.isArray(parts.range)) {
    return parts.range.map(spell).join('-');
  }
  for (const verdict of ['goto', 'jump']) {
    if (parts[verdict] !== undefined) {
      return `${verdict} ${String(record(parts[verdict], `"${verdict}"`).target)}`;
    }
  }
  const [verdict] = Object.keys(parts);
  if (verdict !== undefined && parts[verdict] === null) {
    return verdict;
  }
  throw new NftListingUnreadable(`an element is ${JSON.stringify(value)}`);
}
