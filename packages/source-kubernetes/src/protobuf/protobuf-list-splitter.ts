import type { UnknownRecord } from '@kube-proxier/core';
import { ByteCollector } from '../api/byte-collector.js';
import { ApiError, ResponseTooLarge } from '../api/kubernetes-error.js';
import { whole } from '../watch/object-shape.js';
import {
  CONTENT_ENCODING_TAG,
  CONTENT_TYPE_TAG,
  checkContent,
  MAGIC,
  RAW_TAG,
  readTypeMeta,
  TYPE_META_TAG,
} from './envelope.js';
import { LIST_META } from './kubernetes-messages.js';
import { MessageReader } from './message-reader.js';
import { ProtobufError } from './protobuf-error.js';
import { checkedLength, checkedTag, DELIMITED, fixedSize, VARINT, VarintCollector } from './wire-reader.js';

/** Tags of a list. */
const LIST_META_TAG = (1 << 3) | DELIMITED;
const ITEM_TAG = (2 << 3) | DELIMITED;
/** Maximum size of all values around the items. Real values have a few hundred bytes. */
const MAX_HEAD_BYTES = 1024 * 1024;

/**
 * Parser state: the magic bytes (`magic`), the tag of a field, the length of its value, its value, a skipped value, or
 * a skipped number.
 */
type Next = 'magic' | 'tag' | 'length' | 'value' | 'skipped' | 'number';

const listMetaReader = new MessageReader(LIST_META, whole);

/**
 * Splits a list of the Kubernetes API in protobuf while its bytes arrive, for any chunk size: each item is read as soon as it is
 * complete, and only the incomplete one is buffered.
 */
export class ProtobufListSplitter<Item> {
  /** The received part of a value. */
  readonly #pending = new ByteCollector();
  readonly #varint = new VarintCollector();
  #next: Next = 'magic';
  #tag = 0;
  /** Missing bytes of the value. */
  #missing = MAGIC.length;
  /** Bytes that were read. */
  #position = 0;
  /** End position of the list; undefined outside of it. */
  #listEnd: number | undefined;
  #hasList = false;
  #hasItems = false;
  #head: UnknownRecord = {};
  /** Bytes of values around the items. */
  #headBytes = 0;

  /**
   * @param kind of the objects.
   * @param maxItemBytes maximum size of one item.
   * @param readItem reads an item, from one position to another.
   */
  constructor(
    private readonly kind: string,
    private readonly maxItemBytes: number,
    private readonly readItem: (bytes: Buffer, from: number, to: number) => Item,
  ) {}

  /** The part of the list before its items; undefined before the first item. `items` is empty. */
  get head(): UnknownRecord | undefined {
    return this.#hasItems ? { ...this.#head, items: [] } : undefined;
  }

  /**
   * @returns the items that this chunk completes.
   * @throws ApiError `API_RESPONSE_INVALID` when it is not a list of such objects, or an item is too long.
   */
  push(chunk: Buffer): readonly Item[] {
    const items: Item[] = [];
    let at = 0;
    while (at < chunk.length) {
      const next = this.#readPart(chunk, at, items);
      this.#position += next - at;
      at = next;
      this.#checkEndOfList();
    }
    return items;
  }

  /**
   * Ends the list.
   *
   * @returns the list without its items: `items` is empty where there is a list, and absent where there is none.
   * @throws ApiError `API_RESPONSE_INVALID` when it is truncated.
   */
  end(): UnknownRecord {
    if (this.#next !== 'tag' || !this.#varint.isEmpty || this.#listEnd !== undefined) {
      throw new ApiError('API_RESPONSE_INVALID', 'the response is not complete: it ends within a list');
    }
    return this.#hasList ? { ...this.#head, items: [] } : this.#head;
  }

  /** @returns the position after the read part. */
  #readPart(chunk: Buffer, at: number, items: Item[]): number {
    switch (this.#next) {
      case 'tag':
      case 'length':
      case 'number':
        this.#readNumber(chunk[at] ?? 0, items);
        return at + 1;
      case 'skipped': {
        const end = Math.min(chunk.length, at + this.#missing);
        this.#missing -= end - at;
        if (this.#missing === 0) {
          this.#next = 'tag';
        }
        return end;
      }
      default:
        return this.#readValue(chunk, at, items);
    }
  }

