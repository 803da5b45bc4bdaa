import { describe, expect, jest, test } from '@jest/globals';
import type { ProxierContext } from '../contract/backend-module.js';
import type { DriftReporter } from '../contract/dataplane.js';
import { silentLogger } from '../contract/logger.js';
import { ProxierError } from '../contract/proxier-error.js';
import type { IPFamily } from '../model/address.js';
import type { ChangeSet } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';
import {
  FakeDataplane,
  type FakeTransaction,
  type InstalledServicePorts,
  makeService,
  makeSlice,
  RecordingLogger,
  settle,
  VirtualClock,
} from '../testing/index.js';
import { servicePortKeyFrom } from '../testing/keys.js';
import { DualStackProxier } from './dual-stack-proxier.js';
import { DEFAULT_PROXIER_OPTIONS } from './proxier-options.js';
import { ReconcilingProxier } from './reconciling-proxier.js';
import type { DriftRepair, SyncFailure, SyncObserver, SyncSuccess } from './sync-observer.js';

function start(given: Partial<ProxierContext> = {}, dataplane = new FakeDataplane()) {
  const clock = new VirtualClock(1_000_000);
  const successes: SyncSuccess[] = [];
  const failures: SyncFailure[] = [];
  const repairs: DriftRepair[] = [];
  const observer: SyncObserver = {
    synced: (success) => void successes.push(success),
    failed: (failure) => void failures.push(failure),
    repaired: (repair) => void repairs.push(repair),
  };
  const context: ProxierContext = {
    family: 'IPv4',
    options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
    logger: silentLogger,
    clock,
    observer,
    localAddresses: async () => [],
    ...given,
  };
  const proxier = new ReconcilingProxier({ mode: 'fake', context, dataplane });
  const abort = new AbortController();
  const loop = proxier.syncLoop(abort.signal);
  return { proxier, clock: context.clock as VirtualClock, dataplane, successes, failures, repairs, abort, loop };
}

function synced(running: ReturnType<typeof start>) {
  running.proxier.onServicesSynced();
  running.proxier.onEndpointsSynced();
}

/** A proxier whose only Service another program has removed from the kernel. */
async function drifted() {
  const running = start();
  running.proxier.onServiceUpdate(undefined, makeService('a'));
  synced(running);
  await running.clock.advance(2000);
  running.dataplane.flush();
  return running;
}

/** The next write takes effect, is changed by `afterwards`, and is reported as failed. */
function failAfterApply(
  dataplane: FakeDataplane,
  error: Error,
  afterwards: (dataplane: FakeDataplane) => void = () => {},
) {
  return jest.spyOn(dataplane, 'apply').mockImplementationOnce(async (transaction) => {
    await FakeDataplane.prototype.apply.call(dataplane, transaction);
    afterwards(dataplane);
    throw error;
  });
}

