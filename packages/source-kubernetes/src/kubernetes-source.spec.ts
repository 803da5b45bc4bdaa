import { afterEach, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { KubernetesSource, type KubernetesSourceOptions } from './kubernetes-source.js';
import {
  type ApiObject,
  FakeApiServer,
  type FakeApiServerOptions,
  FastClock,
  RecordingHandler,
} from './testing/index.js';

/** Speed-up of the source's clock. */
const FASTER = 200;

function service(name: string, change: object = {}): ApiObject {
  return {
    metadata: {
      name,
      namespace: 'default',
      managedFields: [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': { 'f:ports': {} } } }],
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }],
      ...change,
    },
    status: { loadBalancer: {} },
  };
}

function slice(name: string, address = '10.244.0.1'): ApiObject {
  return {
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': 'web', other: 'label' } },
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: [address],
        conditions: { ready: true },
        nodeName: 'node1',
        targetRef: { kind: 'Pod', name: 'web-1' },
      },
    ],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
}

function node(name: string, change: object = {}): ApiObject {
  return {
    metadata: { name, labels: { 'topology.kubernetes.io/zone': 'z1', 'kubernetes.io/hostname': name } },
    spec: { podCIDRs: ['10.244.0.0/24'] },
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], images: [{ names: ['large'] }], ...change },
  };
}

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

class Fixture {
  readonly handler = new RecordingHandler();
  readonly log = new RecordingLogger(9);
  private constructor(
    readonly server: FakeApiServer,
    readonly clock: FastClock,
    readonly source: KubernetesSource,
    log: RecordingLogger,
  ) {
    this.log = log;
  }

