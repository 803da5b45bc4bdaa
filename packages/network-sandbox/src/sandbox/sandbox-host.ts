import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { type IPFamily, joinHostPort } from '@kube-proxier/core';
import {
  type CommandResult,
  type CommandRunner,
  createCommandRunner,
  type KernelFiles,
  systemPath,
} from '@kube-proxier/linux';
import type { ClientProgress, Outcome, SandboxProtocol, ServeOptions, Tally, Target } from './outcome.js';
import { ProbeProcess } from './probe-process.js';
import { SandboxError } from './sandbox-error.js';

export type SandboxHostRole = 'node' | 'pod' | 'remote-node' | 'remote-pod' | 'client' | 'router';

/** A server that {@link SandboxHost.serve} started. */
export interface SandboxServer {
  readonly name: string;
  readonly protocol: SandboxProtocol;
  readonly port: number;
  /** Stops it and closes its connections; the port is refused afterwards. */
  close(): Promise<void>;
}

/** A connection that is kept open. */
export interface SandboxConnection {
  /** The first answer. */
  readonly by: string;
  readonly sourceSeen: string;
  readonly sourcePortSeen: number;
  /**
   * Sends one line (no line breaks in it) and waits for its echo.
   *
   * @returns `echoed` with the text, `closed` when the connection is closed (with the `code` of the error, `ECONNRESET` for
   *   example, unless the other end ended it), or `timeout` after `timeout` milliseconds (default 2000).
   */
  send(
    text: string,
    timeout?: number,
  ): Promise<
    | { readonly kind: 'echoed'; readonly text: string }
    | { readonly kind: 'closed'; readonly code?: string }
    | { readonly kind: 'timeout' }
  >;
  /** `reset` ends it at once in both directions, and leaves no TIME_WAIT. Default `end`. */
  close(how?: 'end' | 'reset'): Promise<void>;
}

/** A client that connects repeatedly. */
export interface ContinuousClient {
  /** Outcomes so far. */
  progress(): Promise<ClientProgress>;
  /** Waits for `count` further attempts: lets traffic flow during a change without sleeping. */
  moreAttempts(count: number): Promise<ClientProgress>;
  /** Waits for the pending attempt, and stops. */
  stop(): Promise<ClientProgress>;
}

const DEFAULT_TIMEOUT = 2000;

/** One network namespace: a host with its own addresses. */
export class SandboxHost {
  /** `node`, `pod1`, `pod2`, …, `remote-node`, `remote-pod1`, …, `client`, `router`. */
  readonly name: string;
  readonly role: SandboxHostRole;
  /** Canonical addresses, primary of IPv4 first, then the other IPv4 ones, then IPv6 in the same way. */
  readonly addresses: readonly string[];
  /** Name of the network namespace, for `ip netns exec`. */
  readonly namespace: string;
  /** File of the network namespace, for `nsenter --net=`. */
  readonly namespacePath: string;

  readonly #processes = new Set<ChildProcess>();
  #probe: ProbeProcess | undefined;
  #closed = false;

  constructor(
    description: { readonly name: string; readonly role: SandboxHostRole; readonly addresses: readonly string[] },
    namespace: string,
  ) {
    this.name = description.name;
    this.role = description.role;
    this.addresses = description.addresses;
    this.namespace = namespace;
    this.namespacePath = `/run/netns/${namespace}`;
  }

  /** Primary IPv4 address. */
  get ipv4(): string {
    return this.address('IPv4');
  }

  /** Primary IPv6 address. */
  get ipv6(): string {
    return this.address('IPv6');
  }

  /** Primary address of a family. */
  address(family: IPFamily): string {
    const found = this.addresses.find((address) => address.includes(':') === (family === 'IPv6'));
    if (!found) {
      throw new SandboxError('SANDBOX_PROBE_FAILED', `${this.name} has no ${family} address`);
    }
    return found;
  }

  /**
   * Link-local IPv6 address of one of this host's interfaces, without the zone.
   *
   * @throws CommandError when there is no such interface.
   * @throws SandboxError `SANDBOX_PROBE_FAILED` when the interface has no link-local address.
   */
  async linkLocalAddress(networkInterface: string): Promise<string> {
    const { stdout } = await this.exec(['ip', '-6', '-o', 'address', 'show', 'dev', networkInterface, 'scope', 'link']);
    const found = /inet6 ([^ /]+)/.exec(stdout)?.[1];
    if (!found) {
      throw new SandboxError('SANDBOX_PROBE_FAILED', `${networkInterface} of ${this.name} has no link-local address`);
    }
    return found;
  }

  /**
   * Runs commands in this namespace: an adapter with this runner works on this host. File system and processes are
   * those of the machine.
   */
  readonly runner: CommandRunner = {
    run: (request) => this.#runnerHere().run(request),
    start: (request, output) => this.#runnerHere().start(request, output),
  };

  /** Files of `/proc` as a process in this namespace sees them. */
  readonly files: KernelFiles = {
    read: (path) => this.#request('readFile', { path }),
    write: (path, text) => this.#request('writeFile', { path, text }),
  };

