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

  describe('options', () => {
    /** A module whose backend reports its options, and supports only some. */
    const taking = (mode: string, ...known: readonly string[]) => `
      export function create${mode.toUpperCase()}Backend(options = {}) {
        const [wrong] = Object.keys(options).filter((name) => !${JSON.stringify(known)}.includes(name));
        if (wrong !== undefined) {
          throw Object.assign(new Error('create${mode.toUpperCase()}Backend has no option "' + wrong + '"; there are ${known.join(', ')}'), {
            code: 'BACKEND_OPTION', option: wrong,
          });
        }
        return { mode: '${mode}', description: JSON.stringify(options), probe: async () => ({ usable: true }), module: {} };
      }
      export const ${mode} = create${mode.toUpperCase()}Backend();
    `;
    const withOptions = (names: readonly string[], ...options: readonly string[]) =>
      loadForeignBackends(names, [new MapBackend('iptables')], undefined, directory, options);
    /** The options of each backend. */
    const optionsOf = ({ backends }: { readonly backends: readonly { mode: string; description: string }[] }) =>
      Object.fromEntries(backends.map(({ mode, description }) => [mode, JSON.parse(description)]));

    test('go to the only backend, with or without its mode', async () => {
      await write('a.mjs', taking('a', 'directory', 'port'));
      const loaded = await withOptions(['./a.mjs'], 'directory=/run/x=y', 'a:port=10350');
      expect(loaded.problems).toEqual([]);
      expect(optionsOf(loaded)).toEqual({ a: { directory: '/run/x=y', port: 10350 } });
    });

    test('go to one of several by its mode, of one module or of two', async () => {
      await write('ab.mjs', taking('a', 'size') + taking('b', 'port'));
      await write('c.mjs', taking('c', 'port'));
      const loaded = await withOptions(['./ab.mjs', './c.mjs'], 'b:port=1', 'c:port=2');
      expect(loaded.problems).toEqual([]);
      expect(optionsOf(loaded)).toEqual({ a: {}, b: { port: 1 }, c: { port: 2 } });
    });

    test('without a mode are applied to none of several backends', async () => {
      await write('a.mjs', taking('a', 'port'));
      await write('b.mjs', taking('b', 'port'));
      const loaded = await withOptions(['./a.mjs', './b.mjs'], 'port=1');
      expect(loaded.problems).toEqual([
        '--backend-option: "port=1" must say which backend it is for, as in a:key=value; there are a, b',
      ]);
      expect(optionsOf(loaded)).toEqual({ a: {}, b: {} });
    });

    test.each([
      [
        'for a mode that no backend has',
        'z:port=1',
        '"z:port=1" is for the mode z, which no backend of --backend has; there is a',
      ],
      [
        'for a mode of kube-proxier itself',
        'iptables:port=1',
        '"iptables:port=1" is for the mode iptables, which no backend of --backend has; there is a',
      ],
      ['without a value', 'port', '"port" is not key=value or mode:key=value'],
      ['without a name', '=1', '"=1" is not key=value or mode:key=value'],
      ['with control characters', 'po\nrt=1', '"po\\u{a}rt=1" is not key=value or mode:key=value'],
    ])('%s are a problem, and the backend is loaded', async (_what, option, problem) => {
      await write('a.mjs', taking('a', 'port'));
      const loaded = await withOptions(['./a.mjs'], option);
      expect(loaded.problems).toEqual([`--backend-option: ${problem}`]);
      expect(optionsOf(loaded)).toEqual({ a: {} });
    });

    test('without a backend are a problem', async () => {
      expect((await withOptions([], 'port=1')).problems).toEqual([
        '--backend-option: "port=1" is for a backend that --backend names, and there is none',
      ]);
    });

    test('are JSON if valid, else text, and the last of several with one name applies', async () => {
      await write('a.mjs', taking('a', ...'n t z l o s q e w m'.split(' ')));
      const given = [
        'n=-1.5',
        't=true',
        'z=null',
        'l=[1,"x"]',
        'o={"a":{"b":2}}',
        's=2s',
        'q="10"',
        'e=',
        'w={a',
        'm=1',
        'm=2',
      ];
      const loaded = await withOptions(['./a.mjs'], ...given);
      expect(loaded.problems).toEqual([]);
      expect(optionsOf(loaded)).toEqual({
        a: { n: -1.5, t: true, z: null, l: [1, 'x'], o: { a: { b: 2 } }, s: '2s', q: '10', e: '', w: '{a', m: 2 },
      });
    });

    test('of a module without create...Backend are a problem, named once', async () => {
      await write('plain.mjs', good('plain'));
      const loaded = await withOptions(['./plain.mjs'], 'port=1');
      expect(loaded.problems).toEqual([
        '--backend: "./plain.mjs" cannot be made with its options: it exports no create...Backend that makes the mode plain',
      ]);
      expect(loaded.backends).toEqual([]);
    });

    test('that a backend rejects are reported once, and other backends are loaded', async () => {
      await write('ab.mjs', taking('a', 'size') + taking('b', 'port'));
      const loaded = await withOptions(['./ab.mjs'], 'a:port=1', 'b:port=1');
      expect(loaded.problems).toEqual([
        '--backend: "./ab.mjs" cannot be made with its options: createABackend has no option "port"; there are size',
      ]);
      expect(optionsOf(loaded)).toEqual({ b: { port: 1 } });
    });

    test('are applied to a backend that requires them', async () => {
      const needs = `export function createNBackend(options) {
        if (options?.address === undefined) { throw new Error('createNBackend needs the option address'); }
        return { mode: 'n', description: JSON.stringify(options), probe: async () => ({ usable: true }), module: {} };
      }\n`;
      await write('n.mjs', needs);
      expect(optionsOf(await withOptions(['./n.mjs'], 'address=x'))).toEqual({ n: { address: 'x' } });
      expect(optionsOf(await withOptions(['./n.mjs'], 'n:address=x'))).toEqual({ n: { address: 'x' } });
      expect((await load('./n.mjs')).problems).toEqual([
        '--backend: "./n.mjs" cannot be made with its options: createNBackend needs the option address',
      ]);
    });

    test('may be for a backend that could not be loaded: only that is a problem', async () => {
      const { problems } = await withOptions(['@acme/none'], 'port=1');
      expect(problems).toEqual([expect.stringMatching(/cannot be loaded/)]);
    });

    test('if absent, cause no call of any exported function', async () => {
      await write('a.mjs', `${good('a')}export function createOtherBackend() { throw new Error('called'); }\n`);
      expect((await load('./a.mjs')).problems).toEqual([]);
    });
  });
});
