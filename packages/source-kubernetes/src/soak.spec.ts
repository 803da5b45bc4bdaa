import { describe, expect, test } from '@jest/globals';
import { Random, until } from '@kube-proxier/core/testing';
import { KubernetesSource } from './kubernetes-source.js';
import {
  type ApiObject,
  FakeApiServer,
  FastClock,
  RecordingHandler,
  type RequestFault,
  type WatchFault,
} from './testing/index.js';

/** Real seconds of faults; KUBE_PROXIER_SOAK_SECONDS for a longer run. */
const SECONDS = Number(process.env.KUBE_PROXIER_SOAK_SECONDS ?? 10);
/** The same faults in every run, for reproducibility; KUBE_PROXIER_SOAK_SEED for other ones. */
const SEED = Number(process.env.KUBE_PROXIER_SOAK_SEED ?? 1);
const SERVICES = 200;
const FASTER = 100;

const REQUEST_FAULTS: readonly RequestFault[] = [
  { kind: 'reset' },
  { kind: 'hang' },
  { kind: 'html' },
  { kind: 'empty' },
  { kind: 'gone' },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 503 },
  { kind: 'status', code: 429, retryAfter: 2 },
  { kind: 'status', code: 401 },
  { kind: 'status', code: 403 },
  { kind: 'status', code: 410, reason: 'Expired' },
  { kind: 'status', code: 504, reason: 'Timeout' },
  { kind: 'cut', bytes: 3000 },
  { kind: 'truncate', bytes: 5000 },
  { kind: 'stall', bytes: 2000 },
  { kind: 'drip', bytes: 2000, interval: 1 },
  { kind: 'pad', bytes: 3_000_000 },
  { kind: 'stale', versions: 30 },
  { kind: 'cut-initial-events', events: 3 },
];

const WATCH_FAULTS: readonly WatchFault[] = [
  ...(['close', 'reset', 'half', 'silence', 'gone', 'error', 'malformed', 'bookmark', 'duplicate', 'slow'] as const),
  { endless: 2_000_000 },
];

function service(name: string, random: Random): ApiObject {
  const labels: Record<string, string> = random.chance(0.1)
    ? { 'service.kubernetes.io/service-proxy-name': 'other' }
    : {};
  const address = `10.96.${random.below(4)}.${random.below(250)}`;
  return {
    metadata: { name, namespace: 'default', labels },
    spec: {
      type: 'ClusterIP',
      clusterIP: random.chance(0.05) ? 'None' : address,
      ports: [{ name: 'http', port: 1 + random.below(60_000), protocol: 'TCP' }],
    },
  };
}

function slice(name: string, random: Random): ApiObject {
  const labels: Record<string, string> = { 'kubernetes.io/service-name': name };
  if (random.chance(0.1)) {
    labels['service.kubernetes.io/headless'] = '';
  }
  const endpoints = Array.from({ length: random.below(4) }, () => ({
    addresses: [`10.244.${random.below(200)}.${random.below(250)}`],
    conditions: { ready: random.chance(0.8) },
    nodeName: 'node1',
  }));
  return {
    metadata: { name: `${name}-a`, namespace: 'default', labels },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints,
  };
}

