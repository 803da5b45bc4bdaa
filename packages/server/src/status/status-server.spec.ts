import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type Explanation,
  isEmptyChangeSet,
  type ProxyState,
  type ServicePortView,
  type SyncSuccess,
  TrafficCounts,
} from '@kube-proxier/core';
import {
  makeService,
  makeSlice,
  RecordingLogger,
  resolveObjects,
  until,
  VirtualClock,
} from '@kube-proxier/core/testing';
import { Registry } from 'prom-client';
import { StatusServer, type StatusServerOptions } from './status-server.js';

const servers: StatusServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

function synced(state: ProxyState): SyncSuccess {
  const changes = {
    previous: state,
    servicePorts: new Map(),
    resolvedServicePorts: new Map(),
    healthCheckNodePorts: new Set<never>(),
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
    const { headers, status } = response;
    return {
      status,
      type: headers.get('content-type'),
      etag: headers.get('etag') ?? '',
      text: await response.text(),
    };
  };
  return { server, get };
}

/** Uses enough CPU time to be sampled. */
function burn(): void {
  for (const end = process.cpuUsage().user + 200_000; process.cpuUsage().user < end; ) {
    Math.sqrt(end);
  }
}

const state = resolveObjects({
  services: [makeService('work/web', { clusterIP: '10.96.0.10' })],
  slices: [
    makeSlice('work/web', [
      { address: '10.244.0.5', pod: 'web-1' },
      { address: '10.244.0.6', ready: false },
    ]),
  ],
});

