/** Netlink families that this package talks to: their protocol numbers. */
export const NETLINK_PROTOCOLS = { route: 0, netfilter: 12, generic: 16 } as const;

export type NetlinkProtocol = keyof typeof NETLINK_PROTOCOLS;

/** Flags of a request, as in `linux/netlink.h`. */
export const NETLINK_FLAGS = {
  request: 0x1,
  multi: 0x2,
  ack: 0x4,
  dumpInterrupted: 0x10,
  dump: 0x300,
  exclusive: 0x200,
  create: 0x400,
} as const;

/** One message to the kernel, without its header. */
export interface NetlinkRequest {
  readonly type: number;
  /** Of {@link NETLINK_FLAGS}; that it is a request goes without saying. */
  readonly flags: number;
  readonly payload: Uint8Array;
}

/** One message from the kernel, without its header. */
export interface NetlinkAnswer {
  readonly type: number;
  readonly payload: Buffer;
}

/**
 * One netlink socket. Calls on it may overlap; they are served one after another.
 *
 * Every method rejects with a `NetlinkError`: `NETLINK_LOST` when what happened is not known.
 */
export interface Netlink {
  /**
   * Has the kernel carry out requests in their order. One that is refused does not keep the others from being carried
   * out.
   *
   * @returns for each request 0, or the positive error number with which it was refused.
   */
  execute(requests: readonly NetlinkRequest[]): Promise<readonly number[]>;

  /**
   * Asks for something, one thing or a whole list (flag `dump`).
   *
   * @throws NetlinkRefused
   */
  ask(request: NetlinkRequest): Promise<readonly NetlinkAnswer[]>;

  /**
   * Asks for many single things. A question that is refused does not keep the others from being answered.
   *
   * @returns for each request its answer, or the positive error number with which it was refused; 0 for one that got
   * neither.
   */
  askEach(requests: readonly NetlinkRequest[]): Promise<readonly (NetlinkAnswer | number)[]>;

  /**
   * Asks for a whole list (flag `dump`) that may be too long to be kept, or to be read in one go: others have their turn
   * between pieces of it.
   *
   * @param take gets the messages in their order; a payload is good only until it returns, as its bytes are used again.
   * @throws NetlinkRefused
   * @throws NetlinkError `NETLINK_LOST` also when the list changed while it was read: what was handed on may lack some,
   * and have others twice.
   */
  dump(request: NetlinkRequest, take: (answer: NetlinkAnswer) => void): Promise<void>;

  /** Ends it. What is under way rejects with `NETLINK_CLOSED`. Idempotent. */
  close(): void;
}
