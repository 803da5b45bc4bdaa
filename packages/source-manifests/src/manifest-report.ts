import { printable } from '@kube-proxier/core';
import type { ManifestObject } from './manifest-object.js';
import { formatManifestProblem } from './manifest-problem.js';
import { type FileState, type FileStates, isMalformed } from './manifest-reader.js';
import type { Duplicate } from './manifest-set.js';

/** A line for the log. */
export interface ReportLine {
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
}

/** Log lines about files whose content or problems changed. Pure. */
export function reportFiles(previous: FileStates, next: FileStates): readonly ReportLine[] {
  const lines: ReportLine[] = [];
  for (const file of next.values()) {
    const known = previous.get(file.name);
    if (known && known.digest === file.digest && problemsOf(known) === problemsOf(file)) {
      continue;
    }
    for (const problem of file.problems) {
      const level = problem.severity === 'error' ? 'error' : 'warn';
      lines.push({ level, message: formatManifestProblem(problem) });
    }
    const name = printable(file.name);
    const count = file.objects.length;
    if (isMalformed(file)) {
      const inForce =
        count === 0
          ? 'none of its objects is in force'
          : known
            ? `its last good objects (${count}) stay in force`
            : `its objects (${count}) are in force without what is invalid`;
      lines.push({ level: 'error', message: `manifest ${name} is malformed: until it is fixed, ${inForce}` });
    } else if (known && isMalformed(known)) {
      lines.push({ level: 'info', message: `manifest ${name} is good again: its objects (${count}) are in force` });
    }
  }
  for (const [name, known] of previous) {
    if (isMalformed(known) && !next.has(name)) {
      lines.push({ level: 'info', message: `manifest ${printable(name)}, which was malformed, is gone` });
    }
  }
  return lines;
}

/** Log lines about new duplicates. Pure. */
export function reportDuplicates(previous: readonly Duplicate[], next: readonly Duplicate[]): readonly ReportLine[] {
  const known = new Set(previous.map(identityOf));
  const lines: ReportLine[] = [];
  for (const duplicate of next) {
    if (!known.has(identityOf(duplicate))) {
      const { key, winner, winnerLine, loser, loserLine } = duplicate;
      const text = `${printable(loser)}:${loserLine}: ${key} is already defined in ${printable(winner)}, which has precedence`;
      lines.push({ level: 'warn', message: `${text} (line ${winnerLine}); this one is ignored` });
    }
  }
  return lines;
}

/**
 * Warns of a Node name mismatch: no endpoint is then local, a common and inconspicuous mistake. Pure.
 *
 * @returns undefined without a mismatch, and without Nodes.
 */
export function nodeNameWarning(objects: Iterable<ManifestObject>, nodeName: string): string | undefined {
  const names = [...objects].flatMap((object) => (object.kind === 'Node' ? [String(object.value.metadata?.name)] : []));
  if (names.length === 0 || names.includes(nodeName)) {
    return undefined;
  }
  const listed = printable(names.sort().join(', '), 120);
  return `there are Nodes (${listed}), and none is called ${printable(nodeName)} as this one is; no endpoint counts as local unless it says that name; if this is one of them, give its name as nodeName (the hostname override)`;
}

/** Line numbers change with every edit; the precedence does not. */
function identityOf({ key, winner, loser }: Duplicate): string {
  return JSON.stringify([key, winner, loser]);
}

function problemsOf(file: FileState): string {
  return JSON.stringify(file.problems);
}
