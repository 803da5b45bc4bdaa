import { Writable } from 'node:stream';
import type { LogFields, Logger } from '@kube-proxier/core';
import { createLogger, format, transports, type Logger as WinstonLogger } from 'winston';

/** The log of the agent: winston, one JSON object per line. */
export function createAgentLog(write: (line: string) => void): WinstonLogger {
  const stream = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      write(line);
      done();
    },
  });
  return createLogger({
    format: format.json({ deterministic: false }),
    transports: [new transports.Stream({ stream, eol: '\n' })],
  });
}

/** Passes the log of the embedded proxy to that of the agent. */
export class ProxyLog implements Logger {
  constructor(private readonly winston: WinstonLogger) {}

  error(message: string, fields?: LogFields): void {
    this.log('error', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.log('warn', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.log('info', message, fields);
  }

  debug(_level: number, message: string, fields?: LogFields): void {
    this.log('debug', message, fields);
  }

  v(): boolean {
    return this.winston.isDebugEnabled();
  }

  private log(level: string, message: string, { error: _error, ...fields }: LogFields = {}): void {
    this.winston.log({ level, message, ...fields });
  }
}
