import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { failuresOf, SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import { ApiServerProcess, type ApiServerResponse, apiServerPrograms } from '@kube-proxier/source-kubernetes/testing';
import { AgentOnNode } from './testing/agent-on-node.js';

const DEPLOYMENT = fileURLToPath(new URL('../../../deploy/kustomize/', import.meta.url));
const MANIFESTS = [
  'service-account.yaml',
  'cluster-role.yaml',
  'cluster-role-binding.yaml',
  'monitoring/metrics-reader-service-account.yaml',
  'monitoring/metrics-reader-cluster-role.yaml',
  'monitoring/metrics-reader-cluster-role-binding.yaml',
  'monitoring/metrics-reviewer-cluster-role.yaml',
  'monitoring/metrics-reviewer-cluster-role-binding.yaml',
].map((name) => join(DEPLOYMENT, name));
const NAMESPACE = 'kube-system';
const ACCOUNT = 'kube-proxier';
const NODE_PORT = 31_270;
const SCRAPE_PORT = 10_260;
/** Milliseconds. */
const TIMEOUT = 120_000;

/** Script that sends the request in its first argument (JSON), in its own network namespace. */
const SEND = `
import http from 'node:http';
import https from 'node:https';
const { url, method, headers, body, authority } = JSON.parse(process.argv[1]);
const { request } = authority === undefined ? http : https;
const sent = request(url, { method, headers, ca: authority }, (response) => {
  const chunks = [];
  response.on('data', (chunk) => chunks.push(chunk));
  response.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    process.stdout.write(JSON.stringify({ status: response.statusCode, headers: response.headers, body }));
  });
});
sent.on('error', (error) => { process.stderr.write(error.message); process.exitCode = 1; });
sent.end(body);
`;

const programs = apiServerPrograms();
if (programs === undefined) {
  throw new Error('set KUBE_APISERVER and ETCD, and use npm run test:apiserver');
}

describe.each(['nftables', 'iptables'])('the agent with a real API server, mode %s', (mode) => {
  const directory = mkdtempSync(join(tmpdir(), 'agent-apiserver-'));
  const kubeconfig = join(directory, 'kubeconfig');
  let node: AgentOnNode;
  let server: ApiServerProcess;

  /** The endpoints of Service `work/web`. */
  const writeEndpoints = (...addresses: readonly string[]) =>
    server.put('endpointslices', {
      metadata: { name: 'web-1', namespace: 'work', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    });

  const answeredBy = async () => {
    const outcome = await node.sandbox.client.connect({ to: node.sandbox.node.ipv4, port: NODE_PORT });
    return outcome.kind === 'answered' ? outcome.by : outcome.kind;
  };

  beforeAll(async () => {
    node = await AgentOnNode.create('nft');
    const { node: host } = node.sandbox;
    server = await ApiServerProcess.start({
      ...programs,
      prefix: ['nsenter', `--net=${host.namespacePath}`],
      send: async (request) => {
        const command = [process.execPath, '--input-type=module', '-e', SEND, JSON.stringify(request)] as const;
        const { stdout } = await host.exec([...command]);
        return JSON.parse(stdout) as ApiServerResponse;
      },
    });
    await server.create(MANIFESTS, NAMESPACE);
    await server.put('namespaces', { metadata: { name: 'work' } });
    await server.put('nodes', {
      metadata: { name: SANDBOX_NETWORK.nodeName },
      status: { addresses: [{ type: 'InternalIP', address: host.ipv4 }] },
    });
    await server.put('services', {
      metadata: { name: 'web', namespace: 'work' },
      spec: { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: NODE_PORT, protocol: 'TCP' }] },
    });
    await writeEndpoints(node.sandbox.pod(1).ipv4);
    const token = await server.token({ namespace: NAMESPACE, name: ACCOUNT, expiresIn: 3600 });
    writeFileSync(kubeconfig, server.kubeconfig({ token }));
    node.start(mode, `--kubeconfig=${kubeconfig}`, `--metrics-scrape-bind-address=127.0.0.1:${SCRAPE_PORT}`);
    await node.until('a packet arrives', async () => (await answeredBy()) === 'pod1', TIMEOUT);
  });

  afterAll(async () => {
    await node?.close();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('packets follow the objects of the API server, without a failed connection', async () => {
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
    await writeEndpoints(node.sandbox.pod(2).ipv4);
    await node.until('the new endpoint', async () => (await answeredBy()) === 'pod2', TIMEOUT);
    await writeEndpoints(node.sandbox.remotePod(1).ipv4);
    await node.until('a remote endpoint', async () => (await answeredBy()).startsWith('remote'), TIMEOUT);
    await client.moreAttempts(20);
    expect(failuresOf(await client.stop())).toBe(0);
  });

  test('a restart of the API server fails no connection, and later changes take effect', async () => {
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
    await server.stopServer();
    await client.moreAttempts(20);
    await server.startServer();
    await writeEndpoints(node.sandbox.pod(1).ipv4);
    await node.until('the endpoint after the restart', async () => (await answeredBy()) === 'pod1', TIMEOUT);
    expect(failuresOf(await client.stop())).toBe(0);
  });

  test('status and doctor report the API server, with the ClusterRole of the deployment', async () => {
    // Degraded until every watch is open again after the restart in the previous test.
    await node.until(
      'status is ok',
      async () => {
        const { stdout } = await node.run(['status', '-o', 'json']);
        return (JSON.parse(stdout) as { verdict: string }).verdict === 'ok';
      },
      TIMEOUT,
    );
    const name = `--hostname-override=${SANDBOX_NETWORK.nodeName}`;
    const doctor = await node.run(['doctor', `--kubeconfig=${kubeconfig}`, `--proxy-mode=${mode}`, name]);
    expect(doctor.stdout.match(/permits to read them/g)).toHaveLength(4);
  });

  test('metrics are served to the account with permission, and to no other', async () => {
    const scrape = async (name?: string) => {
      const token = name && (await server.token({ namespace: NAMESPACE, name, expiresIn: 600 }));
      const script = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
        const headers = JSON.parse(process.argv[1]);
        const { status } = await fetch('https://127.0.0.1:${SCRAPE_PORT}/metrics', { headers });
        console.log(status);`;
      const headers = JSON.stringify(token ? { Authorization: `Bearer ${token}` } : {});
      const { stdout } = await node.sandbox.node.exec([process.execPath, '--input-type=module', '-e', script, headers]);
      return Number(stdout);
    };
    expect(await scrape('kube-proxier-metrics-reader')).toBe(200);
    expect(await scrape(ACCOUNT)).toBe(403);
    expect(await scrape()).toBe(401);
  });

  test('the start of the agent is an event of the Node', async () => {
    const events = async () => {
      const { body } = await server.request('GET', '/apis/events.k8s.io/v1/events');
      return (JSON.parse(body) as { items: { reason: string; reportingController: string }[] }).items;
    };
    await node.until('the event of the start', async () =>
      (await events()).some(({ reason }) => reason === 'Starting'),
    );
  });
});
