import {
  type Clock,
  type Logger,
  messageOf,
  OptionRules,
  printable,
  printableValue,
  silentLogger,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import { ApiClient } from '../api/api-client.js';
import { type ApiCredentials, createApiCredentials } from '../api/api-credentials.js';
import { ApiStatusError } from '../api/kubernetes-error.js';
import type { ApiConnectionOptions } from '../watch/api-connection.js';
import { CONNECTION_RULES, checkConnectionOptions, type RulesFor } from '../watch/check-connection-options.js';

/** The object that an event regards. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Default: none, as for Nodes; the event is then created in `default`. */
  readonly namespace?: string;
}

/** A Kubernetes event, visible with `kubectl get events`. */
export interface ClusterEvent {
  readonly type: 'Normal' | 'Warning';
  /** The reason, in one word, such as `Starting`. */
  readonly reason: string;
  /** The action, in one word, such as `StartKubeProxy`. */
  readonly action: string;
  /** In full sentences. Truncated at 1024 bytes, as the API server requires. */
  readonly note: string;
  readonly regarding: EventSubject;
}

/** Options of an {@link EventRecorder}. `kubeconfig` and `master` as for `KubernetesSource`. */
export interface EventRecorderOptions {
  readonly kubeconfig?: string;
  readonly master?: string;
  readonly context?: string;
  /** Reporting controller, such as `kube-proxier`. */
  readonly controller: string;
  /** Reporting instance: usually controller and node. */
  readonly instance: string;
  /** Default: no log. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Burst of events before rate limiting. Default 25, as client-go. */
  readonly burst?: number;
  /** Milliseconds until one more event is allowed. Default 300000, as client-go. */
  readonly refill?: number;
  /** Milliseconds during which a repeated event is suppressed. Default 600000. */
  readonly repeatAfter?: number;
  readonly userAgent?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly serviceAccountDirectory?: string;
}

/** All options of a connection, so that one object may be given to a source and to a recorder. */
const RULES: RulesFor<EventRecorderOptions & ApiConnectionOptions> = {
  ...CONNECTION_RULES,
  controller: OptionRules.string,
  instance: OptionRules.string,
  burst: OptionRules.wholeNumberFrom(0),
  refill: OptionRules.milliseconds,
  repeatAfter: OptionRules.milliseconds,
};

const NOTE_BYTES = 1024;
/** Maximum number of queued events; later ones are dropped. */
const MAX_QUEUE_LENGTH = 100;
const ATTEMPTS = 5;
const FIRST_PAUSE = 1000;

interface Waiting {
  readonly namespace: string;
  readonly body: object;
}

