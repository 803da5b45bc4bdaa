import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type Explanation,
  isEmptyChangeSet,
  type ProxyState,
  type SyncSuccess,
  silentLogger,
} from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import { StatusServer, type StatusServerOptions } from './status-server.js';

const servers: StatusServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

function synced(state: ProxyState): SyncSuccess {
  const changes = {
    previous: state,
    servicePorts: new Map(),
    healthCheckNodePorts: new Set<string>(),
    clusterIPs: new Set<string>(),
    nodeChanged: false,
  };
  expect(isEmptyChangeSet(changes)).toBe(true);
  return { family: state.family, state, changes, full: false, duration: 0, triggerTimes: [] };
}

async function started(options: Partial<StatusServerOptions> = {}) {
  const server = new StatusServer({ host: '127.0.0.1', port: 0, ...options });
  servers.push(server);
  await server.start();
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${server.address?.port}${path}`, init);
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  return { server, get };
}

const state = resolveObjects({
  services: [makeService('work/web', { clusterIP: '10.96.0.10' })],
  slices: [makeSlice('work/web', ['10.244.0.5', { address: '10.244.0.6', ready: false }])],
});

describe('StatusServer', () => {
  test('tells the mode in force as kube-proxy does (spec H-30, H-31)', async () => {
    const { server, get } = await started();
    server.modeSelected({ mode: 'iptables' });
    expect(await get('/proxyMode')).toEqual({ status: 200, type: 'text/plain; charset=utf-8', text: 'iptables' });
    expect(await get('/healthz')).toMatchObject({ status: 200, text: 'ok' });
  });

  test('explains a packet from what was programmed last', async () => {
    const { server, get } = await started();
    server.synced(synced(state));
    const { status, text } = await get('/debug/explain?source=10.244.0.9&destination=10.96.0.10&port=80&protocol=TCP');
    expect(status).toBe(200);
    const explanation = JSON.parse(text) as Explanation;
    expect(explanation).toMatchObject({ servicePort: 'work/web', outcome: { kind: 'forwarded' } });
    expect(explanation.endpoints.map(({ used }) => used)).toEqual([true, false]);
  });

  test.each([
    ['/debug/explain?source=10.0.0.1&destination=nonsense&port=80', 400, 'destination is not an IP address'],
    ['/debug/explain?source=nonsense&destination=10.96.0.10&port=80', 400, 'not an IP address'],
    ['/debug/explain?source=10.0.0.1&destination=10.96.0.10&port=0', 400, 'not a port'],
    ['/debug/explain?source=10.0.0.1&destination=10.96.0.10&port=80&protocol=ICMP', 400, 'TCP, UDP, SCTP'],
    ['/debug/explain?source=fd00::1&destination=fd00::2&port=80', 503, 'nothing is programmed for IPv6'],
    ['/elsewhere', 404, '/debug/explain'],
  ])('%s is answered with %i', async (path, status, text) => {
    const { server, get } = await started();
    server.synced(synced(state));
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  test('only GET is answered', async () => {
    const { get } = await started();
    expect((await get('/proxyMode', { method: 'POST' })).status).toBe(405);
  });

  test('a port that is taken is logged and tried again until it is free', async () => {
    const occupant = createServer();
    occupant.unref();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const address = occupant.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const lines: string[] = [];
    const clock = new VirtualClock();
    const { server } = await started({
      port,
      clock,
      logger: { ...silentLogger, error: (line) => void lines.push(line) },
    });
    expect(server.address).toBeUndefined();
    expect(lines[0]).toMatch(/cannot listen on 127\.0\.0\.1:\d+; trying again: .*; does another proxy run here\?/);
    await new Promise((resolve) => occupant.close(resolve));
    await clock.advance(5000);
    while (!server.address) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.address.port).toBe(port);
  });
});
