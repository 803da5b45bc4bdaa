import type { UnknownRecord } from '@kube-proxier/core';

const VERDICTS: ReadonlySet<string> = new Set(['accept', 'drop', 'reject', 'return', 'continue', 'notrack']);
const PAYLOADS: ReadonlySet<string> = new Set(['ip', 'ip6', 'th', 'tcp', 'udp', 'sctp']);
const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '>', '<=', '>=']);
const NAT_FLAGS: ReadonlySet<string> = new Set(['random', 'fully-random', 'persistent']);
const CALCULATIONS: ReadonlySet<string> = new Set(['|', '&', '^']);

/** Thrown within this file for unsupported syntax. */
class NotSupported extends Error {}

/**
 * Parses a rule in nft syntax into the statements that `nft -j` lists, for rules of this project. Pure.
 *
 * @returns one unknown statement when the rule has unsupported parts: its effect is unknown.
 */
export function parseNftRule(text: string): readonly UnknownRecord[] {
  const parser = new RuleParser(text.match(/"[^"]*"|[{},]|[^\s{},]+/g) ?? []);
  try {
    return parser.statements();
  } catch (error) {
    if (error instanceof NotSupported) {
      return [{ [text]: null }];
    }
    throw error;
  }
}

/** A key or a value of an element, such as `10.0.0.1 . tcp . 80` or `goto web`, as `nft -j` lists it. Pure. */
export function parseNftElement(text: string, isVerdict = false): unknown {
  if (isVerdict) {
    return parseNftRule(text)[0];
  }
  const parts = text.split(' . ').map(operandOf);
  return parts.length === 1 ? parts[0] : { concat: parts };
}

function operandOf(word: string): unknown {
  const [, addr, bits] = /^([\da-f.:]+)\/(\d+)$/.exec(word) ?? [];
  if (addr !== undefined && bits !== undefined) {
    return { prefix: { addr, len: Number(bits) } };
  }
  const [, first, last] = /^(\d+)-(\d+)$/.exec(word) ?? [];
  if (first !== undefined && last !== undefined) {
    return { range: [Number(first), Number(last)] };
  }
  return /^0x[\da-f]+$/.test(word) ? Number(word) : word.replaceAll('"', '');
}

class RuleParser {
  #at = 0;

  constructor(private readonly words: readonly string[]) {}

  statements(): readonly UnknownRecord[] {
    const statements: UnknownRecord[] = [];
    while (this.#at < this.words.length) {
      statements.push(this.#statement());
    }
    return statements;
  }

  #statement(): UnknownRecord {
    const word = this.#peek() ?? '';
    if (this.#takeAll('tcp', 'flags', '&', 'syn', '==', '0')) {
      return { match: { op: '!', left: { payload: { protocol: 'tcp', field: 'flags' } }, right: 'syn' } };
    }
    if (this.#takeAll('reject', 'with', 'tcp', 'reset')) {
      return { reject: { type: 'tcp reset' } };
    }
    if (VERDICTS.has(word)) {
      this.#next();
      return { [word]: null };
    }
    switch (word) {
      case 'jump':
      case 'goto':
        this.#next();
        return { [word]: { target: this.#next() } };
      case 'masquerade':
        this.#next();
        this.#skipNatFlags();
        return { masquerade: null };
      case 'dnat':
        return this.#destination();
      case 'add':
      case 'update':
      case 'delete':
        return this.#write();
      case 'counter':
        this.#next();
        return { counter: this.#take('name') ? this.#expression() : null };
    }
    if ((word === 'meta' || word === 'ct') && this.words[this.#at + 2] === 'set') {
      const key = { [word]: { key: this.words[this.#at + 1] } };
      this.#at += 3;
      return { mangle: { key, value: this.#expression() } };
    }
    const left = this.#expression();
    if (this.#take('vmap')) {
      return { vmap: { key: left, data: this.#next() } };
    }
    const op = COMPARISONS.has(this.#peek() ?? '') ? this.#next() : '==';
    return { match: { op, left, right: this.#right() } };
  }

  #destination(): UnknownRecord {
    this.#next();
    const family = this.#next();
    if (!this.#take('to')) {
      throw new NotSupported('dnat without a family');
    }
    const [word = ''] = [this.#peek()];
    const [, six, four, port] = /^(?:\[([\da-f:.]+)\]|(\d+\.[\d.]+)):(\d+)$/.exec(word) ?? [];
    const [, lone, sixOf, fourOf, protocol] =
      /^(?:([\da-f]*:[\da-f:.]+|\d+\.[\d.]+)|(?:\[([\da-f:.]+)\]|(\d+\.[\d.]+)):(tcp|udp|sctp))$/.exec(word) ?? [];
    if (protocol !== undefined) {
      this.#next();
      const key = { payload: { protocol, field: this.#next() } };
      this.#expect('map');
      return { dnat: { family, addr: sixOf ?? fourOf, port: { map: { key, data: this.#next() } } } };
    }
    if (lone !== undefined) {
      this.#next();
      return { dnat: { family, addr: lone } };
    }
    if (port === undefined) {
      return { dnat: { family, addr: this.#expression() } };
    }
    this.#next();
    this.#skipNatFlags();
    return { dnat: { family, addr: six ?? four, port: Number(port) } };
  }

  #write(): UnknownRecord {
    const op = this.#next();
    const name = this.#next();
    this.#expect('{');
    const elem = this.#expression();
    if (this.#take('timeout')) {
      this.#next();
    }
    const data = this.#take(':') ? this.#expression() : undefined;
    this.#expect('}');
    return data === undefined ? { set: { op, elem, set: name } } : { map: { op, elem, data, map: name } };
  }

  #expression(): unknown {
    let left = this.#concatenation();
    while (CALCULATIONS.has(this.#peek() ?? '')) {
      const operator = this.#next();
      left = { [operator]: [left, this.#operand()] };
    }
    return this.#take('map') ? { map: { key: left, data: this.#next() } } : left;
  }

  #concatenation(): unknown {
    const parts = [this.#operand()];
    while (this.#take('.')) {
      parts.push(this.#operand());
    }
    return parts.length === 1 ? parts[0] : { concat: parts };
  }

  #operand(): unknown {
    const word = this.#next();
    if (PAYLOADS.has(word)) {
      return { payload: { protocol: word, field: this.#next() } };
    }
    switch (word) {
      case 'meta':
        return { meta: { key: this.#next() } };
      case 'ct':
        return this.#connection();
      case 'iifname':
      case 'oifname':
        return { meta: { key: word } };
      case 'fib': {
        const flags = [this.#next()];
        return { fib: { result: this.#next(), flags } };
      }
      case 'numgen': {
        const mode = this.#next();
        this.#expect('mod');
        const mod = Number(this.#next());
        return { numgen: { mode, mod, offset: this.#take('offset') ? Number(this.#next()) : 0 } };
      }
      case 'jhash': {
        const expr = this.#concatenation();
        this.#expect('mod');
        const mod = Number(this.#next());
        if (this.#take('seed')) {
          this.#next();
        }
        return { jhash: { expr, mod, offset: this.#take('offset') ? Number(this.#next()) : 0 } };
      }
    }
    if (!/^(?:0x[\da-f]+|[\da-f]*:?[\da-f]+)$/.test(word)) {
      throw new NotSupported(word);
    }
    return operandOf(word);
  }

  /** `ct state`, or of one direction: `ct original ip daddr`, `ct reply proto-src`. */
  #connection(): unknown {
    const key = this.#next();
    if (key !== 'original' && key !== 'reply') {
      return { ct: { key } };
    }
    const field = this.#next();
    return { ct: { key: field === 'ip' || field === 'ip6' ? `${field} ${this.#next()}` : field, dir: key } };
  }

  #right(): unknown {
    if (!this.#take('{')) {
      return operandOf(this.#next());
    }
    const values: unknown[] = [];
    do {
      values.push(operandOf(this.#next()));
    } while (this.#take(','));
    this.#expect('}');
    return { set: values };
  }

  #skipNatFlags(): void {
    while (NAT_FLAGS.has(this.#peek() ?? '')) {
      this.#next();
    }
  }

  #peek(): string | undefined {
    return this.words[this.#at];
  }

  #next(): string {
    const word = this.words[this.#at++];
    if (word === undefined) {
      throw new NotSupported('the end of the rule');
    }
    return word;
  }

  #take(word: string): boolean {
    if (this.#peek() !== word) {
      return false;
    }
    this.#at++;
    return true;
  }

  #takeAll(...words: readonly string[]): boolean {
    if (words.some((word, index) => this.words[this.#at + index] !== word)) {
      return false;
    }
    this.#at += words.length;
    return true;
  }

  #expect(word: string): void {
    if (!this.#take(word)) {
      throw new NotSupported(`${this.#peek()} instead of ${word}`);
    }
  }
}
