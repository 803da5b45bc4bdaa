import type { ProxierContext } from '../contract/backend-module.js';
import type { Dataplane } from '../contract/dataplane.js';
import { silentLogger } from '../contract/logger.js';
import type { IPFamily } from '../model/address.js';
import type { FrontendKey } from '../model/frontend.js';
import { type ServiceKey, serviceOfPort } from '../model/service-port-name.js';
import { WorkEnded } from '../pacing/event-loop-pace.js';
import type { Pace } from '../pacing/slices.js';
import type { Clock } from '../sync/clock.js';
import { DualStackProxier } from '../sync/dual-stack-proxier.js';
import { DEFAULT_PROXIER_OPTIONS } from '../sync/proxier-options.js';
import { ReconcilingProxier } from '../sync/reconciling-proxier.js';
import type { SyncObserver, SyncSuccess } from '../sync/sync-observer.js';
import { ConnectionTrackingModel, SIMULATED_NODE_ADDRESSES } from './connection-tracking-model.js';
import { FakeDataplane, type FakeTransaction, type InstalledServicePorts, renderState } from './fake-dataplane.js';
import { Random } from './random.js';
import { endpointsOf, RandomCluster } from './random-cluster.js';
import { resolveObjects } from './resolve-objects.js';
import { settle, VirtualClock } from './virtual-clock.js';

export interface SimulationOptions {
  /** Syncs pause at every opportunity; events arrive and syncs sometimes fail during pauses. Default: no pauses. */
  readonly pauses?: boolean;
  /** Determines everything: the same seed and number of steps give the same run. */
  readonly seed: number;
  /** Total number of steps: changes of the cluster, failures, restarts and passing of time. */
  readonly steps: number;
  /**
   * Deletes stale flows from the simulated connection tracking after each sync, as the observer of a node does; created
   * again with each restart. When present, UDP clients send continuously, and no flow may be stale after a sync.
   * Default: no clients.
   */
  readonly flowCleaner?: (tracking: ConnectionTrackingModel, clock: Clock) => SyncObserver;
}

/** The result of a simulation. */
export interface SimulationResult {
  readonly seed: number;
  readonly steps: number;
  /** Total number of applied transactions. */
  readonly transactions: number;
  readonly restarts: number;
  /** Total number of pauses of syncs. */
  readonly pauses: number;
  /** Total number of tracked UDP flows. */
  readonly flows: number;
  /** The first violated invariant; undefined when all hold. */
  readonly failure: string | undefined;
}

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
/** Changes that arrive while a sync waits are merged, which a virtual clock shows only with a constant period. */
const OPTIONS = { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', minSyncPeriod: 1000 };

/**
 * Runs proxiers of both families against a cluster that changes at random under a virtual clock, with failing
 * transactions, foreign flushes, process restarts, and events during a sync.
 *
 * Continuous checks: nothing is programmed before the first full lists are complete, and no service port leads to an
 * endpoint that its Service never had. After each sync: no UDP flow leads to an address that is not an endpoint. When
 * no work is pending: the installed state equals that of a restart with the same objects.
 */
export async function runSimulation(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, steps } = options;
  const run = new SimulationRun(options);
  for (let step = 0; step < steps && run.failure === undefined; step += 1) {
    await run.step();
  }
  await run.finish();
  const { transactions, restarts, pauses, flows, failure } = run;
  return { seed, steps, transactions, restarts, pauses, flows, failure };
}

