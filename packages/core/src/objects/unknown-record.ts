/** An external object before its validation. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and neither null nor a list. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a string that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
