import { get, type IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  diffStates,
  isProxierError,
  type Node,
  type ProxyState,
  type SyncSuccess,
  silentLogger,
} from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import { type ConnectionShare, descriptorShares } from './descriptor-shares.js';
import { HealthServer } from './health-server.js';
import { ProxyHealth } from './proxy-health.js';
import { Readiness } from './readiness.js';
import { ServiceHealthServers } from './service-health-servers.js';

const TIMEOUT = 60_000;
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function ask(port: number, path = '/', host = '127.0.0.1'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get({ host, port, path, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    }).on('error', reject);
  });
}

const node = (rest: Node = {}): Node => ({ metadata: { name: 'node1' }, ...rest });
const success = (state: ProxyState, previous?: ProxyState): SyncSuccess => ({
  family: state.family,
  state,
  changes: diffStates(previous, state),
  full: previous === undefined,
  duration: 1,
  triggerTimes: [],
});

describe('ProxyHealth (spec H-3…H-10)', () => {
  test('a family is unhealthy while a change is pending too long, whatever the state of the other one', () => {
    const clock = new VirtualClock(1000);
    const health = new ProxyHealth(TIMEOUT, clock);
    expect(health.status()).toMatchObject({ healthy: true, families: {} });
    health.started('IPv4');
    health.started('IPv6');
    health.queued('IPv4');
    return (async () => {
      await clock.advance(TIMEOUT - 1);
      expect(health.status().healthy).toBe(true);
      await clock.advance(1);
      health.queued('IPv4');
      health.synced({ family: 'IPv6' });
      expect(health.status()).toMatchObject({
        healthy: false,
        families: { IPv4: { healthy: false, lastUpdated: 0 }, IPv6: { healthy: true, lastUpdated: 1000 + TIMEOUT } },
      });
      health.synced({ family: 'IPv4' });
      expect(health.status().healthy).toBe(true);
      await clock.advance(100 * TIMEOUT);
      expect(health.status().healthy).toBe(true);
    })();
  });

  test('the age of a pending change does not depend on the clock of the host', async () => {
    const clock = new VirtualClock();
    const health = new ProxyHealth(TIMEOUT, clock);
    health.started('IPv4');
    health.queued('IPv4');
    clock.set(100 * TIMEOUT);
    expect(health.status().healthy).toBe(true);
    clock.set(-200 * TIMEOUT);
    await clock.advance(TIMEOUT);
    expect(health.status().healthy).toBe(false);
  });

  test('the time of the last sync stays as long ago when the clock of the host is set', async () => {
    const clock = new VirtualClock(1_000_000);
    const health = new ProxyHealth(TIMEOUT, clock);
    health.started('IPv4');
    health.synced({ family: 'IPv4' });
    await clock.advance(500);
    clock.set(100 * TIMEOUT);
    expect(clock.now() - health.status().lastUpdated).toBe(500);
  });

  test.each([
    ['unknown', undefined, false, undefined],
    ['there', node(), true, undefined],
    [
      'being deleted',
      node({ metadata: { name: 'node1', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      false,
      'the Node is being deleted',
    ],
    [
      'tainted for the autoscaler',
      node({ spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler' }] } }),
      false,
      'the Node has the taint ToBeDeletedByClusterAutoscaler',
    ],
    ['tainted for something else', node({ spec: { taints: [{ key: 'other' }] } }), true, undefined],
  ])('a node that is %s', (_what, object, eligible, why) => {
    const health = new ProxyHealth(TIMEOUT);
    if (object) {
      health.nodeEvent(object);
    }
    expect(health.status().nodeEligible).toBe(eligible);
    expect(health.ineligible).toBe(why);
  });
});

describe('Readiness', () => {
  test('reports the reason for waiting, until every family had its first sync', () => {
    const readiness = new Readiness();
    let missing: string | undefined = 'EndpointSlices from the API server https://api: it forbids to list them';
    expect(readiness.reason()).toBe('waiting for the start');
    readiness.waitFor('pid 12 (kube-proxier 1.2.3, mode ipvs, since 2026-01-01T00:00:00Z) to end');
    expect(readiness.reason()).toMatch(/^waiting for pid 12 \(kube-proxier .*\) to end$/);
    readiness.serve(['IPv4', 'IPv6'], () => missing);
    expect(readiness.reason()).toBe(`waiting for ${missing}`);
    missing = undefined;
    expect(readiness.reason()).toBe('waiting for first sync of IPv4 and IPv6');
    readiness.synced({ family: 'IPv4' });
    readiness.failed({ family: 'IPv6', error: new Error('nft ended with\nexit code 1') });
    expect(readiness.reason()).toBe('waiting for first sync of IPv6: nft ended with; exit code 1');
    readiness.synced({ family: 'IPv6' });
    expect(readiness.reason()).toBeUndefined();
    // Installed rules stay in force.
    readiness.failed({ family: 'IPv6', error: new Error('later') });
    missing = 'something';
    expect(readiness.reason()).toBeUndefined();
  });
});

describe('HealthServer (spec H-1…H-8)', () => {
  async function started() {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const health = new ProxyHealth(TIMEOUT, clock);
    const answers: [string, number][] = [];
    const readiness = new Readiness();
    const server = new HealthServer({
      host: '127.0.0.1',
      port: 0,
      health,
      clock,
      notReady: () => readiness.reason(),
      onAnswer: (...answer) => void answers.push(answer),
    });
    await server.start();
    stops.push(() => server.stop());
    return { clock, health, readiness, answers, port: server.address?.port ?? 0 };
  }

  test('reports healthy, with its headers and fields', async () => {
    const { health, port, answers } = await started();
    health.started('IPv4');
    health.synced({ family: 'IPv4' });
    health.nodeEvent(node());
    const { status, headers, body } = await ask(port, '/healthz');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      server: 'kube-proxier',
    });
    expect(JSON.parse(body)).toEqual({
      lastUpdated: '2026-01-01T00:00:00.000Z',
      currentTime: '2026-01-01T00:00:00.000Z',
      nodeEligible: true,
      healthy: true,
      status: { IPv4: { lastUpdated: '2026-01-01T00:00:00.000Z', healthy: true } },
    });
    expect(answers).toEqual([['healthz', 200]]);
  });

  test('a node that is not eligible fails /healthz, not /livez nor /readyz', async () => {
    const { health, readiness, port, answers } = await started();
    readiness.serve([], () => undefined);
    health.started('IPv4');
    expect((await ask(port, '/healthz')).status).toBe(503);
    const live = await ask(port, '/livez');
    expect(live.status).toBe(200);
    expect(JSON.parse(live.body)).not.toHaveProperty('nodeEligible');
    expect((await ask(port, '/readyz')).status).toBe(200);
    expect((await ask(port, '/other')).status).toBe(404);
    expect(answers).toEqual([
      ['healthz', 503],
      ['livez', 200],
    ]);
  });

  test('healthy is about the proxy, also on a node that is not eligible (spec H-2)', async () => {
    const { clock, health, port } = await started();
    health.started('IPv4');
    health.nodeEvent(node({ spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler' }] } }));
    const { status, body } = await ask(port, '/healthz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ nodeEligible: false, healthy: true });
    health.queued('IPv4');
    await clock.advance(TIMEOUT);
    expect(JSON.parse((await ask(port, '/healthz')).body)).toMatchObject({ nodeEligible: false, healthy: false });
  });

  test('before the first sync lastUpdated is zero, and being unready does not affect /healthz or /livez', async () => {
    const { health, readiness, port, answers } = await started();
    health.started('IPv4');
    health.nodeEvent(node());
    readiness.serve(['IPv4'], () => undefined);
    for (const path of ['/healthz', '/livez']) {
      const { status, body } = await ask(port, path);
      expect(status).toBe(200);
      expect(JSON.parse(body)).toMatchObject({
        lastUpdated: '0001-01-01T00:00:00Z',
        healthy: true,
        status: { IPv4: { lastUpdated: '0001-01-01T00:00:00Z', healthy: true } },
      });
    }
    const { status, body } = await ask(port, '/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ healthy: false, reason: 'waiting for first sync of IPv4' });
    expect(answers).toHaveLength(2);
  });

  test('when late, 503 with the real time of the last sync (spec H-7)', async () => {
    const { clock, health, port } = await started();
    health.started('IPv4');
    health.synced({ family: 'IPv4' });
    health.nodeEvent(node());
    health.queued('IPv4');
    await clock.advance(TIMEOUT);
    const { status, body } = await ask(port, '/healthz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({
      healthy: false,
      lastUpdated: '2026-01-01T00:00:00.000Z',
      currentTime: '2026-01-01T00:01:00.000Z',
    });
  });
});

describe('ServiceHealthServers (spec H-15…H-22)', () => {
  /** A port that was free a moment ago. */
  async function freePort(): Promise<number> {
    const probe = new HealthServer({ host: '127.0.0.1', port: 0, health: new ProxyHealth(TIMEOUT) });
    await probe.start();
    const port = probe.address?.port ?? 0;
    await probe.stop();
    return port;
  }

  function stateWith(port: number, local: number, options = {}): ProxyState {
    const endpoints = [
      ...Array.from({ length: local }, (_, index) => ({ address: `10.0.0.${index + 1}`, node: 'node1' })),
      '10.0.9.9',
    ];
    const services =
      port === 0
        ? []
        : [
            makeService('work/web', {
              type: 'LoadBalancer',
              externalTrafficPolicy: 'Local',
              healthCheckNodePort: port,
            }),
          ];
    return resolveObjects({ services, slices: [makeSlice('work/web', endpoints)] }, options);
  }

  test('counts local endpoints, with the body and headers of kube-proxy', async () => {
    const clock = new VirtualClock(0);
    const health = new ProxyHealth(TIMEOUT, clock);
    health.started('IPv4');
    const servers = new ServiceHealthServers({ health, clock });
    stops.push(() => servers.stop());
    const port = await freePort();
    const two = stateWith(port, 2);
    await servers.synced(success(two));
    const answer = await ask(port, '/any/path');
    expect(answer.status).toBe(200);
    expect(answer.headers['x-load-balancing-endpoint-weight']).toBe('2');
    expect(answer.body).toBe(
      '{\n\t"service": {\n\t\t"namespace": "work",\n\t\t"name": "web"\n\t},\n\t"localEndpoints": 2,\n\t"serviceProxyHealthy": true\n}',
    );
    const none = stateWith(port, 0);
    await servers.synced(success(none, two));
    expect(await ask(port)).toMatchObject({ status: 503, headers: { 'x-load-balancing-endpoint-weight': '0' } });
    await servers.synced(success(two, none));
    health.queued('IPv4');
    await clock.advance(TIMEOUT);
    expect((await ask(port)).status).toBe(503);
  });

  test('follows a change of the port, and closes with the Service', async () => {
    const servers = new ServiceHealthServers({ health: new ProxyHealth(TIMEOUT) });
    stops.push(() => servers.stop());
    const [one, two] = [await freePort(), await freePort()];
    const first = stateWith(one, 1);
    await servers.synced(success(first));
    const second = stateWith(two, 1);
    await servers.synced(success(second, first));
    expect((await ask(two)).status).toBe(200);
    await expect(ask(one)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await servers.synced(success(stateWith(0, 0), second));
    await expect(ask(two)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('answers on 127.0.0.1 when NodePorts are served only there', async () => {
    const servers = new ServiceHealthServers({ health: new ProxyHealth(TIMEOUT) });
    stops.push(() => servers.stop());
    const port = await freePort();
    const options = { nodePortAddresses: { kind: 'entries', entries: ['localhost'] } };
    await servers.synced(success(stateWith(port, 1, options)));
    expect((await ask(port)).status).toBe(200);
    await expect(ask(port, '/', '127.0.0.2')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('follows the address of the node when that changes', async () => {
    const servers = new ServiceHealthServers({ health: new ProxyHealth(TIMEOUT) });
    stops.push(() => servers.stop());
    const port = await freePort();
    const on = (address: string): ProxyState => {
      const state = stateWith(port, 1);
      const nodePortAddresses = { kind: 'listed', addresses: [address], loopback: false } as const;
      return { ...state, node: { ...state.node, nodePortAddresses } };
    };
    const first = on('127.0.0.2');
    await servers.synced(success(first));
    expect((await ask(port, '/', '127.0.0.2')).status).toBe(200);
    await servers.synced(success(on('127.0.0.3'), first));
    expect((await ask(port, '/', '127.0.0.3')).status).toBe(200);
    await expect(ask(port, '/', '127.0.0.2')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('a port in use is reported, and opened when it is free', async () => {
    const clock = new VirtualClock(0);
    const port = await freePort();
    const health = new ProxyHealth(TIMEOUT, clock);
    const occupant = new HealthServer({ host: '0.0.0.0', port, health });
    await occupant.start();
    const failures: string[] = [];
    const servers = new ServiceHealthServers({ health, clock, onFailure: ({ name }) => void failures.push(name) });
    stops.push(() => servers.stop());
    await servers.synced(success(stateWith(port, 1)));
    expect(failures).toEqual(['web']);
    await occupant.stop();
    await clock.advance(5000);
    let answer: Answer | undefined;
    while (answer === undefined) {
      answer = await ask(port).catch(() => undefined);
    }
    expect(answer.status).toBe(200);
  });
});

describe('health check node ports of more Services than there are descriptors for', () => {
  // Below the ports of outgoing connections (net.ipv4.ip_local_port_range), which any other test may have.
  const ports = [1, 2, 3, 4].map((index) => ({
    name: `web-${index}`,
    port: 7000 + (process.pid % 5000) + 5000 * index,
  }));
  const stateOf = (names: readonly string[]): ProxyState => {
    const services = ports
      .filter(({ name }) => names.includes(name))
      .map(({ name, port }) =>
        makeService(`work/${name}`, {
          ...{ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: port },
        }),
      );
    return resolveObjects({ services, slices: [] });
  };
  const isOpen = ({ port }: { readonly port: number }) =>
    ask(port).then(
      () => true,
      () => false,
    );
  const open = () => Promise.all(ports.map(isOpen));

  test('the excess ports are reported and stay closed until descriptors are free', async () => {
    const failures: string[] = [];
    const lines: string[] = [];
    const servers = new ServiceHealthServers({
      health: new ProxyHealth(TIMEOUT),
      shares: { ...descriptorShares(Number.POSITIVE_INFINITY), healthCheckSockets: 2 },
      logger: { ...silentLogger, error: (line) => void lines.push(line) },
      onFailure: ({ name }, error) => void failures.push(`${name} ${isProxierError(error) && error.code}`),
    });
    stops.push(() => servers.stop());
    const all = stateOf(ports.map(({ name }) => name));
    await servers.synced(success(all));
    expect((await open()).filter((isOpen) => isOpen)).toHaveLength(2);
    const found =
      'health check node ports of 2 Services are not open, as the limit of open files leaves 2 sockets for them: work/web-3, work/web-4';
    expect(servers.shortage).toBe(found);
    expect(lines).toEqual([`The ${found}; raise the limit of open files (ulimit -n, LimitNOFILE)`]);
    expect(failures).toEqual(['web-3 OPEN_FILES_LIMIT', 'web-4 OPEN_FILES_LIMIT']);

    const without = stateOf(['web-2', 'web-3', 'web-4']);
    await servers.synced(success(without, all));
    expect(await open()).toEqual([false, true, true, false]);
    expect(servers.shortage).toMatch(/^health check node port of 1 Service is not open.*: work\/web-4$/);
    await servers.synced(success(stateOf(['web-3', 'web-4']), without));
    expect(await open()).toEqual([false, false, true, true]);
    expect(servers.shortage).toBeUndefined();
    expect(failures).toHaveLength(2);
  });

  test.each([
    ['the smallest limit with which the agent starts', 256, false],
    ['a usual limit', 1024, false],
    ['a usual limit, beside proxies of the same process', 1024, true],
    ['a high limit', 1_048_576, false],
  ])('%s leaves descriptors for everything else', (_what, limit, proxiesInProcess) => {
    const { healthCheckSockets, healthCheckConnections, connections } = descriptorShares(limit, proxiesInProcess);
    const sum = ({ foreign, own }: ConnectionShare) => foreign + own;
    const taken = healthCheckSockets + sum(healthCheckConnections) + 3 * sum(connections);
    // The agent itself has up to 51 open files.
    expect(taken).toBeLessThanOrEqual((proxiesInProcess ? limit / 4 : limit) - 56);
    expect(healthCheckSockets).toBeGreaterThan(50);
  });
});

describe('requests to the health ports', () => {
  test.each([
    ['GET', 200],
    ['HEAD', 200],
    ['OPTIONS', 200],
    ['POST', 405],
    ['PUT', 405],
    ['DELETE', 405],
  ])('%s is answered with %i, for any host name', async (method, status) => {
    const health = new ProxyHealth(TIMEOUT);
    health.started('IPv4');
    health.nodeEvent(node());
    const server = new HealthServer({ host: '127.0.0.1', port: 0, health });
    await server.start();
    stops.push(() => server.stop());
    const url = `http://127.0.0.1:${server.address?.port}/livez`;
    const response = await fetch(url, { method, headers: { Host: 'health.example' } });
    expect(response.status).toBe(status);
    expect(response.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, OPTIONS' : null);
  });
});
