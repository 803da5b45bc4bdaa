import * as nodeModule from 'node:module';

/**
 * Writes what V8 compiled so far to the compile cache, where the environment variable `NODE_COMPILE_CACHE` names its directory
 * (Node.js 22 and later). Node itself writes it only when the process ends in order; after this, a start that follows a crash uses
 * it as well. Without the variable, or where the directory cannot be written, nothing happens.
 */
export function writeCompileCache(): void {
  // Not in the types of the oldest Node that is supported.
  const { flushCompileCache } = nodeModule as { readonly flushCompileCache?: () => void };
  flushCompileCache?.();
}
