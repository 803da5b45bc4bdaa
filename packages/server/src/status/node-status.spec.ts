import { describe, expect, test } from '@jest/globals';
import type { ProxyState, SourceKind } from '@kube-proxier/core';
import { VirtualClock } from '@kube-proxier/core/testing';
import { Readiness } from '../health/readiness.js';
import { ProxyMetrics } from '../metrics/proxy-metrics.js';
import type { NodeVerification } from '../verification/verify-node.js';
import { findProblems, verdictOf } from './node-status.js';
import { NodeStatusReport } from './node-status-report.js';

const FAMILY = {
  programmed: true,
  lastSync: null,
  lastSyncMilliseconds: null,
  lastFullSync: null,
  failures: 0,
  lastError: null,
  pendingSeconds: null,
  digest: null,
  servicePorts: 0,
  nodePortAddresses: null,
  endpoints: 0,
} as const;
const FACTS = {
  notReady: undefined,
  families: { IPv4: FAMILY },
  sources: [],
  verification: null,
  leftovers: null,
  probe: null,
  maxPending: 60_000,
  companions: [],
  ineligible: undefined,
  listenerObstacles: [],
  descriptorShortage: undefined,
  recordingObstacle: undefined,
  memoryShortage: undefined,
  configurationProblems: [],
};

const PROBE = {
  verdict: 'ok',
  frontend: '192.0.2.1:80',
  endpoint: '192.168.0.2:40001',
  reason: null,
  impossible: false,
  failures: 0,
  lastSuccess: null,
  milliseconds: null,
} as const;

describe('problems of a node', () => {
  test('none', () => {
    expect(findProblems(FACTS)).toEqual([]);
    expect(verdictOf([])).toBe('ok');
  });

  test.each([
    [{ notReady: 'waiting for first sync of IPv4' }, 'not-serving', 'this node is not programmed: waiting for first'],
    [
      { families: { IPv4: { ...FAMILY, failures: 3, lastError: 'nft is missing' } } },
      'degraded',
      '3 IPv4 syncs failed in a row: nft is missing',
    ],
    [
      { companions: ['IPv4 beside the rules: another program holds 127.0.0.1:31269/TCP'] },
      'degraded',
      'IPv4 beside the rules: another program holds 127.0.0.1:31269/TCP',
    ],
    [{ ineligible: 'the Node is being deleted' }, 'degraded', '/healthz answers 503: the Node is being deleted'],
    [
      { listenerObstacles: ['health server cannot listen on 0.0.0.0:10256; retrying: EADDRINUSE'] },
      'degraded',
      'the health server cannot listen on 0.0.0.0:10256; retrying: EADDRINUSE',
    ],
    [
      { descriptorShortage: 'health check node port of 1 Service is not open: work/web' },
      'degraded',
      'the health check node port of 1 Service is not open: work/web',
    ],
    [
      { memoryShortage: '90 of 100 MiB are used: raise the limit' },
      'degraded',
      '90 of 100 MiB are used: raise the limit',
    ],
    [
      { recordingObstacle: 'recording cannot be written to /var/log/kube-proxier: ENOSPC' },
      'degraded',
      'the recording cannot be written to /var/log/kube-proxier: ENOSPC',
    ],
    [
      { configurationProblems: ['config.yaml: mode: "ipvz" is no proxy mode'] },
      'degraded',
      'the changed configuration is invalid: config.yaml: mode: "ipvz" is no proxy mode',
    ],
    [
      { families: { IPv6: { ...FAMILY, pendingSeconds: 61 } } },
      'degraded',
      'a change of IPv6 has been waiting for 61 s',
    ],
    [
      { sources: [{ description: 'API server', obstacles: ['it forbids to list services'] }] },
      'degraded',
      'API server: it forbids to list services',
    ],
    [
      { probe: { IPv4: { ...PROBE, verdict: 'failed', failures: 2, reason: 'no answer came within 3000 ms' } } },
      'degraded',
      '2 IPv4 probes of 192.0.2.1:80 failed in a row: no answer',
    ],
    [
      { probe: { IPv4: { ...PROBE, verdict: 'unknown', impossible: true, reason: '192.0.2.1 is taken' } } },
      'degraded',
      'cannot be probed at 192.0.2.1:80: 192.0.2.1 is taken',
    ],
  ] as const)('%j', (change, verdict, found) => {
    const problems = findProblems({ ...FACTS, ...change });
    expect(verdictOf(problems)).toBe(verdict);
    expect(problems).toEqual([
      { severity: verdict, found: expect.stringContaining(found), advice: expect.stringMatching(/./) },
    ]);
  });

  test('a single failed probe and a pending one are not problems', () => {
    for (const change of [
      { verdict: 'failed', failures: 1, reason: 'no answer' },
      { verdict: 'unknown', reason: 'waiting for the first sync' },
    ] as const) {
      expect(findProblems({ ...FACTS, probe: { IPv4: { ...PROBE, ...change } } })).toEqual([]);
    }
  });

  test('a change that is pending for a short time is not a problem', () => {
    expect(findProblems({ ...FACTS, families: { IPv4: { ...FAMILY, pendingSeconds: 59 } } })).toEqual([]);
  });

  test('not-serving problems precede degraded ones', () => {
    const problems = findProblems({
      ...FACTS,
      notReady: 'waiting for the start',
      sources: [{ description: 'files', obstacles: ['none can be read'] }],
    });
    expect(problems.map(({ severity }) => severity)).toEqual(['not-serving', 'degraded']);
    expect(verdictOf(problems)).toBe('not-serving');
  });
});

