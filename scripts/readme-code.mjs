/**
 * Code in Markdown: each fenced `ts` block is a program that must compile. `<!-- run -->` on the line before it says that
 * it also runs alone, and `<!-- run: TEXT -->` that its output has this text in it.
 */

const BLOCK = /(?:<!-- (run)(?:: (.*?))? -->\n+)?```ts\n([\s\S]*?)```/g;

/**
 * @param {string} markdown
 * @returns {{code: string, run: boolean, shows: readonly string[]}[]} in the order of the text.
 */
export function codeOf(markdown) {
  return [...markdown.matchAll(BLOCK)].map(([, run, shows, code = '']) => ({
    code,
    run: run !== undefined,
    shows: shows === undefined ? [] : [shows],
  }));
}
