import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import type { NodeStatus } from '@kube-proxier/server';
import { AgentOnNode } from '../testing/agent-on-node.js';
import { expectGolden } from '../testing/golden-file.js';

const CLUSTER = fileURLToPath(new URL('../../testdata/commands/cluster.yaml', import.meta.url));
const API_SERVER = fileURLToPath(new URL('../../test/fake-api-server.mjs', import.meta.url));

/** Versions, times, durations and sizes. */
const NORMALISED = () =>
  [
    [new RegExp(node.directory, 'g'), '<manifests>'],
    [/https?:\/\/127\.0\.0\.1:\d+/g, '<server>'],
    [/127\.0\.0\.1:(?!10249)\d+/g, '<server>'],
    [/kube-proxier \d+\.\d+\.\d+\S*/g, 'kube-proxier <version>'],
    [/"version": "[^"]+"/g, '"version": "<version>"'],
    [/\d+(?:s|m|h|d)(?:\d+[smh])? ago/g, '<age> ago'],
    [/ in [\d.]+ m?s\b/g, ' in <duration>'],
    [/\d+ MB resident, \d+ MB heap/g, '<size> resident, <size> heap'],
    [/(Running: +)\S+, process \d+/g, '$1<age>, process <pid>'],
    [/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<time>"'],
    [/"(pid|lastSyncMilliseconds|residentBytes|heapBytes|pendingSeconds)": [\d.]+/g, '"$1": "<number>"'],
  ] as const;

let node: AgentOnNode;
let directory: string;

beforeAll(async () => {
  node = await AgentOnNode.create('nft');
  directory = mkdtempSync(join(tmpdir(), 'commands-'));
}, 240_000);

afterAll(async () => {
  await node.close();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

/** Runs a command, and compares its output with a golden file. */
async function expectOutput(name: string, status: number, line: string): Promise<string> {
  const outcome = await node.run(line.split(' '));
  expect(outcome).toMatchObject({ status, stderr: '' });
  expectGolden(outcome.stdout, `commands/${name}`, NORMALISED());
  return outcome.stdout;
}

/** A kubeconfig file for a server. */
function kubeconfig(server: string): string {
  const path = join(directory, 'kubeconfig');
  writeFileSync(
    path,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
      clusters: [{ name: 'a', cluster: { server, 'certificate-authority': join(directory, 'ca.crt') } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      users: [{ name: 'a', user: { token: 'good' } }],
    }),
  );
  return path;
}

describe('commands without an agent', () => {
  test.each(
    casesOf<readonly [line: string, status: number]>(
      [
        ['status', 3],
        ['get services', 1],
        ['plan', 2],
      ],
      [
        ['explain svc/checkout', 1],
        ['what-changed', 1],
        ['record dump', 1],
      ],
    ),
  )('%s: exit status %i, and what to do', async (line, status) => {
    const outcome = await node.run(line.split(' '));
    expect(outcome).toMatchObject({ status, stdout: '' });
    expect(outcome.stderr).toMatch(/^kube-proxier: no agent answers .*(?:start kube-proxier|set --).*\n$/);
  });

  test.each(
    casesOf<readonly [line: string, status: number]>(
      [
        ['status --wacth', 4],
        ['get pods', 1],
        ['help nothing', 1],
        ['help status extra', 1],
      ],
      [
        ['get services --all', 1],
        ['get', 1],
        ['explain', 1],
        ['completion tcsh', 1],
      ],
    ),
  )('%s, a usage error: exit status %i', async (line, status) => {
    const outcome = await node.run(line.split(' '));
    expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(/^kube-proxier: .+\n$/) });
  });
});

describe('commands next to a serving agent', () => {
  beforeAll(async () => {
    copyFileSync(CLUSTER, join(node.directory, 'cluster.yaml'));
    node.start('nftables');
    await node.until('the agent is well', async () => (await node.run(['status'])).status === 0);
  }, 240_000);

  afterAll(async () => {
    await node.stop();
    await node.cleanUp();
  }, 60_000);

  test('status: exit status 0', async () => {
    await expectOutput('status.txt', 0, 'status');
    await expectOutput('status.json', 0, 'status -o json');
  });

  test.each(['services', 'endpoints', 'frontends'])('get %s', async (resource) => {
    await expectOutput(`get-${resource}.txt`, 0, `get ${resource} -A`);
    await expectOutput(`get-${resource}-wide.txt`, 0, `get ${resource} -n shop -o wide`);
  });

  test('get -o json is the same for every resource', async () => {
    const services = await expectOutput('get.json', 0, 'get services -A -o json');
    expect((await node.run(['get', 'endpoints', '-A', '-o', 'json'])).stdout).toBe(services);
    await expectOutput('get-checkout.json', 0, 'get frontends checkout -n shop -o json');
  });

  test('get of a missing object: exit status 1; of a namespace without Services: 0', async () => {
    expect(await node.run(['get', 'services', 'nothing', '-n', 'shop'])).toEqual({
      ...{ status: 1, stdout: '', stderr: 'kube-proxier: Service "nothing" not found in namespace shop\n' },
    });
    expect(await node.run(['get', 'services'])).toEqual({
      ...{ status: 0, stdout: '', stderr: 'No services found in namespace default.\n' },
    });
  });

  test.each(
    casesOf<readonly [name: string, line: string]>(
      [
        ['wide', 'explain svc/shop/checkout --via load-balancer -o wide'],
        ['pod', 'explain pod/shop/checkout-a svc/shop/checkout:http'],
        ['dropped', 'explain 203.0.113.200 198.51.100.9:80'],
      ],
      [
        ['all', 'explain svc/checkout -n shop'],
        ['addresses', 'explain 203.0.113.2 198.51.100.9:80'],
        ['refused', 'explain node svc/shop/empty'],
      ],
    ),
  )('explain, %s', async (name, line) => {
    await expectOutput(`explain-${name}.txt`, 0, line);
    await expectOutput(`explain-${name}.json`, 0, `${line.replace(/ -o wide$/, '')} -o json`);
  });

  test('explain of unknown names: exit status 1', async () => {
    for (const line of [
      'explain svc/nothing',
      'explain pod/nothing svc/shop/checkout',
      'explain a b',
      'explain 1.2.3.4',
    ]) {
      const outcome = await node.run(line.split(' '));
      expect(outcome).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^kube-proxier: .+\n$/) });
    }
  });
});

