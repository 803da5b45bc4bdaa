import { createHash, randomBytes } from 'node:crypto';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  type Clock,
  isProxierError,
  isRecord,
  isText,
  messageOf,
  printable,
  type UnknownRecord,
} from '@kube-proxier/core';
import { readStatus } from '../protobuf/envelope.js';
import type { ApiCredentials, RequestCredentials } from './api-credentials.js';
import { ByteCollector } from './byte-collector.js';
import { InactivityTimer } from './inactivity-timer.js';
import { ApiError, ApiStatusError } from './kubernetes-error.js';
import { acceptedTypes, isProtobuf } from './media-types.js';
import { type BodyLimits, responseChunks } from './response-body.js';
import { SlowAnswerTimer } from './slow-answer-timer.js';

/** Options of an {@link ApiClient}. */
export interface ApiClientOptions {
  readonly credentials: ApiCredentials;
  readonly clock: Clock;
  /** Milliseconds without a byte after which a pending request fails. */
  readonly responseTimeout: number;
  /**
   * Milliseconds after which a request for a page fails, even when bytes still arrive; a page that is streamed fails only when
   * too few of them arrive in this time.
   */
  readonly pageTimeout: number;
  /** Maximum size of a page in bytes. */
  readonly maxPageBytes: number;
  readonly userAgent: string;
}

interface ApiRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** JSON to send; makes the request a POST. */
  readonly body?: string;
  /** The answer is a stream of events: compression would buffer events. */
  readonly watch?: boolean;
  /** Protobuf is accepted, and preferred. Default: JSON only. */
  readonly protobuf?: boolean;
}

/** A request for objects. */
export interface ObjectsRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Whether protobuf is accepted, and preferred, beside JSON. */
  readonly protobuf: boolean;
}

/** A chunk of a list. */
export interface ListBytes {
  readonly bytes: Buffer;
  /** Whether the list is in protobuf; else it is JSON. */
  readonly isProtobuf: boolean;
}

const NO_QUERY = new URLSearchParams();
/** Number of bytes that are decoded to text at a time. */
const TEXT_BYTES = 32 * 1024;
/** Part of every WebSocket handshake (RFC 6455). */
const WEB_SOCKET_ID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const MAX_ERROR_BYTES = 64 * 1024;
/** Milliseconds after which the kernel starts to probe an idle connection (TCP keepalive). */
const PROBE_AFTER = 15_000;

const OTHER_AUTHORITY =
  'its certificate is not from the authority that is trusted for it: correct certificate-authority in the kubeconfig';

/** The remedy for a server that cannot be authenticated, by Node's error code. */
const CERTIFICATE_ADVICE: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: OTHER_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: OTHER_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: OTHER_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: OTHER_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: OTHER_AUTHORITY,
  CERT_SIGNATURE_FAILURE: OTHER_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'ask it by a name that is in its certificate, or set tls-server-name in the kubeconfig',
  CERT_HAS_EXPIRED: 'renew the certificate of the API server, or set the clock of this machine',
  CERT_NOT_YET_VALID: 'set the clock of this machine',
};

/** Sends requests to an API server over kept-alive connections. Does not retry. */
export class ApiClient {
  readonly #agents = new Map<string, HttpAgent>();

  constructor(private readonly options: ApiClientOptions) {}

  /**
   * One page of a list, parsed.
   *
   * @param maxBytes maximum size of the answer. Default that of the options.
   * @throws ApiError, KubernetesError
   */
  getPage(path: string, query: URLSearchParams, signal: AbortSignal, maxBytes?: number): Promise<UnknownRecord> {
    return this.#exchange({ path, query }, signal, maxBytes);
  }

  /**
   * Creates an object.
   *
   * @returns the object as created.
   * @throws ApiError, KubernetesError
   */
  create(path: string, object: object, signal: AbortSignal): Promise<UnknownRecord> {
    return this.#exchange({ path, query: NO_QUERY, body: JSON.stringify(object) }, signal);
  }

