const UNPRINTABLE = /[^\x20-\x7e]/gu;
/** The beginning of an escape that was cut off. */
const PARTIAL_ESCAPE = /\\(u(\{[0-9a-f]*)?)?$/;
const CUT = '...';

/**
 * External text in a form that is safe in logs, on terminals and in errors: one line of printable ASCII, every other
 * character as `\u{…}` with its code point. External text can therefore neither forge a line, nor control a terminal,
 * nor imitate other text. ASCII characters, the backslash included, are unchanged.
 *
 * The cost is limited too, however long the text is.
 *
 * @param limit maximum number of characters of the result, 3 or more; a longer one is cut, and ends in `...`. Default 300.
 */
export function printable(text: string, limit = 300): string {
  // Every input character yields at least one output character.
  const escaped = text.slice(0, limit + 1).replace(UNPRINTABLE, codePointEscape);
  return escaped.length > limit ? `${escaped.slice(0, limit - CUT.length).replace(PARTIAL_ESCAPE, '')}${CUT}` : escaped;
}

function codePointEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/**
 * External value of any type in the form of {@link printable}: its JSON, where it has one.
 *
 * @param limit maximum number of characters of the result. Default 80.
 */
export function printableValue(value: unknown, limit = 80): string {
  return printable(textOf(value), limit);
}

/** A list of functions would be a list of nulls. */
function withFunctions(_key: string, value: unknown): unknown {
  return typeof value === 'function' ? 'a function' : value;
}

function textOf(value: unknown): string {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'number':
    case 'bigint':
    case 'undefined':
      // JSON has no NaN and would print `null`.
      return String(value);
    default:
      try {
        return JSON.stringify(value, withFunctions) ?? 'a value without JSON form';
      } catch {
        return 'a value that cannot be printed';
      }
  }
}
