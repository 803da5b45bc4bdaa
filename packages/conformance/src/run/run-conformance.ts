import { availableParallelism } from 'node:os';
import type { ProxyMode } from '@kube-proxier/core';
import { BackendProcess } from '../backend/backend-process.js';
import type { BackendChoice, BackendDescription } from '../backend/messages.js';
import type { ConformanceCase } from '../cases/conformance-case.js';
import { readCases } from '../cases/read-cases.js';
import { selectCases } from '../cases/select-cases.js';
import type { CaseResult } from './case-result.js';
import { CaseRunner } from './case-runner.js';

/** What {@link runConformance} is to run, and how. */
export interface ConformanceOptions {
  /** Package name, or absolute path of the module, of the backend. */
  readonly backend: string;
  /** Mode, where the module has several backends. */
  readonly mode?: ProxyMode;
  /** What the module's `create…Backend` is given. Default: nothing, and its ready-made backend is used. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Patterns of case ids, as {@link selectCases} reads them. Default: all. */
  readonly cases?: readonly string[];
  /** Sandboxes at the same time. Default: one more than processors, four at most. */
  readonly jobs?: number;
  /** Factor on times in which something has to happen; more than 1 for a slow machine. Default 1. */
  readonly patience?: number;
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
 * @throws ConformanceError when the backend or a case cannot be found, or the backend cannot run here; SandboxError when
 * namespaces cannot be made.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { onKept, signal } = options;
  const started = performance.now();
  const choice = choiceOf(options);
  const cases = selectCases(readCases(), options.cases ?? []);
  const backend = await BackendProcess.describe(choice);
  const results = new Map<string, CaseResult>();
  const runner: CaseRunner = new CaseRunner({
    choice,
    capabilities: backend.capabilities,
    cases,
    jobs: onKept ? 1 : (options.jobs ?? defaultJobs()),
    patience: options.patience ?? 1,
    onBegin: (one) => options.onBegin?.(one),
    onResult: (result) => {
      // Ctrl-C at a terminal ends every process of the case too, which says nothing of the backend.
      if (signal?.aborted && result.outcome === 'failed') {
        return;
      }
      results.set(result.case.id, result);
      options.onResult?.(result, results.size, cases.length);
      if (onKept && result.outcome === 'failed') {
        runner.stop();
      }
    },
    onIdle: async ({ sandbox }, { id }) => {
      if (!signal?.aborted) {
        await onKept?.({
          id,
          namespaces: Object.fromEntries(sandbox.hosts.map((host) => [host.name, host.namespace])),
        });
      }
    },
  });
  const abort = (): void => runner.stop();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.aborted ? abort() : await runner.run();
  } finally {
    signal?.removeEventListener('abort', abort);
  }
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

/** Sandboxes at the same time, unless said otherwise: most of a run is waiting for what must not come. */
function defaultJobs(): number {
  return Math.min(availableParallelism() + 1, 4);
}
