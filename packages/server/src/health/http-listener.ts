import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { type Clock, joinHostPort, type Logger, messageOf, ProxierError, type Timer } from '@kube-proxier/core';
import { ConnectionLimits, type SharedRoom } from './connection-limits.js';
import type { ConnectionShare } from './descriptor-shares.js';

export interface HttpListenerOptions {
  /** Name for the log: `health server`. */
  readonly name: string;
  /** Address without brackets. */
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Listens on this family only, if the host is a wildcard: two listeners can then share one port. Default false. */
  readonly ipv6Only?: boolean;
  /** Allowed methods; any other gets 405. Default: all, and `answer` decides. */
  readonly methods?: readonly string[];
  /** Whether an address belongs to the node, whose connections have a reserved limit. Default: loopback only. */
  readonly isOwnAddress?: (address: string) => boolean;
  /** Maximum concurrent connections. Default: those of `ConnectionLimits`. */
  readonly connections?: ConnectionShare;
  /** Connection limits shared with other listeners. Default: none. */
  readonly sharedRoom?: SharedRoom;
  /** Answers a request. A rejection is logged and answered with 500. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Serves HTTPS with this certificate. Default: HTTP. */
  readonly certificate?: ServerCertificate;
  /** Called for each failed attempt to listen. Default: nothing. */
  readonly onFailure?: (error: unknown) => void;
  /** If it cannot listen, `start` rejects instead of retrying. Default false. */
  readonly hardFail?: boolean;
}

/** A certificate chain and its private key, in PEM. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Cannot listen on an address, and `hardFail` is set. */
export class ListenError extends ProxierError {
  /** Name of the listener: `health server`. */
  readonly server: string;

  constructor(server: string, address: string, cause: unknown) {
    const advice = 'free it, choose another, or unset bindAddressHardFail to retry';
    super('CANNOT_LISTEN', `the ${server} cannot listen on ${address}: ${messageOf(cause)}; ${advice}`, { cause });
    this.server = server;
  }
}

/** Milliseconds between two attempts to listen (spec H-9, H-36). */
const RETRY = 5000;
/** Connections that the kernel queues until they are accepted, up to `net.core.somaxconn`: a client may open many at a time. */
const BACKLOG = 4096;
/** Milliseconds from the connection, or the first byte of a further request, to the last byte of its headers. */
const HEADERS_TIMEOUT = 3000;
/** Milliseconds in which a request, with its body, must be complete. */
const REQUEST_TIMEOUT = 10_000;
/** Milliseconds in which the client must read a complete response. */
const READ_TIMEOUT = 30_000;
/** Milliseconds in which a TLS handshake must be complete. */
const HANDSHAKE_TIMEOUT = 3000;
/** Milliseconds between two checks for requests that take too long. */
const CHECK_INTERVAL = 500;
/** Minimum milliseconds between two log lines on the same subject, which any client can cause. */
const LOG_INTERVAL = 60_000;

/**
 * A small HTTP server that logs a failure to listen and retries. It never keeps the process alive. No client can starve
 * others: see {@link ConnectionLimits}.
 */
export class HttpListener {
  #server: Server | undefined;
  #retry: Timer | undefined;
  #stopped = false;
  #certificate: ServerCertificate | undefined;
  /** Connections of an HTTPS server, by the address and port of the client. */
  readonly #rawSockets = new Map<string, Socket>();
  readonly #limits: ConnectionLimits;
  readonly #reportDrop: (source: string) => void;
  readonly #reportFailure: (message: string) => void;
  readonly #reportRetry: (problem: string) => void;
  readonly #reportRefusal: (message: string) => void;
  #obstacle: string | undefined;

