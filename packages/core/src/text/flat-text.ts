/**
 * A text as one piece of memory, for texts that are kept in large numbers. V8 makes a tree of 32 bytes a node of texts that are concatenated
 * with more than 12 characters, and of what `JSON.stringify` returns with more than 100.
 *
 * @param parts of the text, in order.
 */
export function flatText(...parts: readonly string[]): string {
  // `join` writes its result in one piece, unless there is only one part.
  return parts.length === 1 ? halves(parts[0] ?? '').join('') : parts.join('');
}

function halves(text: string): readonly string[] {
  return [text.slice(0, 1), text.slice(1)];
}
