import { channel } from 'node:diagnostics_channel';
import type { Readable, Writable } from 'node:stream';

/** A child process that leads its own process group, as `detached` creates it. */
export interface GroupLeader {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null | undefined;
  readonly stdout: Readable | null | undefined;
  readonly stderr: Readable | null | undefined;
  once(event: 'exit', listener: () => void): unknown;
}

/** Published on {@link slowCommands} for a command that blocks other work. */
export interface SlowCommand {
  readonly command: string;
  /** Undefined without a process. */
  readonly pid: number | undefined;
  /** Elapsed milliseconds; of a long-running command, since it was sent a request. */
  readonly elapsed: number;
  /** Milliseconds after which it is killed. */
  readonly timeout: number;
}

/**
 * Reports commands that have run for `SLOW_AFTER` milliseconds (30 s) and have not ended, or have not answered a
 * request: a `node:diagnostics_channel`, so that a host can log what delays its syncs.
 */
export const slowCommands = channel('@kube-proxier/linux/slow-command');

/** Milliseconds after which a running command is reported. */
export const SLOW_AFTER = 30_000;

/**
 * Reports a command on {@link slowCommands} after `slowAfter` milliseconds, if its timeout is longer, unless the
 * returned function is called before.
 */
export function reportWhenSlow(
  command: string,
  pid: number | undefined,
  timeout: number,
  slowAfter: number = SLOW_AFTER,
): () => void {
  if (timeout <= slowAfter) {
    return () => {};
  }
  const started = performance.now();
  const timer = setTimeout(() => {
    const slow: SlowCommand = { command, pid, elapsed: performance.now() - started, timeout };
    slowCommands.publish(slow);
  }, slowAfter);
  return () => clearTimeout(timer);
}

/** Milliseconds that descendants have to close the pipes of a process that has exited or was killed. */
const PIPE_GRACE = 1000;

const leaders = new Set<number>();
/** Maximum number of recorded process ids: the kernel reuses ids. */
const MAX_STARTED = 1000;
const started = new Set<number>();
let watchesExit = false;

/** Whether a process is among the last {@link MAX_STARTED} that this process started. */
export function wasStartedHere(pid: number): boolean {
  return started.has(pid);
}

function noteStarted(pid: number): void {
  started.delete(pid);
  started.add(pid);
  for (const old of started.size > MAX_STARTED ? started : []) {
    started.delete(old);
    break;
  }
}

function killAll(): void {
  for (const pid of leaders) {
    killGroup(pid);
  }
}

/** Kills a process and its descendants, as far as they are in its process group. No error when it has ended. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group is empty.
  }
}

/** Kills the process group when this process ends, until the returned function is called. */
export function killWithThisProcess(pid: number | undefined): () => void {
  if (pid === undefined) {
    return () => {};
  }
  if (!watchesExit) {
    watchesExit = true;
    process.once('exit', killAll);
  }
  leaders.add(pid);
  noteStarted(pid);
  return () => leaders.delete(pid);
}

/** Closes this process's side of the pipes: a process that holds the other side then cannot block the caller. */
export function closePipes({ stdin, stdout, stderr }: GroupLeader): void {
  for (const stream of [stdin, stdout, stderr]) {
    stream?.destroy();
  }
}

/** How a supervised process ended. */
export type SupervisedEnd = 'ended' | 'timed-out' | 'pipes-held';

/**
 * Waits for a process, at most `timeout` and a second. A process that does not end in time is killed with its
 * descendants; a descendant that keeps the pipes open after that, or after the process exited, is disconnected.
 *
 * @param ended settles when the process has exited and its pipes are closed.
 * @param timeout milliseconds.
 * @param slowAfter milliseconds after which it is reported on {@link slowCommands}.
 */
export async function superviseProcess(
  command: string,
  leader: GroupLeader,
  ended: Promise<unknown>,
  timeout: number,
  slowAfter: number = SLOW_AFTER,
): Promise<SupervisedEnd> {
  const forget = killWithThisProcess(leader.pid);
  const forgetSlow = reportWhenSlow(command, leader.pid, timeout, slowAfter);
  const timers: NodeJS.Timeout[] = [];
  const after = (milliseconds: number, work: () => void) => timers.push(setTimeout(work, milliseconds));
  try {
    return await new Promise<SupervisedEnd>((resolve) => {
      ended.then(
        () => resolve('ended'),
        () => resolve('ended'),
      );
      leader.once('exit', () => after(PIPE_GRACE, () => resolve('pipes-held')));
      after(timeout, () => {
        killGroup(leader.pid);
        resolve('timed-out');
      });
    });
  } finally {
    forget();
    forgetSlow();
    for (const timer of timers) {
      clearTimeout(timer);
    }
    closePipes(leader);
  }
}
