import { isText, printable } from '@kube-proxier/core';
import { PROTOBUF_TYPE } from '../api/media-types.js';
import { whole } from '../watch/object-shape.js';
import { STATUS, TYPE_META } from './kubernetes-messages.js';
import { MessageReader } from './message-reader.js';
import { ProtobufError } from './protobuf-error.js';
import { DELIMITED, WireReader } from './wire-reader.js';

/** Magic bytes of every answer: `k8s`, and the version of the encoding. A `runtime.Unknown` follows. */
export const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
/** Tags of a `runtime.Unknown`. */
export const TYPE_META_TAG = (1 << 3) | DELIMITED;
export const RAW_TAG = (2 << 3) | DELIMITED;
export const CONTENT_ENCODING_TAG = (3 << 3) | DELIMITED;
export const CONTENT_TYPE_TAG = (4 << 3) | DELIMITED;

/** An object with its type, whose message is not decoded yet. */
export interface Envelope {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  /** Position of its message. */
  readonly from: number;
  readonly to: number;
}

const typeReader = new MessageReader(TYPE_META, whole);
const statusReader = new MessageReader(STATUS, whole);
/** One for all: a reader has a cache of texts, which would be allocated for each event. */
const wire = new WireReader();
const EMPTY = Buffer.alloc(0);

/**
 * Opens an object.
 *
 * @param bytes with the object from one position to another.
 * @throws ProtobufError
 */
export function openEnvelope(bytes: Buffer, from = 0, to = bytes.length): Envelope {
  if (to - from < MAGIC.length || MAGIC.compare(bytes, from, from + MAGIC.length) !== 0) {
    throw new ProtobufError('it does not begin with "k8s"');
  }
  wire.open(bytes, from + MAGIC.length, to);
  try {
    return readEnvelope(bytes, to);
  } finally {
    // The bytes may belong to a whole chunk.
    wire.open(EMPTY, 0, 0);
  }
}

function readEnvelope(bytes: Buffer, to: number): Envelope {
  let type: TypeMeta = { apiVersion: undefined, kind: undefined };
  // Without a message the object is empty.
  let place: { readonly from: number; readonly to: number } | undefined;
  while (wire.at < wire.end) {
    const tag = wire.tag();
    if ((tag & 7) !== DELIMITED) {
      wire.skip(tag & 7);
      continue;
    }
    const end = wire.delimited();
    if (tag === TYPE_META_TAG) {
      type = readTypeMeta(bytes, wire.at, end);
    } else if (tag === RAW_TAG) {
      if (place !== undefined) {
        throw new ProtobufError('an object has its message twice');
      }
      place = { from: wire.at, to: end };
    } else if (tag === CONTENT_ENCODING_TAG || tag === CONTENT_TYPE_TAG) {
      checkContent(wire.textUntil(wire.at, end));
    }
    wire.at = end;
  }
  return { ...type, from: place?.from ?? to, to: place?.to ?? to };
}

export interface TypeMeta {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/** Reads a `runtime.TypeMeta`. */
export function readTypeMeta(bytes: Buffer, from: number, to: number): TypeMeta {
  const { apiVersion, kind } = typeReader.read(bytes, from, to);
  return { apiVersion: isText(apiVersion) ? apiVersion : undefined, kind: isText(kind) ? kind : undefined };
}

/** The message could be in another encoding. */
export function checkContent(type: string): void {
  if (type !== '' && type !== PROTOBUF_TYPE) {
    throw new ProtobufError(`it contains ${printable(type, 60)}`);
  }
}

/**
 * Reads a Status object.
 *
 * @throws ProtobufError when it is not one.
 */
export function readStatus(bytes: Buffer, from = 0, to = bytes.length): Readonly<Record<string, unknown>> {
  const envelope = openEnvelope(bytes, from, to);
  if (envelope.kind !== 'Status') {
    throw new ProtobufError(`it is a ${printable(envelope.kind ?? 'nothing', 60)} where a Status is expected`);
  }
  return { kind: 'Status', ...statusReader.read(bytes, envelope.from, envelope.to) };
}
