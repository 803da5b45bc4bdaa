#!/usr/bin/env node
import { runCommand } from './agent.js';
import { compose } from './compose.js';
import { formatTextLine } from './logging/log-line.js';
import { createWinstonLogger } from './logging/winston-logger.js';

/** Milliseconds after which the process ends, whatever is still under way: a supervisor counts to one second. */
const GRACE = 800;

const abort = new AbortController();

function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(text);
}

/** For what goes wrong outside of the agent: nothing else can be relied on then. */
function lastWords(message: string, error: unknown): void {
  const stack = error instanceof Error ? error.stack : String(error);
  write(
    process.stderr,
    `${formatTextLine({ time: Date.now(), level: 'error', v: 0, message, fields: { error: stack } })}\n`,
  );
}

// A reader that went away must not take the data plane with it.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.on('uncaughtException', (error) => {
  lastWords('kube-proxier ends because of an error that nobody expected; what it programmed stays in place', error);
  process.exit(1);
});
process.on('unhandledRejection', (reason) => {
  lastWords('kube-proxier ends because of an error that nobody expected; what it programmed stays in place', reason);
  process.exit(1);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (abort.signal.aborted) {
      process.exit(0);
    }
    setTimeout(() => process.exit(0), GRACE).unref();
    abort.abort();
  });
}

// Timers and watches of the agent do not keep the process alive; this does, until the command has returned.
const alive = setInterval(() => {}, 2 ** 30);

const status = await runCommand(process.argv.slice(2), {
  composition: compose(),
  print: (text) => write(process.stdout, text),
  printError: (text) => write(process.stderr, text),
  createLogger: (logging) => createWinstonLogger({ ...logging, stream: process.stderr }),
  signal: abort.signal,
});
clearInterval(alive);
process.exitCode = status;
// Nothing may keep it: a child process that hangs, a socket of a backend.
setTimeout(() => process.exit(status), 100).unref();
