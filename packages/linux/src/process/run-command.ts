import { ProxierError } from '@kube-proxier/core';
import { ExecaError, execa } from 'execa';

export interface CommandOptions {
  /** Text for standard input. Default: nothing, and standard input is closed. */
  readonly input?: string;
  /** Milliseconds until the command is killed. Default 30000. */
  readonly timeout?: number;
  /** Added to the environment of this process. `LC_ALL=C` is always set, so that messages can be read. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a command that ended with status 0 said. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command and waits for its end.
 *
 * Everything in this package that starts a process takes one of these, so that a test can run it in another network
 * namespace, or not at all.
 *
 * @throws CommandError when it cannot be started, takes too long, or ends with another status than 0.
 */
export type RunCommand = (file: string, args: readonly string[], options?: CommandOptions) => Promise<CommandResult>;

export type CommandErrorCode = 'COMMAND_NOT_FOUND' | 'COMMAND_NOT_PERMITTED' | 'COMMAND_TIMEOUT' | 'COMMAND_FAILED';

/** A command that did not do what it was asked to. */
export class CommandError extends ProxierError {
  declare readonly code: CommandErrorCode;
  /** The exit status, when it was started and ended by itself. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;

  constructor(
    code: CommandErrorCode,
    message: string,
    result: { exitCode?: number | undefined; stdout?: string; stderr?: string },
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.exitCode = result.exitCode;
    this.stdout = result.stdout ?? '';
    this.stderr = result.stderr ?? '';
  }
}

const DEFAULT_TIMEOUT = 30_000;
/** Where Debian keeps network tools; services are often started with a PATH that leaves these out. */
const SYSTEM_PATHS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** `PATH` of this process with the directories of system tools at its end. */
export function systemPath(): string {
  const own = (process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(':');
  return [...own, ...SYSTEM_PATHS.filter((directory) => !own.includes(directory))].join(':');
}

/** {@link RunCommand} on this host. */
export const runCommand: RunCommand = async (file, args, options = {}) => {
  try {
    const { stdout, stderr } = await execa(file, args, {
      ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
      timeout: options.timeout ?? DEFAULT_TIMEOUT,
      env: { PATH: systemPath(), ...options.env, LC_ALL: 'C' },
      stripFinalNewline: false,
    });
    return { stdout, stderr };
  } catch (error) {
    throw describeFailure(file, args, options, error);
  }
};

function describeFailure(file: string, args: readonly string[], options: CommandOptions, error: unknown): unknown {
  if (!(error instanceof ExecaError)) {
    return error;
  }
  const command = [file, ...args].join(' ');
  const stdout = typeof error.stdout === 'string' ? error.stdout : '';
  const stderr = typeof error.stderr === 'string' ? error.stderr : '';
  const result = { exitCode: error.exitCode, stdout, stderr };
  const cause = { cause: error };
  if (error.code === 'ENOENT') {
    return new CommandError(
      'COMMAND_NOT_FOUND',
      `${file} is not installed, or not in PATH: install it and try again`,
      result,
      cause,
    );
  }
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new CommandError('COMMAND_NOT_PERMITTED', `not allowed to run ${file}: run as root`, result, cause);
  }
  if (error.timedOut) {
    const seconds = (options.timeout ?? DEFAULT_TIMEOUT) / 1000;
    return new CommandError('COMMAND_TIMEOUT', `${command}: still running after ${seconds} s, killed`, result, cause);
  }
  const ending = error.exitCode === undefined ? `killed by ${error.signal ?? 'a signal'}` : `status ${error.exitCode}`;
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(0, 5).join('; ');
  return new CommandError('COMMAND_FAILED', `${command}: ${ending}${said ? `: ${said}` : ''}`, result, cause);
}