  #runnerHere() {
    this.#assertOpen();
    return createCommandRunner({ prefix: ['nsenter', `--net=${this.namespacePath}`] });
  }

  /**
   * Runs a command in this namespace and waits for its exit.
   *
   * @throws CommandError when it fails.
   */
  async exec(
    [command, ...args]: readonly [command: string, ...args: string[]],
    options: { readonly stdin?: string; readonly timeout?: number } = {},
  ): Promise<CommandResult> {
    return await this.runner.run({ ...options, command, args });
  }

  /** Starts a command in this namespace. It is killed when the sandbox closes, if it is still running. */
  spawn(command: readonly [file: string, ...args: string[]], options: SpawnOptions = {}): ChildProcess {
    this.#assertOpen();
    const child = spawn('nsenter', [`--net=${this.namespacePath}`, ...command], {
      ...options,
      env: { ...process.env, PATH: systemPath(), ...options.env },
    });
    this.#processes.add(child);
    child.once('exit', () => this.#processes.delete(child));
    child.once('error', () => this.#processes.delete(child));
    return child;
  }

  /**
   * Answers on a port: each connection or datagram with the name of the server and the source it saw; what is sent on a
   * TCP connection or an SCTP association is echoed. The server listens when the promise resolves. With SCTP, "every address" is
   * {@link addresses} and those of localhost.
   *
   * @throws Error with the system's `code`, for example `EADDRINUSE`.
   */
  async serve(options: ServeOptions): Promise<SandboxServer> {
    const protocol = options.protocol ?? 'TCP';
    const name = options.name ?? this.name;
    const { handle, port } = await this.#request<{ handle: number; port: number }>('serve', {
      ...options,
      protocol,
      name,
      hostAddresses: ['127.0.0.1', '::1', ...this.addresses],
    });
    return { name, protocol, port, close: () => this.#request('closeServer', { handle }) };
  }

  /** Opens one connection, or sends one datagram, and returns the outcome. */
  connect(target: Target): Promise<Outcome> {
    return this.#request('reach', withDefaults(target));
  }

  /** Opens `count` connections (or sends datagrams from new ports), up to `concurrency` (default 8) at once. */
  connectMany(target: Target, count: number, concurrency = 8): Promise<Tally> {
    return this.#request('reachMany', { ...withDefaults(target), count, concurrency });
  }

  /**
   * Opens a TCP connection or an SCTP association and keeps it open.
   *
   * @throws SandboxError when there is no answer.
   */
  async open(target: Target): Promise<SandboxConnection> {
    const { handle, outcome } = await this.#request<{ handle: number; outcome: Outcome }>('open', withDefaults(target));
    if (outcome.kind !== 'answered') {
      const where = joinHostPort(target.to, target.port);
      throw new SandboxError('SANDBOX_PROBE_FAILED', `${this.name} could not connect to ${where}: ${outcome.kind}`);
    }
    return {
      by: outcome.by,
      sourceSeen: outcome.sourceSeen,
      sourcePortSeen: outcome.sourcePortSeen,
      send: (text, timeout = DEFAULT_TIMEOUT) => this.#request('send', { handle, text, timeout }),
      close: (how = 'end') => this.#request('closeConnection', { handle, reset: how === 'reset' }),
    };
  }

  /**
   * Connects repeatedly, one at a time, `interval` milliseconds (default 0) apart. With an interval, attempts that take long
   * are further apart: four times as long as the attempt took, at most half a second.
   */
  async startClient(target: Target, interval = 0): Promise<ContinuousClient> {
    const { handle } = await this.#request<{ handle: number }>('startClient', { ...withDefaults(target), interval });
    const progress = (): Promise<ClientProgress> => this.#request('clientProgress', { handle });
    return {
      progress,
      moreAttempts: async (count) => {
        const goal = (await progress()).attempts + count;
        return await this.#request('clientAttempts', { handle, goal });
      },
      stop: () => this.#request('stopClient', { handle }),
    };
  }

  /** Starts the probe now rather than at first use. */
  async warmUp(): Promise<void> {
    await this.#request('ping', {});
  }

  /** Stops every process that was started here. Called by the sandbox. */
  async close(): Promise<void> {
    this.#closed = true;
    const ends = [...this.#processes].map(
      (child) =>
        new Promise<void>((resolve) => {
          // Not `close`: it is emitted when the last descendant closes the pipes, and those end later.
          child.once('exit', () => resolve());
          child.kill('SIGKILL');
        }),
    );
    await Promise.all([...ends, this.#probe?.close()]);
  }

  #request<Result>(op: string, parameters: Readonly<Record<string, unknown>> | object): Promise<Result> {
    this.#assertOpen();
    this.#probe ??= new ProbeProcess(this.name, this.namespacePath);
    return this.#probe.request<Result>(op, parameters as Readonly<Record<string, unknown>>);
  }

  #assertOpen(): void {
    if (this.#closed) {
      throw new SandboxError('SANDBOX_CLOSED', `${this.name} is gone: its sandbox was closed`);
    }
  }
}

function withDefaults(target: Target): object {
  return { ...target, protocol: target.protocol ?? 'TCP', timeout: target.timeout ?? DEFAULT_TIMEOUT };
}
