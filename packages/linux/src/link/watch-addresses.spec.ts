import { describe, expect, test } from '@jest/globals';
import type { AddressChange } from '@kube-proxier/core';
import { settle, VirtualClock } from '@kube-proxier/core/testing';
import { FakeLinks } from './fake-links.js';
import { watchAddresses } from './watch-addresses.js';

type Reported = 'read all' | readonly string[];

function watch(links = new FakeLinks(), room = 100) {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const reported: Reported[] = [];
  const failures: number[] = [];
  let recoveries = 0;
  const watching = watchAddresses({
    open: () => links.events(room),
    clock,
    signal: abort.signal,
    onChange: (changes: readonly AddressChange[] | undefined) => {
      reported.push(changes === undefined ? 'read all' : changes.map(({ address }) => address));
    },
    onFailure: (reason, count) => {
      expect(reason).toContain('ENOMEM');
      failures.push(count);
    },
    onRecovery: () => {
      recoveries += 1;
    },
  });
  return { links, clock, abort, reported, failures, watching, recoveries: () => recoveries };
}

describe('watchAddresses', () => {
  test('requests a full read at the start, and then reports changes within a second', async () => {
    const { links, clock, reported, abort, watching } = watch();
    await clock.advance(5000);
    expect(reported).toEqual(['read all']);
    await links.addHostAddress('10.1.0.1');
    await clock.advance(1000);
    expect(reported).toEqual(['read all', ['10.1.0.1']]);
    await clock.advance(60_000);
    expect(reported).toHaveLength(2);
    abort.abort();
    await watching;
  });

  test('reports an address that is added and removed continuously once a second', async () => {
    const { links, clock, reported } = watch();
    await clock.advance(2000);
    reported.length = 0;
    for (let time = 0; time < 10_000; time += 50) {
      await (time % 100 === 0 ? links.addHostAddress('10.1.0.1') : links.removeHostAddress('10.1.0.1'));
      await clock.advance(50);
    }
    expect(reported.length).toBeGreaterThan(5);
    expect(reported.length).toBeLessThanOrEqual(11);
  });

  test('requests a full read after a buffer overrun', async () => {
    const { links, clock, reported } = watch(new FakeLinks(), 3);
    await clock.advance(2000);
    for (let index = 0; index < 5; index += 1) {
      await links.addHostAddress(`10.1.0.${index}`);
    }
    await clock.advance(1000);
    await links.removeHostAddress('10.1.0.1');
    await clock.advance(2000);
    expect(reported).toEqual(['read all', 'read all', ['10.1.0.1']]);
  });

  test('retries after a failure with increasing delay, and requests a full read each time', async () => {
    const { links, clock, reported, failures, recoveries } = watch();
    await clock.advance(2000);
    links.deaf = true;
    await clock.advance(1000 + 2000 + 500);
    expect(failures).toEqual([1, 2, 3]);
    await clock.advance(3_600_000);
    // At most every 30 seconds.
    expect(failures.length).toBeLessThan(130);
    expect(reported).toHaveLength(1 + failures.length);
    expect(recoveries()).toBe(0);

    links.deaf = false;
    await links.addHostAddress('10.1.0.1');
    await clock.advance(30_000);
    expect([recoveries(), reported.at(-1)]).toEqual([1, 'read all']);
    await links.removeHostAddress('10.1.0.1');
    await clock.advance(1000);
    expect(reported.at(-1)).toEqual(['10.1.0.1']);

    const before = failures.length;
    links.deaf = true;
    await clock.advance(1000);
    expect(failures.slice(before)).toEqual([1]);
  });

  test.each([false, true])('ends when its signal aborts (while failing: %s)', async (deaf) => {
    const { links, clock, abort, watching, reported } = watch();
    links.deaf = deaf;
    await clock.advance(2000);
    const before = reported.length;
    abort.abort();
    await watching;
    await links.addHostAddress('10.1.0.1');
    await settle();
    expect([reported.length, clock.pending]).toEqual([before, 0]);
  });
});
