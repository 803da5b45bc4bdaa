import type { UnknownRecord } from '@kube-proxier/core';
import { ApiError, ApiStatusError } from '../api/kubernetes-error.js';
import { FrameSplitter } from '../protobuf/frame-splitter.js';
import { ObjectReader } from '../protobuf/object-reader.js';
import { ProtobufError } from '../protobuf/protobuf-error.js';
import { ProtobufListSplitter } from '../protobuf/protobuf-list-splitter.js';
import { parseWatchEvent } from './json-events.js';
import { LineSplitter } from './line-splitter.js';
import { ListSplitter } from './list-splitter.js';
import type { ProtobufSupport } from './protobuf-support.js';
import { type ReceivedObject, receivedObject } from './received-object.js';
import type { WatchEvent } from './watch-event.js';
import type { WatchedResource } from './watched-resource.js';

/** Reads a list while its bytes arrive. */
export interface ListReader {
  /** The part of the list before its items; undefined before the first item. */
  readonly head: UnknownRecord | undefined;
  /** @returns the items that this chunk completes. */
  push(chunk: Buffer): readonly ReceivedObject[];
  /** Ends the list. @returns the list without its items. */
  end(): UnknownRecord;
}

/** Reads the events of a watch while its bytes arrive. */
export interface EventReader {
  /**
   * The events that this chunk completes. Parsed lazily: events before a malformed one are delivered, and must be
   * iterated before the next chunk.
   */
  push(chunk: Buffer): Iterable<WatchEvent>;
}

/** HTTP status of a server without an accepted encoding. */
const NOT_ACCEPTABLE = 406;
/** Number of unreadable answers after which protobuf is no longer requested. */
const UNREADABLE_ANSWERS = 3;

/** The encoding in which objects of one resource are requested and read: protobuf if possible, else JSON. */
export class ObjectFormat {
  #reader: ObjectReader | undefined;
  /** Number of answers in protobuf that could not be read. */
  #unreadable = 0;

  constructor(
    private readonly resource: Pick<WatchedResource, 'kind' | 'protobuf' | 'shape'>,
    private readonly support: ProtobufSupport,
  ) {}

  /** Whether protobuf is requested. */
  get acceptsProtobuf(): boolean {
    return this.resource.protobuf !== undefined && !this.support.isRefused && this.#unreadable < UNREADABLE_ANSWERS;
  }

  /**
   * A request for protobuf failed.
   *
   * @returns whether protobuf is the reason and is disabled: the same request for JSON may succeed.
   */
  failed(error: unknown): boolean {
    if (error instanceof ProtobufError) {
      this.#unreadable += 1;
    } else if (error instanceof ApiStatusError && error.status === NOT_ACCEPTABLE) {
      this.support.refuse();
    }
    return !this.acceptsProtobuf;
  }

  /** @param isProtobuf whether the answer is in protobuf. */
  listReader(isProtobuf: boolean, maxItemBytes: number): ListReader {
    const { kind, shape } = this.resource;
    if (isProtobuf) {
      const reader = this.#objectReader();
      return new ProtobufListSplitter(kind, maxItemBytes, (bytes, from, to) => reader.readItem(bytes, from, to));
    }
    const splitter = new ListSplitter(maxItemBytes);
    return {
      get head() {
        return splitter.head;
      },
      push: (chunk) => splitter.push(chunk).map((item) => receivedObject(item, shape)),
      end: () => splitter.end(),
    };
  }

  /** @param isProtobuf whether the answer is in protobuf. */
  eventReader(isProtobuf: boolean, maxEventBytes: number): EventReader {
    if (isProtobuf) {
      const reader = this.#objectReader();
      const frames = new FrameSplitter(maxEventBytes);
      return { push: (chunk) => mapped(frames.push(chunk), (frame) => reader.readEvent(frame)) };
    }
    const { shape } = this.resource;
    const lines = new LineSplitter(maxEventBytes);
    return { push: (chunk) => mapped(lines.push(chunk), (line) => parseWatchEvent(line, shape)) };
  }

  #objectReader(): ObjectReader {
    const { kind, protobuf, shape } = this.resource;
    if (protobuf === undefined) {
      throw new ApiError('API_RESPONSE_INVALID', 'the answer is protobuf, which was not requested');
    }
    this.#reader ??= new ObjectReader(kind, protobuf, shape);
    return this.#reader;
  }
}

function* mapped<From, To>(items: Iterable<From>, map: (item: From) => To): Generator<To, void, undefined> {
  for (const item of items) {
    yield map(item);
  }
}
