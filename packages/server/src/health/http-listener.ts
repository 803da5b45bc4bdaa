import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, joinHostPort, type Logger, messageOf, ProxierError, type Timer } from '@kube-proxier/core';
import { ConnectionLimits, type SharedRoom } from './connection-limits.js';

export interface HttpListenerOptions {
  /** What it is, for the log: `health server`. */
  readonly name: string;
  /** Address without brackets. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Only this family, where the host is a wildcard: two listeners then share one port. Default false. */
  readonly ipv6Only?: boolean;
  /** Methods that are answered; others get 405. Default: all, and `answer` decides. */
  readonly methods?: readonly string[];
  /** Whether an address is one of the node, whose connections have room of their own. Default: loopback only. */
  readonly isOwnAddress?: (address: string) => boolean;
  /** Room for connections that this listener has in common with others. Default: none. */
  readonly sharedRoom?: SharedRoom;
  /** Answers a request. One that rejects is logged and answered with 500. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Told of each attempt to listen that failed. Default: nobody. */
  readonly onFailure?: (error: unknown) => void;
  /** Where it cannot listen, `start` rejects and there is no other try. Default false. */
  readonly hardFail?: boolean;
}

/** An address cannot be listened on, and that was to be an end. */
export class ListenError extends ProxierError {
  /** What was to listen: `health server`. */
  readonly server: string;

  constructor(server: string, address: string, cause: unknown) {
    const advice = 'free it, choose another, or leave bindAddressHardFail out to have it tried again';
    super('CANNOT_LISTEN', `the ${server} cannot listen on ${address}: ${messageOf(cause)}; ${advice}`, { cause });
    this.server = server;
  }
}

/** Milliseconds between two attempts to listen (spec H-9, H-36). */
const RETRY = 5000;
/** Connections that the kernel keeps until they are accepted, up to `net.core.somaxconn`: where a client makes very many at once. */
const BACKLOG = 4096;
/** Milliseconds from the connection, or the first byte of a further request, to the last byte of its headers. */
const HEADERS_TIMEOUT = 3000;
/** Milliseconds in which a request has to be complete, with its body. */
const REQUEST_TIMEOUT = 10_000;
/** Milliseconds in which an answer has to be read once it is complete. */
const READ_TIMEOUT = 30_000;
/** Milliseconds between two looks for requests that take too long. */
const CHECK_INTERVAL = 500;
/** Milliseconds between two lines of the log on the same subject, as anybody may cause them. */
const LOG_INTERVAL = 60_000;

/**
 * A small HTTP server that may fail to listen without harm: it says so, and tries again until it can. It never keeps the
 * process alive. No client can keep others from being answered: see {@link ConnectionLimits}.
 */
export class HttpListener {
  private server: Server | undefined;
  private retry: Timer | undefined;
  private stopped = false;
  private readonly limits: ConnectionLimits;
  private readonly reportDrop: (source: string) => void;
  private readonly reportFailure: (message: string) => void;

  constructor(private readonly options: HttpListenerOptions) {
    const { name, logger, clock, isOwnAddress, sharedRoom } = options;
    this.reportDrop = atIntervals(clock, (source, count) =>
      logger.warn(
        `The ${name} has too many open connections; it drops the longest idle ones (${count}), the last one from ${source}`,
      ),
    );
    this.reportFailure = atIntervals(clock, (message, count) =>
      logger.error(`The ${name} could not answer a request${count > 1 ? ` (${count} times)` : ''}: ${message}`),
    );
    this.limits = new ConnectionLimits({
      onDrop: (source) => this.reportDrop(source),
      ...(isOwnAddress ? { isOwn: isOwnAddress } : {}),
      ...(sharedRoom ? { shared: sharedRoom } : {}),
    });
  }

  /** Where it listens; undefined while it does not. */
  get address(): { readonly host: string; readonly port: number } | undefined {
    const address = this.server?.address();
    return typeof address === 'object' && address !== null ? { host: address.address, port: address.port } : undefined;
  }

  /**
   * Resolves when it listens, or when it is clear that it cannot yet.
   *
   * @throws ListenError `CANNOT_LISTEN` when that is an end.
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
      const server = createServer(timeouts, (request, response) => void this.handle(request, response));
      server.unref();
      // Before the server's own listener: one that is dropped at once has nothing to be cleaned up.
      server.prependListener('connection', (socket) => this.limits.admit(socket));
      server.once('error', (error) => {
        if (hardFail) {
          reject(new ListenError(name, joinHostPort(host, port), error));
          return;
        }
        const taken = 'code' in error && error.code === 'EADDRINUSE';
        const hint = taken ? '; does another proxy run here? "ss -ltnp" names it' : '';
        const where = joinHostPort(host, port);
        logger.error(`The ${name} cannot listen on ${where}; trying again: ${messageOf(error)}${hint}`);
        onFailure?.(error);
        if (!this.stopped) {
          this.retry = clock.setTimer(RETRY, () => void this.start());
        }
        resolve();
      });
      server.listen({ host, port, ipv6Only, backlog: BACKLOG }, () => {
        this.server = server;
        if (this.stopped) {
          server.close();
        }
        resolve();
      });
    });
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const { methods, answer, clock } = this.options;
    let slow: Timer | undefined;
    response.setHeader('Server', SERVER_NAME);
    response.once('finish', () => this.limits.answered(socket));
    response.once('close', () => slow?.cancel());
    try {
      if (methods && !methods.includes(request.method ?? '')) {
        replyMethodNotAllowed(response, methods);
      } else {
        await answer(request, response);
      }
    } catch (error) {
      this.reportFailure(messageOf(error));
      reply(response, 500, TEXT, 'internal error; see the log\n');
    }
    if (!response.writableFinished && !response.closed) {
      // Who does not read must not hold the answer.
      slow = clock.setTimer(READ_TIMEOUT, () => socket.destroy());
    }
  }

  /** Resolves when nothing is listened to any more. Idempotent. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.retry?.cancel();
    const { server } = this;
    this.server = undefined;
    if (server) {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    }
  }
}

/** By this header an answer of kube-proxier is told from one of kube-proxy. */
export const SERVER_NAME = 'kube-proxier';

/** Calls `report` at once, and then at most once in an interval, with how many times it was wanted since. */
function atIntervals(clock: Clock, report: (detail: string, count: number) => void): (detail: string) => void {
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

/** Methods that change nothing. Load balancers look with OPTIONS too (HAProxy does where no other is set). */
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

/** Answers 405, and names the methods that are answered. */
export function replyMethodNotAllowed(response: ServerResponse, methods: readonly string[]): void {
  const allow = methods.join(', ');
  reply(response, 405, TEXT, `the method is not allowed here; use ${allow}\n`, { Allow: allow });
}
