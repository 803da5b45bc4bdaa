import {
  type AttributeMap,
  align,
  asBe32,
  asText,
  attributeEnd,
  attributeMap,
  findAttribute,
} from '../../netlink/attributes.js';
import type { NftCounter } from '../nft-counter.js';
import type { NftElement } from '../nft-table.js';
import type { NftBaseChain } from '../nft-transaction.js';
import {
  NFT_DATA_VERDICT,
  NFT_ELEMENT_CATCH_ALL,
  NFT_HOOKS,
  NFT_MESSAGE_HEAD,
  NFT_POLICY_ACCEPT,
  NFT_SET_FLAGS,
  NFT_USER_DATA,
  NFT_VERDICTS,
  NFTA_CHAIN,
  NFTA_COUNTER,
  NFTA_DATA,
  NFTA_ELEMENT,
  NFTA_ELEMENTS,
  NFTA_HOOK,
  NFTA_OBJECT,
  NFTA_RULE,
  NFTA_SET,
  NFTA_SET_DESCRIPTION,
  NFTA_VERDICT,
} from './nf-tables.js';
import { nftRuleFingerprint } from './rule-fingerprint.js';
import { type NftElementTypes, nftTypesOfNumber } from './set-attributes.js';
import { CATCH_ALL, nftFieldsLength, readNftFields } from './value-bytes.js';

const HOOK_NAMES: ReadonlyMap<number, NftBaseChain['hook']> = new Map(
  Object.entries(NFT_HOOKS).map(([name, number]) => [number, name as NftBaseChain['hook']]),
);

/** A chain of a listing. */
export interface ReadChain {
  readonly name: string;
  readonly base: NftBaseChain | undefined;
  readonly dropsByPolicy?: true;
}

/** Attributes of a message of nf_tables. */
export function messageAttributes(payload: Buffer): AttributeMap {
  return attributeMap(payload.subarray(NFT_MESSAGE_HEAD));
}

export function readChain(attributes: AttributeMap): ReadChain {
  const hook = attributes.get(NFTA_CHAIN.hook);
  const parts = hook && attributeMap(hook);
  const name = parts && HOOK_NAMES.get(asBe32(parts.get(NFTA_HOOK.number)));
  return {
    name: asText(attributes.get(NFTA_CHAIN.name)),
    base: name && {
      type: asText(attributes.get(NFTA_CHAIN.type)) as NftBaseChain['type'],
      hook: name,
      priority: asBe32(parts?.get(NFTA_HOOK.priority)) | 0,
    },
    ...(name && asBe32(attributes.get(NFTA_CHAIN.policy)) !== NFT_POLICY_ACCEPT ? { dropsByPolicy: true } : {}),
  };
}

/** A rule of a listing. */
export interface ReadRule {
  readonly chain: string;
  readonly comment: string | undefined;
  readonly fingerprint: string;
}

export function readRule(attributes: AttributeMap): ReadRule {
  const data = attributes.get(NFTA_RULE.userData);
  let comment: string | undefined;
  for (let at = 0; data !== undefined && at + 2 <= data.length; at += 2 + (data[at + 1] ?? 0)) {
    if (data[at] === NFT_USER_DATA.rule.comment) {
      comment = data.toString('utf8', at + 2, at + 1 + (data[at + 1] ?? 0));
    }
  }
  const expressions = attributes.get(NFTA_RULE.expressions);
  return {
    ...{ chain: asText(attributes.get(NFTA_RULE.chain)), comment },
    fingerprint: expressions === undefined ? '' : nftRuleFingerprint(expressions),
  };
}

export function readCounter(attributes: AttributeMap): readonly [name: string, counter: NftCounter] {
  const data = attributes.get(NFTA_OBJECT.data);
  const parts = data && attributeMap(data);
  const number = (type: number) => {
    const value = parts?.get(type);
    return value === undefined || value.length < 8 ? 0 : Number(value.readBigUInt64BE());
  };
  const counter = { packets: number(NFTA_COUNTER.packets), bytes: number(NFTA_COUNTER.bytes) };
  return [asText(attributes.get(NFTA_OBJECT.name)), counter];
}

