import {
  type Clock,
  isRecord,
  type Logger,
  messageOf,
  OptionRules,
  printable,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { type ApiCredentials, createApiCredentials } from './api/api-credentials.js';
import { KubernetesError } from './api/kubernetes-error.js';
import { ApiConnection, type ApiConnectionOptions } from './watch/api-connection.js';
import { CONNECTION_RULES, checkConnectionOptions, type RulesFor } from './watch/check-connection-options.js';
import type { ObjectCache } from './watch/object-cache.js';
import { whole } from './watch/object-shape.js';
import type { WatchedResource } from './watch/watched-resource.js';

/** A kind of object of the Kubernetes API, also of a custom resource. */
export interface ApiResource {
  /** `v1`, or `<group>/<version>`: `apps/v1`. */
  readonly apiVersion: string;
  /** `Deployment`. */
  readonly kind: string;
  /** Name in URLs and RBAC rules: `deployments`. */
  readonly plural: string;
}

/** Options of a {@link Reflector}. */
export interface ReflectorOptions<T extends object> extends ApiConnectionOptions {
  readonly resource: ApiResource;
  /** Only objects of this namespace. Default: of all namespaces. */
  readonly namespace?: string;
  /** Only objects that match, for example `app=web,!canary`. Default: all. */
  readonly labelSelector?: string;
  /** Only objects that match, for example `metadata.name=web`. Default: all. */
  readonly fieldSelector?: string;
  /**
   * The part of an object that is kept; changes of other fields are not reported. Must be pure. The result must be
   * JSON-compatible and must not share data that is modified later. Default: everything but `metadata.managedFields`.
   */
  readonly keep?: (object: T) => T;
  /**
   * Start with a watch with initial events (WatchList), if the server supports it: the state is consistent, but takes
   * several times as many bytes as a compressed list. Default false.
   */
  readonly watchList?: boolean;
  /**
   * Called for each object that was added (`previous` undefined), changed or deleted (`current` undefined), in order. Before
   * {@link onSynced} also, for the objects of the first list. Must not modify them. Errors are logged.
   */
  readonly onChange?: (previous: T | undefined, current: T | undefined) => void;
  /** Called once, when the cache is complete. */
  readonly onSynced?: () => void;
}

const RULES: RulesFor<ReflectorOptions<object>> = {
  ...CONNECTION_RULES,
  resource: {
    expected: "an object with apiVersion ('apps/v1'), kind ('Deployment') and plural ('deployments')",
    accepts: (value) => {
      const { apiVersion, kind, plural } = Object(value) as Partial<ApiResource>;
      return [apiVersion, kind, plural].every((part) => typeof part === 'string');
    },
  },
  namespace: OptionRules.string,
  labelSelector: OptionRules.string,
  fieldSelector: OptionRules.string,
  keep: OptionRules.function,
  watchList: OptionRules.boolean,
  onChange: OptionRules.function,
  onSynced: OptionRules.function,
};

/**
 * Follows one kind of object of the Kubernetes API, and has all of them in a cache: lists them, then watches, and
 * recovers from any failure, for as long as it runs. While the API server cannot be reached, the cache is unchanged. An
 * object is removed only when the server reports it. It does not go back in time, unless the cluster was restored from
 * a backup.
 *
 * Objects are not validated: `T` is what the server is expected to send. The cache holds them as text, which takes a fraction
 * of the memory; an object that nothing else refers to is parsed when it is read.
 *
 * @example
 * const deployments = new Reflector<Deployment>({
 *   resource: { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
 *   onChange: (previous, current) => console.log(current?.metadata?.name ?? 'deleted'),
 * });
 * await deployments.start();
 * await deployments.synced;
 * console.log(deployments.get('web', 'default')?.spec?.replicas);
 * await deployments.stop();
 */
export class Reflector<T extends object> {
  readonly #options: ReflectorOptions<T>;
  readonly #resource: WatchedResource;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #credentials: ApiCredentials;
  readonly #abort = new AbortController();
  readonly #synced: Promise<void>;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  #connection: ApiConnection | undefined;
  #cache: ObjectCache | undefined;
  #isSynced = false;
  #running: Promise<void> | undefined;

  /**
   * @throws KubernetesError `RESOURCE_INVALID` when the resource or the namespace cannot be part of a URL; `OPTION_INVALID`
   * when an option is missing, unknown or invalid.
   */
  constructor(options: ReflectorOptions<T>) {
    checkConnectionOptions<ReflectorOptions<T>>('Reflector', options, RULES, ['resource']);
    this.#options = options;
    this.#resource = watchedResource(options);
    this.#logger = options.logger ?? silentLogger;
    this.#clock = options.clock ?? systemClock;
    this.#credentials = createApiCredentials({ ...options, clock: this.#clock });
    this.#synced = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Callers that do not await it ignore its failure.
    this.#synced.catch(() => {});
  }

  /**
   * Resolves when the cache is complete; rejects with a KubernetesError `STOPPED` when the reflector is stopped before, and with
   * the error of a failed {@link start}.
   */
  get synced(): Promise<void> {
    return this.#synced;
  }

  /** Whether the cache was complete once. During an outage it is kept, but may be outdated: see {@link obstacle}. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Number of objects in the cache. */
  get size(): number {
    return this.#cache?.size ?? 0;
  }

  /** Why the objects cannot be read from the API server now; undefined when no obstacle is known. */
  get obstacle(): string | undefined {
    return this.#connection?.obstacle(this.#resource.name);
  }

  /**
   * An object of the cache: a new one each time, so changing it does not change the cache.
   *
   * @param namespace of an object that has one.
   * @returns undefined when there is none, as far as it is known.
   */
  get(name: string, namespace?: string): T | undefined {
    return this.#cache?.get(name, namespace) as T | undefined;
  }

  /** All objects of the cache, in no particular order. */
  *values(): IterableIterator<T> {
    for (const object of this.#cache?.values() ?? []) {
      yield object as T;
    }
  }

  /**
   * Starts to list and watch. Resolves when the first request was sent: the server may be unavailable for long.
   *
   * @throws KubernetesError when no API server can be reached with this configuration, and `SOURCE_IN_USE` when it was started or
   * stopped before.
   */
  async start(): Promise<void> {
    const { signal } = this.#abort;
    if (this.#running !== undefined || signal.aborted) {
      throw new KubernetesError('SOURCE_IN_USE', 'this Reflector was started or stopped before; make a new one');
    }
    let begin = () => {};
    this.#running = new Promise<void>((resolve) => {
      begin = resolve;
    });
    try {
      await this.#credentials.get(signal);
    } catch (error) {
      // A plug-in that fails now may succeed later.
      if (!signal.aborted && !(error instanceof KubernetesError && error.code === 'EXEC_PLUGIN_FAILED')) {
        begin();
        this.#settle?.reject(error instanceof Error ? error : new Error(messageOf(error)));
        throw error;
      }
    }
    if (!signal.aborted) {
      this.#running = this.#run(signal);
    }
    begin();
  }

  /** Stops, and closes all connections. Nothing is reported afterwards; the cache can still be read. Idempotent. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#settle?.reject(new KubernetesError('STOPPED', 'the Reflector was stopped before its cache was complete'));
    this.#connection?.close();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { onChange, onSynced, watchList = false } = this.#options;
    const connection = new ApiConnection(
      this.#options,
      this.#credentials,
      this.#credentials.server,
      this.#logger,
      this.#clock,
    );
    this.#connection = connection;
    await connection.follow(
      this.#resource,
      watchList,
      {
        began: (cache) => {
          this.#cache = cache;
        },
        changed: ({ previous, current }) =>
          this.#call(() => onChange?.(previous as T | undefined, current as T | undefined)),
        listed: () => {
          if (!this.#isSynced) {
            this.#isSynced = true;
            this.#settle?.resolve();
            this.#call(() => onSynced?.());
          }
        },
      },
      signal,
    );
  }

  #call(callback: () => void): void {
    if (this.#abort.signal.aborted) {
      return;
    }
    try {
      callback();
    } catch (error) {
      this.#logger.error(
        `${this.#resource.name}: a callback failed; continuing with the next change: ${messageOf(error)}`,
        { error },
      );
    }
  }
}

const API_VERSION = /^(?:[a-z0-9.-]+\/)?v[a-z0-9]+$/;
const PATH_SEGMENT = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

function watchedResource<T extends object>(options: ReflectorOptions<T>): WatchedResource {
  const { resource, namespace, labelSelector, fieldSelector, keep } = options;
  const { apiVersion, kind, plural } = resource;
  const parts = [plural, ...(namespace === undefined ? [] : [namespace])];
  const wrong = API_VERSION.test(apiVersion) ? parts.find((part) => !PATH_SEGMENT.test(part)) : apiVersion;
  if (wrong !== undefined) {
    throw new KubernetesError(
      'RESOURCE_INVALID',
      `"${printable(wrong, 60)}" cannot be part of the URL of a resource; write it as in "kubectl api-resources"`,
    );
  }
  const isCore = !apiVersion.includes('/');
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return {
    name: plural,
    kind,
    apiVersion,
    group: isCore ? '' : (apiVersion.split('/')[0] ?? ''),
    path: `/${isCore ? 'api' : 'apis'}/${apiVersion}${scope}/${plural}`,
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    shape: {
      ...whole,
      take: (object) => {
        // Items of lists do not name their kind, objects of events do.
        const named = isRecord(object) ? { apiVersion, kind, ...object } : object;
        return keep ? keep(named as T) : withoutManagedFields(named);
      },
    },
  };
}

/** Managed fields: half of the size of many objects, and irrelevant to readers. */
function withoutManagedFields(object: unknown): unknown {
  if (!isRecord(object) || !isRecord(object.metadata)) {
    return object;
  }
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
