import { readFileSync } from 'node:fs';

/** Twice the number needed to load all modules: with fewer, Node fails while loading, often with a misleading error. */
const MIN_OPEN_FILES = 256;

/**
 * Reports, with a remedy, that the open files limit is too low to load this program; undefined when it is sufficient or
 * unknown. Call it before importing other modules.
 */
export function openFilesShortage(): string | undefined {
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits())?.[1] ?? Number.POSITIVE_INFINITY);
  return limit < MIN_OPEN_FILES
    ? `the open files limit is ${limit}, but must be at least ${MIN_OPEN_FILES}; raise it (ulimit -n, LimitNOFILE)`
    : undefined;
}

function limits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
