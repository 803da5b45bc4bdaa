import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { NodeStatus } from '@kube-proxier/server';
import { type ExecOutcome, FakeApiServer } from '@kube-proxier/source-kubernetes/testing';
import { parse } from 'yaml';
import { compareDigests } from './compare-digests.js';
import { runPlugin } from './kubectl-proxier.js';
import { PLUGIN_HELP, parsePluginCommandLine } from './plugin-command-line.js';

const FAMILY = {
  programmed: true,
  lastSync: '2026-01-01T00:00:00.000Z',
  lastSyncMilliseconds: 4,
  lastFullSync: '2026-01-01T00:00:00.000Z',
  failures: 0,
  lastError: null,
  pendingSeconds: null,
  servicePorts: 12,
  nodePortAddresses: null,
  endpoints: 30,
};
const DEGRADED = {
  verdict: 'degraded',
  problems: [{ severity: 'degraded', found: '3 IPv4 syncs failed in a row: nft is missing', advice: 'install nft' }],
} as const;

function statusOf(digest: string, change: Partial<NodeStatus> = {}): ExecOutcome {
  const status: NodeStatus = {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'NodeStatus',
    verdict: 'ok',
    problems: [],
    nodeName: 'host',
    version: '0.1.0',
    pid: 1,
    startTime: '2026-01-01T00:00:00.000Z',
    mode: 'nftables',
    requestedMode: 'nftables',
    modeReason: null,
    families: { IPv4: { ...FAMILY, digest } },
    services: 10,
    endpoints: 30,
    sources: [],
    lastObjectChange: null,
    driftRepairs: 0,
    lastDrift: null,
    verification: null,
    leftovers: null,
    probe: null,
    healthChecks: null,
    staleFlowsDeleted: 0,
    failures: {},
    memory: { residentBytes: 1, heapBytes: 1 },
    ...change,
  };
  const exitStatus = { ok: 0, degraded: 1, 'not-serving': 2 }[status.verdict];
  return { stdout: JSON.stringify(status), stderr: '', exitStatus };
}

const A = 'aaaaaaaa00000000';
const B = 'bbbbbbbb00000000';

