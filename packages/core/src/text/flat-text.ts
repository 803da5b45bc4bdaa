/**
 * A flat string, for strings that are kept in large numbers. V8 represents concatenations of more than 12 characters,
 * and results of `JSON.stringify` of more than 100, as trees with 32 bytes per node.
 *
 * @param parts of the text, in order.
 */
export function flatText(...parts: readonly string[]): string {
  // `join` returns a flat string, unless there is only one part.
  return parts.length === 1 ? halves(parts[0] ?? '').join('') : parts.join('');
}

function halves(text: string): readonly string[] {
  return [text.slice(0, 1), text.slice(1)];
}
