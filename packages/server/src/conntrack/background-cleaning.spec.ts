import { expect, test } from '@jest/globals';
import { diffStates, type SyncSuccess } from '@kube-proxier/core';
import { resolveObjects } from '@kube-proxier/core/testing';
import { BackgroundCleaning } from './background-cleaning.js';

const state = resolveObjects({});

function success(duration: number, full = false, family: 'IPv4' | 'IPv6' = 'IPv4'): SyncSuccess {
  return { family, state, changes: diffStates(state, state), full, duration, triggerTimes: [] };
}

/** Work that the test completes. */
function makeWork() {
  const begun: SyncSuccess[] = [];
  const pending: (() => void)[] = [];
  const cleaning = new BackgroundCleaning((one) => {
    begun.push(one);
    return new Promise((resolve) => pending.push(resolve));
  });
  const finish = async () => {
    pending.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { cleaning, begun, finish };
}

test('syncs do not wait, and one run covers all syncs during the previous run, full if any of them is', async () => {
  const { cleaning, begun, finish } = makeWork();
  await cleaning.synced(success(1));
  await cleaning.synced(success(2, true));
  await cleaning.synced(success(3));
  expect(begun.map(({ duration }) => duration)).toEqual([1]);
  await finish();
  expect(begun.map(({ duration, full }) => [duration, full])).toEqual([
    [1, false],
    [3, true],
  ]);
  await finish();
  await cleaning.synced(success(4));
  expect(begun.at(-1)).toMatchObject({ duration: 4, full: false });
});

test('families do not wait for each other', async () => {
  const { cleaning, begun } = makeWork();
  await cleaning.synced(success(1));
  await cleaning.synced(success(2, false, 'IPv6'));
  expect(begun).toHaveLength(2);
});

test('stop waits for the current run and starts no other', async () => {
  const { cleaning, begun, finish } = makeWork();
  await cleaning.synced(success(1));
  await cleaning.synced(success(2));
  let stopped = false;
  const done = cleaning.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  await finish();
  await done;
  expect(begun).toHaveLength(1);
});
