import {
  type Clock,
  type EndpointSlice,
  type Logger,
  messageOf,
  type Node,
  printable,
  readServiceCIDR,
  type Service,
  type Source,
  type SourceContext,
  type SourceHandler,
  SourceReporter,
  silentLogger,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import { ApiClient } from './api/api-client.js';
import { type ApiCredentials, createApiCredentials } from './api/api-credentials.js';
import { KubernetesError } from './api/kubernetes-error.js';
import { ApiAvailability } from './watch/api-availability.js';
import { WatchListSupport } from './watch/initial-events.js';
import type { ObjectCache } from './watch/object-cache.js';
import { Reflector, type ReflectorListener } from './watch/reflector.js';
import { ENDPOINT_SLICES, ownNode, SERVICE_CIDRS, SERVICES, type WatchedResource } from './watch/watched-resource.js';

/**
 * Options of a {@link KubernetesSource}. Everything has a default; without `kubeconfig` and `master` it uses the API
 * server of the cluster that this process runs in (spec C-82).
 */
export interface KubernetesSourceOptions {
  /** Path of a kubeconfig file. Read again when it changes. Default: none. */
  readonly kubeconfig?: string;
  /**
   * URL of the API server, instead of the kubeconfig's; without a kubeconfig, no credentials are sent. Default: none.
   */
  readonly master?: string;
  /** Context of the kubeconfig. Default: its current context. */
  readonly context?: string;
  /** Default: no log. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /**
   * A number from 0 (included) to 1 (not included); spreads the requests of many nodes over time. Default
   * `Math.random`.
   */
  readonly random?: () => number;
  /** Page size of a list, in objects. Default 500. */
  readonly pageSize?: number;
  /** Milliseconds without a byte after which a request fails. Default 30000. */
  readonly responseTimeout?: number;
  /** Milliseconds after which an incomplete page fails. Default 300000. */
  readonly pageTimeout?: number;
  /**
   * Milliseconds without a byte after which a watch counts as dead. Default 90000: API servers send a bookmark
   * once a minute.
   */
  readonly silenceLimit?: number;
  /** Milliseconds without an event or bookmark after which a kind of object is listed again. Default 300000. */
  readonly relistAfter?: number;
  /** Maximum time in milliseconds that "synced" waits for the Node object (spec W-20). Default 30000. */
  readonly nodeTimeout?: number;
  /**
   * Maximum size of a page in bytes. A larger page is rejected, and requested again with fewer objects. Where an API
   * server expires a list while its pages are fetched, the list is requested without pages, and may have eight times as
   * many bytes. Default 16777216 (16 MiB).
   */
  readonly maxPageBytes?: number;
  /** Maximum size of an event in bytes. Default 4194304 (4 MiB; etcd stores no object above 1.5 MiB). */
  readonly maxEventBytes?: number;
  /** Maximum number of objects of one kind. A longer list is rejected. Default 300000. */
  readonly maxObjects?: number;
  /**
   * Which objects are learned at first, and again after a failure, from a watch that begins with the current objects (Kubernetes'
   * WatchList), where the server supports it, instead of a list:
   *
   * - `few`: those of which there are few: the Node and ServiceCIDRs. Services and EndpointSlices are listed, since API servers
   *   compress lists, and watches not.
   * - `all`: all of them: the state is consistent from the first sync. It takes several times as many bytes.
   * - `none`.
   *
   * Default `few`.
   */
  readonly watchList?: 'few' | 'all' | 'none';
  /** User agent. Default `kube-proxier`. */
  readonly userAgent?: string;
  /** Environment with the in-cluster address. Default: this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Directory of the pod's token and CA. Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly serviceAccountDirectory?: string;
}

/**
 * Kubernetes objects from an API server: Services, EndpointSlices, this node's Node, and ServiceCIDRs (spec W-1…W-4).
 *
 * Each kind is listed in pages and then watched, for as long as the source runs. An outage of the API server, however
 * long and of any kind, changes none of the reported objects; when it is over, events lead to the current state.
 * Objects contain only what a proxy reads.
 *
 * `start` resolves when the requests have been started, since an API server may be unavailable for long.
 */
export class KubernetesSource implements Source {
  readonly #options: KubernetesSourceOptions;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #credentials: ApiCredentials;
  readonly #abort = new AbortController();
  #client: ApiClient | undefined;
  #availability: ApiAvailability | undefined;
  #reporter: SourceReporter | undefined;
  #begun = false;
  #running: Promise<unknown> = Promise.resolve();
  #timers: Timer[] = [];

  constructor(options: KubernetesSourceOptions = {}) {
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
   * @throws KubernetesError when no API server can be reached with this configuration: see there for the codes.
   */
  async start(handler: SourceHandler, context: SourceContext): Promise<void> {
    if (this.#begun) {
      throw new KubernetesError('SOURCE_IN_USE', 'this KubernetesSource was started before; make a new one');
    }
    this.#begun = true;
    const { signal } = this.#abort;
    try {
      await this.#credentials.get(signal);
    } catch (error) {
      // A plug-in that fails now may succeed later.
      if (!signal.aborted && !(error instanceof KubernetesError && error.code === 'EXEC_PLUGIN_FAILED')) {
        throw error;
      }
    }
    if (signal.aborted) {
      return;
    }
    this.#run(handler, context.nodeName, signal);
  }

  obstacle(kind: 'Services' | 'EndpointSlices'): string | undefined {
    const { name } = kind === 'Services' ? SERVICES : ENDPOINT_SLICES;
    // "Synced" is delayed for a limited time until the Node is known.
    return this.#availability?.obstacle(name) ?? this.#availability?.obstacle(ownNode('').name);
  }

  async stop(): Promise<void> {
    this.#begun = true;
    this.#abort.abort();
    this.#reporter?.close();
    for (const timer of this.#timers) {
      timer.cancel();
    }
    this.#client?.close();
    await this.#running;
  }

  #run(handler: SourceHandler, nodeName: string, signal: AbortSignal): void {
    const credentials = this.#credentials;
    const clock = this.#clock;
    const logger = this.#logger;
    const options = this.#options;
    const reporter = new SourceReporter(handler, (error) =>
      logger.error(
        `${this.description}: an event handler failed; continuing with the next event: ${messageOf(error)}`,
        { error },
      ),
    );
    this.#reporter = reporter;
    const responseTimeout = options.responseTimeout ?? 30_000;
    const maxPageBytes = options.maxPageBytes ?? 16 * 1024 * 1024;
    const client = new ApiClient({
      credentials,
      clock,
      responseTimeout,
      pageTimeout: options.pageTimeout ?? 300_000,
      maxPageBytes,
      userAgent: options.userAgent ?? 'kube-proxier',
    });
    this.#client = client;
    const availability = new ApiAvailability(this.description, logger, clock);
    this.#availability = availability;
    const common = {
      client,
      availability,
      onUnauthorized: () => credentials.refused(),
      logger,
      clock,
      random: options.random ?? Math.random,
      pageSize: options.pageSize ?? 500,
      initialPatience: responseTimeout / 3,
      silenceLimit: options.silenceLimit ?? 90_000,
      relistAfter: options.relistAfter ?? 300_000,
      maxPageBytes,
      maxEventBytes: options.maxEventBytes ?? 4 * 1024 * 1024,
      maxObjects: options.maxObjects ?? 300_000,
    };
    const { watchList: choice = 'few' } = options;
    const watchListSupport = new WatchListSupport();
    const watchListFor = ({ isLarge = false }: WatchedResource) =>
      choice === 'all' || (choice === 'few' && !isLarge) ? watchListSupport : undefined;
    const reflect = (resource: WatchedResource, listener: Partial<ReflectorListener>) =>
      new Reflector({ ...common, resource, watchList: watchListFor(resource) }, { ...NO_LISTENER, ...listener }).run(
        signal,
      );

    // Spec W-4: what depends on the node (zone, pod CIDRs) is correct from the first sync.
    const nodeKnown = this.#untilNodeKnown();
    const whenNodeKnown = (report: () => void) => () => void nodeKnown.promise.then(report);
    // Fields of objects are external data and are validated by their reader.
    this.#running = Promise.all([
      reflect(ownNode(nodeName), this.#nodeListener(reporter, nodeName, nodeKnown.settle)),
      reflect(SERVICE_CIDRS, serviceCIDRListener(reporter)),
      reflect(SERVICES, {
        changed: ({ previous, current }) =>
          reporter.onServiceUpdate(previous as Service | undefined, current as Service | undefined),
        listed: whenNodeKnown(() => reporter.onServicesSynced()),
      }),
      reflect(ENDPOINT_SLICES, {
        changed: ({ previous, current }) =>
          reporter.onEndpointsUpdate(previous as EndpointSlice | undefined, current as EndpointSlice | undefined),
        listed: whenNodeKnown(() => reporter.onEndpointsSynced()),
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

  #nodeListener(reporter: SourceReporter, nodeName: string, known: () => void): Partial<ReflectorListener> {
    let missing = false;
    const name = printable(nodeName);
    return {
      changed: ({ previous, current }) => {
        if (((current ?? previous) as Node).metadata?.name !== nodeName) {
          return;
        }
        if (current) {
          missing = false;
          reporter.onNodeUpdate(current as Node);
        } else if (previous) {
          missing = true;
          // Spec W-26: the last known Node object stays in force.
          this.#logger.warn(`Node ${name} was deleted from the API; its last known state stays in force`);
        }
      },
      listed: (cache) => {
        if (cache.size === 0 && !missing) {
          missing = true;
          this.#logger.warn(
            `there is no Node ${name}; its zone and addresses are unknown until there is, or until nodeName (the hostname override) names the one that this is`,
          );
        }
        known();
      },
      unavailable: known,
    };
  }
}

const NO_LISTENER: ReflectorListener = { changed() {}, listed() {}, settled() {}, unavailable() {} };

function serviceCIDRListener(reporter: SourceReporter): Partial<ReflectorListener> {
  let listed = false;
  let changed = false;
  const report = (cache: ObjectCache) =>
    reporter.onServiceCIDRsUpdate(
      [...cache.values()].flatMap((object) => readServiceCIDR(object).definition?.cidrs ?? []),
    );
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
