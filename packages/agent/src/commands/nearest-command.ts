import { nearestName } from '@kube-proxier/core';

/** The one of `commands` most similar to `text`, or the first that begins with it; undefined when there is none. */
export function nearestCommand<T extends string>(text: string, commands: readonly T[]): T | undefined {
  const nearest = nearestName(text, commands);
  const begun = text.length > 1 ? commands.find((name) => name.startsWith(text.toLowerCase())) : undefined;
  return commands.find((name) => name === nearest) ?? begun;
}