  static async make(
    options: Partial<KubernetesSourceOptions> = {},
    serverOptions: FakeApiServerOptions = {},
    faster = FASTER,
  ): Promise<Fixture> {
    const clock = new FastClock(faster);
    const server = await FakeApiServer.start({ clock: new FastClock(faster), ...serverOptions });
    server.store.put('services', service('web'));
    server.store.put('endpointslices', slice('web-a'));
    server.store.put('nodes', node('node1'));
    server.store.put('servicecidrs', { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16'] } });
    const log = new RecordingLogger(9);
    const source = new KubernetesSource({
      ...(options.kubeconfig === undefined ? { master: server.url } : {}),
      logger: log,
      clock,
      // Six real seconds: a busy machine may be late.
      responseTimeout: 600_000,
      ...options,
    });
    ending.push(() => server.stop());
    ending.push(async () => {
      await source.stop();
      expect(clock.pending).toBe(0);
    });
    return new Fixture(server, clock, source, log);
  }

  async start(): Promise<this> {
    await this.source.start(this.handler, { nodeName: 'node1' });
    await this.until(() => this.handler.servicesSynced === 1 && this.handler.endpointsSynced === 1, 'synced');
    await this.until(() => this.server.openWatches.length === 4, 'four watches');
    return this;
  }

  /** Of messages without a request. */
  get loud(): readonly string[] {
    // On a busy machine a list may take long.
    return this.log.lines.filter((line) => !line.startsWith('D ') && !line.includes('the list is not complete after'));
  }

  until(condition: () => boolean, what: string): Promise<void> {
    return until(condition, () => `${what}\n${this.log.lines.slice(-40).join('\n')}`, 60_000);
  }

  /** Changes an object and waits for the event, which shows that the watch works. */
  async comesThrough(name: string): Promise<void> {
    this.server.store.put('services', service(name));
    await this.until(() => this.handler.services.has(`default/${name}`), `Service ${name}`);
  }

  expectExact(): void {
    const names = (resource: string) =>
      this.server.store.list(resource).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect([...this.handler.services.keys()].sort()).toEqual(names('services').sort());
    expect([...this.handler.slices.keys()].sort()).toEqual(names('endpointslices').sort());
    expect(this.handler.violations).toEqual([]);
    expect(this.handler.servicesSynced).toBe(1);
    expect(this.handler.endpointsSynced).toBe(1);
    this.expectSameObjects();
  }

  /** The source has exactly the objects that it has reported. */
  expectSameObjects(): void {
    const { objects } = this.source;
    const reported = [['Services', this.handler.services] as const, ['EndpointSlices', this.handler.slices] as const];
    for (const [kind, expected] of reported) {
      const found = [...objects.all(kind)].map((object) => [
        `${object.metadata?.namespace}/${object.metadata?.name}`,
        object,
      ]);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
      for (const [key, object] of expected) {
        const [namespace = '', name = ''] = key.split('/');
        expect(objects.get(kind, { namespace, name })).toEqual(object);
      }
      expect(objects.get(kind, { namespace: 'default', name: 'missing' })).toBeUndefined();
    }
  }

  requests(resource: string, verb: string): number {
    return this.server.requests.filter((request) => request.resource === resource && request.verb === verb).length;
  }
}

describe('KubernetesSource', () => {
  test('reports all objects, with only the fields that a proxy reads, and then synced', async () => {
    const { handler, server } = await (await Fixture.make()).start();
    expect(handler.services.get('default/web')).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default', creationTimestamp: '2026-11-20T22:03:43Z' },
      spec: {
        type: 'ClusterIP',
        clusterIP: '10.96.0.1',
        clusterIPs: ['10.96.0.1'],
        ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
      },
      status: { loadBalancer: {} },
    });
    expect(handler.slices.get('default/web-a')).toEqual({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'web-a', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
      endpoints: [
        {
          addresses: ['10.244.0.1'],
          conditions: { ready: true },
          nodeName: 'node1',
          targetRef: { kind: 'Pod', name: 'web-1' },
        },
      ],
    });
    expect(handler.node).toMatchObject({
      metadata: { name: 'node1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
      spec: { podCIDRs: ['10.244.0.0/24'] },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    });
    expect(handler.cidrs).toEqual(['10.96.0.0/16']);
    const order = (event: string) => handler.events.indexOf(event);
    expect(order('synced services')).toBeGreaterThan(order('+ Service default/web'));
    expect(order('synced services')).toBeGreaterThan(order('node node1'));
    expect(order('synced endpoints')).toBeGreaterThan(order('+ EndpointSlice default/web-a'));

    const asked = (resource: string, verb: string) =>
      Object.fromEntries(server.requests.find((r) => r.resource === resource && r.verb === verb)?.query ?? []);
    expect(asked('services', 'list')).toEqual({
      labelSelector: '!service.kubernetes.io/service-proxy-name',
      fieldSelector: 'spec.clusterIP!=None',
      limit: '500',
      resourceVersion: '0',
    });
    expect(asked('endpointslices', 'list').labelSelector).toBe('!service.kubernetes.io/headless');
    expect(asked('nodes', 'watch')).toMatchObject({ fieldSelector: 'metadata.name=node1', sendInitialEvents: 'true' });
    const watch = asked('services', 'watch');
    expect(watch).toMatchObject({
      labelSelector: '!service.kubernetes.io/service-proxy-name',
      allowWatchBookmarks: 'true',
      resourceVersion: expect.stringMatching(/^\d+$/),
    });
    expect(Number(watch.timeoutSeconds)).toBeGreaterThanOrEqual(300);
    expect(Number(watch.timeoutSeconds)).toBeLessThan(600);
  });

  test('reports changes with the very object that it reported before', async () => {
    const fixture = await (await Fixture.make()).start();
    const { handler, server } = fixture;
    server.store.put('services', service('web', { clusterIP: '10.96.0.2' }));
    server.store.put('services', service('api'));
    server.store.put('endpointslices', slice('web-a', '10.244.0.2'));
    server.store.delete('services', 'api', 'default');
    server.store.put('nodes', node('node2'));
    server.store.put('servicecidrs', {
      metadata: { name: 'more' },
      spec: { cidrs: ['fd00:96::/112', '10.96.0.0/16'] },
    });
    await fixture.until(() => handler.events.includes('- Service default/api'), 'removal');
    await fixture.until(() => handler.cidrs?.length === 2, 'networks');
    await fixture.until(() => handler.events.includes('~ EndpointSlice default/web-a'), 'a changed slice');
    expect(handler.cidrs).toEqual(['10.96.0.0/16', 'fd00:96::/112']);
    expect(handler.services.get('default/web')?.spec?.clusterIP).toBe('10.96.0.2');
    expect(handler.events.filter((event) => event.startsWith('node'))).toEqual(['node node1']);
    fixture.expectExact();
  });

  test('has the objects that it has reported, and a list of them does not change while it is read', async () => {
    const fixture = await Fixture.make();
    fixture.expectSameObjects();
    await fixture.start();
    const services = fixture.source.objects.all('Services');
    fixture.server.store.delete('services', 'web', 'default');
    await fixture.comesThrough('other');
    await fixture.until(() => !fixture.handler.services.has('default/web'), 'removal of web');
    expect([...services].map(({ metadata }) => metadata?.name)).toEqual(['web']);
    fixture.expectExact();
    await fixture.source.stop();
    fixture.expectSameObjects();
  });

  test('does not report changes of fields that a proxy does not read', async () => {
    const fixture = await (await Fixture.make()).start();
    const before = fixture.handler.events.length;
    const labelled = service('web');
    fixture.server.store.put('services', { ...labelled, metadata: { ...labelled.metadata, labels: { x: '1' } } });
    fixture.server.store.put('nodes', node('node1', { images: [{ names: ['heartbeat'] }] }));
    await fixture.comesThrough('next');
    expect(fixture.handler.events.slice(before)).toEqual(['+ Service default/next']);
  });

  test('reports Services and slices that start or stop matching its selectors', async () => {
    const fixture = await (await Fixture.make()).start();
    const { handler, server } = fixture;
    const of = (object: ApiObject, label: string): ApiObject => ({
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata.labels, [label]: '' } },
    });
    server.store.put('services', of(service('web'), 'service.kubernetes.io/service-proxy-name'));
    server.store.put('endpointslices', of(slice('web-a'), 'service.kubernetes.io/headless'));
    await fixture.until(() => handler.services.size === 0 && handler.slices.size === 0, 'both left');
    server.store.put('services', service('web'));
    server.store.put('endpointslices', slice('web-a'));
    await fixture.until(() => handler.services.size === 1 && handler.slices.size === 1, 'both are back');
    fixture.expectExact();
  });

