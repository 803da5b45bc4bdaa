import type { Clock, Logger } from '@kube-proxier/core';

/**
 * Tells in the log when the API server is away and when it is back, once each, however many requests fail meanwhile;
 * and what it refuses, once for as long as it does.
 */
export class ApiAvailability {
  private readonly away = new Set<string>();
  private awaySince = 0;
  private readonly refusals = new Map<string, string>();

  /** @param server how it is called in the log. */
  constructor(
    private readonly server: string,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** No answer came for this resource, or none that helps. */
  unreachable(resource: string, reason: string): void {
    if (this.away.size === 0) {
      this.awaySince = this.clock.now();
      this.logger.error(
        `${this.server} does not answer as it should: ${reason}; what is known stays in force, and it is asked again until it does`,
      );
    }
    this.away.add(resource);
  }

  /** It answered that this must not or cannot be asked. */
  refused(resource: string, message: string, severity: 'error' | 'warn' = 'error'): void {
    this.noLongerAway(resource);
    if (this.refusals.get(resource) !== message) {
      this.refusals.set(resource, message);
      this.logger[severity](`${this.server}: ${message}`);
    }
  }

  /** It gave what it was asked for. */
  answered(resource: string): void {
    this.noLongerAway(resource);
    if (this.refusals.delete(resource)) {
      this.logger.info(`${this.server}: ${resource} can be read again`);
    }
  }

  private noLongerAway(resource: string): void {
    if (this.away.delete(resource) && this.away.size === 0) {
      const seconds = Math.round((this.clock.now() - this.awaySince) / 1000);
      this.logger.info(`${this.server} answers again after ${seconds} s`);
    }
  }
}
