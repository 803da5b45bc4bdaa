import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { ProxyMode } from '@kube-proxier/core';
import { BackendProcess } from '../backend/backend-process.js';
import { readCases } from '../cases/read-cases.js';
import { selectCases } from '../cases/select-cases.js';
import { formatFailure } from '../report/format-failure.js';
import { rulesNote } from '../report/rules-location.js';
import { CaseRunner, inOrderOfOptions } from '../run/case-runner.js';
import { choiceOf } from '../run/run-conformance.js';

export interface DescribeConformanceOptions {
  /** Package name, or absolute path of the built module, of the backend. */
  readonly backend: string;
  /** Mode, if the module has several backends. */
  readonly mode?: ProxyMode;
  /** Options for the module's `create…Backend`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Patterns of case ids; `quick` for a subset. Default: all. */
  readonly cases?: readonly string[];
  /** Number of concurrent cases. Default 3. */
  readonly jobs?: number;
  /** Factor on all timeouts; more than 1 for a slow machine. Default 1. */
  readonly patience?: number;
}

/** Milliseconds for one case: more than the longest wait for a repair. */
const TIMEOUT = 120_000;

/**
 * A jest suite with one test for each case. Cases run ahead of their tests; the awaited one has priority. Cases that need
 * missing capabilities of the backend pass immediately, and are listed at the end on standard error.
 *
 * @example
 * describeConformance({ backend: fileURLToPath(new URL('../dist/index.js', import.meta.url)), cases: ['quick'] });
 */
export function describeConformance(options: DescribeConformanceOptions): void {
  const choice = choiceOf(options);
  const name = [options.mode ?? options.backend, ...Object.values(options.options ?? {})].join(' ');
  const { patience = 1 } = options;
  const timeout = TIMEOUT * patience;
  const cases = inOrderOfOptions(selectCases(readCases(), options.cases ?? []));
  describe(`conformance of ${name}`, () => {
    const skipped: string[] = [];
    let hasFailed = false;
    let runner: CaseRunner;

    beforeAll(async () => {
      const { capabilities } = await BackendProcess.describe(choice, patience);
      runner = new CaseRunner({ choice, capabilities, cases, jobs: options.jobs ?? 3, patience });
    }, timeout);

    afterAll(async () => {
      await runner?.close();
      if (skipped.length > 0) {
        process.stderr.write(`${name}: skipped ${skipped.join(', ')}\n`);
      }
      if (hasFailed) {
        process.stderr.write(`${rulesNote()}\n`);
      }
    }, timeout);

    test.each(cases.map((one) => [one.id, one.title, one] as const))(
      '%s %s',
      async (_id, _title, one) => {
        const result = await runner.result(one);
        if (result.outcome === 'failed') {
          hasFailed = true;
          throw new Error(formatFailure(result, choice));
        }
        if (result.outcome === 'skipped') {
          skipped.push(`${one.id} (lacks ${result.lacks.map(({ capability }) => capability).join(', ')})`);
        }
      },
      timeout,
    );
  });
}
