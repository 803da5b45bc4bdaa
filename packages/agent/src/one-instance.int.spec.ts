import { type ChildProcess, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf, isThorough } from '@kube-proxier/core/testing';
import { failuresOf } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

const WAITING = /Waiting for another proxy in this network namespace to end: /g;
const READY = 'http://127.0.0.1:10256/readyz';

describe('one proxy on a node', () => {
  let node: AgentOnNode;
  let directory: string;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    directory = mkdtempSync(join(tmpdir(), 'one-instance-'));
  });

  afterEach(async () => {
    await node.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const target = () => ({ to: node.sandbox.node.ipv4, port: NODE_PORT });
  const pods = () => node.sandbox.pods.map(({ ipv4 }) => ipv4) as [string, string];
  const isProgrammed = (agent: AgentOnNode) => agent.log.includes('First sync: this node is programmed');
  const rules = async (): Promise<string> => {
    const [saved, tables] = await Promise.all([
      node.iptables.save(),
      node.sandbox.node.exec(['nft', '-s', 'list', 'ruleset']),
    ]);
    return `${saved.replace(/^#.*\n/gm, '')}${tables.stdout}`
      .replace(/\[\d+:\d+\]/g, '')
      .replace(/counter packets \d+ bytes \d+/g, '');
  };
  /** Runs until it is killed. */
  const startKubeProxy = async (): Promise<ChildProcess> => {
    const program = join(directory, 'kube-proxy');
    copyFileSync('/bin/sleep', program);
    const child = node.sandbox.node.spawn([program, '3600']);
    // nsenter executes the program slightly later.
    await node.until('kube-proxy runs', () => nameOf(child.pid) === 'kube-proxy');
    return child;
  };

  test.each(
    casesOf<readonly [mode: 'iptables' | 'nftables', signal: 'SIGTERM' | 'SIGKILL']>(
      [['nftables', 'SIGKILL']],
      [
        ['iptables', 'SIGTERM'],
        ['iptables', 'SIGKILL'],
        ['nftables', 'SIGTERM'],
      ],
    ),
  )('in mode %s, a second agent waits for the first, and replaces it without a gap after %s', async (mode, signal) => {
    const [first, second] = pods();
    node.write(first, second);
    node.start(mode);
    await node.until('the first agent has programmed', () => isProgrammed(node));
    const client = await node.sandbox.client.startClient(target(), 10);
    const open = await node.sandbox.client.open(target());
    await client.moreAttempts(10);
    const before = await rules();

    const other = node.another();
    other.start(mode);
    await other.until('the second agent waits', () => other.log.search(WAITING) >= 0);
    // The first one programs changes from now on.
    node.write(second);
    await node.until('the change', async () => (await rules()) !== before);
    await client.moreAttempts(10);
    const served = await rules();
    expect(other.log.match(WAITING)).toHaveLength(1);
    expect(other.log).toContain(`to end: pid ${node.pid} (kube-proxier `);
    expect(other.log).toMatch(new RegExp(`, mode ${mode}, since .*\\); nothing is programmed until then`));
    expect(other.log).not.toMatch(/WARN|ERROR|Synced|is running|Serving|conntrack/);
    // Both use the network of the node: the kubelet probes the first one, which is ready.
    expect(await node.get(READY)).toMatchObject({ status: 200 });

    if (signal === 'SIGTERM') {
      await node.stop();
    } else {
      node.kill();
    }
    await other.until('the second agent has programmed', () => isProgrammed(other));
    await client.moreAttempts(20);
    expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    expect(failuresOf(await client.stop())).toBe(0);
    expect(await rules()).toBe(served);
    expect(other.log).not.toMatch(/ERROR|Repaired|Others changed|cannot listen/);
    expect((await other.get(READY))?.status).toBe(200);
    const metrics = await other.get('http://127.0.0.1:10249/metrics');
    expect(metrics?.body).not.toMatch(/^kube_proxier_drift_repairs_total.* [1-9]/m);
    expect(metrics?.body).toMatch(/drift_repairs_total/);
    // It programs changes from now on.
    node.write(first);
    await other.until('the next change', async () => (await rules()) !== served);
  });

  test('an agent in another mode waits too, then removes leftovers of the first', async () => {
    node.write(...pods());
    node.start('iptables');
    await node.until('the first agent has programmed', () => isProgrammed(node));
    const client = await node.sandbox.client.startClient(target(), 10);
    const other = node.another();
    other.start('nftables');
    await other.until('the second agent waits', () => other.log.search(WAITING) >= 0);
    await client.moreAttempts(10);
    expect(await rules()).not.toContain('table ip kube-proxier');
    await node.stop();
    await other.until('only nftables', () => other.log.includes('No leftovers of other proxy modes found'));
    await client.moreAttempts(10);
    expect(failuresOf(await client.stop())).toBe(0);
    expect(await rules()).not.toContain('KUBE-SVC-');
  });

  test('an agent waits for a kube-proxy and logs that once; with --allow-multiple-instances it does not wait', async () => {
    node.write(...pods());
    const kubeProxy = await startKubeProxy();
    const before = await rules();
    node.start('nftables');
    await node.until('the agent waits', () => node.log.search(WAITING) >= 0);
    expect(node.log).toContain(`to end: kube-proxy (pid ${kubeProxy.pid}); nothing is programmed until then`);
    // Long enough for several polls.
    const other = node.another();
    other.start('nftables', '--healthz-bind-address=127.0.0.1:10300', '--metrics-bind-address=');
    await other.until('a second one waits for the first', () => other.log.search(WAITING) >= 0);
    await other.until(
      'it answers health checks meanwhile',
      async () => (await other.get('http://127.0.0.1:10300/livez')) !== undefined,
    );
    expect(await other.get('http://127.0.0.1:10300/livez')).toMatchObject({ status: 200 });
    const ready = await other.get('http://127.0.0.1:10300/readyz');
    expect(ready?.status).toBe(503);
    expect(JSON.parse(ready?.body ?? '')).toMatchObject({
      reason: expect.stringMatching(
        new RegExp(`^waiting for pid ${node.pid} \\(kube-proxier .*, no mode yet, since .*\\) to end$`),
      ),
    });
    expect(await node.get(READY)).toMatchObject({
      status: 503,
      body: expect.stringContaining(`waiting for kube-proxy (pid ${kubeProxy.pid}) to end`),
    });
    expect(await rules()).toBe(before);
    expect(node.log.match(WAITING)).toHaveLength(1);
    await other.stop();
    expect(other.log).toMatch(/Stopped while starting/);

    const beside = node.another();
    beside.start('nftables', '--allow-multiple-instances', '--healthz-bind-address=', '--metrics-bind-address=');
    await beside.until('it programs beside kube-proxy', () => isProgrammed(beside));
    await beside.stop();
    expect(isProgrammed(node)).toBe(false);

    kubeProxy.kill('SIGKILL');
    await node.until('it starts when kube-proxy has ended', () => isProgrammed(node));
    expect(await node.get(READY)).toMatchObject({ status: 200 });
  });

  if (isThorough) {
    test('other agents wait for one that does not wait itself', async () => {
      node.write(...pods());
      node.start('nftables', '--allow-multiple-instances');
      await node.until('it has programmed', () => isProgrammed(node));
      const other = node.another();
      other.start('nftables');
      await other.until('the second agent waits', () => other.log.search(WAITING) >= 0);
      expect(other.log).toContain(`to end: pid ${node.pid} (`);
      node.kill();
      await other.until('the second agent has programmed', () => isProgrammed(other));
    });
  }

  test('an init container does not wait: otherwise the pod could never replace its predecessor', async () => {
    node.write(...pods());
    node.start('nftables');
    await node.until('the first agent has programmed', () => isProgrammed(node));
    const before = await rules();
    const setUp = node.another();
    setUp.start('nftables', '--init-only');
    await setUp.until('it has set up the host', () => setUp.log.includes('The host setup is complete'));
    expect(await rules()).toBe(before);
    expect(node.log).not.toMatch(/Others changed/);
  });
});

function nameOf(pid = 0): string {
  return spawnSync('cat', [`/proc/${pid}/comm`], { encoding: 'utf8' }).stdout.trim();
}
