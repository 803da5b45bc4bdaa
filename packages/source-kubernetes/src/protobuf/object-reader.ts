import { isRecord, isText, printable } from '@kube-proxier/core';
import { statusError } from '../api/api-client.js';
import { ApiError } from '../api/kubernetes-error.js';
import { anyFieldsOf, fields, type Shape, whole } from '../watch/object-shape.js';
import { keyOf, type ReceivedObject } from '../watch/received-object.js';
import { INITIAL_EVENTS_END, isWatchEventType, type WatchEvent } from '../watch/watch-event.js';
import { openEnvelope, readStatus } from './envelope.js';
import type { MessageLayout } from './message-layout.js';
import { MessageReader } from './message-reader.js';
import { ProtobufError } from './protobuf-error.js';
import { DELIMITED, WireReader } from './wire-reader.js';

/** Tags of a `metav1.WatchEvent`, and of the `runtime.RawExtension` in it. */
const TYPE_TAG = (1 << 3) | DELIMITED;
const OBJECT_TAG = (2 << 3) | DELIMITED;
const RAW_TAG = (1 << 3) | DELIMITED;

/** The fields of an event besides its object. */
const versioned = fields({
  metadata: fields({ resourceVersion: whole, annotations: anyFieldsOf({ [INITIAL_EVENTS_END]: whole }) }),
});

/** Reads the objects of one kind from protobuf. */
export class ObjectReader {
  readonly #objects: MessageReader;
  readonly #versions: MessageReader;
  readonly #wire = new WireReader();

  /** @param shape the retained part: has the name and the namespace. */
  constructor(
    private readonly kind: string,
    layout: MessageLayout,
    shape: Shape,
  ) {
    this.#objects = new MessageReader(layout, shape);
    this.#versions = new MessageReader(layout, versioned);
  }

  /**
   * Reads an item of a list, from one position to another.
   *
   * @throws ProtobufError
   */
  readItem(bytes: Buffer, from: number, to: number): ReceivedObject {
    const kept = this.#objects.read(bytes, from, to);
    return { key: keyOf(kept), kept };
  }

  /**
   * Reads an event of a watch.
   *
   * @throws ApiError when it is malformed; ApiStatusError when it is an error of the server.
   */
  readEvent(frame: Buffer): WatchEvent {
    const { type, from, to } = this.#openEvent(frame);
    if (type === 'ERROR') {
      throw statusError(readStatus(frame, from, to), 500);
    }
    if (!isWatchEventType(type)) {
      throw new ApiError('API_RESPONSE_INVALID', `an event is of the unknown type ${printable(type, 30)}`);
    }
    const envelope = openEnvelope(frame, from, to);
    if (envelope.kind !== this.kind) {
      throw new ProtobufError(`an event has a ${printable(envelope.kind ?? 'nothing', 60)} instead of a ${this.kind}`);
    }
    const { metadata } = this.#versions.read(frame, envelope.from, envelope.to);
    const { annotations, resourceVersion } = isRecord(metadata) ? metadata : {};
    return {
      type,
      object: this.readItem(frame, envelope.from, envelope.to),
      resourceVersion: isText(resourceVersion) ? resourceVersion : undefined,
      endsInitialEvents: type === 'BOOKMARK' && isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true',
    };
  }

  #openEvent(frame: Buffer): { readonly type: string; readonly from: number; readonly to: number } {
    const wire = this.#wire;
    wire.open(frame, 0, frame.length);
    let type = '';
    let from: number | undefined;
    let to = 0;
    while (wire.at < wire.end) {
      const tag = wire.tag();
      if (tag === TYPE_TAG) {
        type = wire.text();
      } else if (tag === OBJECT_TAG) {
        const outer = wire.end;
        wire.end = wire.delimited();
        while (wire.at < wire.end) {
          const inner = wire.tag();
          if (inner === RAW_TAG) {
            if (from !== undefined) {
              throw new ProtobufError('an event has two objects');
            }
            to = wire.delimited();
            from = wire.at;
            wire.at = to;
          } else {
            wire.skip(inner & 7);
          }
        }
        wire.end = outer;
      } else {
        wire.skip(tag & 7);
      }
    }
    if (from === undefined) {
      throw new ApiError('API_RESPONSE_INVALID', 'an event is not an object');
    }
    return { type, from, to };
  }
}
