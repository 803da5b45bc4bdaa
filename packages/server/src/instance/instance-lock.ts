import { connect, createServer, type Server, type Socket } from 'node:net';
import { messageOf, ProxierError } from '@kube-proxier/core';

/** What a running proxy reports to other proxies in its network namespace. */
export interface InstanceIdentity {
  readonly pid: number;
  /** Version of the program. */
  readonly version: string;
  /** Proxy mode in force; empty without one. */
  readonly mode: string;
  readonly nodeName: string;
  /** Time of acquisition, in ISO 8601 format. */
  readonly since: string;
}

/** The process that holds the lock. */
export type InstanceHolder =
  | ({ readonly known: true } & InstanceIdentity)
  /** It sends no answer, or an invalid one. */
  | { readonly known: false; readonly reason: string };

/** For logs and errors: `pid 12 (kube-proxier 1.2.3, mode nftables, since 2026-01-31T10:00:00.000Z)`. */
export function describeHolder(holder: InstanceHolder): string {
  if (!holder.known) {
    return `an unknown process (${holder.reason})`;
  }
  const mode = holder.mode === '' ? 'no mode yet' : `mode ${holder.mode}`;
  return `pid ${holder.pid} (kube-proxier ${holder.version}, ${mode}, since ${holder.since})`;
}

export interface AcquireOptions {
  /** Aborts the wait. Default: never. */
  readonly signal?: AbortSignal;
  /** Called once for each holder that is waited for. Default: nothing. */
  readonly onWaiting?: (holder: InstanceHolder) => void;
}

/** A lock that is held. */
export interface HeldInstanceLock {
  /** Changes the identity that is reported to others. */
  describe(changes: Partial<Pick<InstanceIdentity, 'mode'>>): void;
  /** Resolves when others can take the lock. Idempotent. */
  release(): Promise<void>;
}

/** Milliseconds that a holder may take to answer. */
const ANSWER_TIMEOUT = 1000;
/** Maximum bytes of an answer. */
const MAX_ANSWER_SIZE = 4096;
/** Milliseconds between two attempts, when the lock is still taken right after its holder disconnected. */
const PAUSE = 250;
/** Concurrent connections of processes that wait for or query the lock. */
const MAX_CONNECTIONS = 64;

/**
 * The lock that one proxy in a network namespace holds. It is an abstract Unix socket: that belongs to the network
 * namespace of this process, needs no file and no privilege, and the kernel removes it when the holder ends, for any reason.
 */
export class InstanceLock {
  readonly #path: string;

  /**
   * @param name of the lock; proxies with the same name exclude each other. Default: the one of kube-proxier.
   * @throws RangeError when it is longer than 100 bytes.
   */
  constructor(name = 'kube-proxier') {
    if (Buffer.byteLength(name) > 100 || name.includes('\0')) {
      throw new RangeError('the name of an instance lock has at most 100 bytes, none of them 0');
    }
    // All 108 bytes of an address: some versions of Node.js pad shorter names with zeros and others do not, so that one
    // name could denote different sockets.
    this.#path = `\0${name}`.padEnd(108 - Buffer.byteLength(name) + name.length, '.');
  }

