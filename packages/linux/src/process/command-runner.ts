import { spawnSync } from 'node:child_process';
import { findOptionProblem, type OptionRule, OptionRules, ProxierError } from '@kube-proxier/core';
import { CollectedOutput, MAX_OUTPUT, type ProgramEnd, startChildProgram } from './child-program.js';
import { systemPath } from './find-tool.js';
import { closePipes, killGroup, killWithThisProcess, superviseProcess } from './process-group.js';

/** One run of a program. */
export interface CommandRequest {
  /** Name looked up in PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Written to the program's standard input, which is then closed. Default: nothing. */
  readonly stdin?: string;
  /** `ignore` saves collecting output that is not used. Default `collect`. */
  readonly stdout?: 'collect' | 'ignore';
  /** Milliseconds after which the program and its descendants are killed. Default 60000. */
  readonly timeout?: number;
  /** Kills the program and its descendants when aborted. Default: none. */
  readonly signal?: AbortSignal;
  /** Environment variables in addition to those of this process. Default none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The output of a program that ended with exit code 0. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Its process id; undefined without a process. */
  readonly pid?: number;
}

/** A long-running program. */
export interface RunningCommand {
  readonly pid: number | undefined;
  /** Writes to its standard input. Unwritable data is discarded; {@link ended} reports the end. */
  write(text: string): void;
  /** Terminates it at once. Idempotent. */
  stop(): void;
  /** Resolves when it has ended for any reason, or could not be started, and all of its output was passed on. */
  readonly ended: Promise<RunningCommandEnd>;
}