describe('ReconcilingProxier', () => {
  test('has one loop: a second one is refused, also after the end of the first, and so is one without a signal', async () => {
    const { proxier, abort, loop, clock, successes } = start();
    const refused = { code: 'ALREADY_STARTED', message: expect.stringContaining('create a new proxier') };
    await expect(proxier.syncLoop(abort.signal)).rejects.toMatchObject(refused);
    proxier.onServicesSynced();
    proxier.onEndpointsSynced();
    await clock.advance(1000);
    expect(successes).toHaveLength(1);
    abort.abort();
    await loop;
    await expect(proxier.syncLoop(abort.signal)).rejects.toMatchObject(refused);
    const other = start();
    other.abort.abort();
    await expect((other.proxier.syncLoop as () => Promise<void>)()).rejects.toMatchObject({ code: 'SYNC_LOOP_SIGNAL' });
  });

  test('programs nothing until both lists are complete, then everything at once (spec K-90)', async () => {
    const running = start();
    const { proxier, clock, dataplane } = running;
    proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: '10.96.0.1' }));
    proxier.onServicesSynced();
    proxier.sync();
    await clock.advance(DEFAULT_PROXIER_OPTIONS.driftCheckPeriod);
    expect(dataplane.applied).toBe(0);
    proxier.onServiceUpdate(undefined, makeService('b', { clusterIP: '10.96.0.2' }));
    proxier.onEndpointsSynced();
    await settle();
    expect([...dataplane.contents.keys()].sort()).toEqual(['default/a:/TCP', 'default/b:/TCP']);
    expect(dataplane.applied).toBe(1);
  });

  test('each step is planned from the state of the last plan, also after states that need none', async () => {
    const plans: [previous: ProxyState | undefined, next: ProxyState][] = [];
    class Recording extends FakeDataplane {
      override plan(next: ProxyState, changes: ChangeSet, installed?: InstalledServicePorts) {
        plans.push([changes.previous, next]);
        return super.plan(next, changes, installed);
      }
    }
    const running = start({ family: 'IPv6' }, new Recording());
    const { proxier, clock, dataplane } = running;
    const service = makeService('a', { clusterIPs: ['10.96.0.1', 'fd00:10:96::1'] });
    proxier.onServiceUpdate(undefined, service);
    synced(running);
    await clock.advance(2000);
    // Endpoints of the other family.
    proxier.onEndpointsUpdate(undefined, makeSlice('a', ['10.244.0.1']));
    await clock.advance(2000);
    proxier.sync();
    await clock.advance(2000);
    expect(plans).toHaveLength(1);
    proxier.onEndpointsUpdate(undefined, makeSlice('a', ['fd00:10:244::1']));
    await clock.advance(2000);
    expect(plans).toHaveLength(2);
    expect(plans[1]?.[0]).toBe(plans[0]?.[1]);
    expect(dataplane.applied).toBe(2);
  });

  test('a change writes one service port, for any size of the state', async () => {
    const running = start();
    const { proxier, clock, dataplane, successes } = running;
    for (let index = 0; index < 50; index += 1) {
      proxier.onServiceUpdate(undefined, makeService(`s${index}`, { clusterIP: `10.96.1.${index}` }));
    }
    synced(running);
    await clock.advance(5000);
    const before = dataplane.written;
    proxier.onEndpointsUpdate(undefined, makeSlice('s7', ['10.0.0.1']));
    await clock.advance(5000);
    expect(dataplane.written - before).toBe(1);
    expect(successes.at(-1)).toMatchObject({ full: false });
    expect([...(successes.at(-1)?.changes.servicePorts.keys() ?? [])]).toEqual(['default/s7:/TCP']);
  });

  test('a failure is reported, retried with increasing delay from the current state, and loses nothing', async () => {
    const running = start();
    const { proxier, clock, dataplane, failures, successes } = running;
    synced(running);
    await clock.advance(2000);
    dataplane.failNext('before', 'before', 'after');
    proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: '10.96.0.1' }));
    proxier.onServiceUpdate(undefined, makeService('b', { clusterIP: '10.96.0.2' }));
    await settle();
    expect(proxier.status).toMatchObject({ applied: undefined, failures: 1 });
    proxier.onServiceUpdate(makeService('b'), undefined);
    await clock.advance(120_000);
    expect(failures.map((failure) => failure.failures)).toEqual([1, 2, 3]);
    expect([...dataplane.contents.keys()]).toEqual(['default/a:/TCP']);
    expect(successes.at(-1)?.full).toBe(true);
    expect(proxier.status.failures).toBe(0);
  });

  test('a restart adopts what is installed: nothing is written', async () => {
    const first = start();
    first.proxier.onServiceUpdate(undefined, makeService('a'));
    synced(first);
    await first.clock.advance(2000);
    first.abort.abort();
    await first.loop;
    const applied = first.dataplane.applied;
    const second = start({}, first.dataplane);
    second.proxier.onServiceUpdate(undefined, makeService('a'));
    synced(second);
    await second.clock.advance(2000);
    expect(first.dataplane.applied).toBe(applied);
    expect(second.successes).toHaveLength(1);
  });

  test('foreign removals are restored on reconcile, also when it is requested during a sync', async () => {
    const running = start();
    const { proxier, clock, dataplane } = running;
    proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: '10.96.0.1' }));
    synced(running);
    await clock.advance(5000);
    dataplane.onApply = () => {
      dataplane.onApply = undefined;
      dataplane.flush();
      proxier.reconcile();
    };
    proxier.onServiceUpdate(undefined, makeService('b', { clusterIP: '10.96.0.2' }));
    await clock.advance(5000);
    expect([...dataplane.contents.keys()].sort()).toEqual(['default/a:/TCP', 'default/b:/TCP']);
  });

  test.each([
    { found: 'changed', kind: 'outdated' },
    { found: 'the same', kind: 'outdated' },
    { found: 'changed', kind: 'perhaps-outdated' },
    { found: 'the same', kind: 'perhaps-outdated' },
  ] as const)(
    'a foreign change that a write meets is drift and no failure; what is installed is $found, and it is $kind',
    async ({ found, kind }) => {
      const logger = new RecordingLogger();
      const dataplane = Object.assign(new FakeDataplane(), {
        describe: ({ size }: FakeTransaction) => `${size} ports`,
      });
      const running = start({ logger }, dataplane);
      running.proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: '10.96.0.1' }));
      synced(running);
      await running.clock.advance(5000);
      dataplane.onApply = () => {
        dataplane.onApply = undefined;
        if (found === 'changed') {
          dataplane.flush();
        }
        throw new ProxierError('FAKE_CHANGED', 'another program changed it', { kind });
      };
      running.proxier.onServiceUpdate(undefined, makeService('b', { clusterIP: '10.96.0.2' }));
      await running.clock.advance(5000);
      expect([...dataplane.contents.keys()].sort()).toEqual(['default/a:/TCP', 'default/b:/TCP']);
      expect(running.failures).toEqual([]);
      expect(running.repairs).toEqual(
        found === 'changed'
          ? [
              {
                family: 'IPv4',
                what: `${kind === 'outdated' ? 'another program changed it' : 'found by the full check'}; wrote 1 ports`,
              },
            ]
          : [],
      );
      const detected = logger.warnings.filter((line) => line.startsWith('Drift detected'));
      expect(detected).toHaveLength(kind === 'outdated' ? 1 : 0);
    },
  );

  test('drift that the backend detects is repaired at once and reported', async () => {
    const dataplane = new FakeDataplane();
    let notice: (what: string) => void = () => {};
    const watched = Object.assign(dataplane, {
      watch: (onDrift: (what: string) => void, signal: AbortSignal) => {
        notice = onDrift;
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
      describe: () => 'one service port',
    });
    const running = start({}, watched);
    running.proxier.onServiceUpdate(undefined, makeService('a'));
    synced(running);
    await running.clock.advance(5000);
    dataplane.flush();
    notice('the map is empty');
    await settle();
    expect(dataplane.contents.size).toBe(1);
    expect(running.repairs).toEqual([{ family: 'IPv4', what: 'the map is empty; wrote one service port' }]);
    running.abort.abort();
    await running.loop;
  });

  test('changes of foreign rules are passed on, without a sync', async () => {
    let notice = () => {};
    const dataplane = Object.assign(new FakeDataplane(), {
      watch: (_onDrift: DriftReporter, signal: AbortSignal, onForeignChange: () => void) => {
        notice = onForeignChange;
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    const families: IPFamily[] = [];
    const running = start({ observer: { foreignRulesChanged: (family) => void families.push(family) } }, dataplane);
    synced(running);
    await running.clock.advance(5000);
    const { applied } = dataplane;
    notice();
    await running.clock.advance(5000);
    expect(families).toEqual(['IPv4']);
    expect(dataplane.applied).toBe(applied);
    running.abort.abort();
    await running.loop;
  });

  describe('changes in the same sync as a repair', () => {
    function watched() {
      let report: DriftReporter = () => {};
      const dataplane = Object.assign(new FakeDataplane(), {
        watch: (onDrift: DriftReporter, signal: AbortSignal) => {
          report = onDrift;
          return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        },
        describe: (transaction: FakeTransaction) => `${transaction.size} service ports`,
      });
      const logger = new RecordingLogger();
      const running = start({ logger }, dataplane);
      for (const name of ['a', 'b', 'c']) {
        running.proxier.onServiceUpdate(undefined, makeService(name, { clusterIP: `10.96.0.${name.charCodeAt(0)}` }));
      }
      synced(running);
      return { ...running, dataplane, logger, report: (...drift: Parameters<DriftReporter>) => report(...drift) };
    }

    test('are not counted as part of it', async () => {
      const { proxier, clock, dataplane, report, repairs, logger } = watched();
      await clock.advance(5000);
      dataplane.flush();
      for (const name of ['x', 'y']) {
        proxier.onServiceUpdate(undefined, makeService(name, { clusterIP: `10.96.0.${name.charCodeAt(0)}` }));
      }
      report('the map is empty');
      await clock.advance(5000);
      expect(dataplane.contents.size).toBe(5);
      expect(repairs).toEqual([{ family: 'IPv4', what: 'the map is empty; wrote 3 service ports' }]);
      expect(logger.warnings).toEqual([
        'Drift detected: the map is empty; reconciling',
        'Drift repaired: the map is empty; wrote 3 service ports',
      ]);
    });

    test('are not drift when the backend only suspected drift', async () => {
      const { proxier, clock, dataplane, report, repairs, logger } = watched();
      await clock.advance(5000);
      proxier.onServiceUpdate(undefined, makeService('x', { clusterIP: '10.96.0.200' }));
      report('monitoring was interrupted', 'possible');
      await clock.advance(5000);
      expect(dataplane.contents.size).toBe(4);
      expect([repairs, logger.warnings]).toEqual([[], []]);
      dataplane.flush();
      report('monitoring was interrupted', 'possible');
      await clock.advance(5000);
      expect(dataplane.contents.size).toBe(4);
      expect(logger.warnings).toEqual(['Drift repaired: found by the full check; wrote 4 service ports']);
    });
  });

  test('a full check runs after a period without changes, and repairs and reports drift', async () => {
    const running = start();
    synced(running);
    await running.clock.advance(2000);
    running.proxier.onServiceUpdate(undefined, makeService('a'));
    await running.clock.advance(2000);
    const before = running.successes.length;
    await running.clock.advance(DEFAULT_PROXIER_OPTIONS.driftCheckPeriod);
    expect(running.repairs).toEqual([]);
    running.dataplane.flush();
    await running.clock.advance(DEFAULT_PROXIER_OPTIONS.driftCheckPeriod);
    expect(running.successes.slice(before).map(({ full }) => full)).toEqual([true, true]);
    expect(running.repairs).toEqual([{ family: 'IPv4', what: 'found by the full check' }]);
    expect(running.dataplane.contents.size).toBe(1);
  });

  test.each([
    ['nothing was written', (dataplane: FakeDataplane) => dataplane.flush()],
    ['everything was written', () => {}],
  ])('drift found by a full check is reported when the retry repairs it: %s by the failed sync', async (_, undo) => {
    const running = await drifted();
    const apply = failAfterApply(running.dataplane, new Error('nft ended'), undo);
    await running.clock.advance(DEFAULT_PROXIER_OPTIONS.driftCheckPeriod + 2000);
    expect(apply).toHaveBeenCalled();
    expect(running.dataplane.contents.size).toBe(1);
    expect(running.repairs).toEqual([{ family: 'IPv4', what: 'found by the full check' }]);
    await running.clock.advance(2 * DEFAULT_PROXIER_OPTIONS.driftCheckPeriod);
    expect(running.repairs).toHaveLength(1);
  });

  test('drift that another program undoes before the repair is not reported as repaired', async () => {
    const running = await drifted();
    const error = new ProxierError('FAKE_CHANGED', 'another program changed it', { kind: 'perhaps-outdated' });
    const apply = failAfterApply(running.dataplane, error);
    running.proxier.reconcile();
    await running.clock.advance(5000);
    expect(apply).toHaveBeenCalledTimes(1);
    expect([running.failures, running.repairs]).toEqual([[], []]);
    expect(running.dataplane.contents.size).toBe(1);
  });

  test('drift is reported when it is found after a failed read', async () => {
    const running = await drifted();
    const readBack = jest.spyOn(running.dataplane, 'readBack').mockRejectedValueOnce(new Error('nft was killed'));
    running.proxier.reconcile();
    await running.clock.advance(5000);
    expect(readBack).toHaveBeenCalledTimes(2);
    expect(running.failures).toHaveLength(1);
    expect(running.dataplane.contents.size).toBe(1);
    expect(running.repairs).toEqual([{ family: 'IPv4', what: 'found by the full check' }]);
  });

  test('statistics of the backend for the last write are reported with the sync', async () => {
    const report = { rules: { nat: { total: 7, written: 2 } } };
    const dataplane = Object.assign(new FakeDataplane(), { report: () => report });
    const running = start({}, dataplane);
    running.proxier.onServiceUpdate(undefined, makeService('a'));
    synced(running);
    await running.clock.advance(2000);
    expect(running.successes.at(-1)?.report).toBe(report);
  });

  test('an event without a change requests no sync', async () => {
    const running = start();
    const { proxier, clock, successes } = running;
    proxier.onServiceUpdate(undefined, makeService('a'));
    synced(running);
    await clock.advance(5000);
    const before = successes.length;
    proxier.onServiceUpdate(makeService('a'), makeService('a'));
    proxier.onEndpointsUpdate(undefined, { metadata: {} });
    await clock.advance(5000);
    expect(successes.length).toBe(before);
  });

  test('an observer that throws has no effect and is logged', async () => {
    const logger = new RecordingLogger();
    const boom = () => {
      throw new Error('boom');
    };
    const running = start({
      logger,
      observer: { started: boom, queued: boom, synced: boom, failed: boom },
    });
    running.proxier.onServiceUpdate(undefined, makeService('a'));
    synced(running);
    await running.clock.advance(2000);
    expect(running.dataplane.contents.size).toBe(1);
    expect(logger.errors).toContainEqual(expect.stringContaining('boom'));
  });

  test('slow start advances without events, also after a failed sync, and then stops', async () => {
    const running = start();
    const { proxier, clock, dataplane } = running;
    const annotations = { 'kube-proxier.io/slow-start': '10s' };
    proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: '10.96.0.1' }, { metadata: { annotations } }));
    proxier.onEndpointsUpdate(undefined, makeSlice('a', ['10.0.0.1']));
    synced(running);
    await clock.advance(5000);
    proxier.onEndpointsUpdate(undefined, makeSlice('a', ['10.0.0.1', '10.0.0.2']));
    const parts = () => {
      const [text = '{}'] = dataplane.contents.values();
      const [cluster] = (JSON.parse(text) as { weights: [number, number | null][][] }).weights;
      return cluster?.map(([, slowStart]) => slowStart);
    };
    const seen: unknown[] = [];
    for (let second = 0; second <= 10; second += 1) {
      if (second === 5) {
        dataplane.failNext('before');
      }
      await clock.advance(second === 0 ? 500 : 1000);
      seen.push(parts()?.[1]);
    }
    expect(seen).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, null]);
    expect(parts()).toEqual([null, null]);
    const { applied } = dataplane;
    await clock.advance(60_000);
    expect(dataplane.applied).toBe(applied);
  });

  test('trigger times are reported with the sync that put their change in force', async () => {
    const running = start();
    const { proxier, clock, successes, dataplane } = running;
    proxier.onServiceUpdate(undefined, makeService('a'));
    synced(running);
    await clock.advance(5000);
    const annotations = {
      'endpoints.kubernetes.io/last-change-trigger-time': new Date(clock.now() - 50).toISOString(),
    };
    dataplane.failNext('before');
    proxier.onEndpointsUpdate(undefined, makeSlice('a', ['10.0.0.1'], { annotations }));
    await clock.advance(5000);
    expect(successes.flatMap(({ triggerTimes }) => triggerTimes)).toEqual([clock.now() - 5050]);
  });

  test('node port addresses by network follow the addresses of the host', async () => {
    let addresses = ['192.168.0.2', '10.9.9.9'];
    const options = {
      ...DEFAULT_PROXIER_OPTIONS,
      nodeName: 'node1',
      nodePortAddresses: { kind: 'cidrs', cidrs: ['192.168.0.0/16'] } as const,
    };
    const running = start({ options, localAddresses: async () => addresses });
    synced(running);
    await running.clock.advance(2000);
    expect(running.proxier.status.desired.node.nodePortAddresses).toEqual({
      kind: 'listed',
      addresses: ['192.168.0.2'],
      loopback: false,
    });
    addresses = ['192.168.0.2', '192.168.5.5'];
    running.proxier.sync();
    await running.clock.advance(2000);
    expect(running.proxier.status.desired.node.nodePortAddresses).toMatchObject({
      addresses: ['192.168.0.2', '192.168.5.5'],
    });
  });
});