  test('reads long lists in pages, and reports nothing twice', async () => {
    const fixture = await Fixture.make({ pageSize: 7 }, { watchCache: false });
    for (let index = 0; index < 100; index += 1) {
      fixture.server.store.put('services', service(`s${index}`));
    }
    await fixture.start();
    expect(fixture.requests('services', 'list')).toBe(15);
    expect(fixture.handler.events.filter((event) => event.includes(' Service '))).toHaveLength(101);
    fixture.expectExact();
  });

  test('lists without pages when the rest of a list has expired', async () => {
    const fixture = await Fixture.make({ pageSize: 2 }, { watchCache: false });
    for (let index = 0; index < 9; index += 1) {
      fixture.server.store.put('services', service(`s${index}`));
    }
    fixture.server.faultFor = ({ resource, query }) => {
      if (resource === 'services' && query.has('continue') && fixture.requests('services', 'list') === 3) {
        fixture.server.store.delete('services', 's0', 'default');
        fixture.server.store.compact();
      }
      return undefined;
    };
    await fixture.start();
    const last = fixture.server.requests
      .filter(({ resource, verb }) => resource === 'services' && verb === 'list')
      .at(-1);
    expect(last?.query.has('limit')).toBe(false);
    expect(last?.query.has('resourceVersion')).toBe(false);
    fixture.expectExact();
  });

  test('misses no change between two pages', async () => {
    const fixture = await Fixture.make({ pageSize: 2 }, { watchCache: false });
    for (let index = 0; index < 6; index += 1) {
      fixture.server.store.put('services', service(`s${index}`));
    }
    fixture.server.faultFor = ({ resource, query }) => {
      if (resource === 'services' && query.has('continue') && fixture.requests('services', 'list') === 2) {
        fixture.server.store.put('services', service('s0', { clusterIP: '10.96.0.77' }));
        fixture.server.store.delete('services', 's1', 'default');
        fixture.server.store.put('services', service('a-new-one'));
      }
      return undefined;
    };
    await fixture.start();
    await fixture.until(() => fixture.handler.services.has('default/a-new-one'), 'the new one');
    expect(fixture.handler.services.get('default/s0')?.spec?.clusterIP).toBe('10.96.0.77');
    fixture.expectExact();
  });

  test('continues from bookmarks when the server ends a watch, without listing', async () => {
    const fixture = await (await Fixture.make()).start();
    const version = () =>
      fixture.server.requests
        .filter((r) => r.resource === 'services' && r.verb === 'watch')
        .at(-1)
        ?.query.get('resourceVersion');
    const first = version();
    fixture.server.store.put('nodes', node('other'));
    // The server ends it after ten minutes at most; bookmarks report the version until then.
    await fixture.until(() => fixture.requests('services', 'watch') >= 2, 'a second watch');
    expect(Number(version())).toBeGreaterThan(Number(first));
    expect(fixture.requests('services', 'list')).toBe(1);
    await fixture.comesThrough('next');
    expect(fixture.loud).toEqual([]);
    fixture.expectExact();
  });

