import type { Writable } from 'node:stream';
import type { LogFields, Logger } from '@kube-proxier/core';
import { createLogger, format, transports } from 'winston';
import { formatJsonLine, formatTextLine, type LogEntry, type LogLevel } from './log-line.js';

export type LoggingFormat = 'text' | 'json';

export interface WinstonLoggerOptions {
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

/** Key under which winston's transports find the formatted line. */
const MESSAGE = Symbol.for('message');
const ENTRY = Symbol('entry');

/**
 * Core's {@link Logger} over winston. The verbosity check is one integer comparison before winston is called: disabled
 * debug output costs nothing.
 */
export function createWinstonLogger({ format: as, verbosity, stream }: WinstonLoggerOptions): AdjustableLogger {
  let highest = verbosity;
  const formatLine = as === 'json' ? formatJsonLine : formatTextLine;
  const render = format((info) => {
    const entry = info[ENTRY] as LogEntry;
    return { ...info, [MESSAGE]: formatLine(entry) };
  });
  const winston = createLogger({
    levels: { error: 0, warn: 1, info: 2, debug: 3 },
    level: 'debug',
    format: render(),
    transports: [new transports.Stream({ stream, eol: '\n' })],
    exitOnError: false,
  });
  const write = (level: LogLevel, v: number, message: string, fields: LogFields | undefined) => {
    const entry: LogEntry = { time: Date.now(), level, v, message, fields };
    winston.log({ level, message: '', [ENTRY]: entry });
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
