import { afterEach, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { EventRecorder } from './events/event-recorder.js';
import { KubernetesSource } from './kubernetes-source.js';
import { PodClient } from './pods/pod-client.js';
import { Reflector, type ReflectorOptions } from './reflector.js';
import { FakeApiServer, FastClock } from './testing/index.js';

const WIDGETS = { apiVersion: 'example.org/v1beta1', kind: 'Widget', plural: 'widgets' };

interface Widget {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly spec?: { readonly size: number };
}

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

async function serve(): Promise<FakeApiServer> {
  const server = await FakeApiServer.start({ clock: new FastClock(200), resources: [WIDGETS] });
  ending.push(() => server.stop());
  return server;
}

function put(server: FakeApiServer, name: string, size: number, namespace = 'default'): void {
  server.store.put('widgets', { metadata: { name, namespace, managedFields: [{ manager: 'm' }] }, spec: { size } });
}

/** A reflector that records its changes as `+ a 1`, `~ a 1 2` and `- a 2`. */
function follow(server: FakeApiServer, options: Partial<ReflectorOptions<Widget>> = {}) {
  const changes: string[] = [];
  const log = new RecordingLogger(9);
  const reflector = new Reflector<Widget>({
    master: server.url,
    clock: new FastClock(200),
    logger: log,
    responseTimeout: 600_000,
    resource: WIDGETS,
    onChange: (previous, current) => {
      const sign = previous ? (current ? '~' : '-') : '+';
      const sizes = [previous?.spec?.size, current?.spec?.size].filter((size) => size !== undefined);
      changes.push(`${sign} ${(current ?? previous)?.metadata.name} ${sizes.join(' ')}`);
    },
    ...options,
  });
  ending.push(() => reflector.stop());
  const reached = (holds: () => boolean) =>
    until(holds, () => `${changes}\n${log.lines.slice(-20).join('\n')}`, 60_000);
  return { reflector, changes, log, reached };
}

describe.each([false, true])('Reflector, with watchList %s', (watchList) => {
  test('has all objects in its cache, and reports each change', async () => {
    const server = await serve();
    put(server, 'a', 1);
    put(server, 'b', 2, 'other');
    const { reflector, changes, reached } = follow(server, { watchList });
    expect([reflector.isSynced, reflector.size, [...reflector.values()]]).toEqual([false, 0, []]);
    await reflector.start();
    await reflector.synced;
    expect(reflector.isSynced).toBe(true);
    expect(changes).toEqual(['+ a 1', '+ b 2']);
    expect(reflector.get('a', 'default')).toEqual({
      apiVersion: 'example.org/v1beta1',
      kind: 'Widget',
      metadata: {
        name: 'a',
        namespace: 'default',
        uid: expect.any(String),
        creationTimestamp: expect.any(String),
        resourceVersion: '101',
      },
      spec: { size: 1 },
    });
    expect(reflector.get('a', 'other')).toBeUndefined();
    expect(reflector.get('a')).toBeUndefined();
    await reached(() => server.openWatches.length === 1);
    put(server, 'a', 3);
    server.store.delete('widgets', 'b', 'other');
    put(server, 'c', 4);
    await reached(() => changes.length === 5);
    expect(changes.slice(2)).toEqual(['~ a 1 3', '- b 2', '+ c 4']);
    expect([...reflector.values()].map(({ metadata }) => metadata.name).sort()).toEqual(['a', 'c']);
    expect(reflector.size).toBe(2);
  });

  test('keeps its cache during an outage, and then reports missed changes once', async () => {
    const server = await serve();
    put(server, 'a', 1);
    put(server, 'b', 2);
    const { reflector, changes, reached } = follow(server, { watchList });
    await reflector.start();
    await reflector.synced;
    await server.goAway();
    await reached(() => reflector.obstacle !== undefined);
    expect(reflector.size).toBe(2);
    server.store.delete('widgets', 'a', 'default');
    put(server, 'c', 3);
    server.store.compact();
    await server.comeBack();
    await reached(() => changes.length === 4);
    expect(changes.slice(2).sort()).toEqual(['+ c 3', '- a 1']);
    await reached(() => reflector.obstacle === undefined);
  });
});

describe('Reflector', () => {
  test('does not report an object again when it is listed after an event', async () => {
    const server = await serve();
    const { reflector, changes, reached } = follow(server);
    await reflector.start();
    await reached(() => server.openWatches.length === 1);
    put(server, 'a', 1);
    await reached(() => changes.length === 1);
    server.disturbWatches('gone');
    await reached(() => server.openWatches.length === 1 && server.requests.length === 4);
    put(server, 'b', 1);
    await reached(() => changes.length === 2);
    expect(changes).toEqual(['+ a 1', '+ b 1']);
  });

  test('keeps, and reports changes of, only the part that is selected', async () => {
    const server = await serve();
    put(server, 'a', 1);
    const { reflector, changes, reached } = follow(server, {
      keep: ({ metadata, spec }) => ({ metadata: { name: metadata.name }, ...(spec ? { spec } : {}) }),
    });
    await reflector.start();
    await reflector.synced;
    await reached(() => server.openWatches.length === 1);
    server.store.put('widgets', {
      metadata: { name: 'a', namespace: 'default', labels: { x: '1' } },
      spec: { size: 1 },
    });
    put(server, 'a', 2);
    await reached(() => changes.length === 2);
    expect(changes).toEqual(['+ a 1', '~ a 1 2']);
    expect(reflector.get('a', 'default')).toMatchObject({ metadata: { name: 'a' }, spec: { size: 2 } });
  });

  test('follows one namespace, and objects that its selectors match', async () => {
    const server = await serve();
    put(server, 'a', 1);
    put(server, 'b', 2, 'other');
    server.store.put('widgets', { metadata: { name: 'c', namespace: 'other', labels: { x: '1' } } });
    const { reflector } = follow(server, {
      namespace: 'other',
      labelSelector: '!x',
      fieldSelector: 'metadata.name!=z',
    });
    await reflector.start();
    await reflector.synced;
    expect([...reflector.values()].map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(server.requests[0]?.query.get('labelSelector')).toBe('!x');
  });

  test('continues when a callback throws', async () => {
    const server = await serve();
    put(server, 'a', 1);
    put(server, 'b', 1);
    const { reflector, log } = follow(server, {
      onChange: () => {
        throw new Error('not today');
      },
    });
    await reflector.start();
    await reflector.synced;
    expect(reflector.size).toBe(2);
    expect(log.lines.filter((line) => line.includes('a callback failed'))).toHaveLength(2);
  });

  test('is not synced when it is stopped before, and reports nothing afterwards', async () => {
    const server = await serve();
    server.faultFor = () => ({ kind: 'hang' });
    const { reflector, changes } = follow(server);
    await reflector.start();
    await until(() => server.requests.length > 0, 'a request');
    const synced = expect(reflector.synced).rejects.toMatchObject({ code: 'STOPPED' });
    await reflector.stop();
    await reflector.stop();
    await synced;
    put(server, 'a', 1);
    await until(() => server.openConnections === 0, 'no connections');
    expect([changes, reflector.isSynced]).toEqual([[], false]);
    await expect(reflector.start()).rejects.toMatchObject({
      code: 'SOURCE_IN_USE',
      message: 'this Reflector was started or stopped before; make a new one',
    });
  });

  test('whoever waits for the cache of a reflector that could not start gets the reason', async () => {
    const reflector = new Reflector({ kubeconfig: '/nowhere', resource: WIDGETS });
    const synced = expect(reflector.synced).rejects.toMatchObject({ code: 'KUBECONFIG_NOT_FOUND' });
    await expect(reflector.start()).rejects.toMatchObject({ code: 'KUBECONFIG_NOT_FOUND' });
    await synced;
  });

  test.each([
    [{ ...WIDGETS, plural: '../secrets' }, {}],
    [{ ...WIDGETS, apiVersion: 'a/b/v1' }, {}],
    [WIDGETS, { namespace: 'a/b' }],
  ])('refuses what cannot be part of a URL: %j %j', (resource, options) => {
    expect(() => new Reflector({ resource, ...options })).toThrow(
      expect.objectContaining({ code: 'RESOURCE_INVALID' }),
    );
  });

  test.each<[string, () => unknown, string]>([
    ['a source', () => new KubernetesSource({ pageSize: 0 }), 'option pageSize of KubernetesSource is 0; it must be'],
    [
      'a source',
      () => new KubernetesSource({ kubeConfig: 'x' } as object),
      'KubernetesSource has no option "kubeConfig"',
    ],
    [
      'a source',
      () => new KubernetesSource('config' as never),
      'the options of KubernetesSource are "config"; they must',
    ],
    ['a pod client', () => new PodClient({} as never), 'PodClient needs the option userAgent; it must be a text'],
    [
      'a pod client',
      () => new PodClient({ userAgent: 'test', timeOut: 5 } as never),
      'PodClient has no option "timeOut"; valid options are kubeconfig, master, context, userAgent, timeout',
    ],
    ['a reflector', () => new Reflector({} as never), 'Reflector needs the option resource; it must be an object with'],
    [
      'a reflector',
      () => new Reflector({ resource: 'pods' } as never),
      'option resource of Reflector is "pods"; it must',
    ],
    [
      'events',
      () => new EventRecorder({ controller: 'me' } as never),
      'EventRecorder needs the option instance; it must',
    ],
  ])('options of %s that are wrong are refused by name (%#)', (_name, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(message) }),
    );
  });

  test('options of a connection may be given to a source, a reflector and a recorder of events', () => {
    const connection = { kubeconfig: 'config', encoding: 'auto', pageSize: 100 } as const;
    new KubernetesSource(connection);
    new Reflector({ ...connection, resource: WIDGETS });
    new EventRecorder({ ...connection, controller: 'me', instance: 'me-1' });
  });

  test('refuses a configuration without a server', async () => {
    const reflector = new Reflector({ resource: WIDGETS, kubeconfig: '/nowhere/kubeconfig' });
    await expect(reflector.start()).rejects.toMatchObject({ code: 'KUBECONFIG_NOT_FOUND' });
    await reflector.stop();
  });
});
