import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { NodeStatus } from '@kube-proxier/server';
import type { ServicePortList } from '../get/get.js';
import { AgentOnNode } from '../testing/agent-on-node.js';

const AGENT = fileURLToPath(new URL('../../bin/kube-proxier.js', import.meta.url));

describe('commands that query a running agent', () => {
  let node: AgentOnNode;
  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
  }, 120_000);
  afterEach(async () => {
    await node.close();
  }, 60_000);

  /** Runs a command on the node. */
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(
      'ip',
      ['netns', 'exec', node.sandbox.node.namespace, process.execPath, AGENT, ...args],
      { encoding: 'utf8' },
    );
    return { status, stdout, stderr };
  };
  const statusOf = () => JSON.parse(run('status', '-o', 'json').stdout) as NodeStatus;

  test('status, get and explain: before the start, while it serves, after a flush, and after the end', async () => {
    expect(run('status')).toMatchObject({ status: 3, stdout: '', stderr: expect.stringContaining('no agent answers') });
    const [pod] = node.sandbox.pods;
    const address = pod?.addresses[0] ?? '';
    node.write(address);
    node.start('nftables');
    await node.until('the agent is well', () => run('status').status === 0);
    const status = statusOf();
    expect(status).toMatchObject({
      verdict: 'ok',
      problems: [],
      mode: 'nftables',
      services: 1,
      driftRepairs: 0,
      families: { IPv4: { programmed: true, failures: 0, lastError: null, endpoints: 1 } },
    });
    expect(run('status').stdout).toMatch(/^OK: kube-proxier \S+ on node \S+ \(mode nftables\)\n/);

    const { items } = JSON.parse(run('get', 'services', '-A', '-o', 'json').stdout) as ServicePortList;
    expect(items).toEqual([expect.objectContaining({ namespace: 'work', name: 'web', clusterIP: '10.96.0.10' })]);
    expect(run('get', 'endpoints', 'work/web').stdout).toContain(`${address}:8080`);
    expect(run('get', 'endpoints', 'work/missing')).toMatchObject({ status: 1, stdout: '' });

    await node.sandbox.node.exec(['nft', 'flush', 'table', 'ip', 'kube-proxier']);
    await node.until('the repair is reported', () => statusOf().driftRepairs > 0);
    expect(statusOf()).toMatchObject({ verdict: 'ok', lastDrift: { what: expect.stringMatching(/./) } });

    await node.stop();
    expect(run('status').status).toBe(3);
  }, 300_000);
});
