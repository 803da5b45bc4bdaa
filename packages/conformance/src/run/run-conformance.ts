import { availableParallelism } from 'node:os';
import type { ProxyMode } from '@kube-proxier/core';
import { BackendProcess } from '../backend/backend-process.js';
import type { BackendChoice, BackendDescription } from '../backend/messages.js';
import type { ConformanceCase } from '../cases/conformance-case.js';
import { readCases } from '../cases/read-cases.js';
import { selectCases } from '../cases/select-cases.js';
import type { CaseResult } from './case-result.js';
import { CaseRunner } from './case-runner.js';

/** Options of {@link runConformance}. */
export interface ConformanceOptions {
  /** Package name, or absolute path of the module, of the backend. */
  readonly backend: string;
  /** Mode, if the module has several backends. */
  readonly mode?: ProxyMode;
  /** Options for the module's `create…Backend`. Default: nothing, and its ready-made backend is used. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Patterns of case ids, as {@link selectCases} reads them. Default: all. */
  readonly cases?: readonly string[];
  /** Number of concurrent sandboxes. Default: one more than processors, four at most. */
  readonly jobs?: number;
  /** Factor on all timeouts; more than 1 for a slow machine. Default 1. */
  readonly patience?: number;
  /** Called when a case is done. */
  readonly onResult?: (result: CaseResult, done: number, total: number) => void;
  /** Called when a case starts. */
  readonly onBegin?: (one: ConformanceCase) => void;
  /** Runs one case after the other, stops after the first that fails (or the last), and calls this before cleaning up. */
  readonly onKept?: (kept: KeptFixture) => Promise<void>;
  /** Aborts the run; all sandboxes are removed. */
  readonly signal?: AbortSignal;
}

/** A sandbox that is kept for inspection. */
export interface KeptFixture {
  /** The case that ran last. */
  readonly id: string;
  /** Network namespaces by host. */
  readonly namespaces: Readonly<Record<string, string>>;
}

/** Result of a run. */
export interface ConformanceReport {
  readonly choice: BackendChoice;
  readonly backend: BackendDescription;
  /** In the order of the cases. */
  readonly results: readonly CaseResult[];
  readonly milliseconds: number;
  /** It was aborted before all cases ran. */
  readonly interrupted: boolean;
}

/** Number of cases by outcome. */
export function tally(results: readonly CaseResult[]): Readonly<Record<CaseResult['outcome'], number>> {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) {
    count[outcome] += 1;
  }
  return count;
}

/**
 * Runs cases against a backend: each in a sandbox of network namespaces, with the backend as a separate process in the node's.
 *
 * Needs root, or a user namespace with its own network and mount namespaces.
 *
 * @throws ConformanceError when the backend or a case cannot be found, or the backend cannot run on this host;
 * SandboxError when namespaces cannot be created.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { onKept, signal } = options;
  const started = performance.now();
  const choice = choiceOf(options);
  const cases = selectCases(readCases(), options.cases ?? []);
  const backend = await BackendProcess.describe(choice, options.patience ?? 1);
  const results = new Map<string, CaseResult>();
  const runner: CaseRunner = new CaseRunner({
    choice,
    capabilities: backend.capabilities,
    cases,
    jobs: onKept ? 1 : (options.jobs ?? defaultJobs()),
    patience: options.patience ?? 1,
    onBegin: (one) => options.onBegin?.(one),
    onResult: (result) => {
      // Ctrl-C at a terminal also ends every process of the case, which is no failure of the backend.
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

/** The backend under test. */
export function choiceOf({ backend, mode, options = {} }: ConformanceOptions): BackendChoice {
  return { backend, options, ...(mode === undefined ? {} : { mode }) };
}

/** Default number of concurrent sandboxes: most of a run is spent waiting for answers that must not arrive. */
function defaultJobs(): number {
  return Math.min(availableParallelism() + 1, 4);
}
