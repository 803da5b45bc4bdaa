import {
  type BackendModule,
  type Clock,
  countOf,
  type IPFamily,
  type Logger,
  messageOf,
  type ProxyMode,
  type Timer,
  type VerificationFinding,
} from '@kube-proxier/core';
import type { FinishedTakeover, ServerObserver } from '../server-observer.js';
import type { NodeVerification } from '../verification/verify-node.js';
import {
  CleanupError,
  type CleanupSummary,
  cleanupBackends,
  findLeftovers,
  type RemovedOfMode,
} from './cleanup-backends.js';

/** Milliseconds until the first check of objects that open connections used; doubled each time up to `MAX_CHECK_DELAY`. */
const MIN_CHECK_DELAY = 10_000;
const MAX_CHECK_DELAY = 300_000;
const NOTHING: CleanupSummary = { removed: [], remaining: [], unreported: [] };

export interface TakeoverOptions {
  /** Every mode that may have leftovers on this host, including the one in force. */
  readonly backends: readonly BackendModule[];
  readonly inForce: ProxyMode;
  readonly families: readonly IPFamily[];
  readonly logger: Logger;
  readonly clock: Clock;
  /**
   * Verifies that the mode in force alone implements the state; undefined when the proxy stops meanwhile. Default: not
   * verified.
   */
  readonly verify?: () => Promise<NodeVerification | undefined>;
  /**
   * Verifies the node with the leftovers; undefined when the proxy stops meanwhile. Called when foreign rules conflict
   * with the state. Default: not verified.
   */
  readonly verifyNow?: () => Promise<NodeVerification | undefined>;
  /** Called once, when the first removal has ended. */
  readonly onFinished?: (takeover: FinishedTakeover) => void;
}

/**
 * Removes leftovers of other modes and of kube-proxy from this host, once, when the mode in force has programmed every
 * family. Until then both sets of rules are installed, so that the node always has rules (unlike spec M-10, which
 * removes first). With `verify`, leftovers that are found are removed once it finds no difference in the rules of the mode in force: until
 * then they are kept, since they serve Services that the new rules may not. They are also kept while they accept
 * packets that foreign rules drop without them. An inconclusive verification does not delay the removal; otherwise a
 * tool that cannot read rules would keep the rules of two proxies installed permanently. Objects of the mode in force
 * are never removed. Objects in use by open connections are removed when these have closed. Failures are logged and
 * retried.
 */
export class Takeover implements ServerObserver {
  readonly #waiting: Set<IPFamily>;
  #done: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #stopped = false;
  /** Milliseconds. */
  #next = MIN_CHECK_DELAY;
  #isFinished = false;
  #isAnnounced = false;
  #verified = false;
  /** Why the last removal failed. */
  #failure: string | undefined;
  #status: string | undefined;

  constructor(private readonly options: TakeoverOptions) {
    this.#waiting = new Set(options.families);
  }

  /** The sync does not wait for it: the leftovers are no longer used. */
  synced({ family }: { readonly family: IPFamily }): void {
    if (this.#waiting.delete(family) && this.#waiting.size === 0) {
      this.#done = this.#removeLeftovers();
    }
  }

  /**
   * Status of leftovers: `kept, because …`, `not known: …`; undefined when there are none, or before the first check.
   */
  get status(): string | undefined {
    return this.#status;
  }