/**
 * Creates events in the API server (`events.k8s.io/v1`). Asynchronous: `record` returns at once and never throws;
 * events are rate-limited; an event that cannot be created after some retries is dropped, with a log line for the first
 * of them.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #credentials: ApiCredentials;
  readonly #client: ApiClient;
  readonly #abort = new AbortController();
  readonly #queue: Waiting[] = [];
  readonly #recent = new Map<string, number>();
  #tokens: number;
  #refilled: number;
  #names = 0;
  #sending: Promise<void> | undefined;
  #pause: (() => void) | undefined;
  #complained = false;

  /** @throws KubernetesError `OPTION_INVALID` when an option is missing, unknown or invalid. */
  constructor(options: EventRecorderOptions) {
    checkConnectionOptions<EventRecorderOptions>('EventRecorder', options, RULES, ['controller', 'instance']);
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#clock = options.clock ?? systemClock;
    this.#credentials = createApiCredentials({ ...options, clock: this.#clock });
    this.#client = new ApiClient({
      credentials: this.#credentials,
      clock: this.#clock,
      responseTimeout: 10_000,
      pageTimeout: 10_000,
      maxPageBytes: 1024 * 1024,
      userAgent: options.userAgent ?? options.controller,
    });
    this.#tokens = options.burst ?? 25;
    this.#refilled = this.#clock.monotonic();
  }

  /** Queues an event. Never throws: an event that is no {@link ClusterEvent} is dropped, with a warning. */
  record(event: ClusterEvent): void {
    if (!isEvent(event)) {
      this.#logger.warn(
        `An event was dropped: it needs the texts type, reason, action and note, and the object regarding (apiVersion, kind and name); it is ${printableValue(event)}`,
      );
      return;
    }
    const key = JSON.stringify(event);
    if (
      this.#abort.signal.aborted ||
      this.#queue.length >= MAX_QUEUE_LENGTH ||
      this.#isRepeated(key) ||
      !this.#consumeToken()
    ) {
      this.#logger.debug(4, 'An event was dropped', { reason: event.reason });
      return;
    }
    this.#recent.set(key, this.#clock.monotonic());
    this.#queue.push(this.#waiting(event));
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /**
   * Stops the recorder.
   *
   * @param patience maximum time in milliseconds for queued events. Default 0.
   */
  async stop(patience = 0): Promise<void> {
    if (this.#sending && patience > 0) {
      let timer: Timer | undefined;
      const late = new Promise<void>((resolve) => {
        timer = this.#clock.setTimer(patience, resolve);
      });
      await Promise.race([this.#sending, late]);
      timer?.cancel();
    }
    this.#abort.abort();
    this.#pause?.();
    this.#client.close();
    await this.#sending;
  }

  #isRepeated(key: string): boolean {
    const { repeatAfter = 600_000 } = this.#options;
    const now = this.#clock.monotonic();
    for (const [known, at] of this.#recent) {
      if (now - at >= repeatAfter) {
        this.#recent.delete(known);
      }
    }
    return this.#recent.has(key);
  }

  #consumeToken(): boolean {
    const { burst = 25, refill = 300_000 } = this.#options;
    const now = this.#clock.monotonic();
    const gained = Math.floor((now - this.#refilled) / refill);
    if (gained > 0) {
      this.#tokens = Math.min(burst, this.#tokens + gained);
      this.#refilled += gained * refill;
    }
    if (this.#tokens < 1) {
      return false;
    }
    this.#tokens -= 1;
    return true;
  }

  #waiting({ regarding, note, ...event }: ClusterEvent): Waiting {
    const { controller, instance } = this.#options;
    const { namespace, ...subject } = regarding;
    const now = Math.floor(this.#clock.now());
    this.#names += 1;
    const name = `${regarding.name}.${now.toString(16)}${this.#names.toString(16).padStart(4, '0')}`;
    const body = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace: namespace ?? 'default' },
      eventTime: new Date(now).toISOString().replace('Z', '000Z'),
      reportingController: controller,
      reportingInstance: instance.slice(0, 128),
      ...event,
      note: shorten(note),
      regarding: namespace === undefined ? subject : { ...subject, namespace },
    };
    return { namespace: namespace ?? 'default', body };
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#abort;
    for (let next = this.#queue.shift(); next !== undefined && !signal.aborted; next = this.#queue.shift()) {
      await this.#send(next);
    }
  }

  async #send({ namespace, body }: Waiting): Promise<void> {
    const { signal } = this.#abort;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await this.#client.create(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`, body, signal);
        return;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        const status = error instanceof ApiStatusError ? error.status : 0;
        if (status === 401) {
          this.#credentials.refused();
        }
        // A refused event is refused permanently.
        const hopeless = status >= 400 && status < 500 && status !== 401 && status !== 429;
        if (hopeless || attempt >= ATTEMPTS) {
          this.#complain(error);
          return;
        }
        const asked = error instanceof ApiStatusError ? (error.retryAfter ?? 0) : 0;
        await this.#wait(Math.max(asked, FIRST_PAUSE * 2 ** (attempt - 1)));
      }
    }
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(milliseconds, resolve);
      this.#pause = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #complain(error: unknown): void {
    if (this.#complained) {
      return;
    }
    this.#complained = true;
    this.#logger.warn(`Events cannot be created in ${this.#credentials.server}: ${printable(messageOf(error))}`);
  }
}

/** Printable text is ASCII: as many bytes as characters. */
function shorten(note: string): string {
  return printable(note, NOTE_BYTES);
}

function isEvent(event: unknown): event is ClusterEvent {
  const { type, reason, action, note, regarding }: Readonly<Record<string, unknown>> = Object(event);
  const { apiVersion, kind, name }: Readonly<Record<string, unknown>> = Object(regarding);
  return [type, reason, action, note, apiVersion, kind, name].every((text) => typeof text === 'string');
}
