/** The values of a kernel counter. */
export interface PacketCount {
  readonly packets: number;
  readonly bytes: number;
}

/**
 * Named kernel counters (`nfnetlink_acct`). Rules refer to them with `-m nfacct --nfacct-name`. They persist beyond
 * rules and processes.
 */
export interface PacketCounters {
  /**
   * Creates the counter if it does not exist. An existing counter keeps its values.
   *
   * @returns false where the kernel lacks `nfnetlink_acct`, or this process lacks permission.
   */
  ensure(name: string): Promise<boolean>;

  /** Undefined when the counter does not exist. */
  read(name: string): Promise<PacketCount | undefined>;

  /** Closes the socket. A later call reopens it. */
  close(): void;
}
