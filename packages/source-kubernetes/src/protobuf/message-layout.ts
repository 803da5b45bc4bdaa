/**
 * How Kubernetes encodes a field without a value in JSON. In protobuf, it always writes strings, numbers and
 * structures, and writes pointers, lists and maps if they have a value.
 *
 * - `omitted`: omitted (`omitempty`).
 * - `written`: the zero value: an empty string, 0, false, null for a list.
 * - `pointer`: omitted without a value; an empty string, 0 and false are values.
 */
export type Presence = 'omitted' | 'written' | 'pointer';

/** One field of a message. A structure (`message` without `pointer`) is never absent in JSON. */
export interface FieldLayout {
  /** Its number in the .proto file. */
  readonly number: number;
  readonly type: 'text' | 'int32' | 'int64' | 'bool' | 'time' | 'bytes' | 'map' | 'message';
  readonly presence: Presence;
  /** Whether it is a list. */
  readonly repeated: boolean;
  /** Of a field that is a message. */
  readonly message?: MessageLayout;
}

/** A message, by the names of its fields in JSON. Other fields are skipped. */
export interface MessageLayout {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldLayout>>;
}

/** Declares a message. */
export function message(name: string, fields: Readonly<Record<string, FieldLayout>>): MessageLayout {
  return { name, fields };
}

function scalar(type: FieldLayout['type']) {
  return (number: number, presence: Presence = 'omitted'): FieldLayout => ({ number, type, presence, repeated: false });
}

export const text = scalar('text');
export const int32 = scalar('int32');
export const int64 = scalar('int64');
export const bool = scalar('bool');
/** A `metav1.Time`, in JSON a text with a precision of a second. */
export const time = scalar('time');

/** A list of texts. */
export function texts(number: number, presence: Presence = 'omitted'): FieldLayout {
  return { number, type: 'text', presence, repeated: true };
}

/** A map of texts. */
export function textMap(number: number): FieldLayout {
  return { number, type: 'map', presence: 'omitted', repeated: false };
}

/** A structure within its message. */
export function structure(number: number, layout: MessageLayout): FieldLayout {
  return { number, type: 'message', presence: 'written', repeated: false, message: layout };
}

/** A structure that may be absent. */
export function pointer(number: number, layout: MessageLayout): FieldLayout {
  return { number, type: 'message', presence: 'pointer', repeated: false, message: layout };
}

/** A list of structures. */
export function list(number: number, layout: MessageLayout, presence: Presence = 'omitted'): FieldLayout {
  return { number, type: 'message', presence, repeated: true, message: layout };
}
