import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FakeApiServer } from './fake-api-server.js';
import { FastClock } from './fast-clock.js';

/** What a real API server (1.36) was seen to answer to the same requests. */
describe('FakeApiServer answers as a real one', () => {
  let server: FakeApiServer;

  beforeEach(async () => {
    server = await FakeApiServer.start({ clock: new FastClock(1000), tokens: new Set(['good']) });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      server.store.put('services', { metadata: { name, namespace: 'default' }, spec: { clusterIP: '10.96.0.1' } });
    }
  });

  afterEach(() => server.stop());

  async function ask(query: string, token: string | undefined = 'good', path = '/api/v1/services') {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(`${server.url}${path}?${query}`, { headers });
    const body = (await response.json()) as {
      kind: string;
      metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
      items?: { metadata: { name: string } }[];
      reason?: string;
      details?: object;
    };
    return { status: response.status, body, names: body.items?.map(({ metadata }) => metadata.name) };
  }

  async function watch(query: string): Promise<{ type: string; object: Record<string, unknown> }[]> {
    const url = `${server.url}/api/v1/services?watch=true&${query}`;
    const response = await fetch(url, { headers: { Authorization: 'Bearer good' } });
    expect(response.status).toBe(200);
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as { type: string; object: Record<string, unknown> });
  }

  test('lists in pages are of one resource version, also when objects change in between', async () => {
    const first = await ask('limit=2');
    expect(first.names).toEqual(['a', 'b']);
    expect(first.body).toMatchObject({
      kind: 'ServiceList',
      metadata: { resourceVersion: '105', remainingItemCount: 3 },
    });
    server.store.delete('services', 'd', 'default');
    const second = await ask(`limit=2&continue=${first.body.metadata.continue}`);
    expect(second.names).toEqual(['c', 'd']);
    expect(second.body.metadata.resourceVersion).toBe('105');
    const last = await ask(`limit=2&continue=${second.body.metadata.continue}`);
    expect(last.body.metadata).toEqual({ resourceVersion: '105' });
    expect((await ask('limit=2&resourceVersion=0')).names).toEqual(['a', 'b', 'c', 'e']);
  });

  test('to expired pages, and to invalid tokens', async () => {
    const first = await ask('limit=2');
    server.store.compact();
    const expired = await ask(`limit=2&continue=${first.body.metadata.continue}`);
    expect(expired).toMatchObject({ status: 410, body: { kind: 'Status', reason: 'Expired', code: 410 } });
    // An inconsistent rest is offered.
    expect((await ask(`limit=9&continue=${expired.body.metadata.continue}`)).names).toEqual(['c', 'd', 'e']);
    expect(await ask('continue=garbage')).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });

  test('to watches: changes since a version, bookmarks, and an end after the timeout', async () => {
    server.store.put('services', { metadata: { name: 'b', namespace: 'default', labels: { x: '1' } } });
    server.store.delete('services', 'c', 'default');
    server.store.put('services', { metadata: { name: 'f', namespace: 'default' } });
    const events = await watch('resourceVersion=105&timeoutSeconds=65&allowWatchBookmarks=true');
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED', 'ADDED', 'BOOKMARK', 'BOOKMARK']);
    // As it was last, with the version of its removal.
    expect(events[1]?.object).toMatchObject({
      kind: 'Service',
      metadata: { name: 'c', resourceVersion: '107' },
      spec: { clusterIP: '10.96.0.1' },
    });
    expect(events[3]?.object).toEqual({ kind: 'Service', apiVersion: 'v1', metadata: { resourceVersion: '108' } });
    const selected = await watch(`resourceVersion=105&timeoutSeconds=5&labelSelector=${encodeURIComponent('!x')}`);
    expect(selected.map(({ type }) => type)).toEqual(['DELETED', 'DELETED', 'ADDED']);
  });

  test('to watches from an expired version, and from a future one', async () => {
    server.store.compact();
    expect(await watch('resourceVersion=101&timeoutSeconds=5')).toEqual([
      { type: 'ERROR', object: expect.objectContaining({ kind: 'Status', reason: 'Expired', code: 410 }) },
    ]);
    expect(await watch('resourceVersion=500&timeoutSeconds=65&allowWatchBookmarks=true')).toEqual([]);
  });

  test('to lists that must not be older than a version: from the watch cache, once it has it', async () => {
    server.store.freezeCache();
    server.store.delete('services', 'a', 'default');
    expect((await ask('resourceVersion=0')).names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await ask('resourceVersion=105')).toMatchObject({ body: { metadata: { resourceVersion: '105' } } });
    expect((await ask('')).names).toEqual(['b', 'c', 'd', 'e']);
    expect(await ask('resourceVersion=106')).toMatchObject({
      status: 504,
      body: {
        reason: 'Timeout',
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
      },
    });
    server.store.thawCache();
    expect((await ask('resourceVersion=106')).names).toEqual(['b', 'c', 'd', 'e']);
    expect(server.requests.map(({ readsEtcd }) => readsEtcd)).toEqual([false, false, true, false, false]);
  });

  test('to watches with initial events: all objects, then a bookmark with an annotation', async () => {
    const initial = 'sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=5';
    const events = await watch(`${initial}&resourceVersionMatch=NotOlderThan`);
    expect(events.map(({ type }) => type)).toEqual([...Array(5).fill('ADDED'), 'BOOKMARK', 'BOOKMARK']);
    expect(events[5]?.object).toEqual({
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { resourceVersion: '105', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    expect(events[6]?.object).toEqual({ kind: 'Service', apiVersion: 'v1', metadata: { resourceVersion: '105' } });
    expect(await ask(`watch=true&${initial}`)).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(await ask(initial)).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });

  test('to clients that accept gzip, with compressed lists from 128 KiB', async () => {
    const encodingOf = async (encoding: string) => {
      const headers = { Authorization: 'Bearer good', 'Accept-Encoding': encoding };
      const response = await fetch(`${server.url}/api/v1/services?resourceVersion=0`, { headers });
      await response.arrayBuffer();
      return response.headers.get('content-encoding');
    };
    expect(await encodingOf('gzip')).toBeNull();
    server.store.put('services', { metadata: { name: 'large', namespace: 'default' }, text: 'x'.repeat(130_000) });
    expect(await encodingOf('gzip')).toBe('gzip');
    expect(await encodingOf('identity')).toBeNull();
  });

  test('to unauthorized clients', async () => {
    expect(await ask('', 'bad')).toMatchObject({ status: 401, body: { kind: 'Status', reason: 'Unauthorized' } });
    const anonymous = await fetch(`${server.url}/api/v1/services`);
    expect([anonymous.status, await anonymous.json()]).toEqual([
      403,
      expect.objectContaining({
        kind: 'Status',
        reason: 'Forbidden',
        message:
          'services is forbidden: User "system:anonymous" cannot list resource "services" in API group "" at the cluster scope',
      }),
    ]);
    expect(await ask('', 'good', '/api/v1/none')).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
    expect(await ask('fieldSelector=spec.x%3D1')).toMatchObject({
      status: 400,
      body: { message: 'field label not supported: spec.x' },
    });
  });
});
