/**
 * Characters that must be escaped for terminals and log files: control characters (line breaks, escape sequences),
 * bidirectional and invisible characters, and line separators of some viewers.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Untrusted text, escaped to stay in its line.
 *
 * @param limit maximum number of characters; the rest is cut off. Default 8192.
 */
export function printable(text: string, limit = 8192): string {
  const short = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return short.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
