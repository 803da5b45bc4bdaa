import { printableValue } from '../text/printable.js';
import { ProxierError } from './proxier-error.js';

/** An option of a backend is unknown, or has an invalid value. Its code is `BACKEND_OPTION`. */
export class BackendOptionError extends ProxierError {
  constructor(
    message: string,
    /** Name of the option; empty where the options are no object. */
    readonly option: string,
  ) {
    super('BACKEND_OPTION', message);
  }
}

/** The values that one option accepts. */
export interface OptionRule {
  /** Completes "it must be …". */
  readonly expected: string;
  /** Never called with undefined, which selects the default. */
  accepts(value: unknown): boolean;
}

/** Rules for the common kinds of options. */
export const OptionRules = {
  boolean: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
  oneOf: (values: readonly string[]) => ({
    expected: `one of ${values.join(', ')}`,
    accepts: (value) => typeof value === 'string' && values.includes(value),
  }),
  wholeNumberFrom: (least: number) => ({
    expected: `a whole number, ${least} or more`,
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  }),
  /** A duration. */
  milliseconds: {
    expected: 'a number of milliseconds, greater than 0',
    accepts: (value) => Number.isFinite(value) && (value as number) > 0,
  },
  string: { expected: 'a text', accepts: (value) => typeof value === 'string' },
  function: { expected: 'a function', accepts: (value) => typeof value === 'function' },
  /** A list of at least one object with these methods. */
  listOf: (...methods: readonly string[]) => ({
    expected: `a list of at least one object with ${methods.map((method) => `${method}()`).join(' and ')}`,
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every((one) => hasMethods(one, methods)),
  }),
  /** An object with these methods. */
  having: (...methods: readonly string[]) => ({
    expected: `an object with ${methods.map((method) => `${method}()`).join(' and ')}`,
    accepts: (value) => hasMethods(value, methods),
  }),
} satisfies Record<string, OptionRule | ((...args: never[]) => OptionRule)>;

/** The error in one option. */
export interface OptionProblem {
  /** Empty where the options are no object, and none of them is required. */
  readonly option: string;
  /** One line, safe to print. */
  readonly message: string;
}

/**
 * The first option that is unknown or missing, or has a value that its rule does not accept; undefined when all are valid.
 * Needed because the compiler does not check calls from JavaScript. Pure.
 *
 * @param owner name of the function or class that takes the options, for the message: `createAcmeBackend`,
 *   `ProxyServer`.
 * @param rules one for each valid option.
 * @param required options without a default. Default: none.
 */
export function findOptionProblem<Options extends object>(
  owner: string,
  options: Options,
  rules: { readonly [Name in keyof Required<Options>]: OptionRule },
  required: readonly (keyof Options & string)[] = [],
): OptionProblem | undefined {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const message = `the options of ${owner} are ${printableValue(options)}; they must be an object`;
    return { option: required[0] ?? '', message };
  }
  const known = new Map<string, OptionRule>(Object.entries(rules));
  for (const [option, value] of Object.entries(options)) {
    const rule = known.get(option);
    if (rule === undefined) {
      const names = [...known.keys()].join(', ');
      return { option, message: `${owner} has no option ${printableValue(option)}; valid options are ${names}` };
    }
    if (value !== undefined && !rule.accepts(value)) {
      return {
        option,
        message: `option ${option} of ${owner} is ${printableValue(value)}; it must be ${rule.expected}`,
      };
    }
  }
  const missing = required.find((option) => options[option] === undefined);
  return missing === undefined
    ? undefined
    : { option: missing, message: `${owner} needs the option ${missing}; it must be ${rules[missing].expected}` };
}

/**
 * Validates the options of a backend's factory, with {@link findOptionProblem}.
 *
 * @param factory name of the function, for the message.
 * @throws BackendOptionError for the first option that is unknown, or has a value that its rule does not accept.
 */
export function checkBackendOptions<Options extends object>(
  factory: string,
  options: Options,
  rules: { readonly [Name in keyof Required<Options>]: OptionRule },
): void {
  const problem = findOptionProblem(factory, options, rules);
  if (problem !== undefined) {
    throw new BackendOptionError(problem.message, problem.option);
  }
}

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function')
  );
}
