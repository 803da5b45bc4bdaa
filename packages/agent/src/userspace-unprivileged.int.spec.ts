import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, connect as netConnect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { NOBODY } from './testing/nobody.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(ROOT, 'packages/agent/dist/main.js');
const EXAMPLE = join(ROOT, 'examples/userspace-laptop/web.yaml');

/** Arguments that run a command without privileges. */
function unprivileged(): readonly string[] {
  return process.getuid?.() === 0 ? [...NOBODY, '--no-new-privs'] : [];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** The response of a port, or the error. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = netConnect(port, '127.0.0.1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    socket.on('close', () => resolve(text));
    socket.end('hello');
  });
}

describe('kube-proxier --proxy-mode=userspace, without privileges', () => {
  const children: ChildProcess[] = [];
  let directory: string | undefined;
  let endpoint: Server | undefined;

  afterEach(async () => {
    endpoint?.close();
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    if (directory) {
      await rm(directory, { recursive: true, force: true });
    }
  });

  /** Starts it on the example, with free ports, and waits until it serves. */
  async function serve(...before: readonly string[]) {
    endpoint = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const address = endpoint.address();
    const nodePort = await freePort();
    const yaml = (await readFile(EXAMPLE, 'utf8'))
      .replace('30080', `${nodePort}`)
      .replace('port: 8080', `port: ${typeof address === 'object' && address ? address.port : 0}`);
    directory = await mkdtemp(join(tmpdir(), 'userspace-'));
    await writeFile(join(directory, 'web.yaml'), yaml, { mode: 0o644 });
    spawnSync('chmod', ['755', directory]);

    const [command = '', ...args] = [
      ...before,
      ...unprivileged(),
      process.execPath,
      MAIN,
      ...['--proxy-mode=userspace', '--userspace-redirect=none', `--manifests=${directory}`, '--metrics-bind-address='],
      '--healthz-bind-address=',
      // Other tests run agents in this network namespace at the same time.
      '--allow-multiple-instances',
      '--v=2',
    ];
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(child);
    let log = '';
    const synced = new Promise<void>((resolve, reject) => {
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (/Synced family="?IPv4/.test(log)) {
          resolve();
        }
      });
      child.once('exit', () => reject(new Error(`it ended:\n${log}`)));
    });
    await synced;
    return { child, endpoint, nodePort, log: () => log };
  }

  test('serves the NodePort of the example, and stops on a signal', async () => {
    const { child, endpoint, nodePort, log } = await serve();
    expect(log()).not.toMatch(/WARN|ERROR/);
    expect(log()).toMatch(/Using proxy mode userspace detail="redirect none"/);
    expect(await ask(nodePort)).toBe('hello');

    endpoint.close();
    expect(await ask(nodePort)).toBe('ECONNRESET');

    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await ask(nodePort)).toBe('ECONNREFUSED');
  });

  test('at its open files limit it refuses clients and logs that, and serves again when others have disconnected', async () => {
    // 144 are left for connections, two descriptors each.
    const { child, nodePort, log } = await serve('prlimit', '--nofile=400:400');
    const clients = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const socket = netConnect(nodePort, '127.0.0.1');
        const answered = await new Promise<boolean>((resolve) => {
          socket.on('data', () => resolve(true));
          socket.on('error', () => resolve(false));
          socket.on('close', () => resolve(false));
          socket.write('x');
        });
        return { socket, answered };
      }),
    );
    const served = clients.filter(({ answered }) => answered).length;
    expect(served).toBeGreaterThan(50);
    expect(served).toBeLessThan(100);
    expect(log()).toMatch(/WARN .*(descriptors|open files)/);
    expect(child.exitCode).toBeNull();
    for (const { socket } of clients) {
      socket.destroy();
    }
    let answer = '';
    for (const end = Date.now() + 60_000; answer !== 'hello' && Date.now() < end; ) {
      answer = await ask(nodePort);
    }
    expect(answer).toBe('hello');
  });
});
