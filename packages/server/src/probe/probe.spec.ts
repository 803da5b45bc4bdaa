import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type EndpointSlice, ObjectReader, type Service, type SourceHandler, systemClock } from '@kube-proxier/core';
import { makeResolver, makeService, RecordingLogger, until } from '@kube-proxier/core/testing';
import { DataPlaneProbe } from './data-plane-probe.js';
import { probeConnection } from './probe-connection.js';
import { ProbeListener } from './probe-listener.js';
import { probeObjects } from './probe-objects.js';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) {
    await end();
  }
});
const { signal } = new AbortController();

async function serve(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ending.push(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const probeAt = (port: number, answer = 'secret') =>
  probeConnection({ address: '127.0.0.1', port, answer, timeout: 300 }, signal);

describe('one probe', () => {
  test('succeeds when the listener answers', async () => {
    const listener = await ProbeListener.open('127.0.0.1', () => true);
    ending.push(() => listener.close());
    expect(await probeAt(listener.port, listener.answer)).toEqual({ kind: 'ok', milliseconds: expect.any(Number) });
    // Another process cannot know the answer.
    expect(await probeAt(listener.port)).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/another program answered/),
    });
  });

  test.each([
    [
      'answers something else',
      (socket: Socket): void => {
        socket.end('HTTP/1.1 400 Bad Request\r\n');
      },
      'another program',
    ],
    [
      'answers a part',
      (socket: Socket): void => {
        socket.end('sec');
      },
      'another program',
    ],
    [
      'answers more',
      (socket: Socket): void => {
        socket.write('secret and more');
      },
      'another program',
    ],
    [
      'closes',
      (socket: Socket): void => {
        socket.end();
      },
      'closed without an answer',
    ],
    [
      'resets',
      (socket: Socket): void => {
        socket.resetAndDestroy();
      },
      'was reset',
    ],
    ['answers nothing', (): void => {}, 'connected, but no answer came within 300 ms'],
    [
      'does not end',
      (socket: Socket): void => {
        socket.write('secret');
      },
      'connected, but no answer came',
    ],
  ] as const)('fails when a program %s', async (_what, onSocket, reason) => {
    const outcome = await probeAt(await serve(onSocket));
    expect(outcome).toEqual({ kind: 'failed', reason: expect.stringContaining(reason) });
  });

  test('fails when nothing listens', async () => {
    const listener = await ProbeListener.open('127.0.0.1', () => true);
    listener.close();
    expect(await probeAt(listener.port)).toEqual({ kind: 'failed', reason: expect.stringContaining('was refused') });
  });

  test('a process that was busy for longer than the timeout is not a failure', async () => {
    const listener = await ProbeListener.open('127.0.0.1', () => true);
    ending.push(() => listener.close());
    const outcome = probeAt(listener.port, listener.answer);
    await new Promise((resolve) => setImmediate(resolve));
    const end = performance.now() + 400;
    while (performance.now() < end) {
      // Simulates the resolution of a large state.
    }
    expect(await outcome).toMatchObject({ kind: 'ok' });
  });

  test('a connection from another host gets no answer', async () => {
    const listener = await ProbeListener.open('127.0.0.1', (address) => address !== '127.0.0.1');
    ending.push(() => listener.close());
    expect(await probeAt(listener.port, listener.answer)).toMatchObject({ kind: 'failed' });
  });
});

test('its objects are valid, and every other Service is older', () => {
  const problems: unknown[] = [];
  const reader = new ObjectReader((problem) => problems.push(problem));
  for (const [family, clusterIP, address] of [
    ['IPv4', '192.0.2.1', '192.168.0.2'],
    ['IPv6', '2001:db8::1', 'fd00::2'],
  ] as const) {
    const context = { family, nodeName: 'node1', clusterIP, endpoint: { address, port: 40_001 } };
    const { service, slice } = probeObjects(context);
    const resolver = makeResolver({ family });
    resolver.updateService(undefined, service);
    resolver.updateEndpointSlice(undefined, slice);
    const [port] = [...resolver.applyPending().state.servicePorts.values()];
    expect(port).toMatchObject({ cluster: [{ address, port: 40_001 }], frontends: [{ address: clusterIP, port: 80 }] });
    reader.readService(service);
    const real = makeService('shop/web', { clusterIP, ipFamilies: [family] });
    resolver.updateService(undefined, real);
    const claimed = [...resolver.applyPending().state.frontends.values()];
    expect(claimed).toEqual([expect.stringMatching(/^shop\/web:/)]);
  }
  expect(problems).toEqual([]);
});

