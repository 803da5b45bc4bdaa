import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { commandOf, readResults, startResult, writeResult } from './results.mjs';

describe('the command of a result', () => {
  test.each([
    [[], 'npm run bench:scale'],
    [['--services', '100'], 'npm run bench:scale -- --services 100'],
    [['inside', 'nftables', '100', '--rounds', '1'], 'npm run bench:scale -- --rounds 1'],
    [['--inside', '--quick'], 'npm run bench:scale -- --quick'],
    [['--peer', '/opt/peer/kube-proxy'], 'npm run bench:scale -- --peer kube-proxy'],
    [['--peer=/opt/peer/kube-proxy'], 'npm run bench:scale -- --peer=kube-proxy'],
  ])('of arguments %j is %j, without directories', (args, command) => {
    expect(commandOf('scale', args)).toBe(command);
  });
});

describe('results', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'results-'));
    process.env.BENCH_RESULTS = directory;
  });
  afterEach(() => {
    delete process.env.BENCH_RESULTS;
    rmSync(directory, { recursive: true });
  });

  test('are written with what they were measured on, and read by name', () => {
    const figures = [{ what: 'load', value: 1, unit: 's' as const }];
    writeResult('b', { ...startResult(), subject: 'second', figures });
    writeResult('a', { ...startResult(), subject: 'first', figures: [] });
    const results = readResults(directory);
    expect(results.map(({ bench }) => bench)).toEqual(['a', 'b']);
    expect(results[1]).toMatchObject({ subject: 'second', figures, date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    expect(Object.keys(results[1]?.machine ?? {})).toEqual(['node', 'kernel', 'processors', 'model', 'memoryGiB']);
    expect(results[1]?.load.after).toBeGreaterThanOrEqual(0);
  });
});
