import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { finish } from '../pacing/slices.js';
import { EndpointSet } from '../tracking/endpoint-set.js';
import { EndpointSliceTracker } from '../tracking/endpoint-slice-tracker.js';
import { ServiceChangeTracker } from '../tracking/service-change-tracker.js';
import { runSimulation } from './simulation.js';
import { runCount } from './test-effort.js';

const SEEDS = runCount(25, 300);
/**
 * Maximum number of seeds until an injected fault is detected. One seed in six detects the rarest, so the first one to do
 * so changes with the order of events.
 */
const FAULT_SEEDS = 100;

/** @param most maximum number. */
async function failures(
  seeds: number,
  steps: number,
  { pauses = false, most = seeds }: { readonly pauses?: boolean; readonly most?: number } = {},
): Promise<string[]> {
  const found: string[] = [];
  for (let seed = 1; seed <= seeds && found.length < most; seed += 1) {
    const { failure } = await runSimulation({ seed, steps, pauses });
    if (failure !== undefined) {
      found.push(`seed ${seed}: ${failure}`);
    }
  }
  return found;
}

describe('deterministic simulation', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test(`${SEEDS} seeds of 300 steps`, async () => {
    expect(await failures(SEEDS, 300)).toEqual([]);
  });

  test(`${SEEDS} seeds of 300 steps, with syncs that pause at every opportunity`, async () => {
    expect(await failures(SEEDS, 300, { pauses: true })).toEqual([]);
    const { pauses, transactions } = await runSimulation({ seed: 1, steps: 300, pauses: true });
    expect(pauses).toBeGreaterThan(5 * transactions);
  });

  test('a seed repeats its run exactly', async () => {
    const first = await runSimulation({ seed: 7, steps: 300 });
    expect(await runSimulation({ seed: 7, steps: 300 })).toEqual(first);
    expect(first.transactions).toBeGreaterThan(10);
    expect(first.restarts).toBeGreaterThan(0);
  });

  // Each test injects a fault: a simulation that does not detect it proves nothing.
  test('detects a lost update', async () => {
    const original = EndpointSliceTracker.prototype.update;
    let calls = 0;
    jest.spyOn(EndpointSliceTracker.prototype, 'update').mockImplementation(function (
      this: EndpointSliceTracker,
      ...event
    ) {
      calls += 1;
      return calls % 50 === 0 ? false : original.apply(this, event);
    });
    expect(await failures(FAULT_SEEDS, 300, { most: 1 })).not.toEqual([]);
  });

  test('detects an event that is lost during a pause', async () => {
    const original = EndpointSliceTracker.prototype.applyInSlices;
    jest.spyOn(EndpointSliceTracker.prototype, 'applyInSlices').mockImplementation(function* (
      this: EndpointSliceTracker,
      ...options
    ) {
      const changes = yield* original.apply(this, options);
      // Events that arrived during the pause are applied, but not reported as changes.
      this.take();
      finish(original.apply(this, options));
      return changes;
    });
    expect(await failures(FAULT_SEEDS, 300, { pauses: true, most: 1 })).not.toEqual([]);
  });

  test('detects a skipped removal', async () => {
    const original = ServiceChangeTracker.prototype.update;
    jest.spyOn(ServiceChangeTracker.prototype, 'update').mockImplementation(function (
      this: ServiceChangeTracker,
      previous,
      current,
    ) {
      return current === undefined ? false : original.call(this, previous, current);
    });
    expect(await failures(FAULT_SEEDS, 300, { most: 1 })).not.toEqual([]);
  });

  test('detects incorrectly merged slices', async () => {
    const original = EndpointSet.prototype.change;
    jest.spyOn(EndpointSet.prototype, 'change').mockImplementation(function (this: EndpointSet, changes) {
      original.call(this, changes.length > 2 ? changes.slice(0, -1) : changes);
    });
    expect(await failures(FAULT_SEEDS, 300, { most: 1 })).not.toEqual([]);
  });
});
