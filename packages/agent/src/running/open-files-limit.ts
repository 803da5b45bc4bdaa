import { readFileSync } from 'node:fs';

/** Twice what loading all modules takes: with fewer, Node ends in the middle of it, often for a reason that misleads. */
const LEAST = 256;

/**
 * Why this process cannot even be loaded with the open files that it may have, and what to do about it; undefined when it
 * can, and where that cannot be told. To be asked before the modules are imported that it is about.
 */
export function openFilesShortage(): string | undefined {
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits())?.[1] ?? Number.POSITIVE_INFINITY);
  return limit < LEAST
    ? `it may have ${limit} open files only, and needs at least ${LEAST}; raise the limit (ulimit -n, LimitNOFILE)`
    : undefined;
}

function limits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
