import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type ExecOutcome, FakeApiServer } from '@kube-proxier/source-kubernetes/testing';
import { AgentOnNode } from '../testing/agent-on-node.js';
import type { NodeStatusList } from './format-nodes.js';

const AGENT = fileURLToPath(new URL('../../bin/kube-proxier.js', import.meta.url));
const PLUGIN = fileURLToPath(new URL('../../bin/kubectl-proxier.js', import.meta.url));

let nodes: ReadonlyMap<string, AgentOnNode>;
let server: FakeApiServer;
let directory: string;

beforeEach(async () => {
  nodes = new Map([
    ['node1', await AgentOnNode.create('nft')],
    ['node2', await AgentOnNode.create('nft')],
  ]);
  server = await FakeApiServer.start();
  directory = mkdtempSync(join(tmpdir(), 'kubectl-proxier-'));
  const document = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k' } }],
    clusters: [{ name: 'k', cluster: { server: server.url } }],
  };
  writeFileSync(join(directory, 'config'), JSON.stringify(document));
  for (const name of nodes.keys()) {
    server.store.put('nodes', { metadata: { name, labels: { 'kubernetes.io/os': 'linux' } } });
    server.store.put('pods', {
      metadata: { name, namespace: 'kube-system', labels: { 'app.kubernetes.io/name': 'kube-proxier' } },
      spec: { nodeName: name, containers: [{ name: 'kube-proxier' }] },
      status: { phase: 'Running' },
    });
  }
  // As a kubelet does, runs the command in the network of the node.
  server.onExec = async ({ pod, command: [program, ...args] }): Promise<ExecOutcome> => {
    const node = nodes.get(pod);
    return node === undefined || program !== 'kube-proxier'
      ? { refused: 'no such program' }
      : await run(['ip', 'netns', 'exec', node.sandbox.node.namespace, process.execPath, AGENT, ...args]);
  };
}, 120_000);
afterEach(async () => {
  await Promise.all([...nodes.values()].map((node) => node.close()));
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

async function run([program = '', ...args]: readonly string[]) {
  const child = spawn(program, args, { env: { ...process.env, KUBECONFIG: join(directory, 'config') } });
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      texts[stream] += text;
    });
  }
  const exitStatus = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  return { ...texts, exitStatus };
}

const plugin = (...args: readonly string[]) => run([process.execPath, PLUGIN, ...args]);

test('agents on two nodes: they agree, one differs, one ends', async () => {
  const [first, second] = [...nodes.values()] as [AgentOnNode, AgentOnNode];
  for (const node of [first, second]) {
    node.write('10.244.0.11', '10.244.1.11');
    // The node-local Services of the probe are not a difference.
    node.start('nftables', ...(node === first ? ['--probe-interval=1s', '--probe-addresses=192.0.2.1'] : []));
  }
  await first.until('both are ok', async () => (await plugin('status')).exitStatus === 0);
  const agreed = JSON.parse((await plugin('status', '-o', 'json')).stdout) as NodeStatusList;
  expect(agreed.differing).toEqual([]);
  expect(agreed.groups).toEqual([
    { family: 'IPv4', digest: expect.stringMatching(/^[0-9a-f]{16}$/), nodes: ['node1', 'node2'] },
    ...agreed.groups.slice(1),
  ]);
  expect(agreed.items[0]?.status?.probe).not.toBeNull();

  expect(await plugin('get', 'services', '-n', 'work', '--node', 'node2')).toMatchObject({
    exitStatus: 0,
    stdout: expect.stringContaining('10.96.0.10'),
  });
  const explained = await plugin('explain', '10.244.0.12', '10.96.0.10:80');
  expect(explained).toMatchObject({ exitStatus: 0, stdout: expect.stringMatching(/^node1, node2:\n/) });

  // Node 2 misses a change.
  const path = join(first.directory, 'web.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('10.244.1.11', '10.244.1.12'));
  let stdout = '';
  await first.until('they differ', async () => {
    const status = await plugin('status');
    stdout = status.stdout;
    return status.exitStatus === 1;
  });
  expect(stdout).toMatch(/^node2 +OK .* \*$/m);
  expect(stdout).toMatch(/^\* Nodes differ .*:\n( {2}IPv4 [0-9a-f]{16}: node[12]\n){2}/m);

  await second.stop();
  expect(await plugin('status')).toMatchObject({
    exitStatus: 3,
    stdout: expect.stringMatching(/^node2 +NO ANSWER [\s\S]*- node2: kube-proxier: no agent answers/m),
  });
}, 300_000);
