import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect as netConnect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { joinHostPort } from '@kube-proxier/core';
import { until } from '@kube-proxier/core/testing';
import { countsOf } from './metrics.js';
import { DescriptorBudget } from './proxy/descriptor-budget.js';
import { SpliceCarrier } from './splice/splice-carrier.js';
import { freePort, LoopbackFixture, type LoopbackFixtureOptions } from './testing/loopback-fixture.js';
import { hangingServer, LoopbackClient, LoopbackServer } from './testing/loopback-servers.js';

/** Of the proxy, for all tests of a group. */
let settings: LoopbackFixtureOptions = {};
const cleanups: (() => Promise<unknown>)[] = [];

async function fixture(options: LoopbackFixtureOptions = {}): Promise<LoopbackFixture> {
  const made = new LoopbackFixture({ ...settings, ...options });
  cleanups.push(() => made.close());
  return made;
}

async function serving(server: Promise<LoopbackServer>): Promise<LoopbackServer> {
  const started = await server;
  cleanups.push(() => started.close());
  return started;
}

let nodePort: number;

beforeEach(async () => {
  nodePort = await freePort();
});

afterEach(cleanUp);

async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup();
  }
}

/** Sends random bytes, with pauses, then the end; resolves with their digest. */
async function sendAtUnevenPace(socket: Socket, size: number): Promise<string> {
  const hash = createHash('sha1');
  for (let sent = 0; sent < size; ) {
    const chunk = randomBytes(Math.min(size - sent, randomInt(1, 400_000)));
    hash.update(chunk);
    sent += chunk.length;
    if (!socket.write(chunk)) {
      await once(socket, 'drain');
    }
    if (randomInt(4) === 0) {
      await pause();
    }
  }
  socket.end();
  return hash.digest('hex');
}

/** Reads to the end, stopping now and then; resolves with the digest of what came. */
async function digestAtUnevenPace(socket: Socket): Promise<string> {
  const hash = createHash('sha1');
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    hash.update(chunk as Buffer);
    if (randomInt(8) === 0) {
      await pause();
    }
  }
  return hash.digest('hex');
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, randomInt(5)));
}

async function answerOf(port: number, host?: string, from?: string): Promise<string> {
  const client = LoopbackClient.connect(port, host, from);
  await until(() => client.text.endsWith('\n') || client.closed, 'an answer');
  client.socket.destroy();
  return client.text.trim();
}

describe.each(['IPv4', 'IPv6'] as const)('TCP through sockets, %s', (family) => {
  const host = family === 'IPv4' ? '127.0.0.1' : '::1';

  test('serves a NodePort, and counts', async () => {
    const { port } = await serving(LoopbackServer.echo(host, 0));
    const proxy = await fixture({ family });
    await proxy.install({ nodePort, port, endpoints: [host] });
    const client = LoopbackClient.connect(nodePort, host);
    client.socket.end('hello');
    await until(() => client.ended, 'the end');
    expect(client.text).toBe(`${host}\nhello`);
    await until(() => proxy.traffic().active === 0, 'no connection');
    expect(proxy.traffic()).toMatchObject({
      connections: 1,
      bytesToEndpoints: 5,
      bytesToClients: host.length + 6,
      refused: 0,
    });
    const key = joinHostPort(host, port);
    expect(proxy.traffic().bytesByEndpoint).toEqual(new Map([[key, { toEndpoints: 5, toClients: host.length + 6 }]]));
    expect(countsOf([{ ...proxy.traffic(), family }], true)).toContainEqual(
      expect.objectContaining({ endpoint: key, connections: 1, bytes: { toEndpoints: 5, toClients: host.length + 6 } }),
    );
  });

  test('without endpoints a client is accepted and reset', async () => {
    const proxy = await fixture({ family });
    await proxy.install({ nodePort, port: 1, endpoints: [] });
    const client = LoopbackClient.connect(nodePort, host);
    await until(() => client.closed, 'the end');
    expect(client.error?.code).toBe('ECONNRESET');
    expect(proxy.traffic()).toMatchObject({ refused: 1, active: 0 });
  });
});

