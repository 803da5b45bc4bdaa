import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NetworkSandbox, type SandboxHost } from '@kube-proxier/network-sandbox';

const BUILD = fileURLToPath(new URL('../../dist', import.meta.url));
const CORE_TESTING = fileURLToPath(new URL('../../../core/dist/testing/index.js', import.meta.url));
const CORE = fileURLToPath(new URL('../../../core/dist/index.js', import.meta.url));
const HEALTH_PORT = 10_256;
const STATUS_PORT = 10_249;
const SERVICE_PORT = 32_111;
const PORTS = [HEALTH_PORT, STATUS_PORT, SERVICE_PORT];
/** Connections of the client that starves others. */
const MANY = 600;

/** All servers of a node on all of its addresses. */
const SERVERS = `
import { diffStates } from ${JSON.stringify(CORE)};
import { makeService, makeSlice, resolveObjects } from ${JSON.stringify(CORE_TESTING)};
import { HealthServer, ProxyHealth, ServiceHealthServers, StatusServer } from ${JSON.stringify(`${BUILD}/index.js`)};
const health = new ProxyHealth(60_000);
for (const family of ['IPv4', 'IPv6']) {
  health.started(family);
  health.synced({ family });
}
health.nodeEvent({ metadata: { name: 'node1' } });
const lines = [];
const logger = { debug() {}, info() {}, warn: (line) => lines.push(line), error: (line) => lines.push(line) };
const servers = new ServiceHealthServers({ health, logger });
const state = resolveObjects({
  services: [makeService('work/web', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: ${SERVICE_PORT} })],
  slices: [makeSlice('work/web', [{ address: '10.0.0.1', node: 'node1' }])],
});
await servers.synced({ family: 'IPv4', state, changes: diffStates(undefined, state), full: true, duration: 1, triggerTimes: [] });
await new HealthServer({ host: '::', port: ${HEALTH_PORT}, health, logger }).start();
await new StatusServer({ host: '::', port: ${STATUS_PORT}, logger }).start();
setInterval(() => {}, 60_000);
console.log('listening');
process.stdin.on('data', () => console.log('lines ' + JSON.stringify(lines))).resume();
`;

/** Connections that never make a request; each is opened again when it ends. Half of them are idle. */
const STARVING = `
const { connect } = require('node:net');
const [address, port, many] = process.argv.slice(1);
let connected = 0;
const open = (index) => {
  let next;
  const socket = connect(Number(port), address, () => {
    connected += 1;
    if (connected === Number(many)) console.log('starving');
    if (index % 2 === 0) return;
    const text = 'GET /healthz HTTP/1.1\\\\r\\\\nHost: localhost\\\\r\\\\nX-Long: ' + 'x'.repeat(1000);
    let sent = 0;
    next = setInterval(() => socket.write(text[sent++ % text.length]), 1000);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(next);
    setTimeout(() => open(index), 3000);
  });
};
for (let index = 0; index < Number(many); index++) open(index);
`;

const PROBE = `
const { get } = require('node:http');
const [urls, count] = [JSON.parse(process.argv[1]), Number(process.argv[2])];
const ask = (url) => new Promise((resolve) => {
  const request = get(url, { agent: false }, (response) => resolve(response.resume().statusCode));
  request.setTimeout(10_000, () => request.destroy(new Error('no answer')));
  request.on('error', (error) => resolve(error.message));
});
(async () => {
  const answers = {};
  for (let round = 0; round < count; round++) {
    for (const url of urls) {
      const answer = await ask(url);
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  }
  console.log(JSON.stringify(answers));
})();
`;

function line(child: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (data) => {
      output += data;
      const found = output.split('\n').find((one) => one.startsWith(text));
      if (found) {
        resolve(found);
      }
    });
    child.stderr?.on('data', (data) => {
      output += data;
    });
    child.once('exit', () => reject(new Error(`ended before "${text}":\n${output}`)));
  });
}

describe('600 connections of one client that make no request', () => {
  let sandbox: NetworkSandbox;
  let servers: ChildProcess;

  beforeAll(async () => {
    sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
    servers = sandbox.node.spawn([process.execPath, '--input-type=module', '-e', SERVERS]);
    await line(servers, 'listening');
    for (const port of PORTS) {
      const starving = sandbox.client.spawn([
        process.execPath,
        '-e',
        STARVING,
        sandbox.node.ipv4,
        `${port}`,
        `${MANY}`,
      ]);
      await line(starving, 'starving');
    }
  });
  afterAll(() => sandbox?.close());

  async function probe(from: SandboxHost, addresses: readonly string[], count: number): Promise<unknown> {
    const paths = [`${HEALTH_PORT}/healthz`, `${HEALTH_PORT}/livez`, `${STATUS_PORT}/proxyMode`, `${SERVICE_PORT}/`];
    const urls = addresses.flatMap((address) => paths.map((path) => `http://${address}:${path}`));
    const { stdout } = await from.exec([process.execPath, '-e', PROBE, JSON.stringify(urls), `${count}`], {
      timeout: 200_000,
    });
    return JSON.parse(stdout);
  }

  test('every probe of the node itself is answered', async () => {
    const { node } = sandbox;
    expect(await probe(node, ['127.0.0.1', node.ipv4], 25)).toEqual({ 200: 200 });
  });

  test('every probe of another client is answered', async () => {
    const { node, remoteNode } = sandbox;
    expect(await probe(remoteNode, [node.ipv4], 25)).toEqual({ 200: 100 });
  });

  test('dropped connections and their source are logged once for each port', async () => {
    const answer = line(servers, 'lines ');
    servers.stdin?.write('\n');
    const lines = JSON.parse((await answer).slice('lines '.length)) as string[];
    expect(new Set(lines).size).toBe(lines.length);
    for (const name of ['health server', 'status server', 'health check of Service work/web']) {
      expect(lines).toContainEqual(
        expect.stringContaining(`The ${name} has too many open connections; it drops the longest idle ones`),
      );
    }
    expect(lines[0]).toContain(`the last one from ${sandbox.client.ipv4}`);
  });
});
