import { endpointWith } from '../model/compact-endpoint.js';
import type { Endpoint } from '../model/endpoint.js';
import { SLOW_START_PARTS } from '../model/endpoint-weights.js';
import type { ServiceKey, ServicePortKey } from '../model/service-port-name.js';
import { isSelectable } from './endpoint-set.js';

/** Minimum milliseconds between two steps of an endpoint. */
const MIN_STEP = 1000;

interface StartingEndpoint {
  readonly service: ServiceKey;
  readonly port: ServicePortKey;
  /** The endpoint with its current share. */
  endpoint: Endpoint;
  /** When it was first ready. */
  readonly since: number;
  /** Milliseconds until it has its whole weight. */
  duration: number;
}

/** Endpoints of one service port whose share has changed. */
export type ShareChange = readonly [
  service: ServiceKey,
  port: ServicePortKey,
  endpoints: readonly (readonly [key: string, endpoint: Endpoint])[],
];

/** A change of an endpoint. */
export interface EndpointEntry {
  readonly service: ServiceKey;
  readonly port: ServicePortKey;
  readonly key: string;
  readonly before: Endpoint | undefined;
  readonly endpoint: Endpoint | undefined;
  /** Milliseconds; undefined: without slow start. */
  readonly now: number | undefined;
  /** Seconds of slow start for an endpoint that becomes ready; undefined: none. */
  readonly seconds: number | undefined;
}

/**
 * Endpoints in slow start (spec E-7, E-8): each gets a tenth of its weight when it is first ready, and more step by step. Times are
 * milliseconds of a clock that is never set back.
 */
export class SlowStart {
  readonly #starting = new Map<string, StartingEndpoint>();
  #advancedAt = Number.NEGATIVE_INFINITY;

  /** Whether no endpoint is in slow start. */
  get isIdle(): boolean {
    return this.#starting.size === 0;
  }

  /** When {@link advance} is due next, at least a second after the last call; undefined for never. */
  get nextStep(): number | undefined {
    let next: number | undefined;
    for (const { since, duration } of this.#starting.values()) {
      const step = stepOf(duration);
      const passed = Math.max(0, Math.floor((this.#advancedAt - since) / step));
      const due = Math.max(since + (passed + 1) * step, this.#advancedAt + MIN_STEP);
      next = next === undefined ? due : Math.min(next, due);
    }
    return next;
  }

  /** Records a change of an endpoint. @returns the endpoint with its share; undefined when it is gone. */
  enter({ service, port, key, before, endpoint, now, seconds }: EndpointEntry): Endpoint | undefined {
    const id = `${port} ${key}`;
    if (endpoint === undefined || !isSelectable(endpoint)) {
      this.#starting.delete(id);
      return endpoint;
    }
    const known = this.#starting.get(id);
    if (known) {
      known.endpoint = withParts(endpoint, known.endpoint.slowStart);
      return known.endpoint;
    }
    if (seconds === undefined || now === undefined || (before !== undefined && isSelectable(before))) {
      return endpoint;
    }
    const starting = withParts(endpoint, 1);
    this.#starting.set(id, { service, port, endpoint: starting, since: now, duration: seconds * 1000 });
    return starting;
  }

  /** The duration of a Service has changed. @param seconds undefined: its endpoints get their whole weights with the next {@link advance}. */
  setDuration(service: ServiceKey, seconds: number | undefined): void {
    for (const starting of this.#starting.values()) {
      if (starting.service === service) {
        starting.duration = (seconds ?? 0) * 1000;
      }
    }
  }

  /** The endpoints whose share differs from before. */
  advance(now: number): Iterable<ShareChange> {
    const changes = new Map<ServicePortKey, { service: ServiceKey; endpoints: [string, Endpoint][] }>();
    for (const [id, starting] of this.#starting) {
      const parts = partsOf(now - starting.since, starting.duration);
      if (parts === starting.endpoint.slowStart) {
        continue;
      }
      starting.endpoint = withParts(starting.endpoint, parts);
      if (parts === undefined) {
        this.#starting.delete(id);
      }
      const { service, port, endpoint } = starting;
      const change = changes.get(port) ?? { service, endpoints: [] };
      changes.set(port, change);
      change.endpoints.push([endpoint.key, endpoint]);
    }
    this.#advancedAt = now;
    return [...changes].map(([port, { service, endpoints }]) => [service, port, endpoints]);
  }
}

function stepOf(duration: number): number {
  return Math.max(MIN_STEP, duration / SLOW_START_PARTS);
}

/** 1…9; undefined when the endpoint has its whole weight. */
function partsOf(elapsed: number, duration: number): number | undefined {
  if (elapsed >= duration) {
    return undefined;
  }
  const step = stepOf(duration);
  const parts = Math.floor((SLOW_START_PARTS * Math.floor(elapsed / step) * step) / duration);
  return Math.min(Math.max(parts, 1), SLOW_START_PARTS - 1);
}

function withParts(endpoint: Endpoint, parts: number | undefined): Endpoint {
  return endpointWith(endpoint, { slowStart: parts });
}
