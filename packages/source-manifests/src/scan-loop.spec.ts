import { expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { ScanLoop } from './scan-loop.js';

/** A loop whose scans end when `finish` is called. */
function setUp() {
  const clock = new VirtualClock();
  const begun: number[] = [];
  let end: ((next: number) => void) | undefined;
  const loop = new ScanLoop(clock, () => {
    begun.push(clock.monotonic());
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  const begin = clock.monotonic();
  return {
    clock,
    loop,
    begun: () => begun.map((time) => time - begin),
    async finish(next: number) {
      end?.(next);
      await clock.advance(0);
    },
  };
}

test('scans again after the time that a scan returned', async () => {
  const { clock, loop, begun, finish } = setUp();
  loop.run();
  await finish(1000);
  await clock.advance(999);
  expect(begun()).toEqual([0]);
  await clock.advance(1);
  expect(begun()).toEqual([0, 1000]);
});

test('never runs two scans, and repeats one after a change during it', async () => {
  const { loop, begun, finish } = setUp();
  loop.run();
  loop.run();
  loop.runWithin(100);
  expect(begun()).toEqual([0]);
  await finish(1000);
  expect(begun()).toEqual([0, 0]);
});

test('scans earlier after a change, and not later', async () => {
  const { clock, loop, begun, finish } = setUp();
  loop.run();
  await finish(1000);
  loop.runWithin(100);
  await clock.advance(60);
  loop.runWithin(100);
  await clock.advance(40);
  expect(begun()).toEqual([0, 100]);
});

test('starts nothing after it was cancelled', async () => {
  const { clock, loop, begun, finish } = setUp();
  loop.run();
  loop.run();
  loop.cancel();
  await finish(1000);
  await loop.idle();
  loop.run();
  loop.runWithin(0);
  await clock.advance(10_000);
  expect(begun()).toEqual([0]);
  expect(clock.pending).toBe(0);
});
