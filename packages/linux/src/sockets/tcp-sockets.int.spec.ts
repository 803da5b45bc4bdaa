import { once } from 'node:events';
import { createServer, type Server, Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import type { Netlink } from '../netlink/netlink.js';
import { createCommandRunner } from '../process/command-runner.js';
import { FakeTcpSockets } from './fake-tcp-sockets.js';
import { type TcpSocketAddress, type TcpSockets, TcpSocketsError } from './tcp-sockets.js';
import { TcpSocketsNetlink } from './tcp-sockets-netlink.js';

const open: (Server | Socket)[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) {
    if (one instanceof Socket) {
      one.destroy();
    } else {
      one.close();
    }
  }
});

/** A program that connects, and the state of its socket: `open`, or its error code. */
interface Program {
  readonly address: TcpSocketAddress;
  ended(): Promise<string>;
  isOpen(): boolean;
}

async function connect(family: IPFamily, from: { readonly mapped?: boolean } = {}): Promise<Program> {
  const host = family === 'IPv4' ? '127.0.0.1' : '::1';
  const server = createServer((socket) => open.push(socket.on('error', () => {})));
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const socket = new Socket();
  socket.connect({ host: from.mapped ? `::ffff:${host}` : host, port });
  await once(socket, 'connect');
  open.push(server, socket);
  const end = new Promise<string>((resolve) =>
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? '')),
  );
  socket.on('data', () => {});
  return {
    address: { family, localAddress: host, localPort: socket.localPort ?? 0, remoteAddress: host, remotePort: port },
    ended: () => end,
    isOpen: () => !socket.destroyed,
  };
}

/** The kernel, and a fake with the same programs. */
const KINDS = ['kernel', 'fake'] as const;

function subject(kind: (typeof KINDS)[number], programs: readonly Program[]): TcpSockets {
  if (kind === 'kernel') {
    return new TcpSocketsNetlink();
  }
  const fake = new FakeTcpSockets();
  for (const { address } of programs) {
    fake.add(address);
  }
  return fake;
}

describe.each(KINDS)('TcpSockets (%s)', (kind) => {
  test.each(['IPv4', 'IPv6'] as const)('resets the given connections once, and no other (%s)', async (family) => {
    const programs = await Promise.all([connect(family), connect(family), connect(family)]);
    const [first, second, third] = programs as [Program, Program, Program];
    const sockets = subject(kind, programs);
    const missing = { ...third.address, localPort: third.address.localPort === 1 ? 2 : 1 };
    expect(await sockets.reset([first.address, missing, second.address])).toBe(2);
    if (kind === 'kernel') {
      expect(await Promise.all([first.ended(), second.ended()])).toEqual(['ECONNABORTED', 'ECONNABORTED']);
    }
    expect(third.isOpen()).toBe(true);
    expect(await sockets.reset([first.address])).toBe(0);
    expect(await sockets.reset([])).toBe(0);
    expect(await sockets.reset([third.address])).toBe(1);
  });
});

describe('TcpSocketsNetlink', () => {
  test('an IPv6 socket that is connected to an IPv4 address is reset by the IPv4 addresses', async () => {
    const program = await connect('IPv4', { mapped: true });
    expect(await new TcpSocketsNetlink().reset([program.address])).toBe(1);
    expect(await program.ended()).toBe('ECONNABORTED');
  });

  const refused = (errno: number): Netlink => ({
    execute: async (requests) => requests.map(() => errno),
    request: async () => [],
    requestEach: async () => [],
    dump: async () => {},
    close: () => {},
  });
  const address: TcpSocketAddress = {
    family: 'IPv4',
    ...{ localAddress: '127.0.0.1', localPort: 1, remoteAddress: '127.0.0.1', remotePort: 1 },
  };

  test.each([
    [95, 'SOCKETS_NOT_SUPPORTED', 'CONFIG_INET_DIAG_DESTROY'],
    [22, 'SOCKETS_NOT_SUPPORTED', 'CONFIG_INET_DIAG_DESTROY'],
    [1, 'SOCKETS_NOT_PERMITTED', 'NET_ADMIN'],
    [12, 'SOCKETS_FAILED', 'ENOMEM'],
  ])('error %i of the kernel is %s', async (errno, code, text) => {
    const sockets = new TcpSocketsNetlink(() => refused(errno));
    await expect(sockets.reset([address])).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
    expect(await new TcpSocketsNetlink(() => refused(2)).reset([address])).toBe(0);
  });

  test('the kernel refuses without the capability, where there is such a socket', async () => {
    const library = new URL('../../dist/index.js', import.meta.url);
    const { address: existing } = await connect('IPv4');
    const program = `
      const { TcpSocketsNetlink } = await import(${JSON.stringify(library.href)});
      for (const one of ${JSON.stringify([address, existing])}) {
        console.log(await new TcpSocketsNetlink().reset([one]).catch(({ code }) => code));
      }`;
    const prefix = ['setpriv', '--bounding-set=-all', '--inh-caps=-all'];
    const { stdout } = await createCommandRunner({ prefix }).run({
      command: process.execPath,
      args: ['--input-type=module', '--eval', program],
    });
    expect(stdout.trim().split('\n')).toEqual(['0', 'SOCKETS_NOT_PERMITTED']);
  });

  test('a fake that fails', async () => {
    const fake = new FakeTcpSockets();
    fake.failWith(new TcpSocketsError('SOCKETS_FAILED', 'injected'));
    await expect(fake.reset([address])).rejects.toMatchObject({ code: 'SOCKETS_FAILED' });
    expect(await fake.reset([])).toBe(0);
  });
});
