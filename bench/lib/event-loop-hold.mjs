// Preloaded into a process (`--import`): measures for how long its event loop is held. On SIGUSR2, it appends one line to the file
// that BENCH_MEASURED names, and begins anew.
import { appendFileSync } from 'node:fs';
import { EventLoopHold } from './event-loop.mjs';

const file = process.env.BENCH_MEASURED;

if (file) {
  const hold = new EventLoopHold();
  process.on('SIGUSR2', () => appendFileSync(file, `${JSON.stringify(hold.take())}\n`));
}
