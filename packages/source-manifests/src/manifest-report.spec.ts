import { describe, expect, test } from '@jest/globals';
import type { ManifestObject } from './manifest-object.js';
import type { ManifestProblem } from './manifest-problem.js';
import type { FileState, FileStates } from './manifest-reader.js';
import { nodeNameWarning, reportDuplicates, reportFiles } from './manifest-report.js';

const NODE: ManifestObject = {
  kind: 'Node',
  key: 'Node n1',
  line: 1,
  column: 1,
  value: { metadata: { name: 'n1' } },
};
const ERROR: ManifestProblem = {
  file: '/m/web.yaml',
  line: 3,
  column: 5,
  object: '',
  field: '',
  message: 'is wrong',
  severity: 'error',
};
const WARNING: ManifestProblem = { ...ERROR, severity: 'warning' };

function file(name: string, state: Partial<FileState> = {}): FileState {
  return { name, stamp: 's', digest: 'd', unsettled: false, objects: [], problems: [], ...state };
}

function files(...states: readonly FileState[]): FileStates {
  return new Map(states.map((state) => [state.name, state]));
}

describe('reportFiles', () => {
  const good = files(file('web.yaml', { objects: [NODE] }));
  const malformed = files(file('web.yaml', { digest: 'e', objects: [NODE], problems: [ERROR] }));

  test('of a file that becomes malformed, and of one that always was', () => {
    const problem = { level: 'error', message: '/m/web.yaml:3:5: is wrong' };
    expect(reportFiles(good, malformed)).toEqual([
      problem,
      {
        level: 'error',
        message: 'manifest web.yaml is malformed: until it is fixed, its last good objects (1) stay in force',
      },
    ]);
    expect(reportFiles(new Map(), files(file('web.yaml', { problems: [ERROR] })))).toEqual([
      problem,
      { level: 'error', message: 'manifest web.yaml is malformed: until it is fixed, none of its objects is in force' },
    ]);
  });

  test.each([
    ['good again', malformed, good, 'manifest web.yaml is good again: its objects (1) are in force'],
    ['deleted', malformed, new Map(), 'manifest web.yaml, which was malformed, is gone'],
  ])('of a malformed file that is %s', (_what, previous, next, message) => {
    expect(reportFiles(previous, next)).toEqual([{ level: 'info', message }]);
  });

  test('of a warning, while the file is used', () => {
    expect(reportFiles(good, files(file('web.yaml', { digest: 'f', problems: [WARNING] })))).toEqual([
      { level: 'warn', message: '/m/web.yaml:3:5: is wrong' },
    ]);
  });

  test.each([
    ['a good file that is added, changed or deleted', good, files(file('web.yaml', { digest: 'f' }), file('b.yaml'))],
    ['the same malformed content', malformed, files(file('web.yaml', { digest: 'e', stamp: 't', problems: [ERROR] }))],
    ['a good file that is gone', good, new Map()],
  ])('is silent about %s', (_what, previous, next) => {
    expect(reportFiles(previous, next)).toEqual([]);
  });

  test('has names of files in printable form', () => {
    const [line] = reportFiles(files(file('a\n.yaml', { problems: [ERROR] })), new Map());
    expect(line?.message).toBe('manifest a\\u{a}.yaml, which was malformed, is gone');
  });
});

test('a duplicate is reported once, wherever it moves in its file', () => {
  const duplicate = { key: 'Service a/b', winner: 'a.yaml', winnerLine: 1, loser: 'b.yaml', loserLine: 9 };
  expect(reportDuplicates([], [duplicate])).toEqual([
    {
      level: 'warn',
      message: 'b.yaml:9: Service a/b is already defined in a.yaml, which has precedence (line 1); this one is ignored',
    },
  ]);
  expect(reportDuplicates([duplicate], [{ ...duplicate, loserLine: 12, winnerLine: 4 }])).toEqual([]);
  expect(reportDuplicates([duplicate], [{ ...duplicate, winner: '0.yaml' }])).toHaveLength(1);
});

test('Nodes of which none has the name of this one are reported', () => {
  expect(nodeNameWarning([], 'n2')).toBeUndefined();
  expect(nodeNameWarning([NODE], 'n1')).toBeUndefined();
  expect(nodeNameWarning([NODE], 'n2')).toContain('there are Nodes (n1), and none is called n2');
});
