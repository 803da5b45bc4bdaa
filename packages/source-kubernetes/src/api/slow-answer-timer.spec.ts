import { expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { SlowAnswerTimer } from './slow-answer-timer.js';

test('an answer fails after a period with too few bytes, and never while enough of them arrive', async () => {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const timer = new SlowAnswerTimer(clock, 300_000, (failure) => failures.push(failure));
  // As many as a list of 100 MiB takes at 1 KiB per second.
  for (let second = 0; second < 100 * 1024; second += 100) {
    timer.add(100 * 1024);
    await clock.advance(100_000);
  }
  expect(failures).toEqual([]);
  await clock.advance(600_000);
  expect(failures).toEqual([expect.objectContaining({ code: 'API_SILENT' })]);
  timer.cancel();
});

test('bytes of a period do not count in the next one', async () => {
  const clock = new VirtualClock();
  let failures = 0;
  const timer = new SlowAnswerTimer(clock, 10_000, () => {
    failures += 1;
  });
  timer.add(1_000_000);
  await clock.advance(10_000);
  timer.add(1999);
  await clock.advance(9_999);
  expect(failures).toBe(0);
  await clock.advance(1);
  expect(failures).toBe(1);
  timer.cancel();
});
