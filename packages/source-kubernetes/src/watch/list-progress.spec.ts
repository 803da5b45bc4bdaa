import { expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { ListProgress } from './list-progress.js';

test('a list that takes long is reported after 30 s, and then at growing intervals, until it ends', async () => {
  const clock = new VirtualClock();
  const reports: string[] = [];
  let objects = 0;
  const progress = new ListProgress(
    clock,
    () => objects,
    (text) => reports.push(text),
  );
  await clock.advance(29_999);
  expect([progress.text(), reports]).toEqual([undefined, []]);
  progress.add(700);
  objects = 1;
  await clock.advance(1);
  progress.add(900);
  objects = 2;
  await clock.advance(300_000 - 30_000);
  expect(reports).toEqual([
    'the list is not complete after 30 s: 700B with 1 object so far',
    'the list is not complete after 60 s: 1.6KiB with 2 objects so far',
    'the list is not complete after 120 s: 1.6KiB with 2 objects so far',
    'the list is not complete after 240 s: 1.6KiB with 2 objects so far',
  ]);
  expect(progress.text()).toBe('the list is not complete after 300 s: 1.6KiB with 2 objects so far');
  progress.end();
  await clock.advance(1_000_000);
  expect(reports).toHaveLength(4);
});