describe('kubectl proxier', () => {
  let directory: string;
  let kubeconfig: string;
  let server: FakeApiServer;
  /** Answers of each pod, and its requests. */
  let outcomes: Map<string, ExecOutcome | (() => ExecOutcome)>;
  let asked: { readonly pod: string; readonly command: readonly string[] }[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kubectl-proxier-'));
    server = await FakeApiServer.start();
    kubeconfig = join(directory, 'config');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
        clusters: [{ name: 'k', cluster: { server: server.url } }],
        users: [{ name: 'u', user: {} }],
      }),
    );
    outcomes = new Map();
    asked = [];
    server.onExec = async ({ pod, command }) => {
      asked.push({ pod, command });
      const outcome = outcomes.get(pod) ?? { refused: 'no such pod' };
      return typeof outcome === 'function' ? outcome() : outcome;
    };
  });
  afterEach(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  function addNode(name: string, outcome: ExecOutcome | (() => ExecOutcome), phase = 'Running'): void {
    addPod(`agent-${name}`, name, phase);
    outcomes.set(`agent-${name}`, outcome);
    server.store.put('nodes', { metadata: { name, labels: { 'kubernetes.io/os': 'linux' } } });
  }

  function addPod(name: string, nodeName: string, phase: string): void {
    server.store.put('pods', {
      metadata: { name, namespace: 'kube-system', labels: { 'app.kubernetes.io/name': 'kube-proxier' } },
      spec: { nodeName, containers: [{ name: 'kube-proxier', args: ['--config=/etc/c.conf', '-v=2'] }] },
      status: { phase },
    });
  }

  async function run(...args: string[]) {
    const written = { out: '', err: '' };
    const status = await runPlugin(args, {
      print: (text) => {
        written.out += text;
      },
      printError: (text) => {
        written.err += text;
      },
      variables: { KUBECONFIG: kubeconfig },
      signal: new AbortController().signal,
    });
    return { status, ...written };
  }

  test('status: all nodes are ok and agree', async () => {
    addNode('node1', statusOf(A));
    addNode('node2', statusOf(A));
    const { status, out, err } = await run('status');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out.replace(/\d+d |\d+y /g, '9d ')).toBe(`\
NODE    STATUS   MODE       SERVICES   ENDPOINTS   LAST SYNC   DIGEST
node1   OK       nftables   10         30          9d        aaaaaaaa
node2   OK       nftables   10         30          9d        aaaaaaaa
`);
    expect(asked.map(({ command }) => command)).toEqual(
      Array.from({ length: 2 }, () => ['kube-proxier', 'status', '--output=json', '--config=/etc/c.conf']),
    );
  });

  test('status: nodes that are degraded, differ, or do not answer', async () => {
    addNode('node1', statusOf(A));
    addNode('node2', statusOf(B));
    addNode('node3', statusOf(A, DEGRADED));
    addNode('node4', 'hang');
    addNode('node5', statusOf(A), 'Pending');
    addNode('node6', { stdout: '', stderr: 'kube-proxier: no agent answers at 127.0.0.1:10249\n', exitStatus: 3 });
    server.store.put('nodes', { metadata: { name: 'node7', labels: { 'kubernetes.io/os': 'linux' } } });
    server.store.put('nodes', { metadata: { name: 'windows1', labels: { 'kubernetes.io/os': 'windows' } } });
    const { status, out } = await run('status', '--timeout=500ms');
    expect(status).toBe(3);
    expect(out.replace(/ +\d+[dy] +/g, ' AGE ')).toBe(`\
NODE    STATUS      MODE       SERVICES   ENDPOINTS   LAST SYNC   DIGEST
node1   OK          nftables   10         30 AGE aaaaaaaa
node2   OK          nftables   10         30 AGE bbbbbbbb *
node3   DEGRADED    nftables   10         30 AGE aaaaaaaa
node4   NO ANSWER   -          -          -           -           -
node5   NO ANSWER   -          -          -           -           -
node6   NO ANSWER   -          -          -           -           -
node7   NO ANSWER   -          -          -           -           -

Problems:
  - node3: 3 IPv4 syncs failed in a row: nft is missing
    install nft
  - node4: no complete answer came within 500 ms
  - node5: pod agent-node5 is Pending
  - node6: kube-proxier: no agent answers at 127.0.0.1:10249
  - node7: no pod of kube-proxier is on this node

* Nodes differ in the Services or endpoints that are in force:
  IPv4 ${A}: node1, node3
  IPv4 ${B}: node2
`);
  });

  test.each([
    ['ok', statusOf(A), 0],
    ['degraded', statusOf(A, DEGRADED), 1],
    ['ok, with other endpoints', statusOf(B), 1],
    ['not serving', statusOf(A, { verdict: 'not-serving' }), 2],
    ['without its container', { refused: 'container not found' }, 3],
    ['cut off', 'reset', 3],
    ['of another program', { stdout: '{"kind":"Other"}', stderr: '', exitStatus: 0 }, 3],
  ] as const)('status with a third node that is %s', async (_what, outcome, expected) => {
    addNode('node1', statusOf(A));
    addNode('node2', statusOf(A));
    addNode('node3', outcome);
    expect((await run('status')).status).toBe(expected);
  });

  test('status: a change that has not reached all nodes yet is not a difference', async () => {
    addNode('node1', statusOf(B));
    let count = 0;
    addNode('node2', () => {
      count += 1;
      return statusOf(count > 1 ? B : A);
    });
    expect(await run('status')).toMatchObject({ status: 0 });
    expect(count).toBe(2);
  });

  test('status as JSON and YAML', async () => {
    addNode('node1', statusOf(A));
    addNode('node2', { refused: 'container not found' });
    const { out, status } = await run('status', '-o', 'json');
    expect(status).toBe(3);
    expect(JSON.parse(out)).toEqual({
      apiVersion: 'kube-proxier.io/v1alpha1',
      kind: 'NodeStatusList',
      items: [
        { nodeName: 'node1', podName: 'agent-node1', status: expect.objectContaining({ verdict: 'ok' }), error: null },
        {
          nodeName: 'node2',
          podName: 'agent-node2',
          status: null,
          error: expect.stringContaining('container not found'),
        },
      ],
      groups: [{ family: 'IPv4', digest: A, nodes: ['node1'] }],
      differing: [],
    });
    expect(parse((await run('status', '-o', 'yaml')).out)).toEqual(JSON.parse((await run('status', '-o', 'json')).out));
  });

  test('other commands: nodes with the same answer together', async () => {
    const answer = (stdout: string, exitStatus = 0) => ({ stdout, stderr: '', exitStatus });
    addNode('node1', answer('Service shop/checkout\nforwarded\n'));
    addNode('node2', answer('Service shop/checkout\nforwarded\n'));
    addNode('node3', { stdout: '', stderr: 'kube-proxier: unknown Service\n', exitStatus: 1 });
    addNode('node4', 'reset');
    const { status, out } = await run('explain', 'pod/web-1', 'svc/checkout:http', '-n', 'shop', '--all-nodes');
    expect(status).toBe(3);
    expect(out).toMatch(
      /^node1, node2:\n {2}Service shop\/checkout\n {2}forwarded\n\nnode3:\n {2}kube-proxier: unknown Service\n\nnode4:\n {2}no answer: .*\n$/,
    );
    expect(asked[0]?.command).toEqual([
      ...['kube-proxier', 'explain', 'pod/web-1', 'svc/checkout:http', '-n', 'shop', '--config=/etc/c.conf'],
    ]);
    outcomes.delete('agent-node4');
    const json = await run('get', 'services', '-A', '--node=node1,node3', '-o', 'json');
    expect(json.status).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      kind: 'NodeAnswerList',
      items: [
        { nodeName: 'node1', exitStatus: 0, error: null },
        { nodeName: 'node3', exitStatus: 1, answer: null, error: 'kube-proxier: unknown Service' },
      ],
    });
  });

  test('--node: output and exit status are those of the node', async () => {
    addNode('node1', { stdout: 'DEGRADED: …\n', stderr: 'a warning\n', exitStatus: 1 });
    addNode('node2', 'hang');
    expect(await run('status', '--node', 'node1')).toEqual({ status: 1, out: 'DEGRADED: …\n', err: 'a warning\n' });
    expect(asked.map(({ pod }) => pod)).toEqual(['agent-node1']);
    expect(await run('status', '--node=node2', '--timeout=300ms')).toEqual({
      status: 3,
      out: '',
      err: 'kubectl proxier: node node2 did not answer: no complete answer came within 300 ms\n',
    });
    expect(await run('status', '--node=node9')).toMatchObject({ status: 4, err: expect.stringContaining('node9') });
  });

  test('nodes are queried concurrently, and a slow one delays no other', async () => {
    for (let index = 0; index < 100; index += 1) {
      addNode(`node${index}`, index === 7 ? 'hang' : statusOf(A));
    }
    const begin = performance.now();
    const { status, out } = await run('status', '--timeout=2s');
    expect(status).toBe(3);
    expect(out.match(/ OK /g)).toHaveLength(99);
    expect(performance.now() - begin).toBeLessThan(20_000);
  }, 60_000);

  test('while a pod is replaced, its successor is queried', async () => {
    addNode('node1', 'reset', 'Failed');
    addPod('agent-new', 'node1', 'Running');
    outcomes.set('agent-new', statusOf(A));
    expect((await run('status')).status).toBe(0);
  });

  test('missing permissions', async () => {
    addNode('node1', statusOf(A));
    server.forbidden.add('nodes');
    expect(await run('status')).toMatchObject({ status: 0, err: expect.stringContaining('nodes without an agent') });
    server.forbidden.add('pods/exec');
    expect(await run('status')).toMatchObject({
      status: 3,
      out: expect.stringContaining('create and get of pods/exec'),
    });
    server.forbidden.add('pods');
    expect(await run('status')).toMatchObject({ status: 4, err: expect.stringContaining('not allowed to list pods') });
  });

  test('no agents, no API server, a wrong command line', async () => {
    expect(await run('status')).toMatchObject({ status: 4, err: expect.stringContaining('set --agent-namespace') });
    await server.stop();
    expect(await run('status')).toMatchObject({ status: 4, err: expect.stringContaining('ECONNREFUSED') });
    expect(await run('statsu')).toMatchObject({ status: 4, err: expect.stringContaining('did you mean status?') });
    expect(await run('status', '--watch')).toMatchObject({ status: 4, err: expect.stringContaining('kubectl exec') });
    expect(await run('--help')).toMatchObject({ status: 0, out: expect.stringContaining('kubectl proxier <status|') });
    expect(await run()).toMatchObject({ status: 0, out: expect.stringContaining('Usage:') });
  });
});