  test('relists when its version expires during an outage, and reports only the differences', async () => {
    const fixture = await (await Fixture.make()).start();
    const { server, handler } = fixture;
    server.store.put('services', service('gone'));
    await fixture.until(() => handler.services.has('default/gone'), 'Service gone');
    await server.goAway();
    server.store.delete('services', 'gone', 'default');
    server.store.put('services', service('new'));
    server.store.compact();
    const before = handler.events.length;
    await server.comeBack();
    await fixture.until(() => handler.services.has('default/new'), 'Service new');
    await fixture.until(() => !handler.services.has('default/gone'), 'removal of gone');
    expect(handler.events.slice(before)).toEqual(['+ Service default/new', '- Service default/gone']);
    fixture.expectExact();
  });

  test.each([
    'gone',
    'error',
    'malformed',
    'reset',
    'half',
    'close',
    'duplicate',
    'slow',
    { endless: 5_000_000 },
  ] as const)('recovers from a watch with the fault %j', async (fault) => {
    const fixture = await (await Fixture.make({ maxEventBytes: 1_000_000 })).start();
    await fixture.comesThrough('before');
    const before = fixture.handler.events.length;
    expect(fixture.server.disturbWatches(fault)).toBe(4);
    await fixture.comesThrough('after');
    fixture.server.store.put('endpointslices', slice('web-b'));
    await fixture.until(() => fixture.handler.slices.size === 2, 'slice');
    expect(fixture.handler.events.slice(before).sort()).toEqual([
      '+ EndpointSlice default/web-b',
      '+ Service default/after',
    ]);
    fixture.expectExact();
    expect(fixture.loud).toEqual([]);
  });

  test('does not revert to the state of repeated events', async () => {
    const fixture = await (await Fixture.make()).start();
    const { server, handler } = fixture;
    await fixture.comesThrough('short-lived');
    server.store.put('services', service('short-lived', { clusterIP: '10.96.0.9' }));
    server.store.delete('services', 'short-lived', 'default');
    await fixture.until(() => !handler.services.has('default/short-lived'), 'removal');
    const before = handler.events.length;
    server.disturbWatches('duplicate', 'services');
    await fixture.comesThrough('next');
    expect(handler.events.slice(before)).toEqual(['+ Service default/next']);
    fixture.expectExact();
  });

  test('detects a half-open connection', async () => {
    const fixture = await (await Fixture.make()).start();
    const begin = fixture.clock.now();
    fixture.server.disturbWatches('silence');
    fixture.server.store.put('services', service('missed'));
    await fixture.until(() => fixture.handler.services.has('default/missed'), 'what was missed');
    const waited = fixture.clock.now() - begin;
    expect(waited).toBeGreaterThan(60_000);
    // Real time, on a machine that may be busy.
    expect(waited).toBeLessThan(600_000);
    fixture.expectExact();
  });

  test('relists after an open watch was silent: a restored cluster sends nothing for a future version', async () => {
    const fixture = await (await Fixture.make({ relistAfter: 1e9 })).start();
    const { server, handler } = fixture;
    server.store.rewind(50);
    server.store.put('services', service('other'));
    server.disturbWatches('reset');
    await fixture.until(() => handler.services.has('default/other'), 'the new Service is reported');
    expect(fixture.loud.join()).toMatch(/it was restored/);
    fixture.expectExact();
  });

  test('relists when it waits for a future version: the cluster was restored', async () => {
    const fixture = await (await Fixture.make({ relistAfter: 120_000 }, { bookmarkInterval: 600_000 })).start();
    const { server, handler } = fixture;
    server.store.rewind(50);
    server.store.delete('services', 'web', 'default');
    server.store.put('services', service('other'));
    server.disturbWatches('reset');
    await fixture.until(() => handler.services.has('default/other'), 'the new Service is reported');
    await fixture.until(() => !handler.services.has('default/web'), 'the deleted Service is reported');
    expect(fixture.loud.join()).toMatch(/it was restored/);
    fixture.expectExact();
  });

