import { describe, expect, test } from '@jest/globals';
import type { AddressChange } from '@kube-proxier/core';
import { settle, VirtualClock } from '@kube-proxier/core/testing';
import { FakeLinks } from '../testing/fake-links.js';
import { watchAddresses } from './watch-addresses.js';

type Told = 'look' | readonly string[];

function watch(links = new FakeLinks(), room = 100) {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const told: Told[] = [];
  const failures: number[] = [];
  let recoveries = 0;
  const watching = watchAddresses({
    open: () => links.events(room),
    clock,
    signal: abort.signal,
    onChange: (changes: readonly AddressChange[] | undefined) => {
      told.push(changes === undefined ? 'look' : changes.map(({ address }) => address));
    },
    onFailure: (reason, count) => {
      expect(reason).toContain('ENOMEM');
      failures.push(count);
    },
    onRecovery: () => {
      recoveries += 1;
    },
  });
  return { links, clock, abort, told, failures, watching, recoveries: () => recoveries };
}

describe('watchAddresses', () => {
  test('has everything looked up when it begins, and then tells within a second what has changed', async () => {
    const { links, clock, told, abort, watching } = watch();
    await clock.advance(5000);
    expect(told).toEqual(['look']);
    await links.addHostAddress('10.1.0.1');
    await clock.advance(1000);
    expect(told).toEqual(['look', ['10.1.0.1']]);
    await clock.advance(60_000);
    expect(told).toHaveLength(2);
    abort.abort();
    await watching;
  });

  test('an address that comes and goes all the time is told of once a second', async () => {
    const { links, clock, told } = watch();
    await clock.advance(2000);
    told.length = 0;
    for (let time = 0; time < 10_000; time += 50) {
      await (time % 100 === 0 ? links.addHostAddress('10.1.0.1') : links.removeHostAddress('10.1.0.1'));
      await clock.advance(50);
    }
    expect(told.length).toBeGreaterThan(5);
    expect(told.length).toBeLessThanOrEqual(11);
  });

  test('more changes than the kernel keeps are looked up', async () => {
    const { links, clock, told } = watch(new FakeLinks(), 3);
    await clock.advance(2000);
    for (let index = 0; index < 5; index += 1) {
      await links.addHostAddress(`10.1.0.${index}`);
    }
    await clock.advance(1000);
    await links.removeHostAddress('10.1.0.1');
    await clock.advance(2000);
    expect(told).toEqual(['look', 'look', ['10.1.0.1']]);
  });

  test('begins anew when it fails, later and later, and has everything looked up each time', async () => {
    const { links, clock, told, failures, recoveries } = watch();
    await clock.advance(2000);
    links.deaf = true;
    await clock.advance(1000 + 2000 + 500);
    expect(failures).toEqual([1, 2, 3]);
    await clock.advance(3_600_000);
    // Not more often than every half a minute.
    expect(failures.length).toBeLessThan(130);
    expect(told).toHaveLength(1 + failures.length);
    expect(recoveries()).toBe(0);

    links.deaf = false;
    await links.addHostAddress('10.1.0.1');
    await clock.advance(30_000);
    expect([recoveries(), told.at(-1)]).toEqual([1, 'look']);
    await links.removeHostAddress('10.1.0.1');
    await clock.advance(1000);
    expect(told.at(-1)).toEqual(['10.1.0.1']);

    const before = failures.length;
    links.deaf = true;
    await clock.advance(1000);
    expect(failures.slice(before)).toEqual([1]);
  });

  test.each([false, true])('ends when it is told to (while it fails: %s)', async (deaf) => {
    const { links, clock, abort, watching, told } = watch();
    links.deaf = deaf;
    await clock.advance(2000);
    const before = told.length;
    abort.abort();
    await watching;
    await links.addHostAddress('10.1.0.1');
    await settle();
    expect([told.length, clock.pending]).toEqual([before, 0]);
  });
});
