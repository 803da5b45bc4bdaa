import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { FakeApiServer, TestCertificateAuthority } from '@kube-proxier/source-kubernetes/testing';
import { runCommand } from './agent.js';
import { createAccessReviewer } from './create-access-reviewer.js';
import { fakeComposition } from './testing/fake-composition.js';

const PROMETHEUS = 'system:serviceaccount:monitoring:prometheus';

let api: FakeApiServer;
let directory: string;
let logger: RecordingLogger;
let abort: AbortController;
let status: Promise<number>;
let port: number;

/** An agent whose API server has one user with permission to read metrics, and one without. */
beforeEach(async () => {
  const authority = new TestCertificateAuthority();
  api = await FakeApiServer.start({
    tls: authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], use: 'server' }),
    tokens: new Set(['agent']),
  });
  api.users.set('prometheus', { username: PROMETHEUS, groups: ['system:serviceaccounts', 'system:authenticated'] });
  api.users.set('somebody', { username: 'somebody' });
  api.permissions.set(PROMETHEUS, new Set(['get /metrics']));
  directory = mkdtempSync(join(tmpdir(), 'kube-proxier-scrape-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const cluster = {
    server: api.url,
    'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
  };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: 'agent' } }],
    }),
  );
  port = await freePort();
  logger = new RecordingLogger();
  abort = new AbortController();
  status = runCommand(
    [
      ...[`--kubeconfig=${kubeconfig}`, '--metrics-bind-address=', '--healthz-bind-address=', '--hostname-override=n1'],
      ...['--proxy-mode=iptables', `--metrics-scrape-bind-address=127.0.0.1:${port}`],
    ],
    {
      composition: fakeComposition({ accessReviewer: createAccessReviewer }),
      print: () => {},
      printError: () => {},
      createLogger: () => logger,
      signal: abort.signal,
    },
  );
  await until(
    () => logger.has(/is running/),
    () => logger.lines.join('\n'),
  );
});

afterEach(async () => {
  abort.abort();
  await status;
  await api.stop();
  rmSync(directory, { recursive: true });
});

function scrape(token: string | undefined, path = '/metrics'): Promise<readonly [status: number, body: string]> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const options = { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false };
  return new Promise((resolve, reject) => {
    request(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve([response.statusCode ?? 0, body]));
    })
      .on('error', reject)
      .end();
  });
}

const reviews = () => api.requests.filter(({ resource }) => resource.endsWith('reviews')).length;

describe('--metrics-scrape-bind-address', () => {
  test('the API server authorizes access to metrics, and is not queried at every scrape', async () => {
    const [code, body] = await scrape('prometheus');
    expect(code).toBe(200);
    expect(body).toMatch(/^kube_proxier_proxy_mode_info\{/m);
    for (const [token, expected] of [
      [undefined, 401],
      ['wrong', 401],
      ['agent', 401],
      ['somebody', 403],
    ] as const) {
      const [refused, text] = await scrape(token);
      expect({ token, refused }).toEqual({ token, refused: expected });
      expect(text).not.toContain('kube');
    }
    const before = reviews();
    expect((await scrape('prometheus'))[0]).toBe(200);
    expect((await scrape('somebody'))[0]).toBe(403);
    expect(reviews()).toBe(before);
    for (const path of ['/', '/configz', '/debug/state', '/debug/flags/v', '/healthz']) {
      expect([path, (await scrape('prometheus', path))[0]]).toEqual([path, 404]);
    }
  });

  test.each([
    ['is away', () => api.goAway()],
    [
      'fails',
      () =>
        (api.faultFor = ({ resource }) => (resource === 'tokenreviews' ? { kind: 'status', code: 500 } : undefined)),
    ],
    ['gives the agent no permission', () => api.forbidden.add('tokenreviews')],
  ])('nobody reads metrics while the API server %s', async (_what, disturb) => {
    await disturb();
    const [code, body] = await scrape('prometheus');
    expect(code).toBe(503);
    expect(body).not.toContain('kube_proxier_');
    expect(logger.has(/Requests for metrics were refused \(1\)/)).toBe(true);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
