import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  isRecord,
  isText,
  messageOf,
  OptionRules,
  printable,
  systemClock,
  type UnknownRecord,
} from '@kube-proxier/core';
import { ApiClient } from '../api/api-client.js';
import { type CredentialOptions, createApiCredentials } from '../api/api-credentials.js';
import { ApiError, ApiStatusError } from '../api/kubernetes-error.js';
import { checkConnectionOptions, type RulesFor } from '../watch/check-connection-options.js';
import { controlFrame, WebSocketReader } from './web-socket-reader.js';

/** Connection to an API server, and timeout. */
export interface PodClientOptions extends Pick<CredentialOptions, 'kubeconfig' | 'master' | 'context'> {
  readonly userAgent: string;
  /** Timeout in milliseconds of a request, or of a command with all of its output. Default 15000. */
  readonly timeout?: number;
}

const RULES: RulesFor<PodClientOptions> = {
  kubeconfig: OptionRules.string,
  master: OptionRules.string,
  context: OptionRules.string,
  userAgent: OptionRules.string,
  timeout: OptionRules.milliseconds,
};

/** A pod with its containers. */
export interface PodSummary {
  readonly namespace: string;
  readonly name: string;
  /** Empty before it is scheduled. */
  readonly nodeName: string;
  /** `Running`, `Pending` and others; `Terminating` while it is being deleted. */
  readonly phase: string;
  readonly containers: readonly {
    readonly name: string;
    /** `command` and `args` of the container. */
    readonly args: readonly string[];
  }[];
}

/** A command and its container. */
export interface PodCommand {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The program and its arguments; no shell is involved. */
  readonly command: readonly string[];
}

/** Result of a command that has ended. */
export interface PodCommandResult {
  readonly exitStatus: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The protocol of `exec`: the first byte of a message is the number of its stream. */
const PROTOCOL = 'v4.channel.k8s.io';
const STREAMS = { stdout: 1, stderr: 2, status: 3 } as const;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const PAGE_SIZE = 500;
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/**
 * Lists pods and nodes, and runs commands in containers, as `kubectl get` and `kubectl exec` do. Nothing is written to the
 * cluster, and no port is opened. Close it at the end.
 */
export class PodClient {
  readonly #client: ApiClient;
  readonly #timeout: number;

  /** @throws KubernetesError `OPTION_INVALID` when an option is missing, unknown or invalid. */
  constructor(options: PodClientOptions) {
    checkConnectionOptions<PodClientOptions>('PodClient', options, RULES, ['userAgent']);
    const { userAgent, timeout = 15_000, ...credentials } = options;
    this.#timeout = timeout;
    this.#client = new ApiClient({
      credentials: createApiCredentials({ ...credentials, clock: systemClock }),
      clock: systemClock,
      responseTimeout: timeout,
      pageTimeout: timeout,
      maxPageBytes: MAX_PAGE_BYTES,
      userAgent,
    });
  }

  /**
   * The pods of a namespace that a label selector selects.
   *
   * @throws ApiError, KubernetesError
   */
  async listPods(namespace: string, labelSelector: string, signal: AbortSignal): Promise<readonly PodSummary[]> {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
    return (await this.#list(path, { labelSelector }, signal)).flatMap((pod) => readPod(pod) ?? []);
  }

  /**
   * The names of all nodes that a label selector selects.
   *
   * @throws ApiError, KubernetesError
   */
  async listNodeNames(labelSelector: string, signal: AbortSignal): Promise<readonly string[]> {
    return (await this.#list('/api/v1/nodes', { labelSelector }, signal)).flatMap(({ metadata }) =>
      isRecord(metadata) && isText(metadata.name) ? [metadata.name] : [],
    );
  }

  /**
   * Runs a command in a container until its end.
   *
   * @throws ApiError `API_SILENT` after the timeout, `API_STATUS` when the server refuses it, `COMMAND_FAILED` when it
   *   could not be started, `API_UNREACHABLE` when the connection ended before the command.
   */
  async run({ namespace, pod, container, command }: PodCommand, signal: AbortSignal): Promise<PodCommandResult> {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec`;
    const query = new URLSearchParams({ container, stdout: 'true', stderr: 'true' });
    for (const word of command) {
      query.append('command', word);
    }
    // Node 20 collects a timeout to which only AbortSignal.any refers, and it never fires: it is read below.
    const timeout = AbortSignal.timeout(this.#timeout);
    const deadline = AbortSignal.any([signal, timeout]);
    try {
      const { socket, head } = await this.#client.openWebSocket(path, query, [PROTOCOL], deadline);
      return await new CommandOutput(socket).collect(head, deadline);
    } catch (error) {
      if (timeout.aborted && !signal.aborted) {
        throw new ApiError('API_SILENT', `no complete answer came within ${this.#timeout} ms`, { cause: error });
      }
      throw error;
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#client.close();
  }

  async #list(path: string, selector: Record<string, string>, signal: AbortSignal): Promise<readonly UnknownRecord[]> {
    const found: UnknownRecord[] = [];
    let token = '';
    do {
      const query = new URLSearchParams({ ...selector, limit: String(PAGE_SIZE) });
      if (token !== '') {
        query.set('continue', token);
      }
      const page = await this.#client.getPage(path, query, signal);
      if (!Array.isArray(page.items)) {
        throw new ApiError('API_RESPONSE_INVALID', 'the response is not a list of objects');
      }
      const before = found.length;
      found.push(...page.items.filter(isRecord));
      const next = isRecord(page.metadata) && isText(page.metadata.continue) ? page.metadata.continue : '';
      token = found.length > before ? next : '';
    } while (token !== '');
    return found;
  }
}

