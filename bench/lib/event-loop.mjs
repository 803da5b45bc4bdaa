import { readFileSync } from 'node:fs';

/** Milliseconds between two looks. */
const PERIOD = 2;
const STATISTICS = '/proc/thread-self/schedstat';

/**
 * For how long the event loop of this process was held at most, in milliseconds.
 *
 * @typedef {object} Hold
 * @property {number} longest by the clock: on a busy machine, also while other processes ran
 * @property {number} busiest the most CPU time that its thread took at once: what the code takes, on any machine
 */

export class EventLoopHold {
  #longest = 0;
  #busiest = 0;
  #at = performance.now();
  #cpu = threadCpu();

  constructor() {
    setInterval(() => this.#look(), PERIOD).unref();
  }

  /**
   * What was measured since the last call.
   *
   * @returns {Hold}
   */
  take() {
    this.#look();
    const hold = { longest: this.#longest, busiest: this.#busiest };
    this.#longest = 0;
    this.#busiest = 0;
    return hold;
  }

  #look() {
    const now = performance.now();
    const cpu = threadCpu();
    this.#longest = Math.max(this.#longest, now - this.#at - PERIOD);
    this.#busiest = Math.max(this.#busiest, cpu - this.#cpu);
    this.#at = now;
    this.#cpu = cpu;
  }
}

/** Milliseconds of CPU time of this thread. The file takes longer: with it, reading takes a twentieth of a large start. */
function threadCpu() {
  const { threadCpuUsage } = /** @type {{threadCpuUsage?: () => {user: number, system: number}}} */ (process);
  const used = threadCpuUsage?.call(process);
  if (used !== undefined) {
    return (used.user + used.system) / 1000;
  }
  return Number(readFileSync(STATISTICS, 'utf8').split(' ')[0]) / 1e6;
}