  test('a restore detected for one resource causes relists of all: their watches may continue and miss reverted changes', async () => {
    const fixture = await (await Fixture.make({ relistAfter: 1e9 }, { bookmarkInterval: 600_000 })).start();
    const { server, handler } = fixture;
    server.store.put('endpointslices', slice('undone'));
    await fixture.until(() => handler.slices.has('default/undone'), 'the EndpointSlice is reported');
    for (let index = 0; index < 1000; index++) {
      server.store.put('services', service('last', { labels: { index: String(index) } }));
    }
    await fixture.until(() => handler.services.has('default/last'), 'the Services are reported');
    const version = server.store.currentVersion;
    server.store.rewind(version - 1020);
    server.store.delete('endpointslices', 'undone', 'default');
    // The server has passed the version of the EndpointSlices, but not that of the Services.
    while (server.store.currentVersion < version - 900) {
      server.store.put('nodes', { metadata: { name: 'other' } });
    }
    server.disturbWatches('reset');
    // Their watch is not silent.
    const beat = setInterval(() => server.store.put('endpointslices', slice('beat')), 20);
    await fixture.until(() => !handler.slices.has('default/undone'), 'the EndpointSlice is gone');
    clearInterval(beat);
    // On a busy machine another resource may relist first, because its watch counts as silent.
    await fixture.until(() => /services: .*it was restored/.test(fixture.loud.join()), 'the restore in the log');
    fixture.expectExact();
  });

  test('rejects a single list that is older than the known state', async () => {
    const fixture = await (await Fixture.make()).start();
    let stale = 1;
    fixture.server.faultFor = ({ verb, resource }) =>
      verb === 'list' && resource === 'services' && stale-- > 0 ? { kind: 'stale', versions: 20 } : undefined;
    fixture.server.disturbWatches('gone', 'services');
    await fixture.comesThrough('next');
    expect(fixture.log.lines.join()).toMatch(/was seen already/);
    fixture.expectExact();
  });

  test.each([
    ['reset', { kind: 'reset' }],
    ['500', { kind: 'status', code: 500 }],
    ['no list', { kind: 'empty' }],
    ['HTML', { kind: 'html' }],
    ['cut', { kind: 'cut', bytes: 200 }],
    ['truncated', { kind: 'truncate', bytes: 200 }],
    ['hanging', { kind: 'hang' }],
    ['stalling', { kind: 'stall', bytes: 100 }],
    ['too large', { kind: 'pad', bytes: 2_000_000 }],
    ['dripping for too long', { kind: 'drip', bytes: 1, interval: 5 }],
    ['429', { kind: 'status', code: 429, reason: 'TooManyRequests', retryAfter: 20 }],
  ] as const)('keeps the known state during failing lists (%s), and recovers', async (_name, fault) => {
    const fixture = await (
      await Fixture.make({ maxPageBytes: 1_000_000, pageTimeout: 60_000, responseTimeout: 20_000 })
    ).start();
    const { handler, server } = fixture;
    const before = handler.events.length;
    let failures = 0;
    server.faultFor = ({ verb }) => {
      if (verb === 'list') {
        failures += 1;
        return fault;
      }
      return undefined;
    };
    server.disturbWatches('gone');
    await fixture.until(() => failures >= 8, 'failing lists');
    expect(handler.events).toHaveLength(before);
    server.faultFor = () => undefined;
    server.store.delete('endpointslices', 'web-a', 'default');
    await fixture.comesThrough('after');
    await fixture.until(() => handler.slices.size === 0, 'removal');
    await fixture.until(() => server.openWatches.length === 4, 'four watches');
    fixture.expectExact();
    // On a busy machine a list may fail for two reasons; each is logged once. There, other requests may get no answer in time, too.
    const reports = fixture.loud.filter((line) => line.includes('does not answer correctly'));
    expect(reports.length).toBeGreaterThan(0);
    const certain = reports.filter((line) => !line.includes('no answer came within'));
    expect(new Set(certain).size).toBe(certain.length);
    await fixture.until(
      () => fixture.loud.some((line) => /answers again after \d+ s/.test(line)),
      'the end in the log',
    );
    const end = /answers (?:again after|for \w+ again)/;
    expect(fixture.loud.filter((line) => !reports.includes(line) && !end.test(line))).toEqual([]);
  });

