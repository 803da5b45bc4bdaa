import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, type RecordedEntry } from '@kube-proxier/core';
import { makeService, makeSlice, RecordingLogger, until } from '@kube-proxier/core/testing';
import { parse } from 'yaml';
import { runCommand } from '../agent.js';
import type { ExplanationAt } from '../explain/explain-at.js';
import type { ReplayedState } from '../replay/replay.js';
import { fakeComposition } from '../testing/fake-composition.js';
import type { RecordedEventList } from '../what-changed/what-changed.js';
import { formatMoment, formatTimeOfDay } from './moment.js';
import type { RecordingSummary } from './record.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Local time, so that no test depends on the time zone. */
const NOON = new Date(2026, 2, 1, 14, 0, 0).getTime();

const web = (addresses: readonly { address: string; ready?: boolean }[]) =>
  makeSlice('shop/web', addresses, { name: 'web-1', ports: [{ port: 8080 }] });

/** The events of a node around 14:00, as in the example of docs/commands.md. */
const ENTRIES: readonly RecordedEntry[] = [
  {
    at: 1000,
    entry: 'begin',
    format: 'kube-proxier.io/recording',
    version: 1,
    time: new Date(NOON).toISOString(),
    nodeName: 'node1',
    program: 'kube-proxier 0.1.0',
    allowLoopbackEndpoints: false,
  },
  { at: 1000, entry: 'mode', mode: 'nftables' },
  {
    at: 1000,
    entry: 'family',
    family: 'IPv4',
    options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
    includesLocalAddresses: false,
  },
  { at: 1000, entry: 'object', kind: 'Service', name: 'shop/web', is: makeService('shop/web') },
  { at: 1000, entry: 'object', kind: 'EndpointSlice', name: 'shop/web-1', is: web([{ address: '10.244.0.5' }]) },
  { at: 1000, entry: 'checkpoint' },
  { at: 1000, entry: 'resolved', family: 'IPv4' },
  { at: 1000, entry: 'sync', family: 'IPv4', full: true, duration: 20, changes: 1, revision: 1 },
  { at: 1000, entry: 'ready', ready: true },
  // 14:02:59: an endpoint is added.
  {
    at: 180_000,
    entry: 'object',
    kind: 'EndpointSlice',
    name: 'shop/web-1',
    is: web([{ address: '10.244.0.5' }, { address: '10.244.0.7' }]),
  },
  { at: 180_004, entry: 'resolved', family: 'IPv4' },
  { at: 180_012, entry: 'sync', family: 'IPv4', full: false, duration: 9.5, changes: 1, revision: 2 },
  // 14:03:04: the first one becomes unready, and is programmed late.
  {
    at: 185_000,
    entry: 'object',
    kind: 'EndpointSlice',
    name: 'shop/web-1',
    is: web([{ address: '10.244.0.5', ready: false }, { address: '10.244.0.7' }]),
  },
  { at: 185_001, entry: 'resolved', family: 'IPv4' },
  { at: 185_500, entry: 'failed', family: 'IPv4', full: false, duration: 499, failures: 1, error: 'nft: busy' },
  { at: 185_700, entry: 'resolved', family: 'IPv4' },
  { at: 185_750, entry: 'sync', family: 'IPv4', full: true, duration: 50, changes: 1, revision: 3 },
  { at: 200_000, entry: 'drift', family: 'IPv4', what: 'table ip kube-proxier changed by nft (process 812)' },
  // 14:05:00
  {
    at: 301_000,
    entry: 'object',
    kind: 'Service',
    name: 'shop/api',
    is: makeService('shop/api', { clusterIP: '10.96.0.11' }),
  },
  { at: 301_001, entry: 'resolved', family: 'IPv4' },
  { at: 301_009, entry: 'sync', family: 'IPv4', full: false, duration: 8, changes: 1, revision: 4 },
  { at: 302_000, entry: 'object', kind: 'Service', name: 'shop/api', gone: true },
];

