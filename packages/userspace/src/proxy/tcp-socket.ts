import { createServer, type Server, type Socket } from 'node:net';
import { parseAddress, type Route } from '@kube-proxier/core';
import type { ListenerSpec } from '../plan/userspace-transaction.js';
import { listenError } from './listen-error.js';
import type { ServiceProxy } from './service-proxy.js';
import { isLoopback } from './source-policy.js';
import { cut, DESCRIPTORS_PER_CONNECTION, TcpConnection } from './tcp-connection.js';

/** What a listening socket evaluates for each client, so that changes take effect at once. */
export interface ListenerView {
  readonly spec: ListenerSpec;
  readonly service: ServiceProxy;
  readonly route: (source: string) => Route;
  /** Clients may come in at a loopback address. */
  readonly loopback: boolean;
}

/** Connections that wait to be accepted, at most; the kernel's somaxconn may be less. */
const BACKLOG = 4096;

/** One listening TCP socket. */
export class TcpSocket {
  private constructor(
    private readonly server: Server,
    /** Canonical; `0.0.0.0` or `::` for all of the family. */
    readonly address: string,
    readonly port: number,
  ) {}

  /**
   * @param port 0 takes any free one.
   * @throws UserspaceError
   */
  static async open(address: string, port: number, view: () => ListenerView): Promise<TcpSocket> {
    const { highWaterMark } = view().service.environment;
    const server = createServer(
      {
        allowHalfOpen: true,
        pauseOnConnect: true,
        highWaterMark,
      } as Parameters<typeof createServer>[0],
      (client) => serve(client, view()),
    );
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => reject(listenError('TCP', address, port, error));
      server.once('error', failed);
      server.listen({ host: address, port, backlog: BACKLOG, ipv6Only: address.includes(':'), exclusive: true }, () => {
        server.off('error', failed);
        // Accepting may fail when descriptors or memory are exhausted; listening sockets continue.
        server.on('error', (error) => view().service.warn(`${view().spec.id} could not accept: ${error.message}`));
        resolve();
      });
    });
    const bound = server.address();
    return new TcpSocket(server, address, typeof bound === 'object' && bound ? bound.port : port);
  }

  /** Stops accepting clients; open connections continue (spec U-34). Resolves when the port is free. */
  async close(): Promise<void> {
    // The callback would wait for the connections. The descriptor is closed at once.
    this.server.close();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function serve(client: Socket, { spec, service, route, loopback }: ListenerView): void {
  const source = parseAddress(client.remoteAddress)?.text;
  if (source === undefined) {
    client.destroy();
    return;
  }
  const chosen = route(source);
  if (chosen.action !== 'forward' || (!loopback && isLoopback(client.localAddress ?? ''))) {
    service.counters.refused++;
    turnAway(client);
    return;
  }
  if (!service.admit(DESCRIPTORS_PER_CONNECTION)) {
    turnAway(client);
    return;
  }
  const portal = spec.place.kind !== 'node-port' && spec.portals.length === 1 ? spec.portals[0] : undefined;
  new TcpConnection({ client, source, list: chosen.endpoints, service, portal });
}

/** The handshake is already complete: a reset is the closest equivalent to a refusal. */
function turnAway(client: Socket): void {
  client.on('error', () => {});
  cut(client);
}