class SimulationRun {
  failure: string | undefined;
  restarts = 0;
  pauses = 0;
  flows = 0;
  readonly #random: Random;
  readonly #tracking: ConnectionTrackingModel;
  /** Every frontend of the whole run: clients continue when a Service is deleted. */
  readonly #frontends: Readonly<Record<IPFamily, Set<FrontendKey>>> = { IPv4: new Set(), IPv6: new Set() };
  readonly #clock = new VirtualClock(1_000_000);
  readonly #cluster: RandomCluster;
  readonly #planes: Readonly<Record<IPFamily, FakeDataplane>> = {
    IPv4: new FakeDataplane(),
    IPv6: new FakeDataplane(),
  };
  /** Every endpoint that a Service ever had. */
  readonly #ever: Readonly<Record<IPFamily, Map<ServiceKey, Set<string>>>> = {
    IPv4: new Map(),
    IPv6: new Map(),
  };
  /** A sync has succeeded since the last start. */
  #isKnown: Record<IPFamily, boolean> = { IPv4: false, IPv6: false };
  #proxiers: readonly ReconcilingProxier<unknown, unknown>[] = [];
  #proxier!: DualStackProxier;
  #ending!: AbortController;
  #loop: Promise<void> = Promise.resolve();
  #listed = false;

  constructor(private readonly options: SimulationOptions) {
    const { seed } = options;
    this.#random = new Random(seed);
    // Clients use a separate random sequence: the same seed changes the cluster in the same way, with or without
    // clients.
    this.#tracking = new ConnectionTrackingModel(new Random(seed ^ 0x5eed));
    this.#cluster = new RandomCluster(this.#random);
    for (const family of FAMILIES) {
      this.#planes[family].onApply = () => this.#duringApply();
    }
    this.#start();
  }

  get transactions(): number {
    return FAMILIES.reduce((sum, family) => sum + this.#planes[family].applied, 0);
  }

  async step(): Promise<void> {
    this.#sendPackets();
    const dice = this.#random.next();
    if (!this.#listed && this.#random.chance(0.5)) {
      this.#list();
    } else if (dice < 0.7) {
      this.#change();
    } else if (dice < 0.9) {
      await this.#clock.advance(this.#random.pick([1, 100, 1500, 40_000]));
    } else if (dice < 0.94) {
      this.#planes[this.#random.pick(FAMILIES)].failNext(this.#random.pick(['before', 'halfway', 'after'] as const));
    } else if (dice < 0.96) {
      const index = this.#random.below(FAMILIES.length);
      this.#planes[FAMILIES[index] as IPFamily].flush();
      this.#proxiers[index]?.reconcile();
    } else if (dice < 0.98) {
      await this.#stop();
      this.restarts += 1;
      this.#start();
    } else {
      await this.#quiet();
    }
    this.#checkEndpoints();
  }

  async finish(): Promise<void> {
    if (this.failure === undefined) {
      await this.#quiet();
      this.#checkEndpoints();
    }
    await this.#stop();
  }

  #start(): void {
    this.#ending = new AbortController();
    this.#listed = false;
    this.#isKnown = { IPv4: false, IPv6: false };
    const cleaner = this.options.flowCleaner?.(this.#tracking, this.#clock);
    const observer: SyncObserver = cleaner
      ? {
          synced: (success) => this.#cleanFlows(cleaner, success),
          // Frontends that a failed transaction served briefly are unknown as well.
          failed: ({ family }) => {
            this.#isKnown[family] = false;
          },
        }
      : {};
    this.#proxiers = FAMILIES.map((family) => {
      const context: ProxierContext = {
        family,
        options: OPTIONS,
        logger: silentLogger,
        clock: this.#clock,
        observer,
        localAddresses: async () => Object.values(SIMULATED_NODE_ADDRESSES),
      };
      return new ReconcilingProxier({
        mode: 'fake',
        context,
        dataplane: this.options.pauses ? pausing(this.#planes[family]) : this.#planes[family],
        ...(this.options.pauses ? { pace: this.#pace(this.#ending.signal) } : {}),
      });
    });
    const [ipv4, ipv6] = this.#proxiers;
    this.#proxier = new DualStackProxier(
      ipv4 as ReconcilingProxier<unknown, unknown>,
      ipv6 as ReconcilingProxier<unknown, unknown>,
    );
    this.#loop = this.#proxier.syncLoop(this.#ending.signal);
  }

  async #stop(): Promise<void> {
    this.#ending.abort();
    await settle();
    await this.#loop;
  }

  #list(): void {
    this.#listed = true;
    this.#note();
    this.#cluster.list(this.#proxier);
  }

  #change(): void {
    this.#cluster.step(this.#proxier);
    this.#note();
    if (!this.#listed) {
      // Events before the lists are repeated by the lists, as by a restarted source.
      this.#proxier.sync();
    }
  }

  #pace(signal: AbortSignal): Pace {
    return {
      isPauseDue: () => this.#random.chance(0.5),
      pause: async () => {
        this.pauses += 1;
        await Promise.resolve();
        if (signal.aborted) {
          throw new WorkEnded();
        }
        if (this.#random.chance(0.05)) {
          this.#change();
        }
        if (this.#random.chance(0.01)) {
          throw new Error('injected: a pause failed');
        }
      },
    };
  }

  /** Events during a transaction must not be lost; and no transaction may start too early. */
  #duringApply(): void {
    if (!this.#listed) {
      this.#fail('a transaction was applied before the first full lists');
    }
    if (this.#random.chance(0.2)) {
      this.#change();
    }
    this.#sendPackets();
  }

  #sendPackets(): void {
    if (!this.options.flowCleaner) {
      return;
    }
    for (const family of FAMILIES) {
      const before = this.#tracking.flows.length;
      this.#tracking.send(family, [...this.#frontends[family]], this.#planes[family].contents);
      this.flows += this.#tracking.flows.length - before;
    }
  }

  async #cleanFlows(cleaner: SyncObserver, success: SyncSuccess): Promise<void> {
    for (const frontend of success.state.frontends.keys()) {
      this.#frontends[success.family].add(frontend);
    }
    if (!this.#isKnown[success.family]) {
      this.#isKnown[success.family] = true;
      this.#tracking.forgetUnknown(success.state);
    }
    const flows = new Set(this.#tracking.flows);
    await cleaner.synced?.(success);
    // A flush since then misdirects packets until it is repaired.
    const isFlushed = this.#planes[success.family].isFlushed;
    const stale = isFlushed ? undefined : this.#tracking.findStale(success.state, flows);
    if (stale !== undefined) {
      this.#fail(`after a sync, ${stale}`);
    }
  }

  #note(): void {
    for (const family of FAMILIES) {
      for (const [service, endpoints] of endpointsOf(this.#cluster.slices.values(), family)) {
        const ever = this.#ever[family].get(service) ?? new Set();
        this.#ever[family].set(service, ever);
        for (const endpoint of endpoints) {
          ever.add(endpoint);
        }
      }
    }
  }

  #checkEndpoints(): void {
    for (const family of FAMILIES) {
      for (const [key, text] of this.#planes[family].contents) {
        const { cluster, local } = JSON.parse(text) as { cluster: string[]; local: string[] };
        const ever = this.#ever[family].get(serviceOfPort(key));
        const foreign = [...cluster, ...local].find((endpoint) => !ever?.has(endpoint));
        if (foreign !== undefined) {
          this.#fail(`${family} ${key} points at ${foreign}, which that Service never had`);
        }
      }
    }
  }

  async #quiet(): Promise<void> {
    if (!this.#listed) {
      this.#list();
    }
    await this.#clock.advance(120_000);
    for (const family of FAMILIES) {
      const expected = renderState(resolveObjects(this.#cluster.objects, { family }));
      const difference = differenceOf(expected, this.#planes[family].contents);
      if (difference !== undefined) {
        this.#fail(`${family} when quiet: ${difference}`);
      }
    }
  }

  #fail(what: string): void {
    this.failure ??= what;
  }
}

/** The same dataplane, with plans that can pause before and after. */
function pausing(plane: FakeDataplane): Dataplane<FakeTransaction, InstalledServicePorts> {
  return {
    plan: (...from) => plane.plan(...from),
    *planInSlices(...from) {
      yield;
      const transaction = plane.plan(...from);
      yield;
      return transaction;
    },
    apply: (transaction) => plane.apply(transaction),
    readBack: () => plane.readBack(),
    cleanup: () => plane.cleanup(),
  };
}

function differenceOf(expected: InstalledServicePorts, actual: InstalledServicePorts): string | undefined {
  for (const key of new Set([...expected.keys(), ...actual.keys()])) {
    if (expected.get(key) !== actual.get(key)) {
      return `${key}: a fresh start would install ${expected.get(key) ?? 'nothing'}, but there is ${actual.get(key) ?? 'nothing'}`;
    }
  }
  return undefined;
}
