import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { CaseStep } from './conformance-case.js';
import { readCaseFile, readCases } from './read-cases.js';
import { selectCases } from './select-cases.js';

const flowsOf = (steps: readonly CaseStep[]) => steps.flatMap((step) => ('flows' in step ? step.flows : []));

describe('the cases of this package', () => {
  const cases = readCases();
  const rows = cases.filter(({ id }) => /^(CIP|EXT)-/.test(id));

  test('contain every row of the policy tables, each packet with its spec id', () => {
    expect(rows).toHaveLength(192);
    const flows = rows.flatMap(({ steps }) => flowsOf(steps));
    expect(flows).toHaveLength(1344);
    expect(flows.every(({ spec }) => /^(CIP|EXT)-[CL](\/\w+)?-S\d+\/[PHNX]$/.test(spec ?? ''))).toBe(true);
  });

  test('contain every packet of the other tables except SCTP', () => {
    const ids = new Set(cases.flatMap(({ spec }) => spec));
    for (const id of ['F-LB-9', 'F-NP-14', 'F-CIP-8', 'F-M-10', 'F-T-9', 'F-I-5', 'F-E-6', 'F-Q-6', 'TOP-32']) {
      expect(ids).toContain(id);
    }
    const packets = cases.filter(({ id }) => /^(F-|K-)/.test(id)).flatMap(({ steps }) => flowsOf(steps));
    expect(packets).toHaveLength(297);
  });

  test('match docs/conformance.md, which npm run conformance rewrites', () => {
    const page = readFileSync(new URL('../../../../docs/conformance.md', import.meta.url), 'utf8');
    const [, matrix = ''] = page.split('\n## Matrix\n');
    const listed = [...matrix.matchAll(/^\| `([^`]+)`/gm)].map(([, id]) => id);
    expect(listed).toEqual(cases.map(({ id }) => id));
  });

  test('expand the notation of the tables', () => {
    const [row] = selectCases(cases, ['CIP-C-S5']);
    expect(flowsOf(row?.steps ?? []).map(({ from, expect: wanted }) => [from, wanted])).toEqual([
      ['pod3', { by: ['pod1', 'remote-pod1'], source: 'kept' }],
      ['pod1', { by: ['pod1', 'remote-pod1'], source: { pod1: 'node', 'remote-pod1': 'kept' } }],
      ['node', { by: ['pod1', 'remote-pod1'], source: 'node' }],
      ['client', { by: ['pod1', 'remote-pod1'], source: 'node' }],
    ]);
  });
});

describe('selecting cases', () => {
  const ids = (...patterns: string[]) => selectCases(readCases(), patterns).map(({ id }) => id);

  test('by id, by pattern, and by spec id', () => {
    expect(ids('EXT-L-S2')).toEqual(['EXT-L-S2']);
    expect(ids('EXT-L-S1?')).toEqual(['EXT-L-S10', 'EXT-L-S11']);
    expect(ids('F-LB-9')).toEqual(['F-LB-1']);
  });

  test('an unknown id is an error with a suggestion', () => {
    expect(() => ids('EXT-L-S99')).toThrow(/no case matches EXT-L-S99; did you mean EXT-L-S9\?/);
  });
});

describe('an invalid case file', () => {
  test.each([
    ['nothing: 1', /neither "cases" nor a "table"/],
    ['cases: [{id: a, title: b}]', /a: id, title and steps are required/],
    ['cases: [{id: a, title: b, stepps: []}]', /a: unknown field stepps; a case has id, title/],
    ['cases: [{id: a, title: b, steps: [{flaws: []}]}]', /a, step 1: is one of apply, .* not flaws/],
  ])('%s is named', (text, message) => {
    expect(() => readCaseFile(text)).toThrow(message);
  });
});
