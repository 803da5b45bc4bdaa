import { ProxierError } from './proxier-error.js';

/** An option of a backend is unknown, or has a value that no host can follow. Its code is `BACKEND_OPTION`. */
export class BackendOptionError extends ProxierError {
  constructor(
    message: string,
    /** Name of the option. */
    readonly option: string,
  ) {
    super('BACKEND_OPTION', message);
  }
}

/** What values one option takes. */
export interface OptionRule {
  /** Completes "it must be …". */
  readonly expected: string;
  /** Never asked of undefined, which stands for the default. */
  accepts(value: unknown): boolean;
}

/** The rules that backends have in common. */
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
  /** A time. */
  milliseconds: {
    expected: 'a number of milliseconds, greater than 0',
    accepts: (value) => Number.isFinite(value) && (value as number) > 0,
  },
  /** Something that is used by calling its methods. */
  having: (...methods: readonly string[]) => ({
    expected: `an object with ${methods.map((method) => `${method}()`).join(' and ')}`,
    accepts: (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function'),
  }),
} satisfies Record<string, OptionRule | ((...args: never[]) => OptionRule)>;

/**
 * Checks what a backend's factory was given, which the compiler has not where it was given from JavaScript.
 *
 * @param factory name of the function, for the message.
 * @param rules one for each option that there is.
 * @throws BackendOptionError for the first option that is unknown, or has a value that its rule does not accept.
 */
export function checkBackendOptions<Options extends object>(
  factory: string,
  options: Options,
  rules: { readonly [Name in keyof Required<Options>]: OptionRule },
): void {
  const known = new Map<string, OptionRule>(Object.entries(rules));
  for (const [name, value] of Object.entries(options)) {
    const rule = known.get(name);
    if (rule === undefined) {
      const there = [...known.keys()].join(', ');
      throw new BackendOptionError(`${factory} has no option ${shown(name)}; there are ${there}`, name);
    }
    if (value !== undefined && !rule.accepts(value)) {
      throw new BackendOptionError(
        `option ${name} of ${factory} is ${shown(value)}; it must be ${rule.expected}`,
        name,
      );
    }
  }
}

/** A value in a few words, whatever it is. */
function shown(value: unknown): string {
  if (typeof value === 'function' || typeof value === 'symbol') {
    return `a ${typeof value}`;
  }
  try {
    // A number that JSON has not, such as NaN, would be null.
    const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
    return text.length > 80 ? `${text.slice(0, 80)}…` : text;
  } catch {
    return 'something that cannot be shown';
  }
}
