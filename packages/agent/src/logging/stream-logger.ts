import type { Writable } from 'node:stream';
import type { LogFields, Logger } from '@kube-proxier/core';
import { formatJsonLine, formatTextLine, type LogLevel } from './log-line.js';

export type LoggingFormat = 'text' | 'json';

export interface StreamLoggerOptions {
  readonly format: LoggingFormat;
  /** Initial log verbosity. 0 for no debug output. */
  readonly verbosity: number;
  /** Destination of log lines. */
  readonly stream: Writable;
}

/** A logger whose verbosity can be changed at runtime. */
export interface AdjustableLogger extends Logger {
  /** @param level the new verbosity. */
  setVerbosity(level: number): void;
}

/**
 * Writes the log to a stream, a line for each entry: the log of the agent. Its time is that of the call. The check of the verbosity is one
 * comparison: disabled debug output costs nothing.
 */
export function createStreamLogger({ format, verbosity, stream }: StreamLoggerOptions): AdjustableLogger {
  let highest = verbosity;
  const formatLine = format === 'json' ? formatJsonLine : formatTextLine;
  const write = (level: LogLevel, v: number, message: string, fields: LogFields | undefined) => {
    stream.write(`${formatLine({ time: Date.now(), level, v, message, fields })}\n`);
  };
  const wanted = (level: number) => level <= highest;
  return {
    error: (message, fields) => write('error', 0, message, fields),
    warn: (message, fields) => write('warn', 0, message, fields),
    info: (message, fields) => write('info', 0, message, fields),
    debug(level, message, fields) {
      if (wanted(level)) {
        write('debug', level, message, fields);
      }
    },
    v: wanted,
    setVerbosity(level) {
      highest = level;
    },
  };
}
