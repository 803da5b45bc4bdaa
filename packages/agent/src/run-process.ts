import type { Composition } from './compose.js';
import { formatTextLine } from './logging/log-line.js';

/** Milliseconds after which the process ends, whatever is still under way: a supervisor counts to one second. */
const GRACE = 800;

/**
 * Runs the command as this process: its arguments, streams, signals and exit status. The first SIGTERM or SIGINT ends
 * it within a second with status 0, a second one at once; what is programmed stays. What nobody expected is logged, and
 * ends it with status 1.
 *
 * Called once, and first of all: the parts are loaded only when signals are taken care of.
 *
 * @param load brings the parts that the agent is put together from.
 * @param onSettled called once, some time after the initial state is programmed.
 */
export async function runProcess(load: () => Promise<Composition>, onSettled?: () => void): Promise<void> {
  const abort = new AbortController();
  const unexpected = (error: unknown) => {
    const stack = error instanceof Error ? error.stack : String(error);
    const message =
      'kube-proxier ends because of an error that nobody expected; rules that it programmed stay in place';
    // The logger may be what failed.
    process.stderr.write(
      `${formatTextLine({ time: Date.now(), level: 'error', v: 0, message, fields: { error: stack } })}\n`,
    );
    process.exit(1);
  };
  // Node prints its own warnings in a format of its own, beside the log: these listeners replace the one that does.
  let onWarning = (warning: Error) => {
    const message = warningText(warning);
    process.stderr.write(`${formatTextLine({ time: Date.now(), level: 'warn', v: 0, message, fields: undefined })}\n`);
  };
  process.removeAllListeners('warning');
  process.on('warning', (warning) => onWarning(warning));
  process.on('uncaughtException', unexpected);
  process.on('unhandledRejection', unexpected);
  // A reader that went away must not take the data plane with it.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
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

  const [{ runCommand }, { createWinstonLogger }, composition] = await Promise.all([
    import('./agent.js'),
    import('./logging/winston-logger.js'),
    load(),
  ]);
  const status = await runCommand(process.argv.slice(2), {
    composition,
    print: (text) => void process.stdout.write(text),
    ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
    printError: (text) => void process.stderr.write(text),
    createLogger: (logging) => {
      const logger = createWinstonLogger({ ...logging, stream: process.stderr });
      onWarning = (warning) => logger.warn(warningText(warning));
      return logger;
    },
    signal: abort.signal,
    ...(onSettled ? { onSettled } : {}),
  });
  clearInterval(alive);
  process.exitCode = status;
  // Nothing may keep it: a child process that hangs, a socket of a backend.
  setTimeout(() => process.exit(status), 100).unref();
}

function warningText({ name, message }: Error): string {
  return `Node.js warns (${name}): ${message}`;
}
