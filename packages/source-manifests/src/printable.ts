/**
 * External text in a form for log lines: printable ASCII in one line, everything else as `\u{…}`.
 *
 * @param limit number of characters after which the text is truncated. Default 300.
 */
export function printable(text: string, limit = 300): string {
  const safe = text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return safe.length > limit ? `${safe.slice(0, limit - 3)}...` : safe;
}
