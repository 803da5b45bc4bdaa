import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SandboxError } from './sandbox-error.js';

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface ProbeMessage {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly code: string };
}

const PROBE_SCRIPT = fileURLToPath(new URL('./probe.mjs', import.meta.url));

/** The process that sends and answers packets in one network namespace; see `probe.mjs`. */
export class ProbeProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #lastId = 0;
  #failure: SandboxError | undefined;
  #stderr = '';

  /** Starts it at once; requests may be sent without waiting. */
  constructor(hostName: string, namespacePath: string) {
    this.#child = spawn('nsenter', [`--net=${namespacePath}`, process.execPath, PROBE_SCRIPT], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2000);
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
    this.#ended = new Promise((resolve) => {
      const end = (why: string): void => {
        this.#fail(new SandboxError('SANDBOX_PROBE_FAILED', `the probe of ${hostName} ended: ${why}`));
        resolve();
      };
      this.#child.once('error', (error) => end(error.message));
      this.#child.once('close', (code, signal) => end(`${signal ?? `status ${code}`} ${this.#stderr.trim()}`.trim()));
    });
  }

  /** @throws SandboxError when the probe has ended; an Error with the system's `code` when the operation failed. */
  request<Result>(op: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<Result> {
    if (this.#failure) {
      return Promise.reject(this.#failure);
    }
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: (result) => resolve(result as Result), reject });
      this.#child.stdin.write(`${JSON.stringify({ ...parameters, id, op })}\n`);
    });
  }

  /** Stops it and closes everything it holds open, and waits for its exit. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #receive(line: string): void {
    const message = JSON.parse(line) as ProbeMessage;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) {
      pending?.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    } else {
      pending?.resolve(message.result);
    }
  }

  #fail(failure: SandboxError): void {
    this.#failure ??= failure;
    for (const pending of this.#pending.values()) {
      pending.reject(this.#failure);
    }
    this.#pending.clear();
  }
}
