import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { type Libc, loadLibc } from '@kube-proxier/linux';

/** Messages to the thread. It owns the descriptors from then on. */
export type ToSpliceThread =
  | {
      readonly kind: 'carry';
      readonly slot: number;
      readonly client: number;
      readonly endpoint: number;
      /** Data that was already read from the other side; it is sent first. */
      readonly toClient: Uint8Array | undefined;
      readonly toEndpoint: Uint8Array | undefined;
    }
  | { readonly kind: 'cut'; readonly slot: number }
  | { readonly kind: 'end' };

/** Messages from the thread. */
export type FromSpliceThread = { readonly kind: 'half-closed' | 'ended'; readonly slot: number };

/** Maximum number of descriptors of a connection, in addition to its two sockets: a pipe for each direction. */
export const DESCRIPTORS_OF_PIPES = 4;

/** A connection that was handed over to the thread. */
export interface CarriedConnection {
  /** Bytes forwarded from the client to the endpoint since the handover, and in the other direction. */
  readonly bytesToEndpoint: number;
  readonly bytesToClient: number;
  /** Resets both sides. Idempotent; `onEnd` follows. */
  cut(): void;
}

/** Callbacks of a connection that was handed over. */
export interface CarriedConnectionEvents {
  /** One side has closed, and the other side was notified. */
  onHalfClose(): void;
  /** Both sides are closed. Called once. */
  onEnd(): void;
}

export interface SpliceCarrierOptions {
  /** Size in bytes of the pipe for each direction. Default 1 MiB. */
  readonly pipeSize?: number;
}

/** Maximum number of concurrent connections of the thread. */
const MAX_CONNECTIONS = 4096;
const PIPE_SIZE = 1 << 20;
const F_DUPFD_CLOEXEC = 1030;
const EFD_CLOEXEC_NONBLOCK = 0o2000000 | 0o4000;
const SOL_SOCKET = 1;
const SO_LINGER = 13;
const RESET_ON_CLOSE = new Uint8Array(Int32Array.of(1, 0).buffer);
/** Descriptors above those of standard streams. */
const LOWEST_DESCRIPTOR = 3;
const ONE = new Uint8Array(BigUint64Array.of(1n).buffer);

/** The parts of Node's socket handle that are used; there is no documented access to the descriptor. */
interface SocketHandle {
  readonly fd: number;
  readStop(): number;
}

interface Thread {
  readonly worker: Worker;
  readonly wake: number;
  readonly moved: Float64Array;
  readonly exited: Promise<void>;
}

interface Carried {
  readonly descriptors: readonly [number, number];
  readonly events: CarriedConnectionEvents;
}

/**
 * Forwards TCP connections outside of the event loop: a thread moves their bytes by splice(2), so that they are never
 * copied into this process. It takes over sockets of Node, preserves byte order, half-close and resets, and needs no
 * privilege. The thread starts with the first use, and keeps the process alive while it has a connection.
 */
export class SpliceCarrier {
  readonly #carried = new Map<number, Carried>();
  readonly #freeSlots: number[] = [];
  #slots = 0;
  #libc: Libc | undefined;
  #thread: Thread | undefined;
  #starting: Promise<void> | undefined;
  #unusable: string | undefined;

  constructor(private readonly options: SpliceCarrierOptions = {}) {}

  /** Whether `carry` can accept a connection now. If not yet, call `start`. */
  get isReady(): boolean {
    return this.#thread !== undefined && (this.#freeSlots.length > 0 || this.#slots < MAX_CONNECTIONS);
  }

  /** Number of connections of the thread. */
  get size(): number {
    return this.#carried.size;
  }

  /** Why splice cannot be used on this host; undefined while no obstacle is known. */
  get unusable(): string | undefined {
    return this.#unusable;
  }

  /** Prepares the thread, once; on failure, `unusable` has the reason. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /**
   * Takes over a connection, at once or not at all. Everything that was written to both sockets must have been passed
   * to the kernel, and neither direction may have ended. Both sockets are destroyed without notice to their peers; data
   * that they had read and not yet emitted is forwarded to the other side. Listeners on them are removed.
   *
   * @returns undefined when it cannot be taken over now; nothing has changed then.
   */
  carry(client: Socket, endpoint: Socket, events: CarriedConnectionEvents): CarriedConnection | undefined {
    const libc = this.#libc;
    const thread = this.#thread;
    if (!libc || !thread || !this.isReady || !isQuiet(client) || !isQuiet(endpoint)) {
      return undefined;
    }
    const clientFd = duplicate(libc, client);
    const endpointFd = clientFd === undefined ? undefined : duplicate(libc, endpoint);
    if (clientFd === undefined || endpointFd === undefined) {
      if (clientFd !== undefined) {
        libc.close(clientFd);
      }
      return undefined;
    }
    const slot = this.#freeSlots.pop() ?? this.#slots++;
    const toEndpoint = release(client);
    const toClient = release(endpoint);
    const { moved } = thread;
    moved[2 * slot] = toEndpoint?.length ?? 0;
    moved[2 * slot + 1] = toClient?.length ?? 0;
    if (this.#carried.size === 0) {
      thread.worker.ref();
    }
    const carried: Carried = { descriptors: [clientFd, endpointFd], events };
    this.#carried.set(slot, carried);
    this.#send(thread, { kind: 'carry', slot, client: clientFd, endpoint: endpointFd, toClient, toEndpoint });
    return {
      get bytesToEndpoint() {
        return moved[2 * slot] ?? 0;
      },
      get bytesToClient() {
        return moved[2 * slot + 1] ?? 0;
      },
      cut: () => {
        if (this.#carried.get(slot) === carried) {
          this.#send(thread, { kind: 'cut', slot });
        }
      },
    };
  }

