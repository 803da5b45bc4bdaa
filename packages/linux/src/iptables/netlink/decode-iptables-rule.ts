import type { IPFamily } from '@kube-proxier/core';
import { type AttributeMap, asBe32, asText, asU32, attributeMap, readAttributes } from '../../netlink/attributes.js';
import { addressText } from '../../netlink/ip-bytes.js';
import { NFT_VERDICTS, NFTA_DATA, NFTA_EXPRESSION, NFTA_VERDICT } from '../../nftables/netlink/nf-tables.js';
import {
  appendTransport,
  decodeExtension,
  markText,
  type PortRange,
  prefixOf,
  type TransportConditions,
} from './decode-extension.js';

/** In the text of a rule: the option for a match or target whose options are not decoded. */
export const NOT_DECODED = '--not-decoded';

/** A rule of xtables-nft as decoded. */
export interface DecodedIptablesRule {
  /**
   * As `iptables-save` prints it, without `-A CHAIN `. Options of extensions that are not decoded are replaced by
   * {@link NOT_DECODED}.
   */
  readonly text: string;
  /** The chain of its jump or goto. */
  readonly jump?: string;
  /** Names of matches and targets that are not decoded. */
  readonly notDecoded: readonly string[];
  /** It has expressions that iptables does not write, so the text says nothing about it. Default false. */
  readonly isForeignToIptables?: true;
}

/** Thrown within this file for an expression that iptables does not write. */
class ExpressionNotDecoded extends Error {}

const NOT_OF_IPTABLES: DecodedIptablesRule = {
  text: `-m nft ${NOT_DECODED} -j NFT ${NOT_DECODED}`,
  notDecoded: ['nft'],
  isForeignToIptables: true,
};

/** Decodes a rule as the kernel lists it (`NFTA_RULE_EXPRESSIONS`), in a table of iptables-nft. */
export function decodeIptablesRule(expressions: Buffer, family: IPFamily): DecodedIptablesRule {
  const decoder = new RuleDecoder(family);
  try {
    for (const [, expression] of readAttributes(expressions)) {
      const parts = attributeMap(expression);
      decoder.add(asText(parts.get(NFTA_EXPRESSION.name)), attributeMap(parts.get(NFTA_EXPRESSION.data) ?? NO_BYTES));
    }
    return decoder.rule;
  } catch (error) {
    if (error instanceof ExpressionNotDecoded) {
      return NOT_OF_IPTABLES;
    }
    throw error;
  }
}

const NO_BYTES = Buffer.alloc(0);
const WORDS_OF_REGISTER = 4;
const FIRST_WORD_REGISTER = 8;

/** The 32-bit word at which a register begins. */
function wordOf(register: number): number {
  return register < FIRST_WORD_REGISTER ? (register - 1) * WORDS_OF_REGISTER : register - FIRST_WORD_REGISTER;
}

type Field =
  | 'source'
  | 'destination'
  | 'protocol'
  | 'sourcePort'
  | 'destinationPort'
  | 'bothPorts'
  | 'tcpFlags'
  | 'inInterface'
  | 'outInterface'
  | 'mark'
  | 'fragment';

interface Loaded {
  readonly field: Field;
  /** In bytes. */
  readonly length: number;
  readonly mask?: Buffer;
}

const META: ReadonlyMap<number, Field> = new Map([
  [3, 'mark'],
  [6, 'inInterface'],
  [7, 'outInterface'],
  [16, 'protocol'],
]);

/** Offset and length of fields of the headers. */
const NETWORK: Readonly<Record<IPFamily, ReadonlyMap<number, Field>>> = {
  IPv4: new Map([
    [6, 'fragment'],
    [9, 'protocol'],
    [12, 'source'],
    [16, 'destination'],
  ]),
  IPv6: new Map([
    [6, 'protocol'],
    [8, 'source'],
    [24, 'destination'],
  ]),
};
const FIELD_LENGTHS: Readonly<Partial<Record<Field, number>>> = {
  ...{ fragment: 2, protocol: 1, sourcePort: 2, destinationPort: 2, bothPorts: 4 },
  tcpFlags: 1,
};
const TRANSPORT: ReadonlyMap<number, Field> = new Map([
  [0, 'sourcePort'],
  [2, 'destinationPort'],
  [13, 'tcpFlags'],
]);
const FRAGMENT_MASK = Buffer.of(0x1f, 0xff);

