import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importBackend, loadBackend } from './load-backend.js';

const backend = (mode: string) => ({ mode, description: 'd', probe: async () => ({ usable: true }), module: {} });

/** A host whose modules are objects. */
function hostWith(modules: Readonly<Record<string, object>>) {
  return {
    importModule: async (specifier: string): Promise<unknown> => {
      const found = modules[specifier];
      if (found === undefined) {
        const error = new Error(`Cannot find package '${specifier}' imported from /host.js`);
        throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
      }
      return found;
    },
  };
}

describe('loadBackend', () => {
  const a = backend('a');
  const createABackend = (options: object = {}) => ({ ...backend('a'), description: JSON.stringify(options) });
  const host = hostWith({
    one: { a },
    two: { a, b: backend('b') },
    makes: { createABackend },
    nothing: { version: '1' },
    half: { a: { mode: 'a', probe: 1, module: {} } },
    wrong: { createABackend: (options?: object) => (options === undefined ? a : 1) },
  });

  test.each([
    [[], /^loadBackend has no valid name: give the name of a package, or a path$/],
    [['one'], /^loadBackend has no valid importModule: give a function that imports /],
    [['one', { importModule: 'x' }], /^loadBackend has no valid importModule: /],
    [['one', { importModule: () => a, directory: 1 }], /^loadBackend has no valid directory: /],
  ])('refuses wrong arguments of JavaScript: %j', async (args: readonly unknown[], message) => {
    const call = loadBackend as (...args: readonly unknown[]) => Promise<unknown>;
    await expect(call(...args)).rejects.toMatchObject({
      code: 'BACKEND_REQUEST',
      message: expect.stringMatching(message),
    });
    const callImport = importBackend as (...args: readonly unknown[]) => Promise<unknown>;
    await expect(callImport(...args)).rejects.toMatchObject({ code: 'BACKEND_REQUEST' });
  });

  test('returns the only backend of a module, or that of a mode', async () => {
    expect(await loadBackend('one', host)).toBe(a);
    expect(await loadBackend('two', { ...host, mode: 'b' })).toMatchObject({ mode: 'b' });
  });

  test('creates the backend with options, or when none is exported', async () => {
    expect(await loadBackend('makes', host)).toMatchObject({ description: '{}' });
    expect(await loadBackend('makes', { ...host, options: { size: 1 } })).toMatchObject({ description: '{"size":1}' });
  });

  test.each([
    ['missing', {}, 'BACKEND_NOT_FOUND', /Cannot find/],
    ['nothing', {}, 'BACKEND_NOT_EXPORTED', /exports no BackendModule/],
    ['wrong', { options: { size: 1 } }, 'BACKEND_NOT_EXPORTED', /exports no create\.\.\.Backend/],
    ['half', {}, 'BACKEND_INCOMPLETE', /description must be a text; probe must be a function$/],
    ['one', { options: { size: 1 } }, 'BACKEND_ACCEPTS_NO_OPTIONS', /accepts no options/],
    ['two', {}, 'BACKEND_MODE_AMBIGUOUS', /select one of a, b$/],
    ['two', { mode: 'c' }, 'BACKEND_MODE_UNKNOWN', /has no mode c; it has a, b$/],
  ])('%s %j: %s', async (name, request, code, message) => {
    await expect(loadBackend(name, { ...host, ...request })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

describe('importBackend', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'backends-'));
    await writeFile(join(directory, 'a.mjs'), '');
  });

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const importModule = async (specifier: string) => ({ specifier });

  test.each(['./a.mjs', '/a.mjs'])('a path is resolved in the directory: %s', async (path) => {
    const name = path.startsWith('.') ? path : join(directory, path);
    const specifier = pathToFileURL(join(directory, 'a.mjs')).href;
    expect(await importBackend(name, { importModule, directory })).toEqual({ specifier });
  });

  test('a path that does not exist is reported', async () => {
    await expect(importBackend('./none.mjs', { importModule, directory })).rejects.toMatchObject({
      code: 'BACKEND_NOT_FOUND',
      message: expect.stringContaining('none.mjs'),
    });
  });

  test('the error for a missing module does not list the modules of the host', async () => {
    const missing = async () => {
      const error = new Error("Cannot find module 'acme'\nRequire stack:\n- /host.js\n- /main.js");
      throw Object.assign(error, { code: 'MODULE_NOT_FOUND' });
    };
    await expect(importBackend('./a.mjs', { importModule: missing, directory })).rejects.toMatchObject({
      code: 'BACKEND_NOT_FOUND',
      message: "Cannot find module 'acme'",
    });
  });

  test('an error of the module is the cause', async () => {
    const failure = new Error('it broke');
    const failing = async () => {
      throw failure;
    };
    await expect(importBackend('./a.mjs', { importModule: failing, directory })).rejects.toMatchObject({
      code: 'BACKEND_IMPORT_FAILED',
      message: 'it broke',
      cause: failure,
    });
  });
});
