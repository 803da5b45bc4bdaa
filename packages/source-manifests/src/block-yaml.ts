import type { Position } from './field-position.js';

/** The result of {@link parseBlockYaml}. */
export interface BlockDocument {
  /** null for an empty document. */
  readonly value: unknown;
  /** Position of a mapping in `value`; undefined for other values. */
  positionOf(value: unknown): Position | undefined;
}

const KEY = /^([A-Za-z_][A-Za-z0-9_./-]*):(?: +(.*))?$/;
const DOUBLE_QUOTED = /^"([ !\x23-\x5b\x5d-\x7e]*)"$/;
const SINGLE_QUOTED = /^'([\x20-\x26\x28-\x7e]*)'$/;
const PLAIN = /^[A-Za-z0-9_./+-][A-Za-z0-9 _./:+=@,()$*;~-]*$/;
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;
/** Everything that YAML may treat as a number. */
const NUMERIC =
  /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)$/;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const LITERAL = /^\|(-?)$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
const MAX_DEPTH = 64;
const SPACE = 32;

/** The document uses unsupported YAML features, or is malformed. */
class BeyondBlockYaml extends Error {}

/**
 * Parses a YAML document in the common style of programs and people: mappings and lists by indentation, with values on
 * one line and literal blocks. Time and memory are proportional to the text, where the YAML parser needs a multiple.
 *
 * @param text without document markers.
 * @param firstLine number of its first line.
 * @returns undefined for a document that needs the YAML parser, because it is malformed or uses other features. A
 *   returned value equals the result of the YAML parser.
 */
export function parseBlockYaml(text: string, firstLine: number): BlockDocument | undefined {
  try {
    const reader = new BlockReader(text, firstLine);
    const value = reader.read();
    return { value, positionOf: (one) => reader.positions.get(one as object) };
  } catch (error) {
    if (error instanceof BeyondBlockYaml) {
      return undefined;
    }
    throw error;
  }
}

class BlockReader {
  readonly positions = new WeakMap<object, Position>();
  /** Start of the next line. */
  #next = 0;
  #line: number;
  /** Indentation of the current line; -1 at the end. */
  #indent = -1;
  /** The current line without indentation. */
  #content = '';
  #depth = 0;

  constructor(
    private readonly text: string,
    firstLine: number,
  ) {
    this.#line = firstLine - 1;
  }

  read(): unknown {
    this.#advance();
    if (this.#indent < 0) {
      return null;
    }
    const value = this.#node();
    return this.#indent < 0 ? value : beyond();
  }

  /** Advances to the next line that is neither empty nor a comment. */
  #advance(): void {
    const { text } = this;
    while (this.#next < text.length) {
      const begin = this.#next;
      const found = text.indexOf('\n', begin);
      const end = found < 0 ? text.length : found;
      this.#next = end + 1;
      this.#line += 1;
      let at = begin;
      while (at < end && text.charCodeAt(at) === SPACE) {
        at += 1;
      }
      if (at === end || text[at] === '#' || (text[at] === '\r' && at === end - 1)) {
        continue;
      }
      this.#indent = at - begin;
      this.#content = text.slice(at, end).trimEnd();
      return;
    }
    this.#indent = -1;
    this.#content = '';
  }

  #node(): unknown {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      beyond();
    }
    const value = isItem(this.#content) ? this.#list(this.#indent) : this.#mapping(this.#indent);
    this.#depth -= 1;
    return value;
  }

  #mapping(indent: number): unknown {
    const mapping: Record<string, unknown> = {};
    this.positions.set(mapping, { line: this.#line, column: indent + 1 });
    while (this.#indent === indent && !isItem(this.#content)) {
      const match = KEY.exec(this.#content);
      const key = match?.[1] ?? beyond();
      if (Object.hasOwn(mapping, key) || key === '__proto__' || WORDS.has(key)) {
        beyond();
      }
      mapping[key] = this.#value(match?.[2] ?? '', indent);
    }
    // A list in the position of a key, or an indentation that does not match.
    return this.#indent >= indent ? beyond() : mapping;
  }

  #value(text: string, indent: number): unknown {
    const literal = LITERAL.exec(text);
    if (literal) {
      return this.#literal(indent, literal[1] === '-');
    }
    this.#advance();
    if (text === '') {
      if (this.#indent > indent) {
        return this.#node();
      }
      // Items of a list may have the same indentation as its key.
      return this.#indent === indent && isItem(this.#content) ? this.#list(indent, true) : null;
    }
    // Deeper lines continue the value.
    return this.#indent > indent ? beyond() : scalar(text);
  }

  #list(indent: number, inMapping = false): unknown {
    const list: unknown[] = [];
    while (this.#indent === indent && isItem(this.#content)) {
      const text = this.#content.slice(1).trimStart();
      const inner = indent + this.#content.length - text.length;
      if (text === '') {
        this.#advance();
        list.push(this.#indent > indent ? this.#node() : null);
      } else if (KEY.test(text)) {
        this.#indent = inner;
        this.#content = text;
        list.push(this.#node());
      } else {
        this.#advance();
        list.push(this.#indent > indent ? beyond() : scalar(text));
      }
    }
    return this.#indent > indent || (this.#indent === indent && !inMapping) ? beyond() : list;
  }

  /** The lines that are indented deeper than `indent`, unchanged. */
  #literal(indent: number, strip: boolean): string {
    const { text } = this;
    const lines: string[] = [];
    let own = -1;
    while (this.#next < text.length) {
      const found = text.indexOf('\n', this.#next);
      const end = found < 0 ? text.length : found;
      const line = text.slice(this.#next, end);
      const deep = line.search(/[^ ]/);
      if (deep >= 0 && deep <= indent) {
        break;
      }
      if (own < 0) {
        own = deep;
      }
      // Leading blank lines, lines with less indentation, and any other special case.
      if (own < 0 || (deep >= 0 && deep < own) || (deep < 0 && line.length > own) || !PRINTABLE.test(line)) {
        beyond();
      }
      lines.push(line.slice(own));
      this.#next = end + 1;
      this.#line += 1;
    }
    while (lines.at(-1) === '') {
      lines.pop();
    }
    if (lines.length === 0 || lines.at(-1)?.trim() === '') {
      beyond();
    }
    this.#advance();
    return `${lines.join('\n')}${strip ? '' : '\n'}`;
  }
}

function beyond(): never {
  throw new BeyondBlockYaml();
}

function isItem(content: string): boolean {
  return content === '-' || content.startsWith('- ');
}

function scalar(text: string): unknown {
  switch (text[0]) {
    case '"':
      return DOUBLE_QUOTED.exec(text)?.[1] ?? beyond();
    case "'":
      return SINGLE_QUOTED.exec(text)?.[1] ?? beyond();
    case '{':
      return text === '{}' ? {} : beyond();
    case '[':
      return text === '[]' ? [] : beyond();
  }
  const unclear = /^(?:-(?:$| )|---|\.\.\.)|: |:$/;
  if (!PLAIN.test(text) || unclear.test(text)) {
    beyond();
  }
  if (NUMBER.test(text)) {
    return Number(text);
  }
  if (NUMERIC.test(text)) {
    beyond();
  }
  return WORDS.has(text) ? WORDS.get(text) : text;
}
