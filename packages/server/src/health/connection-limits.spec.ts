import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { ConnectionLimits, ConnectionRoom, sourceOf } from './connection-limits.js';

class FakeSocket {
  dropped = false;
  #closed: (() => void) | undefined;

  constructor(
    readonly remoteAddress: string,
    readonly localAddress = '192.0.2.1',
  ) {}

  once(_event: 'close', closed: () => void): this {
    this.#closed = closed;
    return this;
  }

  resetAndDestroy(): this {
    this.dropped = true;
    return this;
  }

  close(): void {
    this.#closed?.();
  }
}

const connect = (limits: ConnectionLimits, remote: string, local?: string): FakeSocket => {
  const socket = new FakeSocket(remote, local);
  limits.admit(socket as unknown as Socket);
  return socket;
};
const open = (sockets: readonly FakeSocket[]) => sockets.filter(({ dropped }) => !dropped).length;

describe('ConnectionLimits', () => {
  test('one source is limited to its share, and its longest idle connection is dropped first', () => {
    const limits = new ConnectionLimits({ perSource: 3 });
    const sockets = Array.from({ length: 3 }, () => connect(limits, '203.0.113.2'));
    limits.answered(sockets[0] as unknown as Socket);
    sockets.push(connect(limits, '203.0.113.2'));
    expect(sockets.map(({ dropped }) => dropped)).toEqual([false, true, false, false]);
    expect(connect(limits, '203.0.113.3').dropped).toBe(false);
    expect(open(sockets)).toBe(3);
  });

  test('the addresses of one IPv6 /64 are one source', () => {
    const limits = new ConnectionLimits({ perSource: 2 });
    const sockets = Array.from({ length: 100 }, (_, index) => connect(limits, `2001:db8:1:2::${index.toString(16)}`));
    expect(open(sockets)).toBe(2);
    expect(connect(limits, '2001:db8:1:3::1').dropped).toBe(false);
    expect(open(sockets)).toBe(2);
  });

  test('with any number of sources, a new connection is admitted, and those of the node itself are not dropped', () => {
    const limits = new ConnectionLimits({ foreign: 10, own: 4, isOwn: (address) => address === '192.0.2.9' });
    const own = [connect(limits, '127.0.0.1'), connect(limits, '192.0.2.1', '192.0.2.1'), connect(limits, '192.0.2.9')];
    const foreign = Array.from({ length: 1000 }, (_, index) => connect(limits, `10.0.${index >> 8}.${index & 255}`));
    expect(open(own)).toBe(3);
    expect(open(foreign)).toBe(10);
    expect(foreign.at(-1)?.dropped).toBe(false);
    expect(connect(limits, '::ffff:127.0.0.1').dropped).toBe(false);
    expect(connect(limits, '::1').dropped).toBe(false);
    expect(own.map(({ dropped }) => dropped)).toEqual([true, false, false]);
  });

  test('a closed connection frees a slot', () => {
    const limits = new ConnectionLimits({ perSource: 1 });
    for (let round = 0; round < 10; round++) {
      const socket = connect(limits, '203.0.113.2');
      socket.close();
      expect(socket.dropped).toBe(false);
    }
    expect(limits.size).toBe(0);
    expect(limits.sources).toBe(0);
  });

  test('several ports share one limit', () => {
    const shared = { own: new ConnectionRoom(2), foreign: new ConnectionRoom(3) };
    const ports = Array.from({ length: 10 }, () => new ConnectionLimits({ shared }));
    const own = connect(ports[0] as ConnectionLimits, '127.0.0.1');
    const sockets = ports.map((limits, index) => connect(limits, `203.0.113.${index}`));
    expect(open(sockets)).toBe(3);
    expect(own.dropped).toBe(false);
    expect(ports.map(({ size }) => size)).toEqual([1, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
  });

  test('each drop is reported with its source', () => {
    const dropped: string[] = [];
    const limits = new ConnectionLimits({ perSource: 1, onDrop: (source) => void dropped.push(source) });
    connect(limits, '203.0.113.2');
    connect(limits, '203.0.113.2');
    connect(limits, '2001:db8::1');
    connect(limits, '2001:db8::2');
    expect(dropped).toEqual(['203.0.113.2', '2001:db8:0:0::/64']);
  });
});

test.each([
  ['203.0.113.2', '203.0.113.2'],
  ['::ffff:203.0.113.2', '203.0.113.2'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('%s counts as source %s', (address, source) => {
  expect(sourceOf(address)).toBe(source);
});
