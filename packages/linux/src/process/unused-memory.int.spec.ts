import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

/** A separate process, as jest maps files in the process of tests. */
function run(script: string): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const BUILD = new URL('../../dist/index.js', import.meta.url).href;
const BEGIN = `
import { readFileSync } from 'node:fs';
const { releaseUnusedMemory } = await import('${BUILD}');
const mapped = () => Number(/^RssFile:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
`;

test('pages of program files are released, and mapped again on access', () => {
  const { before, after, released, sum } = run(`${BEGIN}
    const before = mapped();
    const released = await releaseUnusedMemory();
    const after = mapped();
    const sum = Array.from({ length: 1000 }, (_, index) => index).sort((a, b) => b - a).reduce((a, b) => a + b, 0);
    console.log(JSON.stringify({ before, after, released, sum: new Intl.NumberFormat('en').format(sum) }));
  `) as { before: number; after: number; released: { ranges: number }; sum: string };
  expect(released.ranges).toBeGreaterThan(3);
  expect(after).toBeLessThan(before / 2);
  expect(sum).toBe('499,500');
});

test('a page that was changed before it became read-only keeps its content', () => {
  expect(
    run(`${BEGIN}
      import koffi from 'koffi';
      import { openSync } from 'node:fs';
      const library = koffi.load(null);
      const mmap = library.func('void *mmap(void *, size_t, int, int, int, long)');
      const mprotect = library.func('int mprotect(void *, size_t, int)');
      const memset = library.func('void *memset(void *, int, size_t)');
      const SIZE = 8192;
      const [READ, WRITE, PRIVATE] = [1, 2, 2];
      const page = mmap(null, SIZE, READ | WRITE, PRIVATE, openSync(process.execPath, 'r'), 0);
      memset(page, 0x2a, 1);
      mprotect(page, SIZE, READ);
      await releaseUnusedMemory();
      console.log(JSON.stringify(koffi.decode(page, 'unsigned char')));
    `),
  ).toBe(0x2a);
});