  #readNumber(byte: number, items: Item[]): void {
    const value = this.#varint.push(byte);
    if (value === undefined) {
      return;
    }
    if (this.#next === 'number') {
      this.#next = 'tag';
    } else if (this.#next === 'length') {
      this.#beginValue(checkedLength(value), this.#position + 1, items);
    } else {
      this.#tag = checkedTag(value);
      const type = this.#tag & 7;
      if (type === DELIMITED) {
        this.#next = 'length';
      } else if (type === VARINT) {
        this.#next = 'number';
      } else {
        this.#beginSkipped(fixedSize(type), this.#position + 1);
      }
    }
  }

  #beginValue(length: number, position: number, items: Item[]): void {
    if (this.#listEnd === undefined && this.#tag === RAW_TAG) {
      this.#beginList(position + length);
      return;
    }
    if (!this.#isRead()) {
      this.#beginSkipped(length, position);
      return;
    }
    if (this.#isItem()) {
      this.#checkWithinList(position + length);
      if (length > this.maxItemBytes) {
        throw new ResponseTooLarge(this.maxItemBytes);
      }
      this.#hasItems = true;
    } else {
      this.#checkHead(length, position);
    }
    this.#missing = length;
    this.#next = 'value';
    if (length === 0) {
      this.#complete(Buffer.alloc(0), 0, 0, items);
    }
  }

  #beginSkipped(length: number, position: number): void {
    this.#checkHead(length, position);
    this.#missing = length;
    this.#next = length === 0 ? 'tag' : 'skipped';
  }

  #beginList(end: number): void {
    if (this.#hasList) {
      throw new ApiError('API_RESPONSE_INVALID', 'the response has items twice');
    }
    if (this.#head.kind !== undefined && this.#head.kind !== `${this.kind}List`) {
      throw new ApiError('API_RESPONSE_INVALID', `the response is not a ${this.kind}List`);
    }
    this.#hasList = true;
    this.#listEnd = end;
    this.#next = 'tag';
  }

  /** Whether the value of this field is read; other fields are skipped. */
  #isRead(): boolean {
    if (this.#listEnd !== undefined) {
      return this.#tag === ITEM_TAG || this.#tag === LIST_META_TAG;
    }
    return this.#tag === TYPE_META_TAG || this.#tag === CONTENT_TYPE_TAG || this.#tag === CONTENT_ENCODING_TAG;
  }

  #isItem(): boolean {
    return this.#listEnd !== undefined && this.#tag === ITEM_TAG;
  }

  /** Reads a value when it is complete. */
  #readValue(chunk: Buffer, at: number, items: Item[]): number {
    const end = at + this.#missing;
    if (end > chunk.length) {
      this.#pending.push(chunk.subarray(at));
      this.#missing = end - chunk.length;
      return chunk.length;
    }
    if (this.#pending.length === 0) {
      this.#complete(chunk, at, end, items);
    } else {
      this.#pending.push(chunk.subarray(at, end));
      const bytes = this.#pending.takeBytes();
      this.#complete(bytes, 0, bytes.length, items);
      this.#pending.clear();
    }
    return end;
  }

  #complete(bytes: Buffer, from: number, to: number, items: Item[]): void {
    if (this.#next === 'magic') {
      if (MAGIC.compare(bytes, from, to) !== 0) {
        throw new ProtobufError('it does not begin with "k8s"');
      }
    } else if (this.#isItem()) {
      items.push(this.readItem(bytes, from, to));
    } else if (this.#listEnd !== undefined) {
      this.#head = { ...this.#head, metadata: listMetaReader.read(bytes, from, to) };
    } else if (this.#tag === TYPE_META_TAG) {
      this.#head = { ...this.#head, ...readTypeMeta(bytes, from, to) };
    } else {
      checkContent(bytes.toString('utf8', from, to));
    }
    this.#next = 'tag';
  }

  #checkHead(length: number, position: number): void {
    this.#checkWithinList(position + length);
    this.#headBytes += length;
    if (this.#headBytes > MAX_HEAD_BYTES) {
      throw new ResponseTooLarge(MAX_HEAD_BYTES);
    }
  }

  #checkWithinList(position: number): void {
    if (this.#listEnd !== undefined && position > this.#listEnd) {
      throw new ProtobufError('a length exceeds the list that it is in');
    }
  }

  #checkEndOfList(): void {
    if (this.#listEnd !== undefined && this.#position >= this.#listEnd) {
      if (this.#next !== 'tag' || !this.#varint.isEmpty) {
        throw new ProtobufError('a list ends within a field');
      }
      this.#listEnd = undefined;
    }
  }
}
