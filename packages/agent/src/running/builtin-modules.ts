import { createRequire } from 'node:module';

/** Modules of Node.js that a start uses, those that others need first. */
const USED = [
  'node:crypto',
  'node:zlib',
  'node:http',
  'node:https',
  'node:child_process',
  'node:fs/promises',
  'node:readline',
  'node:perf_hooks',
  'node:worker_threads',
  'node:inspector',
  'node:dgram',
  'node:dns',
  'node:cluster',
];

/**
 * Loads modules of Node.js before flags of V8 are set. V8 does not use the compiled code that Node.js has of them once a flag differs from
 * those with which it was made, and compiles them again: 20 ms of CPU time. Not with `import`, which also loads what they load on demand.
 */
export function loadBuiltinModules(): void {
  const require = createRequire(import.meta.url);
  for (const name of USED) {
    require(name);
  }
}