describe('StatusServer', () => {
  test('reports the mode in force as kube-proxy does (spec H-30, H-31)', async () => {
    const { server, get } = await started();
    server.modeSelected({ mode: 'iptables' });
    expect(await get('/proxyMode')).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8', text: 'iptables' });
    expect(await get('/healthz')).toMatchObject({ status: 200, text: 'ok' });
  });

  test('explains a packet from the last programmed state', async () => {
    const { server, get } = await started();
    server.synced(synced(state));
    const { status, text } = await get('/debug/explain?source=10.244.0.9&destination=10.96.0.10&port=80&protocol=TCP');
    expect(status).toBe(200);
    const explanation = JSON.parse(text) as Explanation;
    expect(explanation).toMatchObject({ servicePort: 'work/web', outcome: { kind: 'forwarded' } });
    expect(explanation.endpoints.map(({ used }) => used)).toEqual([true, false]);
  });

  test('answers a question with names from the last programmed state', async () => {
    const { server, get } = await started();
    const path = '/debug/explain?source=pod/web-1&destination=svc/web:80&namespace=work';
    expect(await get(path)).toMatchObject({ status: 503, text: 'nothing is programmed yet\n' });
    server.synced(synced(state));
    const { status, text } = await get(path);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      cases: [
        {
          client: { kind: 'pod', name: 'pod work/web-1', address: '10.244.0.5' },
          via: 'ClusterIP',
          explanation: { servicePort: 'work/web', outcome: { kind: 'forwarded' } },
        },
      ],
    });
  });

  test('lists the objects that the states were resolved from, as a manifest', async () => {
    const { server, get } = await started({ nodeName: 'node1' });
    server.modeSelected({ mode: 'nftables' });
    server.synced(synced(state));
    server.nodeEvent({ metadata: { name: 'node2' }, spec: { podCIDRs: ['10.244.2.0/24'] } });
    server.nodeEvent({ metadata: { name: 'node1' }, spec: { podCIDRs: ['10.244.1.0/24'] } });
    const { status, text } = await get('/debug/objects');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      ...{ apiVersion: 'v1', kind: 'List', mode: 'nftables', families: ['IPv4'] },
      items: [
        { kind: 'Node', metadata: { name: 'node1' }, spec: { podCIDRs: ['10.244.1.0/24'] } },
        { kind: 'Service', metadata: { namespace: 'work', name: 'web' }, spec: { clusterIP: '10.96.0.10' } },
        {
          kind: 'EndpointSlice',
          metadata: { name: 'web-1' },
          endpoints: [
            { addresses: ['10.244.0.5'], targetRef: { kind: 'Pod', name: 'web-1' } },
            { addresses: ['10.244.0.6'], conditions: { ready: false } },
          ],
        },
      ],
    });
    expect(await get('/debug/objects', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  test('lists service ports with their connections, if the mode counts them', async () => {
    const metric = { metric: 'acme_connections_total', value: 7 };
    const labels = { service: 'work/web', protocol: 'TCP', ip_family: 'IPv4' };
    const counted = (value: number) =>
      new TrafficCounts([{ ...metric, labels, value }], new Map([['acme_connections_total', 'connections']]));
    let counts = counted(7);
    let isReading = true;
    const { server, get } = await started({ counts: () => counts, isReadingCounts: () => isReading });
    server.synced(synced(state));
    const list = JSON.parse((await get('/debug/services')).text) as { servicePorts: readonly ServicePortView[] };
    expect(list.servicePorts.map(({ connections }) => connections)).toEqual([7]);
    // The answer does not wait: the client may retry.
    expect(list).toMatchObject({ readingCounts: true });
    isReading = false;
    expect(JSON.parse((await get('/debug/services')).text)).not.toHaveProperty('readingCounts');
    const first = await get('/debug/services?limit=5');
    expect(JSON.parse(first.text).servicePorts).toMatchObject([{ connections: 7 }]);
    const again = { headers: { 'If-None-Match': first.etag } };
    expect((await get('/debug/services?limit=5', again)).status).toBe(304);
    counts = counted(8);
    const next = await get('/debug/services?limit=5', again);
    expect(JSON.parse(next.text).servicePorts).toMatchObject([{ connections: 8 }]);
    const { server: other, get: getOther } = await started();
    other.synced(synced(state));
    expect((await getOther('/debug/services')).text).not.toContain('connections');
  });

  test.each([
    ['/debug/explain?source=10.0.0.1&destination=nonsense&port=80', 400, 'destination is not an IP address'],
    ['/debug/explain?source=nonsense&destination=10.96.0.10&port=80', 400, 'not an IP address'],
    ['/debug/explain?source=10.0.0.1&destination=10.96.0.10&port=0', 400, 'not a port'],
    ['/debug/explain?source=10.0.0.1&destination=10.96.0.10&port=80&protocol=ICMP', 400, 'TCP, UDP, SCTP'],
    ['/debug/explain?source=fd00::1&destination=fd00::2&port=80', 503, 'nothing is programmed for IPv6'],
    ['/debug/explain?source=pod/web-1&destination=svc/wob&namespace=work', 404, 'did you mean svc/web?'],
    ['/debug/explain?destination=svc/work/web&via=tunnel', 400, '--via: "tunnel" must be one of'],
    ['/debug/explain', 400, 'destination "" must be an IP address and a port'],
    ['/elsewhere', 404, '/debug/explain'],
  ])('%s is answered with %i', async (path, status, text) => {
    const { server, get } = await started();
    server.synced(synced(state));
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  test('lists the first service ports that match a search, with their total', async () => {
    const { server, get } = await started();
    server.synced(synced(state));
    expect(JSON.parse((await get('/debug/services?limit=5&search=ork/we')).text)).toMatchObject({
      total: 1,
      servicePorts: [{ namespace: 'work', name: 'web' }],
    });
    expect(JSON.parse((await get('/debug/services?limit=5&search=nothing')).text)).toMatchObject({
      total: 0,
      servicePorts: [],
    });
  });

  test('a client that has the first service ports of the same states gets 304', async () => {
    const { server, get } = await started();
    server.synced(synced(state));
    const url = `http://127.0.0.1:${server.address?.port}/debug/services?limit=5`;
    const tag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await get('/debug/services?limit=5', { headers: { 'If-None-Match': tag } })).status).toBe(304);
    server.synced(synced({ ...state, revision: state.revision + 1 }));
    expect((await get('/debug/services?limit=5', { headers: { 'If-None-Match': tag } })).status).toBe(200);
    const { server: restarted } = await started();
    restarted.synced(synced(state));
    const other = `http://127.0.0.1:${restarted.address?.port}/debug/services?limit=5`;
    expect((await fetch(other, { headers: { 'If-None-Match': tag } })).status).toBe(200);
  });

  test.each(['0', '-1', '1001', 'many', '1e99', ''])('a limit of "%s" is refused', async (limit) => {
    const { get } = await started();
    expect(await get(`/debug/services?limit=${limit}`)).toMatchObject({
      status: 400,
      text: 'limit must be a whole number from 1 to 1000\n',
    });
  });

  test('/metrics/slis exists for scrapers, and is empty as in kube-proxy (spec H-32)', async () => {
    const { get } = await started({ metrics: new Registry() });
    expect(await get('/metrics/slis')).toMatchObject({ status: 200, text: '' });
  });

  test('an unknown path is answered with the served paths, which depend on the options', async () => {
    const { get } = await started();
    expect(await get('/configz')).toMatchObject({
      status: 404,
      text: 'not found; use /healthz, /proxyMode, /debug/state, /debug/services, /debug/objects or /debug/explain\n',
    });
    const { get: ask } = await started({ metrics: new Registry(), configuration: () => ({}) });
    expect((await ask('/nothing')).text).toContain('/metrics, /configz, ');
  });

  test('methods other than GET and HEAD are refused, and the allowed ones are listed', async () => {
    const { server, get } = await started({ profiling: {} });
    const paths = ['/proxyMode', '/healthz', '/debug/state', '/debug/pprof/heap', '/debug/pprof/profile', '/elsewhere'];
    for (const path of paths) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        expect(await get(path, { method })).toMatchObject({
          status: 405,
          text: expect.stringContaining('use GET, HEAD'),
        });
      }
    }
    const response = await fetch(`http://127.0.0.1:${server.address?.port}/proxyMode`, { method: 'POST' });
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(await get('/debug/flags/v', { method: 'POST' })).toMatchObject({ status: 405 });
    expect(await get('/healthz', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  describe('a malformed request', () => {
    /** The status of a request that is sent verbatim. */
    function send(port: number | undefined, text: string): Promise<string> {
      return new Promise((resolve, reject) => {
        let answer = '';
        const socket = connect(port ?? 0, '127.0.0.1', () => socket.end(text));
        socket.on('data', (data) => {
          answer += data;
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
      });
    }

    test.each([
      'GET //',
      'GET //evil.example/debug/state',
      'GET http://',
      'GET http:///x',
      'GET http://[::',
      'GET *',
      'GET ?x',
      'GET file:///etc/passwd',
      'GET example.com:80',
    ])('%s is refused with 400, and writes nothing to the log', async (line) => {
      const logger = new RecordingLogger();
      const { server } = await started({ logger });
      for (let round = 0; round < 20; round++) {
        expect(await send(server.address?.port, `${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toContain(' 400 ');
      }
      expect(logger.entries).toEqual([]);
    });

    test.each([
      ['GET /proxyMode HTTP/1.0\r\n\r\n', ' 200 '],
      ['GET /proxyMode HTTP/1.1\r\n\r\n', ' 400 '],
      ['GET http://127.0.0.1/proxyMode HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', ' 200 '],
      ['GET http://[::1]:10249/proxyMode HTTP/1.1\r\nHost: [::1]\r\n\r\n', ' 200 '],
      ['GET http://evil.example/proxyMode HTTP/1.1\r\nHost: localhost\r\n\r\n', ' 403 '],
      ['GET http://no-host.invalid/proxyMode HTTP/1.1\r\nHost: evil.example\r\n\r\n', ' 403 '],
    ])('%j is answered with%s', async (text, status) => {
      const { server } = await started();
      expect(await send(server.address?.port, text)).toContain(status);
    });

    test('a response that fails repeatedly is logged once a minute', async () => {
      const logger = new RecordingLogger();
      const clock = new VirtualClock();
      const { get } = await started({
        clock,
        logger,
        configuration: () => {
          throw new Error('no configuration today');
        },
      });
      for (let round = 0; round < 20; round++) {
        expect((await get('/configz')).status).toBe(500);
      }
      expect(logger.errors).toEqual(['The status server could not answer a request: no configuration today']);
      await clock.advance(60_000);
      expect((await get('/configz')).status).toBe(500);
      expect(logger.errors[1]).toContain('(20 times): no configuration today');
    });
  });

  describe('a web page cannot read responses by a name of its own that resolves to this server (DNS rebinding)', () => {
    function ask(port: number | undefined, host: string, path = '/debug/state'): Promise<number | undefined> {
      return new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, path, headers: { Host: host }, agent: false }, (response) => {
          resolve(response.resume().statusCode);
        })
          .on('error', reject)
          .end();
      });
    }

    test.each([
      ['evil.example', 403],
      ['evil.example:10249', 403],
      ['localhost.evil.example', 403],
      ['127.0.0.1.evil.example', 403],
      ['127.1', 403],
      ['0x7f000001', 403],
      ['node-1.evil.example', 403],
      ['evil@localhost', 403],
      ['localhost evil.example', 403],
      ['[::1', 403],
      ['localhost', 200],
      ['LOCALHOST.:10249', 200],
      ['127.0.0.1:10249', 200],
      ['[::1]:10249', 200],
      ['192.168.0.2', 200],
      ['[fe80::1%25eth0]:10249', 200],
      ['node-1', 200],
      ['Node-1:10249', 200],
    ])('Host: %s is answered with %i', async (host, status) => {
      const { server } = await started({ hostNames: ['node-1', ''] });
      expect(await ask(server.address?.port, host)).toBe(status);
    });

    test('metrics, the configuration and profiles are protected as well', async () => {
      const options = { metrics: new Registry(), configuration: () => ({}), profiling: {} };
      const { server } = await started(options);
      for (const path of ['/metrics', '/configz', '/debug/pprof/heap', '/debug/flags/v', '/proxyMode', '/healthz']) {
        expect(await ask(server.address?.port, 'evil.example', path)).toBe(403);
      }
    });
  });

  describe('profiling (spec H-34)', () => {
    test('is served only if it is enabled', async () => {
      const { get } = await started();
      for (const path of ['/debug/pprof/', '/debug/pprof/profile', '/debug/pprof/heap', '/debug/flags/v']) {
        expect(await get(path)).toMatchObject({ status: 404 });
      }
    });

    test('a CPU profile names the function that takes the time', async () => {
      const clock = new VirtualClock();
      const { get } = await started({ profiling: {}, clock });
      expect((await get('/debug/pprof/')).text).toContain('/debug/pprof/profile?seconds=30');
      const asked = get('/debug/pprof/profile?seconds=5');
      await until(() => clock.pending === 1);
      expect(await get('/debug/pprof/profile?seconds=5')).toMatchObject({
        status: 503,
        text: expect.stringContaining('another CPU profile'),
      });
      burn();
      await clock.advance(5000);
      const { status, text } = await asked;
      expect(status).toBe(200);
      const { nodes } = JSON.parse(text) as { nodes: readonly { callFrame: { functionName: string } }[] };
      expect(nodes.map(({ callFrame }) => callFrame.functionName)).toContain('burn');
    });

    test('a client that disconnects ends its profile', async () => {
      const clock = new VirtualClock();
      const { get } = await started({ profiling: {}, clock });
      const gone = new AbortController();
      const asked = get('/debug/pprof/profile', { signal: gone.signal });
      await until(() => clock.pending === 1);
      gone.abort();
      await expect(asked).rejects.toThrow('abort');
      await until(() => clock.pending === 0);
    });

    test.each(['0', '-1', '301', 'x'])('a profile of %s seconds is refused', async (seconds) => {
      const { get } = await started({ profiling: {} });
      expect(await get(`/debug/pprof/profile?seconds=${seconds}`)).toMatchObject({ status: 400 });
    });

    test('the verbosity can be set while it runs', async () => {
      const levels: number[] = [];
      const { get } = await started({ profiling: { setVerbosity: (level) => void levels.push(level) } });
      const put = (body: string) => get('/debug/flags/v', { method: 'PUT', body });
      expect(await put('4')).toMatchObject({ status: 200, text: 'successfully set klog.logging.verbosity to 4' });
      expect(await put('0\n')).toMatchObject({ status: 200 });
      for (const wrong of ['', '-1', '4.5', 'v', '9'.repeat(100_000)]) {
        expect(await put(wrong)).toMatchObject({ status: 400, text: expect.stringContaining('such as 4') });
      }
      expect(await get('/debug/flags/v')).toMatchObject({ status: 405 });
      expect(levels).toEqual([4, 0]);

      const without = await started({ profiling: {} });
      expect(await without.get('/debug/flags/v', { method: 'PUT', body: '4' })).toMatchObject({ status: 501 });
    });
  });

  test('a port in use is logged and retried until it is free', async () => {
    const occupant = createServer();
    occupant.unref();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const address = occupant.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const logger = new RecordingLogger();
    const clock = new VirtualClock();
    const { server } = await started({
      port,
      clock,
      logger,
    });
    expect(server.address).toBeUndefined();
    expect(logger.errors[0]).toMatch(/cannot listen on 127\.0\.0\.1:\d+; retrying: .*; another process uses the port/);
    expect(server.obstacle).toMatch(/^status server cannot listen on 127\.0\.0\.1:\d+/);
    await new Promise((resolve) => occupant.close(resolve));
    await clock.advance(5000);
    while (!server.address) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.address.port).toBe(port);
    expect(server.obstacle).toBeUndefined();
    expect(logger.errors).toHaveLength(1);
    expect(logger.lines.at(-1)).toMatch(/^I The status server listens on 127\.0\.0\.1:\d+ now/);
  });
});
