import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readTables, TABLES } from './behaviour-tables.mjs';
import { checkBehaviour } from './check-behaviour.mjs';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
/** In two parts, so that this file cites nothing. */
const SPEC = ['sp', 'ec'].join('');
const ORIGIN = 'Origin: `pkg/proxy/types.go`.';
const TESTS = 'Tests: `packages/core/src/one.spec.ts`, `case-one`.';

describe('checkBehaviour', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'behaviour-'));
    file('docs/behaviour/README.md', '# Behaviour\n\n[one](one.md)\n');
    rules(`- **K-1** A text. ${ORIGIN} ${TESTS}`);
    file('packages/core/src/one.ts', `/** Text (${SPEC} K-1). */`);
    file('packages/core/src/one.spec.ts', '');
    file('packages/conformance/cases/cases.yaml', 'cases:\n  - id: case-one\n');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function file(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  const rules = (...items: string[]): void => file('docs/behaviour/one.md', `# One\n\n${items.join('\n')}\n`);
  const one = (citation: string): void => file('packages/core/src/one.ts', citation);
  const violations = (): string[] => checkBehaviour(root).violations;

  test('accepts rules that are defined once, cited and tested', () => {
    expect(checkBehaviour(root)).toEqual({ rules: 1, citations: 1, violations: [] });
  });

  test('accepts this repository, and has looked at it', () => {
    const result = checkBehaviour(REPOSITORY);
    expect(result.violations).toEqual([]);
    expect(result.rules).toBeGreaterThan(400);
  });

  test.each([
    ['alone', `${SPEC} K-9`],
    ['at the beginning of a sentence', `S${SPEC.slice(1)} K-9: text`],
    ['in a list', `${SPEC} K-1, K-9`],
    ['in a list with "and"', `${SPEC} K-1 and K-9`],
    ['in a list over two lines of a comment', ` * (${SPEC} K-1,\n * K-9)`],
    ['on the next line of a comment', ` * text (${SPEC}\n * K-9)`],
    ['at the end of a range', `${SPEC} K-1…K-9`],
    ['in the list of a conformance case', `${SPEC}: [K-1, K-9]`],
    ['on the next line of another comment', `// text ${SPEC}\n// K-9`],
    ['on the next line of a text', `text ${SPEC}\nK-9`],
    ['as code', `${SPEC} \`K-9\``],
    ['after another document', `${SPEC} KEP-3836, K-9`],
  ])('rejects an id that no file defines: %s', (_where, citation) => {
    one(citation);
    expect(violations()).toContain('packages/core/src/one.ts: cites K-9, which no file of docs/behaviour defines');
  });

  test.each(['docs/page.md', 'examples/a/run.mjs', 'packages/conformance/cases/more.yaml', '.ci/run', 'deploy/a.yaml'])(
    'looks for citations in %s',
    (path) => {
      file(path, `# ${SPEC} F-NP-3b\n`);
      expect(violations()).toEqual([`${path}: cites F-NP-3b, which no file of docs/behaviour defines`]);
    },
  );

  test('looks at conformance cases in any style of YAML', () => {
    file('packages/conformance/cases/cases.yaml', 'cases:\n  - id: case-one\n    spec:\n      - K-9\n');
    expect(violations()).toEqual(['packages/conformance/cases: cites K-9, which no file of docs/behaviour defines']);
  });

  test('looks at what rules refer to', () => {
    rules(`- **K-1** A text (K-9, KEP-1). ${ORIGIN} ${TESTS}`);
    expect(violations()).toEqual(['docs/behaviour/one.md: refers to K-9, which no file of docs/behaviour defines']);
  });

  test.each([`- **K-1** ${ORIGIN} ${TESTS}`, `${ORIGIN} ${TESTS}\n\n| **K-1** |  |  |`])(
    'rejects a rule without a text: %s',
    (rule) => {
      rules(rule);
      expect(violations()).toEqual(['docs/behaviour/one.md: K-1 says nothing']);
    },
  );

  test('looks at the rows of test data', () => {
    file('packages/core/test-data/rows.json', JSON.stringify({ rows: [{ id: 'CIP-C/nodet-S0' }] }));
    expect(violations()).toEqual([
      'packages/core/test-data: cites CIP-C/nodet-S0, which no file of docs/behaviour defines',
    ]);
  });

  test('does not look at what is installed, built or defined', () => {
    for (const directory of ['node_modules/a', 'packages/core/dist', 'docs/behaviour']) {
      file(`${directory}/a.js`, `${SPEC} K-9`);
    }
    expect(violations()).toEqual([]);
  });

  test('leaves other documents alone', () => {
    one(`${SPEC} K-1, KEP-3836, RFC-1035`);
    expect(violations()).toEqual([]);
  });

  test.each([`${SPEC} §9.1`, `${SPEC} 12.4 to 12.11`])('rejects the citation of a section: %s', (citation) => {
    one(`${SPEC} K-1, ${citation}`);
    expect(violations()).toEqual([
      'packages/core/src/one.ts: cites a section; cite the id of a rule in docs/behaviour',
    ]);
  });

  test('rejects an id that is defined twice, in one file or two', () => {
    rules(`- **K-1** A text. ${ORIGIN} ${TESTS}`, `- **K-1** Another. ${ORIGIN} ${TESTS}`);
    expect(violations()).toEqual(['docs/behaviour/one.md: K-1 is defined in docs/behaviour/one.md as well']);
    rules(`- **K-1** A text. ${ORIGIN} ${TESTS}`);
    file('docs/behaviour/README.md', '[one](one.md) [two](two.md)');
    file('docs/behaviour/two.md', `${ORIGIN} ${TESTS}\n\n| **K-1** | text |\n`);
    expect(violations()).toEqual(['docs/behaviour/two.md: K-1 is defined in docs/behaviour/one.md as well']);
  });

  test.each([
    ['none', ORIGIN, 'docs/behaviour/one.md: K-1 names no test'],
    ['an empty list', `${ORIGIN} Tests: .`, 'docs/behaviour/one.md: K-1 names no test'],
    [
      'a missing spec file',
      `${ORIGIN} Tests: \`packages/core/src/two.spec.ts\`.`,
      'names the test packages/core/src/two',
    ],
    ['a source file', `${ORIGIN} Tests: \`packages/core/src/one.ts\`.`, 'names the test packages/core/src/one.ts'],
    ['a missing case', `${ORIGIN} Tests: \`case-two\`.`, 'names the test case-two'],
  ])('rejects a rule without a test that exists: %s', (_what, tests, message) => {
    rules(`- **K-1** A text. ${tests}`);
    expect(violations()).toEqual([expect.stringContaining(message)]);
  });

  test('rejects a rule without an origin', () => {
    rules(`- **K-1** A text. ${TESTS}`);
    expect(violations()).toEqual([expect.stringContaining('docs/behaviour/one.md: K-1 has no origin')]);
  });

  test('rejects a rule that nothing cites', () => {
    rules(`- **K-1** A text. ${ORIGIN} ${TESTS}`, `- **K-2** A text. ${ORIGIN} ${TESTS}`);
    expect(violations()).toEqual([expect.stringContaining('nothing cites K-2')]);
  });

  test('a range cites the rules between its ends, and no other', () => {
    rules(...['K-1', 'K-2', 'K-4', 'K-5', 'T-2'].map((id) => `- **${id}** A text. ${ORIGIN} ${TESTS}`));
    one(`${SPEC} K-1…K-4`);
    expect(violations()).toEqual([
      expect.stringContaining('nothing cites K-5'),
      expect.stringContaining('nothing cites T-2'),
    ]);
  });

  test('rows of a table share the origin and tests above it, up to the next heading', () => {
    const row = (id: string) => `| **${id}** | text |`;
    rules(
      `Text.\n\n${ORIGIN}\n${TESTS}\n\n| id | text |\n| --- | --- |`,
      row('F-NP-3b'),
      `\n## Two\n\n${row('F-NP-4')}`,
    );
    one(`${SPEC} F-NP-3b, F-NP-4`);
    expect(violations()).toEqual([
      expect.stringContaining('F-NP-4 has no origin'),
      expect.stringContaining('F-NP-4 names no test'),
    ]);
  });

  test.each(['- **K-1**: A text.', '- **k-1** A text.', '| **K1** | A text. |'])('rejects another form: %s', (rule) => {
    rules(`- **K-1** A text. ${ORIGIN} ${TESTS}`, rule);
    expect(violations()).toEqual([expect.stringContaining('docs/behaviour/one.md: not the form of a rule: ')]);
  });

  test('rejects a page that the index does not link to', () => {
    file('docs/behaviour/two.md', '# Two');
    expect(violations()).toEqual(['docs/behaviour/README.md: does not link to two.md']);
  });

  test('rejects tables that differ from the test data', () => {
    const row = { id: 'TOP-1', case: 'text', expect: { cluster: ['1'], local: null, hasAny: true } };
    file('packages/core/test-data/policy-flows.json', '{"rows": []}');
    file('packages/core/test-data/topology.json', JSON.stringify({ rows: [row] }));
    file('packages/core/src/simulator/packet-flows.spec.ts', '');
    file('docs/behaviour/README.md', '[one](one.md) [tables](policy-tables.md)');
    file(TABLES, readTables(root));
    expect(violations()).toEqual([]);
    file('packages/core/test-data/topology.json', JSON.stringify({ rows: [{ ...row, case: 'another' }] }));
    expect(violations()).toEqual([expect.stringContaining(`${TABLES}: differs from the test data`)]);
  });
});
