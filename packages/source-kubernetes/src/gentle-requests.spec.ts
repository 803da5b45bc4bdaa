import { afterEach, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { KubernetesSource, type KubernetesSourceOptions } from './kubernetes-source.js';
import {
  type ApiObject,
  type ApiRequestInfo,
  FakeApiServer,
  type FakeApiServerOptions,
  FastClock,
  RecordingHandler,
} from './testing/index.js';

/** Speed-up of the source's clock. */
const FASTER = 200;

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

function service(name: string, clusterIP = '10.96.0.1'): ApiObject {
  return {
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: { type: 'ClusterIP', clusterIP, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  };
}

/** A source and its server, with Services `a`, `b` and `c`. */
class Scene {
  readonly handler = new RecordingHandler();
  readonly log = new RecordingLogger(9);

  private constructor(
    readonly server: FakeApiServer,
    readonly clock: FastClock,
  ) {}

  static async make(options: FakeApiServerOptions = {}): Promise<Scene> {
    const server = await FakeApiServer.start({ clock: new FastClock(FASTER), ...options });
    ending.push(() => server.stop());
    for (const name of ['a', 'b', 'c']) {
      server.store.put('services', service(name));
    }
    server.store.put('nodes', { metadata: { name: 'node1' } });
    return new Scene(server, new FastClock(FASTER));
  }

  async start(options: KubernetesSourceOptions = {}): Promise<this> {
    const source = new KubernetesSource({
      master: this.server.url,
      clock: this.clock,
      logger: this.log,
      responseTimeout: 600_000,
      ...options,
    });
    ending.push(() => source.stop());
    await source.start(this.handler, { nodeName: 'node1' });
    return this;
  }

  async synced(): Promise<this> {
    await this.until(() => this.handler.servicesSynced + this.handler.endpointsSynced === 2, 'synced');
    return this.watching();
  }

  async watching(): Promise<this> {
    await this.until(() => this.server.openWatches.includes('services'), 'a watch');
    return this;
  }

  until(condition: () => boolean, what: string): Promise<void> {
    return until(condition, () => `${what}\n${this.log.lines.slice(-30).join('\n')}`, 60_000);
  }

  /** Requests for Services. */
  get requests(): readonly ApiRequestInfo[] {
    return this.server.requests.filter(({ resource }) => resource === 'services');
  }

  /** How lists of Services were requested: `0`, a version, or `consistent`. */
  get lists(): readonly string[] {
    return this.requests
      .filter(({ verb, query }) => verb === 'list' && !query.has('continue'))
      .map(({ query }) => query.get('resourceVersion') ?? 'consistent');
  }

  get names(): readonly string[] {
    return [...this.handler.services.keys()].map((key) => key.replace('default/', '')).sort();
  }
}

describe('lists from the watch cache', () => {
  test('a start and a relist read nothing from etcd, and the relist is not older than the known state', async () => {
    const scene = await (await (await Scene.make()).start()).synced();
    const { server } = scene;
    server.store.delete('services', 'b', 'default');
    await scene.until(() => scene.names.join() === 'a,c', 'the removal');
    const known = server.store.currentVersion;
    server.store.compact();
    server.disturbWatches('gone', 'services');
    server.store.put('services', service('d'));
    await scene.until(() => scene.names.join() === 'a,c,d', 'the new one');
    expect(scene.lists).toEqual(['0', String(known)]);
    expect(server.requests.filter(({ readsEtcd }) => readsEtcd)).toEqual([]);
    expect(scene.handler.violations).toEqual([]);
  });

  test('a server with an outdated watch cache changes nothing until it has caught up', async () => {
    const scene = await (await (await Scene.make()).start()).synced();
    const { server, handler } = scene;
    server.store.delete('services', 'a', 'default');
    server.store.put('services', service('d'));
    await scene.until(() => scene.names.join() === 'b,c,d', 'the changes');
    // Another server answers, which has neither change.
    const version = server.store.currentVersion;
    server.store.rewind(version - 2);
    server.store.delete('services', 'd', 'default');
    server.store.rewind(version - 2);
    server.store.put('services', service('a'));
    server.store.rewind(version - 2);
    const before = handler.events.length;
    let consistent = 0;
    server.faultFor = ({ resource, verb, readsEtcd }) => {
      // Its etcd does not answer.
      if (resource === 'services' && verb === 'list' && readsEtcd) {
        consistent += 1;
        return { kind: 'status', code: 504, reason: 'Timeout' };
      }
      return undefined;
    };
    server.disturbWatches('gone', 'services');
    await scene.until(() => consistent >= 2, 'consistent lists');
    expect(scene.lists.slice(1, 2)).toEqual([String(version)]);
    expect(handler.events.slice(before)).toEqual([]);
    // It catches up.
    server.store.delete('services', 'a', 'default');
    server.store.put('services', service('d'));
    server.faultFor = () => undefined;
    await scene.watching();
    server.store.put('services', service('e'));
    await scene.until(() => scene.names.join() === 'b,c,d,e', 'what came after');
    expect(handler.events.slice(before)).toEqual(['+ Service default/e']);
  });

  test('after a restore from a backup, the older state is accepted after three outdated lists', async () => {
    const scene = await (
      await (await Scene.make({ bookmarkInterval: 600_000 })).start({ relistAfter: 60_000 })
    ).synced();
    const { server } = scene;
    server.store.put('services', service('d'));
    await scene.until(() => scene.names.includes('d'), 'the new one');
    server.store.rewind(50);
    server.store.delete('services', 'd', 'default');
    server.disturbWatches('reset', 'services');
    await scene.until(() => scene.names.join() === 'a,b,c', 'the restored state');
    expect(scene.lists.slice(-3)).toEqual(['consistent', 'consistent', 'consistent']);
    expect(
      scene.log.lines.filter((line) => line.startsWith('W services: ') && line.includes('it was restored')),
    ).toHaveLength(1);
    await scene.watching();
    server.store.put('services', service('e'));
    await scene.until(() => scene.names.join() === 'a,b,c,e', 'a change after that');
  });

  test('an outdated answer to a list that must not be older is not applied', async () => {
    const scene = await (await (await Scene.make()).start()).synced();
    const { server, handler } = scene;
    let stale = 2;
    server.faultFor = ({ verb, resource }) =>
      verb === 'list' && resource === 'services' && stale-- > 0 ? { kind: 'stale', versions: 20 } : undefined;
    server.store.put('services', service('d'));
    await scene.until(() => scene.names.includes('d'), 'the new one');
    const before = handler.events.length;
    const watches = scene.requests.length;
    server.disturbWatches('gone', 'services');
    await scene.until(() => scene.requests.slice(watches).some(({ verb }) => verb === 'watch'), 'a watch');
    expect(handler.events).toHaveLength(before);
    expect(scene.lists.slice(-3).map((age) => age === 'consistent')).toEqual([false, false, true]);
  });

  test('a truncated first list is not followed by an older one', async () => {
    const scene = await Scene.make();
    const { server } = scene;
    const version = String(server.store.currentVersion);
    let lists = 0;
    server.faultFor = ({ resource, verb }) => {
      lists += resource === 'services' && verb === 'list' ? 1 : 0;
      return resource === 'services' && verb === 'list' && lists === 1 ? { kind: 'cut', bytes: 500 } : undefined;
    };
    await (await scene.start()).synced();
    expect(scene.lists).toEqual(['0', version]);
  });

  test('truncated first initial events are not followed by an older list', async () => {
    const scene = await Scene.make();
    const { server } = scene;
    const versionOfB = server.store.list('services').find(({ metadata }) => metadata.name === 'b')
      ?.metadata.resourceVersion;
    server.faultFor = ({ query }) =>
      query.has('sendInitialEvents') ? { kind: 'cut-initial-events', events: 2 } : undefined;
    await (await scene.start({ watchList: 'all' })).synced();
    expect(scene.lists).toEqual([versionOfB]);
    expect(scene.names).toEqual(['a', 'b', 'c']);
  });

  test('a list that has expired in the watch cache is requested consistently, in pages', async () => {
    const scene = await Scene.make();
    const { server } = scene;
    server.faultFor = ({ verb, resource, query }) =>
      verb === 'list' && resource === 'services' && query.has('resourceVersion')
        ? { kind: 'status', code: 410, reason: 'Expired' }
        : undefined;
    await (await scene.start({ pageSize: 2 })).synced();
    expect(scene.lists).toEqual(['0', 'consistent']);
    expect(scene.requests.some(({ query }) => query.has('continue'))).toBe(true);
    expect(scene.names).toEqual(['a', 'b', 'c']);
  });

  test('a list that is too large for one answer is requested in pages', async () => {
    const scene = await Scene.make();
    scene.server.faultFor = ({ verb, resource, query }) =>
      verb === 'list' && resource === 'services' && query.get('resourceVersion') === '0'
        ? { kind: 'pad', bytes: 1_200_000 }
        : undefined;
    await (await scene.start({ pageSize: 2 })).synced();
    expect(scene.lists).toEqual(['0', 'consistent']);
  });
});

describe('watches with initial events', () => {
  const ALL = { watchList: 'all' } as const;

  /** How watches of Services with initial events were requested. */
  const initialWatches = (scene: Scene) =>
    scene.requests
      .filter(({ query }) => query.has('sendInitialEvents'))
      .map(({ query }) => query.get('resourceVersion') ?? 'consistent');

  test('start consistently, without a list, and continue as watches', async () => {
    const scene = await (await (await Scene.make()).start(ALL)).synced();
    const { server } = scene;
    expect(scene.names).toEqual(['a', 'b', 'c']);
    server.store.put('services', service('d'));
    server.store.delete('services', 'a', 'default');
    await scene.until(() => scene.names.join() === 'b,c,d', 'changes');
    expect(scene.requests).toHaveLength(1);
    expect(Object.fromEntries(scene.requests[0]?.query ?? [])).toMatchObject({
      watch: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      labelSelector: '!service.kubernetes.io/service-proxy-name',
    });
    expect(initialWatches(scene)).toEqual(['consistent']);
    expect(server.requests.filter(({ verb }) => verb === 'list').map(({ resource }) => resource)).toEqual([]);
  });

  test('are the default for the Node and ServiceCIDRs', async () => {
    const scene = await (await (await Scene.make()).start()).synced();
    await scene.until(() => scene.server.openWatches.length === 4, 'four watches');
    const lists = scene.server.requests.filter(({ verb }) => verb === 'list').map(({ resource }) => resource);
    expect(lists.sort()).toEqual(['endpointslices', 'services']);
    const none = await (await (await Scene.make()).start({ watchList: 'none' })).synced();
    expect(none.server.requests.filter(({ query }) => query.has('sendInitialEvents'))).toEqual([]);
  });

  test('detect exactly the changes made while disconnected', async () => {
    const scene = await (await (await Scene.make()).start(ALL)).synced();
    const { server, handler } = scene;
    const known = server.store.currentVersion;
    await server.goAway();
    server.store.delete('services', 'a', 'default');
    server.store.put('services', service('b', '10.96.0.2'));
    server.store.put('services', service('d'));
    server.store.compact();
    const before = handler.events.length;
    await server.comeBack();
    await scene.until(() => scene.names.join() === 'b,c,d', 'the changes');
    expect(
      handler.events
        .slice(before)
        .filter((event) => event.includes(' Service '))
        .sort(),
    ).toEqual(['+ Service default/d', '- Service default/a', '~ Service default/b']);
    expect(initialWatches(scene)).toEqual(['consistent', String(known)]);
    expect(scene.lists).toEqual([]);
    expect(handler.violations).toEqual([]);
  });

  test('are not synced before the bookmark that ends them: a watch cache that is behind', async () => {
    const scene = await Scene.make();
    const { server } = scene;
    server.store.freezeCache();
    server.store.delete('services', 'a', 'default');
    server.store.put('services', service('d'));
    // Long enough for no fall-back.
    await scene.start({ ...ALL, responseTimeout: 6_000_000 });
    await scene.until(() => scene.names.join() === 'a,b,c', 'initial events of the old state');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(scene.handler.servicesSynced).toBe(0);
    server.store.thawCache();
    await scene.synced();
    expect(scene.names).toEqual(['b', 'c', 'd']);
    expect(scene.handler.events.indexOf('synced services')).toBeGreaterThan(
      scene.handler.events.indexOf('- Service default/a'),
    );
  });

  test('are refused by a server without support: once, and without a log line', async () => {
    const scene = await (await (await Scene.make({ watchList: 'refused' })).start(ALL)).synced();
    const { server } = scene;
    await scene.until(() => server.openWatches.length === 4, 'four watches');
    // Four kinds of objects request them concurrently at the start.
    const asked = () => server.requests.filter(({ query }) => query.has('sendInitialEvents')).length;
    expect(asked()).toBeLessThanOrEqual(4);
    const before = asked();
    server.disturbWatches('gone');
    await scene.until(() => scene.lists.length === 2, 'a new list');
    expect(scene.lists[0]).toBe('0');
    expect(asked()).toBe(before);
    // On a busy machine a list may take long.
    const isExpected = (line: string) => line.startsWith('D ') || line.includes('the list is not complete after');
    expect(scene.log.lines.filter((line) => !isExpected(line))).toEqual([]);
  });

  test('are ignored by an old server whose watch has no events: a list follows', async () => {
    const scene = await Scene.make({ watchList: 'ignored' });
    const version = String(scene.server.store.currentVersion);
    await scene.start({ ...ALL, responseTimeout: 60_000 });
    await scene.synced();
    expect(Number(scene.lists[0])).toBeLessThan(Number(version));
    expect(scene.lists).toHaveLength(1);
    expect(scene.names).toEqual(['a', 'b', 'c']);
    scene.server.disturbWatches('gone', 'services');
    await scene.until(() => scene.lists.length === 2, 'a new list');
    expect(initialWatches(scene)).toHaveLength(1);
  });

  test('are ignored by an old server with many changes: the first bookmark reveals it', async () => {
    const scene = await Scene.make({ watchList: 'ignored' });
    await scene.start({ ...ALL, responseTimeout: 6_000_000 });
    for (let change = 0; scene.handler.servicesSynced === 0 && change < 5000; change += 1) {
      scene.server.store.put('services', service('busy', `10.96.1.${change % 250}`));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await scene.synced();
    expect(scene.lists).toHaveLength(1);
    expect(scene.lists).not.toContain('consistent');
  });

  test.each([0, 2])('that are truncated after %d events neither remove nor sync anything', async (events) => {
    const scene = await (await (await Scene.make()).start(ALL)).synced();
    const { server, handler } = scene;
    const before = handler.events.length;
    let faults = 0;
    server.faultFor = ({ resource, verb, query }) => {
      if (resource !== 'services') {
        return undefined;
      }
      faults += 1;
      return verb === 'watch' && query.has('sendInitialEvents')
        ? { kind: 'cut-initial-events', events }
        : { kind: 'status', code: 500 };
    };
    server.store.delete('services', 'c', 'default');
    await scene.until(() => scene.names.length === 2, 'a removal');
    server.store.compact();
    server.disturbWatches('gone', 'services');
    await scene.until(() => faults >= 6, 'faults');
    expect(handler.events.slice(before)).toEqual(['- Service default/c']);
    // A list followed instead.
    expect(scene.lists.length).toBeGreaterThan(0);
    server.faultFor = () => undefined;
    server.store.put('services', service('d'));
    await scene.until(() => scene.names.join() === 'a,b,d', 'the end of the faults');
  });

  test('of an older version than the known state are not applied', async () => {
    const scene = await (await (await Scene.make()).start(ALL)).synced();
    const { server, handler } = scene;
    const before = handler.events.length;
    await server.goAway();
    server.store.delete('services', 'a', 'default');
    server.store.put('services', service('b', '10.96.0.2'));
    server.store.put('services', service('d'));
    server.store.compact();
    let stale = 2;
    const seen: number[] = [];
    server.faultFor = ({ resource, query }) => {
      if (resource !== 'services' || !query.has('sendInitialEvents')) {
        return undefined;
      }
      seen.push(handler.events.length - before);
      stale -= 1;
      return stale >= 0 ? { kind: 'stale', versions: 50 } : undefined;
    };
    await server.comeBack();
    await scene.until(() => scene.names.join() === 'b,c,d', 'the changes');
    // Nothing had been applied when the third answer was requested.
    expect(seen).toEqual([0, 0, 0]);
    expect(
      scene.log.lines.filter((line) => line.startsWith('D services: ') && line.includes('was seen already')),
    ).toHaveLength(2);
    expect(handler.violations).toEqual([]);
  });

  test('are requested consistently when the server no longer has the version', async () => {
    const scene = await (await (await Scene.make()).start(ALL)).synced();
    const { server } = scene;
    const known = String(server.store.currentVersion);
    server.faultFor = ({ resource, query }) =>
      resource === 'services' && query.get('resourceVersion') === known
        ? { kind: 'status', code: 410, reason: 'Expired' }
        : undefined;
    server.disturbWatches('reset', 'services');
    await scene.until(() => initialWatches(scene).length === 3, 'a consistent watch');
    expect(initialWatches(scene)).toEqual(['consistent', known, 'consistent']);
    server.store.put('services', service('d'));
    await scene.until(() => scene.names.join() === 'a,b,c,d', 'a change');
  });

  test.each([
    ['HTML', { kind: 'html' }],
    ['500', { kind: 'status', code: 500 }],
  ] as const)('are replaced by a list when the answer is %s', async (_what, fault) => {
    const scene = await Scene.make();
    scene.server.faultFor = ({ query }) => (query.has('sendInitialEvents') ? fault : undefined);
    await (await scene.start(ALL)).synced();
    expect(scene.lists).toEqual(['0']);
  });

  test('are retried, without a fallback to a list, when the server is overloaded', async () => {
    const scene = await Scene.make();
    let requests = 0;
    scene.server.faultFor = ({ resource }) => {
      requests += resource === 'services' ? 1 : 0;
      return resource === 'services' && requests <= 2 ? { kind: 'status', code: 429, retryAfter: 1 } : undefined;
    };
    await (await scene.start(ALL)).synced();
    expect(scene.lists).toEqual([]);
    expect(initialWatches(scene)).toHaveLength(3);
  });
});

describe('compressed lists', () => {
  /** Enough for the server to compress the list. */
  async function large(): Promise<Scene> {
    const scene = await Scene.make();
    for (let index = 0; index < 600; index += 1) {
      scene.server.store.put('services', {
        ...service(`s${index}`),
        metadata: { name: `s${index}`, namespace: 'default', managedFields: [{ fieldsV1: { text: 'x'.repeat(300) } }] },
      });
    }
    return scene;
  }

  test('take a fraction of the bytes', async () => {
    const scene = await (await (await large()).start()).synced();
    expect(scene.names).toHaveLength(603);
    expect(scene.server.bytesSent).toBeGreaterThan(1000);
    expect(scene.server.bytesSent).toBeLessThan(60_000);
    // Connections are reused after a compressed answer: a list and a watch of each kind would need eight. On a busy machine one may be
    // opened again.
    await scene.until(() => scene.server.openWatches.length === 4, 'four watches');
    expect(scene.server.totalConnections).toBeLessThan(8);
  });

  test.each([
    ['cut off', { kind: 'cut', bytes: 8000 }],
    ['ended in the middle', { kind: 'truncate', bytes: 8000 }],
    ['without its last byte', { kind: 'truncate', bytes: 'all but one' }],
  ] as const)('remove nothing when they are %s', async (_what, fault) => {
    const scene = await (await (await large()).start()).synced();
    const { server, handler } = scene;
    const before = handler.events.length;
    let faults = 0;
    server.faultFor = ({ verb, resource }) => {
      if (verb === 'list' && resource === 'services') {
        faults += 1;
        return fault.bytes === 'all but one'
          ? { kind: 'truncate', bytes: -1 }
          : { kind: fault.kind, bytes: fault.bytes };
      }
      return undefined;
    };
    server.disturbWatches('gone', 'services');
    await scene.until(() => faults >= 3, 'faults');
    expect(handler.events).toHaveLength(before);
    server.faultFor = () => undefined;
    server.store.delete('services', 's7', 'default');
    await scene.until(() => scene.names.length === 602, 'the removal');
  });
});

describe('the encoding', () => {
  const encodings = ({ server }: Scene) => new Set(server.requests.map(({ encoding }) => encoding));

  test('is protobuf if the server supports it', async () => {
    const scene = await (await (await Scene.make()).start()).synced();
    expect(encodings(scene)).toEqual(new Set(['protobuf']));
    expect(scene.names).toEqual(['a', 'b', 'c']);
  });

  test('is JSON if requested, or if the server supports nothing else', async () => {
    const chosen = await (await (await Scene.make()).start({ encoding: 'json' })).synced();
    expect(encodings(chosen)).toEqual(new Set(['json']));
    const without = await (await (await Scene.make({ protobuf: 'ignored' })).start()).synced();
    expect(without.names).toEqual(['a', 'b', 'c']);
    expect(without.log.lines.filter((line) => line.startsWith('W'))).toEqual([]);
  });

  test('is JSON after one refusal by a proxy, at once', async () => {
    const scene = await (await (await Scene.make({ protobuf: 'refused' })).start()).synced();
    expect(scene.names).toEqual(['a', 'b', 'c']);
    // Each kind may have sent a request before the first answer arrived.
    expect(scene.server.requests.length).toBeLessThanOrEqual(12);
    expect(scene.log.lines.some((line) => /^W .*406 NotAcceptable.*objects are read as JSON/.test(line))).toBe(true);
  });
});
