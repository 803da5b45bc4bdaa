import { describe, expect, test } from '@jest/globals';
import { type BackendModule, DEFAULT_PROXIER_OPTIONS, type PacketPath, type PathOutcome } from '@kube-proxier/core';
import {
  makeService,
  makeSlice,
  RecordingLogger,
  resolveObjects,
  until,
  VirtualClock,
} from '@kube-proxier/core/testing';
import { BackgroundVerification } from './background-verification.js';

const PERIOD = 600_000;
const DROPPED: PathOutcome = {
  probability: 1,
  verdict: 'dropped',
  destination: undefined,
  masqueraded: false,
  decidedBy: { system: 'iptables', table: 'filter', chain: 'FORWARD', text: '-j DROP', foreign: true },
  unknown: [],
};
const SERVED = resolveObjects({
  services: [makeService('web', { clusterIP: '10.96.0.1' })],
  slices: [makeSlice('web', ['10.244.0.1'])],
});
/** @param duration milliseconds that the kernel takes to be read. */
function started({ period = PERIOD, duration = 0 } = {}) {
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const reads: number[] = [];
  const begins: number[] = [];
  const results: string[] = [];
  let broken = false;
  const path: PacketPath = {
    family: 'IPv4',
    localAddresses: new Set(['192.168.0.2']),
    interfaces: [],
    unread: [],
    outcomesOf: () => [DROPPED],
  };
  const backend = {
    mode: 'fake',
    readPacketPath: async () => {
      reads.push(clock.monotonic());
      await new Promise<void>((resolve) => void clock.setTimer(duration, resolve));
      return broken ? path : { ...path, unread: ['nothing is read in this test'] };
    },
  } as unknown as BackendModule;
  const verification = new BackgroundVerification({
    ...{ period, clock, logger, options: DEFAULT_PROXIER_OPTIONS, random: () => 0.5 },
    onVerifying: () => void begins.push(clock.monotonic()),
    onVerified: ({ verdict }) => void results.push(verdict),
  });
  verification.modeSelected({ backend });
  verification.synced({ family: 'IPv4', state: SERVED });
  return {
    ...{ clock, logger, reads, begins, results, verification },
    break: () => {
      broken = true;
    },
  };
}

describe('BackgroundVerification', () => {
  test('verifies soon after the first sync, and then with the period', async () => {
    const { clock, reads, begins, verification } = started();
    await clock.advance(2 * PERIOD + 60_000);
    expect(reads).toEqual([30_000, 630_000, 1_230_000]);
    expect(begins).toEqual(reads);
    await verification.stop();
    await clock.advance(10 * PERIOD);
    expect(reads).toHaveLength(3);
  });

  test('takes at most a hundredth of the time', async () => {
    const { clock, reads, verification } = started({ duration: 20_000 });
    await clock.advance(5_000_000);
    expect(reads).toEqual([30_000, 30_000 + 20_000 + 2_000_000, 30_000 + 2 * (20_000 + 2_000_000)]);
    await verification.stop();
  });

  test('verifies soon after drift was repaired, however often that happens', async () => {
    const { clock, reads, verification } = started();
    await clock.advance(100_000);
    for (let second = 0; second < 50; second++) {
      verification.repaired();
      await clock.advance(1000);
    }
    expect(reads).toEqual([30_000, 130_000]);
    await clock.advance(2 * PERIOD);
    // The last repairs were after that verification.
    expect(reads).toEqual([30_000, 130_000, 160_000, 760_000]);
    await verification.stop();
  });

  test('repaired drift does not make verifications take more than a hundredth of the time', async () => {
    const { clock, reads, verification } = started({ duration: 2000 });
    // One repair before the first verification, one during it, and one afterwards.
    verification.repaired();
    await clock.advance(31_000);
    verification.repaired();
    await clock.advance(10_000);
    verification.repaired();
    await clock.advance(300_000);
    expect(reads).toEqual([30_000, 32_000 + 200_000]);
    await verification.stop();
  });

  test('verifies soon after other programs changed their rules, and every two minutes while they do so all the time', async () => {
    const { clock, reads, verification } = started();
    await clock.advance(300_000);
    for (let second = 0; second < 300; second++) {
      verification.foreignRulesChanged();
      await clock.advance(1000);
    }
    expect(reads).toEqual([30_000, 330_000, 450_000, 570_000]);
    await verification.stop();
  });

  test('without a period, verifies on request only, and reports when that has ended', async () => {
    const { clock, reads, verification } = started({ period: 0, duration: 1000 });
    await clock.advance(PERIOD);
    verification.repaired();
    await clock.advance(PERIOD);
    expect(reads).toEqual([]);
    expect(verification.report()).toMatchObject({ running: false, finished: 0, last: null });
    expect(verification.request()).toBe(1);
    await clock.advance(500);
    // It must read the state in force now, so a verification in progress does not suffice.
    expect(verification.request()).toBe(2);
    expect(verification.report()).toMatchObject({ running: true, finished: 0 });
    await clock.advance(600);
    expect(verification.report().finished).toBe(1);
    await clock.advance(2000);
    expect(verification.report()).toMatchObject({ running: false, finished: 2, last: { verdict: 'unknown' } });
    expect(reads).toHaveLength(2);
  });

  test('a difference is logged once after a second read confirms it, and so is its end', async () => {
    const running = started();
    const { clock, logger, reads, results, verification } = running;
    running.break();
    for (const [number, due] of [30_000, PERIOD].entries()) {
      await clock.advance(due);
      // A verification also pauses in real time, in which this clock stands still.
      await until(() => {
        void clock.advance(0);
        return results.length > number;
      });
    }
    expect(results).toEqual(['different', 'different']);
    expect(reads).toHaveLength(4);
    const errors = () => logger.messages().filter((line) => /The kernel does not do what the state says/.test(line));
    expect(errors()).toEqual([expect.stringMatching(/"-j DROP" in chain FORWARD of table filter \(iptables\)/)]);
    await verification.stop();
  });

  test('before anything is programmed, a request is refused', () => {
    const verification = new BackgroundVerification({
      ...{ period: 0, clock: new VirtualClock(), logger: new RecordingLogger(), options: DEFAULT_PROXIER_OPTIONS },
    });
    expect(verification.request()).toBeUndefined();
  });
});
