import { type Clock, type Logger, messageOf, printable } from '@kube-proxier/core';
import type { DirectorySnapshot } from './manifest-directory.js';
import type { DirectoryWatch, WatchDirectory } from './watch-directory.js';

/** Options of a {@link DirectoryWatcher}. */
export interface DirectoryWatcherOptions {
  /** What is watched, for the log. */
  readonly description: string;
  /** Undefined for polling only. */
  readonly watch: WatchDirectory | undefined;
  /** Poll interval in milliseconds, and the time after which a failed watch is started again. */
  readonly pollInterval: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when something in the directory may have changed. */
  readonly onChange: () => void;
}

/** Watches the current directory at a path, and restarts a failed watch. Logs a failure once. */
export class DirectoryWatcher {
  #watch: DirectoryWatch | undefined;
  #watchedStamp = '';
  #failure = '';
  #retryAt = 0;

  constructor(private readonly options: DirectoryWatcherOptions) {}

  /**
   * Watches the directory of this snapshot, if it does not do that yet.
   *
   * @returns whether a watch was started: neither covers a change between the snapshot and the start.
   */
  follow(snapshot: DirectorySnapshot): boolean {
    const { watch, clock, onChange } = this.options;
    const isWatched = this.#watch !== undefined && this.#watchedStamp === snapshot.watchedStamp;
    if (!watch || isWatched || clock.monotonic() < this.#retryAt) {
      return false;
    }
    this.close();
    try {
      this.#watch = watch(
        snapshot.watched,
        () => {
          this.#failure = '';
          onChange();
        },
        (error) => this.#failed(error),
      );
      this.#watchedStamp = snapshot.watchedStamp;
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  /** Ends the watch until {@link follow} is called again. */
  close(): void {
    this.#watch?.close();
    this.#watch = undefined;
  }

  #failed(error: unknown): void {
    const { clock, description, logger, pollInterval } = this.options;
    this.close();
    this.#retryAt = clock.monotonic() + pollInterval;
    const reason = printable(messageOf(error));
    if (this.#failure !== reason) {
      this.#failure = reason;
      logger.warn(`${description}: changes are seen only every ${pollInterval} ms, since watching failed: ${reason}`);
    }
  }
}
