import { isRecord, type UnknownRecord } from '@kube-proxier/core';
import { API_MESSAGES } from './api-messages.js';
import { ProtobufWriter } from './protobuf-writer.js';

/** What all answers in protobuf begin with. */
const MAGIC = Buffer.from('k8s\0');
const FIELD = /^(\d+) (\w+)(\*?)(\??)(!?)$/;

interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly isList: boolean;
  readonly isPointer: boolean;
  readonly isWritten: boolean;
}

/** An object that no API server would store: a field has a value of a wrong type. */
export class NotEncodable extends Error {}

const MESSAGES: ReadonlyMap<string, readonly Field[]> = new Map(
  Object.entries<Readonly<Record<string, string>>>(API_MESSAGES).map(([message, fields]) => [
    message,
    Object.entries(fields).map(([name, text]) => {
      const [, number, type = '', list, pointer, written] = FIELD.exec(text) ?? [];
      return {
        ...{ name, number: Number(number), type },
        ...{ isList: list === '*', isPointer: pointer === '?', isWritten: written === '!' },
      };
    }),
  ]),
);

/** In the order of their numbers: as Kubernetes writes them. */
const ORDERED: ReadonlyMap<string, readonly Field[]> = new Map(
  [...MESSAGES].map(([message, fields]) => [message, [...fields].sort((a, b) => a.number - b.number)]),
);

/** Whether objects of a kind have a protobuf message here. */
export function hasMessage(kind: string): boolean {
  return MESSAGES.has(kind);
}

/**
 * An object in an API server's JSON: without unknown fields, and with all mandatory ones.
 *
 * @throws NotEncodable
 */
export function normalizedObject(kind: string, object: UnknownRecord): UnknownRecord {
  return normalizedMessage(kind, object);
}

/**
 * The message of an object.
 *
 * @param message the name of its type.
 * @throws NotEncodable
 */
export function encodeMessage(message: string, object: UnknownRecord): Buffer {
  const writer = new ProtobufWriter();
  for (const field of ORDERED.get(message) ?? []) {
    const value = object[field.name];
    if (field.isList) {
      for (const item of itemsOf(field, value)) {
        writeValue(writer, field, item);
      }
    } else if (value !== undefined && value !== null) {
      writeValue(writer, field, value);
    } else if (!field.isPointer) {
      writeZero(writer, field);
    }
  }
  return writer.bytes;
}

/** An object with its type, as it is sent. */
export function encodeObject(apiVersion: string, kind: string, message: Uint8Array): Buffer {
  const type = new ProtobufWriter().delimited(1, apiVersion).delimited(2, kind).bytes;
  return new ProtobufWriter().raw(MAGIC).delimited(1, type).delimited(2, message).delimited(3, '').delimited(4, '')
    .bytes;
}

/** Bytes of a part of a list. */
const LIST_PART = 256 * 1024;

/** A list, as it is sent. @param items their messages. */
export function encodeList(...list: Parameters<typeof encodeListInParts>): Buffer {
  return Buffer.concat([...encodeListInParts(...list)]);
}

/** The same in parts, each encoded when it is requested. @param items their messages. */
export function* encodeListInParts(
  apiVersion: string,
  kind: string,
  metadata: UnknownRecord,
  items: readonly Uint8Array[],
): Generator<Buffer> {
  const listMeta = new ProtobufWriter().delimited(1, encodeMessage('ListMeta', metadata)).bytes;
  const size = items.reduce((sum, { length }) => sum + 1 + varintSize(length) + length, listMeta.length);
  const type = new ProtobufWriter().delimited(1, apiVersion).delimited(2, `${kind}List`).bytes;
  const partSize = Math.min(size + 1024, LIST_PART + 16 * 1024);
  let part = new ProtobufWriter(partSize).raw(MAGIC).delimited(1, type).header(2, size).raw(listMeta);
  for (const item of items) {
    part.delimited(2, item);
    if (part.bytes.length >= LIST_PART) {
      yield part.bytes;
      part = new ProtobufWriter(partSize);
    }
  }
  yield part.delimited(3, '').delimited(4, '').bytes;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) {
    size += 1;
  }
  return size;
}

/** An item as it is in a list. @param message its message. */
export function encodeItem(message: Uint8Array): Buffer {
  return new ProtobufWriter().delimited(2, message).bytes;
}

/** The begin of a list that has as many bytes as a list can have, before its items. */
export function beginEndlessList(apiVersion: string, kind: string, metadata: UnknownRecord): Buffer {
  const type = new ProtobufWriter().delimited(1, apiVersion).delimited(2, `${kind}List`).bytes;
  return new ProtobufWriter()
    .raw(MAGIC)
    .delimited(1, type)
    .header(2, 0x7fff_ffff)
    .delimited(1, encodeMessage('ListMeta', metadata)).bytes;
}

/** Whether an answer is in protobuf; otherwise it is text. */
export function isProtobufBody(body: Buffer): boolean {
  return body.subarray(0, MAGIC.length).equals(MAGIC);
}

/** The same answer, padded by this many bytes. */
export function padded(body: Buffer, bytes: number): Buffer {
  const padding = Buffer.alloc(bytes, ' ');
  return Buffer.concat([body, isProtobufBody(body) ? new ProtobufWriter().delimited(100, padding).bytes : padding]);
}