  /**
   * One page of a list, or a list without pages, as it arrives.
   *
   * @param limit maximum size of the answer in bytes.
   * @returns the bytes, decompressed. The connection is closed when the iteration stops before the end.
   * @throws ApiError, KubernetesError
   */
  async *streamPage(
    asked: ObjectsRequest,
    signal: AbortSignal,
    limit: number,
  ): AsyncGenerator<ListBytes, void, undefined> {
    const { clock, pageTimeout, responseTimeout } = this.options;
    const attempt = abortable(signal, (onSlow) => new SlowAnswerTimer(clock, pageTimeout, onSlow));
    try {
      const response = await this.#send(asked, attempt.signal);
      const inProtobuf = isProtobuf(response.headers);
      for await (const bytes of responseChunks(response, clock, { maxBytes: limit, silenceLimit: responseTimeout })) {
        attempt.timer.add(bytes.length);
        yield { bytes, isProtobuf: inProtobuf };
      }
    } catch (error) {
      throw attempt.failure() ?? asApiError(error);
    } finally {
      attempt.end();
    }
  }

  async #exchange(
    asked: ApiRequest,
    signal: AbortSignal,
    maxBytes = this.options.maxPageBytes,
  ): Promise<UnknownRecord> {
    const { clock, pageTimeout, responseTimeout } = this.options;
    const attempt = abortable(signal, (fail) =>
      clock.setTimer(pageTimeout, () =>
        fail(new ApiError('API_SILENT', `the answer was not complete after ${pageTimeout} ms`)),
      ),
    );
    try {
      const response = await this.#send(asked, attempt.signal);
      const body = await readBody(response, clock, { maxBytes, silenceLimit: responseTimeout });
      return parsePage(body);
    } catch (error) {
      throw attempt.failure() ?? asApiError(error);
    } finally {
      attempt.end();
    }
  }

  /**
   * Starts a watch.
   *
   * @returns the response, whose body is the stream of events.
   * @throws ApiError, KubernetesError
   */
  async openWatch(asked: ObjectsRequest, signal: AbortSignal): Promise<IncomingMessage> {
    try {
      return await this.#send({ ...asked, watch: true }, signal);
    } catch (error) {
      throw asApiError(error);
    }
  }

  /**
   * Opens a connection that is no longer HTTP.
   *
   * @param protocols offered to the server, the preferred one first.
   * @returns the connection, and data already received on it.
   * @throws ApiError, KubernetesError
   */
  async openWebSocket(
    path: string,
    query: URLSearchParams,
    protocols: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly socket: Duplex; readonly head: Buffer }> {
    const access = await this.options.credentials.get(signal);
    signal.throwIfAborted();
    const { url, options } = this.#optionsOf(access, { path, query, watch: true }, signal);
    const key = randomBytes(16).toString('base64');
    const headers = {
      ...options.headers,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': key,
      'Sec-WebSocket-Protocol': protocols.join(', '),
    };
    try {
      return await new Promise((resolve, reject) => {
        const upgrade = { ...options, headers };
        const request = url.protocol === 'https:' ? requestHttps(url, upgrade) : requestHttp(url, upgrade);
        request.on('upgrade', ({ headers: answered }, socket, head) => {
          const accepted = createHash('sha1').update(`${key}${WEB_SOCKET_ID}`).digest('base64');
          const protocol = answered['sec-websocket-protocol'] ?? '';
          if (answered['sec-websocket-accept'] !== accepted || !protocols.includes(protocol)) {
            socket.destroy();
            reject(
              new ApiError(
                'API_RESPONSE_INVALID',
                'the server did not accept one of the offered WebSocket subprotocols',
              ),
            );
            return;
          }
          resolve({ socket, head });
        });
        request.on('response', (response) => {
          this.#readError(response).then(reject, reject);
        });
        request.on('error', reject);
        request.end();
      });
    } catch (error) {
      throw asApiError(error);
    }
  }

  /** Closes idle connections: they have probably failed as well. */
  dropIdleConnections(): void {
    for (const agent of this.#agents.values()) {
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) {
          socket.destroy();
        }
      }
    }
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of this.#agents.values()) {
      agent.destroy();
    }
    this.#agents.clear();
  }

  /** @returns the response when it is successful. */
  async #send(asked: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const access = await this.options.credentials.get(signal);
    signal.throwIfAborted();
    let response: IncomingMessage;
    try {
      response = await this.#sendOnce(access, asked, signal);
    } catch (error) {
      // The server had closed a kept-alive connection, which does not indicate a failure of the server.
      if (!(error instanceof StaleConnection)) {
        throw error;
      }
      response = await this.#sendOnce(access, asked, signal);
    }
    if (response.statusCode !== 200 && response.statusCode !== 201) {
      throw await this.#readError(response);
    }
    return response;
  }

  #sendOnce(access: RequestCredentials, asked: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { clock, responseTimeout } = this.options;
    const { body } = asked;
    const { url, options } = this.#optionsOf(access, asked, signal);
    return new Promise((resolve, reject) => {
      const request: ClientRequest = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
      const timer = new InactivityTimer(clock, responseTimeout, () => {
        request.destroy(new ApiError('API_SILENT', `no answer came within ${responseTimeout} ms`));
      });
      request.on('socket', probeWhileIdle);
      request.on('response', (response) => {
        timer.cancel();
        resolve(response);
      });
      request.on('error', (error) => {
        timer.cancel();
        const stale =
          request.reusedSocket && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new StaleConnection(error.message) : error);
      });
      request.end(body);
    });
  }

  #optionsOf(
    access: RequestCredentials,
    { path, query, body, watch = false, protobuf = false }: ApiRequest,
    signal: AbortSignal,
  ): { readonly url: URL; readonly options: RequestOptions & { readonly headers: object } } {
    const { userAgent } = this.options;
    const url = new URL(access.server);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
    url.search = query.toString();
    const headers = Object.fromEntries(
      Object.entries(access.headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
    );
    const options = {
      agent: access.agent ?? this.#agentFor(url.protocol),
      headers: {
        Accept: acceptedTypes(protobuf, watch && protobuf),
        'Accept-Encoding': watch || !access.compression ? 'identity' : 'gzip',
        'User-Agent': userAgent,
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        ...headers,
      },
      method: body === undefined ? 'GET' : 'POST',
      signal,
      ...access.tls,
    };
    return { url, options };
  }

  #agentFor(protocol: string): HttpAgent {
    let agent = this.#agents.get(protocol);
    if (!agent) {
      const options = { keepAlive: true, keepAliveMsecs: PROBE_AFTER, maxFreeSockets: 4 };
      agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
      this.#agents.set(protocol, agent);
    }
    return agent;
  }

  async #readError(response: IncomingMessage): Promise<ApiStatusError> {
    const code = response.statusCode ?? 0;
    const { clock, responseTimeout } = this.options;
    const retryAfter = millisecondsOf(response.headers['retry-after'], clock.now());
    let status: UnknownRecord = {};
    try {
      const limits = { maxBytes: MAX_ERROR_BYTES, silenceLimit: responseTimeout };
      const parsed: unknown = isProtobuf(response.headers)
        ? readStatus(await readBytes(response, clock, limits))
        : JSON.parse(await readBody(response, clock, limits));
      status = isRecord(parsed) ? parsed : {};
    } catch {
      // Only the status code counts: a proxy in front of an API server may answer with any body.
    }
    return statusError(status, code, retryAfter);
  }
}

