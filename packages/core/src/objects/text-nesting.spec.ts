import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isMap, isPair, isSeq, parseAllDocuments } from 'yaml';
import { nestingOfText } from './text-nesting.js';

/** The nesting depth of lists and mappings, by the YAML parser. */
function depthOf(node: unknown): number {
  if (isPair(node)) {
    return Math.max(depthOf(node.key), depthOf(node.value));
  }
  return isMap(node) || isSeq(node) ? 1 + Math.max(0, ...node.items.map((item) => depthOf(item))) : 0;
}

describe('nestingOfText', () => {
  test.each([
    ['a Service', 'kind: Service\nspec:\n  ports:\n  - name: http\n    port: 80\n'.repeat(1000)],
    ['many flow mappings', 'a: {b: [1]}\n'.repeat(1000)],
    ['comments', '# note: this - that\n'.repeat(1000)],
    ['nothing', ''],
  ])('%s is not deep', (_what, text) => {
    expect(nestingOfText(text, 1000)).toBeLessThan(20);
  });

  test.each([
    '[',
    '{',
    '{a: ',
    '- ',
    '? ',
    ': ',
    '[a',
    '- [',
    '!!seq [',
    '&a [',
    '-\t',
    '{"a":',
    '[\n',
    'a: ',
    '"a": ',
  ])('ten thousand times %j is deep', (piece) => {
    expect(nestingOfText(piece.repeat(10_000), 200)).toBeGreaterThan(200);
  });

  test('indentation steps count as nesting', () => {
    const text = Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('');
    expect(nestingOfText(text, 200)).toBeGreaterThan(200);
  });

  test('never underestimates the depth of valid text without quotes and blocks', () => {
    const pieces = ['a: ', '- ', '? ', ': ', '[', ']', '{', '}', ',', '\n', '  ', ' ', 'x', '&a ', '!t ', 'a:', '\t'];
    let valid = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const documents = [...parseAllDocuments(text)];
        if (documents.every(({ errors }) => errors.length === 0)) {
          valid += 1;
          const depth = Math.max(0, ...documents.map(({ contents }) => depthOf(contents)));
          expect({ text, enough: nestingOfText(text, 1000) >= depth }).toEqual({ text, enough: true });
        }
      }),
      { numRuns: 20_000 },
    );
    expect(valid).toBeGreaterThan(100);
  });

  test('invalid text within the limit does not overflow the stack of the parser', () => {
    const text = 'a: a: a: a: \n'.repeat(5000);
    expect(nestingOfText(text, 1000)).toBeLessThan(20);
    const [document] = [...parseAllDocuments(text)];
    expect(document?.errors.length).toBeGreaterThan(0);
  });
});
