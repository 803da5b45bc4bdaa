import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { loadLibc } from '../netlink/libc.js';
import { FakeMarkedSockets } from './fake-marked-sockets.js';
import { LibcMarkedSockets, type MarkedSockets } from './marked-sockets.js';

const MARK = 0x4000;
const LOOPBACK: Readonly<Record<IPFamily, string>> = { IPv4: '127.0.0.1', IPv6: '::1' };

/** SO_MARK of a socket of Node. */
async function markOf(socket: Socket | UdpSocket): Promise<number> {
  const libc = await loadLibc();
  const symbols = Object.getOwnPropertySymbols(socket);
  const state = symbols.map((symbol) => (socket as unknown as Record<symbol, unknown>)[symbol]);
  const handle =
    (socket as Socket & { readonly _handle?: { readonly fd: number } })._handle ??
    (
      state.find((value) => value instanceof Object && 'handle' in value) as {
        readonly handle: { readonly fd: number };
      }
    ).handle;
  const value = new Uint8Array(4);
  expect(libc.getsockopt(handle.fd, 1, 36, value, new Uint8Array(Uint32Array.of(4).buffer))).toBe(0);
  return new Uint32Array(value.buffer)[0] ?? 0;
}

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
const KINDS: readonly (readonly [string, () => MarkedSockets])[] = [
  ['fake', () => new FakeMarkedSockets({ mark: MARK })],
  ['kernel', () => new LibcMarkedSockets(MARK)],
];
const ALL = KINDS.flatMap(([kind, make]) => FAMILIES.map((family) => ({ kind, family, make })));

test.each(ALL)('a TCP socket connects, reads, writes and ends as usual ($kind, $family)', async (row) => {
  const { kind, family } = row;
  const sockets = row.make();
  await sockets.start();
  expect(sockets.unusable).toBeUndefined();
  const server = createServer((client) => client.end('hello'));
  server.listen(0, LOOPBACK[family]);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const socket = sockets.createTcp(family, { allowHalfOpen: true, highWaterMark: 4096 });
  expect(socket.readableHighWaterMark).toBe(4096);
  if (kind === 'kernel') {
    expect(await markOf(socket)).toBe(MARK);
  }
  socket.connect({ host: LOOPBACK[family], port });
  expect(socket.connecting).toBe(true);
  await once(socket, 'connect');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await once(socket, 'end');
  expect(Buffer.concat(parts).toString()).toBe('hello');
  socket.end();
  await once(socket, 'close');
  server.close();
});

test.each(ALL)('a refused TCP socket reports it once ($kind, $family)', async ({ family, make }) => {
  const sockets = make();
  await sockets.start();
  const server = createServer().listen(0, LOOPBACK[family]);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  const socket = sockets.createTcp(family);
  socket.connect({ host: LOOPBACK[family], port });
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
  expect(socket.destroyed).toBe(true);
});

test.each(ALL)(
  'each UDP socket has a port of its own, and receives from its peer only ($kind, $family)',
  async (row) => {
    const { kind, family } = row;
    const sockets = row.make();
    await sockets.start();
    const type = family === 'IPv4' ? 'udp4' : 'udp6';
    const server = createSocket(type);
    server.on('message', (message, { port, address }) => server.send(`${message} ${port}`, port, address));
    server.bind(0, LOOPBACK[family]);
    await once(server, 'listening');
    const clients = Array.from({ length: 20 }, () => createSocket(type));
    const answers = await Promise.all(
      clients.map(async (client) => {
        sockets.bindUdp(family, client);
        if (kind === 'kernel') {
          expect(await markOf(client)).toBe(MARK);
        }
        client.connect(server.address().port, LOOPBACK[family]);
        await once(client, 'connect');
        const answer = once(client, 'message');
        client.send('port');
        const [message] = (await answer) as [Buffer];
        expect(`${message}`).toBe(`port ${client.address().port}`);
        return `${message}`;
      }),
    );
    expect(new Set(answers).size).toBe(clients.length);
    for (const socket of [server, ...clients]) {
      socket.close();
    }
  },
);

test.each(KINDS)('no socket is created before the start (%s)', (_kind, make) => {
  const sockets = make();
  expect(sockets.unusable).toBe('it was not started');
  expect(() => sockets.createTcp('IPv4')).toThrow('marked sockets cannot be used: it was not started');
});
