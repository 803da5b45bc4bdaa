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

/** The TCP sockets of this host, whichever program has them. */
export interface TcpSockets {
  /**
   * Resets connections: the programs get ECONNABORTED, and the other ends a reset. One that does not exist is no error.
   *
   * @returns how many there were.
   * @throws TcpSocketsError; some may have been reset.
   */
  reset(connections: readonly TcpSocketAddress[]): Promise<number>;
}

/**
 * - `SOCKETS_NOT_SUPPORTED`: the kernel cannot do it (CONFIG_INET_DIAG_DESTROY), or has no such netlink.
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
