import { availableParallelism } from 'node:os';
import type { BackendCapabilities, ProxyMode } from '@kube-proxier/core';
import { BackendProcess } from '../backend/backend-process.js';
import type { BackendChoice, BackendDescription } from '../backend/messages.js';
import type { ConformanceCase } from '../cases/conformance-case.js';
import { readCases } from '../cases/read-cases.js';
import { selectCases } from '../cases/select-cases.js';
import { ConformanceWorld } from '../world/conformance-world.js';
import type { CaseResult } from './case-result.js';
import { lackingFor, runCase, skippedResult } from './run-case.js';

export interface ConformanceOptions {
  /** Package name, or absolute path of the module, of the backend. */
  readonly backend: string;
  /** Mode, where the module has several backends. */
  readonly mode?: ProxyMode;
  /** What the module's `create…Backend` is given. Default: nothing, and its ready-made backend is used. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Patterns of case ids, as {@link selectCases} reads them. Default: all. */
  readonly cases?: readonly string[];
  /** Sandboxes at the same time. Default: one for each processor, four at most. */
  readonly jobs?: number;
  /** Called when a case is done. */
  readonly onResult?: (result: CaseResult, done: number, total: number) => void;
  /** Called when a case begins. */
  readonly onBegin?: (one: ConformanceCase) => void;
  /** Runs one case after the other, stops after the first that fails (or the last), and calls this before cleaning up. */
  readonly onKept?: (kept: KeptWorld) => Promise<void>;
  /** Ends the run; what was made is removed. */
  readonly signal?: AbortSignal;
}

/** A world that is kept up to be looked into. */
export interface KeptWorld {
  /** The case that ran last. */
  readonly id: string;
  /** Network namespaces by host. */
  readonly namespaces: Readonly<Record<string, string>>;
}

/** What a run came to. */
export interface ConformanceReport {
  readonly choice: BackendChoice;
  readonly backend: BackendDescription;
  /** In the order of the cases. */
  readonly results: readonly CaseResult[];
  readonly milliseconds: number;
  /** It was ended before all cases were run. */
  readonly interrupted: boolean;
}

/** How many cases came to what. */
export function tally(results: readonly CaseResult[]): Readonly<Record<CaseResult['outcome'], number>> {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) {
    count[outcome] += 1;
  }
  return count;
}

/**
 * Runs cases against a backend: each in a sandbox of network namespaces, the backend in the node's one, in a process
 * of its own.
 *
 * Needs root, or a user namespace with network and mount namespaces of its own.
 *
 * @throws ConformanceError when the backend or a case cannot be found; SandboxError when namespaces cannot be made.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { onKept, signal } = options;
  const started = performance.now();
  const choice = choiceOf(options);
  const cases = selectCases(readCases(), options.cases ?? []);
  const backend = await BackendProcess.describe(choice);
  const results = new Map<string, CaseResult>();
  const record = (result: CaseResult): void => {
    results.set(result.case.id, result);
    options.onResult?.(result, results.size, cases.length);
  };
  const queue = new CaseQueue();
  for (const one of cases) {
    const lacks = lackingFor(one, backend.capabilities);
    if (lacks.length > 0) {
      record(skippedResult(one, lacks));
    } else {
      queue.add(one);
    }
  }
  const jobs = onKept ? 1 : Math.min(options.jobs ?? Math.min(availableParallelism(), 4), queue.size);
  let failed = false;
  const work = async (): Promise<void> => {
    const world = new WorldKeeper(choice);
    let last = '';
    try {
      for (let one = queue.take(); one && !signal?.aborted && !(onKept && failed); one = queue.take(one)) {
        options.onBegin?.(one);
        last = one.id;
        const result = await world.run(one, backend.capabilities);
        failed ||= result.outcome === 'failed';
        record(result);
      }
      if (onKept && !signal?.aborted && world.current) {
        const { hosts } = world.current.sandbox;
        await onKept({
          id: last,
          namespaces: Object.fromEntries(hosts.map((host) => [host.name, host.namespace])),
        });
      }
    } finally {
      await world.close();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return {
    choice,
    backend,
    results: cases.flatMap(({ id }) => results.get(id) ?? []),
    milliseconds: performance.now() - started,
    interrupted: signal?.aborted ?? false,
  };
}

/** The backend that a run is about. */
export function choiceOf({ backend, mode, options = {} }: ConformanceOptions): BackendChoice {
  return { backend, options, ...(mode === undefined ? {} : { mode }) };
}

/** One world at a time, made when it is first needed and made anew after a case that failed. */
export class WorldKeeper {
  #world: ConformanceWorld | undefined;

  constructor(private readonly choice: BackendChoice) {}

  get current(): ConformanceWorld | undefined {
    return this.#world;
  }

  async run(one: ConformanceCase, capabilities: BackendCapabilities): Promise<CaseResult> {
    this.#world ??= await ConformanceWorld.create(this.choice);
    const result = await runCase(this.#world, one, capabilities);
    if (result.failures.some(({ variant }) => variant === 'all')) {
      // Nothing is known of what is left of it.
      await this.#world.kill();
    }
    return result;
  }

  async close(): Promise<void> {
    await this.#world?.close();
    this.#world = undefined;
  }
}

/** Cases that want the same options of the proxier follow each other, so that the backend is seldom started anew. */
class CaseQueue {
  readonly #groups = new Map<string, ConformanceCase[]>();

  get size(): number {
    return [...this.#groups.values()].reduce((sum, group) => sum + group.length, 0);
  }

  add(one: ConformanceCase): void {
    const key = JSON.stringify(one.options);
    this.#groups.set(key, [...(this.#groups.get(key) ?? []), one]);
  }

  /** The next case, like the last one if there is such. */
  take(last?: ConformanceCase): ConformanceCase | undefined {
    const [largest] = [...this.#groups.keys()].sort((a, b) => this.#length(b) - this.#length(a));
    const same = last && JSON.stringify(last.options);
    const key = same !== undefined && this.#length(same) > 0 ? same : (largest ?? '');
    return this.#groups.get(key)?.shift();
  }

  #length(key: string): number {
    return this.#groups.get(key)?.length ?? 0;
  }
}
