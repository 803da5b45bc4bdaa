import type { PacketCount, PacketCounters } from './packet-counters.js';

/** {@link PacketCounters} in memory. */
export class FakePacketCounters implements PacketCounters {
  /** By name; a test sets the values. */
  readonly counts = new Map<string, PacketCount>();

  /** @param available whether the kernel has `nfnetlink_acct`. */
  constructor(private readonly available = true) {}

  async ensure(name: string): Promise<boolean> {
    if (this.available && !this.counts.has(name)) {
      this.counts.set(name, { packets: 0, bytes: 0 });
    }
    return this.available;
  }

  async read(name: string): Promise<PacketCount | undefined> {
    return this.counts.get(name);
  }

  close(): void {}
}
