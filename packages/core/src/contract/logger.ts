/** Values of a log line. Functions are never called; check `v` before building expensive values. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The log of everything in this project. Hosts inject their own; the default of every constructor is {@link
 * silentLogger}.
 */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** Detail, written only when `v(level)` is true. Levels are kube-proxy's: 2 useful, 4 debug, 6 every request. */
  debug(level: number, message: string, fields?: LogFields): void;
  /** Whether detail of this level is enabled: check this before building expensive arguments. */
  v(level: number): boolean;
}

/** Discards everything. */
export const silentLogger: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  v: () => false,
};
