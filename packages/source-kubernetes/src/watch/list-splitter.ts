import { StringDecoder } from 'node:string_decoder';
import { isRecord, messageOf, printable, type UnknownRecord } from '@kube-proxier/core';
import { ByteCollector } from '../api/byte-collector.js';
import { ApiError, ResponseTooLarge } from '../api/kubernetes-error.js';

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Maximum size of everything around the items. A real head has a few hundred bytes. */
const MAX_HEAD_BYTES = 1024 * 1024;
/** Maximum size of a compared name; longer names cannot be `items`. */
const MAX_NAME_BYTES = 100;

/**
 * Parser state: in the `head`; before an item or the end of the items (`first`); after an item (`after`); after a comma
 * (`next`); in an item that is an object or array (`nested`), a string (`text`) or another value (`plain`).
 */
type Place = 'head' | 'first' | 'after' | 'next' | 'nested' | 'text' | 'plain';

/**
 * Splits a list of the Kubernetes API, `{"kind": …, "metadata": …, "items": […]}`, while its bytes arrive, for any
 * chunk size: each item is parsed as soon as it is complete, and only the incomplete one is buffered. The items and the
 * rest together equal the result of `JSON.parse`.
 */
export class ListSplitter {
  readonly #item = new ByteCollector();
  /** Everything but the items, decoded. */
  #head = '';
  readonly #decoder = new StringDecoder('utf8');
  #headBefore: UnknownRecord | undefined;
  #place: Place = 'head';
  /** Open objects and arrays, in the head or in the item. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Bytes of the name that is read in the outermost object; undefined outside of a name. */
  #nameBytes: number[] | undefined;
  #name = '';
  /** Whether a value of the outermost object follows, not a name. */
  #valueNext = false;
  #hasItems = false;

  /** @param maxItemBytes maximum size of one item. */
  constructor(private readonly maxItemBytes: number) {}

  /** The part of the list before its items; undefined before the first item. `items` is empty. */
  get head(): UnknownRecord | undefined {
    return this.#headBefore;
  }

  /**
   * @returns the items that this chunk completes.
   * @throws ApiError `API_RESPONSE_INVALID` when an item is not JSON, or too long.
   */
  push(chunk: Buffer): readonly unknown[] {
    const items: unknown[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#place === 'head') {
        at = this.#readHead(chunk, at);
      } else if (this.#place === 'first' || this.#place === 'next' || this.#place === 'after') {
        at = this.#readBetween(chunk, at);
      } else {
        const end = this.#endOfItem(chunk, at);
        if (end < 0) {
          this.#hold(chunk.subarray(at));
          break;
        }
        items.push(this.#parseItem(chunk, at, end));
        this.#place = 'after';
        at = end;
      }
    }
    return items;
  }

