import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseDocument, stringify } from 'yaml';
import { parseBlockYaml } from './block-yaml.js';

/** The result of the YAML parser; undefined where it finds errors. */
function reference(text: string): unknown {
  const document = parseDocument(text, { merge: true, prettyErrors: false });
  return document.errors.length > 0 ? undefined : { value: document.toJS({ maxAliasCount: 100 }) as unknown };
}

describe('parseBlockYaml', () => {
  test('parses the YAML that programs write', () => {
    const text = `# a comment
apiVersion: v1
kind: Service

metadata:
  name: "web"
  labels: {}
  annotations:
    note: |
      two lines,
        the second: deeper
    other: |-
      one
spec:
  clusterIP: 10.96.0.10
  ports:
  - port: 80
    name: 'http'
  -
    port: 443
  externalIPs: []
  weights:
    - 1
    - -1x
    - a:b
  nothing:
`;
    const document = parseBlockYaml(text, 1);
    expect({ value: document?.value }).toEqual(reference(text));
    const value = document?.value as { metadata: { annotations: object }; spec: { ports: object[] } };
    expect(document?.positionOf(value)).toEqual({ line: 2, column: 1 });
    expect(document?.positionOf(value.metadata.annotations)).toEqual({ line: 9, column: 5 });
    expect(document?.positionOf(value.spec.ports[0])).toEqual({ line: 17, column: 5 });
    expect(document?.positionOf(value.spec.ports[1])).toEqual({ line: 20, column: 5 });
  });

  test('reads a list of ten thousand objects in the form of kubectl', () => {
    const items = Array.from({ length: 10_000 }, (_, index) => ({ kind: 'Service', metadata: { name: `s${index}` } }));
    const document = parseBlockYaml(stringify({ apiVersion: 'v1', kind: 'List', items }), 1);
    expect(document?.value).toEqual({ apiVersion: 'v1', kind: 'List', items });
  });

  test.each([
    'a: &x 1',
    'a: *x',
    'a: !!str 1',
    'a: >\n  folded',
    'a: |2\n  text',
    'a: one\n  two',
    'a: "one\n  two"',
    'a: "\\u0041"',
    "a: 'it''s'",
    'a: [1]',
    'a: {b: 1}',
    'a: 1 # comment',
    'a: 1\na: 2',
    'a: 1\n b: 2',
    'a:\n  b: 1\n c: 2',
    'a:\n- 1\nb',
    '- a: 1\n b: 2',
    'a: 0x10',
    'a: 1e3',
    'a: 1.5',
    'a: 007',
    'a: .inf',
    'a: ~',
    'a: b: c',
    'a: b:',
    'a: - b',
    'a\t: 1',
    '\ta: 1',
    '1: a',
    'true: a',
    'null: a',
    '? a\n: b',
    '<<: {a: 1}',
    '__proto__: 1',
    '- - a',
    'a: |\n\n  text',
    'a: |\n    x\n  y',
    '...',
    'text',
    '%YAML 1.2',
    '\ufeffa: 1',
    'a: é',
  ])('leaves %j to the YAML parser', (text) => {
    expect(parseBlockYaml(text, 1)).toBeUndefined();
  });

  const LINES = [
    'a:',
    'b:',
    'a: 1',
    'b: x',
    'c: "q"',
    "d: 'q'",
    'e: |',
    'e: |-',
    '- 1',
    '-',
    '- a: 1',
    '- b:',
    '-   c: 2',
    '# note',
    '',
    'text',
    'f: {}',
    'g: []',
    'h: a b',
    'i: 10.0.0.1',
    'j: a:b',
    'k: -',
    'l: true',
    'm: null',
    '- -1',
    '- "x"',
    'n: 1 ',
    'o: .5',
    'p: a #b',
    'q: a#b',
    'kind: List',
    '---',
    'r: +1',
    's: 1_000',
    't: 0',
    'u: -0',
    'v: a,b',
    'w: =',
    'x: *a',
    'y: 2001-01-01',
  ];

  test('equals the YAML parser on everything it parses', () => {
    const line = fc.tuple(
      fc.integer({ min: 0, max: 6 }),
      fc.constantFrom(...LINES),
      fc.constantFrom('\n', '\n', '\r\n', ' \n'),
    );
    let read = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), (lines) => {
        const text = lines.map(([indent, content, end]) => `${' '.repeat(indent)}${content}${end}`).join('');
        const document = text.includes('---') ? undefined : parseBlockYaml(text, 1);
        if (document) {
          read += 1;
          expect({ text, value: document.value }).toEqual({ text, ...(reference(text) as object) });
        }
      }),
      { numRuns: 20_000 },
    );
    expect(read).toBeGreaterThan(100);
  });

  test('parses the output of the YAML writer for any object to the same value, where it is supported', () => {
    const key = fc.stringMatching(/^[a-z][a-zA-Z./-]{0,6}$/);
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.stringMatching(/^[a-z0-9. :/-]{0,12}$/),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
        fc.array(tie('tree'), { maxLength: 4 }),
      ),
    }));
    let read = 0;
    fc.assert(
      fc.property(fc.dictionary(key, tree, { minKeys: 1, maxKeys: 4 }), (value) => {
        const text = stringify(value);
        const document = parseBlockYaml(text, 1);
        if (document) {
          read += 1;
          expect({ text, value: document.value }).toEqual({ text, ...(reference(text) as object) });
        }
      }),
      { numRuns: 5000 },
    );
    expect(read).toBeGreaterThan(500);
  });
});
