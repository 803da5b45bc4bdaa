import { runCommand } from './run-command.js';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => ending.abort());
}
process.exitCode = await runCommand(process.argv.slice(2), {
  output: process.stdout,
  progress: process.stderr,
  signal: ending.signal,
});
