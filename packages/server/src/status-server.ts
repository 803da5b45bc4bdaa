import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type Clock,
  explainSimulation,
  familyOf,
  type IPFamily,
  type Logger,
  messageOf,
  type Packet,
  type Protocol,
  type ProxyMode,
  type ProxyState,
  parseAddress,
  type SyncObserver,
  type SyncSuccess,
  silentLogger,
  simulatePacket,
  systemClock,
  type Timer,
} from '@kube-proxier/core';

export interface StatusServerOptions {
  /** Address to listen on, without brackets. What is told here is for the node's own people: loopback, as a rule. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Default: says nothing. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Addresses of this host's interfaces, for saying what a NodePort is. Default: those of the Node object. */
  readonly localAddresses?: () => Promise<readonly string[]>;
}

/** Milliseconds between two attempts to listen (spec H-36). */
const RETRY = 5000;
const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
const TEXT = 'text/plain; charset=utf-8';

/**
 * Tells what the proxy is doing, by HTTP (spec §10.3): `/proxyMode`, `/healthz`, and what is in force and why under
 * `/debug/explain?source=…&destination=…&port=…&protocol=…`.
 *
 * It answers from the states that were programmed last, and touches nothing. A port that is taken is logged and tried
 * again; nothing else is held up by it.
 */
export class StatusServer implements SyncObserver {
  private readonly states = new Map<IPFamily, ProxyState>();
  private readonly logger: Logger;
  private readonly clock: Clock;
  private server: Server | undefined;
  private retry: Timer | undefined;
  private stopped = false;
  /** Told by `/proxyMode`; empty until the mode is chosen. */
  mode: ProxyMode = '';

  constructor(private readonly options: StatusServerOptions) {
    this.logger = options.logger ?? silentLogger;
    this.clock = options.clock ?? systemClock;
  }

  /** Where it listens; undefined while it does not. */
  get address(): { readonly host: string; readonly port: number } | undefined {
    const address = this.server?.address();
    return typeof address === 'object' && address !== null ? { host: address.address, port: address.port } : undefined;
  }

  synced({ family, state }: SyncSuccess): void {
    this.states.set(family, state);
  }

  /** Resolves when it listens, or when it is clear that it cannot yet. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      const server = createServer((request, response) => {
        this.answer(request, response).catch((error: unknown) => {
          this.logger.error(`The status server could not answer ${request.url}: ${messageOf(error)}`);
          reply(response, 500, TEXT, 'internal error; see the log\n');
        });
      });
      // It must not keep the process alive, nor let slow clients hold sockets.
      server.unref();
      server.requestTimeout = 10_000;
      server.maxConnections = 64;
      server.once('error', (error) => {
        const { host, port } = this.options;
        this.logger.error(`The status server cannot listen on ${host} port ${port}; trying again: ${messageOf(error)}`);
        if (!this.stopped) {
          this.retry = this.clock.setTimer(RETRY, () => void this.start());
        }
        resolve();
      });
      server.listen({ host: this.options.host, port: this.options.port }, () => {
        this.server = server;
        if (this.stopped) {
          server.close();
        }
        resolve();
      });
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.retry?.cancel();
    const { server } = this;
    this.server = undefined;
    if (server) {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://status');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      reply(response, 405, TEXT, 'only GET is answered here\n');
      return;
    }
    switch (url.pathname) {
      case '/healthz':
        return reply(response, 200, TEXT, 'ok');
      case '/proxyMode':
        return reply(response, 200, TEXT, this.mode);
      case '/debug/explain':
        return await this.explain(url.searchParams, response);
      default:
        return reply(response, 404, TEXT, 'not found; there are /healthz, /proxyMode and /debug/explain\n');
    }
  }

  private async explain(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const destination = parseAddress(query.get('destination'));
    const state = destination && this.states.get(familyOf(destination.text));
    if (!destination) {
      return reply(response, 400, TEXT, 'destination is not an IP address\n');
    }
    if (!state) {
      return reply(response, 503, TEXT, `nothing is programmed for ${destination.family} yet\n`);
    }
    const protocol = PROTOCOLS.find((known) => known === (query.get('protocol') ?? 'TCP'));
    if (!protocol) {
      return reply(response, 400, TEXT, `protocol is not one of ${PROTOCOLS.join(', ')}\n`);
    }
    const packet: Packet = {
      source: query.get('source') ?? '',
      destination: destination.text,
      port: Number(query.get('port')),
      protocol,
    };
    const localAddresses = await this.options.localAddresses?.();
    try {
      const simulation = simulatePacket(state, packet, localAddresses ? { localAddresses } : {});
      reply(response, 200, 'application/json', `${JSON.stringify(explainSimulation(simulation))}\n`);
    } catch (error) {
      if (!(error instanceof RangeError)) {
        throw error;
      }
      reply(response, 400, TEXT, `${messageOf(error)}\n`);
    }
  }
}

function reply(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' });
  response.end(body);
}
