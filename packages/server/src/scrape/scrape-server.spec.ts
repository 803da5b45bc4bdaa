import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Clock, systemClock } from '@kube-proxier/core';
import { RecordingLogger, until, VirtualClock } from '@kube-proxier/core/testing';
import { Counter, Registry } from 'prom-client';
import { CachedAccess } from './cached-access.js';
import type { AccessDecision, AccessReviewer, ScrapeOptions } from './scrape-options.js';
import { ScrapeServer, type ScrapeServerOptions } from './scrape-server.js';
import { selfSignedCertificate } from './self-signed-certificate.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** A reviewer with a few tokens, which counts reviews. */
class TokenReviewer implements AccessReviewer {
  readonly tokens: string[] = [];
  readonly decisions = new Map<string, AccessDecision>([
    ['reader', 'allowed'],
    ['visitor', 'forbidden'],
  ]);
  failure: Error | undefined;
  hangs = false;
  closed = false;

  async review(token: string): Promise<AccessDecision> {
    this.tokens.push(token);
    if (this.hangs) {
      await new Promise(() => {});
    }
    if (this.failure) {
      throw this.failure;
    }
    return this.decisions.get(token) ?? 'unauthenticated';
  }

  close(): void {
    this.closed = true;
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Question {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly token?: string;
  readonly tls?: boolean;
}

function ask(server: ScrapeServer, { path = '/metrics', method = 'GET', headers = {}, token, tls = true }: Question) {
  const options = {
    host: '127.0.0.1',
    port: server.address?.port ?? 0,
    path,
    method,
    agent: false,
    headers: { ...headers, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) } as never,
    rejectUnauthorized: false,
  };
  return new Promise<Answer>((resolve, reject) => {
    const request = (tls ? requestHttps : requestHttp)(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on('error', reject);
    request.end();
  });
}

function registry(): Registry {
  const metrics = new Registry();
  new Counter({ name: 'secret_total', help: 'What only readers may see', registers: [metrics] }).inc(3);
  return metrics;
}

async function start(options: Partial<ScrapeServerOptions> & Pick<ScrapeOptions, 'access'>): Promise<ScrapeServer> {
  const server = new ScrapeServer({ host: '127.0.0.1', port: 0, metrics: registry(), ...options });
  stops.push(() => server.stop());
  await server.start();
  return server;
}

describe('ScrapeServer', () => {
  test('serves metrics to authorized users only', async () => {
    const access = new TokenReviewer();
    const server = await start({ access });
    expect(await ask(server, { token: 'reader' })).toMatchObject({
      status: 200,
      body: expect.stringMatching(/^secret_total 3$/m),
    });
    const refused: readonly (readonly [number, Question])[] = [
      [401, {}],
      [401, { token: 'unknown' }],
      [403, { token: 'visitor' }],
      [401, { headers: { Authorization: 'Basic cmVhZGVyOng=' } }],
      [401, { headers: { Authorization: 'Bearer' } }],
      [401, { headers: { Authorization: 'Bearer ' } }],
      [401, { headers: { Authorization: 'Bearer reader visitor' } }],
      [401, { headers: { Authorization: 'Bearer read\u00e9r' } }],
      [401, { headers: { Authorization: ['Bearer visitor', 'Bearer reader'] } }],
      [401, { headers: { 'X-Remote-User': 'system:admin', 'X-Forwarded-For': '127.0.0.1' } }],
      [401, { path: '/metrics?access_token=reader' }],
    ];
    for (const [status, question] of refused) {
      const answer = await ask(server, question);
      expect({ question, status: answer.status }).toEqual({ question, status });
      expect(answer.body).not.toContain('secret');
      expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    }
    expect(access.tokens.sort()).toEqual(['reader', 'unknown', 'visitor']);
  });

  test('serves no other path and no other method', async () => {
    const server = await start({ access: new TokenReviewer() });
    for (const path of [
      ...[
        '/',
        '/metrics/',
        '/metrics/slis',
        '//metrics',
        '/METRICS',
        '/%6detrics',
        '/healthz',
        '/configz',
        '/proxyMode',
      ],
      ...['/debug/state', '/debug/status', '/debug/pprof/heap', '/x/../debug/state', '/metrics%2f..%2fdebug'],
    ]) {
      expect({ path, status: (await ask(server, { path, token: 'reader' })).status }).toEqual({ path, status: 404 });
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const answer = await ask(server, { method, token: 'reader' });
      expect({ method, status: answer.status, allow: answer.headers.allow }).toEqual({
        method,
        status: 405,
        allow: 'GET, HEAD',
      });
    }
    expect(await ask(server, { method: 'HEAD', token: 'reader' })).toMatchObject({ status: 200, body: '' });
    expect(await ask(server, { path: '/metrics?x=1', token: 'reader' })).toMatchObject({ status: 200 });
  });

  test('serves nothing while tokens cannot be reviewed, and again afterwards', async () => {
    const clock = new VirtualClock();
    const logger = new RecordingLogger();
    const access = new TokenReviewer();
    let failures = 0;
    const server = await start({ access, logger, clock, onFailure: () => (failures += 1) });
    access.failure = new Error('connect ECONNREFUSED 10.0.0.1:6443');
    expect(await ask(server, { token: 'reader' })).toMatchObject({
      status: 503,
      body: expect.stringMatching(/cannot be reviewed/),
    });
    expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 503 });
    expect(failures).toBe(2);
    expect(logger.messages('warn')).toEqual([
      'Requests for metrics were refused (1), as they could not be reviewed: connect ECONNREFUSED 10.0.0.1:6443',
    ]);
    // Failures are not cached.
    access.failure = undefined;
    expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 200 });
    // A formerly allowed token is not served either after its expiry.
    access.failure = new Error('away again');
    expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 200 });
    await clock.advance(60_000);
    expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 503 });
  });

  test('a review without an answer times out', async () => {
    const clock = new VirtualClock();
    const access = new TokenReviewer();
    access.hangs = true;
    const server = await start({ access, clock });
    const answer = ask(server, { token: 'reader' });
    await until(() => access.tokens.length === 1);
    await clock.advance(8000);
    expect(await answer).toMatchObject({ status: 503 });
  });

  test('stops at once during reviews and handshakes', async () => {
    const access = new TokenReviewer();
    access.hangs = true;
    const server = await start({ access });
    const answer = ask(server, { token: 'reader' }).catch(() => 'closed');
    await until(() => access.tokens.length === 1);
    const silent = await openConnection(server);
    await server.stop();
    expect(access.closed).toBe(true);
    await until(() => silent.destroyed);
    expect(await answer).toBe('closed');
    expect(server.address).toBeUndefined();
  });

  test('plain HTTP without authorization is served when configured', async () => {
    const server = await start({ access: 'everybody', tls: 'none' });
    expect(await ask(server, { tls: false })).toMatchObject({
      status: 200,
      body: expect.stringMatching(/^secret_total 3$/m),
    });
    expect(await ask(server, { tls: false, path: '/debug/state' })).toMatchObject({ status: 404 });
  });

  test('HTTPS does not answer plain HTTP', async () => {
    const server = await start({ access: new TokenReviewer() });
    await expect(ask(server, { tls: false, token: 'reader' })).rejects.toThrow();
  });

  test('a request with large headers is refused before its token is reviewed', async () => {
    const access = new TokenReviewer();
    const server = await start({ access });
    expect(await ask(server, { token: 'x'.repeat(8000) })).toMatchObject({ status: 401 });
    const large = ask(server, { token: 'x'.repeat(100_000) }).then(
      ({ status }) => status,
      () => 'reset',
    );
    expect([431, 'reset']).toContain(await large);
    expect(access.tokens.map(({ length }) => length)).toEqual([8000]);
    expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 200 });
  });

  test('slow clients are disconnected, in the handshake and in the headers, while other clients are served', async () => {
    const server = await start({ access: new TokenReviewer() });
    const inHandshake = await openConnection(server);
    const inHeaders = connectTls({ host: '127.0.0.1', port: server.address?.port ?? 0, rejectUnauthorized: false });
    inHeaders.on('error', () => {});
    await new Promise((resolve) => inHeaders.once('secureConnect', resolve));
    inHeaders.write('GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    inHeaders.resume();
    const drip = setInterval(() => inHeaders.write('x'), 100);
    stops.push(() => clearInterval(drip));
    expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 200 });
    await until(() => inHandshake.destroyed && inHeaders.destroyed);
  });

  test('a client that opens many connections loses the idle ones, not those in use', async () => {
    const server = await start({ access: new TokenReviewer() });
    // Connections of the node itself have room for 64.
    const sockets = await Promise.all(Array.from({ length: 80 }, () => openConnection(server)));
    await until(() => sockets.filter(({ destroyed }) => destroyed).length >= 16);
    expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 200 });
  });

  test('a connection in use survives any number of idle ones', async () => {
    const server = await start({ access: new TokenReviewer() });
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    stops.push(() => agent.destroy());
    const sockets = new Set<unknown>();
    const scrape = () =>
      new Promise<number>((resolve, reject) => {
        const port = server.address?.port ?? 0;
        const headers = { Authorization: 'Bearer reader' };
        requestHttps({ host: '127.0.0.1', port, path: '/metrics', agent, headers }, (response) => {
          sockets.add(response.socket);
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        })
          .on('error', reject)
          .end();
      });
    for (let round = 0; round < 4; round += 1) {
      expect(await scrape()).toBe(200);
      // Connections of the node itself have room for 64, this one included.
      await Promise.all(Array.from({ length: 40 }, () => openConnection(server)));
      // Connections are accepted in their order: all of them are when a later one is answered.
      expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 200 });
    }
    expect(await scrape()).toBe(200);
    expect(sockets.size).toBe(1);
  });

  test('uses the certificate of files, and a renewed one; an invalid one is reported, and not used', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-scrape-'));
    stops.push(() => rmSync(directory, { recursive: true }));
    const tls = { certificate: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
    const write = (name: string, key?: string) => {
      const made = selfSignedCertificate(name);
      writeFileSync(tls.certificate, made.certificate);
      writeFileSync(tls.key, key ?? made.key);
    };
    const clock = new VirtualClock();
    const logger = new RecordingLogger();
    const server = await start({ access: new TokenReviewer(), tls, clock, logger });
    expect(server.address).toBeUndefined();
    expect(logger.errors).toEqual([expect.stringContaining('tls.crt cannot be used with the key')]);
    expect(server.obstacle).toMatch(
      /^metrics server does not listen; retrying: the certificate .*tls\.crt cannot be used/,
    );
    write('first.example');
    await clock.advance(5000);
    await until(() => server.address !== undefined);
    expect(await presentedName(server)).toBe('first.example');
    expect(server.obstacle).toBeUndefined();
    write('second.example');
    await clock.advance(60_000);
    await until(() => logger.messages('info').some((line) => line.includes('new certificate')));
    expect(await presentedName(server)).toBe('second.example');
    write('third.example', selfSignedCertificate('other').key);
    await clock.advance(60_000);
    await until(() => logger.errors.length === 2);
    expect(logger.errors[1]).toMatch(/previous certificate: .* not that of the certificate/);
    expect(server.obstacle).toMatch(
      /^metrics server continues with its previous certificate: .*tls\.crt cannot be used/,
    );
    expect(await presentedName(server)).toBe('second.example');
    expect(await ask(server, { token: 'reader' })).toMatchObject({ status: 200 });
  });

  test('a certificate that cannot be read is fatal with hardFail', async () => {
    const tls = { certificate: '/does/not/exist', key: '/does/not/exist' };
    const server = new ScrapeServer({
      ...{ host: '127.0.0.1', port: 0, metrics: registry(), access: 'everybody', tls, hardFail: true },
    });
    await expect(server.start()).rejects.toMatchObject({ code: 'CERTIFICATE_UNREADABLE' });
    await server.stop();
  });

  test('a port in use is retried', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const clock = new VirtualClock();
    const server = await start({ access: 'everybody', port, clock });
    expect(server.address).toBeUndefined();
    await new Promise((resolve) => other.close(resolve));
    await clock.advance(5000);
    await until(() => server.address !== undefined);
    expect(await ask(server, {})).toMatchObject({ status: 200 });
  });
});

