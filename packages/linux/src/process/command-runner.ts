import { spawnSync } from 'node:child_process';
import { ProxierError } from '@kube-proxier/core';
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
  /** `ignore` saves collecting output that nobody reads. Default `collect`. */
  readonly stdout?: 'collect' | 'ignore';
  /** Milliseconds after which the program is killed, with its descendants. Default 60000. */
  readonly timeout?: number;
}

/** What a program that ended with exit code 0 wrote. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Its process id; undefined where there was no process. */
  readonly pid?: number;
}

/** A program that goes on running. */
export interface RunningCommand {
  readonly pid: number | undefined;
  /** Writes to its standard input. What cannot be written is lost: {@link ended} tells. */
  write(text: string): void;
  /** Asks it to end, at once. Idempotent. */
  stop(): void;
  /** Resolves when it has ended, for whatever reason, or could not be started, and all it said was handed on. */
  readonly ended: Promise<RunningCommandEnd>;
}

/** How a program that went on running has ended. */
export interface RunningCommandEnd {
  /** Undefined when it ended by itself and well. */
  readonly failure: CommandFailure | undefined;
  /** Undefined when it did not end by itself, or could not be started. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** What a program that goes on running says, piece by piece. */
export interface RunningCommandOutput {
  readonly stdout?: (text: string) => void;
  readonly stderr?: (text: string) => void;
}

/** Runs programs. The only way by which adapters of this package start one. */
export interface CommandRunner {
  /**
   * Where its programs run: in the network namespace of this process (`own`), or in that at a path. Undefined when that is
   * not known.
   */
  readonly networkNamespace?: string | undefined;
  /**
   * Runs a program to its end, with `LC_ALL=C` and the directories of system tools in `PATH`.
   *
   * @throws CommandError when it cannot be started, is killed, or ends with another exit code than 0.
   */
  run(request: CommandRequest): Promise<CommandResult>;
  /**
   * Starts a program that is talked to, with `LC_ALL=C` and without a home directory. It does not keep this process
   * alive, and ends with it, even when that is killed: by the kernel's doing where `setpriv` of util-linux is installed,
   * else as soon as it reads or writes. Adapters do without where there is no such method.
   */
  start?(request: Pick<CommandRequest, 'command' | 'args'>, output: RunningCommandOutput): RunningCommand;
}

/** Why a run failed. */
export type CommandFailure = 'not-found' | 'permission-denied' | 'timeout' | 'signal' | 'exit-code';

const CODES: Readonly<Record<CommandFailure, string>> = {
  'not-found': 'COMMAND_NOT_FOUND',
  'permission-denied': 'COMMAND_PERMISSION_DENIED',
  timeout: 'COMMAND_TIMED_OUT',
  signal: 'COMMAND_KILLED',
  'exit-code': 'COMMAND_FAILED',
};

/** A program could not be run, or said that it failed. */
export class CommandError extends ProxierError {
  constructor(
    readonly failure: CommandFailure,
    readonly command: string,
    /** Undefined when the program did not end by itself. */
    readonly exitCode: number | undefined,
    readonly signal: string | undefined,
    readonly stderr: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(CODES[failure], message, options);
  }
}

export interface CommandRunnerOptions {
  /**
   * Words put before every command, for example `['nsenter', '--net=/run/netns/a']` to work in another network
   * namespace. Default none.
   */
  readonly prefix?: readonly string[];
  /** See {@link CommandRunner.networkNamespace}. Default `own` without a prefix; with one it is not known. */
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

function failureOf(outcome: Pick<Outcome, 'timedOut' | 'code' | 'exitCode'>, prefixed: boolean): CommandFailure {
  if (outcome.timedOut) {
    return 'timeout';
  }
  // nsenter and its like end with 127 (126) when the program they should start is not there (may not be run).
  if (outcome.code === 'ENOENT' || (prefixed && outcome.exitCode === 127)) {
    return 'not-found';
  }
  if (outcome.code === 'EACCES' || outcome.code === 'EPERM' || (prefixed && outcome.exitCode === 126)) {
    return 'permission-denied';
  }
  return outcome.exitCode === undefined ? 'signal' : 'exit-code';
}

function explain(failure: CommandFailure, command: string, outcome: Outcome, timeout: number): string {
  const said = outcome.stderr.trim().replace(/\s*\n\s*/g, '; ');
  switch (failure) {
    case 'not-found':
      return `${command} was not found; install it or add its directory to PATH`;
    case 'permission-denied':
      return `${command} may not be run by this user; check its mode and the rights of this process`;
    case 'timeout':
      return `${command} did not end within ${timeout} ms and was stopped; look for what blocks it`;
    case 'signal':
      return `${command} was ended by ${outcome.signal ?? 'an unknown cause'}${said === '' ? '' : `: ${said}`}`;
    case 'exit-code':
      return `${command} ended with exit code ${outcome.exitCode}${said === '' ? '' : `: ${said}`}`;
  }
}

let endsWithUs: readonly string[] | undefined;

/**
 * Words that have a program killed when this process ends, however it does: it must not carry out half of what it was
 * told, and one that only listens would not notice. Empty where there is no setpriv, or one that cannot do that.
 */
function wordsToEndWithUs(): readonly string[] {
  if (endsWithUs === undefined) {
    const [file, ...args] = ['setpriv', '--pdeathsig', 'KILL'] as const;
    const tried = spawnSync(file, [...args, 'true'], { stdio: 'ignore', env: { PATH: systemPath() } });
    endsWithUs = tried.status === 0 ? [file, ...args] : [];
  }
  return endsWithUs;
}

function start(
  prefix: readonly string[],
  { command, args: rest }: Pick<CommandRequest, 'command' | 'args'>,
  output: RunningCommandOutput,
): RunningCommand {
  // After the prefix: the kernel forgets it where a program gets other rights, as with a user namespace.
  const before = [...prefix, ...wordsToEndWithUs()];
  const [file = '', ...args] = [...before, command, ...rest];
  const prefixed = before.length > 0;
  const running = execa(file, args, {
    // Without a home there is nowhere for histories and the like.
    env: { LC_ALL: 'C', HOME: '/nonexistent', PATH: systemPath() },
    reject: false,
    buffer: false,
    stdin: 'pipe',
    stdout: output.stdout === undefined ? 'ignore' : 'pipe',
    stderr: output.stderr === undefined ? 'ignore' : 'pipe',
    encoding: 'utf8',
    // A process group of its own: it is killed with its descendants.
    detached: true,
  });
  const forget = killWithThisProcess(running.pid);
  running.once('exit', forget);
  // A pipe to a program that has ended breaks; `ended` says so.
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

/** The real {@link CommandRunner}. */
export function createCommandRunner(options: CommandRunnerOptions = {}): Required<CommandRunner> {
  const prefix = options.prefix ?? [];
  const networkNamespace = options.networkNamespace ?? (prefix.length === 0 ? 'own' : undefined);
  return {
    networkNamespace,
    start: (request, output) => start(prefix, request, output),
    async run(request) {
      const timeout = request.timeout ?? 60_000;
      const [file, ...args] = [...prefix, request.command, ...request.args] as [string, ...string[]];
      const running = execa(file, args, {
        env: { LC_ALL: 'C', PATH: systemPath() },
        reject: false,
        stdout: request.stdout === 'ignore' ? 'ignore' : 'pipe',
        stripFinalNewline: false,
        // A process group of its own: it is killed with its descendants.
        detached: true,
        ...(request.stdin === undefined ? { stdin: 'ignore' as const } : { input: request.stdin }),
      });
      const { pid } = running;
      const end = await superviseProcess(request.command, running, running, timeout);
      // A process that cannot be killed (it waits for the kernel) is not waited for either.
      const result = end === 'timed-out' ? undefined : await running;
      // What was cut off after the program had exited is as the program said.
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
      // A program that ends well without reading all of its input is no failure of ours.
      if (!outcome.failed || (outcome.exitCode === 0 && !outcome.timedOut)) {
        return { stdout: outcome.stdout, stderr: outcome.stderr, ...(pid === undefined ? {} : { pid }) };
      }
      const failure = failureOf(outcome, prefix.length > 0);
      throw new CommandError(
        failure,
        request.command,
        outcome.exitCode,
        outcome.signal,
        outcome.stderr,
        explain(failure, request.command, outcome, timeout),
        { cause: outcome.cause },
      );
    },
  };
}
