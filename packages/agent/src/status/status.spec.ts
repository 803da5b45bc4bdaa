import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import type { NodeStatus } from '@kube-proxier/server';
import { parse } from 'yaml';
import { runCommand } from '../agent.js';
import { formatStatus } from './format-status.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const at = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

const FAMILY = {
  programmed: true,
  lastSync: at(3),
  lastSyncMilliseconds: 4.2,
  lastFullSync: at(300),
  failures: 0,
  lastError: null,
  pendingSeconds: null,
  digest: '8c1f0e2d3b4a5968',
  servicePorts: 12,
  nodePortAddresses: ['192.0.2.1', '127.0.0.0/8'],
  endpoints: 30,
};
const STATUS: NodeStatus = {
  apiVersion: 'kube-proxier.io/v1alpha1',
  kind: 'NodeStatus',
  verdict: 'ok',
  problems: [],
  nodeName: 'node1',
  version: '0.1.0',
  pid: 4711,
  startTime: at(7200),
  mode: 'nftables',
  requestedMode: 'nftables',
  modeReason: null,
  families: { IPv4: FAMILY },
  services: 10,
  endpoints: 30,
  sources: [{ description: 'API server https://10.0.0.1:6443', obstacles: [] }],
  lastObjectChange: at(3),
  driftRepairs: 1,
  healthChecks: null,
  lastDrift: { time: at(600), what: 'table ip kube-proxier changed by nft (process 812)' },
  verification: {
    verdict: 'verified',
    time: at(120),
    packetClasses: 96,
    differences: 0,
    unknowns: 0,
    firstFinding: null,
  },
  leftovers: null,
  probe: null,
  staleFlowsDeleted: 5,
  failures: { 'health server': 0 },
  memory: { residentBytes: 98_700_000, heapBytes: 40_100_000 },
};
const DEGRADED: NodeStatus = {
  ...STATUS,
  verdict: 'degraded',
  problems: [{ severity: 'degraded', found: '3 IPv4 syncs failed in a row: nft is missing', advice: 'install nft' }],
};

test('the status of a healthy node', () => {
  expect(formatStatus(STATUS, NOW)).toBe(`\
OK: kube-proxier 0.1.0 on node node1 (mode nftables)

In force:         10 Services, 30 endpoints
IPv4:             12 service ports, last sync 3s ago in 4.2 ms, last full sync 5m ago
IPv4 NodePorts:   on 192.0.2.1, 127.0.0.0/8
Source:           API server https://10.0.0.1:6443
Last change:      3s ago
Verified:         2m ago, 96 classes of packets
Drift repairs:    1, last 10m ago: table ip kube-proxier changed by nft (process 812)
Stale flows:      5 deleted
Other failures:   none
Memory:           99 MB resident, 40 MB heap
Running:          120m, process 4711
`);
});

test('why leftovers of other modes are kept', () => {
  const text = formatStatus({ ...STATUS, leftovers: 'kept, because packets would be lost without them' }, NOW);
  expect(text).toMatch(/^Leftovers: +kept, because packets would be lost without them$/m);
});

test('the result of the probe', () => {
  const probe = {
    verdict: 'ok',
    frontend: '192.0.2.1:80',
    endpoint: '192.168.0.2:40001',
    reason: null,
    impossible: false,
    failures: 0,
    lastSuccess: at(3),
    milliseconds: 1.2,
  } as const;
  const lineOf = (change: object) =>
    formatStatus({ ...STATUS, probe: { IPv4: { ...probe, ...change } } }, NOW).match(/^IPv4 probe: +(.*)$/m)?.[1];
  expect(lineOf({})).toBe('192.0.2.1:80 answered 3s ago in 1.2 ms');
  expect(lineOf({ verdict: 'failed', reason: 'no answer came' })).toBe(
    '192.0.2.1:80 failed: no answer came; last answer 3s ago',
  );
  expect(lineOf({ verdict: 'unknown', reason: 'waiting for the first sync' })).toBe(
    '192.0.2.1:80 unknown: waiting for the first sync',
  );
});

test('problems come first, with the remedy', () => {
  expect(formatStatus(DEGRADED, NOW)).toMatch(
    /^DEGRADED: .*\n\nProblems:\n {2}- 3 IPv4 syncs failed in a row: nft is missing\n {4}install nft\n\n/,
  );
});

describe('kube-proxier status', () => {
  let server: Server;
  let answer: NodeStatus | undefined;
  beforeEach(async () => {
    server = createServer((_request, response) => {
      response.writeHead(answer ? 200 : 404).end(answer ? JSON.stringify(answer) : 'not found\n');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function run(args: readonly string[], signal = new AbortController().signal, onPrint = (_text: string) => {}) {
    const written = { out: '', err: '' };
    const { port } = server.address() as AddressInfo;
    const status = await runCommand(['status', '--metrics-bind-address', `127.0.0.1:${port}`, ...args], {
      composition: { backends: [], sources: () => [] },
      print: (text) => {
        written.out += text;
        onPrint(text);
      },
      printError: (text) => {
        written.err += text;
      },
      createLogger: () => silentLogger,
      signal,
    });
    return { status, ...written };
  }

  test.each([
    ['ok', 0],
    ['degraded', 1],
    ['not-serving', 2],
  ] as const)('verdict %s: exit status %d', async (verdict, expected) => {
    answer = { ...STATUS, verdict };
    expect((await run([])).status).toBe(expected);
  });

  test('JSON and YAML are what the agent answers', async () => {
    answer = DEGRADED;
    expect(JSON.parse((await run(['-o', 'json'])).out)).toEqual(DEGRADED);
    expect(parse((await run(['-o', 'yaml'])).out)).toEqual(DEGRADED);
  });

  test('an agent of another version without this answer: exit status 3', async () => {
    answer = undefined;
    expect(await run([])).toMatchObject({ status: 3, out: '', err: expect.stringContaining('not found') });
  });

  test('no agent: exit status 3', async () => {
    await new Promise((resolve) => server.close(resolve));
    const { port } = { port: 9 };
    const written: string[] = [];
    const status = await runCommand(['status', '--metrics-bind-address', `127.0.0.1:${port}`], {
      composition: { backends: [], sources: () => [] },
      print: (text) => void written.push(text),
      printError: (text) => void written.push(text),
      createLogger: () => silentLogger,
      signal: new AbortController().signal,
    });
    expect(status).toBe(3);
    expect(written.join('')).toMatch(/no agent answers at 127\.0\.0\.1:9 .*start kube-proxier/);
  });

  test('--watch prints a change, and nothing for an unchanged status', async () => {
    answer = STATUS;
    const abort = new AbortController();
    const printed: string[] = [];
    const { status } = await run(['--watch'], abort.signal, (text) => {
      printed.push(text);
      if (printed.length === 1) {
        answer = { ...DEGRADED, memory: { residentBytes: 1, heapBytes: 1 } };
      } else {
        abort.abort();
      }
    });
    expect(printed).toEqual([expect.stringMatching(/^OK: /), expect.stringMatching(/^\nDEGRADED: /)]);
    expect(status).toBe(1);
  });
});

test('where NodePorts are served', () => {
  const shown = (nodePortAddresses: readonly string[] | null) =>
    /^IPv4 NodePorts: +(.*)$/m.exec(
      formatStatus({ ...STATUS, families: { IPv4: { ...FAMILY, nodePortAddresses } } }, NOW),
    )?.[1];
  expect(shown(['all', '127.0.0.0/8'])).toBe('on all addresses, 127.0.0.0/8');
  expect(shown([])).toBe('on no address');
  expect(shown(null)).toBeUndefined();
});