describe('a DataPlaneProbe', () => {
  /** A probe whose Service has no rules in the kernel. */
  async function startProbe(readiness: boolean, localAddresses: () => Promise<readonly string[]>) {
    const logger = new RecordingLogger();
    const probe = new DataPlaneProbe(
      { interval: 1000, addresses: ['127.0.0.1'], readiness },
      { clock: systemClock, logger, localAddresses },
    );
    const resolver = makeResolver();
    const seen: { services: (Service | undefined)[]; slices: (EndpointSlice | undefined)[] } = {
      services: [],
      slices: [],
    };
    const handler: SourceHandler = {
      onServiceUpdate: (previous, current) => {
        seen.services.push(current);
        resolver.updateService(previous, current);
      },
      onEndpointsUpdate: (previous, current) => {
        seen.slices.push(current);
        resolver.updateEndpointSlice(previous, current);
      },
      onNodeUpdate() {},
      onServicesSynced() {},
      onEndpointsSynced() {},
      onServiceCIDRsUpdate() {},
    };
    probe.serve(['IPv4', 'IPv6']);
    await probe.start(handler, { nodeName: 'node1' });
    ending.push(() => probe.stop());
    const sync = () => probe.synced({ family: 'IPv4', ...resolver.applyPending() });
    return { probe, seen, sync, logger, resolver };
  }

  test('is unknown before the first sync, and affects readiness only if requested', async () => {
    for (const readiness of [false, true]) {
      const { probe } = await startProbe(readiness, async () => ['192.168.0.2']);
      // A family without an address is not probed.
      expect(Object.keys(probe.status())).toEqual(['IPv4']);
      expect(probe.status().IPv4).toMatchObject({ verdict: 'unknown', reason: 'waiting for the first sync' });
      expect(probe.notReady()).toEqual(readiness ? expect.stringContaining('successful IPv4 probe') : undefined);
    }
  });

  test('a family without a host address is unknown, which is not a problem; without any family, the node is not ready', async () => {
    const { probe, sync } = await startProbe(true, async () => ['127.0.0.2', '169.254.1.1', '::1', 'fd00::2']);
    sync();
    await until(
      () => probe.status().IPv4?.reason === 'this host has no IPv4 address',
      () => JSON.stringify(probe.status()),
      10_000,
    );
    expect(probe.status().IPv4).toMatchObject({ verdict: 'unknown', impossible: false });
    expect(probe.notReady()).toMatch(/no address of a family that is probed/);
  });

  test.each([
    ['has the address itself', async () => ['127.0.0.1', '192.168.0.2'], /127\.0\.0\.1 is an address of this host/],
    ['has an address that cannot be bound', async () => ['198.51.100.77'], /cannot listen at 198\.51\.100\.77/],
    ['cannot be read', () => Promise.reject(new Error('EMFILE')), /cannot be read: EMFILE/],
  ])('is impossible where the host %s', async (_what, localAddresses, reason) => {
    const { probe, seen, sync, logger } = await startProbe(false, localAddresses);
    sync();
    await until(
      () => probe.status().IPv4?.impossible === true,
      () => JSON.stringify(probe.status()),
      10_000,
    );
    expect(probe.status().IPv4).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringMatching(reason),
      endpoint: null,
    });
    expect(seen.services).toEqual([]);
    expect(JSON.stringify(logger.entries)).toContain('cannot be probed');
  });
});
