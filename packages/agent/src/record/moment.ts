import { ProxierError, printable } from '@kube-proxier/core';
import { parseGoDuration } from '../flags/go-values.js';

/** Reference times of a command line. All are milliseconds since the epoch. */
export interface MomentContext {
  /** Begin of the recording. */
  readonly begin: number;
  /** End of the recording. */
  readonly end: number;
  /** Reference of relative times such as `5m`. */
  readonly now: number;
}

/** A time on a command line is invalid, or not in the recording. */
export class MomentError extends ProxierError {
  constructor(flag: string, text: string, problem: string) {
    super('INVALID_TIME', `--${flag}: "${printable(text, 80)}" ${problem}`);
  }
}

const FORMS = 'write a time as 14:03, 14:03:05 or 2026-03-01T14:03:05Z, or a duration such as 5m for five minutes ago';
const TIME_OF_DAY = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?(Z?)$/;
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
const DAY = 86_400_000;
/** Maximum duration of a recording in which a time of day is searched. */
const MAX_DAYS = 400;

/**
 * Reads a time: `14:03`, `14:03:05.250`, each with `Z` for UTC and else local; `5m` or `1h30m` for ago; ISO 8601, local
 * without a zone. A time of day is looked up in the recording; if it occurs several times, the error lists them.
 *
 * @param flag for messages, without dashes.
 * @returns milliseconds since the epoch. It may be before the beginning, or after the end, of the recording.
 * @throws MomentError `INVALID_TIME` when it is invalid or ambiguous.
 */
export function parseMoment(flag: string, given: string, context: MomentContext): number {
  const text = given.trim();
  const ofDay = TIME_OF_DAY.exec(text);
  if (ofDay) {
    return timeOfDay(flag, text, ofDay, context);
  }
  if (ISO.test(text)) {
    const time = Date.parse(text);
    if (Number.isNaN(time)) {
      throw new MomentError(flag, text, `is not a time of the calendar; ${FORMS}`);
    }
    return time;
  }
  if (/^\d+$/.test(text)) {
    throw new MomentError(flag, text, `is ambiguous: it may be an hour, minutes or seconds; ${FORMS}`);
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text)) {
    throw new MomentError(flag, text, `is a day; add the time, as in ${text}T14:03:05Z`);
  }
  if (/\d\s*[ap]\.?m\.?$/i.test(text)) {
    throw new MomentError(flag, text, 'has a 12-hour clock; write the hour from 0 to 23, as in 14:03');
  }
  const duration = text.startsWith('-') || text.startsWith('+') ? undefined : parseGoDuration(text);
  if (duration !== undefined && duration >= 0) {
    return context.now - duration;
  }
  throw new MomentError(flag, text, `is not a time; ${FORMS}`);
}

function timeOfDay(flag: string, text: string, parts: readonly string[], { begin, end, now }: MomentContext): number {
  const [, hour, minute, second = '0', fraction = '0', zone] = parts;
  const numbers = [Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0'))] as const;
  const onDayOf = (time: number) => {
    const day = new Date(time);
    return zone === 'Z' ? day.setUTCHours(...numbers) : day.setHours(...numbers);
  };
  const days = [];
  for (let day = Math.max(begin, end - MAX_DAYS * DAY) - DAY; day <= end + DAY; day += DAY) {
    days.push(onDayOf(day));
  }
  const candidates = [...new Set(days)].filter((time) => time >= begin && time <= end);
  if (candidates.length > 1) {
    const list = candidates.map((time) => new Date(time).toISOString()).join(' or ');
    throw new MomentError(flag, text, `is ambiguous: the recording has it ${candidates.length} times; write ${list}`);
  }
  const [only] = candidates;
  // Not in the recording: the last past one.
  const today = onDayOf(now);
  return only ?? (today > now ? today - DAY : today);
}

/** `14:03:05.123`, in local time. */
export function formatTimeOfDay(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  const milliseconds = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${milliseconds}`;
}

/** `2026-03-01 14:03:05.123`, in local time. */
export function formatMoment(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${formatTimeOfDay(time)}`;
}
