import { assertNever } from '@kube-proxier/core';
import { u8, u32 } from '../../netlink/attributes.js';
import { addressBytes } from '../../netlink/ip-bytes.js';
import type { NftFamily } from '../nft-family.js';
import {
  NFT_TYPE_SIZES,
  type NftBitwise,
  type NftField,
  type NftHash,
  type NftLookup,
  type NftPayload,
  type NftStatement,
  nftTypeOf,
} from '../rules/nft-expression.js';
import { instructions, type NftInstruction } from './instructions.js';
import { NFT_FAMILIES } from './nf-tables.js';
import { be16Value, clearHostBits, PROTOCOL_NUMBERS } from './value-bytes.js';

/** An anonymous set of one rule. */
export interface NftAnonymousSet {
  /** Distinct within a transaction. */
  readonly id: number;
  /** Protocols. */
  readonly values: readonly string[];
}

/** A rule as the kernel executes it. */
export interface NftCompiledRule {
  /** Declared before the rule. */
  readonly sets: readonly NftAnonymousSet[];
  readonly instructions: readonly NftInstruction[];
}

/** The name template from which the kernel generates the name of an anonymous set. */
export const ANONYMOUS_SET_NAME = '__set%d';

/**
 * Compiles a rule to expressions. They are the same, in the same registers, as those that nft generates from the rule's
 * text, so that nft lists the same text. Pure.
 *
 * @param newSetId returns an id for an anonymous set.
 */
export function compileNftRule(
  statements: readonly NftStatement[],
  family: NftFamily,
  newSetId: () => number,
): NftCompiledRule {
  const compiler = new RuleCompiler(family, newSetId);
  for (const statement of statements) {
    compiler.add(statement);
  }
  return compiler;
}

/** 32-bit words per 128-bit register, which nft uses for single values. */
const REGISTER_WORDS = 4;

/** The number of the register that begins at a word: 128-bit registers have separate numbers. */
function register(word: number): number {
  return word % REGISTER_WORDS === 0 ? 1 + word / REGISTER_WORDS : 8 + word;
}

function wordsOf(field: NftField): number {
  return Math.ceil(NFT_TYPE_SIZES[nftTypeOf(field)] / 4);
}

function totalWords(key: readonly NftField[]): number {
  return key.reduce((sum, field) => sum + wordsOf(field), 0);
}

const CONNECTION_STATES: Readonly<Record<string, number>> = { invalid: 1, established: 2, related: 4, new: 8 };
const CONNECTION_STATUSES: Readonly<Record<string, number>> = { snat: 16, dnat: 32 };
const CONNECTION_DIRECTIONS: Readonly<Record<string, number>> = { original: 0, reply: 1 };
const ADDRESS_TYPES: Readonly<Record<string, number>> = { unicast: 1, local: 2 };
const NO_BITS = u32(0);
const PORT_OFFSETS = { sport: 0, dport: 2 } as const;
/** Offset of the protocol in the header of IPv4. */
const IPV4_PROTOCOL_OFFSET = 9;
const ADDRESS_OFFSETS = { ip: { saddr: 12, daddr: 16 }, ip6: { saddr: 8, daddr: 24 } } as const;
/** Of `NF_NAT_RANGE_*`. */
const NAT_PORT_SPECIFIED = 2;
const NAT_FULLY_RANDOM = 0x10;
/** `port-unreachable`, the default of nft. */
const REJECTION = { ip: { type: 0, code: 3 }, ip6: { type: 0, code: 4 } } as const;

/** A type of rejection. */
const TCP_RESET = 1;
/** Offset of the flags in a TCP header, and the SYN flag. */
const TCP_FLAGS = 13;
const SYN = 2;

class RuleCompiler implements NftCompiledRule {
  readonly instructions: NftInstruction[] = [];
  readonly sets: NftAnonymousSet[] = [];
  /** The protocol that an earlier instruction established. */
  #protocol: string | undefined;

  constructor(
    private readonly family: NftFamily,
    private readonly newSetId: () => number,
  ) {}

