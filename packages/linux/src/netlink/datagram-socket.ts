import type { NetlinkSocketOptions, NetlinkTransport } from './open-socket.js';

/**
 * An open netlink socket that sends and receives datagrams. Every method throws a `NetlinkError`, after which the
 * socket is of no further use.
 */
export interface DatagramSocket {
  readonly transport: NetlinkTransport;
  /** By which notifications name the socket. */
  readonly portId: number;
  /**
   * Bytes that unread answers may take in the kernel, its own overhead included. More end this process.
   * Undefined: an overrun is an error, and no more.
   */
  readonly capacity: number | undefined;
  /** Whether all answers to what was sent can be received once sending is done. */
  readonly isAnsweredAtOnce: boolean;
  /** The datagram that was received last. Its bytes are reused. */
  readonly received: Buffer;
  /**
   * The kernel carries out what it is sent before this is done. `bytes` must not change meanwhile.
   *
   * @param inBackground in a thread, where the transport can choose. Default: when it is large.
   */
  send(bytes: Buffer, inBackground?: boolean): void | Promise<void>;
  /**
   * Sends a request that the kernel answers without waiting for a transaction. Never in a thread, so the socket may be closed next.
   *
   * @returns false, and sends nothing, where the answer does not come at once.
   */
  sendAtOnce(bytes: Buffer): boolean;
  /** Receives into {@link received}. @returns false when there is nothing yet. */
  receive(): boolean;
  /** Waits until something may have been received, a moment at most. */
  arrival(): Promise<void>;
  /** Lets the event loop run, after one of many datagrams. */
  othersTurn(): Promise<void>;
  close(): void;
}

/** What is set where the transport can. */
export interface DatagramSocketOptions extends NetlinkSocketOptions {
  /** Errors carry the explanation of the kernel, and not the request. Default false. */
  readonly isExplaining?: boolean;
  /** Bytes of the buffer for answers, beyond the limit for all sockets where that is permitted. Default: within it. */
  readonly forcedReceiveBuffer?: number;
}
