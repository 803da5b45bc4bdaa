import type { AddressChange, ProxierContext } from '../contract/backend-module.js';
import type { Dataplane, DriftReporter } from '../contract/dataplane.js';
import type { Proxier, ProxyMode } from '../contract/proxier.js';
import { hasErrorKind, messageOf, ProxierError } from '../contract/proxier-error.js';
import { type ChangeSet, isEmptyChangeSet } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';
import { formatObjectProblem, type ObjectProblem } from '../objects/object-problem.js';
import { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import { EventLoopPace, WorkEnded } from '../pacing/event-loop-pace.js';
import { finishWithPauses, type Pace, type Slices } from '../pacing/slices.js';
import { diffStatesInSlices } from '../resolution/diff-states.js';
import { ProxyStateResolver } from '../resolution/proxy-state-resolver.js';
import { AdaptiveInterval } from './adaptive-interval.js';
import { checkProxierContext } from './check-proxier-context.js';
import { SyncRunner } from './sync-runner.js';

/** Milliseconds before the first retry of a failed sync; doubled with each failure up to `syncPeriod`. */
const FIRST_RETRY = 100;

/** Milliseconds between two reads of the host's addresses to compare external addresses with them. */
const ADDRESS_CHECK_PERIOD = 30_000;

/** Dependencies of a {@link ReconcilingProxier}. */
export interface ReconcilingProxierOptions<Transaction, Installed> {
  readonly mode: ProxyMode;
  readonly context: ProxierContext;
  readonly dataplane: Dataplane<Transaction, Installed>;
  /**
   * When the work of a sync pauses, small changes included. Default: large syncs pause after each 5 ms, by the
   * context's clock.
   */
  readonly pace?: Pace;
}

/** Runs work, with pauses if it takes long. */
type Paced = <Result>(slices: Slices<Result>) => Result | Promise<Result>;

/** The state of a proxier; for `/debug/state`, `explain` and tests. */
export interface ReconcilingProxierStatus {
  /** The desired state. */
  readonly desired: ProxyState;
  /** The state of the last successful write; undefined before the first sync and after a failure. */
  readonly applied: ProxyState | undefined;
  /** Number of consecutive failed syncs. */
  readonly failures: number;
}

/**
 * A {@link Proxier} made from a {@link Dataplane}: tracks events, waits for the first full lists, throttles, plans,
 * applies, retries, and reconciles with the current state of the kernel: at start, after a failure, when the backend
 * detects foreign changes, and periodically.
 */
export class ReconcilingProxier<Transaction, Installed> implements Proxier {
  readonly mode: ProxyMode;
  readonly #context: ProxierContext;
  readonly #dataplane: Dataplane<Transaction, Installed>;
  readonly #resolver: ProxyStateResolver;
  readonly #runner: SyncRunner;
  #servicesSynced = false;
  #endpointsSynced = false;
  #applied: ProxyState | undefined;
  /** The state of the last plan: the state in force, or an earlier one that is equal to it. */
  #planned: ProxyState | undefined;
  /** The installed state may differ from what was applied; set from outside, also during a sync. */
  #suspect = false;
  /** The host's addresses in the resolver may be outdated. */
  #addressesSuspect = true;
  #addressesReadAt = Number.NEGATIVE_INFINITY;
  /** Drift that a backend detected; reported when it is repaired. */
  #noticed: string | undefined;
  /** A sync found drift; reported when it is repaired, which a failed write delays. */
  #isDriftFound = false;
  #lastFull = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #triggerTimes: number[] = [];
  /** Signal of the sync loop: aborts a paused sync. */
  #signal: AbortSignal | undefined;
  readonly #givenPace: Pace | undefined;

  /** @throws ProxierError `PROXIER_CONTEXT` when a member of the context is missing or invalid. */
  constructor({ mode, context, dataplane, pace }: ReconcilingProxierOptions<Transaction, Installed>) {
    checkProxierContext(mode, context);
    const { family, options, clock, logger } = context;
    const warn = (problem: ObjectProblem) => logger.warn(formatObjectProblem(problem), { ignored: problem.ignored });
    this.mode = mode;
    this.#context = context;
    this.#dataplane = dataplane;
    this.#givenPace = pace;
    this.#resolver = new ProxyStateResolver({
      family,
      options,
      reader: context.reader ?? new ObjectReader(warn),
      since: clock.now(),
      onProblem: warn,
      includesLocalAddresses: dataplane.followsLocalAddresses ?? false,
    });
    const adaptive = new AdaptiveInterval();
    this.#runner = new SyncRunner({
      clock,
      run: () => this.#syncOnce(),
      burst: options.syncBurst,
      ...(options.minSyncPeriod === 'adaptive'
        ? { minInterval: (duration: number) => adaptive.after(duration), maxInterval: options.driftCheckPeriod }
        : {
            minInterval: options.minSyncPeriod,
            maxInterval: Math.max(options.driftCheckPeriod, options.minSyncPeriod),
          }),
      retryInterval: (failures) => Math.min(FIRST_RETRY * 2 ** (failures - 1), options.syncPeriod),
    });
  }

  get status(): ReconcilingProxierStatus {
    return { desired: this.#resolver.latest, applied: this.#applied, failures: this.#failures };
  }

  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void {
    this.#requestIf(this.#resolver.updateService(previous, current));
  }

  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void {
    this.#requestIf(this.#resolver.updateEndpointSlice(previous, current));
  }

  onServicesSynced(): void {
    this.#servicesSynced = true;
    this.#requestIf(true);
  }

  onEndpointsSynced(): void {
    this.#endpointsSynced = true;
    this.#requestIf(true);
  }

  onNodeUpdate(node: Node): void {
    this.#requestIf(this.#resolver.updateNode(node));
  }

  onServiceCIDRsUpdate(cidrs: readonly string[]): void {
    this.#requestIf(this.#resolver.updateServiceCIDRs(cidrs));
  }

  sync(): void {
    this.#requestIf(true);
  }

  /** Makes the next sync, which is requested, compare everything with the current state of the kernel. */
  reconcile(): void {
    this.#suspect = true;
    this.#requestIf(true);
  }

  /** @throws ProxierError `ALREADY_STARTED` when it was called before; `SYNC_LOOP_SIGNAL` without a signal. */
  async syncLoop(signal: AbortSignal): Promise<void> {
    if (typeof signal?.addEventListener !== 'function') {
      throw new ProxierError('SYNC_LOOP_SIGNAL', 'syncLoop needs the argument signal, an AbortSignal that ends it');
    }
    if (this.#signal !== undefined) {
      throw new ProxierError('ALREADY_STARTED', 'syncLoop of this proxier was called before; create a new proxier');
    }
    this.#signal = signal;
    this.#observe('started', () => this.#context.observer.started?.(this.#context.family));
    const watching = [this.#watch(signal), this.#watchAddresses(signal)];
    try {
      await this.#runner.loop(signal);
      await Promise.all(watching);
    } finally {
      await this.#dataplane.close?.();
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { family, logger, observer } = this.#context;
    const onDrift: DriftReporter = (what, certainty = 'seen') => {
      if (certainty === 'seen') {
        logger.warn(`Drift detected: ${what}; reconciling`, { family });
        this.#noticed = what;
      } else {
        logger.debug(2, `Checking for drift: ${what}`, { family });
      }
      this.reconcile();
    };
    const onForeignChange = () => this.#observe('foreignRulesChanged', () => observer.foreignRulesChanged?.(family));
    try {
      await this.#dataplane.watch?.(onDrift, signal, onForeignChange);
    } catch (error) {
      const seconds = Math.round(this.#context.options.driftCheckPeriod / 1000);
      logger.error(`Drift is detected only by the full check every ${seconds} s: ${messageOf(error)}`, { family });
    }
  }

  /** Watches the addresses of the host, if anything depends on them. */
  async #watchAddresses(signal: AbortSignal): Promise<void> {
    if (!this.#resolver.needsLocalAddresses && !this.#dataplane.followsLocalAddresses) {
      return;
    }
    const { family, logger, watchAddresses } = this.#context;
    try {
      await watchAddresses?.((changes) => this.#readAddresses(changes), signal);
    } catch (error) {
      logger.error(`Address changes are detected only by periodic reads: ${messageOf(error)}`, { family });
    }
  }

  async #readAddresses(changes: readonly AddressChange[] | undefined): Promise<void> {
    const { family } = this.#context;
    if (changes?.every((change) => change.family !== family)) {
      return;
    }
    try {
      this.#requestIf(this.#resolver.updateLocalAddresses(await this.#context.localAddresses()));
    } catch {
      // The sync reports the error and is retried.
      this.#addressesSuspect = true;
      this.#requestIf(true);
    }
  }

  get #gateOpen(): boolean {
    return this.#servicesSynced && this.#endpointsSynced;
  }

  #requestIf(needed: boolean): void {
    if (needed && this.#gateOpen) {
      this.#observe('queued', () => this.#context.observer.queued?.(this.#context.family));
      this.#runner.request();
    }
  }

  /** @returns whether the kernel has the desired state. */
  async #syncOnce(): Promise<boolean> {
    if (!this.#gateOpen) {
      return true;
    }
    const { clock, family, logger, observer } = this.#context;
    const begin = clock.monotonic();
    const believed = this.#applied;
    const pace = this.#givenPace ?? new EventLoopPace(clock, this.#signal);
    const paced: Paced = (slices) => finishWithPauses(slices, pace);
    let full = true;
    try {
      full =
        believed === undefined || this.#suspect || begin - this.#lastFull >= this.#context.options.driftCheckPeriod;
      if (
        this.#resolver.needsLocalAddresses ||
        (this.#dataplane.followsLocalAddresses && (full || this.#addressesSuspect))
      ) {
        this.#resolver.updateLocalAddresses(await this.#context.localAddresses());
        this.#addressesSuspect = false;
      } else if (
        full ||
        (this.#resolver.hasExternalAddresses &&
          !this.#dataplane.followsLocalAddresses &&
          begin - this.#addressesReadAt >= ADDRESS_CHECK_PERIOD)
      ) {
        await this.#compareAddresses();
      }
      this.#observe('resolving', () => observer.resolving?.(family, this.#resolver.latest));
      const few = this.#givenPace === undefined ? undefined : 0;
      const resolving = this.#resolver.applyPendingInSlices(clock.monotonic(), few);
      const { state, changes: step, triggerTimes } = await paced(resolving);
      this.#runner.requestBy(this.#resolver.nextStep);
      this.#observe('resolved', () => observer.resolved?.(family, state));
      for (const time of triggerTimes) {
        this.#triggerTimes.push(time);
      }
      // Drift may have been reported in the meantime. Reports from here on belong to the next sync.
      full ||= this.#suspect;
      this.#suspect = false;
      const changes = full ? await paced(diffStatesInSlices(undefined, state)) : await this.#since(step, state, paced);
      await this.#write(state, { changes, full, believed, paced });
      this.#applied = state;
      this.#lastFull = full ? begin : this.#lastFull;
      this.#failures = 0;
      const reportedTimes = this.#triggerTimes;
      this.#triggerTimes = [];
      const duration = clock.monotonic() - begin;
      logger.debug(2, 'Synced', {
        family,
        full,
        changes: changes.servicePorts.size,
        milliseconds: Math.round(duration),
      });
      const report = this.#dataplane.report?.();
      await this.#observeAsync(async () =>
        observer.synced?.({
          ...{ family, state, changes, full, duration, triggerTimes: reportedTimes },
          ...(report === undefined ? {} : { report }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof WorkEnded) {
        // The sync loop was stopped. Nothing was written.
        this.#applied = believed;
        return false;
      }
      // If nothing was written, for example because the kernel could not be read, what was written before stays known.
      this.#suspect = true;
      const isOutdated = hasErrorKind(error, 'outdated');
      if (isOutdated || hasErrorKind(error, 'perhaps-outdated')) {
        // The backend may have just reported it.
        if (!isOutdated) {
          logger.debug(2, `Checking for drift: ${messageOf(error)}`, { family });
        } else if (this.#noticed === undefined) {
          logger.warn(`Drift detected: ${messageOf(error)}`, { family });
          this.#noticed = messageOf(error);
        }
        // Nothing was written: the kernel has the last written state and the foreign change.
        this.#applied = believed;
        // The next sync looks again, if it knows what should be there.
        this.#isDriftFound &&= believed === undefined;
        return false;
      }
      this.#failures += 1;
      const failures = this.#failures;
      logger.error(`Sync failed; it will be retried: ${messageOf(error)}`, { family, full, failures });
      this.#observe('failed', () =>
        observer.failed?.({ family, error, full, duration: clock.monotonic() - begin, failures }),
      );
      return false;
    }
  }

  /**
   * Plans and applies a state. A separate method, so that the transaction, which is large at start, can be garbage
   * collected before observers are notified.
   */
  async #write(
    state: ProxyState,
    {
      changes,
      full,
      believed,
      paced,
    }: Readonly<{
      changes: ChangeSet;
      full: boolean;
      believed: ProxyState | undefined;
      paced: Paced;
    }>,
  ): Promise<void> {
    const installed = full ? await this.#dataplane.readBack() : undefined;
    if (!full && isEmptyChangeSet(changes)) {
      return;
    }
    const pending =
      believed !== undefined &&
      installed !== undefined &&
      !isEmptyChangeSet(await paced(diffStatesInSlices(believed, state)));
    // Excludes the changes of this sync: leads from the installed state back to the last written state.
    const drift = pending
      ? await paced(this.#plan(believed, await paced(diffStatesInSlices(undefined, believed)), installed))
      : undefined;
    // Planners cache data by the identity of a state.
    const known = !full && changes.previous === believed ? { ...changes, previous: this.#planned } : changes;
    const transaction = await paced(this.#plan(state, known, installed));
    this.#planned = state;
    // From here until `apply` has returned, the state of the kernel is unknown.
    this.#applied = undefined;
    const repair = pending ? drift : transaction;
    this.#isDriftFound ||= full && believed !== undefined && repair !== undefined;
    if (transaction !== undefined) {
      await this.#dataplane.apply(transaction);
    }
    if (full) {
      this.#reportRepair(believed !== undefined, repair);
    }
  }

  /** Compares external addresses with those of the host, without delaying the sync. */
  async #compareAddresses(): Promise<void> {
    const { clock, family, localAddresses, logger } = this.#context;
    this.#addressesReadAt = clock.monotonic();
    try {
      this.#resolver.updateLocalAddresses(await localAddresses());
    } catch (error) {
      logger.warn(
        `Addresses of this host cannot be read, so external IPs are not compared with them: ${messageOf(error)}`,
        {
          family,
        },
      );
    }
  }

  /**
   * Reports repaired drift: detected by the backend, or found by this sync or by previous ones whose write failed.
   *
   * @param isKnown the last written state is known: any difference from it is drift, detected or not.
   * @param repair without the regular changes of the sync.
   */
  #reportRepair(isKnown: boolean, repair: Transaction | undefined): void {
    const { family, logger, observer } = this.#context;
    const noticed = this.#noticed;
    const isFound = this.#isDriftFound;
    this.#noticed = undefined;
    this.#isDriftFound = false;
    if (!isFound && (noticed === undefined || repair === undefined)) {
      return;
    }
    const written = isKnown && repair !== undefined ? this.#dataplane.describe?.(repair) : undefined;
    const what = [noticed ?? 'found by the full check', ...(written === undefined ? [] : [`wrote ${written}`])].join(
      '; ',
    );
    logger.warn(`Drift repaired: ${what}`, { family });
    this.#observe('repaired', () => observer.repaired?.({ family, what }));
  }

  /** The step starts from the last resolution; a sync that skipped one (none does today) must not lose its changes. */
  #since(step: ChangeSet, state: ProxyState, paced: Paced): ChangeSet | Promise<ChangeSet> {
    return step.previous === this.#applied ? step : paced(diffStatesInSlices(this.#applied, state));
  }

  *#plan(next: ProxyState, changes: ChangeSet, installed: Installed | undefined): Slices<Transaction | undefined> {
    const slices = this.#dataplane.planInSlices?.(next, changes, installed);
    return slices === undefined ? this.#dataplane.plan(next, changes, installed) : yield* slices;
  }

  #observe(what: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#context.logger.error(`A sync observer failed in "${what}": ${messageOf(error)}`);
    }
  }

  async #observeAsync(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#context.logger.error(`A sync observer failed in "synced": ${messageOf(error)}`);
    }
  }
}