/** How a long-running program ended. */
export interface RunningCommandEnd {
  /** Undefined when it exited with code 0. */
  readonly failure: CommandFailure | undefined;
  /** Undefined when it did not exit on its own, or could not be started. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** Receives the output of a long-running program, piece by piece. */
export interface RunningCommandOutput {
  readonly stdout?: (text: string) => void;
  readonly stderr?: (text: string) => void;
}

/** Runs programs. All adapters of this package start programs through it. */
export interface CommandRunner {
  /**
   * Network namespace of its programs: that of this process (`own`), or that at a path. Undefined when it is unknown.
   */
  readonly networkNamespace?: string | undefined;
  /**
   * Runs a program to its end, with `LC_ALL=C` and the directories of system tools in `PATH`.
   *
   * @throws CommandError when it cannot be started, is killed, or ends with an exit code other than 0.
   */
  run(request: CommandRequest): Promise<CommandResult>;
  /**
   * Starts a program that is controlled through its standard input, with `LC_ALL=C` and without a home directory. It
   * does not keep this process alive, and ends with it, even when this process is killed: by a parent-death signal
   * where `setpriv` of util-linux is installed, else as soon as it reads or writes. Optional: adapters work without
   * this method.
   */
  start?(request: Pick<CommandRequest, 'command' | 'args'>, output: RunningCommandOutput): RunningCommand;
}

/** Why a run failed. */
export type CommandFailure = 'not-found' | 'permission-denied' | 'not-started' | 'timeout' | 'signal' | 'exit-code';

const CODES: Readonly<Record<CommandFailure, string>> = {
  'not-found': 'COMMAND_NOT_FOUND',
  'permission-denied': 'COMMAND_PERMISSION_DENIED',
  'not-started': 'COMMAND_NOT_STARTED',
  timeout: 'COMMAND_TIMED_OUT',
  signal: 'COMMAND_KILLED',
  'exit-code': 'COMMAND_FAILED',
};

/** A program could not be run, or reported a failure. */
export class CommandError extends ProxierError {
  constructor(
    readonly failure: CommandFailure,
    readonly command: string,
    /** Undefined when the program did not exit on its own. */
    readonly exitCode: number | undefined,
    readonly signal: string | undefined,
    readonly stderr: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(CODES[failure], message, {
      ...options,
      ...(failure === 'permission-denied' ? { kind: failure } : {}),
    });
  }
}

export interface CommandRunnerOptions {
  /**
   * Command prefix, for example `['nsenter', '--net=/run/netns/a']` to run in another network namespace. Default none.
   */
  readonly prefix?: readonly string[];
  /** See {@link CommandRunner.networkNamespace}. Default: `own` without a prefix; unknown with one. */
  readonly networkNamespace?: string;
}

interface Outcome {
  readonly timedOut: boolean;
  /** It printed too much. */
  readonly tooLong: boolean;
  /** The error code of a program that was not started. */
  readonly code: string | undefined;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stderr: string;
  readonly cause: unknown;
}

/** The missing resource when a program cannot be started, by error code, and the remedy. */
const SHORTAGES: Readonly<Record<string, string>> = {
  EMFILE: 'this process has too many open files; raise its limit (ulimit -n, LimitNOFILE)',
  ENFILE: 'this host has too many open files; raise the sysctl fs.file-max',
  EAGAIN: 'there are too many processes; raise the limit (pids of the cgroup, TasksMax, ulimit -u)',
  ENOMEM: 'there is not enough memory; raise the memory limit',
};

function failureOf(
  outcome: Pick<Outcome, 'timedOut' | 'tooLong' | 'code' | 'exitCode'>,
  prefixed: boolean,
): CommandFailure {
  if (outcome.timedOut) {
    return 'timeout';
  }
  if (outcome.tooLong) {
    return 'signal';
  }
  // nsenter and similar programs exit with 127 (126) when the program to start does not exist (may not be run).
  if (outcome.code === 'ENOENT' || (prefixed && outcome.exitCode === 127)) {
    return 'not-found';
  }
  if (outcome.code === 'EACCES' || outcome.code === 'EPERM' || (prefixed && outcome.exitCode === 126)) {
    return 'permission-denied';
  }
  if (outcome.code !== undefined) {
    return 'not-started';
  }
  return outcome.exitCode === undefined ? 'signal' : 'exit-code';
}

function explain(failure: CommandFailure, command: string, outcome: Outcome, timeout: number): string {
  const output = outcome.stderr.trim().replace(/\s*\n\s*/g, '; ');
  switch (failure) {
    case 'not-found':
      return `${command} was not found; install it or add its directory to PATH`;
    case 'permission-denied':
      return `${command} may not be run by this user; check its mode and the rights of this process`;
    case 'not-started':
      return `${command} cannot be started: ${SHORTAGES[outcome.code ?? ''] ?? outcome.code}`;
    case 'timeout':
      return `${command} did not end within ${timeout} ms and was stopped; find what blocks it`;
    case 'signal':
      if (outcome.tooLong) {
        return `${command} printed more than ${MAX_OUTPUT} bytes and was stopped; find out what it prints`;
      }
      return `${command} was ended by ${outcome.signal ?? 'an unknown cause'}${output === '' ? '' : `: ${output}`}`;
    case 'exit-code':
      return `${command} ended with exit code ${outcome.exitCode}${output === '' ? '' : `: ${output}`}`;
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

let endsWithUs: readonly string[] | undefined;

/**
 * Command prefix that makes the kernel kill a program when this process ends, for any reason: it must not execute half
 * of its input, and a program that only reads would not detect the end. Empty without setpriv, or if it lacks this
 * option.
 */
function wordsToEndWithUs(): readonly string[] {
  if (endsWithUs === undefined) {
    const [file, ...args] = ['setpriv', '--pdeathsig', 'KILL'] as const;
    const tried = spawnSync(file, [...args, 'true'], { stdio: 'ignore', env: { PATH: systemPath() } });
    if (codeOf(tried.error) in SHORTAGES) {
      // setpriv is unavailable.
      return [];
    }
    endsWithUs = tried.status === 0 ? [file, ...args] : [];
  }
  return endsWithUs;
}

function start(
  prefix: readonly string[],
  { command, args: rest }: Pick<CommandRequest, 'command' | 'args'>,
  output: RunningCommandOutput,
): RunningCommand {
  // After the prefix: the kernel clears the setting when a program changes credentials, as with a user namespace.
  const before = [...prefix, ...wordsToEndWithUs()];
  const [file = '', ...args] = [...before, command, ...rest];
  const prefixed = before.length > 0;
  const { child, ended } = startChildProgram(file, args, {
    // Without a home directory, programs write no history files.
    env: { LC_ALL: 'C', HOME: '/nonexistent', PATH: systemPath() },
    stdin: 'pipe',
    stdout: output.stdout === undefined ? 'ignore' : 'pipe',
    stderr: output.stderr === undefined ? 'ignore' : 'pipe',
  });
  if (child === undefined) {
    const end = ({ error }: ProgramEnd): RunningCommandEnd => ({
      failure: failureOf({ ...NO_OUTCOME, code: codeOf(error) }, false),
      exitCode: undefined,
      signal: undefined,
    });
    return { pid: undefined, write() {}, stop() {}, ended: ended.then(end) };
  }
  child.once('exit', killWithThisProcess(child.pid));
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => output[stream]?.(text));
  }
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    const handle = stream as unknown as { unref?: () => void } | null;
    handle?.unref?.();
  }
  return {
    pid: child.pid,
    write: (text) => {
      child.stdin?.write(text);
    },
    stop: () => {
      killGroup(child.pid);
      closePipes(child);
    },
    ended: ended.then(({ exitCode, signal }) => ({
      failure: exitCode === 0 ? undefined : failureOf({ ...NO_OUTCOME, code: undefined, exitCode }, prefixed),
      exitCode,
      signal,
    })),
  };
}