/** As iptables-save prints them without the file /etc/protocols. */
const PROTOCOLS: Readonly<Record<number, string>> = {
  ...{ 1: 'icmp', 6: 'tcp', 17: 'udp', 50: 'esp', 51: 'ah', 58: 'ipv6-icmp', 132: 'sctp', 135: 'ipv6-mh' },
  136: 'udplite',
};

const [EQUAL, NOT_EQUAL, LESS, AT_MOST, GREATER, AT_LEAST] = [0, 1, 2, 3, 4, 5] as const;
const MAX_PORT = 0xffff;
/** The name that no interface has: `! -i +` matches nothing. */
const NO_INTERFACE = 'INVAL/D';

class RuleDecoder {
  readonly #loaded = new Map<number, Loaded>();
  /** Options before the first match, by their place in the output. */
  readonly #conditions = new Map<'-s' | '-d' | '-i' | '-o' | '-p' | '-f', readonly string[]>();
  readonly #matches: (readonly string[] | 'transport')[] = [];
  readonly #notDecoded: string[] = [];
  #transport: TransportConditions = {};
  #protocol: number | undefined;
  #target: readonly string[] | undefined;
  #jump: string | undefined;

  constructor(private readonly family: IPFamily) {}

  get rule(): DecodedIptablesRule {
    const words: string[] = [];
    for (const flag of ['-s', '-d', '-i', '-o', '-p', '-f'] as const) {
      words.push(...(this.#conditions.get(flag) ?? []));
    }
    for (const match of this.#matches) {
      if (match !== 'transport') {
        words.push(...match);
        continue;
      }
      words.push('-m', this.#protocol === 6 ? 'tcp' : 'udp');
      if (!appendTransport(words, this.#transport)) {
        throw new ExpressionNotDecoded();
      }
    }
    words.push(...(this.#target ?? []));
    return {
      text: words.join(' '),
      notDecoded: this.#notDecoded,
      ...(this.#jump === undefined ? {} : { jump: this.#jump }),
    };
  }

  add(name: string, data: AttributeMap): void {
    if (this.#target !== undefined) {
      throw new ExpressionNotDecoded();
    }
    switch (name) {
      case 'counter':
        return;
      case 'meta':
        this.#load(data.get(1), META.get(asBe32(data.get(2))), 4, data.has(3));
        return;
      case 'payload':
        this.#payload(data);
        return;
      case 'bitwise':
        this.#bitwise(data);
        return;
      case 'cmp':
        this.#compare(data);
        return;
      case 'range':
        this.#range(data);
        return;
      case 'immediate':
        this.#verdict(data);
        return;
      case 'match':
      case 'target':
        this.#extension(name, data);
        return;
      case 'limit':
        this.#notDecoded.push(name);
        this.#matches.push(['-m', name, NOT_DECODED]);
        return;
      case 'log':
        this.#notDecoded.push('NFLOG');
        this.#target = ['-j', 'NFLOG', NOT_DECODED];
        return;
      default:
        throw new ExpressionNotDecoded();
    }
  }

  #load(register: Buffer | undefined, field: Field | undefined, length: number, isWritten: boolean): void {
    if (field === undefined || isWritten) {
      throw new ExpressionNotDecoded();
    }
    const word = wordOf(asBe32(register));
    for (const [at, loaded] of this.#loaded) {
      if (at < word + length / 4 && word < at + loaded.length / 4) {
        this.#loaded.delete(at);
      }
    }
    this.#loaded.set(word, { field, length: field.endsWith('Interface') ? 16 : length });
  }

  #at(register: Buffer | undefined): Loaded {
    const loaded = this.#loaded.get(wordOf(asBe32(register)));
    if (loaded === undefined) {
      throw new ExpressionNotDecoded();
    }
    return loaded;
  }

  #payload(data: AttributeMap): void {
    const [base, offset, length] = [asBe32(data.get(2)), asBe32(data.get(3)), asBe32(data.get(4))];
    const isBothPorts = base === 2 && offset === 0 && length === 4;
    const field = isBothPorts
      ? 'bothPorts'
      : base === 1
        ? NETWORK[this.family].get(offset)
        : base === 2
          ? TRANSPORT.get(offset)
          : undefined;
    const most = this.family === 'IPv4' ? 4 : 16;
    const expected = field && FIELD_LENGTHS[field];
    if (length === 0 || (expected === undefined ? length > most : length !== expected)) {
      throw new ExpressionNotDecoded();
    }
    this.#load(data.get(1), field, length, data.has(5));
  }

  #bitwise(data: AttributeMap): void {
    const from = this.#at(data.get(1));
    const [mask, xor] = [bytesOf(data.get(4)), bytesOf(data.get(5))];
    const isPlain = asBe32(data.get(6)) === 0 && xor?.every((byte) => byte === 0);
    if (!isPlain || mask === undefined || mask.length !== from.length || from.mask !== undefined) {
      throw new ExpressionNotDecoded();
    }
    this.#loaded.set(wordOf(asBe32(data.get(2))), { ...from, mask });
  }

  #compare(data: AttributeMap): void {
    const loaded = this.#at(data.get(1));
    const operator = asBe32(data.get(2));
    const value = bytesOf(data.get(3));
    if (value === undefined) {
      throw new ExpressionNotDecoded();
    }
    const { field, mask } = loaded;
    if (field === 'sourcePort' || field === 'destinationPort') {
      this.#port(field, loaded, operator, value);
      return;
    }
    if (operator !== EQUAL && operator !== NOT_EQUAL) {
      throw new ExpressionNotDecoded();
    }
    const isNot = operator === NOT_EQUAL;
    switch (field) {
      case 'bothPorts':
        this.#only(!isNot && value.length === 4);
        this.#port('sourcePort', loaded, EQUAL, value.subarray(0, 2));
        this.#port('destinationPort', loaded, EQUAL, value.subarray(2));
        return;
      case 'source':
      case 'destination':
        this.#address(field === 'source' ? '-s' : '-d', loaded, value, isNot);
        return;
      case 'inInterface':
      case 'outInterface':
        this.#interface(field === 'inInterface' ? '-i' : '-o', value, isNot, mask);
        return;
      case 'protocol':
        this.#only(mask === undefined && value.length === 1);
        if (!isNot) {
          this.#protocol = value[0];
        }
        this.#condition('-p', isNot, PROTOCOLS[value[0] ?? 0] ?? `${value[0]}`);
        return;
      case 'tcpFlags':
        this.#only(value.length === 1 && mask !== undefined && this.#transport.flags === undefined);
        this.#setTransport({ flags: { mask: mask?.[0] ?? 0, value: value[0] ?? 0, isNot } }, 6);
        return;
      case 'mark':
        this.#only(value.length === 4);
        this.#matches.push([
          ...['-m', 'mark', ...(isNot ? ['!'] : []), '--mark'],
          markText(asU32(value), mask === undefined ? 0xffff_ffff : asU32(mask)),
        ]);
        return;
      case 'fragment':
        this.#only(this.family === 'IPv4' && mask?.equals(FRAGMENT_MASK) === true && value.every((byte) => byte === 0));
        this.#condition('-f', !isNot);
    }
  }

