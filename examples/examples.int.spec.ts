import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf, until } from '@kube-proxier/core/testing';
import { canMakeNamespaces } from '@kube-proxier/linux/testing';
import { NetworkSandbox, type SandboxServer } from '@kube-proxier/network-sandbox';
import { FakeApiServer } from '@kube-proxier/source-kubernetes/testing';
import { parseAllDocuments } from 'yaml';
import { checkManifest } from '../scripts/deploy/check-manifest.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EXAMPLES = join(ROOT, 'examples');
const TIMEOUT = 60_000;

describe('the manifests of', () => {
  test.each(['node-agent', 'static-lb'])('%s are what the API of Kubernetes takes', (name) => {
    const directory = join(EXAMPLES, name, 'manifests');
    const objects = readdirSync(directory).flatMap((file) =>
      parseAllDocuments(readFileSync(join(directory, file), 'utf8')).map((document) => document.toJS() as unknown),
    );
    expect(objects.length).toBeGreaterThan(0);
    expect(objects.flatMap((object) => checkManifest(object))).toEqual([]);
  });
});

test('deployment-watch: prints Deployments with missing replicas, then every change of the number of replicas', async () => {
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };
  const server = await FakeApiServer.start({ resources: [resource] });
  const put = (name: string, replicas: number, available: number, image = 'web:1') =>
    server.store.put('deployments', {
      metadata: { name, namespace: 'shop' },
      spec: { replicas, template: { spec: { containers: [{ name: 'web', image }] } } },
      status: { availableReplicas: available },
    });
  put('web', 3, 2);
  put('cart', 1, 1);
  const program = join(EXAMPLES, 'deployment-watch/dist/main.js');
  const child = spawn(process.execPath, [program, '--master', server.url, '--namespace', 'shop']);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const lines = () => printed.split('\n').slice(0, -1);
  try {
    const first = ['2 Deployments, 1 of them with missing replicas', 'shop/web: 2 of 3 available'];
    await until(
      () => lines().length >= 2,
      () => printed,
      TIMEOUT,
    );
    expect(lines()).toEqual(first);
    await until(() => server.openWatches.length === 1, 'a watch', TIMEOUT);
    put('cart', 1, 1, 'web:2');
    put('web', 3, 3);
    server.store.delete('deployments', 'cart', 'shop');
    await until(
      () => lines().length >= 4,
      () => printed,
      TIMEOUT,
    );
    expect(lines()).toEqual([...first, 'shop/web: 3 of 3 available', 'shop/cart: 1 of 1 available, deleted']);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await server.stop();
  }
});

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('the examples', () => {
  let sandbox: NetworkSandbox;
  let directory: string;
  let running: ChildProcess | undefined;
  let output: string;
  /** By name of the pod. */
  let servers: Map<string, SandboxServer>;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'examples-'));
    sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 1 });
    const pods = [...sandbox.pods, ...sandbox.remotePods];
    servers = new Map(await Promise.all(pods.map(async (pod) => [pod.name, await pod.serve({ port: 8080 })] as const)));
  });

  afterEach(async () => {
    running?.kill('SIGKILL');
    await sandbox.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function start(...command: readonly string[]): ChildProcess {
    output = '';
    const child = sandbox.node.spawn([process.execPath, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    running = child;
    return child;
  }

  async function stop(child: ChildProcess): Promise<void> {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }

  const reached = (what: string, holds: () => boolean | Promise<boolean>) =>
    until(holds, () => `${what}\n${output}`, TIMEOUT);

  const answered = async (to: string, port: number, from?: string) => {
    const outcome = await sandbox.client.connect({ to, port, timeout: 500, ...(from === undefined ? {} : { from }) });
    return outcome.kind === 'answered' ? outcome.by : outcome.kind;
  };

  const get = async (path: string) => {
    const script = 'process.stdout.write(await (await fetch(process.argv[1])).text())';
    const url = `http://127.0.0.1:10249${path}`;
    return (await sandbox.node.exec([process.execPath, '--input-type=module', '-e', script, url])).stdout;
  };

  test.each(casesOf(['nftables'], ['iptables']))(
    'node-agent: packets flow in mode %s, its event handler and observer are called, and rules stay when it stops',
    async (mode) => {
      cpSync(join(EXAMPLES, 'node-agent/manifests'), directory, { recursive: true });
      const flags = [`--mode=${mode}`, `--manifests=${directory}`, '--node-name=node1'];
      const agent = start(join(EXAMPLES, 'node-agent/dist/main.js'), ...flags);
      await reached('an answer', async () => /^pod\d$/.test(await answered(sandbox.node.ipv4, 30080)));
      expect(await get('/proxyMode')).toBe(mode);
      const metrics = await get('/metrics');
      expect(metrics).toContain('node_agent_services{namespace="shop",type="NodePort"} 1');
      expect(metrics).toMatch(/^kube_proxier_service_ports\{ip_family="IPv4"\} 1$/m);
      expect(metrics).not.toContain('process_cpu_seconds_total');
      expect(output).toMatch(/^\{"level":"info","message":"synced","family":"IPv4","servicePorts":1,/m);

      rmSync(join(directory, 'web.yaml'));
      await reached('the Service is gone', async () => (await answered(sandbox.node.ipv4, 30080)) === 'refused');
      cpSync(join(EXAMPLES, 'node-agent/manifests'), directory, { recursive: true });
      await reached('the Service is back', async () => /^pod\d$/.test(await answered(sandbox.node.ipv4, 30080)));
      await stop(agent);
      expect(await answered(sandbox.node.ipv4, 30080)).toMatch(/^pod\d$/);
    },
  );

  test('static-lb: balances without a cluster, keeps session affinity, checks the servers, and drops other sources', async () => {
    cpSync(join(EXAMPLES, 'static-lb/manifests'), directory, { recursive: true });
    // Its interval is too long for a test.
    const service = readFileSync(join(directory, 'service.yaml'), 'utf8');
    writeFileSync(
      join(directory, 'service.yaml'),
      service.replace('health-check-interval: 2s', 'health-check-interval: 200ms'),
    );
    // As in its README.
    const flags = ['--proxy-mode=nftables', '--hostname-override=balancer', `--manifests=${directory}`];
    expect(readFileSync(join(EXAMPLES, 'static-lb/README.md'), 'utf8')).toContain(
      `kube-proxier ${flags.slice(0, 2).join(' ')} --manifests=examples/static-lb/manifests`,
    );
    const agent = start(join(ROOT, 'packages/agent/bin/kube-proxier.js'), ...flags);
    const [allowed = '', other = ''] = sandbox.client.addresses.filter((address) => address.includes('.'));
    await reached('an answer', async () => /pod\d$/.test(await answered('192.0.2.80', 80, allowed)));
    const server = await answered('192.0.2.80', 80, allowed);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await answered('192.0.2.80', 80, allowed)).toBe(server);
    }
    expect(await answered('192.0.2.80', 80, other)).toBe('timeout');

    // Its server is stopped and started; then the others are stopped.
    const pods = [...sandbox.pods, ...sandbox.remotePods];
    await servers.get(server)?.close();
    await reached('another server', async () => {
      const by = await answered('192.0.2.80', 80, allowed);
      return by !== server && /pod\d$/.test(by);
    });
    expect(output).toMatch(
      /Health check failed: endpoint \S+:8080 of Service default\/front is not used: connection refused/,
    );
    await pods.find(({ name }) => name === server)?.serve({ port: 8080 });
    await reached('its return', () => output.includes('is used again'));
    const rest = [...servers].filter(([name]) => name !== server);
    await Promise.all(rest.map(([, other]) => other.close()));
    await reached('the end of the others', () => output.split('Health check failed').length - 1 >= 3);
    await reached('the first server', async () => (await answered('192.0.2.80', 80, allowed)) === server);
    for (const [name] of rest) {
      await pods.find((pod) => pod.name === name)?.serve({ port: 8080 });
    }
    await reached('all servers', () => output.split('is used again').length - 1 >= 3);

    // It is set to not ready.
    const file = join(directory, 'endpoints.yaml');
    const addressOf = pods.find(({ name }) => name === server)?.ipv4;
    const text = readFileSync(file, 'utf8');
    const changed = text.replace(
      `[${addressOf}]\n    conditions: { ready: true }`,
      `[${addressOf}]\n    conditions: { ready: false }`,
    );
    expect(changed).not.toBe(text);
    writeFileSync(file, changed);
    await reached('another server', async () => {
      const by = await answered('192.0.2.80', 80, allowed);
      return by !== server && /pod\d$/.test(by);
    });
    await stop(agent);
    expect(await answered('192.0.2.80', 80, allowed)).toMatch(/pod\d$/);
  });
});
