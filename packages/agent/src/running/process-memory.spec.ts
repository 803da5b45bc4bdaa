import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const MODULE = new URL('./process-memory.js', import.meta.url).href.replace('/src/', '/dist/');

/** The largest young generation, in MB, of a process that retains this many MB of small objects. */
async function youngGeneration(megabytes: number): Promise<number> {
  const script = `
    import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
    import { holdMemory } from ${JSON.stringify(MODULE)};
    holdMemory();
    const kept = [];
    let largest = 0;
    const look = () => {
      largest = Math.max(largest, getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
    };
    while (getHeapStatistics().used_heap_size < ${megabytes} * 1048576) {
      for (let index = 0; index < 20000; index++) kept.push({ index, text: 'text ' + index });
      look();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    // Twice the interval of the heap check.
    const end = performance.now() + 500;
    while (performance.now() < end) {
      // The heap grows no further.
      for (let index = 0; index < 20000; index++) kept[index] = { index, text: 'text ' + index };
      look();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    process.stdout.write(String(largest / 1048576));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return Number(stdout);
}

test('the young generation stays small with a small heap, and grows with a large heap', async () => {
  const [small, large] = await Promise.all([youngGeneration(30), youngGeneration(100)]);
  expect(small).toBeLessThan(10);
  expect(large).toBeGreaterThan(small * 2);
});

/** Resident memory in MB of a process after it has freed memory of the C library below some that it uses, and after a while. */
async function residentAfterFree(): Promise<{ readonly freed: number; readonly later: number }> {
  const script = `
    import { createRequire } from 'node:module';
    import { releasePeriodically } from ${JSON.stringify(MODULE)};
    const koffi = createRequire(${JSON.stringify(import.meta.url)})('koffi');
    const library = koffi.load(null);
    const calloc = library.func('void *calloc(size_t, size_t)');
    const free = library.func('void free(void *)');
    // Blocks of this size are not mapped separately, and the last one keeps the C library from returning those below it.
    const blocks = Array.from({ length: 1500 }, () => calloc(1, 100_000));
    const memset = library.func('void *memset(void *, int, size_t)');
    for (const block of blocks) memset(block, 1, 100_000);
    for (const block of blocks.slice(0, -1)) free(block);
    const resident = () => process.memoryUsage.rss() / 1048576;
    const freed = resident();
    releasePeriodically(20);
    const end = performance.now() + 10_000;
    while (resident() > freed - 100 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    process.stdout.write(JSON.stringify({ freed, later: resident() }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof residentAfterFree>>;
}

test('memory that is freed after the start returns to the system', async () => {
  const { freed, later } = await residentAfterFree();
  // Of 150 MB.
  expect(freed).toBeGreaterThan(150);
  expect(later).toBeLessThan(freed - 100);
});

/** Which collections of the heap a process with this many MB of objects has when its start is over. */
async function collectionsAtEndOfStart(
  megabytes: number,
): Promise<{ readonly atOnce: number; readonly besideProgram: number }> {
  const script = `
    import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { getHeapStatistics } from 'node:v8';
    import { MEMORY_OF_PHASES } from ${JSON.stringify(MODULE)};
    const kept = [];
    while (getHeapStatistics().used_heap_size < ${megabytes} * 1048576) {
      for (let index = 0; index < 20000; index++) kept.push({ index, text: 'text ' + index });
    }
    const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE } = constants;
    const count = { atOnce: 0, besideProgram: 0 };
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) {
        if (detail.kind === NODE_PERFORMANCE_GC_MAJOR) {
          count[detail.flags & NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE ? 'besideProgram' : 'atOnce'] += 1;
        }
      }
    }).observe({ entryTypes: ['gc'] });
    MEMORY_OF_PHASES.settled(true);
    const end = performance.now() + 20_000;
    while (count.atOnce + count.besideProgram === 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    process.stdout.write(JSON.stringify(count));
    process.exit(kept.length === 0 ? 1 : 0);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof collectionsAtEndOfStart>>;
}

test('at the end of a start, a large heap is collected beside the program, and a small one at once', async () => {
  const [small, large] = await Promise.all([collectionsAtEndOfStart(5), collectionsAtEndOfStart(60)]);
  expect(small.atOnce).toBeGreaterThan(0);
  expect(large.atOnce).toBe(0);
  expect(large.besideProgram).toBeGreaterThan(0);
});
