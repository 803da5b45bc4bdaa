import { describe, expect, test } from '@jest/globals';
import type { SyncFailure, SyncSuccess } from '@kube-proxier/core';
import { VirtualClock } from '@kube-proxier/core/testing';
import { SyncHistory } from './sync-history.js';

const success = (servicePorts: number, duration: number) =>
  ({
    family: 'IPv4',
    duration,
    changes: { servicePorts: new Map(Array.from({ length: servicePorts }, (_, index) => [String(index), {}])) },
  }) as unknown as SyncSuccess;

describe('SyncHistory', () => {
  test('records successes with their size, and failures', () => {
    const clock = new VirtualClock();
    const history = new SyncHistory(clock);
    const time = new Date(clock.now()).toISOString();
    history.synced(success(3, 1.23456));
    history.failed({ family: 'IPv6', duration: 2 } as SyncFailure);
    expect(history.syncs).toEqual([
      { time, family: 'IPv4', milliseconds: 1.23, servicePorts: 3, failed: false },
      { time, family: 'IPv6', milliseconds: 2, servicePorts: 0, failed: true },
    ]);
  });

  test('keeps the last 600', () => {
    const history = new SyncHistory(new VirtualClock());
    for (let index = 0; index < 700; index++) {
      history.synced(success(index, 0));
    }
    expect(history.syncs).toHaveLength(600);
    expect(history.syncs[0]?.servicePorts).toBe(100);
    expect(history.syncs.at(-1)?.servicePorts).toBe(699);
  });
});