describe('selfSignedCertificate', () => {
  test.each([
    ['now', Date.now()],
    ['a clock that is wrong by decades', Date.UTC(2080, 0, 1)],
  ])('is a certificate of its own key (%s)', async (_when, now) => {
    const { X509Certificate, createPrivateKey } = await import('node:crypto');
    const { certificate, key } = selfSignedCertificate('node-1', now);
    const parsed = new X509Certificate(certificate);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(parsed.subject).toBe('CN=node-1');
    expect(parsed.subjectAltName).toBe('DNS:node-1');
    expect(parsed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(Date.parse(parsed.validFrom)).toBeLessThan(now);
    expect(Date.parse(parsed.validTo)).toBeGreaterThan(now + 3600 * 86_400_000);
  });
});

describe('CachedAccess', () => {
  const make = (clock: Clock = new VirtualClock()) => {
    const reviewer = new TokenReviewer();
    return { reviewer, access: new CachedAccess(reviewer, clock) };
  };

  test('keeps a decision for a while: 60 s when it allows, else 10 s', async () => {
    const clock = new VirtualClock();
    const { reviewer, access } = make(clock);
    const decide = () => Promise.all(['reader', 'visitor', 'unknown'].map((token) => access.decide(token, 'a')));
    expect(await decide()).toEqual(['allowed', 'forbidden', 'unauthenticated']);
    reviewer.decisions.clear();
    reviewer.decisions.set('visitor', 'allowed');
    await clock.advance(9999);
    expect(await decide()).toEqual(['allowed', 'forbidden', 'unauthenticated']);
    expect(reviewer.tokens).toHaveLength(3);
    await clock.advance(1);
    expect(await decide()).toEqual(['allowed', 'allowed', 'unauthenticated']);
    await clock.advance(50_000);
    expect(await decide()).toEqual(['unauthenticated', 'allowed', 'unauthenticated']);
  });

  test('the same token at the same time is reviewed once', async () => {
    const { reviewer, access } = make();
    expect(await Promise.all(Array.from({ length: 20 }, () => access.decide('reader', 'a')))).toEqual(
      Array(20).fill('allowed'),
    );
    expect(reviewer.tokens).toEqual(['reader']);
  });

  test('a client with ever new tokens costs one review per second, and does not affect other clients', async () => {
    const clock = new VirtualClock();
    const { reviewer, access } = make(clock);
    expect(await access.decide('reader', 'prometheus')).toBe('allowed');
    let busy = 0;
    for (let second = 0; second < 50; second += 1) {
      for (let index = 0; index < 100; index += 1) {
        busy += (await access.decide(randomBytes(8).toString('hex'), 'attacker')) === 'busy' ? 1 : 0;
      }
      await clock.advance(1000);
    }
    expect(reviewer.tokens.length).toBeLessThanOrEqual(1 + 10 + 50);
    expect(busy).toBeGreaterThan(4900);
    // Neither the decision nor the reviews of another client are affected.
    expect(await access.decide('reader', 'prometheus')).toBe('allowed');
    expect(await access.decide('visitor', 'prometheus')).toBe('forbidden');
    await clock.advance(20_000);
    expect(await access.decide('another', 'attacker')).toBe('unauthenticated');
  });

  test('memory is bounded, and denied tokens do not evict allowed ones', async () => {
    const { reviewer, access } = make();
    await access.decide('reader', 'prometheus');
    for (let index = 0; index < 3000; index += 1) {
      await access.decide(`token-${index}`, `client-${index}`);
    }
    expect(access.size).toBe(1024 + 1);
    const reviews = reviewer.tokens.length;
    expect(await access.decide('reader', 'prometheus')).toBe('allowed');
    expect(reviewer.tokens).toHaveLength(reviews);
  });

  test('at most 32 reviews run at a time', async () => {
    const { reviewer, access } = make(systemClock);
    reviewer.hangs = true;
    const decisions = Array.from({ length: 40 }, (_, index) => access.decide(`token-${index}`, `client-${index}`));
    const settled = Promise.allSettled(decisions);
    await until(() => reviewer.tokens.length === 32);
    access.stop();
    const outcomes = (await settled).map((one) => (one.status === 'fulfilled' ? one.value : 'stopped'));
    expect(outcomes).toEqual([...Array(32).fill('stopped'), ...Array(8).fill('busy')]);
    await expect(access.decide('late', 'a')).rejects.toMatchObject({ code: 'REVIEW_STOPPED' });
  });
});

/** A connection that sends nothing. */
async function openConnection(server: ScrapeServer): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: server.address?.port ?? 0 });
  socket.on('error', () => {});
  socket.resume();
  stops.push(() => socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** Common name of the certificate that a client sees. */
async function presentedName(server: ScrapeServer): Promise<unknown> {
  const socket = connectTls({ host: '127.0.0.1', port: server.address?.port ?? 0, rejectUnauthorized: false });
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return name;
}