/** The same must hold for every way of copying the bytes. */
describe.each(['the event loop', 'the kernel'] as const)('TCP carried by %s', (who) => {
  let carrier: SpliceCarrier;

  beforeAll(async () => {
    carrier = new SpliceCarrier();
    await carrier.start();
    expect(carrier).toMatchObject({ isReady: true, unusable: undefined });
    settings = who === 'the kernel' ? { carrier, bulkAfter: 0 } : { bulkAfter: Number.POSITIVE_INFINITY };
  });

  afterEach(async () => {
    await cleanUp();
    await until(() => carrier.size === 0, 'nothing left with the kernel');
  });

  afterAll(async () => {
    settings = {};
    await carrier.close();
  });

  test('selects endpoints by round robin', async () => {
    const { port } = await serving(LoopbackServer.echo('127.0.0.2', 0));
    await serving(LoopbackServer.echo('127.0.0.3', port));
    await serving(LoopbackServer.echo('127.0.0.4', port));
    const proxy = await fixture();
    await proxy.install({ nodePort, port, endpoints: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] });
    const answers: string[] = [];
    for (let i = 0; i < 6; i++) {
      answers.push(await answerOf(nodePort));
    }
    expect(new Set(answers.slice(0, 3)).size).toBe(3);
    expect(answers.slice(3)).toEqual(answers.slice(0, 3));
  });

  test('keeps a client with its endpoint by affinity, and moves it when that fails', async () => {
    const one = await LoopbackServer.echo('127.0.0.2', 0);
    const two = await serving(LoopbackServer.echo('127.0.0.3', one.port));
    const proxy = await fixture();
    const service = {
      nodePort,
      port: one.port,
      endpoints: ['127.0.0.2', '127.0.0.3'],
      spec: { sessionAffinity: 'ClientIP' },
    };
    await proxy.install(service);
    const first = await answerOf(nodePort);
    for (let i = 0; i < 5; i++) {
      expect(await answerOf(nodePort)).toBe(first);
    }
    await (first === '127.0.0.2' ? one : two).close();
    const second = await answerOf(nodePort);
    expect(second).not.toBe(first);
    expect(await answerOf(nodePort)).toBe(second);
    if (first !== '127.0.0.2') {
      await one.close();
    }
  });

  test('tries other endpoints when one refuses', async () => {
    const { port } = await serving(LoopbackServer.echo('127.0.0.2', 0));
    const proxy = await fixture();
    await proxy.install({ nodePort, port, endpoints: ['127.0.0.2', '127.0.0.8', '127.0.0.9'] });
    for (let i = 0; i < 6; i++) {
      expect(await answerOf(nodePort)).toBe('127.0.0.2');
    }
    expect(proxy.traffic().failedDials).toBeGreaterThan(0);
  });

  test('tries other endpoints when one does not answer, and resets the client when none does', async () => {
    const { port } = await serving(LoopbackServer.echo('127.0.0.2', 0));
    for (const address of ['127.0.0.3', '127.0.0.4']) {
      const hanging = await hangingServer(address, port);
      cleanups.push(() => hanging.close());
    }
    const proxy = await fixture({ dialTimeouts: [30, 30, 30, 30] });
    await proxy.install({ nodePort, port, endpoints: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] });
    for (let i = 0; i < 3; i++) {
      expect(await answerOf(nodePort)).toBe('127.0.0.2');
    }
    await proxy.install({ nodePort, port, endpoints: ['127.0.0.3', '127.0.0.4'] });
    const client = LoopbackClient.connect(nodePort);
    await until(() => client.closed, 'the end');
    await until(() => proxy.traffic().active === 0, 'no connection');
    expect(proxy.traffic()).toMatchObject({ refused: 1 });
    expect(proxy.traffic().failedDials).toBeGreaterThanOrEqual(4);
  });

  test('half-close by the client: the endpoint continues to send', async () => {
    const server = await serving(LoopbackServer.start('127.0.0.1', 0, () => {}));
    const proxy = await fixture();
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const client = LoopbackClient.connect(nodePort);
    client.socket.end('question');
    await until(() => server.connections.length === 1, 'a connection');
    const [endpoint] = server.connections;
    const question: Buffer[] = [];
    let ended = false;
    endpoint
      ?.on('data', (chunk) => question.push(chunk))
      .on('end', () => {
        ended = true;
      });
    await until(() => ended, 'the end at the endpoint');
    expect(Buffer.concat(question).toString()).toBe('question');
    expect(client.closed).toBe(false);
    endpoint?.end('answer');
    await until(() => client.ended, 'the end at the client');
    expect(client.text).toBe('answer');
    await until(() => proxy.traffic().active === 0, 'no connection');
  });

  test('half-close by the endpoint: the client continues to send', async () => {
    const server = await serving(LoopbackServer.start('127.0.0.1', 0, (socket) => socket.end('all I have')));
    const proxy = await fixture();
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const client = LoopbackClient.connect(nodePort);
    await until(() => client.ended, 'the end at the client');
    const late: Buffer[] = [];
    server.connections[0]?.on('data', (chunk) => late.push(chunk));
    client.socket.end('thanks');
    await until(() => Buffer.concat(late).toString() === 'thanks', 'what came late');
    await until(() => proxy.traffic().active === 0, 'no connection');
  });

  test('an idle half-closed connection is closed after the timeout', async () => {
    const server = await serving(LoopbackServer.start('127.0.0.1', 0, (socket) => socket.end()));
    const proxy = await fixture({ halfClosedTimeout: 50 });
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const client = LoopbackClient.connect(nodePort);
    await until(() => client.ended, 'the end of one direction');
    await until(() => proxy.traffic().active === 0, 'no connection');
    client.socket.destroy();
  });

  test.each(['client', 'endpoint'] as const)('a reset by the %s reaches the other side', async (who) => {
    const server = await serving(LoopbackServer.echo('127.0.0.1', 0));
    const proxy = await fixture();
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const client = LoopbackClient.connect(nodePort);
    await until(() => client.text !== '', 'an answer');
    const [endpoint] = server.connections;
    let reset: NodeJS.ErrnoException | undefined;
    endpoint?.on('error', (error) => {
      reset = error;
    });
    if (who === 'client') {
      client.socket.resetAndDestroy();
      await until(() => reset !== undefined, 'the reset');
      expect(reset?.code).toBe('ECONNRESET');
    } else {
      endpoint?.resetAndDestroy();
      await until(() => client.closed, 'the reset');
      expect(client.error?.code).toBe('ECONNRESET');
    }
    await until(() => proxy.traffic().active === 0, 'no connection');
  });

  test('a slow reader holds back the endpoint, and gets every byte', async () => {
    const size = 64 << 20;
    const content = randomBytes(1 << 20);
    let written = 0;
    const server = await serving(
      LoopbackServer.start('127.0.0.1', 0, (socket) => {
        const more = () => {
          while (written < size && socket.write(content)) {
            written += content.length;
          }
          if (written >= size) {
            socket.end();
          } else {
            written += content.length;
            socket.once('drain', more);
          }
        };
        more();
      }),
    );
    const proxy = await fixture();
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const client = LoopbackClient.connect(nodePort);
    client.socket.removeAllListeners('data').pause();
    await until(() => proxy.traffic().bytesToClients > 0, 'the beginning');
    // Everything between fills up, and then nothing moves.
    let last = -1;
    await until(() => {
      const same = last === proxy.traffic().bytesToClients;
      last = proxy.traffic().bytesToClients;
      return same;
    }, 'standstill');
    expect(proxy.traffic().bytesToClients).toBeLessThan(size / 2);
    let received = 0;
    client.socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    client.socket.resume();
    await until(() => client.ended, 'the end');
    expect(received).toBe(written);
    client.socket.end();
  });

  test('a slow endpoint holds back the client', async () => {
    const server = await serving(LoopbackServer.start('127.0.0.1', 0, (socket) => socket.pause()));
    const proxy = await fixture();
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const client = LoopbackClient.connect(nodePort);
    const content = Buffer.alloc(64 << 20);
    client.socket.end(content);
    await until(() => proxy.traffic().bytesToEndpoints > 0, 'the beginning');
    let last = -1;
    await until(() => {
      const same = last === proxy.traffic().bytesToEndpoints;
      last = proxy.traffic().bytesToEndpoints;
      return same;
    }, 'standstill');
    expect(last).toBeLessThan(content.length / 2);
    let received = 0;
    let ended = false;
    server.connections[0]?.on('data', (chunk) => {
      received += chunk.length;
    });
    server.connections[0]?.on('end', () => {
      ended = true;
    });
    server.connections[0]?.resume();
    await until(() => ended, 'the end');
    expect(received).toBe(content.length);
  });

  test('all data arrives in order, in both directions, at any speed', async () => {
    const size = 32 << 20;
    const server = await serving(LoopbackServer.start('127.0.0.1', 0, () => {}));
    const proxy = await fixture();
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const client = netConnect({ host: '127.0.0.1', port: nodePort, allowHalfOpen: true });
    await until(() => server.connections.length === 1, 'a connection');
    const [endpoint] = server.connections as [Socket];
    const digests = [client, endpoint].map((socket) => digestAtUnevenPace(socket));
    const sent = [client, endpoint].map((socket) => sendAtUnevenPace(socket, size));
    await until(() => proxy.traffic().bytesToClients > size / 4, 'a part of it');
    const ofEndpoint = () => [...proxy.traffic().bytesByEndpoint.values()];
    expect(ofEndpoint()[0]?.toClients).toBeGreaterThan(size / 4);
    expect(carrier.size).toBe(who === 'the kernel' ? 1 : 0);
    const [fromClient, fromEndpoint] = await Promise.all(sent);
    expect(await Promise.all(digests)).toEqual([fromEndpoint, fromClient]);
    await until(() => proxy.traffic().active === 0, 'no connection');
    expect(proxy.traffic()).toMatchObject({ bytesToEndpoints: size, bytesToClients: size });
    expect(ofEndpoint()).toEqual([{ toEndpoints: size, toClients: size }]);
  });

  test('concurrent connections do not delay each other', async () => {
    const size = 1 << 20;
    const server = await serving(LoopbackServer.start('127.0.0.1', 0, (socket) => socket.pipe(socket)));
    const proxy = await fixture();
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const stuck = Array.from({ length: 5 }, () => netConnect({ host: '127.0.0.1', port: nodePort }).pause());
    for (const socket of stuck) {
      socket.on('error', () => {}).write(Buffer.alloc(16 << 20));
    }
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const client = netConnect({ host: '127.0.0.1', port: nodePort, allowHalfOpen: true });
        const digest = digestAtUnevenPace(client);
        expect(await sendAtUnevenPace(client, size)).toBe(await digest);
      }),
    );
    await until(() => proxy.traffic().active === stuck.length, 'only those that are stuck');
    expect(carrier.size).toBe(who === 'the kernel' ? stuck.length : 0);
    for (const socket of stuck) {
      socket.destroy();
    }
    await until(() => proxy.traffic().active === 0, 'no connection');
  });

  test('stopping the proxy resets both sides, and closes every descriptor', async () => {
    const server = await serving(LoopbackServer.echo('127.0.0.1', 0));
    const budget = new DescriptorBudget(100);
    const proxy = await fixture({ budget });
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'] });
    const clients = Array.from({ length: 3 }, () => LoopbackClient.connect(nodePort));
    await until(() => clients.every(({ text }) => text !== ''), 'answers');
    const errors: (string | undefined)[] = [];
    for (const socket of server.connections) {
      socket.on('error', ({ code }: NodeJS.ErrnoException) => errors.push(code));
    }
    expect(carrier.size).toBe(who === 'the kernel' ? 3 : 0);
    // Listener, six sockets, and two pipes for each connection in the kernel.
    expect(budget.taken).toBe(7 + 12 * Number(who === 'the kernel'));
    await proxy.close();
    await until(() => clients.every(({ closed }) => closed) && errors.length === 3, 'the end');
    expect([...clients.map(({ error }) => error?.code), ...errors]).toEqual(
      Array.from({ length: 6 }, () => 'ECONNRESET'),
    );
    await until(() => budget.taken === 0, 'nothing taken');
  });

  test('connections to a deleted endpoint or Service continue', async () => {
    const server = await serving(LoopbackServer.echo('127.0.0.2', 0));
    const proxy = await fixture();
    const service = { nodePort, port: server.port, endpoints: ['127.0.0.2'] };
    await proxy.install(service);
    const client = LoopbackClient.connect(nodePort);
    await until(() => client.text === '127.0.0.2\n', 'an answer');
    await proxy.install({ ...service, endpoints: [] });
    client.socket.write('a');
    await until(() => client.text.endsWith('a'), 'an echo');
    // A removed Service is counted while it has connections.
    expect([...proxy.traffic().bytesByEndpoint.values()]).toEqual([{ toEndpoints: 1, toClients: 11 }]);
    await proxy.install();
    client.socket.write('b');
    await until(() => client.text.endsWith('b'), 'an echo');
    const refused = LoopbackClient.connect(nodePort);
    await until(() => refused.closed, 'a refusal');
    expect(refused.error?.code).toBe('ECONNREFUSED');
    expect(proxy.traffic().active).toBe(1);
    client.socket.end();
    await until(() => client.closed, 'the end');
    // The carrier may report its end a moment after the client saw it.
    await until(() => (proxy.dataplane.traffic[0]?.active ?? 0) === 0, 'no connection');
    await proxy.readBack();
    expect(proxy.dataplane.traffic).toEqual([]);
  });

  test('source ranges and routes by source are enforced in the proxy', async () => {
    const server = await serving(LoopbackServer.echo('127.0.0.2', 0));
    const proxy = await fixture({
      proxier: { localTrafficDetection: { kind: 'source-cidr', cidr: '127.7.0.0/16' } },
    });
    await proxy.install({
      nodePort,
      port: server.port,
      endpoints: [{ address: '127.0.0.2', node: 'node2' }],
      spec: { externalTrafficPolicy: 'Local' },
    });
    // From a pod, and from the node itself: loopback counts as the node.
    expect(await answerOf(nodePort, '127.0.0.1', '127.7.0.1')).toBe('127.0.0.2');
    expect(await answerOf(nodePort, '127.0.0.1')).toBe('127.0.0.2');
  });

  test('names the client to endpoints that want it', async () => {
    for (const version of ['v1', 'v2'] as const) {
      const server = await serving(LoopbackServer.start('127.0.0.1', 0, () => {}));
      const proxy = await fixture();
      await proxy.install({
        nodePort,
        port: server.port,
        endpoints: ['127.0.0.1'],
        annotations: { 'kube-proxier.io/proxy-protocol': version },
      });
      const client = LoopbackClient.connect(nodePort, '127.0.0.1', '127.0.0.9');
      await until(() => server.connections.length === 1, 'a connection');
      const parts: Buffer[] = [];
      let ended = false;
      server.connections[0]
        ?.on('data', (chunk) => parts.push(chunk))
        .on('end', () => {
          ended = true;
        });
      const { localPort } = client.socket;
      client.socket.end('payload');
      await until(() => ended, 'the end');
      const all = Buffer.concat(parts);
      if (version === 'v1') {
        expect(all.toString()).toBe(`PROXY TCP4 127.0.0.9 127.0.0.1 ${localPort} ${nodePort}\r\npayload`);
      } else {
        expect(all.subarray(12, 16)).toEqual(Buffer.from([0x21, 0x11, 0, 12]));
        expect([...all.subarray(16, 24)]).toEqual([127, 0, 0, 9, 127, 0, 0, 1]);
        expect([all.readUInt16BE(24), all.readUInt16BE(26)]).toEqual([localPort, nodePort]);
        expect(all.subarray(28).toString()).toBe('payload');
      }
      await proxy.close();
      nodePort = await freePort();
    }
  });

  test('connections beyond the limit are rejected, and accepted again when others close', async () => {
    const server = await serving(LoopbackServer.echo('127.0.0.1', 0));
    const warnings: string[] = [];
    const silent = { error() {}, info() {}, debug() {}, v: () => false };
    const proxy = await fixture({ logger: { ...silent, warn: (message) => warnings.push(message) } });
    const annotations = { 'kube-proxier.io/max-connections': '2' };
    await proxy.install({ nodePort, port: server.port, endpoints: ['127.0.0.1'], annotations });
    const clients = [LoopbackClient.connect(nodePort), LoopbackClient.connect(nodePort)];
    await until(() => clients.every(({ text }) => text !== ''), 'two answers');
    const third = LoopbackClient.connect(nodePort);
    await until(() => third.closed, 'a refusal');
    expect(third.error?.code).toBe('ECONNRESET');
    expect(proxy.traffic()).toMatchObject({ active: 2, limited: 1 });
    expect(warnings).toEqual([expect.stringMatching(/default\/web turns clients away: it has 2 connections/)]);
    clients[0]?.socket.destroy();
    await until(() => proxy.traffic().active === 1, 'one less');
    expect(await answerOf(nodePort)).toBe('127.0.0.1');
    clients[1]?.socket.destroy();
  });

  test('a port in use by another process affects only its own Service, and is opened when it is free', async () => {
    const server = await serving(LoopbackServer.echo('127.0.0.1', 0));
    const other = await LoopbackServer.echo('0.0.0.0', nodePort);
    const second = await freePort();
    const proxy = await fixture();
    const services = [
      { name: 'web', nodePort, port: server.port, endpoints: ['127.0.0.1'] },
      { name: 'two', nodePort: second, port: server.port, endpoints: ['127.0.0.1'] },
    ];
    await expect(proxy.install(...services)).rejects.toMatchObject({
      code: 'USERSPACE_PARTLY_APPLIED',
      message: expect.stringMatching(/default\/web:\/TCP .*another program holds 0\.0\.0\.0:\d+\/TCP; end it/),
    });
    expect(await answerOf(second)).toBe('127.0.0.1');
    await other.close();
    await proxy.install(...services);
    expect(await answerOf(nodePort)).toBe('127.0.0.1');
  });

  test('prefers the endpoint with the fewest connections if requested', async () => {
    const server = await serving(LoopbackServer.echo('127.0.0.2', 0));
    await serving(LoopbackServer.echo('127.0.0.3', server.port));
    const proxy = await fixture();
    await proxy.install({
      nodePort,
      port: server.port,
      endpoints: ['127.0.0.2', '127.0.0.3'],
      annotations: { 'kube-proxier.io/load-balancing': 'least-connections' },
    });
    const held = LoopbackClient.connect(nodePort);
    await until(() => held.text !== '', 'an answer');
    for (let i = 0; i < 4; i++) {
      expect(await answerOf(nodePort)).not.toBe(held.text.trim());
      await until(() => proxy.traffic().active === 1, 'only the one');
    }
    held.socket.destroy();
  });
});
