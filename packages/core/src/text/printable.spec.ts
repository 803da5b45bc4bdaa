import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printable, printableValue } from './printable.js';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

describe('printable', () => {
  test.each([
    ['no printable ASCII', 'a "b" \\c ~', 'a "b" \\c ~'],
    ['a line break', 'a\nb\r\nc\u0085d\u2028e\u2029f', 'a\\u{a}b\\u{d}\\u{a}c\\u{85}d\\u{2028}e\\u{2029}f'],
    ['control characters', '\0\t\b\u007f\u009b', '\\u{0}\\u{9}\\u{8}\\u{7f}\\u{9b}'],
    ['an ANSI escape', '\u001b[2J\u001b]0;title\u0007', '\\u{1b}[2J\\u{1b}]0;title\\u{7}'],
    [
      'bidirectional overrides',
      '\u202eevil\u202c\u2066x\u2069\u200f',
      '\\u{202e}evil\\u{202c}\\u{2066}x\\u{2069}\\u{200f}',
    ],
    [
      'invisible characters',
      'a\u200bb\u00adc\ufeffd\u3164e\u{e0041}',
      'a\\u{200b}b\\u{ad}c\\u{feff}d\\u{3164}e\\u{e0041}',
    ],
    ['look-alikes and combining marks', '\u0430dmin e\u0301', '\\u{430}dmin e\\u{301}'],
    ['characters beyond 16 bits, as one', '\u{1f600}', '\\u{1f600}'],
    ['lone surrogates', 'a\ud800b\udc00', 'a\\u{d800}b\\u{dc00}'],
  ])('escapes %s', (_what, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test('cuts a long text, and never within an escape', () => {
    expect(printable('x'.repeat(300))).toBe('x'.repeat(300));
    expect(printable('x'.repeat(301))).toBe(`${'x'.repeat(297)}...`);
    expect(printable('ab\ncd', 8)).toBe('ab...');
    expect(printable('ab\ncdef', 10)).toBe('ab\\u{a}...');
  });

  test('cuts a very long text', () => {
    expect(printable('\u202e'.repeat(10_000_000), 80)).toBe(`${'\\u{202e}'.repeat(9)}...`);
  });

  test('of any text is ASCII within the limit, and idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 3, max: 80 }), (text, limit) => {
        const result = printable(text, limit);
        expect(result).toMatch(PRINTABLE_ASCII);
        expect(result.length).toBeLessThanOrEqual(limit);
        expect(printable(result, limit)).toBe(result);
      }),
    );
  });
});

describe('printableValue', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  test.each<[unknown, string]>([
    ['a\n"b"', '"a\\n\\"b\\""'],
    ['\u202e', '"\\u{202e}"'],
    [{ port: 70_000 }, '{"port":70000}'],
    [Number.NaN, 'NaN'],
    [10n, '10'],
    [null, 'null'],
    [undefined, 'undefined'],
    [() => {}, 'a function'],
    [[() => {}], '["a function"]'],
    [Symbol('x'), 'a symbol'],
    [circular, 'a value that cannot be printed'],
    [{ toJSON: () => undefined }, 'a value without JSON form'],
    ['y'.repeat(200), `"${'y'.repeat(76)}...`],
  ])('is short and printable', (value, expected) => {
    expect(printableValue(value)).toBe(expected);
  });
});
