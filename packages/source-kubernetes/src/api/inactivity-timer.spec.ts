import { expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { InactivityTimer } from './inactivity-timer.js';

test.each([0, -3_600_000, 3_600_000])(
  'silence is noticed in time, when the time of the host is set by %d ms',
  async (step) => {
    const clock = new VirtualClock();
    let noticed = 0;
    const timer = new InactivityTimer(clock, 90_000, () => {
      noticed++;
    });
    await clock.advance(60_000);
    timer.touch();
    clock.set(step);
    await clock.advance(89_999);
    expect(noticed).toBe(0);
    await clock.advance(1);
    expect(noticed).toBe(1);
  },
);
