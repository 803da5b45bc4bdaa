import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const README = readFileSync(join(ROOT, 'examples/traffic-policies/README.md'), 'utf8');

/** The blocks of the README that show a command and its output. */
const shown = [...README.matchAll(/```console\n\$ npx kube-proxier (.+?[^\\])\n(.*?)```/gs)].map(
  ([, command = '', output = '']) => [command.split(/[\s\\]+/).join(' '), output] as const,
);

describe('examples/traffic-policies', () => {
  test('contains several queries', () => {
    expect(shown.length).toBeGreaterThanOrEqual(5);
  });

  test.each(shown)('%s', (command, output) => {
    const run = spawnSync(process.execPath, ['packages/agent/bin/kube-proxier.js', ...command.split(' ')], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([run.stderr, run.status]).toEqual(['', 0]);
    expect(run.stdout).toBe(output);
  });
});
