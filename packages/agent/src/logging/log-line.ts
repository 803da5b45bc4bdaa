import { isProxierError, type LogFields, printable } from '@kube-proxier/core';

/** Maximum number of characters of a message in a log line or on the terminal. */
export const MAX_MESSAGE_LENGTH = 8192;
const MAX_KEY_LENGTH = 64;
const MAX_VALUE_LENGTH = 2048;

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** One log entry. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  /** Verbosity level; 0 for everything but `debug`. */
  readonly v: number;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** One line of text: `2026-01-31T12:00:00.000Z INFO  message key="value"`. All text is {@link printable}. */
export function formatTextLine(entry: LogEntry): string {
  const level = entry.level.toUpperCase().padEnd(5);
  const fields = Object.entries(entry.fields ?? {}).map(
    ([key, value]) => ` ${printable(key, MAX_KEY_LENGTH)}=${textOf(value)}`,
  );
  return `${new Date(entry.time).toISOString()} ${level} ${printable(entry.message, MAX_MESSAGE_LENGTH)}${fields.join('')}`;
}

/** One line of JSON in ASCII: an object with `ts` (milliseconds since the epoch), `level`, `v`, `msg` and the fields. */
export function formatJsonLine(entry: LogEntry): string {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry.fields ?? {})) {
    fields[key] = plainOf(value);
  }
  const line = { ...fields, ts: entry.time, level: entry.level, v: entry.v, msg: entry.message };
  // JSON does not escape characters that are line breaks for some readers, or that change how a terminal shows the line.
  return (stringify(line) ?? '{}').replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function textOf(value: unknown): string {
  const plain = plainOf(value);
  return printable(stringify(plain) ?? String(plain), MAX_VALUE_LENGTH);
}

/** The JSON form of a value; errors as message and code. */
function plainOf(value: unknown): unknown {
  if (value instanceof Error) {
    return isProxierError(value) ? `${value.code}: ${value.message}` : `${value.name}: ${value.message}`;
  }
  return typeof value === 'bigint' ? value.toString() : value;
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, inner: unknown) => plainOf(inner));
  } catch {
    return '"(cannot be shown)"';
  }
}
