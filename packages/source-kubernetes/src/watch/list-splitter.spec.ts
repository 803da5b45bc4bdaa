import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ListSplitter } from './list-splitter.js';

/** The result of the splitter for a text in these chunks; `invalid` when it is rejected. */
function split(bytes: Buffer, borders: readonly number[], maxItemBytes = 1_000_000): unknown {
  const splitter = new ListSplitter(maxItemBytes);
  const items: unknown[] = [];
  try {
    let from = 0;
    for (const border of [...borders.map((border) => border % (bytes.length + 1)), bytes.length].sort(
      (a, b) => a - b,
    )) {
      // A copy: a socket reuses its buffers.
      items.push(...splitter.push(Buffer.from(bytes.subarray(from, border))));
      from = border;
    }
    const head = splitter.end();
    return Array.isArray(head.items) ? { ...head, items: [...head.items, ...items] } : head;
  } catch (error) {
    expect(error).toMatchObject({ code: 'API_RESPONSE_INVALID' });
    return 'invalid';
  }
}

function whole(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : 'invalid';
  } catch {
    return 'invalid';
  }
}

const borders = fc.array(fc.nat(), { maxLength: 12 });
const awkward = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  'items',
  '"items":[',
  'ä',
  '☸',
  '\ud83d\ude00',
  '\u0000',
  '\n',
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(awkward).map((parts) => parts.join('')),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom(null, true, false, 0, -1.5e-7, 12345678),
    fc.dictionary(fc.oneof(text, fc.constant('items')), tie('value'), { noNullPrototype: true, maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}));
const list = fc
  .tuple(
    fc.dictionary(fc.oneof(text, fc.constantFrom('kind', 'metadata', 'apiVersion')), value, {
      noNullPrototype: true,
      maxKeys: 4,
    }),
    fc.option(fc.oneof(fc.array(value, { maxLength: 6 }), value), { nil: undefined }),
    fc.boolean(),
  )
  .map(([head, items, itemsFirst]) => {
    const { items: _items, ...rest } = head;
    return items === undefined ? rest : itemsFirst ? { items, ...rest } : { ...rest, items };
  });
const written = fc
  .tuple(list, fc.constantFrom(undefined, 2, '\t'))
  .map(([one, indent]) => JSON.stringify(one, null, indent));
const decoded = (bytes: Buffer) => bytes.toString('utf8');

describe('ListSplitter equals JSON.parse', () => {
  test('of any list, in pieces of any size', () => {
    fc.assert(
      fc.property(written, borders, (json, cuts) => {
        expect(split(Buffer.from(json), cuts)).toEqual(JSON.parse(json));
      }),
      { numRuns: 3000 },
    );
  });

  test('of any list, byte by byte', () => {
    fc.assert(
      fc.property(written, (json) => {
        const bytes = Buffer.from(json);
        expect(split(bytes, Array.from(bytes.keys()))).toEqual(JSON.parse(json));
      }),
      { numRuns: 500 },
    );
  });

  test('of a list with bytes that were removed, replaced or added: both refuse it, or both read the same', () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 2 }),
      insert: fc.constantFrom('', ...'{}[]",:\\0 x'),
    });
    fc.assert(
      fc.property(written, fc.array(change, { minLength: 1, maxLength: 3 }), borders, (json, changes, cuts) => {
        let changed = json;
        for (const { at, remove, insert } of changes) {
          const place = at % (changed.length + 1);
          changed = changed.slice(0, place) + insert + changed.slice(place + remove);
        }
        const expected = whole(decoded(Buffer.from(changed)));
        const result = split(Buffer.from(changed), cuts);
        if (result === 'invalid' && expected !== 'invalid') {
          // The one difference: items that are named twice are refused.
          expect(changed.split('items').length).toBeGreaterThan(2);
          return;
        }
        expect(result).toEqual(expected);
      }),
      { numRuns: 5000 },
    );
  });

  test('a truncated list is never treated as complete', () => {
    fc.assert(
      fc.property(written, fc.nat(), borders, (json, length, cuts) => {
        const bytes = Buffer.from(json);
        expect(split(bytes.subarray(0, length % bytes.length), cuts)).toBe('invalid');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('ListSplitter', () => {
  test('returns items as soon as they are complete, after the head', () => {
    const splitter = new ListSplitter(100);
    expect(splitter.push(Buffer.from('{"kind":"ServiceList","metadata":{"resourceVersion":"7"},'))).toEqual([]);
    expect(splitter.head).toBeUndefined();
    expect(splitter.push(Buffer.from('"items":[{"a":1},{"b"'))).toEqual([{ a: 1 }]);
    expect(splitter.head).toEqual({ kind: 'ServiceList', metadata: { resourceVersion: '7' }, items: [] });
    expect(splitter.push(Buffer.from(':"}]"}],"x":1}'))).toEqual([{ b: '}]' }]);
    expect(splitter.end()).toEqual({ kind: 'ServiceList', metadata: { resourceVersion: '7' }, items: [], x: 1 });
  });

  test.each([
    ['[]'],
    ['null'],
    [''],
    ['<html><body>Welcome</body></html>'],
    ['{"items":[{}{}]}'],
    ['{"items":[{},]}'],
    ['{"items":[,{}]}'],
    ['{"items":[{]}]}'],
    ['{"items":[tru e]}'],
    ['{"items":[1}'],
    ['{"items":[]}}'],
    ['{"items":[],"items":[]}'],
    ['\ufeff{"items":[]}'],
  ])('refuses %s', (json) => {
    expect(split(Buffer.from(json), [])).toBe('invalid');
  });

  test('reads items whose name is written with escapes', () => {
    expect(split(Buffer.from('{"\\u0069tems":[1]}'), [])).toEqual({ items: [1] });
    expect(new ListSplitter(10).push(Buffer.from('{"\\u0069tems":[1,'))).toEqual([1]);
  });

  test('rejects an oversized item, and too much data around the items', () => {
    const long = JSON.stringify({ items: ['x'.repeat(50)] });
    expect(split(Buffer.from(long), [], 52)).toEqual(JSON.parse(long));
    expect(split(Buffer.from(long), [], 51)).toBe('invalid');
    expect(split(Buffer.from(long), [20], 51)).toBe('invalid');
    expect(split(Buffer.from(`{"items":[]${' '.repeat(1_100_000)}}`), [])).toBe('invalid');
  });

  test('buffers only incomplete data: a list of 60 MB passes with a few MB of memory', () => {
    const item = JSON.stringify({ metadata: { name: 'web', text: 'x'.repeat(1500) } });
    const chunk = Buffer.from(`${item},`.repeat(40));
    const splitter = new ListSplitter(10_000);
    splitter.push(Buffer.from('{"items":['));
    const before = process.memoryUsage().arrayBuffers;
    let items = 0;
    for (let count = 0; count < 1000; count += 1) {
      items += splitter.push(chunk).length;
    }
    expect(items).toBe(40_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  });
});
