import {
  type AttributeMap,
  asBe32,
  asText,
  attributeEnd,
  attributeMap,
  findAttribute,
  readAttributes,
} from '../../netlink/attributes.js';
import type { NftCounter, NftElement } from '../nft-table.js';
import type { NftBaseChain } from '../nft-transaction.js';
import {
  NFT_DATA_VERDICT,
  NFT_HOOKS,
  NFT_SET_FLAGS,
  NFT_USER_DATA,
  NFT_VERDICTS,
  NFTA_CHAIN,
  NFTA_COUNTER,
  NFTA_DATA,
  NFTA_ELEMENT,
  NFTA_ELEMENTS,
  NFTA_HOOK,
  NFTA_LIST_ELEMENT,
  NFTA_OBJECT,
  NFTA_RULE,
  NFTA_SET,
  NFTA_SET_DESCRIPTION,
  NFTA_VERDICT,
} from './nf-tables.js';
import { type NftElementTypes, nftTypesOfNumber } from './set-attributes.js';
import { nftFieldsLength, readNftFields } from './value-bytes.js';

/** Bytes of the structure that messages of nf_tables begin with. */
export const NFT_MESSAGE_HEAD = 4;

const HOOK_NAMES: ReadonlyMap<number, NftBaseChain['hook']> = new Map(
  Object.entries(NFT_HOOKS).map(([name, number]) => [number, name as NftBaseChain['hook']]),
);

/** A chain of a listing. */
export interface ReadChain {
  readonly name: string;
  readonly base: NftBaseChain | undefined;
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
  };
}

/** Chain and comment of a rule. */
export function readRule(attributes: AttributeMap): { readonly chain: string; readonly comment: string | undefined } {
  const data = attributes.get(NFTA_RULE.userData);
  let comment: string | undefined;
  for (let at = 0; data !== undefined && at + 2 <= data.length; at += 2 + (data[at + 1] ?? 0)) {
    if (data[at] === NFT_USER_DATA.rule.comment) {
      comment = data.toString('utf8', at + 2, at + 1 + (data[at + 1] ?? 0));
    }
  }
  return { chain: asText(attributes.get(NFTA_RULE.chain)), comment };
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
  /** It belongs to one rule. */
  readonly isAnonymous: boolean;
  readonly signature: string;
  /** Undefined where a type is not known here. */
  readonly types: NftElementTypes | undefined;
  /** Number of its elements; undefined where the kernel does not say, and where packets write it. */
  readonly count: number | undefined;
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
    count: count === undefined || has('dynamic') || has('timeout') || has('interval') ? undefined : asBe32(count),
    types: key === undefined || value === 'unknown' ? undefined : { key, value, isInterval: has('interval') },
  };
}

const VERDICT_NAMES = new Map<number, string>(Object.entries(NFT_VERDICTS).map(([name, code]) => [code, name]));

/** Reads the elements of one message of a list into a map. */
export function readElements(payload: Buffer, types: NftElementTypes, into: Map<string, NftElement>): void {
  const list = findAttribute(payload, NFTA_ELEMENTS.elements, NFT_MESSAGE_HEAD, payload.length);
  if (list < 0) {
    return;
  }
  const keyLength = nftFieldsLength(types.key);
  for (const [type, element] of readAttributes(payload.subarray(list + 4, attributeEnd(payload, list)))) {
    if (type !== NFTA_LIST_ELEMENT) {
      continue;
    }
    const first = dataOf(element, NFTA_ELEMENT.key);
    if (first === undefined || first.length < keyLength) {
      continue;
    }
    const last = types.isInterval ? dataOf(element, NFTA_ELEMENT.keyEnd) : undefined;
    const [timeout, expires] = [NFTA_ELEMENT.timeout, NFTA_ELEMENT.expiration].map((lifetime) => {
      const at = findAttribute(element, lifetime, 0, element.length);
      return at < 0 ? undefined : seconds(element.subarray(at + 4));
    });
    into.set(readNftFields(first, types.key, last), {
      value: elementValue(element, types.value),
      ...(timeout === undefined ? {} : { timeout }),
      ...(expires === undefined ? {} : { expires }),
    });
  }
}

/** The bytes of a value in an attribute with data. */
function dataOf(element: Buffer, type: number): Buffer | undefined {
  const outer = findAttribute(element, type, 0, element.length);
  if (outer < 0) {
    return undefined;
  }
  const end = attributeEnd(element, outer);
  const inner = findAttribute(element, NFTA_DATA.value, outer + 4, end);
  return inner < 0 ? undefined : element.subarray(inner + 4, attributeEnd(element, inner));
}

function elementValue(element: Buffer, types: NftElementTypes['value']): string | undefined {
  if (types === undefined) {
    return undefined;
  }
  if (types === 'counter') {
    const at = findAttribute(element, NFTA_ELEMENT.object, 0, element.length);
    return at < 0 ? undefined : asText(element.subarray(at + 4, attributeEnd(element, at)));
  }
  if (types === 'verdict') {
    const data = attributeMap(element).get(NFTA_ELEMENT.data);
    const verdict = data && attributeMap(data).get(NFTA_DATA.verdict);
    const parts = verdict && attributeMap(verdict);
    const code = asBe32(parts?.get(NFTA_VERDICT.code)) | 0;
    const name = VERDICT_NAMES.get(code) ?? `verdict ${code}`;
    const chain = parts?.get(NFTA_VERDICT.chain);
    return chain === undefined ? name : `${name} ${asText(chain)}`;
  }
  const bytes = dataOf(element, NFTA_ELEMENT.data);
  return bytes === undefined || bytes.length < nftFieldsLength(types) ? undefined : readNftFields(bytes, types);
}

/** Of a number of milliseconds in network byte order. */
function seconds(value: Buffer): number {
  return Math.floor(Number(value.readBigUInt64BE()) / 1000);
}
