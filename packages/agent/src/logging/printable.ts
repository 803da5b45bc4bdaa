/**
 * What must not reach a terminal or a log file as it is: control characters (line breaks, escape sequences), characters
 * that change the direction of text or cannot be seen, and what some viewers break lines at.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Text from outside in a form that stays in its line.
 *
 * @param limit characters after which the rest is left out. Default 8192.
 */
export function printable(text: string, limit = 8192): string {
  const short = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return short.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
