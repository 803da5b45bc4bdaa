import { type IPFamily, ProxierError } from '@kube-proxier/core';

/** A TCP connection as the socket of one end has it. */
export interface TcpSocketAddress {
  readonly family: IPFamily;
  /** Canonical. */
  readonly localAddress: string;
  readonly localPort: number;
  /** Canonical; the address that the program connected to, before any translation. */
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** The TCP sockets of this host, of all programs. */
export interface TcpSockets {
  /**
   * Resets connections: the programs get ECONNABORTED, and the peers a reset. A missing connection is not an error.
   *
   * @returns the number of existing connections.
   * @throws TcpSocketsError; some may have been reset.
   */
  reset(connections: readonly TcpSocketAddress[]): Promise<number>;
}

/**
 * - `SOCKETS_NOT_SUPPORTED`: the kernel lacks CONFIG_INET_DIAG_DESTROY or sock_diag.
 * - `SOCKETS_NOT_PERMITTED`: needs root or CAP_NET_ADMIN.
 * - `SOCKETS_FAILED`: anything else; `cause` has it.
 */
export type TcpSocketsErrorCode = 'SOCKETS_NOT_SUPPORTED' | 'SOCKETS_NOT_PERMITTED' | 'SOCKETS_FAILED';

/** Sockets could not be reset. */
export class TcpSocketsError extends ProxierError {
  declare readonly code: TcpSocketsErrorCode;

  constructor(code: TcpSocketsErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
