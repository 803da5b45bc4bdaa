/** Netlink protocols that this package uses, with their numbers. */
export const NETLINK_PROTOCOLS = { route: 0, 'socket-diag': 4, netfilter: 12, generic: 16 } as const;

export type NetlinkProtocol = keyof typeof NETLINK_PROTOCOLS;

/** Flags of a request, as in `linux/netlink.h`. */
export const NETLINK_FLAGS = {
  request: 0x1,
  multi: 0x2,
  ack: 0x4,
  echo: 0x8,
  dumpInterrupted: 0x10,
  dump: 0x300,
  exclusive: 0x200,
  create: 0x400,
} as const;

/** One message to the kernel, without its header. */
export interface NetlinkRequest {
  readonly type: number;
  /** Flags of {@link NETLINK_FLAGS}; `NLM_F_REQUEST` is implied. */
  readonly flags: number;
  readonly payload: Uint8Array;
}

/** One message from the kernel, without its header. */
export interface NetlinkAnswer {
  readonly type: number;
  readonly payload: Buffer;
}

/**
 * One netlink socket. Concurrent calls are serialized.
 *
 * Every method rejects with a `NetlinkError`: `NETLINK_LOST` when the outcome is unknown.
 */
export interface Netlink {
  /**
   * Sends requests, which the kernel processes in order. A refused request does not stop the others.
   *
   * @param options.inBackground sends them from a thread, if the transport supports it, because the kernel takes long
   *   to process them. Must be idempotent. Default false.
   * @returns for each request 0, or the positive error number of its refusal.
   */
  execute(
    requests: readonly NetlinkRequest[],
    options?: { readonly inBackground?: boolean },
  ): Promise<readonly number[]>;

  /**
   * Requests one object or a whole list (flag `dump`).
   *
   * @throws NetlinkRefused
   */
  request(request: NetlinkRequest): Promise<readonly NetlinkAnswer[]>;

  /**
   * Requests many single objects. A refused request does not stop the others.
   *
   * @returns for each request its answer, or the positive error number of its refusal; 0 when there was neither.
   */
  requestEach(requests: readonly NetlinkRequest[]): Promise<readonly (NetlinkAnswer | number)[]>;

  /**
   * Requests a whole list (flag `dump`) that may be too long to keep in memory or to read at once: the event loop runs
   * between parts.
   *
   * @param take receives the messages in order; a payload is valid only until it returns, as its bytes are reused.
   * @param between runs between parts; the rest of the list is read when it has completed. If it rejects, so does the
   *   dump. It must not use this socket. Default: nothing.
   * @throws NetlinkRefused
   * @throws NetlinkError `NETLINK_LOST` also when the list changed during the dump: the messages passed on may lack
   *   some entries and repeat others.
   */
  dump(
    request: NetlinkRequest,
    take: (answer: NetlinkAnswer) => void,
    between?: () => Promise<void> | undefined,
  ): Promise<void>;

  /** Closes it. Pending calls reject with `NETLINK_CLOSED`. Idempotent. */
  close(): void;
}
