import * as nodeModule from 'node:module';

/**
 * Flushes V8's compiled code to the compile cache, if the environment variable `NODE_COMPILE_CACHE` is set (Node.js 22
 * and later). Node itself writes it only at a regular exit; with this, a start after a crash uses it as well. No effect
 * without the variable, or when the directory is not writable.
 */
export function writeCompileCache(): void {
  // Not in the types of the oldest supported Node.
  const { flushCompileCache } = nodeModule as { readonly flushCompileCache?: () => void };
  flushCompileCache?.();
}
