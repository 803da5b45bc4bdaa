import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { lagsOf, MeasuredProxy, parseGoDuration, parseSync } from './measured-proxy.mjs';

describe('syncs in a log', () => {
  test('of the agent', () => {
    const line = '2026-11-23T11:29:03.507Z DEBUG Synced family="IPv4" full=false changes=3 milliseconds=12';
    expect(parseSync(line, false)).toEqual({ took: 12, changes: 3 });
    expect(parseSync(line.replace('IPv4', 'IPv6'), false)).toBeUndefined();
  });

  test('of kube-proxy', () => {
    const line =
      'I1123 11:29:03.507123       1 proxier.go:864] "SyncProxyRules complete" ipFamily="IPv4" elapsed="1.25s"';
    expect(parseSync(line, true)).toEqual({ took: 1250, changes: undefined });
    expect(parseSync(line.replace(' ipFamily="IPv4"', ''), true)).toEqual({ took: 1250, changes: undefined });
    expect(parseSync(line.replace('IPv4', 'IPv6'), true)).toBeUndefined();
    // In mode ipvs.
    expect(parseSync(line.replace('Sync', 'sync'), true)).toEqual({ took: 1250, changes: undefined });
  });

  test.each([
    ['512µs', 0.512],
    ['12.5ms', 12.5],
    ['47s', 47_000],
    ['1m2.5s', 62_500],
  ])('%s are %d ms', (text, milliseconds) => {
    expect(parseGoDuration(text)).toBeCloseTo(milliseconds);
  });
});

describe('lags of changes', () => {
  test('are counted where the log has the number of changes', () => {
    const syncs = [
      { at: 5, began: 1, changes: 2 },
      { at: 9, began: 6, changes: 1 },
    ];
    expect(lagsOf([0, 2, 3], syncs)).toEqual([5, 3, 6]);
  });

  test('end with the first sync that began later, where it has not', () => {
    const syncs = [
      { at: 5, began: 1, changes: undefined },
      { at: 9, began: 6, changes: undefined },
    ];
    expect(lagsOf([0, 2, 3], syncs)).toEqual([5, 7, 6]);
  });

  test('are fewer than the changes where some are not in force', () => {
    expect(lagsOf([0, 2, 8], [{ at: 5, began: 3, changes: undefined }])).toEqual([5, 3]);
  });
});

describe('a peer', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'peer-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** A program that logs as kube-proxy does. */
  const standIn = (script: string) => {
    const file = join(directory, 'kube-proxy');
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return new MeasuredProxy({ peer: file, mode: 'nftables', kubeconfig: '{}' });
  };

  test('is measured by its log, and stopped', async () => {
    const proxy = standIn(`echo "$@" >&2; echo '"SyncProxyRules complete" elapsed="2ms"' >&2; exec sleep 600`);
    expect(await proxy.firstSync()).toBeGreaterThan(0);
    expect(proxy.log).toContain('--proxy-mode=nftables');
    expect(proxy.syncs).toHaveLength(1);
    expect(proxy.memory.resident).toBeGreaterThan(0);
    await proxy.stop();
    expect(() => process.kill(proxy.pid, 0)).toThrow();
  });

  test('that ends is an error with its log, and not a measurement', async () => {
    const proxy = standIn('echo no such mode >&2; exit 1');
    await expect(proxy.firstSync()).rejects.toThrow(/no such mode/);
    await proxy.stop();
  });
});
