/** An unvalidated object. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