describe('KubernetesSource with a faulty API server', () => {
  // Each start mode for a third of the time; after malformed events, objects are read as JSON.
  test.each([
    ['few', 'protobuf'],
    ['all', 'protobuf'],
    ['few', 'json'],
  ] as const)(
    `has exactly the objects of the server after ${SECONDS / 3} s of faults (seed ${SEED}), with watchList %s, in %s`,
    async (watchList, encoding) => {
      const others = WATCH_FAULTS.filter((fault) => fault !== 'malformed');
      // As frequent as all others together.
      const watchFaults = encoding === 'json' ? others.flatMap((fault) => [fault, 'malformed'] as const) : others;
      const random = new Random(SEED);
      const clock = new FastClock(FASTER);
      const server = await FakeApiServer.start({ clock: new FastClock(FASTER) });
      const { store } = server;
      const change = () => {
        const name = `s${random.below(SERVICES)}`;
        if (random.chance(0.2)) {
          store.delete('services', name, 'default');
        } else {
          store.put('services', service(name, random));
        }
        if (random.chance(0.2)) {
          store.delete('endpointslices', `${name}-a`, 'default');
        } else {
          store.put('endpointslices', slice(name, random));
        }
        store.put('servicecidrs', {
          metadata: { name: `c${random.below(3)}` },
          spec: { cidrs: [`10.${random.below(200)}.0.0/16`] },
        });
        store.put('nodes', { metadata: { name: 'node1' }, spec: { podCIDRs: [`10.${random.below(200)}.0.0/24`] } });
      };
      for (let index = 0; index < SERVICES * 2; index += 1) {
        change();
      }
      const handler = new RecordingHandler();
      const source = new KubernetesSource({
        master: server.url,
        clock,
        random: () => random.next(),
        watchList,
        pageSize: 30,
        responseTimeout: 15_000,
        pageTimeout: 60_000,
        maxPageBytes: 2_000_000,
        maxEventBytes: 1_000_000,
      });
      let faults = 0;
      server.faultFor = () => {
        if (!random.chance(0.4)) {
          return undefined;
        }
        faults += 1;
        return random.pick(REQUEST_FAULTS);
      };
      await source.start(handler, { nodeName: 'node1' });

      // After three malformed answers, a kind of object is read as JSON; others may not have had as many.
      const isReadAs = (name: 'protobuf' | 'json') =>
        name === 'json'
          ? server.requests.some((request) => request.encoding === 'json')
          : server.requests.at(-1)?.encoding === 'protobuf';
      const end = performance.now() + (SECONDS * 1000) / 3;
      let outages = 0;
      let most = 0;
      // A busy machine needs longer for the same number of faults.
      const isEnough = () => faults > 20 && outages > 0 && (encoding === 'protobuf' || isReadAs('json'));
      while (performance.now() < (isEnough() ? end : end + 45_000)) {
        for (let count = random.below(5); count > 0; count -= 1) {
          change();
        }
        if (random.chance(0.2)) {
          faults += server.disturbWatches(
            random.pick(watchFaults),
            random.pick(['services', 'endpointslices', 'nodes']),
          );
        }
        if (random.chance(0.02)) {
          store.compact();
        }
        if (random.chance(0.01)) {
          outages += 1;
          await server.goAway();
          change();
          await new Promise((resolve) => setTimeout(resolve, random.below(100)));
          await server.comeBack();
        }
        most = Math.max(most, server.openConnections);
        await new Promise((resolve) => setTimeout(resolve, random.below(10)));
      }

      server.faultFor = () => undefined;
      const expected = (resource: string, other: string, excluded: (object: ApiObject) => boolean) =>
        store
          .list(resource)
          .filter((object) => !Object.hasOwn(object.metadata.labels ?? {}, other) && !excluded(object))
          // An API server writes null for an empty list.
          .map(({ metadata, spec, endpoints }) =>
            JSON.stringify([metadata.name, spec ?? ((endpoints as unknown[]).length > 0 ? endpoints : null)]),
          )
          .sort();
      const expectedServices = expected(
        'services',
        'service.kubernetes.io/service-proxy-name',
        ({ spec }) => (spec as { clusterIP?: string }).clusterIP === 'None',
      );
      const expectedSlices = expected('endpointslices', 'service.kubernetes.io/headless', () => false);
      const seen = () => ({
        services: [...handler.services.values()]
          .map(({ metadata, spec }) => {
            const ports = spec?.ports?.map(({ name, port, protocol }) => ({ name, port, protocol }));
            return JSON.stringify([metadata?.name, { type: spec?.type, clusterIP: spec?.clusterIP, ports }]);
          })
          .sort(),
        slices: [...handler.slices.values()]
          .map(({ metadata, endpoints }) => JSON.stringify([metadata?.name, endpoints]))
          .sort(),
      });
      const isExact = () => {
        const { services, slices } = seen();
        return services.join() === expectedServices.join() && slices.join() === expectedSlices.join();
      };
      await until(
        isExact,
        () => `seed ${SEED}: ${handler.services.size} Services, ${expectedServices.length} expected`,
        15_000,
      );
      const podCIDRs = store.list('nodes').map(({ spec }) => (spec as { podCIDRs: string[] }).podCIDRs)[0];
      await until(() => handler.node?.spec?.podCIDRs?.join() === podCIDRs?.join(), `seed ${SEED}: the Node`);
      const networks = new Set(store.list('servicecidrs').flatMap(({ spec }) => (spec as { cidrs: string[] }).cidrs));
      await until(() => handler.cidrs?.join() === [...networks].sort().join(), `seed ${SEED}: the networks`);
      expect(handler.violations).toEqual([]);
      expect([handler.servicesSynced, handler.endpointsSynced]).toEqual([1, 1]);
      expect(isReadAs(encoding)).toBe(true);
      expect(faults).toBeGreaterThan(20);
      expect(outages).toBeGreaterThan(0);

      // No leak: at most a watch and a spare connection for each kind, and hung requests.
      expect(most).toBeLessThan(30);
      await until(() => server.openWatches.length === 4, `seed ${SEED}: four watches`);
      expect(clock.pending).toBeLessThanOrEqual(4 + 1);
      await source.stop();
      expect(clock.pending).toBe(0);
      await until(() => server.openConnections === 0, `seed ${SEED}: no connection is left`);
      await server.stop();
    },
    SECONDS * 1000 + 90_000,
  );
});
