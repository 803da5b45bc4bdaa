import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf, isThorough } from '@kube-proxier/core/testing';
import type { NodeStatus } from '@kube-proxier/server';
import { AgentOnNode } from '../testing/agent-on-node.js';

const AGENT = fileURLToPath(new URL('../../bin/kube-proxier.js', import.meta.url));
const READYZ = 'http://127.0.0.1:10256/readyz';
const HEALTHZ = 'http://127.0.0.1:10256/healthz';

let node: AgentOnNode;
beforeEach(async () => {
  node = await AgentOnNode.create('nft');
  node.write(node.sandbox.pods[0]?.addresses[0] ?? '');
}, 120_000);
afterEach(async () => {
  await node.close();
}, 60_000);

const nft = (text: string) => node.sandbox.node.exec(['nft', text]);

function run(...args: readonly string[]) {
  const { namespace } = node.sandbox.node;
  return spawnSync('ip', ['netns', 'exec', namespace, process.execPath, AGENT, ...args], { encoding: 'utf8' });
}

function statusOf(): NodeStatus | undefined {
  const { stdout } = run('status', '-o', 'json');
  return stdout === '' ? undefined : (JSON.parse(stdout) as NodeStatus);
}

const probeOf = () => statusOf()?.probe?.IPv4;

/** Value of a metric; undefined when it is absent. */
async function metric(name: string): Promise<number | undefined> {
  const text = (await node.get('http://127.0.0.1:10249/metrics'))?.body ?? '';
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

/** Drops packets of this node before the rules of kube-proxier see them. */
async function dropBefore(match: string): Promise<void> {
  await nft('add table ip foreign');
  await nft('add chain ip foreign output { type filter hook output priority -310; }');
  await nft(`add rule ip foreign output ${match} drop`);
}

describe.each(casesOf(['nftables'], ['iptables', 'userspace']))('the probe in mode %s', (mode) => {
  test('fails while a foreign rule drops its packets, and succeeds again afterwards', async () => {
    node.start(mode, '--probe-interval=1s', '--probe-addresses=192.0.2.1', '--probe-readiness');
    await node.until('the probe succeeds', () => probeOf()?.verdict === 'ok');
    expect(statusOf()).toMatchObject({ verdict: 'ok', probe: { IPv4: { frontend: '192.0.2.1:80', reason: null } } });
    expect(run('status').stdout).toMatch(/^IPv4 probe: {7}192\.0\.2\.1:80 answered \d+s ago in [\d.]+ ms$/m);
    expect(await metric('kube_proxier_probe_success{ip_family="IPv4"}')).toBe(1);
    expect((await node.get(READYZ))?.status).toBe(200);
    if (mode !== 'userspace') {
      // Its endpoint has an address of this node, so that no rule masquerades (spec O-11).
      expect(run('verify').stdout).toContain('VERIFIED');
    }

    await dropBefore('ip daddr 192.0.2.1');
    await node.until('the status is degraded', () => run('status').status === 1);
    const degraded = statusOf();
    expect(degraded?.verdict).toBe('degraded');
    expect(degraded?.problems.map(({ found }) => found)).toEqual([
      expect.stringMatching(/^\d+ IPv4 probes of 192\.0\.2\.1:80 failed in a row: no answer came within 3000 ms/),
    ]);
    expect(await metric('kube_proxier_probe_success{ip_family="IPv4"}')).toBe(0);
    expect(await metric('kube_proxier_probes_total{ip_family="IPv4",result="failed"}')).toBeGreaterThan(1);
    expect(await node.get(READYZ)).toMatchObject({ status: 503, body: expect.stringContaining('IPv4 probe') });
    // Load balancers follow /healthz, as kube-proxy has it.
    expect((await node.get(HEALTHZ))?.status).toBe(200);

    await nft('delete table ip foreign');
    await node.until('the probe succeeds again', () => probeOf()?.verdict === 'ok');
    // On a busy machine, another operation may be late.
    await node.until('the status is ok', () => run('status').status === 0);
    expect((await node.get(READYZ))?.status).toBe(200);
    expect(await metric('kube_proxier_probe_success{ip_family="IPv4"}')).toBe(1);
  }, 240_000);
});

if (isThorough) {
  test('an answer by another program is a failure', async () => {
    // With the default addresses, of both families.
    node.start('nftables', '--probe-interval=1s');
    await node.until('the probes succeed', () => {
      const { IPv4, IPv6 } = statusOf()?.probe ?? {};
      return IPv4?.verdict === 'ok' && IPv6?.verdict === 'ok';
    });
    await nft('add table ip foreign');
    await nft('add chain ip foreign output { type nat hook output priority -150; }');
    const other = node.sandbox.pods[1]?.addresses[0] ?? '';
    await nft(`add rule ip foreign output ip daddr 192.0.2.1 tcp dport 80 dnat to ${other}:8080`);
    await node.until('the probe fails', () => probeOf()?.verdict === 'failed');
    expect(probeOf()?.reason).toMatch(/another program|no answer came/);
  }, 240_000);
}

test('a real Service keeps its address: the Service of the probe is withdrawn, and restored later', async () => {
  node.start('nftables', '--probe-interval=1s', '--probe-addresses=10.96.0.10');
  await node.until('the conflict is known', () => probeOf()?.impossible === true);
  expect(statusOf()).toMatchObject({
    verdict: 'degraded',
    problems: [{ found: expect.stringContaining('10.96.0.10 is an address of Service work/web') }],
  });
  const { items } = JSON.parse(run('get', 'services', '-A', '-o', 'json').stdout) as { items: { name: string }[] };
  expect(items.map(({ name }) => name)).toEqual(['web']);
  expect(await metric('kube_proxier_probe_success{ip_family="IPv4"}')).toBeUndefined();
  expect(await node.sandbox.node.connect({ to: '10.96.0.10', port: 80 })).toMatchObject({
    kind: 'answered',
    by: 'pod1',
  });

  const path = join(node.directory, 'web.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('clusterIP: 10.96.0.10', 'clusterIP: 10.96.0.11'));
  await node.until('the probe succeeds', () => probeOf()?.verdict === 'ok');
  expect(run('status').status).toBe(0);
}, 240_000);
