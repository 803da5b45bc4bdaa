import {
  type BackendModule,
  type Clock,
  countOf,
  type IPFamily,
  type Logger,
  type ModeSelection,
  type ProxierOptions,
  type ProxyState,
  type SyncSuccess,
  type Timer,
  type VerificationFinding,
} from '@kube-proxier/core';
import type { ServerObserver } from '../server-observer.js';
import { type NodeVerification, verifyNode } from './verify-node.js';

export interface BackgroundVerificationOptions {
  /**
   * Milliseconds between two verifications, varied by a fifth, and at least 100 times the duration of the last one; 0 verifies on
   * request only.
   */
  readonly period: number;
  readonly options: ProxierOptions;
  readonly logger: Logger;
  readonly clock: Clock;
  /** 0…1, for the variation. Default `Math.random`. */
  readonly random?: () => number;
  /** Called when a verification begins. */
  readonly onVerifying?: () => void;
  /** Called with each result. */
  readonly onVerified?: (result: NodeVerification) => void;
}

/** Content of `/debug/verify`. */
export interface VerificationReport {
  /** A verification runs or is about to run. */
  readonly running: boolean;
  /** Number of the last verification that has ended; 0 before the first. */
  readonly finished: number;
  /** The result of the last verification; null before the first. */
  readonly last: NodeVerification | null;
  /** Seconds since it ended; null before the first. */
  readonly ageSeconds: number | null;
}

/** Maximum findings logged per verification. */
const MAX_LOGGED = 5;
/** The period is at least this many times the duration of a verification. */
const MIN_PERIOD_RATIO = 100;
/** Share of the period by which it varies. */
const JITTER = 0.2;
/** Milliseconds from the first sync of a family to the first verification, where a period is set. */
const FIRST_DELAY = 30_000;
/** Milliseconds between verifications because of rules of other programs, which some programs change all the time. */
const FOREIGN_PERIOD = 120_000;

/**
 * Verifies the states in force in the background: periodically, soon after drift was repaired or other programs changed their rules, and on
 * request, one verification at a time. Logs new findings, and the end of findings.
 */
export class BackgroundVerification implements ServerObserver {
  readonly #states = new Map<IPFamily, ProxyState>();
  readonly #ended = new AbortController();
  #backend: BackendModule | undefined;
  #last: NodeVerification | undefined;
  #endedAt = 0;
  /** Milliseconds to the next verification, as rules changed during the one that runs; undefined if they did not. */
  #disturbance: number | undefined;
  /** Time of the next periodic verification. */
  #dueAt = Number.POSITIVE_INFINITY;
  #started = 0;
  #finished = 0;
  /** Number of the last verification that was requested. */
  #requested = 0;
  #running: Promise<void> | undefined;
  #timer: Timer | undefined;
  #logged = new Set<string>();

  constructor(private readonly options: BackgroundVerificationOptions) {}

  modeSelected({ backend }: Pick<ModeSelection, 'backend'>): void {
    this.#backend = backend;
  }

  synced({ family, state }: Pick<SyncSuccess, 'family' | 'state'>): void {
    const isFirst = this.#states.size === 0;
    this.#states.set(family, state);
    if (isFirst && this.options.period > 0) {
      this.#schedule(Math.min(FIRST_DELAY, this.options.period));
    }
  }

  /** Another program changed the rules: it may have installed its own, as a firewall that reloads does. */
  repaired(): void {
    this.#bringForward(FIRST_DELAY);
  }

  /** Another program changed its own rules, such as a firewall that starts: they may drop packets of Services. */
  foreignRulesChanged(): void {
    this.#bringForward(FOREIGN_PERIOD);
  }

