import { type Clock, type Logger, systemClock, type Timer } from '@kube-proxier/core';
import { type KernelFiles, type MemoryUse, readMemoryUse } from '@kube-proxier/linux';

/** Milliseconds between two checks during a start, which needs the most memory, and later; and without a limit. */
const [START_PERIOD, PERIOD, PERIOD_WITHOUT_LIMIT] = [100, 2000, 60_000];
/** Milliseconds of a start. */
const START = 120_000;
/** Shares of a memory limit from which it is almost reached, and below which it no longer is. */
const [HIGH, LOW] = [0.85, 0.75];
const MEGABYTE = 1024 * 1024;

/** Options of a {@link MemoryWatch}. */
export interface MemoryWatchOptions {
  readonly files: KernelFiles;
  readonly logger: Logger;
  readonly clock?: Clock;
}

/**
 * Reports a memory limit that is almost reached, before the kernel kills the process: a killed process logs nothing, and is killed in the
 * same way after each restart. A full heap is reported by Node.js.
 */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  readonly #clock: Clock;
  readonly #begun: number;
  #timer: Timer | undefined;
  #stopped = false;
  #shortage: string | undefined;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#begun = this.#clock.monotonic();
  }

  /** How much of the limit is used, and the remedy; undefined when it is not almost reached. */
  get shortage(): string | undefined {
    return this.#shortage;
  }

  /** Checks now, and then periodically. */
  start(): void {
    void this.#check();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #check(): Promise<void> {
    const { files, logger } = this.#options;
    const before = this.#shortage;
    const use = await readMemoryUse(files);
    const isHigh = use !== undefined && use.used > (before === undefined ? HIGH : LOW) * use.limit;
    this.#shortage = isHigh ? shortageText(use) : undefined;
    if (before === undefined && this.#shortage !== undefined) {
      logger.warn(this.#shortage);
    } else if (before !== undefined && this.#shortage === undefined) {
      logger.info('The memory limit is no longer almost reached');
    }
    if (!this.#stopped) {
      const isStart = this.#clock.monotonic() - this.#begun < START;
      const period = use === undefined ? PERIOD_WITHOUT_LIMIT : isStart ? START_PERIOD : PERIOD;
      this.#timer = this.#clock.setTimer(period, () => void this.#check());
    }
  }
}

function shortageText({ used, limit }: MemoryUse): string {
  const share = `${Math.ceil(used / MEGABYTE)} of ${Math.floor(limit / MEGABYTE)} MiB`;
  return `${share} of the memory limit of this process are used, beyond which the kernel kills it: raise the limit (resources.limits.memory of the container, MemoryMax)`;
}
