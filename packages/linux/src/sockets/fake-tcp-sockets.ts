import type { TcpSocketAddress, TcpSockets, TcpSocketsError } from './tcp-sockets.js';

/** Sockets in memory. */
export class FakeTcpSockets implements TcpSockets {
  readonly #open = new Map<string, TcpSocketAddress>();
  #failure: TcpSocketsError | undefined;

  /** Adds a connection of a program. */
  add(connection: TcpSocketAddress): void {
    this.#open.set(keyOf(connection), connection);
  }

  get open(): readonly TcpSocketAddress[] {
    return [...this.#open.values()];
  }

  /** Makes every call fail from now on; undefined restores normal operation. */
  failWith(error: TcpSocketsError | undefined): void {
    this.#failure = error;
  }

  async reset(connections: readonly TcpSocketAddress[]): Promise<number> {
    if (this.#failure && connections.length > 0) {
      throw this.#failure;
    }
    return connections.filter((connection) => this.#open.delete(keyOf(connection))).length;
  }
}

function keyOf({ localAddress, localPort, remoteAddress, remotePort }: TcpSocketAddress): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}
