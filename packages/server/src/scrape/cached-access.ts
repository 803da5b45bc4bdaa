import { createHash } from 'node:crypto';
import { type Clock, ProxierError } from '@kube-proxier/core';
import type { AccessDecision, AccessReviewer } from './scrape-options.js';

/** Milliseconds for which a decision is cached. */
const KEPT: Readonly<Record<AccessDecision, number>> = { allowed: 60_000, forbidden: 10_000, unauthenticated: 10_000 };
/**
 * Maximum number of cached decisions, separately for allowed and denied ones, so that denied tokens cannot evict
 * allowed ones.
 */
const MAX_ALLOWED = 256;
const MAX_REFUSED = 1024;
/** Maximum concurrent reviews. */
const MAX_RUNNING = 32;
/** Timeout of a review in milliseconds: Prometheus' scrape timeout is 10 s. */
const REVIEW_TIMEOUT = 8000;
/** Burst of reviews per client, and the milliseconds after which one more is allowed. */
const BURST = 10;
const REFILL = 1000;
/** Maximum number of clients whose reviews are counted. */
const MAX_CLIENTS = 4096;

interface Kept {
  readonly decision: AccessDecision;
  /** On the monotonic clock. */
  readonly until: number;
}

/**
 * Caches the decisions of a reviewer for a short time and rate-limits it: each review costs two requests to the API
 * server, and any client can send any token. Failures are not cached.
 */
export class CachedAccess {
  readonly #allowed = new Map<string, Kept>();
  readonly #refused = new Map<string, Kept>();
  readonly #running = new Map<string, Promise<AccessDecision>>();
  /** The time at which the burst of each client is replenished. */
  readonly #clients = new Map<string, number>();
  readonly #stop = new AbortController();

  constructor(
    private readonly reviewer: AccessReviewer,
    private readonly clock: Clock,
  ) {}

  /** Number of cached decisions. */
  get size(): number {
    return this.#allowed.size + this.#refused.size;
  }

  /**
   * @param client source of the request, such as an address.
   * @returns the decision; `busy` when too many reviews are running, for all clients or for this one.
   * @throws ProxierError `REVIEW_TIMEOUT`, or the reviewer's error.
   */
  async decide(token: string, client: string): Promise<AccessDecision | 'busy'> {
    // Tokens are not stored in memory.
    const key = createHash('sha256').update(token).digest('base64');
    const kept = this.#allowed.get(key) ?? this.#refused.get(key);
    if (kept && kept.until > this.clock.monotonic()) {
      return kept.decision;
    }
    this.#allowed.delete(key);
    this.#refused.delete(key);
    const running = this.#running.get(key);
    if (running) {
      return await running;
    }
    if (this.#running.size >= MAX_RUNNING || !this.#mayReview(client)) {
      return 'busy';
    }
    const review = this.#review(token).finally(() => this.#running.delete(key));
    this.#running.set(key, review);
    const decision = await review;
    this.#keep(key, decision);
    return decision;
  }

  /** Aborts running reviews with an error. */
  stop(): void {
    this.#stop.abort();
    this.reviewer.close?.();
  }

  #mayReview(client: string): boolean {
    const now = this.clock.monotonic();
    const full = Math.max(this.#clients.get(client) ?? now, now) + REFILL;
    if (full - now > BURST * REFILL) {
      return false;
    }
    this.#clients.delete(client);
    this.#clients.set(client, full);
    limit(this.#clients, MAX_CLIENTS);
    return true;
  }

  #keep(key: string, decision: AccessDecision): void {
    const [decisions, size] =
      decision === 'allowed' ? [this.#allowed, MAX_ALLOWED] : ([this.#refused, MAX_REFUSED] as const);
    decisions.delete(key);
    decisions.set(key, { decision, until: this.clock.monotonic() + KEPT[decision] });
    limit(decisions, size);
  }

  /** Times out even if the reviewer does not. */
  #review(token: string): Promise<AccessDecision> {
    const abort = new AbortController();
    const stop = this.#stop.signal;
    return new Promise<AccessDecision>((resolve, reject) => {
      const end = (error: ProxierError) => {
        reject(error);
        abort.abort();
      };
      const stopped = () => end(new ProxierError('REVIEW_STOPPED', 'the server is stopping'));
      const timer = this.clock.setTimer(REVIEW_TIMEOUT, () =>
        end(new ProxierError('REVIEW_TIMEOUT', `there was no decision within ${REVIEW_TIMEOUT} ms`)),
      );
      stop.addEventListener('abort', stopped);
      if (stop.aborted) {
        stopped();
      }
      Promise.resolve()
        .then(() => this.reviewer.review(token, abort.signal))
        .then(resolve, reject)
        .finally(() => {
          timer.cancel();
          stop.removeEventListener('abort', stopped);
        });
    });
  }
}

/** Deletes the oldest entries. */
function limit(map: Map<string, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) {
      return;
    }
    map.delete(key);
  }
}
