import type { Clock, Logger } from '@kube-proxier/core';

/**
 * Tells in the log when the API server is away and when it is back, once each, however many requests fail meanwhile;
 * and what it refuses, once for as long as it does, and once for all resources that it says the same of.
 */
export class ApiAvailability {
  /** By resource, with the reason. */
  private readonly away = new Map<string, string>();
  private awaySince = 0;
  /** By resource. */
  private readonly refusals = new Map<string, string>();
  /** By refusal, those that it no longer holds for while it does for others. */
  private readonly readable = new Map<string, readonly string[]>();

  /** @param server how it is called in the log. */
  constructor(
    private readonly server: string,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** No answer came for this resource, or none that helps. */
  unreachable(resource: string, reason: string): void {
    if (this.away.size === 0) {
      this.awaySince = this.clock.monotonic();
      this.logger.error(
        `${this.server} does not answer as it should: ${reason}; what is known stays in force, and it is asked again until it does`,
      );
    }
    this.away.set(resource, reason);
  }

  /** Why this resource cannot be read now; undefined when nothing is known to be in the way. */
  obstacle(resource: string): string | undefined {
    return this.away.get(resource) ?? this.refusals.get(resource);
  }

  /** It answered that this must not or cannot be asked. */
  refused(resource: string, message: string, severity: 'error' | 'warn' = 'error'): void {
    this.noLongerAway(resource);
    const told = this.holds(message);
    this.refusals.set(resource, message);
    if (!told) {
      this.logger[severity](`${this.server}: ${message}`);
    }
  }

  /** It gave what it was asked for. */
  answered(resource: string): void {
    this.noLongerAway(resource);
    const message = this.refusals.get(resource);
    if (message === undefined) {
      return;
    }
    this.refusals.delete(resource);
    const readable = [...(this.readable.get(message) ?? []), resource];
    if (this.holds(message)) {
      this.readable.set(message, readable);
    } else {
      this.readable.delete(message);
      this.logger.info(`${this.server}: ${readable.join(', ')} can be read again`);
    }
  }

  private holds(message: string): boolean {
    return [...this.refusals.values()].includes(message);
  }

  private noLongerAway(resource: string): void {
    if (this.away.delete(resource) && this.away.size === 0) {
      const seconds = Math.round((this.clock.monotonic() - this.awaySince) / 1000);
      this.logger.info(`${this.server} answers again after ${seconds} s`);
    }
  }
}
