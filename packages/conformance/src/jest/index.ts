import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { ProxyMode } from '@kube-proxier/core';
import { BackendProcess } from '../backend/backend-process.js';
import type { BackendDescription } from '../backend/messages.js';
import { readCases } from '../cases/read-cases.js';
import { selectCases } from '../cases/select-cases.js';
import { formatFailure } from '../report/format-failure.js';
import { lackingFor } from '../run/run-case.js';
import { choiceOf, WorldKeeper } from '../run/run-conformance.js';

export interface DescribeConformanceOptions {
  /** Package name, or absolute path of the built module, of the backend. */
  readonly backend: string;
  /** Mode, where the module has several backends. */
  readonly mode?: ProxyMode;
  /** What the module's `create…Backend` is given. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Patterns of case ids; `quick` for a subset. Default: all. */
  readonly cases?: readonly string[];
}

/** Milliseconds for one case: the longest wait for a repair, and then some. */
const TIMEOUT = 120_000;

/**
 * A jest suite with one test for each case. Cases that the backend declares it cannot do pass at once, and say so by
 * their place in the list that {@link afterAll} writes.
 *
 * @example
 * describeConformance({ backend: fileURLToPath(new URL('../dist/index.js', import.meta.url)), cases: ['quick'] });
 */
export function describeConformance(options: DescribeConformanceOptions): void {
  const choice = choiceOf(options);
  const name = [options.mode ?? options.backend, ...Object.values(options.options ?? {})].join(' ');
  describe(`conformance of ${name}`, () => {
    const world = new WorldKeeper(choice);
    const skipped: string[] = [];
    let backend: BackendDescription;

    beforeAll(async () => {
      backend = await BackendProcess.describe(choice);
    }, TIMEOUT);

    afterAll(async () => {
      await world.close();
      if (skipped.length > 0) {
        process.stderr.write(`${name}: skipped ${skipped.join(', ')}\n`);
      }
    }, TIMEOUT);

    test.each(selectCases(readCases(), options.cases ?? []).map((one) => [one.id, one.title, one] as const))(
      '%s %s',
      async (_id, _title, one) => {
        const lacks = lackingFor(one, backend.capabilities);
        if (lacks.length > 0) {
          skipped.push(`${one.id} (lacks ${lacks.join(', ')})`);
          return;
        }
        const result = await world.run(one, backend.capabilities);
        if (result.outcome === 'failed') {
          throw new Error(formatFailure(result, choice));
        }
      },
      TIMEOUT,
    );
  });
}
