import { type KernelFiles, openFilesLimit } from '@kube-proxier/linux';

/**
 * Descriptors that are left to everything else in the process: files, the API server, tools that are run, the ports of the agent.
 * A quarter of all, and at least so many: the server gives its ports shares of that quarter.
 */
const RESERVE = 256;
/** The assumed limit where the system does not report one. */
const UNKNOWN_LIMIT = 8192;

/**
 * Keeps the process below its limit of open files: what would go beyond is refused before the kernel refuses it
 * (kube-proxy ended itself then, spec U-33).
 */
export class DescriptorBudget {
  #taken = 0;

  #limit: number;

  /** @param source descriptors that may be taken, or how to find out; until it is found out, as many as can be. */
  constructor(private readonly source: number | (() => Promise<number>)) {
    this.#limit = typeof source === 'number' ? source : Number.POSITIVE_INFINITY;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Finds out the limit, where it is not known yet. */
  async ready(): Promise<void> {
    if (typeof this.source === 'function' && !Number.isFinite(this.#limit)) {
      this.#limit = await this.source();
    }
  }

  get taken(): number {
    return this.#taken;
  }

  /** @returns false, and takes none, when there are not so many left. */
  take(count: number): boolean {
    if (this.#taken + count > this.#limit) {
      return false;
    }
    this.#taken += count;
    return true;
  }

  /** Takes them beyond the limit: for a few that are essential. */
  force(count: number): void {
    this.#taken += count;
  }

  release(count: number): void {
    this.#taken -= count;
  }
}

/** The limit of open files of this process less a reserve, and at least 64. Node raises it as far as it may. */
export async function descriptorLimit(files?: KernelFiles): Promise<number> {
  const limit = Math.min((await openFilesLimit(files)) ?? UNKNOWN_LIMIT, Number.MAX_SAFE_INTEGER);
  return Math.max(64, limit - Math.max(RESERVE, Math.floor(limit / 4)));
}