  add(statement: NftStatement): void {
    const { instructions: out } = this;
    switch (statement.kind) {
      case 'match':
        this.#match(statement);
        break;
      case 'member':
        this.#key(statement.key, this.#needs(statement.key));
        out.push(instructions.lookup(register(0), { name: statement.set }, { isNot: statement.isNot ?? false }));
        break;
      case 'one-of': {
        const id = this.newSetId();
        this.sets.push({ id, values: statement.values });
        this.#field(statement.left, 0, REGISTER_WORDS);
        out.push(instructions.lookup(register(0), { name: ANONYMOUS_SET_NAME, id }));
        break;
      }
      case 'vmap':
        this.#key(statement.key, this.#needs(statement.key));
        out.push(instructions.lookup(register(0), { name: statement.map }, { to: 'verdict' }));
        break;
      case 'assign':
        this.#assigned(statement.value);
        out.push(instructions.setMeta(statement.to.key, register(0)));
        break;
      case 'write-element':
        this.#writeElement(statement);
        break;
      case 'count':
        this.#key(statement.key, this.#needs(statement.key));
        out.push(instructions.objectFromMap(register(0), statement.map));
        break;
      case 'dnat':
        this.#sendTo(statement);
        break;
      case 'masquerade':
        out.push(instructions.masquerade(statement.fullyRandom ? NAT_FULLY_RANDOM : undefined));
        break;
      case 'no-syn':
        if (this.#protocol !== 'tcp') {
          this.add({ kind: 'match', left: { kind: 'meta', key: 'l4proto' }, right: 'tcp' });
        }
        out.push(
          instructions.payload(register(0), 'transport', TCP_FLAGS, 1),
          instructions.bitwise(register(0), u8(SYN), u8(0)),
          instructions.compare(register(0), '==', u8(0)),
        );
        break;
      case 'reject': {
        const { type, code } = REJECTION[this.family];
        out.push(statement.with === 'tcp-reset' ? instructions.reject(TCP_RESET) : instructions.reject(type, code));
        break;
      }
      case 'accept':
      case 'drop':
        out.push(instructions.verdict(statement.kind));
        break;
      case 'jump':
      case 'goto':
        out.push(instructions.verdict(statement.kind, statement.chain));
        break;
      default:
        assertNever(statement);
    }
  }

