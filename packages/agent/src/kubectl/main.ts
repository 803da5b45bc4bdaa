#!/usr/bin/env node
import { runPlugin } from './kubectl-proxier.js';

const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => abort.abort());
}
process.stdout.on('error', () => {});
// Timers of pauses and timeouts are unreferenced.
const alive = setInterval(() => {}, 2 ** 30);
process.exitCode = await runPlugin(process.argv.slice(2), {
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
  variables: process.env,
  signal: abort.signal,
});
clearInterval(alive);
