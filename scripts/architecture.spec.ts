import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));
const text = readFileSync(join(DOCS, 'architecture.md'), 'utf8');

/** Targets of the links of a text, in its order. */
const linksIn = (part: string) => [...part.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] ?? '');

describe('docs/architecture.md', () => {
  test('every file that it names exists', () => {
    const links = linksIn(text);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((link) => !existsSync(join(DOCS, link)))).toEqual([]);
  });

  test('the walk of one change visits at most 30 files, and none twice', () => {
    const walk = /^## How a change travels\n(.*?)^## /ms.exec(text)?.[1] ?? '';
    const files = linksIn(walk).filter((link) => link.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(15);
    expect(files.length).toBeLessThanOrEqual(30);
    expect(new Set(files).size).toBe(files.length);
  });

  test('every backend has the shape that it describes', () => {
    for (const mode of ['iptables', 'ipvs', 'nftables', 'userspace']) {
      const source = fileURLToPath(new URL(`../packages/${mode}/src/`, import.meta.url));
      const missing = ['backend.ts', 'probe.ts', 'plan', 'apply', 'read-back', 'cleanup.ts', 'dataplane.ts'].filter(
        (name) => !existsSync(join(source, name)),
      );
      expect([mode, missing]).toEqual([mode, []]);
    }
  });
});
