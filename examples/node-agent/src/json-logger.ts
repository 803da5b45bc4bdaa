import type { LogFields, Logger } from '@kube-proxier/core';

/** Logs one JSON object per line, for the agent and the embedded proxy. */
export class JsonLogger implements Logger {
  constructor(private readonly write: (line: string) => void) {}

  error(message: string, fields?: LogFields): void {
    this.log('error', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.log('warn', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.log('info', message, fields);
  }

  debug(): void {}

  v(): boolean {
    return false;
  }

  private log(level: string, message: string, { error: _error, ...fields }: LogFields = {}): void {
    this.write(`${JSON.stringify({ level, message, ...fields })}\n`);
  }
}
