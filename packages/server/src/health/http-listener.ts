import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, joinHostPort, type Logger, messageOf, ProxierError, type Timer } from '@kube-proxier/core';

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

/**
 * A small HTTP server that may fail to listen without harm: it says so, and tries again until it can. It never keeps the
 * process alive.
 */
export class HttpListener {
  private server: Server | undefined;
  private retry: Timer | undefined;
  private stopped = false;

  constructor(private readonly options: HttpListenerOptions) {}

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
    const { name, host, port, logger, clock, answer, ipv6Only = false, onFailure, hardFail = false } = this.options;
    return new Promise((resolve, reject) => {
      const server = createServer((request, response) => {
        response.setHeader('Server', SERVER_NAME);
        Promise.resolve()
          .then(() => answer(request, response))
          .catch((error: unknown) => {
            logger.error(`The ${name} could not answer a request: ${messageOf(error)}`);
            reply(response, 500, TEXT, 'internal error; see the log\n');
          });
      });
      server.unref();
      // Slow clients must not hold sockets.
      server.requestTimeout = 10_000;
      server.headersTimeout = 10_000;
      server.maxConnections = 256;
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
      server.listen({ host, port, ipv6Only }, () => {
        this.server = server;
        if (this.stopped) {
          server.close();
        }
        resolve();
      });
    });
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
