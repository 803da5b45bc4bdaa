import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { isProxierError, messageOf } from '@kube-proxier/core';
import { stringify } from 'yaml';
import { readCases } from '../cases/read-cases.js';
import { selectCases } from '../cases/select-cases.js';
import { ConformanceError } from '../conformance-error.js';
import { formatReport } from '../report/format-report.js';
import { Progress } from '../report/progress.js';
import { type KeptFixture, runConformance, tally } from '../run/run-conformance.js';
import { type CommandLine, parseCommandLine } from './command-line.js';

/** Input and output of the command. */
export interface CommandIO {
  readonly output: Writable;
  readonly progress: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/**
 * Runs the command.
 *
 * @returns the exit status: 0 all passed, 1 a case failed, 2 it could not be run, or was interrupted.
 */
export async function runCommand(args: readonly string[], io: CommandIO): Promise<0 | 1 | 2> {
  const parsed = parseCommandLine(args);
  if ('text' in parsed) {
    (parsed.isHelp ? io.output : io.progress).write(parsed.text);
    return parsed.isHelp ? 0 : 2;
  }
  try {
    return await execute(parsed.line, io);
  } catch (error) {
    io.progress.write(`${isProxierError(error) ? messageOf(error) : String((error as Error)?.stack ?? error)}\n`);
    return 2;
  }
}

async function execute(line: CommandLine, io: CommandIO): Promise<0 | 1 | 2> {
  if (line.list) {
    const cases = selectCases(readCases(), line.cases);
    io.output.write(cases.map(({ id, title, quick }) => `${id}${quick ? '' : ' (not quick)'}  ${title}\n`).join(''));
    return 0;
  }
  if (line.show !== undefined) {
    io.output.write(
      stringify({ cases: selectCases(readCases(), [line.show]) }, { lineWidth: 110, aliasDuplicateObjects: false }),
    );
    return 0;
  }
  const backend = findModule(line.backend ?? '');
  if (line.output !== undefined) {
    // Opens the file before the cases run, to fail early.
    writeReport(line.output, '');
  }
  const progress = new Progress(io.progress, line.mode ?? line.backend ?? '');
  const report = await runConformance({
    backend,
    cases: line.cases,
    options: line.option,
    signal: io.signal,
    onResult: (result, done, total) => progress.result(result, done, total),
    ...(line.mode === undefined ? {} : { mode: line.mode }),
    ...(line.jobs === undefined ? {} : { jobs: line.jobs }),
    ...(line.patience === undefined ? {} : { patience: line.patience }),
    ...(line.keep ? { onKept: (kept: KeptFixture) => keep(kept, io) } : {}),
  });
  progress.end();
  const text = formatReport(report, line.report);
  if (line.output === undefined) {
    io.output.write(text);
  } else {
    writeReport(line.output, text);
    if (line.report !== 'text') {
      io.output.write(formatReport(report, 'text'));
    }
  }
  return tally(report.results).failed > 0 ? 1 : report.interrupted && !line.keep ? 2 : 0;
}

/** @throws ConformanceError `CONFORMANCE_BAD_OPTION` */
function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const message = `--output: cannot write the report: ${messageOf(error)}; set the path of a writable file`;
    throw new ConformanceError('CONFORMANCE_BAD_OPTION', message, { cause: error });
  }
}

/**
 * A path is unchanged; a package is resolved from the working directory, which may differ from where this package is installed.
 */
function findModule(backend: string): string {
  if (/^[./]/.test(backend) || existsSync(resolve(backend))) {
    return resolve(backend);
  }
  try {
    const here = createRequire(pathToFileURL(resolve('package.json')));
    return here.resolve(backend);
  } catch {
    return backend;
  }
}

async function keep({ id, namespaces }: KeptFixture, { progress, signal }: CommandIO): Promise<void> {
  const lines = Object.entries(namespaces).map(
    ([host, name]) => `  ${host.padEnd(14)} nsenter --net=/run/netns/${name} bash\n`,
  );
  progress.write(`\n${id} is kept. To inspect it, run in another shell:\n${lines.join('')}Ctrl-C removes it.\n`);
  if (!signal.aborted) {
    await new Promise<void>((done) => {
      const alive = setInterval(() => {}, 60_000);
      signal.addEventListener('abort', () => {
        clearInterval(alive);
        done();
      });
    });
  }
}
