import { ConformanceError } from '../conformance-error.js';
import { nearest } from '../nearest.js';
import type { ConformanceCase } from './conformance-case.js';

/** Selects the subset that is meant for every push. */
export const QUICK = 'quick';

/**
 * Selects cases whose id matches one of the patterns: `*` matches any text, `?` one character; `quick` is the subset that
 * is meant for every push. A pattern that matches no id is matched with the spec ids of cases. No pattern selects all.
 *
 * @throws ConformanceError `CONFORMANCE_UNKNOWN_CASE` for a pattern that matches none, with a suggestion.
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
        `no case matches ${pattern}; ${near === undefined ? '' : `did you mean ${near}? `}--list prints all`,
      );
    }
    for (const one of found) {
      selected.add(one);
    }
  }
  return cases.filter((one) => selected.has(one));
}