/** An event of a watch, as it is sent: in a frame. @param object as it is sent. */
export function encodeEvent(type: string, object: Uint8Array): Buffer {
  const raw = new ProtobufWriter().delimited(1, object).bytes;
  return frame(new ProtobufWriter().delimited(1, type).delimited(2, raw).bytes);
}

/** Bytes with their length before them. @param length default: theirs. */
export function frame(bytes: Uint8Array, length = bytes.length): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(length);
  return Buffer.concat([header, bytes]);
}

function normalizedMessage(message: string, object: UnknownRecord): UnknownRecord {
  const normalized: Record<string, unknown> = {};
  for (const field of MESSAGES.get(message) ?? []) {
    const value = object[field.name];
    const known = field.isList ? normalizedList(field, value) : normalizedField(field, value);
    if (known !== undefined) {
      normalized[field.name] = known;
    }
  }
  return normalized;
}

function normalizedList(field: Field, value: unknown): unknown {
  const items = itemsOf(field, value);
  return items.length > 0 ? items.map((item) => normalizedValue(field, item)) : field.isWritten ? null : undefined;
}

function normalizedField(field: Field, value: unknown): unknown {
  const { type, isPointer, isWritten } = field;
  if (value === undefined || value === null) {
    if (isPointer) {
      return undefined;
    }
    return MESSAGES.has(type)
      ? normalizedMessage(type, {})
      : isWritten || type === 'IntOrString'
        ? zeroOf(type)
        : undefined;
  }
  const known = normalizedValue(field, value);
  const isEmpty = type === 'map' || type === 'Quantities' ? Object.keys(value).length === 0 : known === zeroOf(type);
  return isEmpty && !isPointer && !isWritten && type !== 'IntOrString' ? undefined : known;
}

function normalizedValue(field: Field, value: unknown): unknown {
  const { type } = field;
  if (MESSAGES.has(type)) {
    return normalizedMessage(type, recordOf(field, value));
  }
  if (type === 'FieldsV1' || type === 'map' || type === 'Quantities') {
    return recordOf(field, value);
  }
  const expected = type === 'bool' ? 'boolean' : type === 'string' || type === 'Time' ? 'string' : 'number';
  if (typeof value !== expected && !(type === 'IntOrString' && typeof value === 'string')) {
    throw new NotEncodable(`${field.name} is no ${type}`);
  }
  // A precision of a second.
  return type === 'Time' ? String(value).replace(/\.\d+Z$/, 'Z') : value;
}

function zeroOf(type: string): unknown {
  return type === 'string' ? '' : type === 'bool' ? false : type === 'Time' ? null : 0;
}

function itemsOf(field: Field, value: unknown): readonly unknown[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw new NotEncodable(`${field.name} is no list`);
  }
  return value;
}

function recordOf(field: Field, value: unknown): UnknownRecord {
  if (!isRecord(value)) {
    throw new NotEncodable(`${field.name} is no ${field.type}`);
  }
  return value;
}

function writeValue(writer: ProtobufWriter, field: Field, given: unknown): void {
  const { number, type } = field;
  if (type === 'map' || type === 'Quantities') {
    // Kubernetes writes maps in the order of their keys.
    for (const [key, value] of Object.entries(recordOf(field, given)).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const text = textOf(field, value);
      const quantity = new ProtobufWriter().delimited(1, text).bytes;
      writer.delimited(
        number,
        new ProtobufWriter().delimited(1, key).delimited(2, type === 'map' ? text : quantity).bytes,
      );
    }
    return;
  }
  if (MESSAGES.has(type)) {
    writer.delimited(number, encodeMessage(type, recordOf(field, given)));
    return;
  }
  const value = normalizedValue(field, given);
  if (type === 'FieldsV1') {
    writer.delimited(number, new ProtobufWriter().delimited(1, JSON.stringify(value)).bytes);
  } else if (type === 'IntOrString') {
    const isText = typeof value === 'string';
    writer.delimited(
      number,
      new ProtobufWriter()
        .number(1, isText ? 1 : 0)
        .number(2, isText ? 0 : Number(value))
        .delimited(3, isText ? value : '').bytes,
    );
  } else if (type === 'Time') {
    const seconds = Math.floor(Date.parse(textOf(field, value)) / 1000);
    writer.delimited(number, new ProtobufWriter().number(1, seconds).number(2, 0).bytes);
  } else if (type === 'string') {
    writer.delimited(number, textOf(field, value));
  } else {
    writer.number(number, Number(value));
  }
}

/** Zero values, as written by gogo. */
function writeZero(writer: ProtobufWriter, field: Field): void {
  const { number, type } = field;
  if (MESSAGES.has(type)) {
    writer.delimited(number, encodeMessage(type, {}));
  } else if (type === 'IntOrString') {
    writeValue(writer, field, 0);
  } else if (type === 'string' || type === 'Time') {
    writer.delimited(number, '');
  } else if (type !== 'map' && type !== 'Quantities') {
    writer.number(number, 0);
  }
}

function textOf(field: Field, value: unknown): string {
  if (typeof value !== 'string') {
    throw new NotEncodable(`${field.name} is no ${field.type}`);
  }
  return value;
}
