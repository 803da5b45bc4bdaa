import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { EndpointSlice, Service, Source, SourceHandler } from '@kube-proxier/core';
import { makeService, makeSlice, RecordingLogger, VirtualClock } from '@kube-proxier/core/testing';
import { HEALTH_CHECK_ANNOTATION, HEALTH_CHECK_BACKUP_ANNOTATION } from './check-settings.js';
import { HealthCheckedSource } from './health-checked-source.js';
import { HealthChecks } from './health-checks.js';
import { type FakeAnswer, FakeProbes } from './testing/fake-probes.js';

/** A source whose events are made by the test. */
class ManualSource implements Source {
  readonly description = 'a test';
  handler!: SourceHandler;
  isStopped = false;

  async start(handler: SourceHandler): Promise<void> {
    this.handler = handler;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
  }
}

/** Follows the events as a proxier does, and holds them against the rules of `Source`. */
class Follower implements SourceHandler {
  readonly slices = new Map<string, EndpointSlice>();
  events = 0;
  servicesSynced = 0;
  endpointsSynced = 0;
  readonly violations: string[] = [];

  onServiceUpdate(): void {}
  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void {
    this.events += 1;
    const name = (current ?? previous)?.metadata?.name ?? '';
    if (this.slices.get(name) !== previous) {
      this.violations.push(`${name}: previous is not what was reported last`);
    }
    if (previous === current) {
      this.violations.push(`${name}: no change`);
    }
    if (current) {
      this.slices.set(name, current);
    } else {
      this.slices.delete(name);
    }
  }
  onServicesSynced(): void {
    this.servicesSynced += 1;
  }
  onEndpointsSynced(): void {
    this.endpointsSynced += 1;
  }
  onNodeUpdate(): void {}
  onServiceCIDRsUpdate(): void {}

  /** The ready addresses of all slices. */
  get ready(): readonly string[] {
    return [...this.slices.values()]
      .flatMap(({ endpoints = [] }) =>
        endpoints.filter(({ conditions }) => conditions?.ready !== false).map(({ addresses }) => addresses?.[0] ?? ''),
      )
      .sort();
  }
}

const checkedService = (annotations: Readonly<Record<string, string>> = {}, value = 'tcp'): Service =>
  makeService(
    'web',
    {},
    {
      metadata: {
        ...{ name: 'web', namespace: 'default' },
        annotations: {
          [HEALTH_CHECK_ANNOTATION]: value,
          ...Object.fromEntries(
            Object.entries(annotations).map(([key, text]) => [HEALTH_CHECK_ANNOTATION + key, text]),
          ),
        },
      },
    },
  );

const A = '10.0.0.1';
const B = '10.0.0.2';
const C = '10.0.0.3';