  test('waits as long as Retry-After requests', async () => {
    const fixture = await (await Fixture.make()).start();
    const times: number[] = [];
    fixture.server.faultFor = ({ resource }) => {
      if (resource === 'services') {
        times.push(fixture.clock.now());
        return times.length <= 2 ? { kind: 'status', code: 429, retryAfter: 60 } : undefined;
      }
      return undefined;
    };
    fixture.server.disturbWatches('gone', 'services');
    await fixture.until(() => times.length >= 3, 'three requests');
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(59_000);
    await fixture.comesThrough('next');
  });

  test('starts while the API server is unavailable, and reports nothing before the lists are complete', async () => {
    const fixture = await Fixture.make();
    const { server, source, handler } = fixture;
    await server.goAway();
    await source.start(handler, { nodeName: 'node1' });
    await fixture.until(() => fixture.loud.length > 0, 'the outage in the log');
    expect(handler.events).toEqual([]);
    await server.comeBack();
    await fixture.until(() => handler.servicesSynced === 1 && handler.endpointsSynced === 1, 'synced');
    await fixture.until(() => fixture.loud.length === 2, 'the end of the outage');
    expect(fixture.loud).toEqual([
      expect.stringMatching(/^E the API server http:\/\/127\.0\.0\.1:\d+ does not answer correctly: .*ECONNREFUSED/),
      expect.stringMatching(/^I the API server .* answers again after \d+ s$/),
    ]);
    fixture.expectExact();
  });

  test('names the missing RBAC rule', async () => {
    const fixture = await Fixture.make();
    fixture.server.forbidden.add('endpointslices');
    fixture.server.forbidden.add('nodes');
    await fixture.source.start(fixture.handler, { nodeName: 'node1' });
    await fixture.until(() => fixture.handler.servicesSynced === 1, 'services synced');
    await fixture.until(() => fixture.loud.length === 2, 'two refusals');
    expect([...fixture.loud].sort()[0]).toContain(
      'forbids to list or watch endpointslices (403 Forbidden: endpointslices.discovery.k8s.io is forbidden: User "system:kube-proxy" cannot list resource "endpointslices" in API group "discovery.k8s.io" at the cluster scope); grant it by a ClusterRole with the rule {apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"]}',
    );
    expect(fixture.handler.endpointsSynced).toBe(0);
    fixture.server.forbidden.clear();
    await fixture.until(() => fixture.handler.endpointsSynced === 1, 'endpoints synced');
    expect(fixture.loud.filter((line) => line.includes('can be read again')).length).toBeGreaterThan(0);
    fixture.expectExact();
  });

  test('reports what is missing without permission to read ServiceCIDRs, in the log once and in the status until it is granted', async () => {
    const fixture = await Fixture.make();
    fixture.server.forbidden.add('servicecidrs');
    await fixture.source.start(fixture.handler, { nodeName: 'node1' });
    await fixture.until(() => fixture.handler.servicesSynced === 1, 'synced');
    const obstacle = () => fixture.source.obstacle('ServiceCIDRs');
    await fixture.until(() => obstacle() !== undefined, 'the refusal');
    expect(obstacle()).toMatch(
      /^it forbids to list or watch servicecidrs .*; until then packets to addresses of the Service networks that no Service has are not dropped$/,
    );
    expect(fixture.source.obstacle('Services')).toBeUndefined();
    const requests = () => fixture.server.requests.filter(({ resource }) => resource === 'servicecidrs').length;
    const before = requests();
    await fixture.until(() => requests() > before + 2, 'further requests');
    expect(fixture.loud).toEqual([expect.stringContaining('W the API server')]);
    fixture.server.forbidden.clear();
    await fixture.until(() => obstacle() === undefined, 'the permission');
    expect(fixture.loud).toHaveLength(2);
  });

  test('a role without ServiceCIDRs is not an obstacle if the server does not have them', async () => {
    const fixture = await Fixture.make({}, { unknownResources: ['servicecidrs'] });
    fixture.server.forbidden.add('servicecidrs');
    await fixture.source.start(fixture.handler, { nodeName: 'node1' });
    await fixture.until(() => fixture.handler.servicesSynced === 1, 'synced');
    await fixture.until(() => fixture.server.requests.some(({ resource }) => resource.endsWith('/v1')), 'discovery');
    await fixture.comesThrough('after');
    expect(fixture.source.obstacle('ServiceCIDRs')).toBeUndefined();
    expect(fixture.loud).toEqual([]);
  });

