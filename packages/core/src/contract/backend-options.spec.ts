import { describe, expect, test } from '@jest/globals';
import { BackendOptionError, checkBackendOptions, findOptionProblem, OptionRules } from './backend-options.js';

const RULES = {
  layout: OptionRules.oneOf(['constant', 'chain-per-service']),
  strict: OptionRules.boolean,
  wait: OptionRules.wholeNumberFrom(1),
  runner: OptionRules.having('run'),
};

function check(options: object): unknown {
  try {
    checkBackendOptions('createAcmeBackend', options, RULES as Record<never, never>);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('options of a backend', () => {
  test.each([
    [{}],
    [{ layout: undefined, runner: undefined }],
    [{ layout: 'constant', strict: false, wait: 1, runner: { run: () => {} } }],
  ])('are taken as they are: %j', (options) => {
    expect(check(options)).toBeUndefined();
  });

  const circular: Record<string, unknown> = {};
  circular.self = circular;
  test.each<[Record<string, unknown>, string]>([
    [{ varient: 'nft' }, 'createAcmeBackend has no option "varient"; valid options are layout, strict, wait, runner'],
    [{ toString: 1 }, 'createAcmeBackend has no option "toString"; valid options are layout, strict, wait, runner'],
    [
      { layout: 'wrong' },
      'option layout of createAcmeBackend is "wrong"; it must be one of constant, chain-per-service',
    ],
    [{ layout: null }, 'option layout of createAcmeBackend is null; it must be one of constant, chain-per-service'],
    [{ strict: 'yes' }, 'option strict of createAcmeBackend is "yes"; it must be true or false'],
    [{ wait: Number.NaN }, 'option wait of createAcmeBackend is NaN; it must be a whole number, 1 or more'],
    [{ wait: 0 }, 'option wait of createAcmeBackend is 0; it must be a whole number, 1 or more'],
    [{ runner: () => {} }, 'option runner of createAcmeBackend is a function; it must be an object with run()'],
    [
      { runner: circular },
      'option runner of createAcmeBackend is a value that cannot be printed; it must be an object with run()',
    ],
  ])('that no host can follow are refused by name: %o', (options, message) => {
    const error = check(options);
    expect(error).toBeInstanceOf(BackendOptionError);
    expect(error).toMatchObject({ code: 'BACKEND_OPTION', option: Object.keys(options)[0], message });
  });
});

describe('options that a caller in JavaScript got wrong', () => {
  const rules = { path: OptionRules.string, strict: OptionRules.boolean };
  const find = (options: unknown) =>
    findOptionProblem<{ path?: string; strict?: boolean }>('AcmeSource', options as object, rules, ['path']);

  test.each<[unknown, string]>([
    [{}, 'AcmeSource needs the option path; it must be a text'],
    [{ path: undefined, strict: true }, 'AcmeSource needs the option path; it must be a text'],
    [undefined, 'the options of AcmeSource are undefined; they must be an object'],
    [null, 'the options of AcmeSource are null; they must be an object'],
    ['manifests', 'the options of AcmeSource are "manifests"; they must be an object'],
    [['manifests'], 'the options of AcmeSource are ["manifests"]; they must be an object'],
  ])('%j', (options, message) => {
    expect(find(options)).toEqual({ option: 'path', message });
  });

  test('are complete with those that are required', () => {
    expect(find({ path: 'manifests' })).toBeUndefined();
  });
});
