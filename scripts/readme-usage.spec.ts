import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** Below the packages, so that they are found by name, and no part of the repository. */
const CACHE = join(ROOT, 'node_modules/.cache');

/** What the compiler says to the TypeScript of a README. */
function compile(blocks: readonly string[]): string {
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(join(CACHE, 'readme-'));
  try {
    blocks.forEach((block, index) => {
      writeFileSync(join(directory, `usage${index}.mts`), block);
    });
    const compilerOptions = { composite: false, declaration: false, declarationMap: false, noEmit: true };
    const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, include: ['*.mts'] };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
    return spawnSync(process.execPath, [TSC, '--project', directory], { cwd: ROOT, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('the usage in the README of @kube-proxier/server', () => {
  test('compiles', () => {
    // Against what is built, as for who installs it.
    expect(spawnSync(process.execPath, [TSC, '-b'], { cwd: ROOT, encoding: 'utf8' }).stdout).toBe('');
    const readme = readFileSync(join(ROOT, 'packages/server/README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
    expect(blocks.length).toBeGreaterThan(0);
    expect(compile(blocks)).toBe('');
    expect(compile([`${blocks[0]}\nexport const wrong: number = new Registry();`])).toMatch(/error TS2322/);
  }, 120_000);
});
