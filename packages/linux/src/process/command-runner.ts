import { type ChildProcess, spawnSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { findOptionProblem, type OptionRule, OptionRules, ProxierError } from '@kube-proxier/core';
import { execa } from 'execa';
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
  readonly failed: boolean;
  readonly timedOut: boolean;
  readonly code: string | undefined;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
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

function failureOf(outcome: Pick<Outcome, 'timedOut' | 'code' | 'exitCode'>, prefixed: boolean): CommandFailure {
  if (outcome.timedOut) {
    return 'timeout';
  }
  // nsenter and similar programs exit with 127 (126) when the program to start does not exist (may not be run).
  if (outcome.code === 'ENOENT' || (prefixed && outcome.exitCode === 127)) {
    return 'not-found';
  }
  if (outcome.code === 'EACCES' || outcome.code === 'EPERM' || (prefixed && outcome.exitCode === 126)) {
    return 'permission-denied';
  }
  if (outcome.code !== undefined && outcome.code in SHORTAGES) {
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
      return `${command} was ended by ${outcome.signal ?? 'an unknown cause'}${output === '' ? '' : `: ${output}`}`;
    case 'exit-code':
      return `${command} ended with exit code ${outcome.exitCode}${output === '' ? '' : `: ${output}`}`;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A program could not be started. */
class NotStarted {
  /** @param error resolves with the reason. */
  constructor(readonly error: Promise<unknown>) {}
}

/**
 * Calls `begin`, which starts a program. Without descriptors for pipes, Node returns a process without streams, which
 * execa cannot handle: it throws, and the unhandled error event of the process would end this process.
 */
function starting<T>(begin: () => T): T | NotStarted {
  let child: ChildProcess | undefined;
  const note = (message: unknown) => {
    child = (message as { readonly process: ChildProcess }).process;
  };
  subscribe(CHILD_PROCESS, note);
  try {
    return begin();
  } catch (error) {
    if (child === undefined) {
      throw error;
    }
    const failed = child;
    return new NotStarted(
      new Promise((resolve) => {
        failed.once('error', resolve);
      }),
    );
  } finally {
    unsubscribe(CHILD_PROCESS, note);
  }
}

/** The channel of Node on which each new child process is published. */
const CHILD_PROCESS = 'child_process';

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
  const running = starting(() =>
    execa(file, args, {
      // Without a home directory, programs write no history files.
      env: { LC_ALL: 'C', HOME: '/nonexistent', PATH: systemPath() },
      reject: false,
      buffer: false,
      stdin: 'pipe',
      stdout: output.stdout === undefined ? 'ignore' : 'pipe',
      stderr: output.stderr === undefined ? 'ignore' : 'pipe',
      encoding: 'utf8',
      // A separate process group: so that it can be killed with its descendants.
      detached: true,
    }),
  );
  if (running instanceof NotStarted) {
    return {
      pid: undefined,
      write: () => {},
      stop: () => {},
      ended: running.error.then(() => ({ failure: 'not-started', exitCode: undefined, signal: undefined })),
    };
  }
  const forget = killWithThisProcess(running.pid);
  running.once('exit', forget);
  // Writing to a program that has ended fails with EPIPE; `ended` reports the end.
  running.stdin?.on('error', () => {});
  for (const stream of ['stdout', 'stderr'] as const) {
    running[stream]?.on('data', (chunk: Buffer | string) => output[stream]?.(String(chunk)));
  }
  running.unref();
  for (const stream of [running.stdin, running.stdout, running.stderr]) {
    const handle = stream as unknown as { unref?: () => void } | null;
    handle?.unref?.();
  }
  return {
    pid: running.pid,
    write: (text) => {
      running.stdin?.write(text);
    },
    stop: () => {
      killGroup(running.pid);
      closePipes(running);
    },
    ended: running.then(
      ({ failed, timedOut, code, exitCode, signal }) => ({
        failure: failed ? failureOf({ timedOut, code, exitCode }, prefixed) : undefined,
        exitCode,
        signal,
      }),
      () => ({ failure: 'signal', exitCode: undefined, signal: undefined }),
    ),
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
      const running = starting(() =>
        execa(file, args, {
          env: { LC_ALL: 'C', PATH: systemPath(), ...request.env },
          reject: false,
          stdout: request.stdout === 'ignore' ? 'ignore' : 'pipe',
          stripFinalNewline: false,
          // A separate process group: so that it can be killed with its descendants.
          detached: true,
          ...(request.stdin === undefined ? { stdin: 'ignore' as const } : { input: request.stdin }),
        }),
      );
      if (running instanceof NotStarted) {
        const cause = await running.error;
        throw failed(request, { ...NO_OUTCOME, code: codeOf(cause), cause }, prefix.length > 0, timeout);
      }
      const { pid } = running;
      const kill = () => killGroup(pid);
      const { signal } = request;
      signal?.addEventListener('abort', kill);
      if (signal?.aborted) {
        kill();
      }
      const supervised = superviseProcess(request.command, running, running, timeout);
      const end = await supervised.finally(() => signal?.removeEventListener('abort', kill));
      // A process that cannot be killed (it is blocked in the kernel) is not awaited either.
      const result = end === 'timed-out' ? undefined : await running;
      // Output that was cut off after the program had exited does not change its result.
      const exitCode = result?.exitCode ?? (result && running.exitCode) ?? undefined;
      const isCutOff = end === 'pipes-held' && exitCode === 0;
      const outcome: Outcome = {
        failed: result === undefined || (result.failed && !isCutOff),
        timedOut: result === undefined,
        code: result?.code,
        exitCode,
        signal: result?.signal,
        stdout: typeof result?.stdout === 'string' ? result.stdout : '',
        stderr: typeof result?.stderr === 'string' ? result.stderr : '',
        cause: result?.cause,
      };
      // A program that succeeds without reading all of its input is not an error.
      if (!outcome.failed || (outcome.exitCode === 0 && !outcome.timedOut)) {
        return { stdout: outcome.stdout, stderr: outcome.stderr, ...(pid === undefined ? {} : { pid }) };
      }
      throw failed(request, outcome, prefix.length > 0, timeout);
    },
  };
}

/** The result for a program that was not started. */
const NO_OUTCOME = { failed: true, timedOut: false, exitCode: undefined, signal: undefined, stdout: '', stderr: '' };

function failed({ command }: CommandRequest, outcome: Outcome, prefixed: boolean, timeout: number): CommandError {
  const { exitCode, signal, stderr, cause } = outcome;
  const failure = failureOf(outcome, prefixed);
  const message = explain(failure, command, outcome, timeout);
  return new CommandError(failure, command, exitCode, signal, stderr, message, { cause });
}
