/** Limits of the flight recorder. */
export interface RecordingOptions {
  /** Milliseconds. Older changes are dropped. Default 3600000. */
  readonly maxAge?: number;
  /** Maximum bytes in memory, and the same on disk. The oldest changes are dropped beyond it. Default 67108864. */
  readonly maxBytes?: number;
  /** Directory for a persistent copy of the recording; created when it does not exist. Default: in memory only. */
  readonly directory?: string;
}

/** Milliseconds. */
export const DEFAULT_RECORDING_AGE = 3_600_000;
/** Bytes. */
export const DEFAULT_RECORDING_BYTES = 64 * 1024 * 1024;
