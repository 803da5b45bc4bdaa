import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { SpliceCarrier } from './splice-carrier.js';

const cleanups: (() => unknown)[] = [];
let carrier: SpliceCarrier;

beforeEach(async () => {
  carrier = new SpliceCarrier();
  await carrier.start();
});

afterEach(async () => {
  await carrier.close();
  for (const cleanup of cleanups.splice(0).reverse()) {
    cleanup();
  }
});

/** Both ends of a connection over loopback, the second one paused. */
async function pair(): Promise<readonly [outer: Socket, inner: Socket]> {
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const outer = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  const [inner] = (await once(server, 'connection')) as [Socket];
  server.close();
  cleanups.push(() => [outer, inner].map((socket) => socket.destroy()));
  for (const socket of [outer, inner]) {
    socket.on('error', () => {});
  }
  return [outer, inner];
}

async function readAll(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString();
}

function recorder() {
  return { onHalfClose: jest.fn(), onEnd: jest.fn() };
}

test('data read before the handover is sent first, later data follows; half-close is forwarded', async () => {
  const [client, inner] = await pair();
  const [endpoint, outer] = await pair();
  client.write('first, ');
  endpoint.write('an answer');
  for (const socket of [inner, outer]) {
    socket.pause().read(0);
    await once(socket, 'readable');
  }
  const events = recorder();
  const carried = carrier.carry(inner, outer, events);
  expect(carried).toBeDefined();
  expect([inner.destroyed, outer.destroyed]).toEqual([true, true]);
  client.end('then this');
  expect(await readAll(endpoint)).toBe('first, then this');
  expect(events.onEnd).not.toHaveBeenCalled();
  endpoint.end('.');
  expect(await readAll(client)).toBe('an answer.');
  expect(carried).toMatchObject({ bytesToEndpoint: 16, bytesToClient: 10 });
  while (carrier.size > 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(events.onEnd).toHaveBeenCalledTimes(1);
});

test('a connection with pending writes is not taken over', async () => {
  const [client, inner] = await pair();
  const [endpoint, outer] = await pair();
  const much = Buffer.alloc(32 << 20, 'x');
  outer.write(much);
  expect(outer.writableLength).toBeGreaterThan(0);
  expect(carrier.carry(inner, outer, recorder())).toBeUndefined();
  expect([inner.destroyed, outer.destroyed, carrier.size]).toEqual([false, false, 0]);
  outer.end();
  expect((await readAll(endpoint)).length).toBe(much.length);
  client.destroy();
});

test('aborting one connection resets its two sides only; closing resets the rest, and leaks no descriptor', async () => {
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const connections = await Promise.all([1, 2].map(async () => ({ ours: await pair(), theirs: await pair() })));
  const before = descriptors();
  const events = connections.map(recorder);
  const carried = connections.map(({ ours, theirs }, index) =>
    carrier.carry(ours[1], theirs[1], events[index] as ReturnType<typeof recorder>),
  );
  const outers = connections.map(({ ours, theirs }) => [ours[0], theirs[0]]);
  const resets = outers.map((sockets) =>
    Promise.all(sockets.map(async (socket) => ((await once(socket, 'error')) as [NodeJS.ErrnoException])[0].code)),
  );
  for (const socket of outers.flat()) {
    socket.resume();
  }
  carried[0]?.cut();
  carried[0]?.cut();
  expect(await resets[0]).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(outers[1]?.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  await carrier.close();
  expect(await resets[1]).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(events.map(({ onEnd }) => onEnd.mock.calls.length)).toEqual([1, 1]);
  // Four own sockets and four of the peers are closed.
  expect(descriptors()).toBeLessThanOrEqual(before - 8);
  await carrier.start();
  expect(carrier).toMatchObject({ isReady: true, size: 0 });
});

test('a thread that ends unexpectedly resets its connections, so that no peer takes partial data as complete', async () => {
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const [client, inner] = await pair();
  const [endpoint, outer] = await pair();
  const started = jest.spyOn(Worker.prototype, 'postMessage');
  const events = recorder();
  const before = descriptors();
  carrier.carry(inner, outer, events);
  const [thread] = started.mock.contexts as Worker[];
  started.mockRestore();
  const resets = Promise.all([client, endpoint].map(async (socket) => (await once(socket.resume(), 'error'))[0].code));
  await thread?.terminate();
  expect(await resets).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(events.onEnd).toHaveBeenCalledTimes(1);
  expect(carrier).toMatchObject({ isReady: false, size: 0, unusable: expect.stringContaining('its thread failed') });
  expect(descriptors()).toBeLessThan(before);
});
