import { type KernelFiles, openFilesLimit } from '@kube-proxier/linux';

/**
 * Descriptors reserved for the rest of the process: files, the API server, tools, the ports of the agent. A quarter of
 * all, and at least this many: the ports of the server share that quarter.
 */
const RESERVE = 256;
/** The assumed limit where the system does not report one. */
const UNKNOWN_LIMIT = 8192;

/**
 * Keeps the process below its open files limit: requests beyond it are refused before the kernel does so (kube-proxy
 * exited then, spec U-33).
 */
export class DescriptorBudget {
  #taken = 0;

  #limit: number;

  /** @param source number of available descriptors, or a function that determines it; unlimited until then. */
  constructor(private readonly source: number | (() => Promise<number>)) {
    this.#limit = typeof source === 'number' ? source : Number.POSITIVE_INFINITY;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Determines the limit, if unknown. */
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
