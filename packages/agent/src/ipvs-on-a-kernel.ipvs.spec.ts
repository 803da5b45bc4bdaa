import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { failuresOf, NetworkSandbox, SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';

const AGENT = fileURLToPath(new URL('../bin/kube-proxier.js', import.meta.url));
const NODE_PORT = 31_269;
const WAIT = 300_000;

/** The agent in ipvs mode, on the node of a sandbox, while an external client connects continuously. */
describe('the agent on a kernel with IPVS', () => {
  let sandbox: NetworkSandbox;
  let directory: string;
  let agent: ChildProcess | undefined;
  let log = '';

  beforeAll(async () => {
    sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 1 });
    directory = mkdtempSync(join(tmpdir(), 'ipvs-agent-'));
    await Promise.all([...sandbox.pods, ...sandbox.remotePods].map((pod) => pod.serve({ port: 8080 })));
  });

  afterAll(async () => {
    agent?.kill('SIGKILL');
    await sandbox?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function write(...addresses: string[]): void {
    const text = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: work, annotations: {kube-proxier.io/ipvs-scheduler: wlc}}
spec:
  type: NodePort
  clusterIP: 10.96.0.10
  ports: [{port: 80, nodePort: ${NODE_PORT}}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: work, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{port: 8080}]
endpoints: [${addresses.map((address) => `{addresses: [${address}]}`).join(', ')}]
---
apiVersion: v1
kind: Node
metadata: {name: ${SANDBOX_NETWORK.nodeName}}
status: {addresses: [{type: InternalIP, address: ${sandbox.node.ipv4}}]}
`;
    writeFileSync(join(directory, '.next'), text);
    renameSync(join(directory, '.next'), join(directory, 'web.yaml'));
  }

  function start(...more: string[]): ChildProcess {
    log = '';
    const child = sandbox.node.spawn([process.execPath, AGENT, ...more]);
    child.stderr?.on('data', (data) => {
      log += data;
    });
    return child;
  }

  function startAgent(): void {
    agent = start(
      '--proxy-mode=ipvs',
      '--proxy-mode-fallback=none',
      `--manifests=${directory}`,
      `--hostname-override=${SANDBOX_NETWORK.nodeName}`,
      `--cluster-cidr=${SANDBOX_NETWORK.clusterCIDRs[0]}`,
      '--ipvs-scheduler=rr',
      '--ipvs-min-sync-period=0s',
      '--ipvs-strict-arp',
      '--ipvs-tcp-timeout=10m',
      '-v=2',
    );
  }

  async function reached(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    await until(holds, () => `${what}\n${log}`, WAIT);
  }

  const run = async (command: string, ...args: string[]) => (await sandbox.node.runner.run({ command, args })).stdout;
  const servers = async () => (await run('ipvsadm', '-Sn')).split('\n').filter(Boolean).sort();
  const serves = async (...addresses: string[]) => {
    const text = (await servers()).join('\n');
    return addresses.every((address) =>
      text.includes(`-t ${sandbox.node.ipv4}:${NODE_PORT} -r ${address}:8080 -m -w 1`),
    );
  };

  test(
    'it serves, is killed and started again without touching anything, repairs, and cleans up',
    async () => {
      const addresses = sandbox.pods.map(({ ipv4 }) => ipv4);
      write(...addresses);
      startAgent();
      await reached('first sync', () => serves(...addresses));
      expect(log).toMatch(/Using proxy mode ipvs.*schedulers rr wrr lc wlc dh sh sed nq lblc lblcr mh fo ovf/);
      expect((await servers())[0]).toContain('-s wlc');
      expect(await run('cat', '/proc/sys/net/ipv4/conf/all/arp_ignore')).toBe('1\n');
      expect(await run('ipvsadm', '-L', '--timeout')).toContain('600 120 300');

      const client = await sandbox.client.startClient({ to: sandbox.node.ipv4, port: NODE_PORT }, 50);
      const open = await sandbox.client.open({ to: sandbox.node.ipv4, port: NODE_PORT });

      // Killed, and started again: installed objects are unchanged.
      const before = await servers();
      agent?.kill('SIGKILL');
      await client.moreAttempts(10);
      startAgent();
      await reached('second sync', () => /Synced family="IPv4"/.test(log));
      expect(await servers()).toEqual(before);
      expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });

      // Endpoints are added and removed.
      const remote = sandbox.remotePod(1).ipv4;
      write(remote, ...addresses.slice(1));
      await reached('another endpoint', () => serves(remote, ...addresses.slice(1)));
      await client.moreAttempts(10);
      expect(await open.send('even now')).toEqual({ kind: 'echoed', text: 'even now' });
      expect(failuresOf(await client.progress())).toBe(0);

      // An address is added to the node and removed: no full sync is needed.
      const more = '192.168.0.77';
      const fullSyncs = () => log.match(/Synced family="IPv4" full=true/g)?.length;
      const fullSyncsBefore = fullSyncs();
      const answersThere = async () =>
        (await sandbox.client.connect({ to: more, port: NODE_PORT, timeout: 1000 })).kind === 'answered';
      for (const _round of [1, 2]) {
        await run('ip', 'address', 'add', `${more}/24`, 'dev', 'eth0');
        await reached('an answer from the new address', answersThere);
        expect((await servers()).join('\n')).toContain(`-t ${more}:${NODE_PORT}`);
        await run('ip', 'address', 'delete', `${more}/24`, 'dev', 'eth0');
        await reached('nothing at the new address', async () => !(await servers()).join('\n').includes(more));
      }
      expect(fullSyncs()).toBe(fullSyncsBefore);
      expect(failuresOf(await client.progress())).toBe(0);

      // Another program flushes everything.
      await run('ipvsadm', '-C');
      await reached('repair', () => /Drift repaired/.test(log));
      expect(log).toMatch(/the virtual server \S+ is gone, as after ipvsadm -C/);
      expect(await serves(remote, ...addresses.slice(1))).toBe(true);
      const { attempts } = await client.moreAttempts(5);
      const failed = failuresOf(await client.progress());
      expect((await client.moreAttempts(10)).attempts).toBeGreaterThan(attempts);
      expect(failuresOf(await client.stop())).toBe(failed);
      await open.close();

      // It ends, and leaves everything in place; then the cleanup runs.
      agent?.kill('SIGTERM');
      await reached('the end', () => agent?.exitCode !== null);
      expect(await serves(remote)).toBe(true);
      const cleanup = start('cleanup');
      await reached('the clean-up', () => cleanup.exitCode !== null);
      expect(await servers()).toEqual([]);
      expect(await run('ipset', 'list', '-n')).toBe('');
      expect(await run('ip', '-br', 'link')).not.toContain('kube-ipvs0');
      expect(await run('iptables-save')).not.toContain('KUBE');
    },
    4 * WAIT,
  );
});
