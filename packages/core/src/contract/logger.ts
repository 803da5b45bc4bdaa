/** Values that go with a log line. Functions are never called; build nothing expensive without asking `v` first. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Where everything in this project logs to. Hosts inject their own; the default of every constructor is
 * {@link silentLogger}.
 */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** Detail, written only when `v(level)` holds. Levels are kube-proxy's: 2 useful, 4 debug, 6 every request. */
  debug(level: number, message: string, fields?: LogFields): void;
  /** Whether detail of this level is wanted: ask before building costly arguments. */
  v(level: number): boolean;
}

/** Says nothing. */
export const silentLogger: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  v: () => false,
};
