import { expect, test } from '@jest/globals';
import { RecordingLogger, VirtualClock } from '@kube-proxier/core/testing';
import { MemoryWatch } from './memory-watch.js';

const MEGABYTE = 1024 * 1024;

/** A watch of a cgroup of 100 MiB. */
function start(use: { cgroup: number }) {
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const contents = () => ({
    '/proc/self/cgroup': '0::/\n',
    '/sys/fs/cgroup/memory.max': String(100 * MEGABYTE),
    '/sys/fs/cgroup/memory.current': String(use.cgroup * MEGABYTE),
    '/sys/fs/cgroup/memory.stat': '',
  });
  const files = {
    read: async (path: string) => contents()[path as '/proc/self/cgroup'] ?? Promise.reject(new Error('ENOENT')),
    write: async () => {},
  };
  const watch = new MemoryWatch({ files, logger, clock });
  watch.start();
  return { watch, clock, logger };
}

test('a memory limit that is almost reached is logged once, until it no longer is', async () => {
  const use = { cgroup: 50 };
  const { watch, clock, logger } = start(use);
  await clock.advance(1000);
  expect(logger.warnings).toEqual([]);
  use.cgroup = 90;
  await clock.advance(200);
  expect(logger.warnings).toEqual([
    expect.stringMatching(/^90 of 100 MiB of the memory limit .*the kernel kills it: raise/),
  ]);
  expect(watch.shortage).toBe(logger.warnings[0]);
  // Between the two thresholds.
  for (const cgroup of [80, 90, 80]) {
    use.cgroup = cgroup;
    await clock.advance(200_000);
  }
  expect(logger.warnings).toHaveLength(1);
  use.cgroup = 50;
  await clock.advance(2000);
  expect(watch.shortage).toBeUndefined();
  watch.stop();
});
