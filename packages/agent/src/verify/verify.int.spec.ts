import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import type { NodeStatus, NodeVerification } from '@kube-proxier/server';
import { AgentOnNode } from '../testing/agent-on-node.js';

const AGENT = fileURLToPath(new URL('../../bin/kube-proxier.js', import.meta.url));

describe('kube-proxier verify', () => {
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
  const verification = () => JSON.parse(run('verify', '-o', 'json').stdout) as NodeVerification;

  test('mode userspace: proxying by a process is unknown', async () => {
    const [pod] = node.sandbox.pods;
    node.write(pod?.addresses[0] ?? '');
    node.start('userspace');
    await node.until('the agent is well', () => run('status').status === 0);
    const unknown = run('verify');
    expect(unknown.stdout).toMatch(
      /^UNKNOWN: .*\n[\s\S]*in mode userspace a process chooses the endpoints, not the kernel/,
    );
    expect(unknown.status).toBe(2);
    await node.stop();
  }, 300_000);

  test('--packets: connections reach endpoints; a foreign rule, and an endpoint that does not listen, are distinguished', async () => {
    const [first, second] = node.sandbox.pods;
    node.write(first?.ipv4 ?? '');
    node.start('nftables');
    await node.until('the agent is well', () => run('status').status === 0);
    const verified = run('verify', '--packets');
    expect(verified.stdout).toMatch(
      /^VERIFIED: real connections of this node go where the state says \(mode nftables\)/,
    );
    expect(verified.status).toBe(0);

    // A connection detects it, and the verification of the rules names it.
    const drop = ['OUTPUT', '-d', first?.ipv4 ?? '', '-p', 'tcp', '-j', 'DROP'];
    await node.sandbox.node.exec(['iptables-nft', '-I', ...drop]);
    const dropped = run('verify', '--packets');
    expect(dropped.stdout).toMatch(/^DIFFERENT: [\s\S]* are dropped, not forwarded to /);
    expect(dropped.status).toBe(1);
    await node.sandbox.node.exec(['iptables-nft', '-D', ...drop]);

    // An address without a listener: the endpoint refuses, not this node.
    await second?.exec(['iptables-nft', '-I', 'INPUT', '-p', 'tcp', '-j', 'REJECT', '--reject-with', 'tcp-reset']);
    node.write(second?.ipv4 ?? '');
    await node.until('the other endpoint is in force', () =>
      run('get', 'endpoints', '-A').stdout.includes(second?.ipv4 ?? ''),
    );
    const refused = run('verify', '--packets');
    expect(refused.stdout).toMatch(/^UNKNOWN: [\s\S]* may be the cause/);
    expect(refused.status).toBe(2);

    expect(run('verify', '--packets', '-o', 'json').stdout).toContain('"kind": "NodeVerification"');
    await node.stop();
    expect(run('verify', '--packets').status).toBe(3);
  }, 300_000);

  test.each(casesOf(['nftables'], ['iptables']))(
    'mode %s: every exit status: verified, a difference, unknown, no agent, a wrong flag',
    async (mode) => {
      expect(run('verify')).toMatchObject({
        status: 3,
        stdout: '',
        stderr: expect.stringContaining('no agent answers'),
      });
      expect(run('verify', '--no-such-flag').status).toBe(4);
      const [pod] = node.sandbox.pods;
      node.write(pod?.addresses[0] ?? '');
      node.start(mode);
      await node.until('the agent is well', () => run('status').status === 0);

      const verified = run('verify');
      expect(verified.stdout).toMatch(/^VERIFIED: /);
      expect(verified.status).toBe(0);
      expect(verification()).toMatchObject({ kind: 'NodeVerification', verdict: 'verified', mode });
      // The kernel of this network namespace and manifests, without the agent.
      const manifests = [
        ...['--manifests', node.directory, '--proxy-mode', mode, '--cluster-cidr', '10.244.0.0/16'],
        ...['--hostname-override', SANDBOX_NETWORK.nodeName],
      ];
      expect(run('verify', ...manifests).stdout).toMatch(/^VERIFIED: /);

      // Two modes, from the agent's recording, and from manifests.
      const between = ['verify', '--between', 'iptables,nftables'];
      for (const args of [between, [...between, ...manifests]]) {
        const { status, stdout } = run(...args);
        expect(stdout).toMatch(/^THE SAME: modes iptables and nftables do the same with every packet/);
        expect(status).toBe(0);
      }
      expect(JSON.parse(run(...between, '-o', 'json').stdout)).toMatchObject({
        kind: 'ModeComparison',
        verdict: 'verified',
        modes: ['iptables', 'nftables'],
      });
      expect(run('verify', '--between', 'iptables,userspace')).toMatchObject({
        status: 4,
        stderr: expect.stringContaining('mode userspace cannot be compared'),
      });
      expect(run(...between, '--packets')).toMatchObject({
        status: 4,
        stderr: expect.stringContaining('--packets and --between cannot be combined'),
      });
      expect(run('verify', '--between', 'iptables')).toMatchObject({
        status: 4,
        stderr: expect.stringContaining('must be two modes'),
      });

      const drop = ['FORWARD', '-d', '10.244.0.0/16', '-j', 'DROP'] as const;
      await node.sandbox.node.exec(['iptables-nft', '-I', ...drop]);
      const different = run('verify');
      expect(different.status).toBe(1);
      expect(different.stdout).toMatch(
        /are dropped, .*"-d 10\.244\.0\.0\/16 -j DROP" in chain FORWARD of table filter/,
      );
      expect(run('verify', ...manifests).status).toBe(1);
      const { problems, verification: last } = JSON.parse(run('status', '-o', 'json').stdout) as NodeStatus;
      expect(problems).toEqual([
        expect.objectContaining({ severity: 'degraded', advice: expect.stringContaining('verify') }),
      ]);
      expect(last).toMatchObject({ verdict: 'different', firstFinding: expect.stringContaining('FORWARD') });
      await node.until('the difference is logged', () =>
        node.log.includes('The kernel does not do what the state says'),
      );

      await node.sandbox.node.exec(['iptables-nft', '-D', ...drop]);
      expect(run('verify').status).toBe(0);
      await node.until('the end of the difference is logged', () => node.log.includes('matches the state again'));

      // Unsupported rules are never verified.
      await node.sandbox.node.exec([
        'iptables-nft',
        '-I',
        'FORWARD',
        '-m',
        'length',
        '--length',
        '1000:',
        '-j',
        'DROP',
      ]);
      const unknown = run('verify');
      expect(unknown.stdout).toMatch(/^UNKNOWN: [\s\S]*the effect of "-m length --length 1000:65535 -j DROP"/);
      expect(unknown.status).toBe(2);
      await node.stop();
    },
    300_000,
  );
});
