import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { LibcTcpConnects, type TcpTarget, tcpSocketIn } from './tcp-connects.js';

const target = (rest: Partial<TcpTarget>): TcpTarget => ({
  family: 'IPv4',
  address: '127.0.0.1',
  port: 1,
  timeout: 5000,
  ...rest,
});

describe('LibcTcpConnects', () => {
  let connects: LibcTcpConnects;
  let server: Server | undefined;

  beforeEach(async () => {
    connects = await LibcTcpConnects.load();
  });

  afterEach(async () => {
    connects.close();
    if (server) {
      server.close();
      await once(server, 'close');
      server = undefined;
    }
  });

  const listen = async (host: string) => {
    // While this process is stalled, connections are accepted, then reset.
    server = createServer((socket) => socket.on('error', () => {}));
    server.listen({ port: 0, host, backlog: 512 });
    await once(server, 'listening');
    const address = server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  };

  const attempt = (to: TcpTarget) =>
    new Promise<string | undefined>((resolve) => connects.attempt(to, (failure) => resolve(failure)));

  test.each([
    ['IPv4', '127.0.0.1'],
    ['IPv6', '::1'],
  ] as const)('%s: an open port connects, a closed one is refused, in any order', async (family, address) => {
    const port = await listen(address);
    const open = target({ family, address, port });
    const closed = target({ family, address, port: 1 });
    const results = await Promise.all(
      Array.from({ length: 600 }, (_, index) => attempt(index % 3 === 0 ? closed : open)),
    );
    expect(results).toEqual(Array.from({ length: 600 }, (_, index) => (index % 3 === 0 ? 'ECONNREFUSED' : undefined)));
    // Sockets of the first round are reused.
    expect(await attempt(closed)).toBe('ECONNREFUSED');
    expect(await attempt(open)).toBe(undefined);
    server?.close();
    expect(await attempt(open)).toBe('ECONNREFUSED');
  });

  test('no socket stays in TIME_WAIT, and the listening program accepts no connection', async () => {
    const port = await listen('127.0.0.1');
    let seen = 0;
    server?.on('connection', () => {
      seen += 1;
    });
    const open = target({ port });
    for (let round = 0; round < 20; round += 1) {
      expect(await Promise.all(Array.from({ length: 10 }, () => attempt(open)))).toEqual(Array(10).fill(undefined));
    }
    const left = execFileSync('ss', ['-Htan', 'state', 'time-wait', `( sport = :${port} or dport = :${port} )`], {
      encoding: 'utf8',
    });
    expect(left).toBe('');
    // A few of 200, if this process was stalled.
    expect(seen).toBeLessThan(20);
  });

  test('a missing namespace is reported as the reason', async () => {
    expect(await attempt(target({ namespace: '/run/netns/none-such' }))).toBe(
      '/run/netns/none-such cannot be entered: ENOENT',
    );
  });

  const whereAllowed = canMakeNamespaces() ? test : test.skip;

  whereAllowed('connects from the namespace, and an address without an answer times out', async () => {
    await withNamespace(async ({ path, prefix: [, ...args] }) => {
      const run = (...command: readonly string[]) => execFileSync('nsenter', [...args, ...command]);
      const port = await listen('127.0.0.1');
      expect(await attempt(target({ port }))).toBe(undefined);
      expect(await attempt(target({ port, namespace: path }))).toBe('ENETUNREACH');
      run('ip', 'link', 'set', 'lo', 'up');
      expect(await attempt(target({ port, namespace: path }))).toBe('ECONNREFUSED');
      run('ip', 'link', 'add', 'd0', 'type', 'veth', 'peer', 'name', 'd1');
      run('ip', 'link', 'set', 'd1', 'up');
      run('ip', 'address', 'add', '10.9.0.1/24', 'dev', 'd0');
      run('ip', 'link', 'set', 'd0', 'up');
      const silent = target({ address: '10.9.0.2', port, namespace: path, timeout: 50 });
      expect(await Promise.all([attempt(silent), attempt(target({ port }))])).toEqual(['ETIMEDOUT', undefined]);
      const socket = await tcpSocketIn(path, 'IPv4');
      socket.connect({ host: '127.0.0.1', port });
      const [error] = await once(socket, 'error').then((values) => values as [NodeJS.ErrnoException]);
      expect(error.code).toBe('ECONNREFUSED');
    });
  });
});
