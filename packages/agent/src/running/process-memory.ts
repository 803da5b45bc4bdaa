import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Has V8 collect more often rather than take more memory from the system. Learning a large cluster makes much garbage
 * once; what V8 takes for it, it gives back late or never. These flags are looked at whenever V8 decides, so that they
 * can be set while it runs; they need not be on the command line of node. Measured by bench/agent.mjs.
 */
export function holdMemory(): void {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** When the cluster is learned: gives back what that took, and lets short-lived objects have their room again. */
export function settleMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') {
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }
}
