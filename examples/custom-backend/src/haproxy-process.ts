import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '@kube-proxier/core';
import { type CommandRunner, listProcesses } from '@kube-proxier/linux';
import { HaproxyError } from './haproxy-error.js';
import type { ServerChange } from './haproxy-planner.js';
import { type HaproxyConfig, serverAddress } from './render-config.js';

/** Maximum length: paths of Unix sockets are limited, and HAProxy appends a suffix while it starts. */
const MAX_DIRECTORY = 70;
/** Milliseconds until an answer must arrive. */
const TIMEOUT = 10_000;

/**
 * The HAProxy process of one directory. It is not a child of this process, and continues when this process exits; after a
 * restart, it is found by its socket.
 */
export class HaproxyProcess {
  constructor(
    private readonly directory: string,
    private readonly runner: CommandRunner,
  ) {}

  /** Digest of its configuration, and its process id; undefined when it does not run. */
  async running(): Promise<{ readonly structure: string; readonly pid: number } | undefined> {
    let info: string;
    try {
      info = await this.ask('show info');
    } catch (error) {
      if (error instanceof HaproxyError && error.code === 'HAPROXY_NOT_RUNNING') {
        return undefined;
      }
      throw error;
    }
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(info)?.[1];
    return { structure: field('description') ?? '', pid: Number(field('Pid')) };
  }

  /**
   * Starts a process with this configuration, which replaces the running one: it takes over the listening sockets, and the old
   * process exits after its last connection. If this fails, the old process continues unchanged.
   */
  async reload({ config, map }: HaproxyConfig): Promise<void> {
    if (this.directory.length > MAX_DIRECTORY) {
      throw new HaproxyError('HAPROXY_DIRECTORY', `the path ${this.directory} is too long; set the option "directory"`);
    }
    try {
      await mkdir(this.directory, { recursive: true, mode: 0o700 });
      await writeFile(`${this.directory}/frontends.map`, map, { mode: 0o600 });
      await writeFile(this.#config, config, { mode: 0o600 });
    } catch (error) {
      const message = `cannot write to ${this.directory}: ${messageOf(error)}; set the option "directory" to another`;
      throw new HaproxyError('HAPROXY_DIRECTORY', message, { cause: error });
    }
    const old = await this.running();
    const replace = old ? ['-x', this.#socket, '-sf', String(old.pid)] : [];
    await this.runner.run({ command: 'haproxy', args: ['-D', '-f', this.#config, ...replace] });
  }

  /** Applies a change. Also completes one that was applied in part. */
  async change(change: ServerChange): Promise<void> {
    const name = `${change.backend}/${change.server}`;
    if (change.action === 'add') {
      // It may still exist, in maintenance, with earlier connections.
      const answer = await this.ask(`add server ${name} ${serverAddress(change.endpoint)}`);
      if (!/New server registered|Already exists/.test(answer)) {
        throw refused(`add server ${name}`, answer);
      }
      await this.#expectNothing(`set server ${name} state ready`);
    } else {
      // Its connections continue; it accepts no new ones.
      await this.#expectNothing(`set server ${name} state maint`);
      // Fails while it has connections: then it stays in maintenance.
      await this.ask(`del server ${name}`);
    }
  }

  /** Servers that accept new connections, by backend. */
  async servers(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    return parseServers(await this.ask('show servers state'));
  }

  /** Stops all HAProxy processes of this directory, with their connections, and removes the directory. */
  async remove(): Promise<void> {
    const ours = async () => (await listProcesses()).filter(({ command }) => command.includes(this.#config));
    for (const [signal, patience] of [
      ['SIGTERM', 3000],
      ['SIGKILL', 3000],
    ] as const) {
      for (const { pid } of await ours()) {
        try {
          process.kill(pid, signal);
        } catch {
          // It has just exited.
        }
      }
      const deadline = Date.now() + patience;
      while ((await ours()).length > 0 && Date.now() < deadline) {
        await wait(20);
      }
    }
    const left = await ours();
    if (left.length > 0) {
      const message = `haproxy (process ${left.map(({ pid }) => pid).join(', ')}) does not exit; kill it, and try again`;
      throw new HaproxyError('HAPROXY_LEFTOVERS', message);
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Runs one command of the runtime API. */
  async ask(command: string): Promise<string> {
    return await new Promise<string>((resolve, reject) => {
      const chunks: string[] = [];
      const connection = createConnection({ path: this.#socket });
      connection.setEncoding('utf8');
      connection.setTimeout(TIMEOUT, () => connection.destroy(new Error(`no answer within ${TIMEOUT} ms`)));
      connection.on('data', (chunk) => chunks.push(String(chunk)));
      connection.on('error', (error) => {
        const message = `haproxy does not answer at ${this.#socket}: ${messageOf(error)}; it will be started again`;
        reject(new HaproxyError('HAPROXY_NOT_RUNNING', message, { cause: error }));
      });
      connection.on('end', () => resolve(chunks.join('')));
      connection.end(`${command}\n`);
    });
  }

  async #expectNothing(command: string): Promise<void> {
    const answer = await this.ask(command);
    if (answer.trim() !== '') {
      throw refused(command, answer);
    }
  }

  get #config(): string {
    return `${this.directory}/haproxy.cfg`;
  }

  get #socket(): string {
    return `${this.directory}/admin.sock`;
  }
}

function refused(command: string, answer: string): HaproxyError {
  const message = `haproxy answered "${answer.trim()}" to "${command}"; its state will be read and planned again`;
  return new HaproxyError('HAPROXY_COMMAND_REFUSED', message);
}

/** Parses `show servers state`: the servers that accept new connections, by backend. Pure. */
export function parseServers(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const lines = text.split('\n');
  const columns =
    lines
      .find((line) => line.startsWith('# '))
      ?.slice(2)
      .split(' ') ?? [];
  const at = (words: readonly string[], name: string) => words[columns.indexOf(name)] ?? '';
  const servers = new Map<string, Set<string>>();
  for (const words of lines.filter((line) => /^\d+ \S/.test(line)).map((line) => line.split(' '))) {
    if (at(words, 'srv_op_state') === '2' && at(words, 'srv_admin_state') === '0') {
      const backend = at(words, 'be_name');
      servers.set(backend, (servers.get(backend) ?? new Set()).add(at(words, 'srv_name')));
    }
  }
  return servers;
}
