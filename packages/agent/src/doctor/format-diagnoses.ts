import { countOf, type Diagnosis, printable } from '@kube-proxier/core';
import { MAX_MESSAGE_LENGTH } from '../logging/log-line.js';
import { plainStyle, type TextStyle, type Tone } from '../terminal/text-style.js';

const STATUSES = ['problem', 'warning', 'unknown', 'ok'] as const;

/** A column narrower than this is not wrapped: the wrapping of the terminal is easier to read. */
const MIN_COLUMN_WIDTH = 20;

const TONES: Readonly<Record<Diagnosis['status'], Tone>> = {
  problem: 'bad',
  warning: 'warning',
  unknown: 'warning',
  ok: 'good',
};

/** How diagnoses are printed. */
export interface DiagnosisFormat {
  /** Columns of the terminal, to which texts are wrapped. Default: texts are not wrapped. */
  readonly columns?: number;
  /** Default: without colours. */
  readonly style?: TextStyle;
  /** Leaves out checks that are ok; the summary counts them. Default false. */
  readonly onlyProblems?: boolean;
}

/** Text output: a line for each check, the advice below it, and a summary. */
export function formatDiagnoses(
  diagnoses: readonly Diagnosis[],
  { columns = Number.POSITIVE_INFINITY, style = plainStyle, onlyProblems = false }: DiagnosisFormat = {},
): string {
  const shown = onlyProblems ? diagnoses.filter(({ status }) => status !== 'ok') : diagnoses;
  const width = Math.max(...shown.map(({ check }) => check.length), 0);
  const indent = width + 11;
  const room = columns - indent;
  const text = (words: string, hang: string) =>
    wrap(printable(words, MAX_MESSAGE_LENGTH), room - hang.length).join(`\n${' '.repeat(indent)}${hang}`);
  const lines = shown.flatMap(({ check, status, found, advice }) => [
    `${style(TONES[status], status.padEnd(7))}  ${printable(check).padEnd(width)}  ${text(found, '')}`,
    ...(advice === undefined ? [] : [`${' '.repeat(indent)}-> ${text(advice, '   ')}`]),
  ]);
  const counts = STATUSES.flatMap((status) => {
    const count = diagnoses.filter((diagnosis) => diagnosis.status === status).length;
    if (status === 'unknown' && count === 0) {
      return [];
    }
    return status === 'ok' || status === 'unknown' ? `${count} ${status}` : countOf(count, status);
  });
  return [...lines, ...(lines.length === 0 ? [] : ['']), counts.join(', '), ''].join('\n');
}

/** Wraps at spaces. A word longer than a line is not split. */
function wrap(text: string, room: number): readonly string[] {
  if (room < MIN_COLUMN_WIDTH) {
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

/**
 * Content of the JSON and YAML output. `complete`: everything could be checked; `healthy`: complete and without
 * problems.
 */
export function diagnosesAsData(diagnoses: readonly Diagnosis[]): object {
  const complete = diagnoses.every(({ status }) => status !== 'unknown');
  const healthy = complete && diagnoses.every(({ status }) => status !== 'problem');
  return { healthy, complete, checks: diagnoses };
}

/** 1 when there is a problem; 2 when there is none, but not everything could be checked; else 0. */
export function exitStatusOf(diagnoses: readonly Diagnosis[]): number {
  const has = (wanted: Diagnosis['status']) => diagnoses.some(({ status }) => status === wanted);
  return has('problem') ? 1 : has('unknown') ? 2 : 0;
}