/**
 * Makes a request abortable by a timer.
 *
 * @param start starts the timer, which may call back with the reason of the failure.
 */
function abortable<T extends { cancel(): void }>(
  signal: AbortSignal,
  start: (fail: (failure: ApiError) => void) => T,
): {
  readonly signal: AbortSignal;
  readonly timer: T;
  /** Why the timer aborted the request; undefined when it did not. */
  failure(): ApiError | undefined;
  end(): void;
} {
  signal.throwIfAborted();
  const attempt = new AbortController();
  let failure: ApiError | undefined;
  const stop = () => attempt.abort();
  signal.addEventListener('abort', stop);
  const timer = start((reason) => {
    failure = reason;
    attempt.abort();
  });
  return {
    signal: attempt.signal,
    timer,
    failure: () => failure,
    end: () => {
      timer.cancel();
      signal.removeEventListener('abort', stop);
    },
  };
}

/**
 * Enables TCP keepalive, so that a watch whose packets are dropped ends after seconds. The agent of `node:https`
 * enables it only for reused connections.
 */
function probeWhileIdle(socket: Socket): void {
  const enable = () => socket.setKeepAlive(true, PROBE_AFTER);
  if (socket.connecting) {
    socket.once('connect', enable);
  } else {
    enable();
  }
}

