import { describe, expect, test } from '@jest/globals';
import { RecordingLogger } from '@kube-proxier/core/testing';
import type { KernelFiles } from '@kube-proxier/linux';
import { FakeSysctl } from '@kube-proxier/linux/testing';
import {
  ConntrackTuning,
  type ConntrackTuningOptions,
  conntrackMax,
  conntrackSettings,
  DEFAULT_CONNTRACK_TUNING,
} from './conntrack-tuning.js';

const KERNEL = {
  'net/netfilter/nf_conntrack_max': 65_536,
  'net/netfilter/nf_conntrack_tcp_timeout_established': 432_000,
  'net/netfilter/nf_conntrack_tcp_timeout_close_wait': 60,
  'net/netfilter/nf_conntrack_tcp_be_liberal': 0,
  'net/netfilter/nf_conntrack_udp_timeout': 30,
  'net/netfilter/nf_conntrack_udp_timeout_stream': 120,
};
const HASH_SIZE = '/sys/module/nf_conntrack/parameters/hashsize';

function setUp(sysctl: FakeSysctl, options: Partial<ConntrackTuningOptions> = {}, isExplicit = true) {
  const contents = new Map([[HASH_SIZE, '16384\n']]);
  const files: KernelFiles = {
    read: async (path) => contents.get(path) ?? '',
    write: async (path, text) => void contents.set(path, text),
  };
  const logger = new RecordingLogger();
  const tuning = new ConntrackTuning({
    options: { ...DEFAULT_CONNTRACK_TUNING, ...options },
    ...{ sysctl, files, logger, cpus: 8, isExplicit },
  });
  return { tuning, logger, contents };
}

describe('conntrack sysctls (spec T-1…T-7)', () => {
  test.each([
    // Spec T-7: the test cases of kube-proxy.
    [{ min: 0, maxPerCore: 0 }, 4, 0],
    [{ min: 1, maxPerCore: 67_890 }, 4, 271_560],
    [{ min: 1, maxPerCore: 67_890 }, 64, 1_048_576],
    [{ min: 123_456, maxPerCore: 1 }, 4, 123_456],
    [{ min: 123_456, maxPerCore: 0 }, 4, 0],
    [{ min: 131_072, maxPerCore: 32_768 }, 512, 1_048_576],
    [{ min: 2_000_000, maxPerCore: 32_768 }, 8, 2_000_000],
  ])('%j on %d CPUs makes room for %d', (options, cpus, expected) => {
    expect(conntrackMax({ ...DEFAULT_CONNTRACK_TUNING, ...options }, cpus)).toBe(expected);
  });

  test("0 keeps the kernel's value", () => {
    const none = Object.fromEntries(Object.keys(DEFAULT_CONNTRACK_TUNING).map((key) => [key, 0]));
    const options = { ...DEFAULT_CONNTRACK_TUNING, ...none, tcpBeLiberal: false };
    expect(conntrackSettings(options, 8)).toEqual([]);
  });

  test('writes values that differ, in seconds, and grows the hash table', async () => {
    const sysctl = new FakeSysctl({ ...KERNEL, 'net/netfilter/nf_conntrack_tcp_timeout_established': 86_400 });
    const { tuning, contents, logger } = setUp(sysctl, { tcpBeLiberal: true, udpStreamTimeout: 90_000 });
    expect(await tuning.apply()).toBe(true);
    expect(sysctl.writes).toEqual([
      ['net/netfilter/nf_conntrack_max', '262144'],
      ['net/netfilter/nf_conntrack_tcp_timeout_close_wait', '3600'],
      ['net/netfilter/nf_conntrack_tcp_be_liberal', '1'],
      ['net/netfilter/nf_conntrack_udp_timeout_stream', '90'],
    ]);
    expect(contents.get(HASH_SIZE)).toBe('65536');
    expect(logger.warnings).toEqual([]);
  });

  test('a read-only sysctl is logged once, and the others are set', async () => {
    const sysctl = new FakeSysctl(KERNEL, ['net/netfilter/nf_conntrack_max']);
    const { tuning, logger } = setUp(sysctl);
    expect(await tuning.apply()).toBe(false);
    await tuning.synced();
    expect(logger.warnings).toEqual([expect.stringMatching(/nf_conntrack_max=262144 \(.*read-only.*--init-only/)]);
    expect(sysctl.writes).toHaveLength(2);
  });

  test('sysctls that do not exist before the first rules are set after the first sync', async () => {
    let loaded = false;
    const real = new FakeSysctl(KERNEL);
    const empty = new FakeSysctl({});
    const later = Object.assign(Object.create(real), {
      read: (name: string) => (loaded ? real : empty).read(name),
      write: (name: string, value: number) => (loaded ? real : empty).write(name, value),
    });
    const { tuning, logger } = setUp(later);
    expect(await tuning.apply()).toBe(false);
    loaded = true;
    await tuning.synced();
    await tuning.synced();
    expect(real.writes).toHaveLength(3);
    expect(logger.warnings).toEqual([]);
  });
});
