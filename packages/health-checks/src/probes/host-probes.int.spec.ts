import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeService, until } from '@kube-proxier/core/testing';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { HEALTH_CHECK_ANNOTATION, readHealthCheck } from '../check-settings.js';
import type { ProbeResult } from './health-probe.js';
import { HostProbes } from './host-probes.js';

const whereAllowed = canMakeNamespaces() ? test : test.skip;

describe('HostProbes', () => {
  let directory: string;
  let probes: HostProbes;
  let server: Server | HttpServer | undefined;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'health-checks-'));
    probes = new HostProbes(directory);
  });

  afterEach(async () => {
    probes.stop();
    if (server) {
      server.close();
      if ('closeAllConnections' in server) {
        server.closeAllConnections();
      }
      await once(server, 'close');
      server = undefined;
    }
    rmSync(directory, { recursive: true, force: true });
  });

  async function listen(made: Server | HttpServer, host = '127.0.0.1'): Promise<number> {
    server = made;
    made.listen({ port: 0, host });
    await once(made, 'listening');
    const address = made.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  /** @param annotations by the end of their names. */
  function check(port: number, annotations: Readonly<Record<string, string>>, address = '127.0.0.1') {
    const named = Object.entries(annotations).map(([name, value]) => [`${HEALTH_CHECK_ANNOTATION}${name}`, value]);
    const service = makeService('web', {}, { metadata: { name: 'web', annotations: Object.fromEntries(named) } });
    const { settings, problems } = readHealthCheck(service, { allowScripts: true, allowNamespaces: true });
    if (!settings) {
      throw new Error(problems.join());
    }
    const family = address.includes(':') ? 'IPv6' : 'IPv4';
    const probe = probes.create({ address, port, family, settings, service: 'default/web' });
    return new Promise<Omit<ProbeResult, 'milliseconds'>>((resolve, reject) => {
      let calls = 0;
      probe(({ outcome, reason }) => {
        calls += 1;
        if (calls > 1) {
          reject(new Error('called back twice'));
        }
        resolve({ outcome, reason });
      });
    });
  }

  const script = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };

  const passed = { outcome: 'passed', reason: '' };
  const refused = { outcome: 'refused', reason: 'connection refused' };

  test.each(['127.0.0.1', '::1'])(
    'tcp: a listener on %s passes, and without it the connection is refused',
    async (host) => {
      const port = await listen(createTcpServer(), host);
      expect(await check(port, { '': 'tcp' }, host)).toEqual(passed);
      server?.close();
      expect(await check(port, { '': 'tcp' }, host)).toEqual(refused);
    },
  );

  test('http: the status decides; path and host are as in the annotations', async () => {
    const requests: string[] = [];
    const port = await listen(
      createServer(({ method, url, headers }, response) => {
        requests.push(`${method} ${headers.host} ${url}`);
        response.writeHead(Number(url?.slice(1, 4)), { Location: '/200' });
        response.end('x'.repeat(100_000));
      }),
    );
    const status = (code: number) => ({ outcome: 'status', reason: `HTTP status ${code}` });
    expect(await check(port, { '': 'http:/200?a=b' })).toEqual(passed);
    expect(await check(port, { '': 'http:/302', '-host': 'shop.example' })).toEqual(passed);
    expect(await check(port, { '': 'http:/404' })).toEqual(status(404));
    expect(await check(port, { '': 'http:/503', '-expected-status': '200,503' })).toEqual(passed);
    expect(await check(port, { '': 'http:/302', '-expected-status': '200-299' })).toEqual(status(302));
    expect(requests.slice(0, 2)).toEqual([`GET 127.0.0.1:${port} /200?a=b`, 'GET shop.example /302']);
    server?.close();
    expect(await check(port, { '': 'http:/200' })).toEqual(refused);
  });

  test('http: a server without an answer, with an invalid one, or that disconnects does not pass', async () => {
    let answer: string | undefined = 'nonsense\r\n\r\n';
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => (answer === undefined ? undefined : socket.end(answer)));
      }),
    );
    expect(await check(port, { '': 'http' })).toMatchObject({ outcome: 'failed' });
    answer = '';
    expect(await check(port, { '': 'http' })).toEqual({ outcome: 'refused', reason: 'connection reset' });
    answer = undefined;
    expect(await check(port, { '': 'http', '-timeout': '100ms' })).toEqual({
      outcome: 'timeout',
      reason: 'no answer within 100 ms',
    });
  });

  test('http: a process that was busy reads the answer before it decides; without an answer, the check still fails', async () => {
    const port = await listen(createServer(({ url }, response) => url === '/' && response.end('ok')));
    const busy = (annotations: Readonly<Record<string, string>>) => {
      const result = check(port, { ...annotations, '-timeout': '300ms' });
      const end = performance.now() + 600;
      while (performance.now() < end) {
        // Nothing else runs meanwhile.
      }
      return result;
    };
    expect(await busy({ '': 'http:/' })).toEqual({ outcome: 'passed', reason: '' });
    expect(await busy({ '': 'http:/never' })).toEqual({ outcome: 'timeout', reason: 'no answer within 300 ms' });
  });

  test('https: a certificate of an unknown authority passes, unless it is to be verified', async () => {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const request = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '1', '-subj', '/CN=shop.example', ...request], {
      stdio: 'ignore',
    });
    const names: unknown[] = [];
    const https = createHttpsServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ socket }, response) => {
      names.push('servername' in socket ? socket.servername : undefined);
      response.end();
    });
    const port = await listen(https);
    expect(await check(port, { '': 'https:/', '-host': 'shop.example' })).toEqual(passed);
    expect(await check(port, { '': 'https:/' })).toEqual(passed);
    expect(names).toEqual(['shop.example', false]);
    expect(await check(port, { '': 'https:/', '-host': 'shop.example', '-tls-verify': 'true' })).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('self-signed'),
    });
  });

  test('script: the exit status decides, with address and port as arguments and in the environment', async () => {
    const out = join(directory, 'out');
    script(
      'show.sh',
      `echo "$1 $2 $HEALTH_CHECK_ADDRESS $HEALTH_CHECK_PORT $HEALTH_CHECK_SERVICE" > ${out}; [ "$2" = 80 ] || { echo "no slave" >&2; exit 3; }`,
    );
    expect(await check(80, { '': 'script:show.sh' })).toEqual(passed);
    expect(readFileSync(out, 'utf8')).toBe('127.0.0.1 80 127.0.0.1 80 default/web\n');
    expect(await check(81, { '': 'script:show.sh' })).toEqual({
      outcome: 'script',
      reason: 'the script show.sh ended with status 3: no slave',
    });
  });

  test('script: at the timeout, everything that it started is killed', async () => {
    const pids = join(directory, 'pids');
    script('hang.sh', `sleep 1000 & echo $! > ${pids}; wait`);
    expect(await check(80, { '': 'script:hang.sh', '-timeout': '500ms' })).toEqual({
      outcome: 'timeout',
      reason: 'the script hang.sh did not end within 500 ms',
    });
    const pid = Number(readFileSync(pids, 'utf8'));
    expect(pid).toBeGreaterThan(1);
    const isGone = () => {
      try {
        // A process that ended and was not awaited by its parent yet has no command line.
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '';
      } catch {
        return true;
      }
    };
    await until(isGone, 'the child of the script is gone');
  });

  test('script: one that is missing, or that others can change, is an error and does not affect the endpoint', async () => {
    expect(await check(80, { '': 'script:none.sh' })).toMatchObject({ outcome: 'error' });
    const marker = join(directory, 'marker');
    chmodSync(script('open.sh', `touch ${marker}`), 0o777);
    expect(await check(80, { '': 'script:open.sh' })).toEqual({
      outcome: 'error',
      reason: 'the script open.sh can be written to by other users; remove that with chmod go-w',
    });
    expect(() => readFileSync(marker)).toThrow('ENOENT');
  });

  whereAllowed('everything is checked from the network namespace of the annotation', async () => {
    const port = await listen(createServer((_request, response) => response.end()));
    await withNamespace(async ({ name, path, prefix: [, ...args] }) => {
      execFileSync('nsenter', [...args, 'ip', 'link', 'set', 'lo', 'up']);
      for (const kind of ['tcp', 'http:/']) {
        expect(await check(port, { '': kind })).toEqual(passed);
        expect(await check(port, { '': kind, '-namespace': name })).toEqual(refused);
      }
      script('where.sh', 'readlink /proc/self/ns/net >&2; exit 1');
      const inode = execFileSync('stat', ['-L', '-c', '%i', path], { encoding: 'utf8' }).trim();
      expect(await check(port, { '': 'script:where.sh', '-namespace': name })).toEqual({
        outcome: 'script',
        reason: `the script where.sh ended with status 1: net:[${inode}]`,
      });
    });
    expect(await check(port, { '': 'tcp', '-namespace': 'none-such' })).toMatchObject({ outcome: 'error' });
    expect(await check(port, { '': 'http:/', '-namespace': 'none-such' })).toMatchObject({ outcome: 'error' });
    expect(await check(port, { '': 'script:where.sh', '-namespace': 'none-such' })).toMatchObject({ outcome: 'error' });
  });

  test('a burst of checks against one address leaves nothing in TIME_WAIT', async () => {
    const port = await listen(createServer((_request, response) => response.end()));
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => check(port, { '': index % 2 === 0 ? 'tcp' : 'http:/' })),
    );
    const left = () =>
      execFileSync('ss', ['-Htan', 'state', 'time-wait', `( sport = :${port} or dport = :${port} )`], {
        encoding: 'utf8',
      });
    expect(left()).toBe('');
  });
});