  /** Waits for a removal in progress: interrupted, it would be incomplete. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#done;
  }

  async #removeLeftovers(): Promise<void> {
    const { inForce, logger } = this.options;
    const hasNone = await this.#hasNone();
    if (!hasNone && !(await this.#isVerified())) {
      this.#checkAgain();
      return;
    }
    try {
      const { remaining, removed } = hasNone ? NOTHING : await this.#cleanUp();
      this.#finish(removed);
      if (this.#failure !== undefined) {
        this.#failure = undefined;
        logger.info('Leftovers of other proxy modes can be removed again', { inForce });
      }
      if (remaining.length === 0) {
        this.#status = undefined;
        logger.debug(1, 'No leftovers of other proxy modes found', { inForce });
        return;
      }
      this.#status = `kept while connections use them: ${remaining.join('; ')}`;
      if (!this.#isAnnounced) {
        this.#isAnnounced = true;
        logger.info(`Leftovers of other proxy modes are ${this.#status}`, {
          inForce,
        });
      }
      this.#checkAgain();
    } catch (error) {
      this.#finish(error instanceof CleanupError ? error.summary.removed : [], error);
      if (error instanceof CleanupError && error.isDenied) {
        // The mode in force needs no privileges.
        this.#status = `not known: ${messageOf(error)}`;
        logger.info(`Cannot check for leftovers of other proxy modes: ${messageOf(error)}`, { inForce });
        return;
      }
      this.#status = `kept, because they cannot be removed: ${messageOf(error)}`;
      // The same failure would recur; log it once.
      if (this.#failure !== messageOf(error)) {
        this.#failure = messageOf(error);
        const nextTrySeconds = this.#next / 1000;
        logger.warn(`Cannot remove all leftovers of other proxy modes: ${this.#failure}`, { inForce, nextTrySeconds });
      }
      this.#checkAgain();
    }
  }

  #checkAgain(): void {
    if (!this.#stopped) {
      this.#timer = this.options.clock.setTimer(this.#next, () => {
        this.#done = this.#removeLeftovers();
      });
      this.#next = Math.min(2 * this.#next, MAX_CHECK_DELAY);
    }
  }

  /**
   * Whether there are no leftovers, as on most starts: then nothing has to be verified before a removal. A verification takes seconds of CPU
   * time with 10,000 Services.
   */
  async #hasNone(): Promise<boolean> {
    const { backends, inForce, logger, verify } = this.options;
    if (verify === undefined || this.#verified) {
      return false;
    }
    const owners = ['backend', 'kube-proxy'] as const;
    const { found, unlisted, failures } = await findLeftovers(backends, { logger, owners, inForce });
    return found.length + unlisted.length + failures.length === 0;
  }

  #cleanUp(): Promise<CleanupSummary> {
    const { backends, inForce, logger } = this.options;
    return cleanupBackends(backends, { logger, inForce, kubeProxy: true });
  }

  /** Whether the old rules may be removed: no rule of the mode in force is known to be wrong or missing. */
  async #isVerified(): Promise<boolean> {
    const { inForce, logger, verify, verifyNow } = this.options;
    if (verify === undefined || this.#verified) {
      return true;
    }
    const result = await verify();
    if (result === undefined) {
      return false;
    }
    const { families, verdict } = result;
    const findings = families.flatMap((family) => family.findings);
    const different = findings.filter((finding) => finding.result === 'different');
    const wrong = different.filter(({ decidedBy }) => decidedBy?.foreign !== true);
    const [first] = wrong;
    if (first !== undefined) {
      const more = wrong.length > 1 ? `, and ${countOf(wrong.length - 1, 'more difference')}` : '';
      return this.#keep(`mode ${inForce} does not do what the state says: ${first.message}${more}`);
    }
    if (different.length > 0 && verifyNow !== undefined) {
      const now = await verifyNow();
      if (now === undefined) {
        return false;
      }
      const lost = lostByRemoval(different, now);
      if (lost !== undefined) {
        return this.#keep(
          `packets would be lost without them: ${lost.message}. Accept these packets there, or use the mode that was used before`,
        );
      }
    }
    if (verdict === 'unknown') {
      logger.info(
        `Removing leftovers of other proxy modes though not everything could be verified: ${findings[0]?.message ?? 'nothing is programmed'}`,
        { inForce },
      );
    }
    this.#verified = true;
    return true;
  }

  /** @returns whether the rules must be kept for now. */
  #keep(why: string): false {
    const { inForce, logger } = this.options;
    this.#status = `kept, because ${why}`;
    logger.error(`The rules of other proxy modes are ${this.#status}`, {
      inForce,
      nextCheckSeconds: this.#next / 1000,
    });
    return false;
  }

  #finish(removed: readonly RemovedOfMode[], error?: unknown): void {
    if (!this.#isFinished) {
      this.#isFinished = true;
      const { inForce, onFinished } = this.options;
      onFinished?.({ inForce, removed, ...(error === undefined ? {} : { error }) });
    }
  }
}

/** The first difference without the leftovers whose cause affects more packets than with them. */
function lostByRemoval(
  withoutLeftovers: readonly VerificationFinding[],
  { families }: NodeVerification,
): VerificationFinding | undefined {
  const known = new Set(families.filter(({ classes }) => classes > 0).map(({ family }) => family));
  const now = classesByCause(families.flatMap(({ findings }) => findings));
  const then = classesByCause(withoutLeftovers);
  return withoutLeftovers.find((finding) => {
    const cause = causeOf(finding);
    return known.has(finding.family) && (then.get(cause) ?? 0) > (now.get(cause) ?? 0);
  });
}

function classesByCause(findings: readonly VerificationFinding[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const finding of findings) {
    const cause = causeOf(finding);
    counts.set(cause, (counts.get(cause) ?? 0) + finding.classes);
  }
  return counts;
}

function causeOf({ family, kind, decidedBy }: VerificationFinding): string {
  return JSON.stringify([family, kind, decidedBy?.system, decidedBy?.table, decidedBy?.chain, decidedBy?.text]);
}
