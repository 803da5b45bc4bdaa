import {
  type Clock,
  checkSourceStart,
  type EndpointSlice,
  type Logger,
  messageOf,
  type Node,
  OptionRules,
  printable,
  type ReportedKind,
  type ReportedObjects,
  readServiceCIDR,
  type Service,
  type Source,
  type SourceContext,
  type SourceHandler,
  type SourceKind,
  SourceReporter,
  silentLogger,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import { type ApiCredentials, createApiCredentials } from './api/api-credentials.js';
import { KubernetesError } from './api/kubernetes-error.js';
import { ApiConnection, type ApiConnectionOptions } from './watch/api-connection.js';
import { CONNECTION_RULES, checkConnectionOptions, type RulesFor } from './watch/check-connection-options.js';
import type { ListWatchListener } from './watch/list-watch.js';
import type { ObjectCache } from './watch/object-cache.js';
import { ENDPOINT_SLICES, ownNode, SERVICE_CIDRS, SERVICES, type WatchedResource } from './watch/watched-resource.js';

/**
 * Options of a {@link KubernetesSource}. Everything has a default; without `kubeconfig` and `master` it uses the API
 * server of the cluster that this process runs in (spec C-82).
 */
export interface KubernetesSourceOptions extends ApiConnectionOptions {
  /** Maximum time in milliseconds that "synced" waits for the Node object (spec W-20). Default 30000. */
  readonly nodeTimeout?: number;
  /**
   * Which objects are initially read, and again after a failure, by a watch with initial events (Kubernetes'
   * WatchList), if the server supports it, instead of a list:
   *
   * - `few`: the Node and ServiceCIDRs. Services and EndpointSlices are listed, since API servers compress lists, but
   *   not watches.
   * - `all`: all kinds: the state is consistent from the first sync. Takes several times as many bytes.
   * - `none`.
   *
   * Default `few`.
   */
  readonly watchList?: 'few' | 'all' | 'none';
}

/** Milliseconds that prefetched answers wait for `start`. Then they are requested again: an answer that is not read counts as broken off. */
const MAX_PREFETCH = 10_000;

const RULES: RulesFor<KubernetesSourceOptions> = {
  ...CONNECTION_RULES,
  nodeTimeout: OptionRules.milliseconds,
  watchList: OptionRules.oneOf(['few', 'all', 'none']),
};

/**
 * Kubernetes objects from an API server: Services, EndpointSlices, this node's Node, and ServiceCIDRs (spec W-1…W-4).
 *
 * Each kind is listed and then watched, for as long as the source runs. An outage of the API server, however
 * long and of any kind, changes none of the reported objects; when it is over, events lead to the current state.
 * Objects contain only what a proxy reads.
 *
 * `start` resolves when the requests have been started, since an API server may be unavailable for long. `prefetch` sends them
 * before, and the answers wait for `start`.
 */
export class KubernetesSource implements Source {
  readonly #options: KubernetesSourceOptions;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #credentials: ApiCredentials;
  readonly #abort = new AbortController();
  #connection: ApiConnection | undefined;
  #reporter: SourceReporter | undefined;
  /** Whether it was started or stopped. */
  #begun = false;
  /** Settles when the requests are started. Undefined: they are not begun. */
  #requested: Promise<void> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #report: () => void = () => {};
  readonly #mayReport = new Promise<void>((resolve) => {
    this.#report = resolve;
  });
  #timers: Timer[] = [];
  readonly #caches: Partial<Record<ReportedKind, ObjectCache>> = {};
  /** The Node of this node does not exist; undefined otherwise. */
  #nodeMissing: string | undefined;

  readonly objects: ReportedObjects = {
    all: (kind) => (this.#caches[kind]?.values() ?? []) as Iterable<Service | EndpointSlice>,
    get: (kind, { namespace, name }) => this.#caches[kind]?.get(name, namespace) as Service | EndpointSlice | undefined,
  };

  /** @throws KubernetesError `OPTION_INVALID` when an option is unknown or invalid. */
  constructor(options: KubernetesSourceOptions = {}) {
    checkConnectionOptions('KubernetesSource', options, RULES);
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#clock = options.clock ?? systemClock;
    this.#credentials = createApiCredentials({ ...options, clock: this.#clock });
  }

  /** Includes the server's address after `start`. */
  get description(): string {
    return this.#credentials.server;
  }

  /**
   * @throws KubernetesError when no API server can be reached with this configuration: see there for the codes;
   * ProxierError `SOURCE_START` when an argument is missing.
   */
  async start(handler: SourceHandler, context: SourceContext): Promise<void> {
    checkSourceStart('KubernetesSource', handler, context);
    if (this.#begun) {
      throw new KubernetesError('SOURCE_IN_USE', 'this KubernetesSource was started or stopped before; make a new one');
    }
    this.#begun = true;
    this.#reporter = new SourceReporter(handler, (error) =>
      this.#logger.error(
        `${this.description}: an event handler failed; continuing with the next event: ${messageOf(error)}`,
        { error },
      ),
    );
    this.#requested ??= this.#request(context.nodeName);
    await this.#requested;
    this.#report();
  }

  prefetch({ nodeName }: SourceContext): void {
    if (this.#begun || this.#requested !== undefined) {
      return;
    }
    const attempt = new AbortController();
    const requested = this.#request(nodeName, attempt.signal);
    this.#requested = requested;
    // `start` reports it.
    requested.catch(() => {});
    this.#timers.push(
      this.#clock.setTimer(MAX_PREFETCH, () => {
        if (!this.#begun) {
          attempt.abort();
          this.#connection?.close();
          this.#requested = undefined;
        }
      }),
    );
  }

  obstacle(kind: SourceKind): string | undefined {
    if (kind === 'ServiceCIDRs') {
      // An outage affects all kinds; the required ones report it.
      const isOutage = [SERVICES, ENDPOINT_SLICES].some(({ name }) => this.#connection?.obstacle(name) !== undefined);
      return isOutage ? undefined : this.#connection?.obstacle(SERVICE_CIDRS.name);
    }
    const { name } = kind === 'Services' ? SERVICES : ENDPOINT_SLICES;
    // "Synced" is delayed for a limited time until the Node is known.
    return this.#connection?.obstacle(name) ?? this.#connection?.obstacle(ownNode('').name) ?? this.#nodeMissing;
  }

  async stop(): Promise<void> {
    this.#begun = true;
    this.#abort.abort();
    this.#report();
    this.#reporter?.close();
    for (const timer of this.#timers) {
      timer.cancel();
    }
    this.#connection?.close();
    await this.#running;
  }

  /** Reads the credentials, and starts the requests. */
  async #request(nodeName: string, attempt?: AbortSignal): Promise<void> {
    const stopped = this.#abort.signal;
    const signal = attempt ? AbortSignal.any([stopped, attempt]) : stopped;
    try {
      await this.#credentials.get(signal);
    } catch (error) {
      // A plug-in that fails now may succeed later.
      if (!signal.aborted && !(error instanceof KubernetesError && error.code === 'EXEC_PLUGIN_FAILED')) {
        throw error;
      }
    }
    if (!signal.aborted) {
      this.#follow(nodeName, signal);
    }
  }

  #follow(nodeName: string, signal: AbortSignal): void {
    const connection = new ApiConnection(
      ...([this.#options, this.#credentials, this.description, this.#logger, this.#clock] as const),
    );
    this.#connection = connection;
    const { watchList: choice = 'few' } = this.#options;
    const watchList = ({ isLarge = false }: WatchedResource) => choice === 'all' || (choice === 'few' && !isLarge);
    const follow = (resource: WatchedResource, listener: Partial<ListWatchListener>) =>
      connection.follow(resource, watchList(resource), listener, signal, this.#mayReport);

    // Spec W-4: node-dependent settings (zone, pod CIDRs) are correct from the first sync.
    const nodeKnown = this.#untilNodeKnown();
    const whenNodeKnown = (report: () => void) => () => void nodeKnown.promise.then(report);
    // Fields of objects are external data and are validated by their reader.
    this.#running = Promise.all([
      follow(ownNode(nodeName), this.#nodeListener(nodeName, nodeKnown.settle)),
      follow(
        SERVICE_CIDRS,
        serviceCIDRListener((cidrs) => this.#reporter?.onServiceCIDRsUpdate(cidrs)),
      ),
      follow(SERVICES, {
        began: (cache) => {
          this.#caches.Services = cache;
        },
        changed: ({ previous, current }) =>
          this.#reporter?.onServiceUpdate(previous as Service | undefined, current as Service | undefined),
        listed: whenNodeKnown(() => this.#reporter?.onServicesSynced()),
      }),
      follow(ENDPOINT_SLICES, {
        began: (cache) => {
          this.#caches.EndpointSlices = cache;
        },
        changed: ({ previous, current }) =>
          this.#reporter?.onEndpointsUpdate(
            previous as EndpointSlice | undefined,
            current as EndpointSlice | undefined,
          ),
        listed: whenNodeKnown(() => this.#reporter?.onEndpointsSynced()),
      }),
    ]);
  }

  #untilNodeKnown(): { readonly promise: Promise<void>; readonly settle: () => void } {
    let settle = () => {};
    const promise = new Promise<void>((resolve) => {
      settle = resolve;
    });
    this.#timers.push(this.#clock.setTimer(this.#options.nodeTimeout ?? 30_000, settle));
    return { promise, settle };
  }

  #nodeListener(nodeName: string, known: () => void): Partial<ListWatchListener> {
    const name = printable(nodeName);
    const report = (missing: string) => {
      this.#nodeMissing = missing;
      this.#logger.warn(missing);
    };
    return {
      changed: ({ previous, current }) => {
        if (((current ?? previous) as Node).metadata?.name !== nodeName) {
          return;
        }
        if (current) {
          this.#nodeMissing = undefined;
          this.#reporter?.onNodeUpdate(current as Node);
        } else if (previous) {
          // Spec W-26: the last known Node object stays in force.
          report(`Node ${name} was deleted from the API; its last known state stays in force`);
        }
      },
      listed: (cache) => {
        if (cache.size === 0 && this.#nodeMissing === undefined) {
          report(
            `there is no Node ${name}; its zone and addresses are unknown until there is, or until nodeName (the hostname override) names the one that this is`,
          );
        }
        known();
      },
      unavailable: known,
    };
  }
}

function serviceCIDRListener(onUpdate: (cidrs: readonly string[]) => void): Partial<ListWatchListener> {
  let listed = false;
  let changed = false;
  const report = (cache: ObjectCache) =>
    onUpdate([...cache.values()].flatMap((object) => readServiceCIDR(object).definition?.cidrs ?? []));
  return {
    changed: () => {
      changed = true;
    },
    settled: (cache) => {
      // An incomplete list is not used (spec W-3).
      if (changed && listed) {
        changed = false;
        report(cache);
      }
    },
    listed: (cache) => {
      listed = true;
      report(cache);
    },
  };
}
