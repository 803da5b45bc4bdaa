import type { Diagnosis } from '@kube-proxier/core';
import { printable } from '../logging/printable.js';

const STATUSES = ['problem', 'warning', 'unknown', 'ok'] as const;

/** A column narrower than this is not wrapped: it would be harder to read than what a terminal makes of it. */
const NARROWEST = 20;

/**
 * For people: a line for each check, what to do below it, and a summary.
 *
 * @param columns of the terminal, in which texts are wrapped. Default: none are, each stays in one line.
 */
export function formatDiagnoses(diagnoses: readonly Diagnosis[], columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...diagnoses.map(({ check }) => check.length), 0);
  const indent = width + 11;
  const room = columns - indent;
  const text = (words: string, hang: string) =>
    wrap(printable(words), room - hang.length).join(`\n${' '.repeat(indent)}${hang}`);
  const lines = diagnoses.flatMap(({ check, status, found, advice }) => [
    `${status.padEnd(7)}  ${printable(check).padEnd(width)}  ${text(found, '')}`,
    ...(advice === undefined ? [] : [`${' '.repeat(indent)}-> ${text(advice, '   ')}`]),
  ]);
  const counts = STATUSES.flatMap((status) => {
    const count = diagnoses.filter((diagnosis) => diagnosis.status === status).length;
    if (status === 'unknown' && count === 0) {
      return [];
    }
    return status === 'ok' || status === 'unknown'
      ? `${count} ${status}`
      : `${count} ${status}${count === 1 ? '' : 's'}`;
  });
  return [...lines, '', counts.join(', '), ''].join('\n');
}

/** Lines of whole words, each as long as there is room for. A word that is longer stays whole. */
function wrap(text: string, room: number): readonly string[] {
  if (room < NARROWEST) {
    return [text];
  }
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

/** For machines. `complete` when everything could be looked at, `healthy` when that is so and there is no problem. */
export function diagnosesAsJson(diagnoses: readonly Diagnosis[]): string {
  const complete = diagnoses.every(({ status }) => status !== 'unknown');
  const healthy = complete && diagnoses.every(({ status }) => status !== 'problem');
  return `${JSON.stringify({ healthy, complete, checks: diagnoses }, undefined, 2)}\n`;
}

/** 1 when there is a problem; 2 when there is none, and not everything could be looked at; else 0. */
export function exitStatusOf(diagnoses: readonly Diagnosis[]): number {
  const has = (wanted: Diagnosis['status']) => diagnoses.some(({ status }) => status === wanted);
  return has('problem') ? 1 : has('unknown') ? 2 : 0;
}
