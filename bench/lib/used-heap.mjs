// Preloaded into a process (`--import`): on SIGUSR2, it collects the garbage of the process, and appends the memory that its objects
// hold to the file that BENCH_MEASURED names.
import { appendFileSync } from 'node:fs';
import { toMegabytes, usedHeap } from './process-usage.mjs';

/**
 * @typedef {object} UsedHeap
 * @property {number} heap MB of V8's heap
 * @property {number} external MB outside of it
 */

const file = process.env.BENCH_MEASURED;

if (file) {
  process.on('SIGUSR2', () => {
    /** @type {UsedHeap} */
    const used = { heap: toMegabytes(usedHeap()), external: toMegabytes(process.memoryUsage().external) };
    appendFileSync(file, `${JSON.stringify(used)}\n`);
  });
}