/** Local time of an entry. */
const timeOf = (at: number) => formatTimeOfDay(NOON + at - 1000);

describe('commands of recordings', () => {
  let directory = '';
  let file = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'recording-commands-'));
    file = join(directory, 'node1.jsonl.gz');
    writeFileSync(file, gzipSync(ENTRIES.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  async function run(...args: string[]) {
    const written = { out: '', err: '' };
    const chunks: Uint8Array[] = [];
    const status = await runCommand(args, {
      composition: fakeComposition(),
      print: (text) => {
        written.out += text;
      },
      write: async (data) => void chunks.push(data),
      printError: (text) => {
        written.err += text;
      },
      createLogger: () => new RecordingLogger(),
      signal: new AbortController().signal,
    });
    return { status, ...written, bytes: Buffer.concat(chunks) };
  }

  test('what-changed: one line for each change, by name', async () => {
    const { out, err, status } = await run('what-changed', '--recording', file);
    expect([status, err]).toEqual([0, '']);
    expect(out).toBe(
      `\
${timeOf(1000)}  -         mode nftables was selected
${timeOf(1000)}  -         full sync of IPv4: 1 service port in 20 ms
${timeOf(1000)}  -         the node is ready
${timeOf(180_000)}  shop/web  endpoint 10.244.0.7 came: ready (EndpointSlice web-1)
${timeOf(180_012)}  shop/web  sync of IPv4: 1 service port in 9.5 ms
${timeOf(185_000)}  shop/web  endpoint 10.244.0.5: ready -> not ready (EndpointSlice web-1)
${timeOf(185_500)}  -         sync of IPv4 failed (1 in a row): nft: busy
${timeOf(185_750)}  -         full sync of IPv4: 1 service port in 50 ms
${timeOf(200_000)}  -         drift repaired: table ip kube-proxier changed by nft (process 812)
${timeOf(301_000)}  shop/api  Service added: 10.96.0.11, 80/TCP
${timeOf(301_009)}  shop/api  sync of IPv4: 1 service port in 8 ms
${timeOf(302_000)}  shop/api  Service removed
`,
    );
  });

  test('what-changed of a Service and a period, as JSON and YAML', async () => {
    const args = [
      'what-changed',
      'svc/web',
      '-n',
      'shop',
      '--since',
      '14:03',
      '--until',
      '14:03:04.5',
      '--recording',
      file,
    ];
    const list = JSON.parse((await run(...args, '-o', 'json')).out) as RecordedEventList;
    expect(list).toEqual({
      apiVersion: 'kube-proxier.io/v1alpha1',
      kind: 'RecordedEventList',
      nodeName: 'node1',
      since: new Date(NOON + 180_000).toISOString(),
      until: new Date(NOON + 184_500).toISOString(),
      items: [
        {
          time: new Date(NOON + 184_000).toISOString(),
          type: 'endpoint-changed',
          service: 'shop/web',
          family: null,
          what: 'endpoint 10.244.0.5: ready -> not ready (EndpointSlice web-1)',
        },
        {
          time: new Date(NOON + 184_500).toISOString(),
          type: 'sync-failed',
          service: null,
          family: 'IPv4',
          what: 'sync of IPv4 failed (1 in a row): nft: busy',
        },
      ],
      damage: null,
    });
    expect(parse((await run(...args, '-o', 'yaml')).out)).toEqual(list);
    const other = JSON.parse((await run('what-changed', 'shop/api', '--recording', file, '-o', 'json')).out);
    expect((other as RecordedEventList).items.map(({ type }) => type)).toEqual([
      ...['mode', 'ready', 'sync-failed', 'drift', 'service-added', 'sync', 'service-removed'],
    ]);
  });

  test('explain --at answers from the state in force, with the time of programming', async () => {
    const question = ['explain', '10.244.0.9', '10.96.0.10:80', '--recording', file];
    const before = await run(...question, '--at', '14:02');
    expect(before.out).toContain('forwarded to 10.244.0.5:8080');
    expect(before.out).toContain('The recording has no earlier change of this Service.');
    const after = await run(...question, '--at', '14:03');
    expect(after.out).toContain(`At ${formatMoment(NOON + 180_000)} on node1:\n`);
    expect(after.out).toContain(`Last change: ${formatMoment(NOON + 179_000)}, endpoint 10.244.0.7 came: ready`);
    expect(after.out).toContain(`The kernel followed at ${formatMoment(NOON + 179_012)}, 12 ms later: a sync of IPv4`);
    const late = await run(...question, '--at', '14:03:04.2');
    expect(late.out).toContain('+ 10.244.0.5:8080');
    expect(late.out).toContain('It was not in force yet. The kernel followed at');
    expect(late.out).toMatch(/, 750 ms later: a full sync of IPv4, 1 service port in 50 ms\./);
    expect(late.out).toMatch(/After that:\n10\.244\.0\.9 -> 10\.96\.0\.10:80\/TCP: forwarded to 10\.244\.0\.7:8080/);
    const failing = JSON.parse((await run(...question, '--at', '14:03:04.6', '-o', 'json')).out) as ExplanationAt;
    expect(failing).toMatchObject({
      kind: 'ExplanationAt',
      nodeName: 'node1',
      failing: ['IPv4'],
      inForceSince: [{ family: 'IPv4', full: false, milliseconds: 9.5, servicePorts: 1 }],
      lastChange: { delayMilliseconds: 750, programmed: { full: true } },
    });
    expect(failing.items[0]?.explanation.outcome).toMatchObject({ kind: 'forwarded', choices: [{}, {}] });
    expect(failing.next?.[0]?.explanation.outcome).toMatchObject({ kind: 'forwarded', choices: [{}] });
  });

  test('explain --at resolves names as of that time', async () => {
    const api = ['explain', '10.244.0.9', 'svc/shop/api:80', '--recording', file];
    expect(await run(...api, '--at', '14:04')).toMatchObject({
      status: 1,
      err: expect.stringMatching(/Service "api" not found/),
    });
    expect((await run(...api, '--at', '14:05:00.5')).out).toContain('refused');
    // It is removed, without a sync until the end of the recording.
    expect((await run(...api)).out).toContain('The kernel did not follow until the end of the recording.');
  });

  test('replay prints the state in force, or the outcome of a packet', async () => {
    const { out } = await run('replay', file, '--until', '14:05:00.5');
    expect(out).toBe(`\
In force on node1 at ${formatMoment(NOON + 300_500)}, mode nftables:
NAMESPACE   NAME   CLUSTER-IP   EXTERNAL-IP   PORT(S)   ENDPOINTS   AGE
shop        api    10.96.0.11   <none>        80/TCP    0/0         <unknown>
shop        web    10.96.0.10   <none>        80/TCP    1/2         <unknown>
`);
    const state = JSON.parse((await run('replay', file, '--until', '14:02', '-o', 'json')).out) as ReplayedState;
    expect(state).toMatchObject({ kind: 'ReplayedState', mode: 'nftables', items: [{ name: 'web' }], damage: null });
    expect((await run('replay', file, '10.244.0.9', '10.96.0.10:80')).out).toContain('forwarded to 10.244.0.7:8080');
  });

  test('record show summarizes a file', async () => {
    const { out } = await run('record', 'show', file);
    expect(out).toContain('Node:         node1, mode nftables\n');
    expect(out).toContain('Syncs IPv4:   4 succeeded, at most 50 ms; 1 failed\n');
    const summary = JSON.parse((await run('record', 'show', file, '-o', 'json')).out) as RecordingSummary;
    expect(summary).toMatchObject({
      kind: 'RecordingSummary',
      seconds: 301,
      objects: { services: 1, endpointSlices: 1 },
      changes: { services: 2, endpointSlices: 2, others: 0 },
      driftRepairs: 1,
      ready: true,
      damage: null,
    });
  });

  test('a truncated file is read up to its damage, which is reported', async () => {
    const cut = join(directory, 'cut.jsonl.gz');
    const lines = gunzipSync(readFileSync(file)).toString().split('\n').slice(0, 12).join('\n');
    writeFileSync(cut, gzipSync(`${lines}\n{"at":1`));
    const { status, out, err } = await run('what-changed', '--recording', cut);
    expect([status, out]).toEqual([0, expect.stringContaining('endpoint 10.244.0.7 came')]);
    expect(err).toMatch(/truncated.*what follows is not known/);
    expect((await run('record', 'show', cut)).out).toMatch(/Damaged: +the recording is truncated/);
  });

  test.each([
    [['what-changed', '--since', '14:61'], /--since: "14:61" is not a time; write a time as 14:03/],
    [['what-changed', '--since', '14'], /"14" is ambiguous: it may be an hour, minutes or seconds/],
    [['what-changed', '--until', '2:05 pm'], /has a 12-hour clock; write the hour from 0 to 23/],
    [['what-changed', '--until', '2026-03-01'], /is a day; add the time, as in 2026-03-01T14:03:05Z/],
    [['what-changed', '--until', '2026-03-41T10:00:00Z'], /is not a time of the calendar/],
    [['what-changed', '--since', '-5m'], /"-5m" is not a time/],
    [['explain', '10.0.0.1', '10.96.0.10:80', '--at', '16:00'], /is not recorded: the recording of .* has .* to /],
    [['explain', '10.0.0.1', '10.96.0.10:80', '--at', '2020-01-01T00:00:00Z'], /is not recorded/],
  ])('%j explains the time', async (args, message) => {
    const { status, out, err } = await run(...args, '--recording', file);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(message);
  });

  test.each([
    [
      ['replay', '/does/not/exist'],
      /^kube-proxier: cannot read the recording \/does\/not\/exist: .*ENOENT.*; give the path/,
    ],
    [['replay', __filename()], /is no recording of kube-proxier \(.*incorrect header check.*\); write one with/],
    [['record', 'show'], /record show needs a file; use kube-proxier record dump > FILE/],
    [['record', 'forget'], /"forget" is not understood; use kube-proxier record dump/],
    [['record', 'dump', '--metrics-bind-address', '127.0.0.1:9'], /no agent answers at 127\.0\.0\.1:9/],
    [['what-changed', '--metrics-bind-address', '127.0.0.1:9'], /no agent answers at 127\.0\.0\.1:9/],
    [
      ['explain', '10.0.0.1', '10.96.0.10:80', '--at', '5m', '--manifests', '/tmp'],
      /manifests are read as they are now/,
    ],
  ])('%j fails with a message', async (args, message) => {
    const { status, out, err } = await run(...args);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(message);
  });

  test('a time of day that a recording has twice is ambiguous', async () => {
    const days = join(directory, 'days.jsonl.gz');
    const later = { at: 1000 + 26 * 3_600_000, entry: 'ready', ready: true };
    writeFileSync(days, gzipSync([...ENTRIES, later].map((entry) => `${JSON.stringify(entry)}\n`).join('')));
    const { err } = await run('what-changed', '--since', '14:03', '--recording', days);
    expect(err).toMatch(/"14:03" is ambiguous: the recording has it 2 times; write \S+Z or \S+Z/);
    expect((await run('what-changed', '--since', '15h', '--recording', days, '-o', 'json')).status).toBe(0);
  });

  test('a dump of the running agent, without a restart', async () => {
    const manifests = join(directory, 'manifests');
    mkdirSync(manifests);
    const slice = (address: string) => JSON.stringify(makeSlice('shop/web', [address]));
    writeFileSync(join(manifests, 'service.yaml'), JSON.stringify(makeService('shop/web')));
    writeFileSync(join(manifests, 'slice.yaml'), slice('10.244.0.5'));
    const abort = new AbortController();
    const logger = new RecordingLogger();
    const port = 20_000 + (process.pid % 10_000);
    const agent = runCommand(
      [
        ...['--proxy-mode=iptables', `--manifests=${manifests}`, '--hostname-override=n1'],
        ...['--healthz-bind-address=', `--metrics-bind-address=127.0.0.1:${port}`],
      ],
      {
        composition: fakeComposition(),
        print: () => {},
        printError: () => {},
        createLogger: () => logger,
        signal: abort.signal,
      },
    );
    try {
      const flag = `--metrics-bind-address=127.0.0.1:${port}`;
      const changed = async () => (await run('what-changed', 'shop/web', flag)).out;
      await until(async () => /full sync of IPv4/.test(await changed()));
      writeFileSync(join(manifests, 'slice.yaml'), slice('10.244.0.6'));
      await until(async () => /endpoint 10\.244\.0\.6 came.*sync of IPv4: 1 service port/s.test(await changed()));
      const dump = await run('record', 'dump', flag);
      expect([dump.status, dump.out, dump.err]).toEqual([0, '', '']);
      const saved = join(directory, 'dump.jsonl.gz');
      writeFileSync(saved, dump.bytes);
      expect((await run('replay', saved, '10.0.0.1', 'svc/shop/web')).out).toContain('forwarded to 10.244.0.6:80');
      expect((await run('explain', '10.0.0.1', '10.96.0.10:80', '--at=0s', flag)).out).toContain('10.244.0.6:80');
    } finally {
      abort.abort();
      await agent;
    }
  });

  test('replay --test prints a test that passes, and fails on another expectation', async () => {
    const specs = join(directory, 'specs');
    mkdirSync(specs);
    const question = ['replay', file, '10.244.0.9', '10.96.0.10:80', '--test'];
    const write = async (name: string, ...args: string[]) => {
      const { status, out, err } = await run(...question, ...args);
      expect([status, err]).toEqual([0, '']);
      writeFileSync(join(specs, `${name}.spec.ts`), out);
    };
    await write('as-it-was');
    await write('before', '--until', '14:02');
    await write('expected', '--expect', '10.244.0.7:8080');
    await write('wrong', '--expect', '10.244.0.5:8080,10.244.0.7:8080');
    await write('refused', '--expect', 'refused');
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        ...['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--config', 'jest.config.mjs', '--json'],
        ...['--roots', specs, '--testMatch', '**/*.spec.ts', '--modulePaths', join(ROOT, 'node_modules'), '-w', '1'],
      ],
      { cwd: ROOT, encoding: 'utf8' },
    );
    const results = readResults(stdout, stderr);
    expect(results).toEqual({
      'as-it-was.spec.ts': 'passed',
      'before.spec.ts': 'passed',
      'expected.spec.ts': 'passed',
      'wrong.spec.ts': 'failed',
      'refused.spec.ts': 'failed',
    });
    expect(stdout).toContain('10.244.0.5:8080,10.244.0.7:8080');
  });

  test.each([
    [['--test'], /--test needs a packet/],
    [['svc/shop/web', '--test'], /--test asserts one packet, and the question has \d+; give a source/],
    [['10.244.0.9', '10.96.0.10:80', '--expect', 'refused'], /--expect belongs to --test/],
    [['10.244.0.9', '10.96.0.10:80', '--test', '--expect', 'lost'], /--expect: "lost" is not refused, dropped/],
  ])('replay %j fails with a message', async (args, message) => {
    const { status, out, err } = await run('replay', file, ...args);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(message);
  });
});

function readResults(stdout: string, stderr: string): Record<string, string> {
  try {
    const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
      testResults: { name: string; status: string }[];
    };
    return Object.fromEntries(testResults.map(({ name, status }) => [name.slice(name.lastIndexOf('/') + 1), status]));
  } catch (error) {
    throw new Error(`jest did not run: ${stderr}`, { cause: error });
  }
}

function __filename(): string {
  return fileURLToPath(import.meta.url);
}
