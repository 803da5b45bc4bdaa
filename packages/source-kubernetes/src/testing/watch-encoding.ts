import { encodeEvent, encodeMessage, encodeObject, frame } from './api-encoding.js';
import type { ApiObject } from './api-object.js';
import { encodeStatus, type ObjectEncoder, type ObjectType, withType } from './object-encoder.js';

/** How the events of a watch are sent. */
export interface WatchEncoding {
  /** The media type of the answer. */
  readonly mediaType: string;
  /** An event about an object; of a bookmark, a part of one. */
  event(type: string, object: ApiObject | object): Buffer;
  /** The event that reports an error. */
  error(status: Readonly<Record<string, unknown>>): Buffer;
  /** The begin of an event. */
  readonly half: Buffer;
  /** A whole event that cannot be read. */
  readonly malformed: Buffer;
  /** The begin of an event that is longer than any. */
  readonly endless: Buffer;
}

/** A line of JSON for each event. */
export function jsonWatch(type: ObjectType, encoder: ObjectEncoder): WatchEncoding {
  const line = (event: string, object: string) => Buffer.from(`{"type":"${event}","object":${object}}\n`);
  return {
    mediaType: 'application/json',
    event: (name, object) =>
      line(name, withType(type, isStored(object) ? encoder.json(type.kind, object) : JSON.stringify(object))),
    error: (status) => line('ERROR', JSON.stringify(status)),
    half: Buffer.from('{"type":"MODIFIED","object":{"metadata":{"na'),
    malformed: Buffer.from('{"type":"MODIFIED","object":{"metadata":{"name":}\n'),
    endless: Buffer.from('{"type":"ADDED","object":{"metadata":{"name":"'),
  };
}

/** A frame of protobuf for each event. */
export function protobufWatch({ kind, apiVersion }: ObjectType, encoder: ObjectEncoder): WatchEncoding {
  const sent = (object: object) =>
    encodeObject(
      apiVersion,
      kind,
      isStored(object) ? encoder.message(kind, object) : encodeMessage(kind, { ...object }),
    );
  const whole = encodeEvent('MODIFIED', sent({ metadata: { name: 'x' } }));
  return {
    mediaType: 'application/vnd.kubernetes.protobuf;stream=watch',
    event: (name, object) => encodeEvent(name, sent(object)),
    error: (status) => encodeEvent('ERROR', encodeStatus(status)),
    half: whole.subarray(0, whole.length / 2),
    // Its last field is cut off.
    malformed: frame(whole.subarray(4, -1)),
    endless: frame(whole.subarray(4), 0xffff_ffff),
  };
}

/** An object of the store, whose encoding is kept. */
function isStored(object: object): object is ApiObject {
  return (
    'metadata' in object && typeof object.metadata === 'object' && object.metadata !== null && 'uid' in object.metadata
  );
}
