import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { ProgressLine } from './progress-line.js';

describe('ProgressLine', () => {
  function started() {
    const clock = new VirtualClock();
    const written: string[] = [];
    return { clock, written, progress: new ProgressLine((text) => void written.push(text), clock) };
  }

  test('shows work that takes longer than a second, with its time, and clears the line at the end', async () => {
    const { clock, written, progress } = started();
    let end = () => {};
    const done = progress.during('Checking mode nftables', () => new Promise<void>((resolve) => (end = resolve)));
    await clock.advance(999);
    expect(written).toEqual([]);
    await clock.advance(1001);
    expect(written).toEqual(['\r\u001b[KChecking mode nftables … 1 s', '\r\u001b[KChecking mode nftables … 2 s']);
    end();
    await done;
    expect(written.at(-1)).toBe('\r\u001b[K');
    await clock.advance(5000);
    expect(written).toHaveLength(3);
  });

  test('shows the inner work, and clears the line when the work fails', async () => {
    const { clock, written, progress } = started();
    let fail = (_error: Error) => {};
    const done = progress.during('Checking this host', () =>
      progress.during('Checking mode ipvs', () => new Promise<void>((_resolve, reject) => (fail = reject))),
    );
    await clock.advance(1000);
    expect(written).toEqual(['\r\u001b[KChecking mode ipvs … 1 s']);
    fail(new Error('no such module'));
    await expect(done).rejects.toThrow('no such module');
    expect(written.at(-1)).toBe('\r\u001b[K');
    expect(clock.pending).toBe(0);
  });

  test('shows nothing without a terminal, and nothing for fast work', async () => {
    expect(await new ProgressLine().during('Checking', async () => 7)).toBe(7);
    const { clock, written, progress } = started();
    await progress.during('Checking', async () => {});
    await clock.advance(5000);
    expect(written).toEqual([]);
  });
});
