import type { Clock, Logger } from '@kube-proxier/core';

/**
 * Logs when the API server becomes unavailable and when it is available again, once each, regardless of the number of
 * failed requests, and the first reason of each further resource that fails for a different one. Logs refusals once
 * while they last, and once for all resources with the same refusal.
 */
export class ApiAvailability {
  /** Failing resources, with the reason. */
  readonly #away = new Map<string, string>();
  /** Failing resources with a different reason than the rest. */
  readonly #announced = new Set<string>();
  #awaySince = 0;
  /** Refused resources, with the reason. */
  readonly #refusals = new Map<string, string>();
  /** By refusal: resources that are readable again while it still applies to other resources. */
  readonly #readable = new Map<string, readonly string[]>();

  /** @param server name of the server in the log. */
  constructor(
    private readonly server: string,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** Records a missing or unusable answer for this resource. */
  unreachable(resource: string, reason: string): void {
    if (this.#away.size === 0) {
      this.#awaySince = this.clock.monotonic();
      this.logger.error(
        `${this.server} does not answer correctly: ${reason}; the last known objects stay in force, and requests are retried`,
      );
    } else if (!this.#away.has(resource) && !this.#isKnown(resource, reason)) {
      this.#announced.add(resource);
      this.logger.error(
        `${this.server} does not answer correctly for ${resource} either: ${withoutName(resource, reason)}`,
      );
    }
    this.#away.set(resource, reason);
  }

  /** One failure of the server, such as a refused connection, affects all resources: it is logged once. */
  #isKnown(resource: string, reason: string): boolean {
    const bare = withoutName(resource, reason);
    return [...this.#away].some(([name, known]) => withoutName(name, known) === bare);
  }

  /** Why this resource cannot be read now; undefined when no obstacle is known. */
  obstacle(resource: string): string | undefined {
    return this.#away.get(resource) ?? this.#refusals.get(resource);
  }

  /** Records that the server refused or does not support the request. */
  refused(resource: string, message: string, severity: 'error' | 'warn' = 'error'): void {
    this.#noLongerAway(resource);
    const isKnown = this.#holds(message);
    this.#refusals.set(resource, message);
    if (!isKnown) {
      this.logger[severity](`${this.server}: ${message}`);
    }
  }

  /** Records a successful request. */
  answered(resource: string): void {
    this.#noLongerAway(resource);
    const message = this.#refusals.get(resource);
    if (message === undefined) {
      return;
    }
    this.#refusals.delete(resource);
    const readable = [...(this.#readable.get(message) ?? []), resource];
    if (this.#holds(message)) {
      this.#readable.set(message, readable);
    } else {
      this.#readable.delete(message);
      this.logger.info(`${this.server}: ${readable.join(', ')} can be read again`);
    }
  }

  #holds(message: string): boolean {
    return [...this.#refusals.values()].includes(message);
  }

  #noLongerAway(resource: string): void {
    if (!this.#away.delete(resource)) {
      return;
    }
    const isAnnounced = this.#announced.delete(resource);
    if (this.#away.size === 0) {
      const seconds = Math.round((this.clock.monotonic() - this.#awaySince) / 1000);
      this.logger.info(`${this.server} answers again after ${seconds} s`);
    } else if (isAnnounced) {
      this.logger.info(`${this.server} answers for ${resource} again`);
    }
  }
}

/** The reason of a failure without the prefixed name of the resource. */
function withoutName(resource: string, reason: string): string {
  const prefix = `${resource}: `;
  return reason.startsWith(prefix) ? reason.slice(prefix.length) : reason;
}