test('arguments of the plugin, and those of the command', () => {
  expect(
    parsePluginCommandLine(['get', 'services', '-A', '-o', 'json', '--context=prod', '--timeout', '1m', '--via=x']),
  ).toMatchObject({
    command: 'get',
    args: ['services', '-A', '--via=x'],
    output: 'json',
    context: 'prod',
    timeout: 60_000,
    nodes: [],
  });
  for (const wrong of [
    ['status', '--node'],
    ['status', '--timeout=0'],
    ['status', '-o', 'xml'],
    ['get', '--manifests=x'],
  ]) {
    expect(() => parsePluginCommandLine(wrong)).toThrow(/needs a value|must be|cannot be used/);
  }
  expect(() => parsePluginCommandLine(['status', '--all-nodes', '--node=a'])).toThrow('exclude each other');
  for (const wrong of [
    ['-n', 'shop', 'get', 'services'],
    ['-n=shop', 'status'],
  ]) {
    expect(() => parsePluginCommandLine(wrong)).toThrow(
      '"-n" is no flag of kubectl proxier; flags for the command on the node follow the command',
    );
  }
  expect(() => parsePluginCommandLine(['stauts'])).toThrow(/^unknown command "stauts"; did you mean status\?$/);
  expect(() => parsePluginCommandLine(['doctor'])).toThrow(/^unknown command "doctor"; it must be one of status, /);
  expect(() => parsePluginCommandLine(['status', '--nod=a'])).toThrow(/^unknown flag --nod; did you mean --node\?$/);
  // A newer agent may have it.
  expect(parsePluginCommandLine(['status', '--sort-by=age'])?.args).toEqual(['--sort-by=age']);
});

test('without a majority, all nodes differ; families are compared separately', () => {
  const node = (nodeName: string, ipv4: string | null, ipv6 = A) => ({
    nodeName,
    families: { IPv4: { ...FAMILY, digest: ipv4 }, IPv6: { ...FAMILY, digest: ipv6 } },
  });
  expect(compareDigests([node('n1', A), node('n2', B)]).differing).toEqual(['n1', 'n2']);
  expect(compareDigests([node('n1', A), node('n2', A), node('n3', A, B)]).differing).toEqual(['n3']);
  expect(compareDigests([node('n1', A), node('n2', null)]).differing).toEqual([]);
  expect(compareDigests([])).toEqual({ groups: [], differing: [] });
});

test('the help fits into a terminal of 80 columns', () => {
  expect(PLUGIN_HELP.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('names are an output of get only', () => {
  expect(parsePluginCommandLine(['get', 'services', '-o', 'name'])?.output).toBe('name');
  expect(() => parsePluginCommandLine(['status', '-o', 'name'])).toThrow('must be one of text, json, yaml, wide');
});
