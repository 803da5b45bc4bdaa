import { describe, expect, test } from '@jest/globals';
import { type Logger, servicePortKey, silentLogger } from '@kube-proxier/core';
import { VirtualClock } from '@kube-proxier/core/testing';
import type { ServiceSpec } from '../plan/userspace-transaction.js';
import { type Closable, type ProxyEnvironment, ServiceProxy } from './service-proxy.js';

const ONE = '10.0.0.1:80';
const TWO = '10.0.0.2:80';

function specOf(existing: readonly string[] | undefined): ServiceSpec {
  return {
    key: servicePortKey({ namespace: 'a', name: 'web', portName: '', protocol: 'TCP' }),
    name: 'a/web',
    protocol: 'TCP',
    cluster: [],
    local: [],
    draining: [],
    existing,
    affinitySeconds: undefined,
    options: { proxyProtocol: undefined, loadBalancing: 'round-robin', maxConnections: undefined },
  };
}

const KEEP = 'keep';

function setUp(existing: readonly string[] | typeof KEEP = [ONE, TWO]) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const logger: Logger = { ...silentLogger, info: (message) => void lines.push(message) };
  const service = new ServiceProxy(specOf(existing === KEEP ? undefined : existing), {
    clock,
    logger,
  } as unknown as ProxyEnvironment);
  const connect = (endpointKey: string) => {
    const connection: Closable & { isConnected: boolean } = {
      endpointKey,
      isConnected: true,
      close: () => void service.open.delete(connection),
    };
    service.open.add(connection);
    return connection;
  };
  const isOpen = (connection: Closable) => service.open.has(connection);
  return { clock, service, lines, connect, isOpen };
}

describe('connections to a removed endpoint (spec R-1)', () => {
  test('are reset after a second, and no others', async () => {
    const { clock, service, lines, connect, isOpen } = setUp();
    const [lost, other] = [connect(ONE), connect(TWO)];
    service.update(specOf([TWO]));
    await clock.advance(999);
    expect(isOpen(lost)).toBe(true);
    await clock.advance(1);
    expect([isOpen(lost), isOpen(other)]).toEqual([false, true]);
    expect(service.traffic.resets).toBe(1);
    expect(lines).toEqual(['Reset 1 connection of a/web to endpoints that are gone: 10.0.0.1:80 (1)']);
  });

  test.each([
    ['the endpoint comes back', (service: ServiceProxy) => service.update(specOf([ONE, TWO]))],
    ['the Service keeps connections', (service: ServiceProxy) => service.update(specOf(undefined))],
    ['the Service is removed', (service: ServiceProxy) => service.keepAll()],
  ])('continue where %s within the second (spec R-3)', async (_title, change) => {
    const { clock, service, connect, isOpen } = setUp();
    const connection = connect(ONE);
    service.update(specOf([TWO]));
    await clock.advance(900);
    change(service);
    await clock.advance(60_000);
    expect(isOpen(connection)).toBe(true);
    expect(service.traffic.resets).toBe(0);
  });

  test('continue if the Service does not request resets', async () => {
    const { clock, service, connect, isOpen } = setUp(KEEP);
    const connection = connect(ONE);
    service.update(specOf(undefined));
    await clock.advance(60_000);
    expect(isOpen(connection)).toBe(true);
  });

  test('are reset when the Service starts to request resets, unless it has no endpoint (spec R-5)', async () => {
    const { clock, service, connect, isOpen } = setUp(KEEP);
    const connection = connect(ONE);
    service.update(specOf([]));
    await clock.advance(60_000);
    expect(isOpen(connection)).toBe(true);
    service.update(specOf([TWO]));
    await clock.advance(1000);
    expect(isOpen(connection)).toBe(false);
  });

  test('are reset at most 1000 a second (spec R-7)', async () => {
    const { clock, service, lines, connect } = setUp();
    for (let index = 0; index < 1500; index++) {
      connect(ONE);
    }
    service.update(specOf([TWO]));
    await clock.advance(1000);
    expect(service.open.size).toBe(1250);
    await clock.advance(1000);
    expect(service.open.size).toBe(250);
    await clock.advance(250);
    expect(service.open.size).toBe(0);
    expect(lines).toEqual(['Reset 1500 connections of a/web to endpoints that are gone: 10.0.0.1:80 (1500)']);
  });

  test('one that is being connected may get another endpoint, and is reset when it does not', async () => {
    const { clock, service, connect, isOpen } = setUp();
    const connection = connect(ONE);
    connection.isConnected = false;
    service.update(specOf([TWO]));
    await clock.advance(5000);
    expect(isOpen(connection)).toBe(true);
    connection.isConnected = true;
    await clock.advance(1000);
    expect(isOpen(connection)).toBe(false);
  });
});
