/** What a counter of the kernel's has counted. */
export interface PacketCount {
  readonly packets: number;
  readonly bytes: number;
}

/**
 * Named counters of the kernel (`nfnetlink_acct`), which rules refer to by `-m nfacct --nfacct-name`. They outlive rules
 * and processes.
 */
export interface PacketCounters {
  /**
   * Makes the counter, unless it is there; what it has counted stays.
   *
   * @returns false where the kernel has no such counters, or this process may not use them.
   */
  ensure(name: string): Promise<boolean>;

  /** Undefined when there is none. */
  read(name: string): Promise<PacketCount | undefined>;

  /** Ends what is kept open for later calls. Another call opens it again. */
  close(): void;
}