describe('a dataplane that follows the addresses of the host', () => {
  function follow() {
    const host = { addresses: ['192.168.0.2', 'fd00::2', 'fe80::1'], reads: 0, broken: false };
    let notify: Parameters<NonNullable<ProxierContext['watchAddresses']>>[0] = () => {};
    const dataplane = Object.assign(new FakeDataplane(), { followsLocalAddresses: true });
    const running = start(
      {
        localAddresses: async () => {
          host.reads += 1;
          if (host.broken) {
            throw new Error('no answer');
          }
          return host.addresses;
        },
        watchAddresses: async (onChange) => {
          notify = onChange;
        },
      },
      dataplane,
    );
    const { proxier, clock, successes } = running;
    proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: '10.96.0.1' }));
    synced(running);
    const change = async (address: string, family: 'IPv4' | 'IPv6' = 'IPv4') => {
      await notify([{ link: 2, family, address }]);
      await clock.advance(2000);
    };
    const last = () => {
      const { state, changes, full } = successes.at(-1) as SyncSuccess;
      const { nodeChanged, servicePorts } = changes;
      return { addresses: state.node.localAddresses, nodeChanged, servicePorts: servicePorts.size, full };
    };
    return { ...running, host, change, last, notify: () => notify(undefined) };
  }

  test('receives them, and plans a change of them alone, without a full sync', async () => {
    const { clock, host, change, last, successes } = follow();
    await clock.advance(2000);
    expect(last()).toMatchObject({ addresses: ['192.168.0.2'], full: true });
    host.addresses = ['192.168.0.2', '192.168.5.5', 'fe80::1'];
    await change('192.168.5.5');
    expect(last()).toEqual({
      addresses: ['192.168.0.2', '192.168.5.5'],
      nodeChanged: true,
      servicePorts: 0,
      full: false,
    });
    expect(successes).toHaveLength(2);
  });

  test('does nothing when nothing differs, and reads nothing for the other family', async () => {
    const { clock, host, change, successes, notify } = follow();
    await clock.advance(2000);
    const { reads } = host;
    await change('fd00::9', 'IPv6');
    expect(host.reads).toBe(reads);
    await change('192.168.0.2');
    await notify();
    await clock.advance(2000);
    expect([host.reads, successes.length]).toEqual([reads + 2, 1]);
  });

  test('addresses that could not be read are read again', async () => {
    const { clock, host, change, failures, last } = follow();
    await clock.advance(2000);
    host.broken = true;
    host.addresses = ['192.168.5.5'];
    await change('192.168.5.5');
    expect(failures.length).toBeGreaterThan(0);
    host.broken = false;
    await clock.advance(60_000);
    expect(last().addresses).toEqual(['192.168.5.5']);
  });

  test('finds unreported changes with the next full sync', async () => {
    const { clock, host, last } = follow();
    await clock.advance(2000);
    host.addresses = ['192.168.5.5'];
    await clock.advance(DEFAULT_PROXIER_OPTIONS.driftCheckPeriod);
    expect(last()).toMatchObject({ addresses: ['192.168.5.5'], full: true });
  });
});

