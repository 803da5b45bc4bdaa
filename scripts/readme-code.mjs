/**
 * Code in Markdown: each fenced `ts` block is a program that must compile. `<!-- run -->` on the line before it says that
 * it runs by itself too, and `<!-- run: TEXT -->` that its output has this text in it.
 */

const BLOCK = /(?:<!-- (run)(?:: (.*?))? -->\n+)?```ts\n([\s\S]*?)```/g;

/** @returns {{code: string, run: boolean, shows: readonly string[]}[]} in the order of the text. */
export function codeOf(markdown) {
  return [...markdown.matchAll(BLOCK)].map(([, run, shows, code]) => ({
    code,
    run: run !== undefined,
    shows: shows === undefined ? [] : [shows],
  }));
}

/** Names that pieces of code may use without saying where they come from: what a reader has already. */
export const PRELUDE = `import type { Container } from 'inversify';
import type * as core from '@kube-proxier/core';
import type { CommandRunner } from '@kube-proxier/linux';
declare global {
  const logger: core.Logger;
  const handler: core.SourceHandler;
  const container: Container;
  const sources: readonly core.Source[];
  const runner: CommandRunner;
}
`;