  #match({ left, operator = '==', right }: Extract<NftStatement, { kind: 'match' }>): void {
    const { instructions: out } = this;
    if (left.kind === 'bitwise') {
      this.#bitwise(left);
      out.push(instructions.compare(register(0), operator, u32(Number(right))));
      return;
    }
    const text = String(right);
    const type = nftTypeOf(left);
    switch (type) {
      case 'ipv4_addr':
      case 'ipv6_addr':
        this.#network(left as NftPayload, operator, text);
        return;
      case 'ct_status':
        // A bit mask that includes this one.
        this.#field(left, 0, REGISTER_WORDS);
        out.push(
          instructions.bitwise(register(0), u32(CONNECTION_STATUSES[text] ?? 0), NO_BITS),
          instructions.compare(register(0), operator === '==' ? '!=' : '==', NO_BITS),
        );
        return;
      default:
        this.#field(left, 0, REGISTER_WORDS);
        out.push(instructions.compare(register(0), operator, matchedBytes(left, text)));
        if (type === 'inet_proto' && operator === '==') {
          this.#protocol = text;
        }
    }
  }

  /** Only the bytes covered by the prefix are loaded. */
  #network(left: NftPayload, operator: '==' | '!=', text: string): void {
    const { instructions: out } = this;
    const [base = '', length] = text.split('/');
    const address = addressBytes(base);
    const bits = length === undefined ? address.length * 8 : Number(length);
    clearHostBits(address, 0, address.length, bits);
    if (bits > 0 && bits % 8 === 0) {
      out.push(
        this.#payload(left, 0, bits / 8),
        instructions.compare(register(0), operator, address.subarray(0, bits / 8)),
      );
      return;
    }
    const mask = Buffer.alloc(address.length, 0xff);
    clearHostBits(mask, 0, mask.length, bits);
    out.push(
      this.#payload(left, 0, address.length),
      instructions.bitwise(register(0), mask, Buffer.alloc(address.length)),
      instructions.compare(register(0), operator, address),
    );
  }

  #assigned(value: Extract<NftStatement, { kind: 'assign' }>['value']): void {
    if (typeof value === 'number') {
      this.instructions.push(instructions.immediate(register(0), u32(value)));
    } else if (value.kind === 'lookup') {
      this.#lookUp(value);
    } else {
      this.#bitwise(value);
    }
  }

  #bitwise({ left, operator, right }: NftBitwise): void {
    this.#field(left, 0, REGISTER_WORDS);
    const [mask, xor] = operator === '&' ? [right, 0] : operator === '|' ? [~right, right] : [-1, right];
    this.instructions.push(instructions.bitwise(register(0), u32(mask), u32(xor)));
  }

  /** Loads into the first register. Space for the value and for the key after it is reserved. */
  #lookUp({ key, map }: NftLookup): void {
    this.#needs(key);
    this.#key(key, REGISTER_WORDS + totalWords(key));
    this.instructions.push(instructions.lookup(register(0), { name: map }, { to: register(0) }));
  }

  #writeElement(statement: Extract<NftStatement, { kind: 'write-element' }>): void {
    const { operation, set, key, value, timeoutSeconds } = statement;
    this.#needs(key);
    this.#key(key, REGISTER_WORDS);
    if (value !== undefined) {
      this.#field(value, REGISTER_WORDS, 2 * REGISTER_WORDS);
    }
    this.instructions.push(
      instructions.writeElement(operation, set, register(0), {
        ...(value === undefined ? {} : { value: register(REGISTER_WORDS) }),
        ...(timeoutSeconds === undefined ? {} : { timeoutMilliseconds: timeoutSeconds * 1000 }),
      }),
    );
  }

  #sendTo({ family, to }: Extract<NftStatement, { kind: 'dnat' }>): void {
    const { instructions: out } = this;
    const number = NFT_FAMILIES[family];
    if (to.kind === 'lookup') {
      this.#lookUp(to);
      out.push(instructions.nat(number, register(0), register(family === 'ip' ? 1 : 4)));
      return;
    }
    const { address, port } = to;
    const toAddress = instructions.immediate(register(0), addressBytes(address));
    if (port === undefined) {
      out.push(toAddress, instructions.nat(number, register(0)));
      return;
    }
    const second = register(REGISTER_WORDS);
    if (typeof port === 'number') {
      out.push(toAddress, instructions.immediate(second, be16Value(port)));
    } else {
      this.#needs(port.key);
      out.push(toAddress);
      this.#field(port.key[0] as NftField, REGISTER_WORDS, 2 * REGISTER_WORDS);
      out.push(instructions.lookup(second, { name: port.map }, { to: second }));
    }
    out.push(instructions.nat(number, register(0), second, NAT_PORT_SPECIFIED));
  }

  /**
   * Establishes the protocol whose ports are read, unless it is established.
   *
   * @returns number of words from the first register that a key occupies.
   */
  #needs(key: readonly NftField[]): number {
    for (const field of key) {
      if (field.kind === 'payload' && PROTOCOL_NUMBERS.has(field.protocol) && this.#protocol !== field.protocol) {
        this.add({ kind: 'match', left: { kind: 'meta', key: 'l4proto' }, right: field.protocol });
      }
    }
    return key.length === 1 ? REGISTER_WORDS : totalWords(key);
  }

  /** @param free the first word that is free for intermediate values. */
  #key(key: readonly NftField[], free: number): void {
    let word = 0;
    for (const field of key) {
      this.#field(field, word, free);
      word += wordsOf(field);
    }
  }

  #field(field: NftField, word: number, free: number): void {
    const { instructions: out } = this;
    const to = register(word);
    switch (field.kind) {
      case 'payload':
        out.push(this.#payload(field, word));
        break;
      case 'meta':
        out.push(instructions.meta(to, field.key));
        break;
      case 'ct':
        out.push(instructions.ct(to, field.key));
        break;
      case 'ct-tuple':
        out.push(instructions.ctTuple(to, field.field, field.direction));
        break;
      case 'fib':
        out.push(instructions.fibType(to, field.address));
        break;
      case 'numgen':
        out.push(instructions.numgenRandom(to, field.modulus, field.offset ?? 0));
        break;
      case 'jhash':
        this.#hash(field, to, free);
        break;
      default:
        assertNever(field);
    }
  }

  #hash({ of, modulus, seed, offset = 0 }: NftHash, to: number, free: number): void {
    let word = free;
    for (const field of of) {
      this.instructions.push(this.#payload(field, word));
      word += wordsOf(field);
    }
    const length = (word - free) * 4;
    this.instructions.push(instructions.jhash(to, register(free), length, modulus, seed, offset));
  }

  #payload(field: NftPayload, word: number, length = NFT_TYPE_SIZES[nftTypeOf(field)]): NftInstruction {
    const { protocol, field: name } = field;
    if (name === 'protocol') {
      return instructions.payload(register(word), 'network', IPV4_PROTOCOL_OFFSET, length);
    }
    return name === 'saddr' || name === 'daddr'
      ? instructions.payload(register(word), 'network', ADDRESS_OFFSETS[protocol as NftFamily][name], length)
      : instructions.payload(register(word), 'transport', PORT_OFFSETS[name], length);
  }
}

/** The right side of a comparison. */
function matchedBytes(left: NftField, text: string): Buffer {
  switch (nftTypeOf(left)) {
    case 'inet_proto':
      return u8(PROTOCOL_NUMBERS.get(text) ?? Number(text));
    case 'inet_service':
      return be16Value(Number(text));
    case 'ct_state':
      return u32(CONNECTION_STATES[text] ?? 0);
    case 'ct_dir':
      return u8(CONNECTION_DIRECTIONS[text] ?? 0);
    case 'fib_addrtype':
      return u32(ADDRESS_TYPES[text] ?? 0);
    case 'ifname': {
      if (text.endsWith('*')) {
        return Buffer.from(text.slice(0, -1));
      }
      const name = Buffer.alloc(NFT_TYPE_SIZES.ifname);
      name.write(text);
      return name;
    }
    default:
      return u32(Number(text));
  }
}