/** Collects the output of a command from its WebSocket. */
class CommandOutput {
  readonly #reader = new WebSocketReader(MAX_OUTPUT_BYTES);
  readonly #parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  #size = 0;

  constructor(private readonly socket: Duplex) {}

  async collect(head: Buffer, signal: AbortSignal): Promise<PodCommandResult> {
    const { socket } = this;
    const stop = () => socket.destroy(new ApiError('API_SILENT', 'the command was aborted'));
    signal.addEventListener('abort', stop);
    try {
      return await new Promise<PodCommandResult>((resolve, reject) => {
        const take = (data: Buffer) => {
          try {
            const result = this.#read(data);
            if (result !== undefined) {
              socket.end(controlFrame('close', Buffer.alloc(0), randomBytes(4)));
              resolve(result);
            }
          } catch (error) {
            reject(error);
          }
        };
        socket.on('data', take);
        socket.on('error', reject);
        socket.on('close', () => reject(cutOff()));
        socket.on('end', () => reject(cutOff()));
        if (signal.aborted) {
          stop();
        }
        take(head);
      });
    } finally {
      signal.removeEventListener('abort', stop);
      socket.on('error', () => {});
      socket.destroy();
    }
  }

  /** @returns the result once the command has ended. */
  #read(data: Buffer): PodCommandResult | undefined {
    for (const event of this.#reader.read(data)) {
      if (event.kind === 'close') {
        throw cutOff();
      }
      if (event.kind === 'ping') {
        this.socket.write(controlFrame('pong', event.data, randomBytes(4)));
        continue;
      }
      const payload = event.data.subarray(1);
      switch (event.data[0]) {
        case STREAMS.stdout:
          this.#add('stdout', payload);
          break;
        case STREAMS.stderr:
          this.#add('stderr', payload);
          break;
        case STREAMS.status:
          return { exitStatus: exitStatusOf(payload.toString('utf8')), ...this.#texts() };
        default:
          break;
      }
    }
    return undefined;
  }

  #add(stream: 'stdout' | 'stderr', payload: Buffer): void {
    this.#size += payload.length;
    if (this.#size > MAX_OUTPUT_BYTES) {
      throw new ApiError('API_RESPONSE_INVALID', `the command printed more than ${MAX_OUTPUT_BYTES} bytes`);
    }
    this.#parts[stream].push(payload);
  }

  #texts(): { readonly stdout: string; readonly stderr: string } {
    const { stdout, stderr } = this.#parts;
    return { stdout: Buffer.concat(stdout).toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
  }
}

function cutOff(): ApiError {
  return new ApiError('API_UNREACHABLE', 'the connection was closed before the command had ended');
}

/** @throws ApiError `COMMAND_FAILED` when the status says that the command was not run. */
function exitStatusOf(text: string): number {
  let status: unknown;
  try {
    status = JSON.parse(text);
  } catch (error) {
    throw new ApiError('API_RESPONSE_INVALID', `the status of the command is not JSON: ${printable(messageOf(error))}`);
  }
  if (isRecord(status) && status.status === 'Success') {
    return 0;
  }
  const details = isRecord(status) && isRecord(status.details) ? status.details : {};
  const causes = Array.isArray(details.causes) ? details.causes.filter(isRecord) : [];
  const code = Number(causes.find(({ reason }) => reason === 'ExitCode')?.message ?? Number.NaN);
  if (Number.isInteger(code) && code !== 0) {
    return code;
  }
  const message = isRecord(status) && isText(status.message) ? printable(status.message, 500) : 'without a message';
  throw new ApiError('COMMAND_FAILED', `the command could not be run: ${message}`);
}

function readPod({ metadata, spec, status }: UnknownRecord): PodSummary | undefined {
  if (!isRecord(metadata) || !isText(metadata.name) || !isText(metadata.namespace) || !isRecord(spec)) {
    return undefined;
  }
  const containers = Array.isArray(spec.containers) ? spec.containers.filter(isRecord) : [];
  const phase = isRecord(status) && isText(status.phase) ? status.phase : 'Unknown';
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    nodeName: isText(spec.nodeName) ? spec.nodeName : '',
    phase: isText(metadata.deletionTimestamp) ? 'Terminating' : phase,
    containers: containers.map(({ name, command, args }) => ({
      name: isText(name) ? name : '',
      args: [command, args].flatMap((list) => (Array.isArray(list) ? list.filter(isText) : [])),
    })),
  };
}

/** Whether the API server refused a request because of missing permissions. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiStatusError && error.status === 403;
}
