import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadForeignBackends } from './foreign-backends.js';
import { MapBackend } from './testing/fake-composition.js';

const good = (name: string, mode = name) =>
  `export const ${name} = { mode: '${mode}', description: 'd', probe: async () => ({ usable: true }), module: {} };\n`;

describe('loadForeignBackends', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'backends-'));
  });

  afterEach(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  async function write(name: string, text: string): Promise<string> {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  const load = (...names: readonly string[]) =>
    loadForeignBackends(names, [new MapBackend('iptables')], undefined, directory);

  // Loading by package name: see main.int.spec.ts, as jest has its own module resolution.
  test('finds every backend that a module exports', async () => {
    await write('two.mjs', `${good('one')}${good('two')}export const version = '1';\nexport default one;\n`);
    const path = await write('lb/index.mjs', good('lb'));
    const { backends, problems } = await load('./two.mjs', path, './two.mjs');
    expect(problems).toEqual([]);
    expect(backends.map(({ mode }) => mode)).toEqual(['one', 'two', 'lb']);
  });

  test.each([
    ['nothing.mjs', 'export const a = 1;\n', /"\.\/nothing\.mjs" has no backend: it must export an object with mode/],
    ['broken.mjs', 'throw new Error("it\\nbroke");\n', /"\.\/broken\.mjs" failed while it was loaded: it; broke$/],
    [
      'half.mjs',
      'export const a = { mode: "A B", probe: 1, module: {} };\n',
      /incomplete backend: mode must be lower case .*; description must be a text; probe must be a function$/,
    ],
    ['taken.mjs', good('mine', 'iptables'), /has mode iptables, which another backend already has/],
    ['twice.mjs', `${good('a', 'x')}${good('b', 'x')}`, /has mode x, which another backend already has/],
  ])('reports the problem of %s', async (name, text, problem) => {
    await write(name, text);
    expect((await load(`./${name}`)).problems).toEqual([expect.stringMatching(problem)]);
  });

  test('reports a missing package, and loads the others', async () => {
    await write('good.mjs', good('good'));
    const { backends, problems } = await load('@acme/none', './good.mjs');
    expect(problems).toEqual([
      expect.stringMatching(/^--backend: "@acme\/none" cannot be loaded: [^;]*; install it next to/),
    ]);
    expect(backends).toHaveLength(1);
  });
});
