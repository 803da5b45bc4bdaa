import { describe, expect, test } from '@jest/globals';
import { isProxierError, silentLogger, Tokens } from '@kube-proxier/core';
import { CommandError, type CommandRunner } from '@kube-proxier/linux';
import { FakeIpvs, FakeSysctl } from '@kube-proxier/linux/testing';
import { Container } from 'inversify';
import { createIpvsBackend } from './backend.js';
import { RULE_TABLES } from './plan/fixed-chains.js';
import { SCHEDULER_NAMES } from './plan/schedulers.js';
import { probeHost } from './probe.js';
import { type FakeHost, fakeHost } from './testing/contents.js';

function probe(host: FakeHost, scheduler = 'rr') {
  return probeHost({ host: () => host, supportsIPv6: async () => true, scheduler });
}

function trialChains({ tools }: FakeHost): readonly string[] {
  return RULE_TABLES.flatMap((table) => tools.chainsOf(table)).filter((chain) => chain.startsWith('TRIAL'));
}

describe('the probe', () => {
  test('tries every scheduler, every set, the interface and the rules, and leaves nothing behind', async () => {
    const host = fakeHost('IPv4');
    const { result, schedulers } = await probe(host);
    expect(result).toEqual({
      usable: true,
      detail: `IPVS 1.2.1, schedulers ${SCHEDULER_NAMES.join(' ')}`,
      families: ['IPv4', 'IPv6'],
    });
    expect([...schedulers]).toEqual(SCHEDULER_NAMES);
    expect(await host.ipvs.virtualServers()).toEqual([]);
    expect(await host.sets.names()).toEqual([]);
    expect(await host.links.find('kube-ipvs-try')).toBeUndefined();
    expect(trialChains(host)).toEqual([]);
  });

  test('removes what a probe that was killed has left, without reading all rules', async () => {
    const host = fakeHost('IPv4');
    const left =
      ':TRIAL-IPVS-SERVICES - [0:0]\n:TRIAL-IPVS-RANGES - [0:0]\n-A TRIAL-IPVS-SERVICES -j TRIAL-IPVS-RANGES';
    await host.tools.restore(`*mangle\n${left}\nCOMMIT\n`);
    expect(trialChains(host)).toHaveLength(2);
    host.tools.save = () => Promise.reject(new Error('not expected'));
    expect((await probe(host)).result.usable).toBe(true);
    expect(trialChains(host)).toEqual([]);
  });

  test('a missing scheduler is the reason only where it was requested', async () => {
    const lacking = () => ({ ...fakeHost('IPv4'), ipvs: new FakeIpvs(new Set(['rr', 'wlc'])) });
    expect(await probe(lacking())).toMatchObject({ result: { usable: true }, schedulers: new Set(['rr', 'wlc']) });
    expect((await probe(lacking(), 'mh')).result).toEqual({
      usable: false,
      reason: 'the kernel lacks the IPVS scheduler mh (module ip_vs_mh); it has rr, wlc',
    });
  });

  test('an unsupported setting is the reason; a supported one is restored', async () => {
    const name = 'net/ipv4/vs/conntrack';
    const withSettings = (sysctl: FakeSysctl) => probe({ ...fakeHost('IPv4'), sysctl });
    const readOnly = await withSettings(new FakeSysctl({ [name]: 0 }, [name]));
    expect(readOnly.result).toMatchObject({ usable: false, reason: expect.stringContaining(`${name} is read-only`) });
    const absent = await withSettings(new FakeSysctl({}));
    expect(absent.result).toMatchObject({ usable: false, reason: expect.stringContaining(`${name} does not exist`) });
    const right = await withSettings(new FakeSysctl({ [name]: 1 }, [name]));
    expect(right.result).toMatchObject({ usable: true });
    const sysctl = new FakeSysctl({ [name]: 0 });
    expect((await withSettings(sysctl)).result).toMatchObject({ usable: true });
    expect(await sysctl.read(name)).toBe('0');
  });

  test('rules that the host rejects are the reason', async () => {
    const host = fakeHost('IPv4');
    host.tools.refuses = (line) => line.includes('--map-set');
    const { result } = await probe(host);
    expect(result).toMatchObject({ usable: false, reason: expect.stringContaining('--map-set') });
    expect(await host.sets.names()).toEqual([]);
  });

  test('a table that cannot be written is the reason, and no set is left', async () => {
    const host = fakeHost('IPv4');
    let writes = 0;
    host.tools.restore = () => {
      writes += 1;
      return Promise.reject(new Error(`refusal ${writes}`));
    };
    const { result } = await probe(host);
    expect(result).toMatchObject({ usable: false, reason: 'refusal 1' });
    expect(writes).toBe(2);
    expect(await host.sets.names()).toEqual([]);
  });

  test('without IPVS in the kernel, the probe reports it, and why the module could not be loaded', async () => {
    const runner: CommandRunner = {
      run: async ({ command }) => {
        const stderr = 'modprobe: FATAL: Module ip_vs not found.';
        throw new CommandError('exit-code', command, 1, undefined, stderr, 'modprobe failed');
      },
    };
    const result = await createIpvsBackend({ runner }).probe();
    // On a kernel with IPVS, the module is not loaded.
    if (!result.usable) {
      expect(result.reason).toBe(
        'the kernel has no IPVS, and its module ip_vs could not be loaded (modprobe: FATAL: Module ip_vs not found)',
      );
    }
  });

  test('without IPVS in the kernel, cleanup finds nothing and loads no module', async () => {
    const commands: string[] = [];
    const runner: CommandRunner = {
      run: async ({ command }) => {
        commands.push(command);
        throw new CommandError('exit-code', command, 1, undefined, '', 'no such module');
      },
    };
    const backend = createIpvsBackend({ runner });
    // This test does not touch a kernel that has IPVS.
    if (!(await backend.probe()).usable) {
      commands.length = 0;
      const container = new Container();
      container.load(backend.module);
      expect(await container.get(Tokens.Cleanup)(silentLogger, {})).toEqual({ removed: [] });
      expect(commands).toEqual([]);
    }
  });
});