  test('while one resource cannot be read, the log has the first failure of each further one', async () => {
    const fixture = await (await Fixture.make()).start();
    const failing = new Map([['services', 500]]);
    fixture.server.faultFor = ({ resource }) => {
      const code = failing.get(resource);
      return code === undefined ? undefined : { kind: 'status', code };
    };
    fixture.server.disturbWatches('gone', 'services');
    await fixture.until(() => fixture.loud.length === 1, 'the first reason');
    expect(fixture.loud[0]).toMatch(/does not answer correctly: services: 500/);
    failing.set('endpointslices', 503);
    fixture.server.disturbWatches('gone', 'endpointslices');
    await fixture.until(() => fixture.source.obstacle('EndpointSlices') !== undefined, 'another one');
    expect(fixture.loud[1]).toMatch(/^E .* does not answer correctly for endpointslices either: 503/);
    failing.delete('endpointslices');
    await fixture.until(() => fixture.loud.length === 3, 'its end');
    expect(fixture.loud[2]).toMatch(/^I .* answers for endpointslices again$/);
    failing.clear();
    await fixture.until(() => fixture.loud.length === 4, 'the end');
    expect(fixture.loud[3]).toMatch(/^I .* answers again after \d+ s$/);
    fixture.expectExact();
  });

  test('needs no ServiceCIDRs, and no field selector for Services', async () => {
    const fixture = await Fixture.make(
      {},
      { unknownResources: ['servicecidrs'], refuseFieldLabels: ['spec.clusterIP'] },
    );
    fixture.server.store.put('services', service('headless', { clusterIP: 'None' }));
    await fixture.source.start(fixture.handler, { nodeName: 'node1' });
    await fixture.until(() => fixture.handler.servicesSynced === 1, 'synced');
    await fixture.until(() => fixture.server.openWatches.length === 3, 'three watches');
    expect(fixture.handler.cidrs).toBeUndefined();
    expect(fixture.loud).toEqual([]);
    fixture.expectExact();
  });

  test('waits for its Node for a limited time', async () => {
    const fixture = await Fixture.make();
    fixture.server.faultFor = ({ resource }) => (resource === 'nodes' ? { kind: 'hang' } : undefined);
    const begin = fixture.clock.now();
    await fixture.source.start(fixture.handler, { nodeName: 'node1' });
    await fixture.until(() => fixture.handler.servicesSynced === 1, 'synced');
    expect(fixture.clock.now() - begin).toBeGreaterThan(29_000);
    expect(fixture.handler.node).toBeUndefined();
  });

  test('keeps the last known state of a deleted Node, and reports its absence as long as it lasts', async () => {
    const fixture = await (await Fixture.make()).start();
    expect(fixture.source.obstacle('Services')).toBeUndefined();
    fixture.server.store.delete('nodes', 'node1');
    await fixture.until(() => fixture.loud.length === 1, 'a warning');
    expect(fixture.loud[0]).toMatch(/^W Node node1 was deleted/);
    expect(fixture.source.obstacle('Services')).toMatch(/^Node node1 was deleted/);
    fixture.server.store.put('nodes', node('node1'));
    await fixture.until(() => fixture.source.obstacle('Services') === undefined, 'the Node');
    const other = await Fixture.make();
    other.server.store.delete('nodes', 'node1');
    await other.start();
    expect(other.loud).toEqual([expect.stringMatching(/^W there is no Node node1; .*the hostname override/)]);
    expect(other.source.obstacle('Services')).toMatch(/^there is no Node node1; .*the hostname override/);
  });

  test('continues when a handler throws', async () => {
    const fixture = await Fixture.make();
    const { handler } = fixture;
    const take = handler.onServiceUpdate.bind(handler);
    handler.onServiceUpdate = (previous, current) => {
      take(previous, current);
      throw new Error('cannot take it');
    };
    await fixture.start();
    await fixture.comesThrough('next');
    expect(fixture.loud[0]).toMatch(/an event handler failed.*cannot take it/);
    fixture.expectExact();
  });

  test('ignores objects without a name', async () => {
    const fixture = await (await Fixture.make()).start();
    fixture.server.store.put('services', { metadata: { name: '', namespace: 'default' } });
    await fixture.comesThrough('next');
    expect(fixture.loud).toEqual(['W services: an object without a name is left out']);
  });

