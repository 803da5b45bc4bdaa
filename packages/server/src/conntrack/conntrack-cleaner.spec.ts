import { expect, test } from '@jest/globals';
import { diffStates, silentLogger } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import type { Conntrack } from '@kube-proxier/linux';
import { ConntrackCleaner } from './conntrack-cleaner.js';

const ports = [{ name: '', port: 53, protocol: 'UDP' }];
const state = resolveObjects({
  services: [makeService('a/dns', { ports: [{ port: 53, protocol: 'UDP' }] })],
  slices: [makeSlice('a/dns', ['10.0.0.1'], { ports })],
});

test('reports the duration of a check, also when the clock of the host is set meanwhile', async () => {
  const clock = new VirtualClock();
  const conntrack: Conntrack = {
    delete: async () => 0,
    list: async () => {
      clock.set(-3_600_000);
      await clock.advance(20);
      return [];
    },
  };
  const durations: number[] = [];
  const cleaner = new ConntrackCleaner(
    conntrack,
    silentLogger,
    async () => [],
    clock,
    ({ duration }) => {
      durations.push(duration);
    },
  );
  const changes = diffStates(undefined, state);
  await cleaner.synced({ family: 'IPv4', state, changes, full: false, duration: 0, triggerTimes: [] });
  expect(durations).toEqual([20]);
});

test('retries a failed check without another sync, and not after it is stopped', async () => {
  const clock = new VirtualClock();
  let broken = true;
  let checks = 0;
  const conntrack: Conntrack = {
    delete: async () => 0,
    list: async () => {
      checks += 1;
      if (broken) {
        throw new Error('the kernel has no memory for it');
      }
      return [];
    },
  };
  const cleaner = new ConntrackCleaner(conntrack, silentLogger, async () => [], clock);
  const success = { family: 'IPv4', state, changes: diffStates(undefined, state), full: true } as const;
  await cleaner.synced({ ...success, duration: 0, triggerTimes: [] });
  expect(checks).toBe(1);
  await clock.advance(1000);
  expect(checks).toBe(2);
  broken = false;
  await clock.advance(2000);
  expect(checks).toBe(3);
  await clock.advance(600_000);
  expect(checks).toBe(3);

  broken = true;
  await cleaner.synced({ ...success, duration: 0, triggerTimes: [] });
  expect(checks).toBe(4);
  await cleaner.stop();
  await clock.advance(600_000);
  expect(checks).toBe(4);
});
