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