const RULES: { readonly [Name in keyof Required<CommandRunnerOptions>]: OptionRule } = {
  prefix: {
    expected: "a list of texts, such as ['nsenter', '--net=/run/netns/a']",
    accepts: (value) => Array.isArray(value) && value.every((word) => typeof word === 'string'),
  },
  networkNamespace: OptionRules.string,
};

/**
 * The real {@link CommandRunner}.
 *
 * @throws ProxierError `COMMAND_RUNNER_OPTION` when an option is unknown or invalid.
 */
export function createCommandRunner(options: CommandRunnerOptions = {}): Required<CommandRunner> {
  const problem = findOptionProblem('createCommandRunner', options, RULES);
  if (problem !== undefined) {
    throw new ProxierError('COMMAND_RUNNER_OPTION', problem.message);
  }
  const prefix = options.prefix ?? [];
  const networkNamespace = options.networkNamespace ?? (prefix.length === 0 ? 'own' : undefined);
  return {
    networkNamespace,
    start: (request, output) => start(prefix, request, output),
    async run(request) {
      const timeout = request.timeout ?? 60_000;
      const [file, ...args] = [...prefix, request.command, ...request.args] as [string, ...string[]];
      const { child, ended } = startChildProgram(file, args, {
        env: { LC_ALL: 'C', PATH: systemPath(), ...request.env },
        stdin: request.stdin === undefined ? 'ignore' : 'pipe',
        stdout: request.stdout === 'ignore' ? 'ignore' : 'pipe',
        stderr: 'pipe',
      });
      if (child === undefined) {
        const { error } = await ended;
        throw failed(request, { ...NO_OUTCOME, code: codeOf(error), cause: error }, prefix.length > 0, timeout);
      }
      const { pid } = child;
      const kill = () => killGroup(pid);
      const { signal } = request;
      signal?.addEventListener('abort', kill);
      if (signal?.aborted) {
        kill();
      }
      const stdout = new CollectedOutput(child.stdout, pid);
      const stderr = new CollectedOutput(child.stderr, pid);
      // For a text, a stream would reserve three bytes of each character, which is 13 MB for the rules of 10,000 Services.
      child.stdin?.end(Buffer.from(request.stdin ?? ''));
      const supervised = superviseProcess(request.command, child, ended, timeout);
      const timedOut = (await supervised.finally(() => signal?.removeEventListener('abort', kill))) === 'timed-out';
      // A process that cannot be killed (it is blocked in the kernel) is not awaited either.
      const end = timedOut ? undefined : await ended;
      // An output that could not be read must not look like a short one.
      const cause = stdout.error ?? stderr.error;
      const outcome: Outcome = {
        timedOut,
        tooLong: stdout.isTooLong || stderr.isTooLong,
        code: undefined,
        exitCode: cause === undefined ? end?.exitCode : undefined,
        signal: end?.signal,
        stderr: stderr.text,
        cause,
      };
      // A program that succeeds without reading all of its input is not an error.
      if (outcome.exitCode === 0 && !outcome.tooLong) {
        return { stdout: stdout.text, stderr: outcome.stderr, ...(pid === undefined ? {} : { pid }) };
      }
      throw failed(request, outcome, prefix.length > 0, timeout);
    },
  };
}

/** The outcome of a program that was not started. */
const NO_OUTCOME = { timedOut: false, tooLong: false, exitCode: undefined, signal: undefined, stderr: '' };

function failed({ command }: CommandRequest, outcome: Outcome, prefixed: boolean, timeout: number): CommandError {
  const { exitCode, signal, stderr, cause } = outcome;
  const failure = failureOf(outcome, prefixed);
  const message = explain(failure, command, outcome, timeout);
  return new CommandError(failure, command, exitCode, signal, stderr, message, { cause });
}
