import { type ChildProcess, fork, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { IPFamily, ProxierOptions } from '@kube-proxier/core';
import { ConformanceError, type ConformanceErrorCode } from '../conformance-error.js';
import {
  type BackendChoice,
  type BackendDescription,
  type CountedTotal,
  MARKER_NAMESPACE,
  type ObjectChange,
  type Reply,
  type Request,
} from './messages.js';

/** From the build output, even when the kit runs from sources. */
const RUNNER = fileURLToPath(new URL('../../dist/backend/run-backend.js', import.meta.url));
/** Milliseconds for loading and probing, and for programming a change; both multiplied by the patience of the run. */
const START_TIMEOUT = 60_000;
const APPLY_TIMEOUT = 60_000;
/** Number of characters of the log that are kept. */
const LOG_LENGTH = 4000;

const STDIO: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], serialization: 'json' };

type Spawn = (command: readonly [string, ...string[]], options: SpawnOptions) => ChildProcess;

/** A backend in a separate process. */
export class BackendProcess {
  /** IP families that it serves on this host. */
  families: readonly IPFamily[] = [];
  readonly #child: ChildProcess;
  readonly #inForce = new Map<string, Set<IPFamily>>();
  readonly #listeners = new Set<() => void>();
  #replies: Reply[] = [];
  #failure: string | undefined;
  /** The error code of the kit, if the kit reported the failure. */
  #code: ConformanceErrorCode | undefined;
  #log = '';
  #lastMarker = 0;
  #marker: object | undefined;

  private constructor(
    child: ChildProcess,
    private readonly patience: number,
  ) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-LOG_LENGTH);
    });
    child.stdout?.resume();
    child.on('message', (reply: Reply) => this.#receive(reply));
    child.on('error', (error) => this.#fail(error.message));
    child.once('exit', (code, signal) => this.#fail(`its process ended: ${signal ?? `status ${code}`}`));
  }

  /**
   * Starts it with `spawn`. Nothing is programmed before the first {@link apply}.
   *
   * @param patience - factor on all timeouts
   * @throws ConformanceError when the backend cannot be loaded, or reports that it cannot run on this host.
   */
  static async start(
    spawn: Spawn,
    choice: BackendChoice,
    proxier: Partial<ProxierOptions>,
    patience: number,
  ): Promise<BackendProcess> {
    const started = new BackendProcess(spawn([process.execPath, RUNNER], STDIO), patience);
    try {
      started.#send({ op: 'start', choice, proxier });
      const reply = await started.#reply('started', START_TIMEOUT);
      started.families = reply.families;
      return started;
    } catch (error) {
      await started.kill();
      throw error;
    }
  }

  /** Sends these changes, and waits until the backend reports that they are programmed. */
  async apply(changes: readonly ObjectChange[], serviceCIDRs?: readonly string[]): Promise<void> {
    const number = ++this.#lastMarker;
    const name = `applied-${number}`;
    const marker = markerService(name, number);
    const previous = this.#marker;
    this.#marker = marker;
    this.#send({
      op: 'apply',
      changes: [
        ...changes,
        ...(previous ? [{ kind: 'Service' as const, previous }] : []),
        { kind: 'Service', current: marker },
      ],
      ...(serviceCIDRs ? { serviceCIDRs } : {}),
      marker: name,
    });
    await this.#until(`changes to be programmed`, APPLY_TIMEOUT, () =>
      this.families.every((family) => this.#inForce.get(name)?.has(family)) ? true : undefined,
    );
    this.#inForce.delete(name);
  }

  /** The counts of the backend. */
  async count(): Promise<readonly CountedTotal[]> {
    this.#send({ op: 'count' });
    return (await this.#reply('counted', APPLY_TIMEOUT)).totals;
  }

  /** SIGKILL; resolves when it has ended. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined) {
      const gone = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await gone;
    }
  }

  /** The last lines of its log. */
  get log(): string {
    return this.#log.trim();
  }

  /** Describes a backend, without namespace and privileges. */
  static async describe(choice: BackendChoice, patience: number): Promise<BackendDescription> {
    const child = new BackendProcess(
      fork(RUNNER, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] }),
      patience,
    );
    try {
      child.#send({ op: 'describe', choice });
      return (await child.#reply('described', START_TIMEOUT)).description;
    } finally {
      await child.kill();
    }
  }

  /** Runs the cleanup of the backend in a separate process. */
  static async cleanUp(spawn: Spawn, choice: BackendChoice, patience: number): Promise<void> {
    const child = new BackendProcess(spawn([process.execPath, RUNNER], STDIO), patience);
    try {
      child.#send({ op: 'cleanup', choice });
      await child.#reply('cleaned-up', APPLY_TIMEOUT);
    } finally {
      await child.kill();
    }
  }

  #send(request: Request): void {
    if (this.#failure === undefined) {
      this.#child.send(request, (error) => error && this.#fail(error.message));
    }
  }

  #receive(reply: Reply): void {
    if (reply.event === 'failed') {
      if (reply.isComplete) {
        this.#log = '';
      }
      this.#fail(reply.message, reply.code);
      return;
    }
    if (reply.event === 'in-force') {
      const families = this.#inForce.get(reply.marker) ?? new Set();
      this.#inForce.set(reply.marker, families.add(reply.family));
    } else {
      this.#replies.push(reply);
    }
    this.#wake();
  }

  #fail(reason: string, code?: ConformanceErrorCode): void {
    this.#failure ??= reason;
    this.#code ??= code;
    this.#wake();
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) {
      listener();
    }
  }

  #reply<Event extends Reply['event']>(event: Event, timeout: number): Promise<Extract<Reply, { event: Event }>> {
    return this.#until(`it to be ${event}`, timeout, () => {
      const found = this.#replies.find((reply) => reply.event === event);
      this.#replies = this.#replies.filter((reply) => reply !== found);
      return found as Extract<Reply, { event: Event }> | undefined;
    });
  }

  #until<T>(what: string, time: number, find: () => T | undefined): Promise<T> {
    const timeout = time * this.patience;
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      const fail = (reason: string): void => {
        finish();
        const log = this.log;
        if (this.#code !== undefined) {
          reject(new ConformanceError(this.#code, reason));
          return;
        }
        reject(
          new ConformanceError(
            'CONFORMANCE_BACKEND_FAILED',
            `the backend failed: ${reason}${log ? `\nlast lines of its log:\n${log}` : ''}`,
          ),
        );
      };
      const look = (): void => {
        const found = find();
        if (found !== undefined) {
          finish();
          resolve(found);
        } else if (this.#failure !== undefined) {
          fail(this.#failure);
        }
      };
      const timer = setTimeout(() => fail(`timed out after ${timeout / 1000} s waiting for ${what}`), timeout);
      this.#listeners.add(look);
      look();
    });
  }
}

/** A Service of both families without endpoints, whose presence in the state shows that all earlier changes are programmed. */
function markerService(name: string, number: number): object {
  const low = number % 250;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: MARKER_NAMESPACE },
    spec: {
      type: 'ClusterIP',
      clusterIP: `10.111.255.${low + 1}`,
      clusterIPs: [`10.111.255.${low + 1}`, `fd00:10:96::ffff:${(low + 1).toString(16)}`],
      ipFamilies: ['IPv4', 'IPv6'],
      ports: [{ port: 80, protocol: 'TCP' }],
    },
  };
}
