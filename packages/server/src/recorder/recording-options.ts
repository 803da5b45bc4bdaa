/** What the flight recorder keeps. */
export interface RecordingOptions {
  /** Milliseconds. Older changes are dropped. Default 3600000. */
  readonly maxAge?: number;
  /** Bytes, in memory, and again on disk. The oldest changes are dropped beyond it. Default 67108864. */
  readonly maxBytes?: number;
  /**
   * Where the recording is also written, so that it survives this process; created when it does not exist. Default: it is
   * kept in memory only.
   */
  readonly directory?: string;
}

/** Milliseconds. */
export const DEFAULT_RECORDING_AGE = 3_600_000;
/** Bytes. */
export const DEFAULT_RECORDING_BYTES = 64 * 1024 * 1024;
