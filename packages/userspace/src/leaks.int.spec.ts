import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RecordingLogger, runCount, until } from '@kube-proxier/core/testing';
import { descriptorLimit } from './proxy/descriptor-budget.js';
import { SpliceCarrier } from './splice/splice-carrier.js';
import { freePort, LoopbackFixture } from './testing/loopback-fixture.js';

/** An echo server of its own, so that its descriptors are not counted here. */
const ENDPOINT = `
const server = require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => {});
  socket.pipe(socket);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send(server.address().port));
`;

const CONCURRENT = runCount(1500, 5000);
const SHORT = runCount(3000, 10_000);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const PROC = '/proc/self/fd';
const whereCountable = existsSync(PROC) ? describe : describe.skip;
const descriptors = () => readdirSync(PROC).length;
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends a byte and waits for it to come back. */
async function echo(socket: Socket): Promise<void> {
  socket.write('x');
  await once(socket, 'data');
}

async function inBatches(count: number, size: number, run: (index: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < count; first += size) {
    await Promise.all(Array.from({ length: Math.min(size, count - first) }, (_, offset) => run(first + offset)));
  }
}

whereCountable('nothing leaks', () => {
  let endpoint: ChildProcess;
  let port: number;

  beforeAll(async () => {
    endpoint = spawn(process.execPath, ['-e', ENDPOINT], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    [port] = (await once(endpoint, 'message')) as [number];
  });

  afterAll(async () => {
    endpoint.kill('SIGKILL');
    await once(endpoint, 'exit');
  });

  test(`${CONCURRENT} concurrent connections, ${SHORT} short ones, reset ones and rejected ones`, async () => {
    const nodePort = await freePort();
    const logger = new RecordingLogger();
    const proxy = new LoopbackFixture({ logger });
    const service = { nodePort, port, endpoints: ['127.0.0.1'] };
    // A connection here is three descriptors of this process: the client's end and both of the proxy.
    const count = Math.min(CONCURRENT, Math.floor((await descriptorLimit()) / 3) - 200);
    const descriptorsBefore = descriptors();
    const timersBefore = timers();
    try {
      await proxy.install(service);
      const clients: Socket[] = [];
      const round = async () => {
        await inBatches(count, 250, async () => {
          const socket = await open(nodePort);
          clients.push(socket);
          await echo(socket);
        });
        expect(proxy.traffic().active).toBe(count);
        // Still served, each of them.
        await inBatches(count, 500, (index) => echo(clients[index] as Socket));
        for (const [index, socket] of clients.entries()) {
          if (index % 3 === 0) {
            socket.resetAndDestroy();
          } else {
            socket.destroy();
          }
        }
        clients.length = 0;
        await until(() => proxy.traffic().active === 0, 'no connection');
      };
      await round();
      const heapAfterOne = heapUsed();
      await round();

      await inBatches(SHORT, 50, async () => {
        const socket = await open(nodePort);
        await echo(socket);
        socket.destroy();
      });
      await until(() => proxy.traffic().active === 0, 'no connection');

      await proxy.install({ ...service, endpoints: [] });
      await inBatches(500, 50, async () => {
        const socket = connect(nodePort, '127.0.0.1');
        socket.on('error', () => {});
        await new Promise((resolve) => socket.on('close', resolve));
      });
      expect(proxy.traffic()).toMatchObject({ active: 0, refused: 500, limited: 0, connections: 2 * count + SHORT });
      // Half a kilobyte for each connection there was, beside what else happens in this process.
      expect(heapUsed() - heapAfterOne).toBeLessThan((2 * count + SHORT) * 512 + (2 << 20));
      expect(logger.warnings).toEqual([]);
    } catch (error) {
      throw new Error(`${error}; ${logger.warnings.join('; ')}; ${JSON.stringify(proxy.dataplane.traffic)}`, {
        cause: error,
      });
    } finally {
      await proxy.close();
    }
    await until(() => descriptors() <= descriptorsBefore, 'all descriptors closed');
    // `until` itself waits by a timer.
    expect(timers()).toBeLessThanOrEqual(timersBefore + 1);
  });

  test('offloaded connections leave no descriptor, however they end', async () => {
    const nodePort = await freePort();
    const descriptorsBefore = descriptors();
    const carrier = new SpliceCarrier();
    await carrier.start();
    const proxy = new LoopbackFixture({ carrier, bulkAfter: 0 });
    try {
      await proxy.install({ nodePort, port, endpoints: ['127.0.0.1'] });
      for (let round = 0; round < runCount(2, 4); round++) {
        const clients: Socket[] = [];
        await inBatches(300, 100, async () => {
          const socket = await open(nodePort);
          socket.on('error', () => {});
          clients.push(socket);
          await echo(socket);
        });
        expect(carrier.size).toBe(clients.length);
        await inBatches(clients.length, clients.length, (index) => echo(clients[index] as Socket));
        for (const [index, socket] of clients.entries()) {
          if (index % 3 === 0) {
            socket.resetAndDestroy();
          } else if (index % 3 === 1) {
            // What it sends comes back, and finds no socket.
            socket.write(Buffer.alloc(256 * 1024));
            socket.destroy();
          } else {
            socket.end();
          }
        }
        await until(() => proxy.traffic().active === 0, 'no connection');
      }
    } finally {
      await proxy.close();
      await carrier.close();
    }
    await until(() => descriptors() <= descriptorsBefore, 'all descriptors closed');
  });
});

function heapUsed(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
