import { describe, expect, test } from '@jest/globals';
import { Container, ContainerModule } from 'inversify';
import type { BackendModule, ProxierContext } from '../contract/backend-module.js';
import type { Proxier } from '../contract/proxier.js';
import { Tokens } from '../contract/tokens.js';
import { DEFAULT_PROXIER_OPTIONS } from '../sync/proxier-options.js';
import { ReconcilingProxier } from '../sync/reconciling-proxier.js';
import { FakeDataplane, makeService, makeSlice, RecordingLogger, VirtualClock } from '../testing/index.js';
import { withCompanion } from './with-companion.js';

interface Fake extends BackendModule {
  readonly made: { readonly context: ProxierContext; readonly dataplane: FakeDataplane }[];
  readonly cleaned: (string | undefined)[];
}

function backend(mode: string, wrap: (proxier: Proxier) => Proxier = (proxier) => proxier): Fake {
  const made: Fake['made'] = [];
  const cleaned: Fake['cleaned'] = [];
  return {
    mode,
    description: mode,
    capabilities: { sctp: mode === 'first' },
    probe: async () => ({ usable: true, detail: mode }),
    made,
    cleaned,
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => {
        const dataplane = new FakeDataplane();
        made.push({ context, dataplane });
        return wrap(new ReconcilingProxier({ mode, context, dataplane }));
      });
      bind(Tokens.Cleanup).toConstantValue(async (_logger, { inForce }) => void cleaned.push(inForce));
      if (mode === 'first') {
        bind(Tokens.KubeProxyCleanup).toConstantValue(async () => void cleaned.push('kube-proxy'));
        bind(Tokens.Leftovers).toConstantValue(async (owner) => [{ kind: 'chain', names: [owner] }]);
      }
    }),
  };
}

function setUp(composed: BackendModule) {
  const logger = new RecordingLogger();
  const clock = new VirtualClock();
  const container = new Container();
  container.bind(Tokens.Logger).toConstantValue(logger);
  container.bind(Tokens.Clock).toConstantValue(clock);
  container.load(composed.module);
  const create = (family: ProxierContext['family'], observer: ProxierContext['observer'] = {}) =>
    container.get(Tokens.ProxierFactory)({
      family,
      options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'n1' },
      logger,
      clock,
      observer,
      localAddresses: async () => [],
    });
  return { create, clock, cleanup: container.get(Tokens.Cleanup), container, logger };
}

function feed(proxier: Proxier): void {
  proxier.onServiceUpdate(undefined, makeService('work/web'));
  proxier.onEndpointsUpdate(undefined, makeSlice('work/web', ['10.0.0.1']));
  proxier.onServicesSynced();
  proxier.onEndpointsSynced();
}

describe('withCompanion', () => {
  test('both receive every event and run their syncs; the companion only where it is needed', async () => {
    const [first, second] = [backend('first'), backend('second')];
    const composed = withCompanion(first, second, (context) =>
      context.family === 'IPv4'
        ? { ...context, options: { ...context.options, nodePortAddresses: { kind: 'all' } } }
        : undefined,
    );
    expect({ mode: composed.mode, probe: await composed.probe(), capabilities: composed.capabilities }).toEqual({
      mode: 'first',
      probe: { usable: true, detail: 'first' },
      capabilities: { sctp: true },
    });
    const { create, clock } = setUp(composed);
    const proxier = create('IPv4');
    create('IPv6');
    expect([first.made.length, second.made.length]).toEqual([2, 1]);
    expect(second.made[0]?.context.options.nodePortAddresses).toEqual({ kind: 'all' });
    feed(proxier);
    const stop = new AbortController();
    const loop = proxier.syncLoop(stop.signal);
    await clock.advance(2000);
    stop.abort();
    await loop;
    for (const { made } of [first, second]) {
      expect([...(made[0]?.dataplane.contents.keys() ?? [])]).toEqual(['work/web:/TCP']);
    }
  });

  test('a sync is reported once the companion has finished, failed or timed out', async () => {
    const [first, second] = [backend('first'), backend('second')];
    const { create, clock } = setUp(withCompanion(first, second, (context) => ({ ...context, observer: {} })));
    let reported = 0;
    const failures: string[] = [];
    const proxier = create('IPv4', {
      synced: () => void reported++,
      companion: (family, error) => void failures.push(`${family}: ${error}`),
    });
    const slow = second.made[0]?.dataplane as FakeDataplane;
    const apply = slow.apply.bind(slow);
    let finish: (error?: Error) => void = () => {};
    slow.apply = async (transaction) => {
      await new Promise<void>((resolve, reject) => {
        finish = (error) => (error ? reject(error) : resolve());
      });
      await apply(transaction);
    };
    feed(proxier);
    const stop = new AbortController();
    const loop = proxier.syncLoop(stop.signal);
    await clock.advance(500);
    expect([first.made[0]?.dataplane.contents.size, reported]).toEqual([1, 0]);
    finish();
    await clock.advance(1);
    expect(reported).toBeGreaterThan(0);
    for (const [name, wait, end] of [
      ['work/b', 1, new Error('no sockets')],
      ['work/c', 1000, undefined],
    ] as const) {
      const before: number = reported;
      // Longer than the minimum time between two syncs.
      await clock.advance(1500);
      proxier.onServiceUpdate(undefined, makeService(name));
      await clock.advance(100);
      expect(reported).toBe(before);
      if (end !== undefined) {
        finish(end);
      }
      await clock.advance(wait);
      expect(reported).toBeGreaterThan(before);
    }
    expect([...new Set(failures)].sort()).toEqual(['IPv4: Error: no sockets', 'IPv4: undefined']);
    stop.abort();
    finish();
    await clock.advance(2000);
    await loop;
  });

  test('a companion that ends early is logged, and the main proxier continues', async () => {
    const first = backend('first');
    const failing = backend('second', (proxier) => {
      proxier.syncLoop = async () => {
        throw new Error('no sockets');
      };
      return proxier;
    });
    const { create, logger, clock } = setUp(withCompanion(first, failing, (context) => context));
    const proxier = create('IPv4');
    const stop = new AbortController();
    const loop = proxier.syncLoop(stop.signal);
    feed(proxier);
    await clock.advance(2000);
    expect(first.made[0]?.dataplane.contents.size).toBe(1);
    stop.abort();
    await loop;
    expect(logger.errors).toEqual(['Companion second of first has ended: no sockets']);
  });

  test('cleans up as the main backend does', async () => {
    const [first, second] = [backend('first'), backend('second')];
    const { cleanup, container, logger } = setUp(withCompanion(first, second, (context) => context));
    await cleanup(logger, { inForce: 'other' });
    await container.get(Tokens.KubeProxyCleanup)(logger, {});
    expect([first.cleaned, second.cleaned]).toEqual([['other', 'kube-proxy'], []]);
    expect(await container.get(Tokens.Leftovers)('kube-proxy', logger, {})).toEqual([
      { kind: 'chain', names: ['kube-proxy'] },
    ]);
  });

  test('offers only the clean-ups that the main backend has', () => {
    const { container } = setUp(withCompanion(backend('second'), backend('first'), (context) => context));
    expect([container.isBound(Tokens.KubeProxyCleanup), container.isBound(Tokens.Leftovers)]).toEqual([false, false]);
  });
});
