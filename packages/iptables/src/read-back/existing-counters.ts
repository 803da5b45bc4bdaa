import { NetlinkError, type PacketCount, type PacketCounters } from '@kube-proxier/linux';

/** Counters for a preview: counters that a proxier would create count as existing, and nothing is created. */
export class ExistingCounters implements PacketCounters {
  constructor(private readonly counters: PacketCounters) {}

  /** The kernel refuses the lookup of a counter when it lacks them. */
  async ensure(name: string): Promise<boolean> {
    try {
      await this.counters.read(name);
      return true;
    } catch (error) {
      if (error instanceof NetlinkError) {
        return false;
      }
      throw error;
    }
  }

  read(name: string): Promise<PacketCount | undefined> {
    return this.counters.read(name);
  }

  close(): void {
    this.counters.close();
  }
}
