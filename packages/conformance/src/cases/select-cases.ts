import { ConformanceError } from '../conformance-error.js';
import { nearest } from '../nearest.js';
import type { ConformanceCase } from './conformance-case.js';

/** Chooses the subset that runs on every push. */
export const QUICK = 'quick';

/**
 * Cases whose id fits one of the patterns: `*` stands for anything, `?` for one character; `quick` for the subset that
 * runs on every push. A pattern that fits no id may fit the spec ids that cases show. No pattern means all.
 *
 * @throws ConformanceError `CONFORMANCE_UNKNOWN_CASE` for a pattern that fits none, with what was perhaps meant.
 */
export function selectCases(
  cases: readonly ConformanceCase[],
  patterns: readonly string[],
): readonly ConformanceCase[] {
  if (patterns.length === 0) {
    return cases;
  }
  const selected = new Set<ConformanceCase>();
  for (const pattern of patterns) {
    const expression = new RegExp(
      `^${pattern
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
      'i',
    );
    const byId = cases.filter(({ id, quick }) => (pattern === QUICK ? quick : expression.test(id)));
    const found = byId.length > 0 ? byId : cases.filter(({ spec }) => spec.some((id) => expression.test(id)));
    if (found.length === 0) {
      const near = nearest(pattern.replace(/[*?]/g, ''), [...new Set(cases.map(({ id }) => id))]);
      throw new ConformanceError(
        'CONFORMANCE_UNKNOWN_CASE',
        `no case is called ${pattern}; ${near === undefined ? '' : `did you mean ${near}? `}--list names all`,
      );
    }
    for (const one of found) {
      selected.add(one);
    }
  }
  return cases.filter((one) => selected.has(one));
}
