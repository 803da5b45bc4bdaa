import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { COMMANDS } from './command-definition.js';
import { completionScript } from './completion.js';

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** The bash completions of words, the last of which is incomplete. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `${completionScript('bash')}
compopt() { :; }
COMP_WORDS=(kube-proxier "$@"); COMP_CWORD=$#
_kube_proxier
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  test('bash completes commands', () => {
    expect(offered('e')).toEqual(['explain']);
    expect(offered('')).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)));
  });

  test('bash completes the flags of the command, and of the agent', () => {
    expect(offered('cleanup', '--d')).toEqual(['--dry-run']);
    expect(offered('explain', '--dry')).toEqual([]);
    expect(offered('--proxy-m')).toEqual(['--proxy-mode=', '--proxy-mode-fallback=']);
  });

  test('bash completes files for a flag that takes a path', () => {
    expect(offered('--manifests', '/etc/host')).toContain('/etc/hosts');
  });

  test.each(['bash', 'zsh', 'fish'])('the script for %s has no syntax error', (shell) => {
    const script = completionScript(shell) ?? '';
    for (const { name } of COMMANDS) {
      expect(script).toContain(name);
    }
    if (isInstalled(shell)) {
      const { status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    }
  });

  test('other shells have none', () => {
    expect(completionScript('tcsh')).toBeUndefined();
  });
});