test('where nothing depends on the addresses of the host, they are not watched, and are read in full syncs only', async () => {
  let asked = 0;
  const running = start({
    localAddresses: async () => {
      asked += 1;
      return [];
    },
    watchAddresses: async () => {
      asked += 1;
    },
  });
  synced(running);
  await running.clock.advance(2000);
  expect(running.successes[0]?.state.node.localAddresses).toBeUndefined();
  // Read once, to compare external addresses with them.
  expect(asked).toBe(1);
});

describe('DualStackProxier', () => {
  test('each family processes its own objects, and a failing one does not block the other', async () => {
    const clock = new VirtualClock();
    const ipv4 = start({ clock });
    const ipv6 = start({ clock, family: 'IPv6' });
    const proxier = new DualStackProxier(ipv4.proxier, ipv6.proxier);
    ipv4.dataplane.failNext('before', 'before', 'before');
    proxier.onServiceUpdate(undefined, makeService('a', { clusterIPs: ['10.96.0.1', 'fd00::1'] }));
    proxier.onEndpointsUpdate(undefined, makeSlice('a', ['fd00::a'], { name: 'six' }));
    proxier.onServicesSynced();
    proxier.onEndpointsSynced();
    await settle();
    expect(ipv6.dataplane.contents.get(servicePortKeyFrom('default/a:/TCP'))).toContain('[fd00::a]:80');
    expect(ipv4.dataplane.contents.size).toBe(0);
    await clock.advance(60_000);
    expect(ipv4.dataplane.contents.get(servicePortKeyFrom('default/a:/TCP'))).toContain('reject');
  });

  test('when one loop rejects, the other ends and the error is passed on', async () => {
    const { proxier, loop, abort } = start();
    abort.abort();
    await loop;
    const other = start({ family: 'IPv6' });
    other.abort.abort();
    const broken = Object.assign(Object.create(proxier), { syncLoop: () => Promise.reject(new Error('gone')) });
    await expect(new DualStackProxier(broken, other.proxier).syncLoop(new AbortController().signal)).rejects.toThrow(
      'gone',
    );
  });

  test('two modes cannot be combined', () => {
    const { proxier } = start();
    expect(() => new DualStackProxier(proxier, Object.assign(Object.create(proxier), { mode: 'other' }))).toThrow(
      RangeError,
    );
  });
});
