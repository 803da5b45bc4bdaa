import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const TICKS = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100;

/**
 * CPU seconds of a process, user and system, to a hundredth, with the children that it waited for and those that still
 * run.
 *
 * @param {number} [pid] default: this process
 */
export function cpuSeconds(pid = process.pid) {
  const running = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const ticks = [pid, ...running].map((one) => {
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  });
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS;
}

/**
 * Memory of a process in MB: resident, and the most that it ever had resident.
 *
 * @param {number} pid
 */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  /** @param {string} field */
  const megabytes = (field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { peak: megabytes('VmHWM'), resident: megabytes('VmRSS') };
}

/**
 * Proportional set size of a process in MB: its resident memory, of which pages that n processes share count 1/n.
 *
 * @param {number} pid
 */
export function proportionalMemoryOf(pid) {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
}

/** The most that this process ever had resident is counted from now on. */
export function resetPeakMemory() {
  writeFileSync('/proc/self/clear_refs', '5');
}

/** @type {((options?: Readonly<Record<string, string>>) => void) | undefined} */
let collect;

/**
 * Collects the garbage of this process.
 *
 * @param {Readonly<Record<string, string>>} [options] of V8
 */
export function collectGarbage(options) {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = /** @type {typeof collect} */ (runInNewContext('gc'));
  }
  collect?.(options);
}

/** Collects the garbage of this process, and returns what it took to the system, which V8 does in threads. */
export async function returnMemory() {
  for (let round = 0; round < 2; round += 1) {
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await wait(500);
  }
}

/** Bytes of heap in use once garbage is collected. */
export function usedHeap() {
  // What the first collection finalizes, the second frees.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** @param {number} bytes */
export function toMegabytes(bytes) {
  return bytes / 2 ** 20;
}

/**
 * Milliseconds that some work takes.
 *
 * @param {() => unknown} work
 */
export async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** @param {number} milliseconds */
export function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
