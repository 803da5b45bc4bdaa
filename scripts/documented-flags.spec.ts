import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { FLAGS } from '../packages/agent/src/flags/flag.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const KNOWN = new Set(FLAGS.map(({ name }) => name as string));

const PAGES = [
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  'README.md',
  'packages/agent/README.md',
].filter((name) => name.endsWith('.md'));

/** Flags in command lines of kube-proxier: in code blocks and in code of the text, with lines that are continued. */
function flagsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll('\\\n', ' ');
  const lines = [
    ...[...text.matchAll(/```[a-z]*\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n')),
    ...[...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
  ];
  // From the command to the next one: what follows belongs to another program.
  const own = lines.filter((line) => !/^\s*helm /.test(line));
  const commands = own.flatMap((line) => line.match(/(?:^|[\s/])kube-proxier(?: [^|;&>]*)/g) ?? []);
  return new Set(
    commands.flatMap((command) => [...command.matchAll(/(?<= )--([a-z][a-z-]*)/g)].map(([, name = '']) => name)),
  );
}

describe('each flag of a command line of kube-proxier exists', () => {
  test.each(PAGES)('%s', (page) => {
    expect([...flagsOf(page)].filter((name) => !KNOWN.has(name))).toEqual([]);
  });

  test('and such command lines are found', () => {
    expect(flagsOf('docs/commands.md').size).toBeGreaterThan(5);
  });
});