/** A set or map of a listing. */
export interface ReadSet {
  readonly name: string;
  readonly kind: 'set' | 'map';
  /** Whether it is an anonymous set of one rule. */
  readonly isAnonymous: boolean;
  readonly signature: string;
  /** Undefined when a type is not supported. */
  readonly types: NftElementTypes | undefined;
  /** Number of its elements; undefined when the kernel does not report it. */
  readonly count: number | undefined;
  /** Whether the kernel stores it as a hash table that only transactions change. */
  readonly isHash: boolean;
  /** Whether rules add elements. */
  readonly isDynamic: boolean;
}

export function readSet(attributes: AttributeMap): ReadSet {
  const flags = asBe32(attributes.get(NFTA_SET.flags));
  const has = (flag: keyof typeof NFT_SET_FLAGS) => (flags & NFT_SET_FLAGS[flag]) !== 0;
  const kind = has('map') || has('object') ? 'map' : 'set';
  const keyNumber = asBe32(attributes.get(NFTA_SET.keyType));
  const dataNumber = asBe32(attributes.get(NFTA_SET.dataType));
  const key = nftTypesOfNumber(keyNumber);
  const value = has('object')
    ? 'counter'
    : !has('map')
      ? undefined
      : dataNumber === NFT_DATA_VERDICT
        ? 'verdict'
        : (nftTypesOfNumber(dataNumber) ?? 'unknown');
  const description = attributes.get(NFTA_SET.description);
  const size = description && attributeMap(description).get(NFTA_SET_DESCRIPTION.size);
  const timeout = attributes.get(NFTA_SET.timeout);
  const count = attributes.get(NFTA_SET.count);
  const spell = (types: readonly string[] | undefined) => types?.join(' . ') ?? 'unknown';
  const data = value === undefined ? '' : ` : ${typeof value === 'string' ? value : spell(value)}`;
  return {
    ...{ name: asText(attributes.get(NFTA_SET.name)), kind, isAnonymous: has('anonymous') },
    signature: [
      `${kind} ${spell(key)}${data}`,
      ...(['constant', 'interval', 'timeout'] as const).filter(has),
      ...(size === undefined ? [] : [`size ${asBe32(size)}`]),
      ...(timeout === undefined || timeout.length < 8 ? [] : [`timeout ${seconds(timeout)}`]),
    ].join(', '),
    count: count === undefined ? undefined : asBe32(count),
    isHash: !(has('dynamic') || has('timeout') || has('interval')),
    isDynamic: has('dynamic'),
    types: key === undefined || value === 'unknown' ? undefined : { key, value, isInterval: has('interval') },
  };
}

const VERDICT_NAMES = new Map<number, string>(Object.entries(NFT_VERDICTS).map(([name, code]) => [code, name]));

/** Reads elements of dumps, by offset and without copies: there are hundreds of thousands. */
export class NftElementReader {
  readonly elements = new Map<string, NftElement>();
  #found: NftElement | undefined;
  readonly #keyLength: number;
  readonly #valueLength: number;
  /** Cached verdicts by their bytes: there are few. */
  readonly #verdicts = new Map<string, string>();

  constructor(private readonly types: NftElementTypes) {
    this.#keyLength = nftFieldsLength(types.key);
    this.#valueLength = typeof types.value === 'object' ? nftFieldsLength(types.value) : 0;
  }

  /** Reads one message into {@link elements}. */
  read(payload: Buffer): void {
    this.#read(payload, this.elements);
  }

  /** The last element of one message; undefined when it has none. */
  readOne(payload: Buffer): NftElement | undefined {
    this.#found = undefined;
    this.#read(payload, undefined);
    return this.#found;
  }

