import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';

/** Maximum concurrent connections; the probe needs one. */
const MAX_CONNECTIONS = 8;
/** Milliseconds that a connection may stay open. */
const LIFETIME = 5000;

/**
 * The endpoint of the probe: answers each connection from this host with {@link answer}, and closes it. Other
 * connections are closed without an answer. Does not keep the process alive.
 */
export class ProbeListener {
  /** A random secret of this process. */
  readonly answer = randomBytes(16).toString('hex');
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  private constructor(
    readonly address: string,
    private readonly isOwnAddress: (address: string) => boolean,
  ) {}

  /**
   * Listens on a free port.
   *
   * @param isOwnAddress whether an address belongs to this host.
   * @throws the error of the system, such as EADDRNOTAVAIL.
   */
  static async open(address: string, isOwnAddress: (address: string) => boolean): Promise<ProbeListener> {
    const listener = new ProbeListener(address, isOwnAddress);
    await listener.#listen();
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  /** Closes it with all connections. Idempotent. */
  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  async #listen(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: this.address, port: 0 }, resolve);
    });
    server.on('error', () => {});
    server.unref();
    this.#server = server;
    const bound = server.address();
    this.#port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    if (!this.isOwnAddress(socket.remoteAddress?.replace(/^::ffff:/, '') ?? '')) {
      socket.destroy();
      return;
    }
    socket.unref();
    socket.setTimeout(LIFETIME, () => socket.destroy());
    socket.end(this.answer);
  }
}