describe('commands next to an agent with an API server', () => {
  test('that was never reached: not serving, and other commands fail', async () => {
    writeFileSync(join(directory, 'ca.crt'), '');
    node.start('nftables', `--kubeconfig=${kubeconfig('http://127.0.0.1:9')}`);
    await node.until('it reports it', async () => {
      const { status, stdout } = await node.run(['status']);
      return status === 2 && (stdout.match(/ECONNREFUSED/g) ?? []).length === 4;
    });
    await expectOutput('status-not-serving.txt', 2, 'status');
    await expectOutput('status-not-serving.json', 2, 'status -o json');
    for (const [line, status] of [
      ['get services -A', 1],
      ['explain svc/checkout', 1],
      ['plan', 2],
    ] as const) {
      const outcome = await node.run(line.split(' '));
      expect(outcome).toMatchObject({ status, stdout: '' });
      expect(outcome.stderr).toMatch(/nothing (?:in force|is programmed) yet/);
    }
    await node.stop();
  }, 240_000);

  test('that has ended: degraded, and the state in force is reported', async () => {
    const server = node.sandbox.node.spawn([process.execPath, API_SERVER, directory]);
    let url = '';
    server.stdout?.on('data', (data) => {
      url += data;
    });
    await node.until('the API server listens', () => url.includes('\n'));
    node.start('nftables', `--kubeconfig=${kubeconfig(url.trim())}`);
    await node.until('it serves', async () => (await node.run(['status'])).status === 0);
    server.kill('SIGKILL');
    await node.until('it is degraded', async () => {
      const { status, stdout } = await node.run(['status', '-o', 'json']);
      const problems = status === 1 ? (JSON.parse(stdout) as NodeStatus).problems : [];
      return ['services', 'endpointslices'].every((resource) =>
        problems.some(({ found }) => found.includes(`: ${resource}: connect ECONNREFUSED`)),
      );
    });
    await expectOutput('status-degraded.txt', 1, 'status');
    await expectOutput('status-degraded.json', 1, 'status -o json');
    expect((await node.run(['get', 'services', '-A'])).stdout).toContain('10.96.0.10');
    await node.stop();
  }, 240_000);
});
