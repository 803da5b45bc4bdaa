import type { Composition } from './compose.js';
import { formatTextLine } from './logging/log-line.js';
import type { ProcessPhases } from './running/settling.js';

/** Milliseconds after which the process exits even if the command has not returned: supervisors may allow only one second. */
const GRACE = 800;

/**
 * Runs the command as this process: its arguments, streams, signals and exit status. The first SIGTERM or SIGINT ends it
 * within a second with status 0, a second one immediately; installed rules stay. Unexpected errors are logged, and end it
 * with status 1.
 *
 * Called once, before anything else: modules are loaded after signal handlers are installed.
 *
 * @param load loads the parts of the agent.
 * @param phases notified of the phases of a start.
 */
export async function runProcess(load: () => Promise<Composition>, phases?: ProcessPhases): Promise<void> {
  const abort = new AbortController();
  const unexpected = (error: unknown) => {
    const stack = error instanceof Error ? error.stack : String(error);
    const message = 'kube-proxier exits because of an unexpected error; installed rules stay in place';
    // The logger may be what failed.
    process.stderr.write(
      `${formatTextLine({ time: Date.now(), level: 'error', v: 0, message, fields: { error: stack } })}\n`,
    );
    process.exit(1);
  };
  // Node prints its warnings in its own format: these listeners log them instead.
  let onWarning = (warning: Error) => {
    const message = warningText(warning);
    process.stderr.write(`${formatTextLine({ time: Date.now(), level: 'warn', v: 0, message, fields: undefined })}\n`);
  };
  process.removeAllListeners('warning');
  process.on('warning', (warning) => onWarning(warning));
  process.on('uncaughtException', unexpected);
  process.on('unhandledRejection', unexpected);
  // A closed output stream must not end the data plane.
  let unwritten: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error) => {
    unwritten ??= error;
  });
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
  // Timers and watches of the agent are unreferenced; this keeps the process alive until the command has returned.
  const alive = setInterval(() => {}, 2 ** 30);

  const [{ runCommand }, { createStreamLogger }, { textStyleFor }, { ProgressLine }, composition] = await Promise.all([
    import('./agent.js'),
    import('./logging/stream-logger.js'),
    import('./terminal/text-style.js'),
    import('./terminal/progress-line.js'),
    load(),
  ]);
  const result = await runCommand(process.argv.slice(2), {
    composition,
    print: (text) => void process.stdout.write(text),
    write: (data) =>
      new Promise((resolve, reject) => {
        process.stdout.write(data, (error) => (error ? reject(error) : resolve()));
      }),
    ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
    style: textStyleFor(process.stdout.isTTY, process.env),
    progress: new ProgressLine(process.stderr.isTTY ? (text) => void process.stderr.write(text) : undefined),
    printError: (text) => void process.stderr.write(text),
    createLogger: (logging) => {
      const logger = createStreamLogger({ ...logging, stream: process.stderr });
      onWarning = (warning) => logger.warn(warningText(warning));
      return logger;
    },
    signal: abort.signal,
    ...(phases ? { phases } : {}),
  });
  clearInterval(alive);
  // An error of a file or a pipe is reported by an event, after the call.
  await new Promise((resolve) => setImmediate(resolve));
  // A reader of the first lines only, such as `head`, may close early.
  const isIncomplete = unwritten !== undefined && unwritten.code !== 'EPIPE';
  if (isIncomplete) {
    process.stderr.write(`kube-proxier: the output is incomplete: ${unwritten?.message}\n`);
  }
  const status = isIncomplete && result === 0 ? 1 : result;
  process.exitCode = status;
  // Exits even if a child process hangs or a socket of a backend is open.
  setTimeout(() => process.exit(status), 100).unref();
}

function warningText({ name, message }: Error): string {
  return `Node.js warning (${name}): ${message}`;
}