  #read(payload: Buffer, elements: Map<string, NftElement> | undefined): void {
    const list = findAttribute(payload, NFTA_ELEMENTS.elements, NFT_MESSAGE_HEAD, payload.length);
    const end = list < 0 ? 0 : attributeEnd(payload, list);
    for (let at = list + 4; at + 4 <= end; ) {
      const next = attributeEnd(payload, at);
      if (next < at + 4 || next > end) {
        return;
      }
      this.#element(payload, at + 4, next, elements);
      at = align(next - at) + at;
    }
  }

  #element(payload: Buffer, start: number, end: number, elements: Map<string, NftElement> | undefined): void {
    const { types } = this;
    const key = dataAt(payload, NFTA_ELEMENT.key, start, end, this.#keyLength);
    const flags = key < 0 ? findAttribute(payload, NFTA_ELEMENT.flags, start, end) : -1;
    if (key < 0 && (flags < 0 || payload.readUInt32BE(flags + 4) !== NFT_ELEMENT_CATCH_ALL)) {
      return;
    }
    const last = types.isInterval ? dataAt(payload, NFTA_ELEMENT.keyEnd, start, end, this.#keyLength) : -1;
    const value = this.#value(payload, start, end);
    const timeout = secondsAt(payload, NFTA_ELEMENT.timeout, start, end);
    const expires = secondsAt(payload, NFTA_ELEMENT.expiration, start, end);
    this.#found =
      timeout === undefined && expires === undefined
        ? { value }
        : {
            value,
            ...(timeout === undefined ? {} : { timeout }),
            ...(expires === undefined ? {} : { expires }),
          };
    if (elements !== undefined) {
      const text = key < 0 ? CATCH_ALL : readNftFields(payload, types.key, key, last < 0 ? undefined : last);
      elements.set(text, this.#found);
    }
  }

  #value(payload: Buffer, start: number, end: number): string | undefined {
    const { value: types } = this.types;
    if (types === undefined) {
      return undefined;
    }
    if (types === 'counter') {
      const at = findAttribute(payload, NFTA_ELEMENT.object, start, end);
      return at < 0 ? undefined : asText(payload.subarray(at + 4, attributeEnd(payload, at)));
    }
    if (types === 'verdict') {
      const at = findAttribute(payload, NFTA_ELEMENT.data, start, end);
      return at < 0 ? undefined : this.#verdict(payload.subarray(at + 4, attributeEnd(payload, at)));
    }
    const at = dataAt(payload, NFTA_ELEMENT.data, start, end, this.#valueLength);
    return at < 0 ? undefined : readNftFields(payload, types, at);
  }

  #verdict(data: Buffer): string {
    const bytes = data.toString('latin1');
    let text = this.#verdicts.get(bytes);
    if (text === undefined) {
      text = verdictText(data);
      this.#verdicts.set(bytes, text);
    }
    return text;
  }
}

/** The offset of a value in a data attribute; -1 when the attribute is too short. */
function dataAt(payload: Buffer, type: number, start: number, end: number, length: number): number {
  const outer = findAttribute(payload, type, start, end);
  if (outer < 0) {
    return -1;
  }
  const inner = findAttribute(payload, NFTA_DATA.value, outer + 4, attributeEnd(payload, outer));
  return inner < 0 || attributeEnd(payload, inner) < inner + 4 + length ? -1 : inner + 4;
}

function secondsAt(payload: Buffer, type: number, start: number, end: number): number | undefined {
  const at = findAttribute(payload, type, start, end);
  return at < 0 ? undefined : seconds(payload.subarray(at + 4));
}

function verdictText(data: Buffer): string {
  const verdict = attributeMap(data).get(NFTA_DATA.verdict);
  const parts = verdict && attributeMap(verdict);
  const code = asBe32(parts?.get(NFTA_VERDICT.code)) | 0;
  const name = VERDICT_NAMES.get(code) ?? `verdict ${code}`;
  const chain = parts?.get(NFTA_VERDICT.chain);
  return chain === undefined ? name : `${name} ${asText(chain)}`;
}

/** Decodes a number of milliseconds in network byte order. */
function seconds(value: Buffer): number {
  return Math.floor(Number(value.readBigUInt64BE()) / 1000);
}
