import { describeMachine } from './machine.mjs';
import { startResult, writeResult } from './results.mjs';

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
 * @property {Point} [point] where it is drawn
 *
 * @typedef {object} Point of a plot over the number of Services
 * @property {string} plot name of the plot
 * @property {string} series what is compared there: a mode, or another program
 * @property {number} services
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

/**
 * Rows of a table.
 *
 * @param {readonly Figure[]} figures
 */
export function rowsOf(figures) {
  return figures.map((figure) => {
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

/** The figures of one benchmark: printed as one table, compared with their aims, written as JSON. */
export class Report {
  #name;
  #subject;
  /** @type {Figure[]} */
  #figures = [];
  #start = startResult();

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
   * @param {{atMost?: number | undefined, atLeast?: number | undefined, columns?: Columns, point?: Point}} [more]
   */
  add(what, value, unit, { atMost, atLeast, columns, point } = {}) {
    this.#figures.push({
      what,
      value,
      unit,
      ...(atMost === undefined ? {} : { atMost }),
      ...(atLeast === undefined ? {} : { atLeast }),
      ...(columns === undefined ? {} : { columns }),
      ...(point === undefined ? {} : { point }),
    });
  }

  /** The rows as they are printed. */
  rows() {
    return rowsOf(this.#figures);
  }

  /**
   * Prints the figures, writes them to `bench/results`, or to the directory that BENCH_RESULTS names, and sets the exit code.
   *
   * @returns {number} 1 when an aim is missed, else 0
   */
  finish() {
    process.stdout.write(`${this.#name}: ${this.#subject}; ${describeMachine()}\n`);
    console.table(this.rows());
    writeResult(this.#name, { ...this.#start, subject: this.#subject, figures: this.#figures });
    const status = this.#figures.some((figure) => meetsAim(figure) === false) ? 1 : 0;
    process.exitCode = status;
    return status;
  }
}
