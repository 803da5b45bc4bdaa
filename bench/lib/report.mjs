import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine, machine } from './machine.mjs';

/**
 * @typedef {'ms' | 's' | 'MB' | 'KB' | '%' | 'Gbit/s' | '/s' | ''} Unit unit of a figure; the empty one is for ratios
 * @typedef {Readonly<Record<string, string | number>>} Columns cells by the title of their column
 *
 * @typedef {object} Figure
 * @property {string} what
 * @property {number} value
 * @property {Unit} unit
 * @property {number} [atMost] the aim, in the same unit
 * @property {number} [atLeast] the aim, in the same unit
 * @property {Columns} [columns] further columns
 */

/** Digits after the point, for values below 10 and others. */
const DIGITS = {
  ms: [2, 0],
  s: [2, 1],
  MB: [1, 0],
  KB: [1, 1],
  '%': [2, 2],
  'Gbit/s': [1, 1],
  '/s': [0, 0],
  '': [3, 2],
};

/**
 * @param {number} value
 * @param {Unit} unit
 */
export function formatQuantity(value, unit) {
  if (unit === 'ms' && value >= 1000) {
    return formatQuantity(value / 1000, 's');
  }
  const [small = 0, large = 0] = DIGITS[unit];
  const number = value.toFixed(Math.abs(value) < 10 ? small : large);
  return unit === '' || unit === '/s' ? `${number}${unit}` : `${number} ${unit}`;
}

/**
 * @param {Figure} figure
 * @returns {boolean | undefined} undefined for a figure without an aim, which is reported to follow it over time
 */
export function meetsAim({ value, atMost, atLeast }) {
  if (atMost === undefined && atLeast === undefined) {
    return undefined;
  }
  // Not a number meets nothing.
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}

/** The figures of one benchmark: printed as one table, compared with their aims, written as JSON. */
export class Report {
  #name;
  #subject;
  /** @type {Figure[]} */
  #figures = [];

  /**
   * @param {string} name of the benchmark, and of its result file
   * @param {string} subject what was measured, and with how much
   */
  constructor(name, subject) {
    this.#name = name;
    this.#subject = subject;
  }

  /**
   * @param {string} what
   * @param {number} value
   * @param {Unit} unit
   * @param {{atMost?: number | undefined, atLeast?: number | undefined, columns?: Columns}} [more]
   */
  add(what, value, unit, { atMost, atLeast, columns } = {}) {
    this.#figures.push({
      what,
      value,
      unit,
      ...(atMost === undefined ? {} : { atMost }),
      ...(atLeast === undefined ? {} : { atLeast }),
      ...(columns === undefined ? {} : { columns }),
    });
  }

  /** The rows as they are printed. */
  rows() {
    return this.#figures.map((figure) => {
      const { what, value, unit, atMost, atLeast, columns = {} } = figure;
      const met = meetsAim(figure);
      const aims = [
        ...(atMost === undefined ? [] : [`<= ${formatQuantity(atMost, unit)}`]),
        ...(atLeast === undefined ? [] : [`>= ${formatQuantity(atLeast, unit)}`]),
      ];
      return {
        what,
        measured: formatQuantity(value, unit),
        aim: aims.join(', '),
        ok: met === undefined ? '' : met ? 'yes' : 'NO',
        ...columns,
      };
    });
  }

  /**
   * Prints the figures, writes them to `<name>.json` in the directory that BENCH_RESULTS names, and sets the exit code.
   *
   * @returns {number} 1 when an aim is missed, else 0
   */
  finish() {
    process.stdout.write(`${this.#name}: ${this.#subject}; ${describeMachine()}\n`);
    console.table(this.rows());
    const directory = process.env.BENCH_RESULTS;
    if (directory) {
      mkdirSync(directory, { recursive: true });
      const result = { bench: this.#name, subject: this.#subject, machine: machine(), figures: this.#figures };
      writeFileSync(join(directory, `${this.#name}.json`), `${JSON.stringify(result, null, 2)}\n`);
    }
    const status = this.#figures.some((figure) => meetsAim(figure) === false) ? 1 : 0;
    process.exitCode = status;
    return status;
  }
}
