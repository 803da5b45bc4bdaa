import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FakeApiServer, TestCertificateAuthority } from '../testing/index.js';
import { MetricsAccessReviewer } from './metrics-access-reviewer.js';

let server: FakeApiServer;
let directory: string;
let reviewer: MetricsAccessReviewer;
const { signal } = new AbortController();

beforeEach(async () => {
  const authority = new TestCertificateAuthority();
  server = await FakeApiServer.start({
    tls: authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], use: 'server' }),
    tokens: new Set(['agent-token']),
  });
  directory = mkdtempSync(join(tmpdir(), 'kube-proxier-reviewer-'));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'ca.crt'), authority.certificate);
  writeFileSync(join(directory, 'token'), 'agent-token\n');
  const { hostname, port } = new URL(server.url);
  reviewer = new MetricsAccessReviewer({
    environment: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    serviceAccountDirectory: directory,
    timeout: 500,
  });
  server.users.set('reader', {
    username: 'system:serviceaccount:monitoring:prometheus',
    groups: ['system:serviceaccounts'],
  });
  server.users.set('visitor', { username: 'visitor' });
  server.permissions.set('system:serviceaccount:monitoring:prometheus', new Set(['get /metrics']));
  server.permissions.set('visitor', new Set(['get /healthz', 'post /metrics']));
});

afterEach(async () => {
  reviewer.close();
  await server.stop();
  rmSync(directory, { recursive: true });
});

describe('MetricsAccessReviewer', () => {
  test('decides by TokenReview and SubjectAccessReview, with its own credentials', async () => {
    expect(await reviewer.review('reader', signal)).toBe('allowed');
    expect(await reviewer.review('visitor', signal)).toBe('forbidden');
    expect(await reviewer.review('unknown', signal)).toBe('unauthenticated');
    expect(server.requests.map(({ resource, verb, authorization }) => [resource, verb, authorization])).toEqual(
      ['tokenreviews', 'subjectaccessreviews', 'tokenreviews', 'subjectaccessreviews', 'tokenreviews'].map((name) => [
        name,
        'create',
        'Bearer agent-token',
      ]),
    );
  });

  test.each(['tokenreviews', 'subjectaccessreviews'])('fails without permission to create %s', async (resource) => {
    server.forbidden.add(resource);
    await expect(reviewer.review('reader', signal)).rejects.toThrow(`cannot create resource "${resource}"`);
  });

  test('fails when its own token is refused', async () => {
    server.tokens = new Set();
    await expect(reviewer.review('reader', signal)).rejects.toMatchObject({ code: 'API_STATUS', status: 401 });
  });

  test.each([
    ['is away', 'API_UNREACHABLE', () => server.goAway()],
    ['does not answer', 'API_SILENT', () => (server.faultFor = () => ({ kind: 'hang' }))],
    ['resets', 'API_UNREACHABLE', () => (server.faultFor = () => ({ kind: 'reset' }))],
    ['is overloaded', 'API_STATUS', () => (server.faultFor = () => ({ kind: 'status', code: 429 }))],
    ['answers a page of HTML', 'API_RESPONSE_INVALID', () => (server.faultFor = () => ({ kind: 'html' }))],
    ['answers an object without status', 'API_RESPONSE_INVALID', () => (server.faultFor = () => ({ kind: 'empty' }))],
    ['answers without end', 'API_RESPONSE_INVALID', () => (server.faultFor = () => ({ kind: 'pad', bytes: 1e6 }))],
    ['drips', 'API_SILENT', () => (server.faultFor = () => ({ kind: 'drip', bytes: 1, interval: 50 }))],
    [
      'fails at the second request',
      'API_STATUS',
      () => {
        server.faultFor = ({ resource }) =>
          resource === 'subjectaccessreviews' ? { kind: 'status', code: 500 } : undefined;
      },
    ],
  ])('never allows anything when the API server %s', async (_what, code, disturb) => {
    expect(await reviewer.review('reader', signal)).toBe('allowed');
    await disturb();
    await expect(reviewer.review('reader', signal)).rejects.toMatchObject({ code });
  });

  test('a valid token without a user is an error', async () => {
    server.users.set('nameless', { username: '' });
    await expect(reviewer.review('nameless', signal)).rejects.toMatchObject({ code: 'API_RESPONSE_INVALID' });
  });
});
