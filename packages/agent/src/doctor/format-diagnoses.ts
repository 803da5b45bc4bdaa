import type { Diagnosis } from '@kube-proxier/core';
import { printable } from '../logging/printable.js';

const STATUSES = ['problem', 'warning', 'ok'] as const;

/** For people: a line for each check, what to do below it, and a summary. */
export function formatDiagnoses(diagnoses: readonly Diagnosis[]): string {
  const width = Math.max(...diagnoses.map(({ check }) => check.length), 0);
  const lines = diagnoses.flatMap(({ check, status, found, advice }) => [
    `${status.padEnd(7)}  ${printable(check).padEnd(width)}  ${printable(found)}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 11)}-> ${printable(advice)}`]),
  ]);
  const counts = STATUSES.map((status) => {
    const count = diagnoses.filter((diagnosis) => diagnosis.status === status).length;
    return status === 'ok' ? `${count} ok` : `${count} ${status}${count === 1 ? '' : 's'}`;
  });
  return [...lines, '', counts.join(', '), ''].join('\n');
}

/** For machines. */
export function diagnosesAsJson(diagnoses: readonly Diagnosis[]): string {
  return `${JSON.stringify({ healthy: !hasProblem(diagnoses), checks: diagnoses }, undefined, 2)}\n`;
}

export function hasProblem(diagnoses: readonly Diagnosis[]): boolean {
  return diagnoses.some(({ status }) => status === 'problem');
}
