import type { NftChange, NftWatch } from '../nft-watch.js';

export interface NftTableWatcherOptions {
  /** Milliseconds between two checks. */
  readonly interval: number;
  /** Reads received notifications; the watch ends when it rejects. */
  readonly look: () => Promise<void>;
  readonly onEnd: () => void;
}

/** Watches one table: checks it at regular intervals until it is stopped, or a check fails. */
export class NftTableWatcher implements NftWatch {
  readonly ended: Promise<void>;
  #end: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    readonly key: string,
    private readonly onChange: (change: NftChange) => void,
    private readonly options: NftTableWatcherOptions,
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  start(): void {
    void this.#look();
  }

  report(table: string, change: NftChange): void {
    if (!this.#isStopped && table === this.key) {
      this.onChange(change);
    }
  }

  /** @param table without a watcher, as a key of `nftTableKey`. */
  reportOther(table: string, change: NftChange): void {
    if (!this.#isStopped) {
      this.onChange({ ...change, otherTable: table.slice(table.indexOf(' ') + 1) });
    }
  }

  stop(): void {
    if (!this.#isStopped) {
      this.#isStopped = true;
      clearTimeout(this.#timer);
      this.options.onEnd();
      this.#end();
    }
  }

  async #look(): Promise<void> {
    try {
      await this.options.look();
    } catch {
      this.stop();
    }
    if (!this.#isStopped) {
      this.#timer = setTimeout(() => void this.#look(), this.options.interval);
      this.#timer.unref();
    }
  }
}
