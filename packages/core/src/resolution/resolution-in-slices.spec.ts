import { describe, expect, test } from '@jest/globals';
import type { Proxier } from '../contract/proxier.js';
import type { IPFamily } from '../model/address.js';
import { ObjectReader } from '../objects/object-reader.js';
import { finish, type Slices } from '../pacing/slices.js';
import { DEFAULT_PROXIER_OPTIONS } from '../sync/proxier-options.js';
import {
  feedResolver,
  makeResolver,
  makeService,
  makeSlice,
  Random,
  RandomCluster,
  resolveObjects,
  runCount,
  stateContents,
} from '../testing/index.js';
import { diffStates } from './diff-states.js';
import { ProxyStateResolver, type Resolution } from './proxy-state-resolver.js';

const SEEDS = Array.from({ length: runCount(6, 100) }, (_, index) => index + 1);
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

function results({ state, changes, triggerTimes }: Resolution) {
  return {
    state: stateContents(state),
    servicePorts: [...changes.servicePorts.keys()].sort(),
    resolvedServicePorts: [...changes.resolvedServicePorts.keys()].sort(),
    health: [...changes.healthCheckNodePorts].sort(),
    clusterIPs: [...changes.clusterIPs].sort(),
    nodeChanged: changes.nodeChanged,
    triggerTimes: [...triggerTimes].sort(),
  };
}

type Event = (proxier: Proxier) => void;

/** Events of a cluster in batches, each of which can be delivered to several resolvers at different times. */
class EventLog {
  readonly #random: Random;
  readonly cluster: RandomCluster;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.cluster = new RandomCluster(this.#random);
  }

  next(count = 1 + this.#random.below(4)): readonly Event[] {
    const events: Event[] = [];
    const recorder: Proxier = {
      ...feedResolver(makeResolver()),
      onServiceUpdate: (...event) => void events.push((proxier) => proxier.onServiceUpdate(...event)),
      onEndpointsUpdate: (...event) => void events.push((proxier) => proxier.onEndpointsUpdate(...event)),
      onNodeUpdate: (node) => void events.push((proxier) => proxier.onNodeUpdate(node)),
    };
    for (let step = 0; step < count; step += 1) {
      this.cluster.step(recorder);
    }
    return events;
  }
}

function give(events: readonly Event[], resolver: ProxyStateResolver): void {
  for (const event of events) {
    event(feedResolver(resolver));
  }
}

function resolvers(reader = new ObjectReader()): ProxyStateResolver[] {
  return FAMILIES.map(
    (family) =>
      new ProxyStateResolver({
        family,
        options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
        reader,
        since: 0,
      }),
  );
}

/** Work that is advanced step by step. */
class Stepping {
  result: Resolution | undefined;

  constructor(private readonly slices: Slices<Resolution>) {}

  /** @returns whether there is more. */
  step(): boolean {
    const { done, value } = this.slices.next();
    this.result = done ? value : undefined;
    return !done;
  }
}

describe('resolution in slices', () => {
  test.each(SEEDS)('seed %i: events at any pause belong to the next resolution, without other differences', (seed) => {
    const random = new Random(seed ^ 0x5a5a);
    const log = new EventLog(seed);
    // One reader for both families, as in a proxy.
    const [sliced, whole] = [resolvers(), resolvers()];
    let late: Event[] = [];
    for (let round = 1; round <= 40; round += 1) {
      const before = sliced.map(({ latest }) => latest);
      const events = log.next();
      for (const resolver of sliced) {
        give(events, resolver);
      }
      const expected = whole.map((resolver) => {
        give([...late, ...events], resolver);
        return results(resolver.applyPending(round * 500));
      });
      late = [];
      const running = sliced.map((resolver) => new Stepping(resolver.applyPendingInSlices(round * 500, 0)));
      // The first step of both takes the pending changes.
      let unfinished = running.filter((one) => one.step());
      while (unfinished.length > 0) {
        if (random.chance(0.15)) {
          const more = log.next(1);
          for (const resolver of sliced) {
            give(more, resolver);
          }
          late.push(...more);
        }
        if (running.some(({ result }, index) => result === undefined && sliced[index]?.latest !== before[index])) {
          throw new Error('the latest state is one that is not whole yet');
        }
        const next = random.pick(unfinished);
        unfinished = next.step() ? unfinished : unfinished.filter((one) => one !== next);
      }
      expect(running.map(({ result }) => result && results(result))).toEqual(expected);
    }
  });

  test('an event at every pause', () => {
    const log = new EventLog(99);
    const first = log.next(60);
    const second = log.next(25);
    const expected = (() => {
      const resolver = makeResolver();
      give(first, resolver);
      const before = results(resolver.applyPending(0));
      give(second, resolver);
      return [before, results(resolver.applyPending(1000))];
    })();
    let pauses = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= pauses; at += 1) {
      const resolver = makeResolver();
      give(first, resolver);
      const running = new Stepping(resolver.applyPendingInSlices(0, 0));
      let steps = 0;
      while (running.step()) {
        steps += 1;
        if (steps === at) {
          give(second, resolver);
        }
      }
      if (steps < at) {
        pauses = steps;
        break;
      }
      expect([running.result && results(running.result), results(resolver.applyPending(1000))]).toEqual(expected);
    }
    expect(pauses).toBeGreaterThan(40);
  });

  test.each(SEEDS)('seed %i: a resolution aborted at any pause loses nothing', (seed) => {
    const random = new Random(seed ^ 0xa5a5);
    const log = new EventLog(seed);
    const resolver = makeResolver();
    for (let round = 0; round < 60; round += 1) {
      give(log.next(), resolver);
      for (let ended = random.below(3); ended > 0; ended -= 1) {
        const { latest } = resolver;
        const running = new Stepping(resolver.applyPendingInSlices(undefined, 0));
        for (let steps = random.below(40); steps > 0 && running.step(); steps -= 1) {
          // Aborted at a random pause.
        }
        if (running.result === undefined) {
          expect(resolver.latest).toBe(latest);
        }
        give(log.next(1), resolver);
      }
      const previous = resolver.latest;
      const { state, changes } = resolver.applyPending();
      expect(stateContents(state)).toEqual(stateContents(resolveObjects(log.cluster.objects)));
      const difference = diffStates(previous, state);
      expect(changes.previous).toBe(previous);
      expect([...changes.servicePorts.keys()].sort()).toEqual([...difference.servicePorts.keys()].sort());
      expect(new Set(changes.healthCheckNodePorts)).toEqual(new Set(difference.healthCheckNodePorts));
      expect(new Set(changes.clusterIPs)).toEqual(new Set(difference.clusterIPs));
    }
  });

  test('a Service and its slice that are reported together during a pause are resolved together', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, makeService('work/a', { clusterIP: '10.96.0.1' }));
    const slices = resolver.applyPendingInSlices(undefined, 0);
    slices.next();
    resolver.updateService(undefined, makeService('work/b', { clusterIP: '10.96.0.2' }));
    resolver.updateEndpointSlice(undefined, makeSlice('work/b', ['10.0.0.1']));
    expect([...finish(slices).state.servicePorts.keys()].map(String)).toEqual([expect.stringContaining('work/a')]);
    const { changes } = resolver.applyPending();
    expect([...changes.servicePorts.values()].map(({ current }) => current?.cluster.length)).toEqual([1]);
  });
});