  /**
   * Takes the lock, or waits until its holder ends.
   *
   * @throws ProxierError `INSTANCE_LOCK_FAILED` when this host does not allow such sockets; the reason of `signal` when
   * that aborts.
   */
  async acquire(
    identity: Omit<InstanceIdentity, 'since'>,
    { signal, onWaiting }: AcquireOptions = {},
  ): Promise<HeldInstanceLock> {
    let reported: string | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const held = await this.#tryToHold(identity);
      if (held) {
        if (signal?.aborted) {
          await held.release();
        }
        signal?.throwIfAborted();
        return held;
      }
      const asked = performance.now();
      await this.#queryHolder((holder) => {
        const key = JSON.stringify(holder.known ? [holder.pid, holder.since] : holder.reason);
        if (key !== reported) {
          reported = key;
          onWaiting?.(holder);
        }
      }, signal);
      if (performance.now() - asked < PAUSE) {
        await pause(PAUSE, signal);
      }
    }
  }

  /**
   * Takes the lock if it is free. Never waits.
   *
   * @returns undefined when another process holds it.
   * @throws ProxierError `INSTANCE_LOCK_FAILED` when this host does not allow such sockets.
   */
  tryAcquire(identity: Omit<InstanceIdentity, 'since'>): Promise<HeldInstanceLock | undefined> {
    return this.#tryToHold(identity);
  }

  /** The current holder; undefined when the lock is free. Never waits longer than a second. */
  async currentHolder(): Promise<InstanceHolder | undefined> {
    let found: InstanceHolder | undefined;
    const enough = new AbortController();
    await this.#queryHolder((holder) => {
      found = holder;
      enough.abort();
    }, enough.signal);
    return found;
  }

  /** @returns undefined when another process holds it. */
  async #tryToHold(identity: Omit<InstanceIdentity, 'since'>): Promise<HeldInstanceLock | undefined> {
    let current: InstanceIdentity = { ...identity, since: new Date().toISOString() };
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => open.delete(socket));
      // Stays open: its end signals the end of this process to waiting processes.
      socket.unref();
      socket.resume();
      socket.write(`${JSON.stringify(current)}\n`);
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.unref();
    if (!(await listen(server, this.#path))) {
      return undefined;
    }
    let released: Promise<void> | undefined;
    return {
      describe: (changes) => {
        current = { ...current, ...changes };
      },
      release: () => {
        released ??= new Promise((resolve) => {
          server.close(() => resolve());
          for (const socket of open) {
            socket.destroy();
          }
        });
        return released;
      },
    };
  }

  /**
   * Reports the holder, if any, and resolves when the holder ends, when `signal` aborts, or when the holder can no longer
   * be observed.
   */
  #queryHolder(report: (holder: InstanceHolder) => void, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(this.#path);
      let text = '';
      let isReported = false;
      const answer = (holder: InstanceHolder) => {
        if (!isReported) {
          isReported = true;
          report(holder);
        }
      };
      const timer = setTimeout(() => answer({ known: false, reason: 'it does not answer' }), ANSWER_TIMEOUT);
      const end = () => socket.destroy();
      signal?.addEventListener('abort', end, { once: true });
      socket.setEncoding('utf8');
      socket.on('data', (chunk: string) => {
        if (isReported) {
          return;
        }
        text += chunk.slice(0, MAX_ANSWER_SIZE - text.length);
        const lineEnd = text.indexOf('\n');
        if (lineEnd >= 0) {
          answer(readIdentity(text.slice(0, lineEnd)));
        } else if (text.length >= MAX_ANSWER_SIZE) {
          answer({ known: false, reason: 'its answer is too long' });
        }
      });
      socket.on('error', (error) => {
        // The lock is free.
        if (!('code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT'))) {
          answer({ known: false, reason: messageOf(error) });
        }
      });
      socket.once('close', (hadError) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        if (!hadError && !signal?.aborted) {
          answer({ known: false, reason: 'it does not answer' });
        }
        resolve();
      });
    });
  }
}

/** @returns false when the address is taken. */
function listen(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') {
        resolve(false);
        return;
      }
      const advice = 'allow this process abstract Unix sockets (AppArmor and SELinux may forbid them)';
      const message = `cannot determine whether another proxy runs in this network namespace: ${messageOf(error)}; ${advice}`;
      reject(new ProxierError('INSTANCE_LOCK_FAILED', message, { cause: error }));
    });
    server.listen(path, () => resolve(true));
  });
}

/** The line is untrusted: any process can listen there. */
function readIdentity(line: string): InstanceHolder {
  const unreadable: InstanceHolder = { known: false, reason: 'its answer is invalid' };
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) {
      return unreadable;
    }
    const { pid, version, mode, nodeName, since } = value as Partial<Record<keyof InstanceIdentity, unknown>>;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || !areLoggable([version, mode, nodeName, since])) {
      return unreadable;
    }
    return {
      known: true,
      pid,
      version: String(version),
      mode: String(mode),
      nodeName: String(nodeName),
      since: String(since),
    };
  } catch {
    return unreadable;
  }
}

/** Whether all texts are safe for a log line. */
function areLoggable(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string' && /^[\w.:+-]{0,253}$/.test(value));
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