  /**
   * Verifies soon.
   *
   * @param interval milliseconds since the last verification, at least.
   */
  #bringForward(interval: number): void {
    if (this.#running !== undefined) {
      this.#disturbance = Math.min(interval, this.#disturbance ?? interval);
    } else if (this.options.period > 0 && this.#states.size > 0) {
      const now = this.options.clock.monotonic();
      const soon = Math.min(FIRST_DELAY, this.options.period);
      const delay = this.#last === undefined ? soon : Math.max(soon, this.#delay(interval) - (now - this.#endedAt));
      // Only earlier than planned: repeated changes do not postpone it.
      if (now + delay < this.#dueAt) {
        this.#schedule(delay);
      }
    }
  }

  /** The states in force. */
  get states(): ReadonlyMap<IPFamily, ProxyState> {
    return this.#states;
  }

  /**
   * Starts a verification of the state now in force, after a running one. Returns at once.
   *
   * @returns its number: `report().finished` is at least this once it has ended. Undefined while nothing is programmed.
   */
  request(): number | undefined {
    if (this.#backend === undefined || this.#states.size === 0 || this.#ended.signal.aborted) {
      return undefined;
    }
    this.#requested = this.#started + 1;
    this.#running ??= this.#run();
    return this.#requested;
  }

  /** The last result and its age. Costs nothing. */
  report(): VerificationReport {
    return {
      running: this.#running !== undefined,
      finished: this.#finished,
      last: this.#last ?? null,
      ageSeconds: this.#last === undefined ? null : Math.round(this.options.clock.monotonic() - this.#endedAt) / 1000,
    };
  }

  /** Aborts a verification and waits for its end. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#timer?.cancel();
    await this.#running;
  }

  #schedule(milliseconds: number): void {
    const { clock, random = Math.random } = this.options;
    this.#timer?.cancel();
    const varied = milliseconds * (1 - JITTER + 2 * JITTER * random());
    this.#dueAt = clock.monotonic() + varied;
    this.#timer = clock.setTimer(varied, () => {
      this.request();
    });
  }

  async #run(): Promise<void> {
    // The caller gets the number before the work begins.
    await Promise.resolve();
    try {
      while (this.#requested > this.#started && !this.#ended.signal.aborted) {
        await this.#verifyOnce();
      }
    } finally {
      this.#running = undefined;
    }
  }

  async #verifyOnce(): Promise<void> {
    this.#started += 1;
    this.#disturbance = undefined;
    const backend = this.#backend;
    if (backend === undefined) {
      return;
    }
    const { clock, logger, onVerifying, onVerified, options, period } = this.options;
    const { signal } = this.#ended;
    onVerifying?.();
    const result = await verifyNode({ backend, options, states: () => this.#states, clock, signal });
    if (signal.aborted) {
      return;
    }
    this.#finished = this.#started;
    this.#last = result;
    this.#endedAt = clock.monotonic();
    this.#log(result);
    logger.debug(2, 'Verified the rules in the kernel', { verdict: result.verdict, seconds: result.seconds });
    onVerified?.(result);
    if (period > 0) {
      this.#schedule(this.#delay(this.#disturbance ?? period));
    }
  }

  /** Milliseconds from the end of the last verification to the next one, which is wanted after `milliseconds`. */
  #delay(milliseconds: number): number {
    return Math.max(Math.min(milliseconds, this.options.period), (this.#last?.seconds ?? 0) * 1000 * MIN_PERIOD_RATIO);
  }

  #log({ mode, families }: NodeVerification): void {
    const { logger } = this.options;
    const findings = families.flatMap((family) => family.findings);
    const different = findings.filter(({ result }) => result === 'different');
    const fresh = different.filter((finding) => !this.#logged.has(identity(finding)));
    for (const { message, classes } of fresh.slice(0, MAX_LOGGED)) {
      logger.error(`The kernel does not do what the state says: ${message}`, { mode, packetClasses: classes });
    }
    if (fresh.length > MAX_LOGGED) {
      logger.error(`${countOf(fresh.length - MAX_LOGGED, 'more difference')}; run kube-proxier verify to list them`, {
        mode,
      });
    }
    for (const { message } of findings.filter(({ result }) => result === 'unknown')) {
      if (!this.#logged.has(message)) {
        logger.debug(1, message, { mode });
      }
    }
    const had = this.#logged.size > 0;
    this.#logged = new Set(findings.map((finding) => identity(finding)));
    if (had && findings.length === 0) {
      logger.info('The kernel matches the state again', { mode });
    }
  }
}

function identity({ result, kind, decidedBy, message }: VerificationFinding): string {
  return result === 'unknown' || decidedBy === undefined
    ? message
    : `${kind} ${decidedBy.system} ${decidedBy.table} ${decidedBy.chain} ${decidedBy.text}`;
}
