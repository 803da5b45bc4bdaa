import { describe, expect, test } from '@jest/globals';
import { createOffered, lacksOf, offeredBackends } from './backend-exports.js';

const backend = (mode: string, description = 'd') => ({
  mode,
  description,
  probe: async () => ({ usable: true }),
  module: {},
});
/** A function that shows its options in the description. */
const maker = (mode: string) => (options?: object) => backend(mode, JSON.stringify(options ?? 'none'));
const needsOptions = (options?: { readonly mode?: string }) => {
  if (options?.mode === undefined) {
    throw new Error('needs the option mode');
  }
  return backend(options.mode);
};

describe('offeredBackends', () => {
  const a = backend('a');

  test('exported backends are offered once, under any name', () => {
    const offers = offeredBackends({ a, default: a, b: backend('b'), version: '1', nothing: null }, false);
    expect(offers.map(({ mode, makers }) => [mode, makers.length])).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
  });

  test('without options, no function of a module that exports a backend is called', () => {
    const createABackend = () => {
      throw new Error('called');
    };
    expect(offeredBackends({ a, createABackend }, false)).toHaveLength(1);
  });

  test('with options, a backend has the functions that create its mode', () => {
    const [createABackend, createBBackend] = [maker('a'), maker('b')];
    const offers = offeredBackends({ a, b: backend('b'), createABackend, createBBackend }, true);
    expect(offers.map(({ makers }) => makers)).toEqual([[createABackend], [createBBackend]]);
  });

  test('a module without an exported backend offers what its functions create', () => {
    const offers = offeredBackends({ createABackend: maker('a'), createSomething: maker('x') }, false);
    expect(offers.map(({ mode, ready }) => [mode, ready?.backend.description])).toEqual([['a', '"none"']]);
  });

  test('the mode of a function that needs options is unknown; one that creates no backend offers none', () => {
    const offers = offeredBackends({ createABackend: needsOptions, createBBackend: () => 1 }, true);
    expect(offers).toEqual([{ mode: undefined, ready: undefined, makers: [needsOptions] }]);
  });

  test.each([[undefined], [null], ['text'], [{}], [{ a: { mode: 'a' } }]])('%j offers nothing', (exported) => {
    expect(offeredBackends(exported, true)).toEqual([]);
  });
});

describe('createOffered', () => {
  test('without options the exported backend is used; with options it is created', () => {
    const exported = { a: backend('a'), createABackend: maker('a') };
    const [offer] = offeredBackends(exported, true);
    const created = (options?: object) => offer && createOffered(offer, options)?.backend;
    expect(created()).toBe(exported.a);
    expect(created({ size: 1 })?.description).toBe('{"size":1}');
  });

  test('a backend of another mode than the requested one is not used', () => {
    const [offer] = offeredBackends({ createABackend: needsOptions }, true);
    expect(offer && createOffered(offer, { mode: 'b' }, 'a')).toBeUndefined();
    expect(offer && createOffered(offer, { mode: 'a' }, 'a')?.backend.mode).toBe('a');
  });

  test('the error of the function is thrown', () => {
    const [offer] = offeredBackends({ createABackend: needsOptions }, true);
    expect(() => offer && createOffered(offer, { size: 1 })).toThrow('needs the option mode');
  });
});

test.each<[object, readonly string[]]>([
  [backend('a-1'), []],
  [{ ...backend('A B'), probe: 1 }, ['mode must be lower case letters, digits and dashes', 'probe must be a function']],
  [{ ...backend('a'), module: null }, ['module must be an inversify ContainerModule']],
  [
    { ...backend('a'), capabilities: 1, diagnose: 1 },
    ['capabilities must be an object', 'diagnose must be a function'],
  ],
])('%j lacks %j', (value, lacks) => {
  expect(lacksOf(value)).toEqual(lacks);
});
