import { expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { WaitingHealth } from './waiting-health.js';

test('the port is released from time to time, for a running proxy that opens its ports late', async () => {
  const clock = new VirtualClock();
  let open = 0;
  const waiting = new WaitingHealth(clock, () => ({
    start: async () => {
      open += 1;
    },
    stop: async () => {
      open -= 1;
    },
  }));
  const opened: number[] = [];
  await waiting.restart();
  for (let second = 0; second < 150; second++) {
    opened.push(open);
    await clock.advance(1000);
  }
  // The running proxy retries every 5 s.
  const turns = opened
    .join('')
    .match(/0+|1+/g)
    ?.map((turn) => [turn[0], turn.length]);
  expect(turns?.slice(0, 4)).toEqual([
    ['0', 8],
    ['1', 60],
    ['0', 8],
    ['1', 60],
  ]);
  await waiting.stop();
  await clock.advance(200_000);
  expect(open).toBe(0);
});
