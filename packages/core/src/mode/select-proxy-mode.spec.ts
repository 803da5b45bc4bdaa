import { describe, expect, test } from '@jest/globals';
import { ContainerModule } from 'inversify';
import type { BackendModule, ProbeResult } from '../contract/backend-module.js';
import { isProxierError } from '../contract/proxier-error.js';
import { RecordingLogger } from '../testing/index.js';
import { selectProxyMode } from './select-proxy-mode.js';

function backend(mode: string, result: ProbeResult | Error): BackendModule {
  return {
    mode,
    description: mode,
    probe: async () => {
      if (result instanceof Error) {
        throw result;
      }
      return result;
    },
    module: new ContainerModule(() => {}),
  };
}

const usable: ProbeResult = { usable: true };
const noIpvs: ProbeResult = { usable: false, reason: 'the kernel has no ip_vs' };

async function select(requested: string, backends: BackendModule[], fallback = 'iptables') {
  const logger = new RecordingLogger();
  const selection = await selectProxyMode({
    requested,
    backends,
    fallback,
    logger,
  });
  return { selection, lines: logger.messages() };
}

describe('selectProxyMode', () => {
  test('selects the requested mode', async () => {
    const { selection } = await select('nftables', [backend('iptables', usable), backend('nftables', usable)]);
    expect(selection).toMatchObject({ mode: 'nftables', defaulted: false, reason: undefined });
  });

  test('an empty mode selects iptables, with a warning about the default', async () => {
    const { selection, lines } = await select('', [backend('iptables', usable), backend('nftables', usable)]);
    expect(selection).toMatchObject({ mode: 'iptables', defaulted: true });
    expect(lines[0]).toMatch(/No proxy mode configured; using iptables/);
  });

  test('a mode that cannot run on this host falls back, and one log line has the reason', async () => {
    const { selection, lines } = await select('ipvs', [backend('iptables', usable), backend('ipvs', noIpvs)]);
    expect(selection).toMatchObject({ mode: 'iptables', requested: 'ipvs', reason: 'the kernel has no ip_vs' });
    expect(lines).toEqual(['Cannot use proxy mode ipvs: the kernel has no ip_vs; falling back to iptables']);
  });

  test('a deprecated mode causes a warning when it is selected, and only then', async () => {
    const old = { ...backend('ipvs', usable), deprecation: 'Mode ipvs is deprecated' };
    expect((await select('ipvs', [backend('iptables', usable), old])).lines).toContain('Mode ipvs is deprecated');
    expect((await select('nftables', [old, backend('nftables', noIpvs)], 'ipvs')).lines).toContain(
      'Mode ipvs is deprecated',
    );
    expect((await select('iptables', [backend('iptables', usable), old])).lines).not.toContain(
      'Mode ipvs is deprecated',
    );
  });

  test('a probe that throws is a reason for the fallback, not a crash', async () => {
    const { selection } = await select('ipvs', [backend('iptables', usable), backend('ipvs', new Error('EPERM'))]);
    expect(selection.reason).toBe('its probe failed: EPERM');
  });

  test('an unknown mode is rejected with the list of available modes', async () => {
    const error: unknown = await select('ebpf', [backend('iptables', usable), backend('ipvs', noIpvs)]).catch(
      (reason: unknown) => reason,
    );
    expect(isProxierError(error) && error.code).toBe('UNKNOWN_PROXY_MODE');
    expect(String(error)).toContain('available modes: iptables, ipvs; leave it empty for iptables');
  });

  test('the default mode is not recommended where no backend has it, and then a mode has to be requested', async () => {
    const others = [backend('ipvs', usable), backend('nftables', usable)];
    await expect(select('ebpf', others)).rejects.toMatchObject({
      message: 'unknown proxy mode "ebpf"; available modes: ipvs, nftables',
    });
    await expect(select('', others)).rejects.toMatchObject({
      code: 'UNKNOWN_PROXY_MODE',
      message:
        'no proxy mode is requested, and no backend has the default mode iptables; request one of the available modes: ipvs, nftables',
    });
  });

  test.each([
    ['no fallback is wanted', 'none', usable, /cannot use proxy mode ipvs: the kernel has no ip_vs$/],
    [
      'the fallback cannot run either',
      'iptables',
      { usable: false, reason: 'no iptables' } as const,
      /cannot fall back to iptables: no iptables/,
    ],
  ])('an error has the reason when %s', async (_when, fallback, iptables, message) => {
    const selecting = select('ipvs', [backend('iptables', iptables), backend('ipvs', noIpvs)], fallback);
    await expect(selecting).rejects.toMatchObject({
      code: 'PROXY_MODE_UNUSABLE',
      message: expect.stringMatching(message),
    });
  });
});
