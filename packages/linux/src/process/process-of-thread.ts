import { readFileSync } from 'node:fs';

/** A process, or a thread, as the kernel names it in notifications. */
export interface NamedProcess {
  /** In the first PID namespace of the host. */
  readonly pid: number | undefined;
  /** `comm` of proc_pid_comm(5), at most 15 characters. */
  readonly program: string | undefined;
}

/**
 * The process of a thread: notifications of nf_tables name the thread that sent a transaction, such as `libuv-worker` of Node.js.
 *
 * @returns what was given for a process, and when it cannot be found: it has ended, or this process is in another PID namespace.
 */
export function processOfThread(thread: NamedProcess): NamedProcess {
  try {
    const nameOf = (id: number) => readFileSync(`/proc/${id}/comm`, 'utf8').trimEnd();
    // In another PID namespace, the number may be that of another process.
    if (thread.pid === undefined || nameOf(thread.pid) !== thread.program) {
      return thread;
    }
    const status = readFileSync(`/proc/${thread.pid}/status`, 'utf8');
    const pid = Number(/^Tgid:\s+(\d+)$/m.exec(status)?.[1] ?? thread.pid);
    return pid === thread.pid ? thread : { pid, program: nameOf(pid) };
  } catch {
    return thread;
  }
}
