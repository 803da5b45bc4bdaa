import {
  type Clock,
  type EndpointSlice,
  type Logger,
  messageOf,
  type Node,
  readServiceCIDR,
  type Service,
  type Source,
  type SourceContext,
  type SourceHandler,
  silentLogger,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import { ApiAvailability } from './api-availability.js';
import { ApiClient } from './api-client.js';
import { type ApiCredentials, createApiCredentials } from './api-credentials.js';
import { KubernetesError } from './kubernetes-error.js';
import type { ObjectCache, ObjectChange } from './object-cache.js';
import { printable } from './printable.js';
import { Reflector, type ReflectorListener } from './reflector.js';
import { ENDPOINT_SLICES, ownNode, SERVICE_CIDRS, SERVICES, type WatchedResource } from './watched-resource.js';

/**
 * How a {@link KubernetesSource} works. Everything has a default; without `kubeconfig` and `master` it asks the API
 * server of the cluster that this process runs in (spec C-82).
 */
export interface KubernetesSourceOptions {
  /** Path of a kubeconfig file. Read again when it changes. Default: none. */
  readonly kubeconfig?: string;
  /** URL of the API server, in place of the kubeconfig's; alone, it is asked without credentials. Default: none. */
  readonly master?: string;
  /** Context of the kubeconfig. Default: its current one. */
  readonly context?: string;
  /** Default: says nothing. */
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** A number from 0 (included) to 1 (not included); spreads what many nodes do over time. Default `Math.random`. */
  readonly random?: () => number;
  /** Objects in one page of a list. Default 500. */
  readonly pageSize?: number;
  /** Milliseconds without a byte after which an answer is given up. Default 30000. */
  readonly responseTimeout?: number;
  /** Milliseconds after which a page that is not complete is given up. Default 300000. */
  readonly pageTimeout?: number;
  /**
   * Milliseconds without a byte after which a watch counts as dead. Default 90000: API servers send a bookmark
   * once a minute.
   */
  readonly silenceLimit?: number;
  /** Milliseconds without an event or bookmark after which a kind of object is listed anew. Default 300000. */
  readonly relistAfter?: number;
  /** Milliseconds that "synced" waits for the Node object at most (spec W-20). Default 30000. */
  readonly nodeTimeout?: number;
  /**
   * Bytes of the largest page that is read. A larger one is refused, and requested again with fewer objects. Where an API
   * server forgets a list while its pages are fetched, the list comes all at once, and may have eight times as many.
   * Default 16777216 (16 MiB).
   */
  readonly maxPageBytes?: number;
  /** Bytes of the longest event that is read. Default 4194304 (4 MiB; etcd holds no object above 1.5 MiB). */
  readonly maxEventBytes?: number;
  /** Objects of one kind that are read at most. A longer list is refused. Default 300000. */
  readonly maxObjects?: number;
  /** What it calls itself to the API server. Default `kube-proxier`. */
  readonly userAgent?: string;
  /** Where the in-cluster address is read from. Default: this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where a pod finds its token and CA. Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly serviceAccountDirectory?: string;
}

/**
 * Kubernetes objects from an API server: Services, EndpointSlices, this node's Node, and ServiceCIDRs (spec W-1…W-4).
 *
 * Each kind is listed in pages and then watched, for as long as the source runs. An outage of the API server, however
 * long and of whatever sort, changes nothing of what was said; when it is over, events lead to what is there then.
 * Objects carry only what a proxy reads.
 *
 * `start` resolves when the requests are under way, since an API server may be away for long.
 */
export class KubernetesSource implements Source {
  private readonly options: KubernetesSourceOptions;
  private readonly logger: Logger;
  private readonly clock: Clock;
  private readonly credentials: ApiCredentials;
  private readonly abort = new AbortController();
  private client: ApiClient | undefined;
  private availability: ApiAvailability | undefined;
  private begun = false;
  private running: Promise<unknown> = Promise.resolve();
  private timers: Timer[] = [];

  constructor(options: KubernetesSourceOptions = {}) {
    this.options = options;
    this.logger = options.logger ?? silentLogger;
    this.clock = options.clock ?? systemClock;
    this.credentials = createApiCredentials({ ...options, clock: this.clock });
  }

  /** With the server's address from `start` on. */
  get description(): string {
    return this.credentials.server;
  }

  /**
   * @throws KubernetesError when there is no way to ask an API server: see there for the codes.
   */
  async start(handler: SourceHandler, context: SourceContext): Promise<void> {
    if (this.begun) {
      throw new KubernetesError('SOURCE_IN_USE', 'this KubernetesSource was started before; make a new one');
    }
    this.begun = true;
    const { signal } = this.abort;
    try {
      await this.credentials.get(signal);
    } catch (error) {
      // What a plug-in cannot do now, it may be able to do later.
      if (!signal.aborted && !(error instanceof KubernetesError && error.code === 'EXEC_PLUGIN_FAILED')) {
        throw error;
      }
    }
    if (signal.aborted) {
      return;
    }
    this.run(handler, context.nodeName, signal);
  }

  obstacle(kind: 'Services' | 'EndpointSlices'): string | undefined {
    const { name } = kind === 'Services' ? SERVICES : ENDPOINT_SLICES;
    // Nothing is handed out as complete before the Node is known, for a while.
    return this.availability?.obstacle(name) ?? this.availability?.obstacle(ownNode('').name);
  }

  async stop(): Promise<void> {
    this.begun = true;
    this.abort.abort();
    for (const timer of this.timers) {
      timer.cancel();
    }
    this.client?.close();
    await this.running;
  }

  private run(handler: SourceHandler, nodeName: string, signal: AbortSignal): void {
    const { credentials, clock, logger, options } = this;
    const maxPageBytes = options.maxPageBytes ?? 16 * 1024 * 1024;
    const client = new ApiClient({
      credentials,
      clock,
      responseTimeout: options.responseTimeout ?? 30_000,
      pageTimeout: options.pageTimeout ?? 300_000,
      maxPageBytes,
      userAgent: options.userAgent ?? 'kube-proxier',
    });
    this.client = client;
    const availability = new ApiAvailability(this.description, logger, clock);
    this.availability = availability;
    const common = {
      client,
      availability,
      onUnauthorized: () => credentials.refused(),
      logger,
      clock,
      random: options.random ?? Math.random,
      pageSize: options.pageSize ?? 500,
      silenceLimit: options.silenceLimit ?? 90_000,
      relistAfter: options.relistAfter ?? 300_000,
      maxPageBytes,
      maxEventBytes: options.maxEventBytes ?? 4 * 1024 * 1024,
      maxObjects: options.maxObjects ?? 300_000,
    };
    const reflect = (resource: WatchedResource, listener: Partial<ReflectorListener>) =>
      new Reflector({ ...common, resource }, { ...NO_LISTENER, ...listener }).run(signal);

    // Spec W-4: what depends on the node (zone, pod CIDRs) is right from the first sync on.
    const nodeKnown = this.untilNodeKnown();
    this.running = Promise.all([
      reflect(ownNode(nodeName), this.nodeListener(handler, nodeName, nodeKnown.settle)),
      reflect(SERVICE_CIDRS, this.serviceCIDRListener(handler)),
      reflect(SERVICES, {
        changed: (change) => this.guard(() => emitService(handler, change)),
        listed: this.synced(nodeKnown.promise, () => handler.onServicesSynced()),
      }),
      reflect(ENDPOINT_SLICES, {
        changed: (change) =>
          emitEndpointSlice(change, (previous, current) =>
            this.guard(() => handler.onEndpointsUpdate(previous, current)),
          ),
        listed: this.synced(nodeKnown.promise, () => handler.onEndpointsSynced()),
      }),
    ]);
  }

  /** Calls `tell` once, after the first list and when the node is known. */
  private synced(nodeKnown: Promise<void>, tell: () => void): () => void {
    let told = false;
    return () => {
      if (told) {
        return;
      }
      told = true;
      void nodeKnown.then(() => {
        if (!this.abort.signal.aborted) {
          this.guard(tell);
        }
      });
    };
  }

  private untilNodeKnown(): { readonly promise: Promise<void>; readonly settle: () => void } {
    let settle = () => {};
    const promise = new Promise<void>((resolve) => {
      settle = resolve;
    });
    this.timers.push(this.clock.setTimer(this.options.nodeTimeout ?? 30_000, settle));
    return { promise, settle };
  }

  private nodeListener(handler: SourceHandler, nodeName: string, known: () => void): Partial<ReflectorListener> {
    let missing = false;
    const name = printable(nodeName);
    return {
      changed: ({ previous, current }) => {
        if (((current ?? previous) as Node).metadata?.name !== nodeName) {
          return;
        }
        if (current) {
          missing = false;
          this.guard(() => handler.onNodeUpdate(current as Node));
        } else if (previous) {
          missing = true;
          // Spec W-26: what was known of it goes on holding.
          this.logger.warn(`Node ${name} is gone from the API; what was known of it stays in force`);
        }
      },
      listed: (cache) => {
        if (cache.size === 0 && !missing) {
          missing = true;
          this.logger.warn(
            `there is no Node ${name}; its zone and addresses are unknown until there is, or until nodeName (the hostname override) names the one that this is`,
          );
        }
        known();
      },
      unavailable: known,
    };
  }

  private serviceCIDRListener(handler: SourceHandler): Partial<ReflectorListener> {
    let listed = false;
    let told: string | undefined;
    const tell = (cache: ObjectCache) => {
      // Half a list is none (spec W-3).
      if (!listed) {
        return;
      }
      const cidrs = new Set<string>();
      for (const object of cache.values()) {
        for (const cidr of readServiceCIDR(object).definition?.cidrs ?? []) {
          cidrs.add(cidr);
        }
      }
      const sorted = [...cidrs].sort();
      if (told !== sorted.join()) {
        told = sorted.join();
        this.guard(() => handler.onServiceCIDRsUpdate(sorted));
      }
    };
    let changed = false;
    return {
      changed: () => {
        changed = true;
      },
      settled: (cache) => {
        if (changed && listed) {
          changed = false;
          tell(cache);
        }
      },
      listed: (cache) => {
        listed = true;
        tell(cache);
      },
    };
  }

  private guard(call: () => void): void {
    if (this.abort.signal.aborted) {
      return;
    }
    try {
      call();
    } catch (error) {
      this.logger.error(`${this.description}: an event was not taken; going on with the next: ${messageOf(error)}`, {
        error,
      });
    }
  }
}

const NO_LISTENER: ReflectorListener = { changed() {}, listed() {}, settled() {}, unavailable() {} };

// Fields of objects come from outside and are checked by whoever reads them.
function emitService(handler: SourceHandler, { previous, current }: ObjectChange): void {
  handler.onServiceUpdate(previous as Service | undefined, current as Service | undefined);
}

function emitEndpointSlice(
  change: ObjectChange,
  tell: (previous: EndpointSlice | undefined, current: EndpointSlice | undefined) => void,
): void {
  const previous = change.previous as EndpointSlice | undefined;
  const current = change.current as EndpointSlice | undefined;
  if (previous && current && previous.addressType !== current.addressType) {
    // It was deleted and made anew while nobody looked; handlers need not expect that a slice changes its family.
    tell(previous, undefined);
    tell(undefined, current);
  } else {
    tell(previous, current);
  }
}
