import type { LogFields, Logger } from '../contract/logger.js';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** One message. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

const LETTERS: Readonly<Record<LogLevel, string>> = { error: 'E', warn: 'W', info: 'I', debug: 'D' };

/** Keeps all messages. Its methods need no receiver. */
export class RecordingLogger implements Logger {
  readonly entries: LogEntry[] = [];
  readonly error: Logger['error'];
  readonly warn: Logger['warn'];
  readonly info: Logger['info'];
  readonly debug: Logger['debug'];
  readonly v: Logger['v'];

  /** @param verbosity up to which details are kept. Default 0: none. */
  constructor(verbosity = 0) {
    const record = (level: LogLevel) => (message: string, fields?: LogFields) =>
      void this.entries.push({ level, message, fields });
    this.error = record('error');
    this.warn = record('warn');
    this.info = record('info');
    this.v = (level) => level <= verbosity;
    this.debug = (level, message, fields) => {
      if (this.v(level)) {
        record('debug')(message, fields);
      }
    };
  }

  /** Messages of these levels, in order. Default: all levels. */
  messages(...levels: readonly LogLevel[]): readonly string[] {
    return this.entries
      .filter(({ level }) => levels.length === 0 || levels.includes(level))
      .map(({ message }) => message);
  }

  get errors(): readonly string[] {
    return this.messages('error');
  }

  get warnings(): readonly string[] {
    return this.messages('warn');
  }

  /** All messages as lines such as `W the message`. */
  get lines(): readonly string[] {
    return this.entries.map(({ level, message }) => `${LETTERS[level]} ${message}`);
  }

  /** Whether one of the lines matches. */
  has(pattern: RegExp): boolean {
    return this.lines.some((line) => pattern.test(line));
  }

  /** The same with the fields behind them, as JSON. */
  get linesWithFields(): readonly string[] {
    return this.entries.map(
      ({ level, message, fields }) => `${LETTERS[level]} ${message} ${fields ? JSON.stringify(fields) : ''}`,
    );
  }
}
