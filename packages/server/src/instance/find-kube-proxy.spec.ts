import { describe, expect, test } from '@jest/globals';
import type { ProcessInfo } from '@kube-proxier/linux';
import { describeKubeProxy, findKubeProxy, type HttpAnswer, type KubeProxySurroundings } from './find-kube-proxy.js';

const MODE = 'http://127.0.0.1:10249/proxyMode';
const HEALTH = 'http://127.0.0.1:10256/healthz';
const KUBE_PROXY: ProcessInfo = {
  pid: 12,
  command: ['/usr/local/bin/kube-proxy', '--config=/var/lib/kube-proxy/config.conf'],
  executable: '/usr/local/bin/kube-proxy',
  sharesNetwork: true,
};
const answer = (body: string, server = '', status = 200): HttpAnswer => ({ status, server, body });

function find(
  processes: readonly ProcessInfo[],
  answers: Readonly<Record<string, HttpAnswer>> = {},
  seesAll = true,
): ReturnType<typeof findKubeProxy> {
  const surroundings: KubeProxySurroundings = {
    processes: async () => processes,
    seesAllProcesses: async () => seesAll,
    get: async (url) => answers[url],
  };
  return findKubeProxy(surroundings);
}

describe('its process', () => {
  test('is found by the name of its program, with its mode', async () => {
    expect(await find([KUBE_PROXY])).toEqual({ status: 'found', pid: 12, how: 'process 12' });
    expect(await find([KUBE_PROXY], { [MODE]: answer('ipvs') })).toMatchObject({ pid: 12, mode: 'ipvs' });
    for (const args of [['--proxy-mode=nftables'], ['--proxy-mode', 'nftables'], ['-proxy-mode=nftables']]) {
      const found = await find([{ pid: 12, command: ['kube-proxy', ...args], sharesNetwork: true }], {}, false);
      expect(found).toMatchObject({ status: 'found', mode: 'nftables' });
    }
    expect(describeKubeProxy({ status: 'found', pid: 12, mode: 'ipvs', how: 'process 12' })).toBe(
      'kube-proxy (pid 12, mode ipvs)',
    );
  });

  test.each<[string, ProcessInfo]>([
    [
      'a shell whose command line mentions it',
      { pid: 3, command: ['bash', '-c', 'kube-proxy --cleanup'], executable: '/usr/bin/bash', sharesNetwork: true },
    ],
    [
      'a program that has it as an argument',
      { pid: 3, command: ['pgrep', 'kube-proxy'], executable: '/usr/bin/pgrep', sharesNetwork: true },
    ],
    [
      'kube-proxier',
      { pid: 3, command: ['node', '/usr/bin/kube-proxier'], executable: '/usr/bin/node', sharesNetwork: true },
    ],
    ['one in another network namespace', { ...KUBE_PROXY, sharesNetwork: false }],
    ['this process', { ...KUBE_PROXY, pid: process.pid }],
  ])('is not %s', async (_what, candidate) => {
    expect(await find([candidate])).toEqual({ status: 'not-found' });
  });

  test('of an unknown network namespace is neither found nor ruled out', async () => {
    const { sharesNetwork: _, ...hidden } = KUBE_PROXY;
    expect(await find([hidden])).toEqual({ status: 'unknown', reason: expect.stringContaining('process 12') });
    expect(await find([hidden], { [MODE]: answer('iptables') })).toMatchObject({ status: 'found', mode: 'iptables' });
  });
});

describe('its HTTP response', () => {
  test('finds one that cannot be seen, or that is part of another program', async () => {
    const found = await find([], { [MODE]: answer('iptables\n') }, false);
    expect(found).toEqual({ status: 'found', mode: 'iptables', how: MODE });
    expect(describeKubeProxy({ status: 'found', mode: 'iptables', how: MODE })).toBe(
      `kube-proxy (detected by ${MODE}, mode iptables)`,
    );
  });

  test.each<[string, HttpAnswer]>([
    ['kube-proxier answers there', answer('iptables', 'kube-proxier')],
    ['something else answers there', answer('<html>iptables</html>')],
    ['it is an error', answer('iptables', '', 404)],
  ])('finds nothing when %s', async (_what, answer) => {
    expect(await find([], { [MODE]: answer })).toEqual({ status: 'not-found' });
    expect(await find([], { [MODE]: answer }, false)).toEqual({ status: 'unknown', reason: expect.any(String) });
  });

  test('at the health port is inconclusive: other proxies answer alike', async () => {
    const health = '{"lastUpdated": "2026-01-01T00:00:00Z","currentTime": "2026-01-01T00:00:00Z"}';
    expect(await find([], { [HEALTH]: answer(health) })).toEqual({
      status: 'unknown',
      reason: expect.stringContaining(HEALTH),
    });
    expect(await find([], { [HEALTH]: answer(health, 'kube-proxier') })).toEqual({ status: 'not-found' });
  });

  test('the result is unknown where processes are hidden and no server answers', async () => {
    expect(await find([], {}, false)).toEqual({
      status: 'unknown',
      reason: expect.stringContaining('not all processes of this host are visible'),
    });
  });
});