  constructor(private readonly options: HttpListenerOptions) {
    const { name, logger, clock, isOwnAddress, connections, sharedRoom, certificate } = options;
    this.#certificate = certificate;
    this.#reportDrop = atIntervals(clock, (source, count) =>
      logger.warn(
        `The ${name} has too many open connections; it drops the longest idle ones (${count}), the last one from ${source}`,
      ),
    );
    this.#reportFailure = atIntervals(clock, (message, count) =>
      logger.error(`The ${name} could not answer a request${count > 1 ? ` (${count} times)` : ''}: ${message}`),
    );
    this.#reportRetry = atIntervals(clock, (problem) => logger.error(`The ${problem}`));
    this.#reportRefusal = atIntervals(clock, (message, count) =>
      logger.error(`The ${name} could not accept connections${count > 1 ? ` (${count} times)` : ''}: ${message}`),
    );
    this.#limits = new ConnectionLimits({
      ...connections,
      onDrop: (source) => this.#reportDrop(source),
      ...(isOwnAddress ? { isOwn: isOwnAddress } : {}),
      ...(sharedRoom ? { shared: sharedRoom } : {}),
    });
  }

  /** Where it listens; undefined while it does not. */
  get address(): { readonly host: string; readonly port: number } | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? { host: address.address, port: address.port } : undefined;
  }

  /** Why it does not listen, as `health server cannot listen on …`; undefined while it listens, or was not started. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /**
   * Resolves when it listens, or after the first attempt failed.
   *
   * @throws ListenError `CANNOT_LISTEN` with `hardFail`.
   */
  start(): Promise<void> {
    const { name, host, port, logger, clock, ipv6Only = false, onFailure, hardFail = false } = this.options;
    return new Promise((resolve, reject) => {
      // Slow clients must not hold sockets.
      const timeouts = {
        headersTimeout: HEADERS_TIMEOUT,
        requestTimeout: REQUEST_TIMEOUT,
        connectionsCheckingInterval: CHECK_INTERVAL,
      };
      const handle = (request: IncomingMessage, response: ServerResponse) => void this.#handle(request, response);
      const server = this.#certificate
        ? createHttpsServer(
            { ...timeouts, ...secureContext(this.#certificate), handshakeTimeout: HANDSHAKE_TIMEOUT },
            handle,
          )
        : createServer(timeouts, handle);
      server.unref();
      // Before the server's own listener: a connection that is dropped immediately needs no cleanup.
      server.prependListener('connection', (socket) => {
        if (this.#certificate) {
          this.#register(socket);
        }
        this.#limits.admit(socket);
      });
      server.on('error', (error) => {
        if (server.listening) {
          // Without free descriptors, connections cannot be accepted; the listener stays open.
          this.#reportRefusal(messageOf(error));
          return;
        }
        if (hardFail) {
          reject(new ListenError(name, joinHostPort(host, port), error));
          return;
        }
        const taken = 'code' in error && error.code === 'EADDRINUSE';
        const hint = taken ? '; another process uses the port: run "ss -ltnp" to find it' : '';
        const where = joinHostPort(host, port);
        this.#obstacle = `${name} cannot listen on ${where}; retrying: ${messageOf(error)}${hint}`;
        this.#reportRetry(this.#obstacle);
        onFailure?.(error);
        if (!this.#stopped) {
          this.#retry = clock.setTimer(RETRY, () => void this.start());
        }
        resolve();
      });
      server.listen({ host, port, ipv6Only, backlog: BACKLOG }, () => {
        this.#server = server;
        if (this.#stopped) {
          server.close();
        } else if (this.#obstacle !== undefined) {
          this.#obstacle = undefined;
          logger.info(`The ${name} listens on ${joinHostPort(host, port)} now`);
        }
        resolve();
      });
    });
  }

  /**
   * Uses another certificate for connections from now on.
   *
   * @throws an error of Node when it is not valid; the previous one stays in use.
   */
  renewCertificate(certificate: ServerCertificate): void {
    (this.#server as HttpsServer | undefined)?.setSecureContext(secureContext(certificate));
    this.#certificate = certificate;
  }

  #register(socket: Socket): void {
    const key = clientOf(socket);
    this.#rawSockets.set(key, socket);
    socket.once('close', () => {
      if (this.#rawSockets.get(key) === socket) {
        this.#rawSockets.delete(key);
      }
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const { methods, answer, clock } = this.options;
    let slow: Timer | undefined;
    response.setHeader('Server', SERVER_NAME);
    // The socket of a TLS request is not the accepted object.
    const accepted = this.#rawSockets.get(clientOf(socket)) ?? socket;
    response.once('finish', () => this.#limits.answered(accepted));
    response.once('close', () => slow?.cancel());
    try {
      if (methods && !methods.includes(request.method ?? '')) {
        replyMethodNotAllowed(response, methods);
      } else {
        await answer(request, response);
      }
    } catch (error) {
      this.#reportFailure(messageOf(error));
      reply(response, 500, TEXT, 'internal error; see the log\n');
    }
    if (!response.writableFinished && !response.closed) {
      // A client that does not read must not hold the response.
      slow = clock.setTimer(READ_TIMEOUT, () => socket.destroy());
    }
  }

  /** Resolves when it no longer listens. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#retry?.cancel();
    const server = this.#server;
    this.#server = undefined;
    if (server) {
      server.closeAllConnections();
      // Connections in a TLS handshake.
      for (const socket of this.#rawSockets.values()) {
        socket.destroy();
      }
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    }
  }
}

function secureContext({ certificate, key }: ServerCertificate): { readonly cert: string; readonly key: string } {
  return { cert: certificate, key };
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Value of the `Server` header, which distinguishes kube-proxier from kube-proxy. */
export const SERVER_NAME = 'kube-proxier';

/** Calls `report` immediately, and then at most once per interval, with the number of events since. */
export function atIntervals(clock: Clock, report: (detail: string, count: number) => void): (detail: string) => void {
  let count = 0;
  let next = Number.NEGATIVE_INFINITY;
  return (detail) => {
    count += 1;
    if (clock.monotonic() >= next) {
      report(detail, count);
      count = 0;
      next = clock.monotonic() + LOG_INTERVAL;
    }
  };
}

/** Methods that change nothing. Load balancers check with OPTIONS too (the default of HAProxy). */
export const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export const TEXT = 'text/plain; charset=utf-8';
export const JSON_TYPE = 'application/json';

export function reply(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.writeHead(status, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff', ...headers });
  response.end(body);
}

/** Answers 405, and names the allowed methods. */
export function replyMethodNotAllowed(response: ServerResponse, methods: readonly string[]): void {
  const allow = methods.join(', ');
  reply(response, 405, TEXT, `the method is not allowed here; use ${allow}\n`, { Allow: allow });
}
