import {
  type ChangeSet,
  type Clock,
  diffStatesInSlices,
  EventLoopPace,
  finishWithPauses,
  type IPFamily,
  type Logger,
  messageOf,
  type Protocol,
  type ProxyState,
  type ResolvedServicePort,
  type Slices,
  type SyncObserver,
  type SyncSuccess,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import type { Conntrack } from '@kube-proxier/linux';
import { protocolsWithStaleFlowsInSlices, type StaleReason, staleFlowJudge } from './stale-flows.js';
import { staleTranslations } from './stale-translations.js';

/** Result of one check for stale flows. */
export interface ConntrackCleaning {
  readonly family: IPFamily;
  /** Milliseconds. */
  readonly duration: number;
  /** Number of deleted entries by reason; approximate when the kernel selected them while other entries changed. */
  readonly deleted: ReadonlyMap<StaleReason, number>;
}

/** Milliseconds before a failed check is retried; doubled with each consecutive failure up to `MAX_RETRY_DELAY`. */
const MIN_RETRY_DELAY = 1000;
const MAX_RETRY_DELAY = 300_000;

/**
 * Deletes stale flows after each sync that can leave some (spec T-10…T-19). A failure is logged and does not affect the
 * sync. The check is retried independently of syncs.
 */
export class ConntrackCleaner implements SyncObserver {
  #failure = '';
  /** By family: the state of the last completed check. */
  readonly #lastChecked = new Map<IPFamily, ProxyState>();
  /** By family: the state of the last check that was started. */
  readonly #lastStarted = new Map<IPFamily, ProxyState>();
  readonly #retries = new Map<IPFamily, Timer>();
  #failures = 0;
  #isStopped = false;

  constructor(
    private readonly conntrack: Conntrack,
    private readonly logger: Logger,
    private readonly localAddresses: () => Promise<readonly string[]>,
    private readonly clock: Clock = systemClock,
    private readonly onCleaned: (cleaning: ConntrackCleaning) => void = () => {},
    /**
     * Whether the mode in force translates flows by connection tracking. If not, conntrack entries lead to sockets of
     * the mode, which move flows to other endpoints themselves: only flows to a closed socket are stale, and failures
     * are not errors.
     */
    private readonly isTracked = true,
  ) {}

  /** Logs missing requirements of this host in advance. Never rejects. */
  async checkHost(): Promise<void> {
    try {
      await this.conntrack.check?.();
    } catch (error) {
      this.#failure = messageOf(error);
      this.logger.warn(
        `Stale UDP and SCTP flows will not be deleted, so clients may keep sending to removed endpoints: ${this.#failure}`,
      );
    }
  }

  /** Cancels pending retries. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const retry of this.#retries.values()) {
      retry.cancel();
    }
    this.#retries.clear();
  }

  async synced(success: SyncSuccess): Promise<void> {
    const { family, state, changes, full } = success;
    this.#lastStarted.set(family, state);
    this.#retries.get(family)?.cancel();
    this.#retries.delete(family);
    const before = this.#lastChecked.get(family);
    const since = (isFull: boolean) =>
      finishWithPauses(stepSince(before, state, changes, isFull), new EventLoopPace(this.clock));
    const step = this.isTracked ? await since(full) : servedAgain(await since(false));
    const protocols = await finishWithPauses(protocolsWithStaleFlowsInSlices(step), new EventLoopPace(this.clock));
    if (protocols.length === 0) {
      this.#lastChecked.set(family, state);
      return;
    }
    const begin = this.clock.monotonic();
    try {
      const localAddresses = new Set(await this.localAddresses());
      const deleted = new Map<StaleReason, number>();
      // Flows may have been translated by an intermediate state that neither compared state contains. Only a dump finds
      // them.
      const isWhole = step === changes;
      const isDone = await this.#deleteKnown(state, isWhole ? step : undefined, localAddresses, deleted);
      const judge = staleFlowJudge(state, step, localAddresses);
      for (const protocol of protocols.filter((one) => !isDone(one))) {
        const counts = await this.conntrack.deleteMatching(
          family,
          protocol,
          ({ destination, destinationPort, source, sourcePort }) =>
            judge({ protocol, original: { destination, destinationPort }, reply: { source, sourcePort } }),
        );
        for (const [reason, count] of counts) {
          deleted.set(reason, (deleted.get(reason) ?? 0) + count);
        }
      }
      for (const [reason, count] of deleted) {
        this.logger.debug(2, 'Deleted stale conntrack entries', { family, reason, deleted: count });
      }
      this.#failure = '';
      this.#failures = 0;
      this.#lastChecked.set(family, state);
      this.onCleaned({ family, duration: this.clock.monotonic() - begin, deleted });
    } catch (error) {
      const delay = Math.min(MIN_RETRY_DELAY * 2 ** this.#failures, MAX_RETRY_DELAY);
      this.#failures += 1;
      // The check of a later sync covers this one.
      if (!this.#isStopped && this.#lastStarted.get(family) === state) {
        this.#retries.set(
          family,
          this.clock.setTimer(delay, () => void this.synced(success)),
        );
      }
      const reason = messageOf(error);
      // The same failure would recur at every sync; log it once.
      if (this.#failure !== reason) {
        this.#failure = reason;
        if (this.isTracked) {
          this.logger.error(
            `Cannot delete stale conntrack entries, so clients may keep sending to removed endpoints: ${reason}`,
            { family },
          );
        } else {
          this.logger.debug(2, `Cannot delete conntrack entries of another mode: ${reason}`, { family });
        }
      }
    }
  }

  /**
   * Deletes stale flows whose translation follows from the changes, without a dump: dumping a million flows takes
   * seconds.
   *
   * @param step the changes of one sync since the last check; undefined when there were intermediate states.
   * @param deleted receives the numbers of deleted entries.
   * @returns whether no dump is needed for a protocol.
   */
  async #deleteKnown(
    state: ProxyState,
    step: ChangeSet | undefined,
    localAddresses: ReadonlySet<string>,
    deleted: Map<StaleReason, number>,
  ): Promise<(protocol: Protocol) => boolean> {
    const isKnown = this.isTracked && this.conntrack.deleteTranslated !== undefined;
    const groups = isKnown && step !== undefined ? staleTranslations(state, step, localAddresses) : undefined;
    for (const { protocol, reason, translations } of groups ?? []) {
      const count = await this.conntrack.deleteTranslated?.(state.family, protocol, translations);
      if (count === undefined) {
        return () => false;
      }
      deleted.set(reason, (deleted.get(reason) ?? 0) + count);
    }
    return (protocol) => groups !== undefined && (protocol === 'UDP' || protocol === 'SCTP');
  }
}

