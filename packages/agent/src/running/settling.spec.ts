import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { Settling } from './settling.js';

function settling(verifies = false) {
  const clock = new VirtualClock();
  const at: number[] = [];
  const over: boolean[] = [];
  const synced: number[] = [];
  const read: number[] = [];
  const verifications: string[] = [];
  const phases = {
    objectsRead: () => read.push(clock.monotonic()),
    synced: () => synced.push(clock.monotonic()),
    settled: (isOver: boolean) => {
      at.push(clock.monotonic());
      over.push(isOver);
    },
    verifying: () => verifications.push('begins'),
    verified: () => verifications.push('ended'),
  };
  return { clock, at, over, read, synced, verifications, observer: new Settling(phases, verifies, clock) };
}

describe('the work of a start is done', () => {
  test('when the slowest family is synced, not before', async () => {
    const { clock, at, over, read, synced, observer } = settling();
    const begin = clock.monotonic();
    observer.started('IPv4');
    observer.started('IPv6');
    observer.resolving();
    await clock.advance(100);
    observer.resolving();
    expect(read).toEqual([begin]);
    observer.synced({ family: 'IPv6' });
    observer.verified();
    await clock.advance(60_000);
    expect(at).toEqual([]);
    observer.synced({ family: 'IPv4' });
    await clock.advance(60_000);
    expect(synced).toEqual([begin + 60_100]);
    expect(at).toEqual([begin + 61_100]);
    expect(over).toEqual([true]);
    observer.synced({ family: 'IPv4' });
    await clock.advance(60_000);
    expect([at, synced].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('when a family fails: its retries may never succeed', async () => {
    const { clock, at, observer } = settling();
    observer.started('IPv4');
    observer.started('IPv6');
    observer.failed({ family: 'IPv6' });
    observer.synced({ family: 'IPv4' });
    await clock.advance(1000);
    expect(at).toHaveLength(1);
    observer.failed({ family: 'IPv6' });
    observer.synced({ family: 'IPv6' });
    await clock.advance(60_000);
    expect(at).toHaveLength(1);
  });

  test('again after objects are compressed, and only then if that is soon', async () => {
    const { clock, at, observer } = settling(true);
    observer.started('IPv4');
    observer.synced({ family: 'IPv4' });
    await clock.advance(600);
    observer.compressed();
    await clock.advance(900);
    expect(at).toEqual([]);
    await clock.advance(100);
    expect(at).toHaveLength(1);
    observer.compressed();
    await clock.advance(1000);
    expect(at).toHaveLength(2);
  });

  test('again after leftovers of other modes are removed, before the first verification', async () => {
    const { clock, over, observer } = settling(true);
    observer.started('IPv4');
    observer.synced({ family: 'IPv4' });
    await clock.advance(5000);
    observer.takenOver();
    await clock.advance(5000);
    observer.verified();
    await clock.advance(5000);
    observer.takenOver();
    await clock.advance(5000);
    expect(over).toEqual([false, false, true]);
  });

  test('again after the first verification; only once if both are close together', async () => {
    const late = settling(true);
    late.observer.started('IPv4');
    late.observer.synced({ family: 'IPv4' });
    await late.clock.advance(5000);
    late.observer.verified();
    await late.clock.advance(60_000);
    late.observer.verified();
    await late.clock.advance(60_000);
    expect(late.over).toEqual([false, true]);
    const soon = settling(true);
    soon.observer.started('IPv4');
    soon.observer.synced({ family: 'IPv4' });
    await soon.clock.advance(500);
    soon.observer.verified();
    await soon.clock.advance(60_000);
    expect(soon.over).toEqual([true]);
  });

  test('tells when each verification begins and ends, also after the start', async () => {
    const { clock, observer, verifications } = settling(true);
    observer.started('IPv4');
    observer.synced({ family: 'IPv4' });
    for (let verification = 0; verification < 2; verification += 1) {
      observer.verifying();
      observer.verified();
      await clock.advance(60_000);
    }
    expect(verifications).toEqual(['begins', 'ended', 'begins', 'ended']);
  });
});