  test('reuses its connections', async () => {
    const fixture = await Fixture.make({ pageSize: 2 });
    for (let index = 0; index < 40; index += 1) {
      fixture.server.store.put('services', service(`s${index}`));
    }
    await fixture.start();
    expect(fixture.server.totalConnections).toBe(4);
    fixture.server.disturbWatches('close');
    await fixture.until(
      () => fixture.server.requests.filter(({ verb }) => verb === 'watch').length === 8,
      'new watches',
    );
    expect(fixture.server.totalConnections).toBe(4);
  });

  test('stops at any time and at once, and reports nothing afterwards', async () => {
    for (const fault of [undefined, { kind: 'hang' }, { kind: 'stall', bytes: 20 }] as const) {
      const fixture = await Fixture.make({ responseTimeout: 600_000 });
      fixture.server.faultFor = () => fault;
      await fixture.source.start(fixture.handler, { nodeName: 'node1' });
      await fixture.until(() => fixture.server.requests.length > 0, 'a request');
      await fixture.source.stop();
      await fixture.source.stop();
      const { length } = fixture.handler.events;
      fixture.server.store.put('services', service('late'));
      await fixture.until(() => fixture.server.openConnections === 0, 'no connections');
      expect(fixture.handler.events).toHaveLength(length);
    }
    const unstarted = await Fixture.make();
    await unstarted.source.stop();
    await expect(unstarted.source.start(unstarted.handler, { nodeName: 'n' })).rejects.toMatchObject({
      code: 'SOURCE_IN_USE',
    });
  });
});

describe('prefetch', () => {
  const context = { nodeName: 'node1' };

  test('requests the objects, and reports none of them before the start', async () => {
    const fixture = await Fixture.make({}, {}, 1);
    const { handler, server, source } = fixture;
    source.prefetch(context);
    await fixture.until(() => server.requests.length === 4, 'four requests');
    expect(handler.events).toEqual([]);
    await fixture.start();
    fixture.expectExact();
    expect(fixture.requests('services', 'list')).toBe(1);
    expect(fixture.requests('endpointslices', 'list')).toBe(1);
    await fixture.comesThrough('next');
    expect(fixture.loud).toEqual([]);
  });

  test('a start that comes late requests the objects again, and logs no failure', async () => {
    const fixture = await Fixture.make();
    const { clock, handler, server, source } = fixture;
    source.prefetch(context);
    await fixture.until(() => fixture.requests('services', 'list') === 1, 'a request');
    const begin = clock.monotonic();
    // Longer than an answer may be silent.
    await fixture.until(() => clock.monotonic() - begin > 60_000 && server.openConnections === 0, 'a late start');
    server.store.put('services', service('web', { clusterIP: '10.96.0.9' }));
    expect(handler.events).toEqual([]);
    await fixture.start();
    expect(handler.services.get('default/web')?.spec?.clusterIP).toBe('10.96.0.9');
    fixture.expectExact();
    expect(fixture.loud).toEqual([]);
  });

  test('may be followed by a stop without a start', async () => {
    const fixture = await Fixture.make({}, {}, 1);
    fixture.source.prefetch(context);
    await fixture.until(() => fixture.server.requests.length > 0, 'a request');
    await fixture.source.stop();
    await fixture.until(() => fixture.server.openConnections === 0, 'no connections');
    expect(fixture.handler.events).toEqual([]);
    fixture.source.prefetch(context);
    await expect(fixture.source.start(fixture.handler, context)).rejects.toMatchObject({ code: 'SOURCE_IN_USE' });
  });

  test('its problem is reported by the start', async () => {
    const source = new KubernetesSource({ kubeconfig: '/no-such-file' });
    source.prefetch(context);
    await expect(source.start(new RecordingHandler(), context)).rejects.toMatchObject({ code: 'KUBECONFIG_NOT_FOUND' });
    await source.stop();
  });

  test('an API server that is unavailable until after the start is no problem', async () => {
    const fixture = await Fixture.make();
    fixture.server.faultFor = () => ({ kind: 'reset' });
    fixture.source.prefetch(context);
    await fixture.until(() => fixture.server.requests.length > 4, 'retries');
    const started = fixture.start();
    await fixture.until(() => fixture.loud.length > 0, 'a message');
    fixture.server.faultFor = () => undefined;
    await started;
    fixture.expectExact();
  });
});