  /** Stops the thread, and resets its connections. The next `start` creates a new one. */
  async close(): Promise<void> {
    await this.#starting;
    const thread = this.#thread;
    this.#thread = undefined;
    this.#starting = undefined;
    if (thread) {
      this.#send(thread, { kind: 'end' });
      await thread.exited;
    }
  }

  async #start(): Promise<void> {
    if (process.platform !== 'linux') {
      this.#unusable = 'there is splice on Linux only';
      return;
    }
    try {
      const libc = await loadLibc();
      this.#libc = libc;
      this.#thread = await this.#startThread(libc);
    } catch (error) {
      this.#unusable = error instanceof Error ? error.message : String(error);
    }
  }

  async #startThread(libc: Libc): Promise<Thread> {
    const wake = libc.eventfd(0, EFD_CLOEXEC_NONBLOCK);
    if (wake < 0) {
      throw new Error(`no event descriptor can be had (errno ${libc.errno()})`);
    }
    const moved = new Float64Array(new SharedArrayBuffer(2 * MAX_CONNECTIONS * Float64Array.BYTES_PER_ELEMENT));
    const worker = new Worker(new URL('./splice-thread.mjs', import.meta.url), {
      name: 'splice',
      workerData: { wake, moved: moved.buffer, pipeSize: this.options.pipeSize ?? PIPE_SIZE },
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
    });
    let failure: Error | undefined;
    worker.on('error', (error) => {
      failure = error;
    });
    const online = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('exit', () => reject(failure ?? new Error('the thread ended at once')));
    });
    const exited = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        this.#ended(libc, worker, failure);
        libc.close(wake);
        resolve();
      });
    });
    await online;
    worker.on('message', (message: FromSpliceThread) => this.#receive(message));
    worker.unref();
    return { worker, wake, moved, exited };
  }

  #send({ worker, wake }: Thread, message: ToSpliceThread): void {
    worker.postMessage(message);
    this.#libc?.write(wake, ONE, ONE.length);
  }

  #receive({ kind, slot }: FromSpliceThread): void {
    const carried = this.#carried.get(slot);
    if (!carried) {
      return;
    }
    if (kind === 'half-closed') {
      carried.events.onHalfClose();
      return;
    }
    this.#carried.delete(slot);
    this.#freeSlots.push(slot);
    if (this.#carried.size === 0) {
      this.#thread?.worker.unref();
    }
    carried.events.onEnd();
  }

  /** A failed thread leaves its descriptors open. A peer must not mistake the interruption for a regular end. */
  #ended(libc: Libc, worker: Worker, failure: Error | undefined): void {
    if (this.#thread?.worker === worker) {
      this.#thread = undefined;
      this.#unusable = `its thread failed: ${failure?.message ?? 'it ended'}`;
    }
    for (const [slot, { descriptors, events }] of [...this.#carried]) {
      this.#carried.delete(slot);
      this.#freeSlots.push(slot);
      for (const fd of descriptors) {
        libc.setsockopt(fd, SOL_SOCKET, SO_LINGER, RESET_ON_CLOSE, RESET_ON_CLOSE.length);
        libc.close(fd);
      }
      events.onEnd();
    }
  }
}

function handleOf(socket: Socket): SocketHandle | undefined {
  const { _handle: handle } = socket as Socket & { readonly _handle?: Partial<SocketHandle> | null };
  return typeof handle?.fd === 'number' && handle.fd >= 0 && typeof handle.readStop === 'function'
    ? (handle as SocketHandle)
    : undefined;
}

/** Open in both directions, with nothing written left in this process. */
function isQuiet(socket: Socket): boolean {
  return (
    !socket.destroyed &&
    !socket.connecting &&
    !socket.readableEnded &&
    !socket.writableEnded &&
    socket.writableLength === 0
  );
}

function duplicate(libc: Libc, socket: Socket): number | undefined {
  const handle = handleOf(socket);
  const fd = handle ? libc.fcntl(handle.fd, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR) : -1;
  return fd < 0 ? undefined : fd;
}

/** Releases a socket: closing a descriptor ends no connection that has another. Returns what it had read. */
function release(socket: Socket): Uint8Array | undefined {
  handleOf(socket)?.readStop();
  for (const event of ['data', 'end', 'drain', 'close', 'error', 'timeout']) {
    socket.removeAllListeners(event);
  }
  socket.on('error', () => {});
  const parts: Uint8Array[] = [];
  for (let part: Buffer | null = socket.read(); part !== null; part = socket.read()) {
    parts.push(part);
  }
  socket.destroy();
  return parts.length === 0 ? undefined : Buffer.concat(parts);
}
