import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { ProxierError } from '@kube-proxier/core';
import { formatJsonLine, formatTextLine, type LogEntry } from './log-line.js';
import { createStreamLogger } from './stream-logger.js';

const HOSTILE = 'a\n2026-01-01T00:00:00.000Z ERROR forged\r\u001b[2J\u0085\u2028\u2029\u202e\u200b\ud800\0';

function entry(message: string, fields?: LogEntry['fields']): LogEntry {
  return { time: Date.UTC(2026, 0, 31, 12), level: 'info', v: 0, message, fields };
}

describe('formatTextLine', () => {
  test('is one line with time, level, message and fields', () => {
    const fields = { name: 'a "b"', count: 3, none: undefined, list: ['x'], error: new ProxierError('CODE', 'why') };
    expect(formatTextLine(entry('Größe', fields))).toBe(
      '2026-01-31T12:00:00.000Z INFO  Gr\\u{f6}\\u{df}e name="a \\"b\\"" count=3 none=undefined list=["x"] error="CODE: why"',
    );
  });

  test.each([formatTextLine, formatJsonLine])('is printable ASCII (%p)', (format) => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const line = format(entry(HOSTILE, { [HOSTILE]: HOSTILE, nested: { [HOSTILE]: [HOSTILE] }, cycle, big: 1n }));
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    expect(line.length).toBeLessThan(4000);
  });

  test('shortens long texts', () => {
    expect(formatTextLine(entry('x'.repeat(100_000), { y: 'y'.repeat(100_000) })).length).toBeLessThan(20_000);
  });
});

describe('formatJsonLine', () => {
  test('is valid JSON, and fields cannot override fixed keys', () => {
    const line = formatJsonLine(entry(HOSTILE, { msg: 'forged', ts: 0, level: 'error', error: new TypeError('x') }));
    expect(JSON.parse(line)).toEqual({
      ts: Date.UTC(2026, 0, 31, 12),
      level: 'info',
      v: 0,
      msg: HOSTILE,
      error: 'TypeError: x',
    });
  });
});

describe('createStreamLogger', () => {
  test('writes by level, and debug messages up to the verbosity', async () => {
    const stream = new PassThrough();
    const logger = createStreamLogger({ format: 'json', verbosity: 2, stream });
    logger.error('e', { a: 1 });
    logger.warn('w');
    logger.info('%s is not a placeholder', { level: 'x', message: 'y' });
    logger.debug(2, 'd');
    logger.debug(3, 'not this');
    expect([logger.v(2), logger.v(3)]).toEqual([true, false]);
    stream.end();
    const written = await stream.toArray();
    const lines = written
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ level, v, msg }) => [level, v, msg])).toEqual([
      ['error', 0, 'e'],
      ['warn', 0, 'w'],
      ['info', 0, '%s is not a placeholder'],
      ['debug', 2, 'd'],
    ]);
    expect(lines[2]).toMatchObject({ message: 'y' });
  });
});
