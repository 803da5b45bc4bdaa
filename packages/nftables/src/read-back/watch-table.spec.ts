import { expect, test } from '@jest/globals';
import { settle, VirtualClock } from '@kube-proxier/core/testing';
import { FakeNft } from '@kube-proxier/linux/testing';
import { watchTable } from './watch-table.js';

/** Monitoring whose programs end when the test requests it. */
function monitored() {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const events: string[] = [];
  let end = () => {};
  const nft = Object.assign(new FakeNft(), {
    watch: () => {
      events.push('started');
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      return { stop: () => end(), ended };
    },
  });
  const onDrift = (what: string, certainty?: string) => events.push(`${what} (${certainty})`);
  const watching = watchTable(nft, 'IPv4', clock, onDrift, abort.signal);
  return { clock, events, endProgram: () => end(), stop: () => abort.abort(), watching };
}

const INTERRUPTED = 'monitoring of table ip kube-proxier was interrupted (possible)';

test('interrupted monitoring restarts at once, and the table is checked after that', async () => {
  const { clock, events, endProgram, stop, watching } = monitored();
  await clock.advance(5000);
  expect(events).toEqual(['started']);
  endProgram();
  await settle();
  expect(events).toEqual(['started', 'started', INTERRUPTED]);
  stop();
  await watching;
  expect(events).toHaveLength(3);
});

test('monitoring that always ends is started once a second', async () => {
  const { clock, events, endProgram, stop, watching } = monitored();
  for (let second = 1; second <= 3; second++) {
    endProgram();
    await settle();
    expect(events.filter((event) => event === 'started')).toHaveLength(second);
    await clock.advance(1000);
  }
  expect(events).toEqual(['started', ...Array.from({ length: 3 }, () => ['started', INTERRUPTED]).flat()]);
  stop();
  await watching;
});
