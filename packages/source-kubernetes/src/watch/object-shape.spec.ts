import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyFieldsOf, entriesWhere, fields, listOf, type Shape, whole } from './object-shape.js';

const inner = fields({ a: whole, b: whole });
const SHAPES: readonly Shape[] = [
  whole,
  inner,
  listOf(inner),
  fields({ a: inner, b: listOf(whole), c: entriesWhere((name) => name !== 'a'), d: anyFieldsOf({ a: whole }) }),
];
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, 0, '', 'text', []),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'odd', '0'), tie('value'), { noNullPrototype: true }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

test('a packed value is restored unchanged, for any type', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SHAPES), value, (shape, given) => {
      const kept = shape.take(given);
      if (kept !== undefined) {
        expect(shape.unpack(JSON.parse(JSON.stringify(shape.pack(kept))))).toEqual(kept);
      }
    }),
    { numRuns: 2000 },
  );
});

test('different values are packed differently', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SHAPES), value, value, (shape, one, another) => {
      const [left, right] = [shape.take(one), shape.take(another)];
      const same = JSON.stringify(shape.pack(left)) === JSON.stringify(shape.pack(right));
      expect(same).toBe(JSON.stringify(left) === JSON.stringify(right));
    }),
    { numRuns: 2000 },
  );
});

test('the text contains no field names', () => {
  const shape = fields({ metadata: fields({ name: whole, labels: whole }), ports: listOf(fields({ port: whole })) });
  const kept = shape.take({ metadata: { name: 'web', uid: 'x' }, ports: [{ port: 80 }], other: 1 });
  expect(kept).toEqual({ metadata: { name: 'web' }, ports: [{ port: 80 }] });
  expect(JSON.stringify(shape.pack(kept))).toBe('[["web"],[[80]]]');
});