/** @param header `Retry-After`: seconds, or a date. @returns undefined without a time in the future. */
function millisecondsOf(header: string | undefined, now: number): number | undefined {
  const seconds = Number(header);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header ?? '') - now : seconds * 1000;
  return milliseconds > 0 ? milliseconds : undefined;
}

/** A kept-alive connection was closed by the server. */
class StaleConnection extends Error {}

/**
 * @param status a Status object, or the actual body.
 * @param code used when the object has none.
 * @param retryAfter milliseconds, from the response header.
 */
export function statusError(status: UnknownRecord, code: number, retryAfter?: number): ApiStatusError {
  const details = isRecord(status.details) ? status.details : {};
  const seconds = details.retryAfterSeconds;
  const number = typeof status.code === 'number' ? status.code : code;
  const reason = isText(status.reason) ? printable(status.reason, 60) : '';
  const message = isText(status.message) ? printable(status.message) : 'without a message';
  const wait = retryAfter ?? (typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined);
  const text = `${number}${reason === '' ? '' : ` ${reason}`}: ${message}`;
  // Servers before 1.18.6 do not name the cause.
  const causes = Array.isArray(details.causes) ? details.causes : [];
  const isVersionTooLarge =
    causes.some((cause) => isRecord(cause) && cause.reason === 'ResourceVersionTooLarge') ||
    (number === 504 && /too large resource version/i.test(message));
  return new ApiStatusError(number, reason, text, wait, isVersionTooLarge);
}

async function readBytes(response: IncomingMessage, clock: Clock, limits: BodyLimits): Promise<Buffer> {
  const collected = new ByteCollector();
  for await (const chunk of responseChunks(response, clock, limits)) {
    collected.push(chunk);
  }
  return collected.takeBytes();
}

async function readBody(response: IncomingMessage, clock: Clock, limits: BodyLimits): Promise<string> {
  // Decode early: buffers are freed late, and would dominate the memory use of many pages.
  const pending = new ByteCollector();
  const decoder = new StringDecoder('utf8');
  let body = '';
  for await (const chunk of responseChunks(response, clock, limits)) {
    // Chunks of a few bytes take ten times their size as text.
    pending.push(chunk);
    if (pending.length >= TEXT_BYTES) {
      body += decoder.write(pending.takeBytes());
    }
  }
  return body + decoder.end(pending.takeBytes());
}

function parsePage(body: string): UnknownRecord {
  let page: unknown;
  try {
    page = JSON.parse(body);
  } catch (error) {
    throw new ApiError('API_RESPONSE_INVALID', `the response is not JSON: ${printable(messageOf(error))}`, {
      cause: error,
    });
  }
  if (!isRecord(page)) {
    throw new ApiError('API_RESPONSE_INVALID', 'the response is not a list of objects');
  }
  return page;
}

function asApiError(error: unknown): unknown {
  if (isProxierError(error)) {
    return error;
  }
  const code = isRecord(error) ? String(error.code) : '';
  const advice = CERTIFICATE_ADVICE[code];
  const reason = printable(messageOf(error));
  return new ApiError('API_UNREACHABLE', advice === undefined ? reason : `${reason} (${advice})`, { cause: error });
}