  /**
   * Ends the list.
   *
   * @returns the list without its items: `items` is empty where it is a list, and absent where it was absent.
   * @throws ApiError `API_RESPONSE_INVALID` when it is not JSON, is truncated, or is not an object.
   */
  end(): UnknownRecord {
    this.#head += this.#decoder.end();
    if (this.#place !== 'head') {
      throw new ApiError('API_RESPONSE_INVALID', 'the response is not JSON: it ends within the items of a list');
    }
    return parseHead(this.#head);
  }

  /** Reads until the items begin. @returns the position after the read part. */
  #readHead(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0;
      at += 1;
      if (this.#inString) {
        this.#readHeadString(byte);
      } else if (byte === QUOTE) {
        this.#inString = true;
        this.#nameBytes = this.#depth === 1 && !this.#valueNext ? [] : undefined;
      } else if (byte === OPEN_ARRAY && this.#depth === 1 && this.#valueNext && this.#name === 'items') {
        this.#extendHead(chunk.subarray(from, at));
        this.#beginItems();
        return at;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.#depth += 1;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#depth -= 1;
      } else if (this.#depth === 1 && byte === COLON) {
        this.#valueNext = true;
      } else if (this.#depth === 1 && byte === COMMA) {
        this.#valueNext = false;
      }
    }
    this.#extendHead(chunk.subarray(from, at));
    return at;
  }

  #readHeadString(byte: number): void {
    if (byte === QUOTE && !this.#escaped) {
      this.#inString = false;
      if (this.#nameBytes) {
        this.#name = decodeName(this.#nameBytes);
        this.#nameBytes = undefined;
      }
      return;
    }
    this.#escaped = byte === BACKSLASH && !this.#escaped;
    if (this.#nameBytes && this.#nameBytes.length < MAX_NAME_BYTES) {
      this.#nameBytes.push(byte);
    }
  }

  #beginItems(): void {
    if (this.#hasItems) {
      // JSON.parse would use the last ones only.
      throw new ApiError('API_RESPONSE_INVALID', 'the response has items twice');
    }
    this.#hasItems = true;
    this.#headBefore = parseHead(`${this.#head}]}`);
    this.#place = 'first';
    this.#valueNext = false;
  }

  #readBetween(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0;
      if (byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB) {
        at += 1;
      } else if (byte === CLOSE_ARRAY && this.#place !== 'next') {
        // The head continues with the end of this array, in the outermost object.
        this.#place = 'head';
        this.#depth = 2;
        this.#inString = false;
        return at;
      } else if (this.#place === 'after') {
        if (byte !== COMMA) {
          throw new ApiError('API_RESPONSE_INVALID', 'the response is not JSON: there is no comma between two items');
        }
        this.#place = 'next';
        at += 1;
      } else {
        this.#beginItem(byte);
        return at;
      }
    }
    return at;
  }

  #beginItem(byte: number): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#place = byte === OPEN_OBJECT || byte === OPEN_ARRAY ? 'nested' : byte === QUOTE ? 'text' : 'plain';
  }

  /** @returns the position after the item that `chunk` continues at `from`; -1 when it does not end here. */
  #endOfItem(chunk: Buffer, from: number): number {
    if (this.#place === 'plain') {
      return endOfPlain(chunk, from);
    }
    // The innermost loop: local variables make it twice as fast.
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    const { length } = chunk;
    const endOfString = this.#place === 'text' ? 0 : -1;
    let at = from;
    let found = -1;
    while (at < length) {
      const byte = chunk[at];
      at += 1;
      if (inString) {
        if (escaped) {
          escaped = false;
        } else if (byte === BACKSLASH) {
          escaped = true;
        } else if (byte === QUOTE) {
          inString = false;
          if (depth === endOfString) {
            found = at;
            break;
          }
        }
      } else if (byte === QUOTE) {
        inString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        depth += 1;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth -= 1;
        if (depth === 0) {
          found = at;
          break;
        }
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    return found;
  }

  #parseItem(chunk: Buffer, from: number, end: number): unknown {
    let text: string;
    if (this.#item.length === 0) {
      this.#checkItem(end - from);
      text = chunk.toString('utf8', from, end);
    } else {
      this.#hold(chunk.subarray(from, end));
      text = this.#item.take();
    }
    return parse(text);
  }

  #hold(part: Buffer): void {
    this.#checkItem(this.#item.length + part.length);
    this.#item.push(part);
  }

  #checkItem(size: number): void {
    if (size > this.maxItemBytes) {
      this.#item.clear();
      throw new ResponseTooLarge(this.maxItemBytes);
    }
  }

  #extendHead(part: Buffer): void {
    this.#head += this.#decoder.write(part);
    if (this.#head.length > MAX_HEAD_BYTES) {
      this.#head = '';
      throw new ResponseTooLarge(MAX_HEAD_BYTES);
    }
  }
}

function endOfPlain(chunk: Buffer, from: number): number {
  for (let at = from; at < chunk.length; at += 1) {
    const byte = chunk[at];
    if (
      byte === COMMA ||
      byte === CLOSE_ARRAY ||
      byte === CLOSE_OBJECT ||
      byte === SPACE ||
      byte === NEWLINE ||
      byte === RETURN ||
      byte === TAB
    ) {
      return at;
    }
  }
  return -1;
}

/** A name may be written with escapes. */
function decodeName(bytes: readonly number[]): string {
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.includes('\\')) {
    return text;
  }
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return '';
  }
}

function parseHead(text: string): UnknownRecord {
  const head = parse(text);
  if (!isRecord(head)) {
    throw new ApiError('API_RESPONSE_INVALID', 'the response is not a list of objects');
  }
  return head;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError('API_RESPONSE_INVALID', `the response is not JSON: ${printable(messageOf(error))}`, {
      cause: error,
    });
  }
}