  #condition(flag: '-s' | '-d' | '-i' | '-o' | '-p' | '-f', isNot: boolean, ...values: readonly string[]): void {
    this.#only(!this.#conditions.has(flag));
    this.#conditions.set(flag, [...(isNot ? ['!'] : []), flag, ...values]);
  }

  #only(isSupported: boolean): void {
    if (!isSupported) {
      throw new ExpressionNotDecoded();
    }
  }

  /** A prefix that ends at a byte boundary is loaded without the bytes after it. */
  #address(flag: '-s' | '-d', { length, mask }: Loaded, value: Buffer, isNot: boolean): void {
    const whole = this.family === 'IPv4' ? 4 : 16;
    this.#only(value.length === length && (mask === undefined || length === whole));
    const address = Buffer.alloc(whole);
    value.copy(address);
    const prefix = mask === undefined ? length * 8 : prefixOf(mask);
    const bits = mask === undefined ? undefined : addressText(mask, this.family);
    this.#condition(flag, isNot, `${addressText(address, this.family)}/${prefix ?? bits ?? ''}`);
  }

  /** A name without its terminating zero is a prefix. */
  #interface(flag: '-i' | '-o', value: Buffer, isNot: boolean, mask: Buffer | undefined): void {
    const end = value.indexOf(0);
    const name = value.toString('latin1', 0, end < 0 ? value.length : end);
    this.#only(mask === undefined && name !== '' && !/[\s"'\\]/.test(name));
    if (name === NO_INTERFACE) {
      this.#only(!isNot && end >= 0);
      this.#condition(flag, true, '+');
      return;
    }
    this.#condition(flag, isNot, end < 0 && value.length < 16 ? `${name}+` : name);
  }

  #port(field: 'sourcePort' | 'destinationPort', { mask }: Loaded, operator: number, value: Buffer): void {
    this.#only(mask === undefined && value.length === 2);
    const port = value.readUInt16BE();
    const range = (first: number, last: number, isNot = false): PortRange => ({ first, last, isNot });
    const is = [
      [EQUAL, range(port, port)],
      [NOT_EQUAL, range(port, port, true)],
      [LESS, range(0, port - 1)],
      [AT_MOST, range(0, port)],
      [GREATER, range(port + 1, MAX_PORT)],
      [AT_LEAST, range(port, MAX_PORT)],
    ].find(([one]) => one === operator)?.[1] as PortRange | undefined;
    this.#only(is !== undefined && is.first <= is.last);
    this.#setPort(field, is as PortRange);
  }

  #range(data: AttributeMap): void {
    const { field, mask } = this.#at(data.get(1));
    const [operator, first, last] = [asBe32(data.get(2)), bytesOf(data.get(3)), bytesOf(data.get(4))];
    if ((field !== 'sourcePort' && field !== 'destinationPort') || first?.length !== 2 || last?.length !== 2) {
      throw new ExpressionNotDecoded();
    }
    this.#only(mask === undefined && operator <= NOT_EQUAL);
    const isNot = operator === NOT_EQUAL;
    this.#setPort(field, { first: first.readUInt16BE(), last: last.readUInt16BE(), isNot });
  }

  #setPort(field: 'sourcePort' | 'destinationPort', range: PortRange): void {
    const key = field === 'sourcePort' ? 'source' : 'destination';
    this.#only(this.#transport[key] === undefined);
    this.#setTransport({ [key]: range });
  }

  #setTransport(conditions: TransportConditions, protocol?: number): void {
    const own = this.#protocol;
    this.#only((own === 6 || own === 17) && (protocol === undefined || protocol === own));
    if (!this.#matches.includes('transport')) {
      this.#matches.push('transport');
    }
    this.#transport = { ...this.#transport, ...conditions };
  }

  #verdict(data: AttributeMap): void {
    const verdict = attributeMap(data.get(2) ?? NO_BYTES).get(NFTA_DATA.verdict);
    const parts = verdict && attributeMap(verdict);
    const code = asBe32(parts?.get(NFTA_VERDICT.code)) | 0;
    if (parts === undefined || asBe32(data.get(1)) !== 0) {
      throw new ExpressionNotDecoded();
    }
    switch (code) {
      case NFT_VERDICTS.accept:
      case NFT_VERDICTS.drop:
      case NFT_VERDICTS.return:
        this.#target = ['-j', { 1: 'ACCEPT', 0: 'DROP', [-5]: 'RETURN' }[code]];
        return;
      case NFT_VERDICTS.jump:
      case NFT_VERDICTS.goto:
        this.#jump = asText(parts.get(NFTA_VERDICT.chain));
        this.#target = [code === NFT_VERDICTS.jump ? '-j' : '-g', this.#jump];
        return;
      default:
        throw new ExpressionNotDecoded();
    }
  }

  #extension(kind: 'match' | 'target', data: AttributeMap): void {
    const extension = {
      ...{ name: asText(data.get(1)), revision: asBe32(data.get(2)) },
      info: data.get(3) ?? NO_BYTES,
    };
    let words = decodeExtension(kind, extension, this.family);
    if (words === undefined) {
      this.#notDecoded.push(extension.name);
      words = [kind === 'match' ? '-m' : '-j', extension.name, NOT_DECODED];
    }
    if (kind === 'match') {
      this.#matches.push(words);
    } else {
      this.#target = words;
    }
  }
}

function bytesOf(data: Buffer | undefined): Buffer | undefined {
  return data && attributeMap(data).get(NFTA_DATA.value);
}