describe('NodeStatusReport', () => {
  const node = { nodePortAddresses: { kind: 'listed', addresses: ['192.0.2.1'], loopback: true } };
  const state = { family: 'IPv4', servicePorts: new Map(), node } as unknown as ProxyState;

  test('is degraded while ServiceCIDRs cannot be read, which do not delay readiness', async () => {
    const clock = new VirtualClock();
    const readiness = new Readiness();
    const obstacle = (kind: SourceKind) => (kind === 'ServiceCIDRs' ? 'it forbids to list servicecidrs' : undefined);
    const source = { description: 'API server', start: async () => {}, stop: async () => {}, obstacle };
    const report = new NodeStatusReport({ nodeName: 'node1', clock, readiness, sources: [source], maxPending: 60_000 });
    readiness.serve(['IPv4'], () => undefined);
    readiness.synced({ family: 'IPv4' });
    report.synced({ family: 'IPv4', state, full: true, duration: 1 });
    expect(await report.status()).toMatchObject({
      verdict: 'degraded',
      problems: [{ found: 'API server: it forbids to list servicecidrs' }],
    });
  });

  test('follows a start, a failure, its repair and drift', async () => {
    const clock = new VirtualClock();
    const readiness = new Readiness();
    const metrics = new ProxyMetrics({ clock });
    let obstacle: string | undefined;
    const source = { description: 'API server', start: async () => {}, stop: async () => {}, obstacle: () => obstacle };
    const options = { nodeName: 'node1', clock, readiness, metrics, sources: [source], maxPending: 60_000 };
    const report = new NodeStatusReport(options);
    readiness.serve(['IPv4'], () => undefined);
    report.started('IPv4');
    expect(await report.status()).toMatchObject({ verdict: 'not-serving', families: { IPv4: { programmed: false } } });

    readiness.synced({ family: 'IPv4' });
    report.synced({ family: 'IPv4', state, full: true, duration: 12.34 });
    expect(await report.status()).toMatchObject({
      verdict: 'ok',
      problems: [],
      families: {
        IPv4: {
          ...{ programmed: true, lastSyncMilliseconds: 12.3, failures: 0, pendingSeconds: null },
          nodePortAddresses: ['192.0.2.1', '127.0.0.0/8'],
        },
      },
    });

    report.queued('IPv4');
    await clock.advance(5000);
    report.failed({ family: 'IPv4', error: new Error('nft is missing'), failures: 1 });
    metrics.partFailed('health server');
    obstacle = 'it does not answer';
    expect(await report.status()).toMatchObject({
      verdict: 'degraded',
      problems: [{ found: '1 IPv4 sync failed in a row: nft is missing' }, { found: 'API server: it does not answer' }],
      families: { IPv4: { pendingSeconds: 5 } },
      failures: { 'health server': 1 },
    });

    report.companion('IPv4', new Error('another program holds 127.0.0.1:31269/TCP'));
    expect((await report.status()).problems).toContainEqual(
      expect.objectContaining({ found: 'IPv4 beside the rules: another program holds 127.0.0.1:31269/TCP' }),
    );
    report.companion('IPv4', undefined);

    obstacle = undefined;
    report.synced({ family: 'IPv4', state, full: false, duration: 1 });
    report.repaired({ what: 'chain flushed' });
    expect(await report.status()).toMatchObject({
      verdict: 'ok',
      driftRepairs: 1,
      lastDrift: { what: 'chain flushed' },
      families: { IPv4: { failures: 0, lastError: null, pendingSeconds: null } },
    });
  });

  test.each([
    ['forwards', 30],
    ['backwards', -30],
  ])('ages stay right when the clock of the host is set %s', async (_, days) => {
    const clock = new VirtualClock(Date.parse('2026-03-01T12:00:00Z'));
    const options = { nodeName: 'node1', clock, readiness: new Readiness(), sources: [], maxPending: 60_000 };
    const last = { verdict: 'verified', time: '2026-03-01T12:00:00.000Z', families: [] } as unknown as NodeVerification;
    const verification = {
      report: () => ({ running: false, finished: 1, last, ageSeconds: clock.monotonic() / 1000 }),
    };
    const report = new NodeStatusReport({ ...options, verification });
    report.synced({ family: 'IPv4', state, full: true, duration: 1 });
    report.repaired({ what: 'chain flushed' });
    report.serviceEvent();
    await clock.advance(5000);
    clock.set(days * 86_400_000);
    const { startTime, families, lastDrift, lastObjectChange, verification: verified } = await report.status();
    const found = [startTime, families.IPv4?.lastSync, families.IPv4?.lastFullSync, lastDrift?.time, lastObjectChange];
    for (const time of [...found, verified?.time]) {
      expect(clock.now() - Date.parse(time ?? '')).toBe(5000);
    }
  });
});