describe('HealthCheckedSource', () => {
  let clock: VirtualClock;
  let probes: FakeProbes;
  let logger: RecordingLogger;
  let checks: HealthChecks;
  let inner: ManualSource;
  let source: HealthCheckedSource;
  let follower: Follower;

  beforeEach(async () => {
    clock = new VirtualClock(Date.UTC(2026, 0, 1));
    probes = new FakeProbes(clock);
    logger = new RecordingLogger();
    checks = new HealthChecks({ clock, probes, logger, random: () => 0.5 });
    inner = new ManualSource();
    source = new HealthCheckedSource(inner, checks);
    follower = new Follower();
    await source.start(follower, { nodeName: 'node1' });
  });

  afterEach(async () => {
    expect(follower.violations).toEqual([]);
    await source.stop();
    expect(clock.pending).toBe(0);
    expect(inner.isStopped).toBe(true);
    expect(probes.isStopped).toBe(true);
  });

  const answer = (address: string, what: FakeAnswer) => probes.answers.set(`${address}:80`, what);
  const addService = (service = checkedService()) => {
    inner.handler.onServiceUpdate(undefined, service);
    return service;
  };
  const addSlice = (slice: EndpointSlice) => {
    inner.handler.onEndpointsUpdate(undefined, slice);
    return slice;
  };
  const sync = () => {
    inner.handler.onServicesSynced();
    inner.handler.onEndpointsSynced();
  };
  const begin = async (service = checkedService(), ...slices: EndpointSlice[]) => {
    addService(service);
    for (const slice of slices.length > 0 ? slices : [makeSlice('web', [A, B])]) {
      addSlice(slice);
    }
    sync();
    await clock.advance(10);
  };

  test('a failing endpoint is removed after `fall` failures, and returns after `rise` successes', async () => {
    await begin();
    expect(follower.ready).toEqual([A, B]);
    follower.events = 0;
    answer(B, 'refused');
    await clock.advance(10_000);
    expect(follower.ready).toEqual([A, B]);
    await clock.advance(5000);
    expect(follower.ready).toEqual([A]);
    const [slice] = follower.slices.values();
    expect(slice?.endpoints?.[1]).toEqual({
      addresses: [B],
      conditions: {
        ...{ ready: false, serving: false, terminating: false },
        reason: expect.stringMatching(
          /^health check failed: connection refused, 3 times in a row since 2026-01-01T00:00:0\dZ$/,
        ),
      },
    });
    expect(logger.linesWithFields).toEqual([
      expect.stringMatching(
        /^W Health check failed: endpoint 10\.0\.0\.2:80 of Service default\/web is not used: connection refused, 3 times in a row .*"since":"2026-01-01T00:00:0/,
      ),
    ]);
    answer(B, 'up');
    await clock.advance(10_000);
    expect(follower.ready).toEqual([A, B]);
    expect(logger.lines.at(-1)).toBe(
      'I Health check passed: endpoint 10.0.0.2:80 of Service default/web is used again',
    );
    expect(follower.events).toBe(2);
  });

  test('the initial list is complete after the first results, which are already in it', async () => {
    answer(A, 'silent');
    answer(B, 'refused');
    await begin();
    expect([follower.servicesSynced, follower.endpointsSynced]).toEqual([1, 0]);
    expect(source.obstacle('EndpointSlices')).toBe('the first health checks are running: 1 of 2 have no result yet');
    expect(source.obstacle('Services')).toBe(undefined);
    answer(A, 'up');
    probes.answer();
    expect(follower.endpointsSynced).toBe(1);
    expect(follower.ready).toEqual([A]);
    await clock.advance(60_000);
    expect([follower.servicesSynced, follower.endpointsSynced]).toEqual([1, 1]);
  });

  test('a hung check delays the initial list for a limited time only', async () => {
    answer(A, 'silent');
    await begin();
    await clock.advance(9000);
    expect(follower.endpointsSynced).toBe(0);
    await clock.advance(1000);
    expect(follower.endpointsSynced).toBe(1);
    expect(logger.warnings).toEqual(['Health checks: 1 of 2 have no result after 10000 ms; starting without them']);
    expect(probes.attempts.filter((attempt) => attempt === `${A}:80`)).toHaveLength(1);
  });

  test('a stop before the first results reports nothing more', async () => {
    answer(A, 'silent');
    await begin();
    await source.stop();
    probes.answer();
    await clock.advance(60_000);
    expect(follower.endpointsSynced).toBe(0);
  });

  test('a Service without the annotation is passed on as it is, and without checks it is complete at once', async () => {
    const slice = makeSlice('web', [A]);
    addService(makeService('web'));
    addSlice(slice);
    sync();
    expect(follower.endpointsSynced).toBe(1);
    expect(follower.slices.get('web-1')).toBe(slice);
    await clock.advance(60_000);
    expect(probes.attempts).toEqual([]);
  });

  test('a check never adds an endpoint that is unready by its object', async () => {
    await begin(checkedService(), makeSlice('web', [A, { address: B, ready: false }]));
    await clock.advance(30_000);
    expect(follower.ready).toEqual([A]);
    expect(probes.attempts.some((attempt) => attempt.startsWith(B))).toBe(false);
  });

  test('a new endpoint gets connections after its first check, while another one is up', async () => {
    await begin();
    answer(C, 'silent');
    const [old] = follower.slices.values();
    inner.handler.onEndpointsUpdate(old, makeSlice('web', [A, B, C]));
    await clock.advance(10);
    expect(follower.ready).toEqual([A, B]);
    answer(C, 'up');
    probes.answer();
    await clock.advance(10);
    expect(follower.ready).toEqual([A, B, C]);
  });

  test('endpoints that are all new are used until their first check', async () => {
    await begin();
    answer(C, 'silent');
    const [old] = follower.slices.values();
    inner.handler.onEndpointsUpdate(old, makeSlice('web', [C]));
    await clock.advance(10);
    expect(follower.ready).toEqual([C]);
    answer(C, 'refused');
    probes.answer();
    await clock.advance(10);
    expect(follower.ready).toEqual([]);
  });

  test.each([
    ['closed', []],
    ['open', [A, B]],
  ])('when all checks fail: %s', async (policy, expected) => {
    await begin(checkedService({ '-all-failed': policy }));
    answer(A, 'refused');
    answer(B, 'refused');
    await clock.advance(16_000);
    expect(follower.ready).toEqual(expected);
    answer(A, 'up');
    await clock.advance(11_000);
    expect(follower.ready).toEqual([A]);
  });

  test('backup endpoints are used only while no other is up', async () => {
    const backup = makeSlice('web', [C], {
      name: 'sorry',
      annotations: { [HEALTH_CHECK_BACKUP_ANNOTATION]: 'true' },
    });
    await begin(checkedService(), makeSlice('web', [A]), backup);
    expect(follower.ready).toEqual([A]);
    answer(A, 'refused');
    await clock.advance(16_000);
    expect(follower.ready).toEqual([C]);
    answer(A, 'up');
    await clock.advance(11_000);
    expect(follower.ready).toEqual([A]);
  });

  test('a backup is used while the others are drained or down, and no check starts anew', async () => {
    const backup = makeSlice('web', [C], {
      name: 'sorry',
      annotations: { [HEALTH_CHECK_BACKUP_ANNOTATION]: 'true' },
    });
    const draining = (text: string) => {
      const service = checkedService();
      const annotations = { ...service.metadata?.annotations, 'kube-proxier.io/endpoint-weights': text };
      return { ...service, metadata: { ...service.metadata, annotations } };
    };
    let service = checkedService();
    await begin(service, makeSlice('web', [A, B]), backup);
    const update = async (next: Service) => {
      inner.handler.onServiceUpdate(service, next);
      service = next;
      await clock.advance(10);
    };
    const before = probes.targets.length;
    await update(draining(`${A}=0`));
    expect(probes.targets).toHaveLength(before);
    // The weight keeps connections from the drained one.
    expect(follower.ready).toEqual([A, B]);
    answer(B, 'refused');
    await clock.advance(16_000);
    expect(follower.ready).toEqual([A, C]);
    answer(A, 'refused');
    await clock.advance(16_000);
    expect(follower.ready).toEqual([C]);
    answer(A, 'up');
    await clock.advance(11_000);
    expect(follower.ready).toEqual([A, C]);
    await update(checkedService());
    expect(follower.ready).toEqual([A]);
  });

  test('a check that cannot be made changes nothing', async () => {
    await begin();
    answer(A, 'error');
    answer(B, 'refused');
    await clock.advance(30_000);
    expect(follower.ready).toEqual([A]);
    expect(logger.errors).toEqual([
      'Health check not possible: endpoint 10.0.0.1:80 of Service default/web: EMFILE; the last result of its endpoints ' +
        'stays in force',
    ]);
  });

  test('every TCP port of the slice must pass, or the configured one', async () => {
    const ports = [
      { name: 'http', port: 80, protocol: 'TCP' },
      { name: 'admin', port: 81, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ];
    probes.answers.set(`${A}:81`, 'refused');
    const service = checkedService();
    await begin(service, makeSlice('web', [A, B], { ports }));
    expect(follower.ready).toEqual([B]);
    expect(new Set(probes.attempts)).toEqual(new Set([`${A}:80`, `${A}:81`, `${B}:80`, `${B}:81`]));
    inner.handler.onServiceUpdate(service, checkedService({ '-port': '80' }));
    await clock.advance(10);
    expect(follower.ready).toEqual([A, B]);
  });

  test('invalid annotations are reported once, and the last valid ones stay in force', async () => {
    const good = checkedService();
    await begin(good);
    answer(B, 'refused');
    const bad = checkedService({ '-interval': 'often' });
    inner.handler.onServiceUpdate(good, bad);
    const worse = makeService('web', { clusterIP: '10.96.0.99' }, { metadata: bad.metadata ?? {} });
    inner.handler.onServiceUpdate(bad, worse);
    expect(logger.errors).toEqual([
      'Service default/web: kube-proxier.io/health-check-interval: "often" must be a duration from 100ms to 60m, such as ' +
        '500ms, 5s or 1m; the checks from before stay in force',
    ]);
    expect(checks.problems).toHaveLength(1);
    expect(checks.summary().invalidServices).toBe(1);
    await clock.advance(16_000);
    expect(follower.ready).toEqual([A]);
    inner.handler.onServiceUpdate(worse, good);
    expect(checks.problems).toEqual([]);
  });

  test('changed settings keep earlier results until the next one; without the annotation the object applies', async () => {
    const service = checkedService();
    await begin(service);
    answer(B, 'refused');
    await clock.advance(16_000);
    expect(follower.ready).toEqual([A]);
    answer(A, 'silent');
    answer(B, 'silent');
    const faster = checkedService({ '-interval': '1s' });
    inner.handler.onServiceUpdate(service, faster);
    await clock.advance(10);
    expect(follower.ready).toEqual([A]);
    answer(A, 'up');
    answer(B, 'up');
    probes.answer();
    await clock.advance(10);
    expect(follower.ready).toEqual([A, B]);
    inner.handler.onServiceUpdate(faster, makeService('web'));
    const { length } = probes.attempts;
    await clock.advance(30_000);
    expect(probes.attempts).toHaveLength(length);
    expect(checks.summary().endpoints).toEqual({ up: 0, down: 0, unknown: 0 });
  });

  test('slices before their Service, slices that change owner and removed slices', async () => {
    answer(A, 'refused');
    const slice = addSlice(makeSlice('web', [A, B]));
    addService();
    sync();
    await clock.advance(10);
    expect(follower.ready).toEqual([B]);
    const moved = { ...slice, metadata: { ...slice.metadata, labels: { 'kubernetes.io/service-name': 'other' } } };
    inner.handler.onEndpointsUpdate(slice, moved);
    await clock.advance(10);
    expect(follower.ready).toEqual([A, B]);
    expect(checks.summary().endpoints).toEqual({ up: 0, down: 0, unknown: 0 });
    inner.handler.onEndpointsUpdate(moved, slice);
    await clock.advance(10);
    expect(follower.ready).toEqual([B]);
    inner.handler.onEndpointsUpdate(slice, undefined);
    expect(follower.slices.size).toBe(0);
    expect(checks.summary().endpoints).toEqual({ up: 0, down: 0, unknown: 0 });
  });

  test('IPv4 and IPv6 are evaluated separately', async () => {
    answer(A, 'refused');
    await begin(checkedService(), makeSlice('web', [A]), makeSlice('web', ['fd00::1'], { name: 'six' }));
    expect(follower.ready).toEqual(['fd00::1']);
    expect(checks.services()).toMatchObject([
      { service: 'default/web', endpoints: [{ state: { verdict: 'down' } }, { state: { verdict: 'up' } }] },
    ]);
  });

  test('a terminating endpoint that does not answer is not used as a last resort', async () => {
    answer(B, 'refused');
    await begin(
      checkedService(),
      makeSlice('web', [A, { address: B, ready: false, serving: true, terminating: true }]),
    );
    expect(follower.slices.get('web-1')?.endpoints?.map(({ conditions }) => conditions)).toEqual([
      { ready: true, serving: true, terminating: false },
      {
        ...{ ready: false, serving: false, terminating: true },
        reason: 'health check failed: connection refused since 2026-01-01T00:00:00Z',
      },
    ]);
  });

  test('many changes at once are one event for a slice, and few log lines', async () => {
    const addresses = Array.from({ length: 200 }, (_, index) => `10.1.0.${index}`);
    for (const address of addresses.slice(1)) {
      answer(address, 'refused');
    }
    addService();
    addSlice(makeSlice('web', addresses));
    sync();
    await clock.advance(10);
    expect(follower.ready).toEqual(addresses.slice(0, 1));
    expect(follower.events).toBeLessThan(10);
    expect(logger.warnings).toHaveLength(50);
    await clock.advance(10_000);
    expect(logger.warnings.at(-1)).toBe('Health checks: 149 more endpoints changed within 10 s');
  });
});

test.each<[unknown[], string]>([
  [[], 'HealthCheckedSource needs the option source; it must be an object with start() and stop()'],
  [['manifests'], 'option source of HealthCheckedSource is "manifests"; it must be an object with start() and stop()'],
  [[idleSource()], 'HealthCheckedSource needs the option checks; it must be HealthChecks'],
  [[idleSource(), {}], 'option checks of HealthCheckedSource is {}; it must be HealthChecks'],
  [[idleSource(), new HealthChecks(), { allowNamespace: true }], 'HealthCheckedSource has no option "allowNamespace"'],
])('arguments of HealthCheckedSource that are wrong are refused by name: %#', (args, message) => {
  expect(() => new (HealthCheckedSource as new (...args: unknown[]) => unknown)(...args)).toThrow(
    expect.objectContaining({ code: 'HEALTH_CHECKS_OPTION', message: expect.stringContaining(message) }),
  );
});

test('a HealthCheckedSource is started once', async () => {
  const nothing = () => {};
  const handler = { onServiceUpdate: nothing, onEndpointsUpdate: nothing, onServicesSynced: nothing };
  const others = { onEndpointsSynced: nothing, onNodeUpdate: nothing, onServiceCIDRsUpdate: nothing };
  const source = new HealthCheckedSource(idleSource(), new HealthChecks());
  const begin = () => source.start({ ...handler, ...others }, { nodeName: 'node1' });
  await begin();
  await expect(begin()).rejects.toMatchObject({
    code: 'HEALTH_CHECKS_IN_USE',
    message: 'the HealthCheckedSource of nothing was started before; make a new one',
  });
  await source.stop();
});

function idleSource() {
  return { description: 'nothing', start: async () => {}, stop: async () => {} };
}

test.each<[unknown, string]>([
  [{ scriptDirectory: 'scripts' }, 'option scriptDirectory of HealthChecks is "scripts"; it must be an absolute path'],
  [{ limits: { tpc: 5 } }, 'it must be an object with whole numbers, 1 or more, for tcp, http, https and script'],
  [{ limits: { tcp: 0 } }, 'it must be an object with whole numbers, 1 or more, for tcp, http, https and script'],
  [{ timeout: 5 }, 'HealthChecks has no option "timeout"; valid options are logger, '],
])('options of HealthChecks that are wrong are refused by name: %j', (options, message) => {
  expect(() => new HealthChecks(options as object)).toThrow(
    expect.objectContaining({ code: 'HEALTH_CHECKS_OPTION', message: expect.stringContaining(message) }),
  );
});
