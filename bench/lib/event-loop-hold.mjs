// Preloaded into a process (`--import`): measures for how long its event loop is held. On SIGUSR2, it appends one line to
// the file that BENCH_EVENT_LOOP names, and begins anew: the longest hold, and the 99th percentile, in milliseconds.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between two looks. */
const RESOLUTION = 2;
const file = process.env.BENCH_EVENT_LOOP;

if (file) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  // The histogram counts from one look to the next: what is beyond its resolution is delay.
  const beyond = (/** @type {number} */ nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION);
  process.on('SIGUSR2', () => {
    appendFileSync(file, `${JSON.stringify({ longest: beyond(delay.max), p99: beyond(delay.percentile(99)) })}\n`);
    delay.reset();
  });
}
