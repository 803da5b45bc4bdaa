import { isProxierError, type LogFields } from '@kube-proxier/core';
import { printable } from './printable.js';

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

/** One line of text: `2026-01-31T12:00:00.000Z INFO  message key="value"`. Line breaks are escaped. */
export function formatTextLine(entry: LogEntry): string {
  const level = entry.level.toUpperCase().padEnd(5);
  const fields = Object.entries(entry.fields ?? {}).map(([key, value]) => ` ${printable(key, 64)}=${textOf(value)}`);
  return `${new Date(entry.time).toISOString()} ${level} ${printable(entry.message)}${fields.join('')}`;
}

/** One line of JSON: an object with `ts` (milliseconds since the epoch), `level`, `v`, `msg` and the fields. */
export function formatJsonLine(entry: LogEntry): string {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry.fields ?? {})) {
    fields[key] = plainOf(value);
  }
  const line = { ...fields, ts: entry.time, level: entry.level, v: entry.v, msg: entry.message };
  // JSON does not escape some characters that are line breaks for some readers.
  return (stringify(line) ?? '{}').replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function textOf(value: unknown): string {
  const plain = plainOf(value);
  return printable(stringify(plain) ?? String(plain), 2048);
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