test.each([
  [{ scheduler: 'fastest' }, /option scheduler of createIpvsBackend is "fastest"; it must be one of rr, wrr/],
  [
    { excludeCIDRs: ['10.0.0.0/8', 'here'] },
    /\["10.0.0.0\/8","here"\]; it must be a list of networks, each like 10.0.0.0\/8/,
  ],
  [{ timeouts: { tcp: -1, tcpFin: 0, udp: 0 } }, /whole seconds/],
  [{ timeouts: { tcp: 0, tcpFin: 0, udp: 2 ** 32 } }, /0 to 2147483647/],
  [null as never, /the options of createIpvsBackend are null; they must be an object/],
])('options that no host can follow are refused: %j', (options, message) => {
  let error: unknown;
  try {
    createIpvsBackend(options);
  } catch (thrown) {
    error = thrown;
  }
  expect(isProxierError(error) && error.code).toBe('BACKEND_OPTION');
  expect(String(error)).toMatch(message);
});

test('doctor reports what this mode cannot do', async () => {
  const found = (await createIpvsBackend({ sysctl: new FakeSysctl({}) }).diagnose?.()) ?? [];
  const limits = found.filter(({ check }) => check === 'ipvs by its nature');
  expect(limits.map(({ found }) => found).join('; ')).toMatch(
    /127\.0\.0\.1.*each address and port.*refused.*two Services with the same endpoint/,
  );
  expect(limits.every(({ status }) => status === 'ok')).toBe(true);
});

test.each([
  [1, 2, 'ok', 'arp_ignore is 1, arp_announce 2'],
  [0, 0, 'warning', 'arp_ignore is 0, arp_announce 0: this node answers ARP for addresses of Services'],
  [undefined, undefined, 'unknown', 'arp_ignore and arp_announce cannot be read'],
])('doctor reports ARP answers: arp_ignore %s, arp_announce %s is %s', async (ignore, announce, status, text) => {
  const settings = { 'net/ipv4/conf/all/arp_ignore': ignore, 'net/ipv4/conf/all/arp_announce': announce };
  const sysctl = new FakeSysctl(ignore === undefined ? {} : (settings as Record<string, number>));
  const found = (await createIpvsBackend({ sysctl }).diagnose?.()) ?? [];
  expect(found.find(({ check }) => check === 'strict ARP')).toMatchObject({ status, found: text });
});
