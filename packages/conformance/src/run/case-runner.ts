import type { BackendCapabilities } from '@kube-proxier/core';
import type { BackendChoice } from '../backend/messages.js';
import type { ConformanceCase } from '../cases/conformance-case.js';
import { ConformanceFixture } from '../fixture/conformance-fixture.js';
import type { CaseResult } from './case-result.js';
import { lackingFor, runCase, skippedResult } from './run-case.js';

export interface CaseRunnerOptions {
  readonly choice: BackendChoice;
  readonly capabilities: BackendCapabilities;
  readonly cases: readonly ConformanceCase[];
  /** Number of concurrent sandboxes. */
  readonly jobs: number;
  /** Factor on all timeouts. */
  readonly patience: number;
  readonly onBegin?: (one: ConformanceCase) => void;
  readonly onResult?: (result: CaseResult) => void;
  /** Called by an idle sandbox, before it is removed. */
  readonly onIdle?: (fixture: ConformanceFixture, last: ConformanceCase) => Promise<void>;
}

/** Runs cases in several sandboxes concurrently; requested cases have priority. */
export class CaseRunner {
  readonly #options: CaseRunnerOptions;
  readonly #queue = new CaseQueue();
  readonly #results = new Map<string, PromiseWithResolversOf<CaseResult>>();
  readonly #jobs: number;
  #work: Promise<void> | undefined;
  #stopping = false;

  constructor(options: CaseRunnerOptions) {
    this.#options = options;
    for (const one of options.cases) {
      const lacks = lackingFor(one, options.capabilities);
      const result = promiseWithResolvers<CaseResult>();
      this.#results.set(one.id, result);
      if (lacks.length > 0) {
        this.#record(skippedResult(one, lacks));
      } else {
        this.#queue.add(one);
      }
    }
    this.#jobs = Math.min(options.jobs, this.#queue.size);
  }

  /** Result of a case. The first request starts all cases. */
  async result(one: ConformanceCase): Promise<CaseResult> {
    this.#queue.prefer(one);
    // Failures of the sandboxes reject the promises of the results.
    this.run().catch(() => {});
    return await (this.#results.get(one.id)?.promise ?? Promise.reject(new RangeError(`no case ${one.id} to run`)));
  }

  /**
   * Runs all cases.
   *
   * @throws SandboxError when namespaces cannot be created; ConformanceError when the backend cannot run here.
   */
  run(): Promise<void> {
    this.#work ??= Promise.all(Array.from({ length: this.#jobs }, () => this.#worker())).then(
      () => {},
      (error: unknown) => {
        this.#stopping = true;
        for (const { promise, reject } of this.#results.values()) {
          promise.catch(() => {});
          reject(error);
        }
        throw error;
      },
    );
    return this.#work;
  }

  /** Starts no further case. */
  stop(): void {
    this.#stopping = true;
  }

  /** Resolves when the running cases are done, and everything is removed. */
  async close(): Promise<void> {
    this.stop();
    await this.#work?.catch(() => {});
  }

  async #worker(): Promise<void> {
    let fixture: ConformanceFixture | undefined;
    let last: ConformanceCase | undefined;
    try {
      for (let one = this.#next(last); one; one = this.#next(last)) {
        last = one;
        this.#options.onBegin?.(one);
        fixture ??= await ConformanceFixture.create(this.#options.choice, this.#options.patience);
        const result = await runCase(fixture, one, this.#options.capabilities, this.#options.patience);
        if (result.failures.some(({ variant }) => variant === 'all')) {
          // Its remaining state is unknown.
          await fixture.kill();
        }
        this.#record(result);
      }
      if (fixture && last) {
        await this.#options.onIdle?.(fixture, last);
      }
    } finally {
      await fixture?.close();
    }
  }

  #next(last: ConformanceCase | undefined): ConformanceCase | undefined {
    return this.#stopping ? undefined : this.#queue.take(last);
  }

  #record(result: CaseResult): void {
    this.#results.get(result.case.id)?.resolve(result);
    this.#options.onResult?.(result);
  }
}

/** Groups cases with equal options of the proxier, so that the backend is seldom restarted. */
class CaseQueue {
  readonly #groups = new Map<string, ConformanceCase[]>();
  #preferred: ConformanceCase[] = [];

  get size(): number {
    return [...this.#groups.values()].reduce((sum, group) => sum + group.length, 0);
  }

  add(one: ConformanceCase): void {
    const key = keyOf(one);
    this.#groups.set(key, [...(this.#groups.get(key) ?? []), one]);
  }

  /** Moves a case to the front, if it has not started yet. */
  prefer(one: ConformanceCase): void {
    const group = this.#groups.get(keyOf(one));
    if (group?.includes(one)) {
      group.splice(group.indexOf(one), 1);
      this.#preferred.push(one);
    }
  }

  /** The next case, preferably with the options of the last one. */
  take(last?: ConformanceCase): ConformanceCase | undefined {
    const [largest] = [...this.#groups].sort(([, a], [, b]) => b.length - a.length);
    const same = last && this.#groups.get(keyOf(last));
    return this.#preferred.shift() ?? same?.shift() ?? largest?.[1].shift();
  }
}

/** Sorts cases by options, the most frequent ones first: the fastest order. */
export function inOrderOfOptions(cases: readonly ConformanceCase[]): readonly ConformanceCase[] {
  const groups = new Map<string, ConformanceCase[]>();
  for (const one of cases) {
    groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length).flat();
}

function keyOf({ options }: ConformanceCase): string {
  return JSON.stringify(options);
}

interface PromiseWithResolversOf<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function promiseWithResolvers<T>(): PromiseWithResolversOf<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
