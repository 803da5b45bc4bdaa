import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { casesOf, until } from '@kube-proxier/core/testing';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '@kube-proxier/linux/testing';
import { describeHolder, type HeldInstanceLock, type InstanceHolder, InstanceLock } from './instance-lock.js';

let count = 0;
const uniqueName = () => `kube-proxier-test-${process.pid}-${count++}`;
const IDENTITY = { pid: process.pid, version: '1.2.3', mode: '', nodeName: 'node1' };

describe('one process', () => {
  const held: HeldInstanceLock[] = [];
  const acquire = async (lock: InstanceLock, ...rest: Parameters<InstanceLock['acquire']>) => {
    const one = await lock.acquire(...rest);
    held.push(one);
    return one;
  };
  afterEach(async () => {
    await Promise.all(held.splice(0).map((one) => one.release()));
  });

  test('the current holder is described, and none is found after its release', async () => {
    const lock = new InstanceLock(uniqueName());
    expect(await lock.currentHolder()).toBeUndefined();
    const mine = await acquire(lock, IDENTITY);
    expect(await lock.currentHolder()).toEqual({ known: true, ...IDENTITY, since: expect.stringMatching(/^\d{4}-/) });
    mine.describe({ mode: 'nftables' });
    const holder = await lock.currentHolder();
    expect(holder).toMatchObject({ mode: 'nftables' });
    expect(describeHolder(holder as InstanceHolder)).toMatch(
      new RegExp(`^pid ${process.pid} \\(kube-proxier 1\\.2\\.3, mode nftables, since \\d{4}-.*Z\\)$`),
    );
    await mine.release();
    await mine.release();
    expect(await lock.currentHolder()).toBeUndefined();
  });

  test('of several waiting processes one at a time gets the lock, and each holder is reported once', async () => {
    const lock = new InstanceLock(uniqueName());
    const first = await acquire(lock, IDENTITY);
    const reports: string[][] = [[], []];
    const order: number[] = [];
    const waiting = reports.map(async (seen, index) => {
      const mine = await acquire(
        lock,
        { ...IDENTITY, nodeName: `waiter${index}` },
        { onWaiting: (holder) => seen.push(holder.known ? holder.nodeName : 'unknown') },
      );
      order.push(index);
      return mine;
    });
    await until(() => reports.every((seen) => seen.length === 1));
    expect(order).toEqual([]);
    await first.release();
    const second = await Promise.race(waiting);
    const [winner = 0] = order;
    const loser = 1 - winner;
    await until(() => reports[loser]?.length === 2);
    expect(reports[loser]).toEqual(['node1', `waiter${winner}`]);
    expect(order).toEqual([winner]);
    await second.release();
    await Promise.all(waiting);
    expect(reports[winner]).toEqual(['node1']);
  });

  test('the wait ends with its signal, and the holder keeps the lock', async () => {
    const lock = new InstanceLock(uniqueName());
    const mine = await acquire(lock, IDENTITY);
    const abort = new AbortController();
    await expect(
      lock.acquire(IDENTITY, { signal: abort.signal, onWaiting: () => abort.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
    expect(await lock.currentHolder()).toMatchObject({ known: true });
    await mine.release();
    await expect(lock.acquire(IDENTITY, { signal: AbortSignal.abort(new Error('late')) })).rejects.toThrow('late');
    expect(await lock.currentHolder()).toBeUndefined();
  });

  test.each<[string, (socket: import('node:net').Socket) => void, string]>([
    ['sends nothing', () => {}, 'it does not answer'],
    ['hangs up', (socket) => socket.end(), 'it does not answer'],
    ['sends something else', (socket) => socket.write('hello\n'), 'its answer is invalid'],
    [
      'would break a log line',
      (socket) => socket.write(`${JSON.stringify({ ...IDENTITY, since: 'a\nb' })}\n`),
      'its answer is invalid',
    ],
    ['never ends its line', (socket) => socket.write('x'.repeat(1 << 20)), 'its answer is too long'],
  ])('a holder that %s is an unknown process', async (_what, behave, reason) => {
    const name = uniqueName();
    const lock = new InstanceLock(name);
    const sockets = new Set<import('node:net').Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      behave(socket);
    }).listen(addressOf(name));
    await once(server, 'listening');
    expect(await lock.currentHolder()).toEqual({ known: false, reason });
    // It is awaited like any other, without a busy loop.
    const holders: InstanceHolder[] = [];
    const waiting = acquire(lock, IDENTITY, { onWaiting: (holder) => holders.push(holder) });
    await until(() => holders.length > 0);
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
    await waiting;
    expect(holders).toEqual([{ known: false, reason }]);
    expect(sockets.size).toBeLessThan(20);
  });

  test('many concurrent queries do not prevent a later process from waiting', async () => {
    const name = uniqueName();
    const lock = new InstanceLock(name);
    const mine = await acquire(lock, IDENTITY);
    const crowd = Array.from({ length: 200 }, () => connect(addressOf(name)).on('error', () => {}));
    const waiting = lock.acquire(IDENTITY);
    await until(() => crowd.some((socket) => socket.destroyed));
    for (const socket of crowd) {
      socket.destroy();
    }
    await mine.release();
    held.push(await waiting);
  });

  test('the address has all of its 108 bytes, so that every version of Node.js uses the same one', async () => {
    const name = `${uniqueName()}-é`;
    await acquire(new InstanceLock(name), IDENTITY);
    const [line] = readFileSync('/proc/net/unix', 'utf8')
      .split('\n')
      .filter((text) => text.includes(`@${name}`));
    const address = line?.slice(line.indexOf('@')) ?? '';
    expect(Buffer.byteLength(address)).toBe(108);
    expect(address).toMatch(/[^@]$/);
    expect(() => new InstanceLock('x'.repeat(101))).toThrow(RangeError);
  });
});

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('two processes in a network namespace', () => {
  const started: Holder[] = [];
  const namespaces: TestNamespace[] = [];
  const namespace = () => {
    const made = makeNamespace();
    namespaces.push(made);
    return made;
  };
  const start = (where: TestNamespace, nodeName: string) => {
    const holder = new Holder(where, nodeName);
    started.push(holder);
    return holder;
  };
  afterEach(() => {
    for (const holder of started.splice(0)) {
      holder.child.kill('SIGKILL');
    }
    for (const made of namespaces.splice(0)) {
      made.remove();
    }
  });

  test.each(casesOf<'SIGTERM' | 'SIGKILL'>(['SIGKILL'], ['SIGTERM']))(
    'the second waits for the first until that ends by %s',
    async (signal) => {
      const where = namespace();
      const first = start(where, 'first');
      await first.prints(/^held$/);
      const second = start(where, 'second');
      await second.prints(/^waiting for pid \d+ \(kube-proxier 9\.9\.9, mode nftables, since /);
      expect(second.lines.join()).toContain(`pid ${first.pid} `);
      expect(second.lines).not.toContain('held');
      first.child.kill(signal);
      await second.prints(/^held$/);
      expect(second.lines).toHaveLength(2);
    },
  );

  test('a stopped holder is unknown, and is still awaited', async () => {
    const where = namespace();
    const first = start(where, 'first');
    await first.prints(/^held$/);
    process.kill(first.pid, 'SIGSTOP');
    const second = start(where, 'second');
    await second.prints(/^waiting for an unknown process \(it does not answer\)$/);
    process.kill(first.pid, 'SIGKILL');
    await second.prints(/^held$/);
  });

  test('processes of two namespaces do not wait for each other', async () => {
    const one = start(namespace(), 'one');
    const other = start(namespace(), 'other');
    await Promise.all([one.prints(/^held$/), other.prints(/^held$/)]);
    expect([one.lines, other.lines]).toEqual([['held'], ['held']]);
  });

  test('a child process that outlives the holder does not hold the lock', async () => {
    const where = namespace();
    const first = start(where, 'parent');
    await first.prints(/^child \d+$/);
    await first.prints(/^held$/);
    const second = start(where, 'second');
    await second.prints(/^waiting/);
    process.kill(first.pid, 'SIGKILL');
    await second.prints(/^held$/);
    const child = Number(first.lines.find((line) => line.startsWith('child'))?.slice(6));
    process.kill(child, 'SIGKILL');
  });
});

const SERVER = new URL('../../dist/index.js', import.meta.url).href;
const SCRIPT = `
import { spawn } from 'node:child_process';
import { describeHolder, InstanceLock } from ${JSON.stringify(SERVER)};
const [nodeName] = process.argv.slice(1);
const identity = { pid: process.pid, version: '9.9.9', mode: 'nftables', nodeName };
const onWaiting = (holder) => console.log('waiting for ' + describeHolder(holder));
await new InstanceLock().acquire(identity, { onWaiting });
if (nodeName === 'parent') console.log('child ' + spawn('sleep', ['600'], { stdio: 'ignore' }).pid);
console.log('held');
setInterval(() => {}, 1000);
`;

class Holder {
  readonly lines: string[] = [];
  readonly child: ChildProcess;

  constructor({ prefix: [command = '', ...args] }: TestNamespace, nodeName: string) {
    this.child = spawn(command, [...args, process.execPath, '--input-type=module', '-e', SCRIPT, nodeName], {
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
    });
    if (this.child.stdout) {
      createInterface({ input: this.child.stdout }).on('line', (line) => this.lines.push(line));
    }
  }

  /** nsenter executes the program. */
  get pid(): number {
    return this.child.pid ?? 0;
  }

  async prints(pattern: RegExp): Promise<void> {
    await until(() => this.lines.some((line) => pattern.test(line)));
  }
}

function addressOf(name: string): string {
  return `\0${name}`.padEnd(108, '.');
}
