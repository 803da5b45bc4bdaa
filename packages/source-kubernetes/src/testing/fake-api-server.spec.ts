import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiObject } from './api-object.js';
import { ApiServerProcess, type ApiServerResponse, apiServerPrograms } from './api-server-process.js';
import { FakeApiServer } from './fake-api-server.js';
import { FastClock } from './fast-clock.js';

/** An API server with the namespace `contract`, in which Services are changed. */
interface TestedServer {
  get(path: string, token?: string | null, headers?: Readonly<Record<string, string>>): Promise<ApiServerResponse>;
  put(name: string, labels?: Readonly<Record<string, string>>): Promise<ApiObject>;
  delete(name: string): Promise<void>;
  compact(): Promise<void>;
  stop(): Promise<void>;
}

function service(name: string, labels: Readonly<Record<string, string>> = {}): ApiObject {
  return { metadata: { name, namespace: 'contract', labels }, spec: { ports: [{ name: 'http', port: 80 }] } };
}

async function startFake(): Promise<TestedServer> {
  const server = await FakeApiServer.start({ clock: new FastClock(1000), tokens: new Set(['good']) });
  return {
    async get(path, token = 'good', headers = {}) {
      const authorization: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}${path}`, { headers: { ...authorization, ...headers } });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
    put: async (name, labels) => server.store.put('services', service(name, labels)),
    async delete(name) {
      server.store.delete('services', name, 'contract');
    },
    async compact() {
      server.store.compact();
    },
    stop: () => server.stop(),
  };
}

async function startProcess(programs: NonNullable<ReturnType<typeof apiServerPrograms>>): Promise<TestedServer> {
  const server = await ApiServerProcess.start(programs);
  await server.put('namespaces', { metadata: { name: 'contract' } });
  return {
    get: (path, token, headers) => server.request('GET', path, undefined, token, headers),
    put: (name, labels) => server.put('services', service(name, labels)),
    delete: (name) => server.delete('services', name, 'contract'),
    async compact() {
      await server.compact();
      // The watch cache has versions that etcd has compacted.
      await server.stopServer();
      await server.startServer();
    },
    stop: () => server.stop(),
  };
}

const programs = apiServerPrograms();
const servers: (readonly [string, () => Promise<TestedServer>])[] = [
  ['FakeApiServer', startFake],
  ...(programs === undefined ? [] : [['kube-apiserver', () => startProcess(programs)] as const]),
];

const SERVICES = '/api/v1/namespaces/contract/services';

interface ListOrStatus {
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly ApiObject[];
  readonly reason?: string;
  readonly code?: number;
  readonly message?: string;
  readonly details?: object;
}

interface WatchEvent {
  readonly type: string;
  readonly object: ApiObject & { readonly kind: string };
}

describe.each(servers)('%s responds as the API server of Kubernetes 1.36', (_name, start) => {
  let server: TestedServer;

  beforeEach(async () => {
    server = await start();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await server.put(name);
    }
  });

  afterEach(() => server.stop());

  async function get(query: string, path = SERVICES, token?: string | null) {
    const { status, body: text } = await server.get(`${path}?${query}`, token);
    const body = JSON.parse(text) as ListOrStatus;
    return { status, body, names: body.items?.map(({ metadata }) => metadata.name) };
  }

  async function watch(query: string): Promise<readonly WatchEvent[]> {
    const { status, body } = await server.get(`${SERVICES}?watch=true&${query}`);
    expect({ status, body: status === 200 ? '' : body }).toEqual({ status: 200, body: '' });
    const lines = body.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as WatchEvent);
  }

  const types = (events: readonly WatchEvent[]) => events.map(({ type }) => type);

  test('to lists in pages: one resource version, also when objects change in between', async () => {
    const first = await get('limit=2');
    expect(first.names).toEqual(['a', 'b']);
    expect(first.body).toMatchObject({ kind: 'ServiceList', metadata: { remainingItemCount: 3 } });
    await server.delete('d');
    const second = await get(`limit=2&continue=${first.body.metadata.continue}`);
    expect(second.names).toEqual(['c', 'd']);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    const last = await get(`limit=2&continue=${second.body.metadata.continue}`);
    expect(last.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
  });

  test('to a list of version 0: whole, whatever the limit', async () => {
    const { names, body } = await get('limit=2&resourceVersion=0');
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(body.metadata.continue).toBeUndefined();
  });

  test('to expired pages, and to invalid tokens of pages', async () => {
    const first = await get('limit=2');
    await server.put('f');
    await server.compact();
    const expired = await get(`limit=2&continue=${first.body.metadata.continue}`);
    expect(expired).toMatchObject({ status: 410, body: { kind: 'Status', reason: 'Expired', code: 410 } });
    // An inconsistent rest is offered.
    expect((await get(`limit=9&continue=${expired.body.metadata.continue}`)).names).toEqual(['c', 'd', 'e', 'f']);
    expect(await get('limit=2&continue=garbage')).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });

  test('to watches: changes since a version, and an end after the timeout', async () => {
    const { body } = await get('');
    const from = `resourceVersion=${body.metadata.resourceVersion}`;
    const [, , before] = body.items ?? [];
    await server.put('b', { x: '1' });
    await server.delete('c');
    const last = await server.put('f');
    const events = await watch(`${from}&timeoutSeconds=5&allowWatchBookmarks=true`);
    // A real server may send bookmarks before the timeout.
    expect(types(events).filter((type) => type !== 'BOOKMARK')).toEqual(['MODIFIED', 'DELETED', 'ADDED']);
    // In its last state, with the version of its deletion.
    expect(events[1]?.object).toMatchObject({ kind: 'Service', spec: before?.spec, metadata: { name: 'c' } });
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(events[2]?.object.metadata).toMatchObject({ name: 'f', resourceVersion: last.metadata.resourceVersion });
    const selected = await watch(`${from}&timeoutSeconds=5&labelSelector=${encodeURIComponent('!x')}`);
    expect(types(selected)).toEqual(['DELETED', 'DELETED', 'ADDED']);
  });

  test('to watches from an expired version', async () => {
    const { body } = await get('');
    await server.put('f');
    await server.put('g');
    await server.compact();
    expect(await watch(`resourceVersion=${body.metadata.resourceVersion}&timeoutSeconds=5`)).toEqual([
      { type: 'ERROR', object: expect.objectContaining({ kind: 'Status', reason: 'Expired', code: 410 }) },
    ]);
  });

  test('to watches with initial events: all objects, then a bookmark with an annotation', async () => {
    const initial = 'sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=5';
    const events = await watch(`${initial}&resourceVersionMatch=NotOlderThan`);
    const [first, later] = [types(events).slice(0, 6), types(events).slice(6)];
    expect(first).toEqual([...Array(5).fill('ADDED'), 'BOOKMARK']);
    // A real server may send further bookmarks before the timeout.
    expect(later.filter((type) => type !== 'BOOKMARK')).toEqual([]);
    expect(events[5]?.object).toMatchObject({
      ...{ kind: 'Service', apiVersion: 'v1' },
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    expect(await get(`watch=true&${initial}`)).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(await get(initial)).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });

  test('to clients that accept gzip, with compressed lists from 128 KiB', async () => {
    const encodingOf = async (encoding: string) =>
      (await server.get(`${SERVICES}?resourceVersion=0`, undefined, { 'Accept-Encoding': encoding })).headers[
        'content-encoding'
      ];
    expect(await encodingOf('gzip')).toBeUndefined();
    // Labels have at most 63 characters.
    const labels = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`l${index}`, 'x'.repeat(63)]));
    for (const name of ['f', 'g', 'h', 'i']) {
      await server.put(name, labels);
    }
    expect(await encodingOf('gzip')).toBe('gzip');
    expect(await encodingOf('identity')).toBeUndefined();
  });

  test('to clients that accept protobuf', async () => {
    const list = `${SERVICES}?resourceVersion=0`;
    const typeOf = async (path: string, accept: string) => {
      const { status, headers, body } = await server.get(path, undefined, { Accept: accept });
      return [status, headers['content-type'], body.startsWith('k8s\0')];
    };
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const json = 'application/json';
    expect(await typeOf(list, `${protobuf}, ${json}`)).toEqual([200, protobuf, true]);
    expect(await typeOf(list, protobuf)).toEqual([200, protobuf, true]);
    expect(await typeOf(list, `${json}, ${protobuf}`)).toEqual([200, json, false]);
    expect(await typeOf(list, '*/*')).toEqual([200, json, false]);
    expect(await typeOf(list, 'text/html')).toEqual([406, json, false]);
    const watched = `${list}&watch=true&timeoutSeconds=1`;
    expect(await typeOf(watched, `${protobuf};stream=watch, ${json};stream=watch`)).toEqual([
      200,
      `${protobuf};stream=watch`,
      false,
    ]);
    expect(await typeOf(watched, json)).toEqual([200, json, false]);
    expect(await typeOf(`${SERVICES}?fieldSelector=spec.x%3D1`, `${protobuf}, ${json}`)).toEqual([400, protobuf, true]);
  });

  test('to unauthorized clients, and to unknown requests', async () => {
    expect(await get('', SERVICES, 'bad')).toMatchObject({
      status: 401,
      body: { kind: 'Status', reason: 'Unauthorized', code: 401 },
    });
    expect(await get('', '/api/v1/services', null)).toMatchObject({
      status: 403,
      body: {
        ...{ kind: 'Status', reason: 'Forbidden' },
        message:
          'services is forbidden: User "system:anonymous" cannot list resource "services" in API group "" at the cluster scope',
      },
    });
    expect((await server.get('/api/v1/none')).status).toBe(404);
    expect(await get('fieldSelector=spec.x%3D1')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('field label not supported: spec.x') },
    });
  });
});

test('encodeAll encodes each object once, and no answer encodes it again', async () => {
  const server = await FakeApiServer.start();
  try {
    let reads = 0;
    const counted = {
      metadata: { name: 'a', namespace: 'default' },
      get spec() {
        reads += 1;
        return { clusterIP: '10.96.0.1' };
      },
    };
    const stored = server.store.put('services', counted);
    Object.defineProperty(stored, 'spec', { get: () => counted.spec });
    reads = 0;
    server.encodeAll();
    expect(reads).toBe(1);
    const list = await fetch(`${server.url}/api/v1/services`, {
      headers: { Accept: 'application/vnd.kubernetes.protobuf' },
    });
    expect(Buffer.from(await list.arrayBuffer()).includes('10.96.0.1')).toBe(true);
    expect(reads).toBe(1);
  } finally {
    await server.stop();
  }
});

describe('FakeApiServer', () => {
  let server: FakeApiServer;

  beforeEach(async () => {
    server = await FakeApiServer.start({ clock: new FastClock(1000) });
    for (const name of ['a', 'b']) {
      server.store.put('services', service(name));
    }
  });

  afterEach(() => server.stop());

  async function get(query: string) {
    const response = await fetch(`${server.url}/api/v1/services?${query}`);
    const body = (await response.json()) as ListOrStatus;
    return { status: response.status, body, names: body.items?.map(({ metadata }) => metadata.name) };
  }

  test('lists what must not be older than a version from the watch cache, once it has the version', async () => {
    server.store.freezeCache();
    server.store.delete('services', 'a', 'contract');
    expect((await get('resourceVersion=0')).names).toEqual(['a', 'b']);
    expect(await get('resourceVersion=102')).toMatchObject({ body: { metadata: { resourceVersion: '102' } } });
    expect((await get('')).names).toEqual(['b']);
    expect(await get('resourceVersion=103')).toMatchObject({
      status: 504,
      body: {
        reason: 'Timeout',
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
      },
    });
    server.store.thawCache();
    expect((await get('resourceVersion=103')).names).toEqual(['b']);
    expect(server.requests.map(({ readsEtcd }) => readsEtcd)).toEqual([false, false, true, false, false]);
  });

  test('sends nothing to a watch from a future version', async () => {
    const { body } = await get('');
    const future = Number(body.metadata.resourceVersion) + 400;
    const response = await fetch(
      `${server.url}/api/v1/services?watch=true&resourceVersion=${future}&timeoutSeconds=65&allowWatchBookmarks=true`,
    );
    expect(await response.text()).toBe('');
  });

  test('sends a bookmark each minute', async () => {
    const query = 'watch=true&resourceVersion=102&timeoutSeconds=200&allowWatchBookmarks=true';
    const response = await fetch(`${server.url}/api/v1/services?${query}`);
    expect((await response.text()).match(/"BOOKMARK"/g)?.length).toBeGreaterThan(1);
  });
});

test.each([
  ['application/vnd.kubernetes.protobuf', Buffer.from('k8s\0\n'), 415, 'UnsupportedMediaType'],
  ['application/json', Buffer.from('{"spec": '), 400, 'BadRequest'],
])(
  'an object that is created as %s and cannot be read is refused, and the server continues',
  async (type, body, code, reason) => {
    const server = await FakeApiServer.start();
    try {
      const create = (contentType: string, content: Buffer) =>
        fetch(`${server.url}/apis/events.k8s.io/v1/namespaces/default/events`, {
          ...{ method: 'POST', headers: { 'Content-Type': contentType }, body: content },
        });
      const refused = await create(type, body);
      expect({ status: refused.status, body: await refused.json() }).toMatchObject({
        status: code,
        body: { code, reason },
      });
      expect((await create('application/json', Buffer.from('{"reason": "Started"}'))).status).toBe(201);
      expect(server.events).toMatchObject([{ reason: 'Started' }]);
    } finally {
      await server.stop();
    }
  },
);
