import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Makes V8 collect garbage more often instead of growing the heap. Reading a large cluster creates much garbage once; V8
 * returns the memory late or never. V8 reads these flags at each decision, so they can be set at runtime instead of on
 * the command line of node. Measured by bench/agent.mjs and bench/scale.mjs. `--optimize-for-size` needs as little memory during the load, but
 * compacts the heap at each collection: with 50,000 Services, a quarter of all CPU time.
 */
export function holdMemory(): void {
  setFlagsFromString('--heap-growing-percent=30');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Called once the initial state is programmed: returns memory to the system, restores the normal size of the young
 * generation, and lets V8 prefer little memory.
 */
export function settleMemory(): void {
  setFlagsFromString('--heap-growing-percent=0');
  setFlagsFromString('--semi-space-growth-factor=2');
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') {
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }
}
