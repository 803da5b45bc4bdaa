import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { COMMANDS } from './command-definition.js';

const TESTDATA = fileURLToPath(new URL('../../testdata/commands/', import.meta.url));
const PAGE = readFileSync(new URL('../../../../docs/commands.md', import.meta.url), 'utf8');

function sectionOf(command: string): string {
  const sections = PAGE.split(/^## /m);
  return sections.find((text) => text.split('\n')[0]?.split(', ').includes(command)) ?? '';
}

/** The names of all fields, at any depth; dynamic keys, such as families, are `*`. */
function fieldsOf(value: unknown, into = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) {
    for (const item of value) {
      fieldsOf(item, into);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      if (!/^IPv[46]$/.test(name)) {
        into.add(name);
      }
      fieldsOf(field, into);
    }
  }
  return into;
}

describe('docs/commands.md', () => {
  test.each(['status', 'get', 'plan'])('has every field of %s -o json', (command) => {
    const files = readdirSync(TESTDATA).filter((name) => name.startsWith(command) && name.endsWith('.json'));
    expect(files.length).toBeGreaterThan(0);
    const fields = files.flatMap((name) => [...fieldsOf(JSON.parse(readFileSync(`${TESTDATA}${name}`, 'utf8')))]);
    // The comparison with kube-proxy's rules is documented at `verify`, and packets at `explain`.
    const section = [command, ...(command === 'plan' ? ['verify', 'explain'] : [])].map(sectionOf).join('\n');
    const undocumented = [...new Set(fields)].filter(
      (name) => !new RegExp(`[\`.]${name}[\`.[]|"${name}"`).test(section),
    );
    expect(undocumented).toEqual([]);
  });

  test.each(['status', 'get', 'explain', 'plan', 'doctor', 'cleanup', 'verify', 'version', 'completion', 'help'])(
    'has the exit status of %s',
    (command) => {
      expect(COMMANDS.map(({ name }) => name)).toContain(command);
      expect(sectionOf(command)).toMatch(/^Exit status[:,]/m);
    },
  );
});