/**
 * The changes to check for stale flows. Before a full sync rules may have been missing, so that flows bypassed every
 * Service: then all service ports are checked. After a failure `changes` does not cover everything since the last check;
 * comparing the states does.
 */
function* stepSince(
  before: ProxyState | undefined,
  state: ProxyState,
  changes: ChangeSet,
  full: boolean,
): Slices<ChangeSet> {
  if (full ? before === undefined && changes.previous === undefined : changes.previous === before) {
    return changes;
  }
  const step = yield* diffStatesInSlices(before, state);
  if (!full || before === undefined) {
    return step;
  }
  const resolvedServicePorts = new Map(step.resolvedServicePorts);
  for (const [key, current] of state.servicePorts) {
    yield;
    if (!resolvedServicePorts.has(key)) {
      resolvedServicePorts.set(key, { previous: undefined, current });
    }
  }
  return { ...step, previous: undefined, resolvedServicePorts };
}

/**
 * Selects service ports that had no serving endpoint and now have one: their sockets were closed, or had another port.
 * A flow deleted while in use may get another source port.
 */
function servedAgain(step: ChangeSet): ChangeSet {
  if (step.previous === undefined) {
    return step;
  }
  const isServed = (port: ResolvedServicePort | undefined) => port?.candidates.some(({ serving }) => serving) ?? false;
  const resolvedServicePorts = new Map(
    [...step.resolvedServicePorts].filter(([, { previous, current }]) => !isServed(previous) && isServed(current)),
  );
  return { ...step, resolvedServicePorts };
}
