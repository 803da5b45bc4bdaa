import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { canMakeNamespaces } from '@kube-proxier/linux/testing';
import {
  type ClientProgress,
  type ContinuousClient,
  failuresOf,
  type NetworkSandbox,
  type SandboxServer,
} from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

const METRICS = 'http://127.0.0.1:10249/metrics';
/** A port of its own for checks: an endpoint can fail its check while it still serves. */
const CHECK_PORT = 9000;

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

/** The agent checks two servers, while a client connects through it without a pause. */
whereAllowed.each(casesOf(['nftables'], ['iptables', 'userspace']))('health checks of manifests, mode %s', (mode) => {
  let node: AgentOnNode;
  let sandbox: NetworkSandbox;
  let checked: SandboxServer;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    ({ sandbox } = node);
    [checked] = (await Promise.all(sandbox.pods.map((pod) => pod.serve({ port: CHECK_PORT })))) as [SandboxServer];
    node.annotations = {
      'kube-proxier.io/health-check': 'tcp',
      'kube-proxier.io/health-check-port': String(CHECK_PORT),
      'kube-proxier.io/health-check-interval': '100ms',
      'kube-proxier.io/health-check-timeout': '1s',
    };
    node.write(...sandbox.pods.map(({ ipv4 }) => ipv4));
  });

  afterEach(async () => {
    await node.close();
  });

  const newClient = () => sandbox.client.startClient({ to: sandbox.node.ipv4, port: NODE_PORT }, 10);
  const answersOf = ({ answeredBy }: ClientProgress, name: string) => answeredBy[name] ?? 0;

  /** Waits until a server has none or some of the next 20 connections. */
  async function untilServed(client: ContinuousClient, name: string, share: 'none' | 'some'): Promise<ClientProgress> {
    let last = await client.progress();
    await node.until(`${name} serves ${share}`, async () => {
      const before = last;
      last = await client.moreAttempts(20);
      return answersOf(last, name) > answersOf(before, name) === (share === 'some');
    });
    return last;
  }

  test('a check fails and recovers: the endpoint leaves and returns, and no connection fails', async () => {
    node.start(mode);
    await node.until('first sync', () => /Synced family="IPv4"/.test(node.log));
    const client = await newClient();
    await untilServed(client, 'pod1', 'some');
    await untilServed(client, 'pod2', 'some');

    await checked.close();
    await untilServed(client, 'pod1', 'none');
    expect(node.log).toMatch(
      new RegExp(
        `Health check failed: endpoint ${sandbox.pods[0]?.ipv4}:${CHECK_PORT} of Service work/web is not used: ` +
          'connection refused, 3 times in a row',
      ),
    );
    expect(await node.command('kube-proxier explain outside svc/work/web --via node-port')).toMatch(
      /- \S+:8080 .* not used: not ready: health check failed: connection refused, 3 times in a row since \S+Z, and 1 ready one exists/,
    );
    expect(await node.command('kube-proxier status')).toMatch(
      new RegExp(
        `^Health checks: +1 passed, 1 failed, 0 without a result\n  ${sandbox.pods[0]?.ipv4}:${CHECK_PORT} of work/web: ` +
          'connection refused, for \\d+s$',
        'm',
      ),
    );
    const metrics = (await node.get(METRICS))?.body ?? '';
    expect(metrics).toMatch(/^kube_proxier_health_check_endpoints\{verdict="down"\} 1$/m);
    expect(metrics).toMatch(/^kube_proxier_health_check_endpoints\{verdict="up"\} 1$/m);
    expect(metrics).toMatch(/^kube_proxier_health_checks_total\{kind="tcp",result="refused"\} [1-9]/m);
    expect(metrics).toMatch(/^kube_proxier_health_check_duration_seconds_count\{kind="tcp"\} [1-9]/m);

    // A restart does not restore it, even before the first check.
    const before = await client.progress();
    node.kill();
    await client.moreAttempts(20);
    node.start(mode);
    await node.until('sync after the restart', () => /Synced family="IPv4"/.test(node.log));
    const after = await client.moreAttempts(20);
    if (mode !== 'userspace') {
      expect(answersOf(after, 'pod1')).toBe(answersOf(before, 'pod1'));
    }

    checked = (await sandbox.pods[0]?.serve({ port: CHECK_PORT })) as SandboxServer;
    await untilServed(client, 'pod1', 'some');
    expect(node.log).toContain('is used again');
    const end = await client.stop();
    if (mode !== 'userspace') {
      expect(failuresOf(end)).toBe(0);
    }
  });

  test('all checks fail: clients are refused, unless the Service fails open; --health-checks=none checks nothing', async () => {
    node.annotations = { ...node.annotations, 'kube-proxier.io/health-check-port': String(CHECK_PORT + 1) };
    const addresses = sandbox.pods.map(({ ipv4 }) => ipv4);
    const outcome = () => sandbox.client.connect({ to: sandbox.node.ipv4, port: NODE_PORT });
    node.write(...addresses);
    node.start(mode);
    await node.until('first sync', () => /Synced family="IPv4"/.test(node.log));
    expect(await outcome()).toMatchObject({ kind: 'refused' });
    node.annotations = { ...node.annotations, 'kube-proxier.io/health-check-all-failed': 'open' };
    node.write(...addresses);
    await node.until('it fails open', async () => (await outcome()).kind === 'answered');
    node.annotations = { ...node.annotations, 'kube-proxier.io/health-check-all-failed': 'closed' };
    node.write(...addresses);
    await node.until('it is closed', async () => (await outcome()).kind === 'refused');
    await node.stop();
    node.start(mode, '--health-checks=none');
    await node.until('it is not checked', async () => (await outcome()).kind === 'answered');
  });
});
