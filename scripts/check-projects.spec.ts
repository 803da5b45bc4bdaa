import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkProjects } from './check-projects.mjs';

describe('checkProjects', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'projects-'));
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    write('.gitignore', 'dist\n');
    write('tsconfig.json', { files: [], references: [{ path: 'packages/core' }] });
    write('packages/core/tsconfig.json', { compilerOptions: { composite: true, outDir: 'dist' }, include: ['src'] });
    write('packages/core/src/index.ts', 'export const one = 1;');
    write('tsconfig.scripts.json', {
      compilerOptions: { allowJs: true, checkJs: true, noEmit: true },
      include: ['scripts'],
    });
    write('scripts/build.mjs', 'export const two = 2;');
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(path: string, content: string | object): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }

  test('finds every file in a project, and passes over what git ignores', async () => {
    write('packages/core/dist/index.js', 'export const one = 1;');
    expect(await checkProjects(root)).toEqual({ files: 2, projects: 3, violations: [] });
  });

  test.each(['packages/core/test/fake.mjs', 'jest.config.cjs', 'docs/example.ts', 'packages/core/bin/run.js'])(
    'reports %s, which no project includes',
    async (file) => {
      write(file, 'export const three = 3;');
      const { violations } = await checkProjects(root);
      expect(violations).toEqual([`${file}: no project checks its types; include it in tsconfig.scripts.json`]);
    },
  );

  test('reports JavaScript of a project that does not check it', async () => {
    write('packages/core/tsconfig.json', {
      compilerOptions: { composite: true, outDir: 'dist', allowJs: true },
      include: ['src'],
    });
    write('packages/core/src/worker.mjs', 'export const four = 4;');
    const { violations } = await checkProjects(root);
    expect(violations).toEqual([expect.stringContaining('packages/core/src/worker.mjs: ')]);
  });

  test('rejects a repository without code', async () => {
    rmSync(join(root, 'packages/core/src/index.ts'));
    rmSync(join(root, 'scripts/build.mjs'));
    await expect(checkProjects(root)).rejects.toThrow('tsc');
  });
});
