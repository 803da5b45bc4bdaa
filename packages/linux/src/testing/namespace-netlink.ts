import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Netlink, NetlinkAnswer, NetlinkProtocol, NetlinkRequest } from '../netlink/netlink.js';
import { NetlinkError, type NetlinkErrorCode, NetlinkRefused } from '../netlink/netlink-error.js';
import type { RelayedCall, RelayedRequest, RelayedResult } from './netlink-relay.js';

const RELAY = fileURLToPath(new URL('./netlink-relay.js', import.meta.url));

/** Netlink of another network namespace than this process's, through a process there. It needs the build. */
export class NamespaceNetlink {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #pending = new Map<number, (result: RelayedResult) => void>();
  #lastId = 0;

  /** @param namespacePath file to enter the namespace by. */
  constructor(namespacePath: string) {
    this.#child = spawn('nsenter', [`--net=${namespacePath}`, process.execPath, RELAY], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdin.on('error', () => {});
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const result = JSON.parse(line) as RelayedResult;
      this.#pending.get(result.id)?.(result);
      this.#pending.delete(result.id);
    });
    this.#child.once('close', () => {
      for (const [id, resolve] of this.#pending) {
        resolve({ id, failure: { code: 'NETLINK_CLOSED', message: 'the relay ended' } });
      }
      this.#pending.clear();
    });
  }

  /** Netlink of one protocol there. */
  netlink(protocol: NetlinkProtocol): Netlink {
    return {
      execute: async (requests) => (await this.#call({ protocol, execute: requests.map(relayed) })).errors ?? [],
      ask: async (request) => {
        const { answers = [] } = await this.#call({ protocol, ask: relayed(request) });
        return answers.map(({ type, payload }): NetlinkAnswer => ({ type, payload: Buffer.from(payload, 'base64') }));
      },
      close: () => {},
    };
  }

  /** Ends the process. */
  close(): void {
    this.#child.kill('SIGKILL');
  }

  async #call(call: WithoutId<RelayedCall>): Promise<RelayedResult> {
    const id = ++this.#lastId;
    const result = await new Promise<RelayedResult>((resolve) => {
      this.#pending.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ ...call, id })}\n`);
    });
    if (result.refused !== undefined) {
      throw new NetlinkRefused(result.refused, 'answer');
    }
    if (result.failure !== undefined) {
      throw new NetlinkError(result.failure.code as NetlinkErrorCode, result.failure.message);
    }
    return result;
  }
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

function relayed({ type, flags, payload }: NetlinkRequest): RelayedRequest {
  return { type, flags, payload: Buffer.from(payload).toString('base64') };
}
