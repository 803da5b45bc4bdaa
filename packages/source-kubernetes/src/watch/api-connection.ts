import { type Clock, type Logger, PlainTextStore, type TextStore } from '@kube-proxier/core';
import { ApiClient } from '../api/api-client.js';
import type { ApiCredentials } from '../api/api-credentials.js';
import { ApiAvailability } from './api-availability.js';
import { WatchListSupport } from './initial-events.js';
import { ListWatch, type ListWatchListener } from './list-watch.js';
import { ProtobufSupport } from './protobuf-support.js';
import type { WatchedResource } from './watched-resource.js';

/** Connection to an API server, and limits of its answers. Everything has a default. */
export interface ApiConnectionOptions {
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
  /**
   * Milliseconds within which an answer must be complete; a list only has to progress by 200 bytes for each second, so that a
   * long one over a slow link becomes complete. Default 300000.
   */
  readonly pageTimeout?: number;
  /**
   * Milliseconds without a byte after which a watch counts as failed. Default 90000: API servers send a bookmark once a
   * minute.
   */
  readonly silenceLimit?: number;
  /** Milliseconds without an event or bookmark after which a kind of object is listed again. Default 300000. */
  readonly relistAfter?: number;
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
   * Encoding of requested objects: `auto` protobuf, or JSON if the server or the kind of object does not support it;
   * `json` JSON only. Default `auto`.
   */
  readonly encoding?: 'auto' | 'json';
  /**
   * Creates the store of the known objects of one kind, as JSON of what is retained of them. Called once for each kind.
   * Default: a {@link PlainTextStore}.
   */
  readonly textStore?: () => TextStore;
  /** User agent. Default `kube-proxier`. */
  readonly userAgent?: string;
  /** Environment with the in-cluster address. Default: this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Directory of the pod's token and CA. Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly serviceAccountDirectory?: string;
}

const NO_LISTENER: ListWatchListener = { began() {}, changed() {}, listed() {}, settled() {}, unavailable() {} };

/** Follows kinds of objects of one API server. */
export class ApiConnection {
  readonly #client: ApiClient;
  readonly #availability: ApiAvailability;
  readonly #watchListSupport = new WatchListSupport();
  readonly #protobufSupport: ProtobufSupport;
  readonly #limits;
  readonly #textStore: () => TextStore;
  readonly #followed = new Set<ListWatch>();

  /** @param server name of the server in the log. */
  constructor(
    options: ApiConnectionOptions,
    private readonly credentials: ApiCredentials,
    server: string,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    this.#textStore = options.textStore ?? (() => new PlainTextStore());
    const responseTimeout = options.responseTimeout ?? 30_000;
    const maxPageBytes = options.maxPageBytes ?? 16 * 1024 * 1024;
    const pageTimeout = options.pageTimeout ?? 300_000;
    this.#client = new ApiClient({
      credentials,
      clock,
      responseTimeout,
      pageTimeout,
      maxPageBytes,
      userAgent: options.userAgent ?? 'kube-proxier',
    });
    this.#protobufSupport = new ProtobufSupport(options.encoding === 'json');
    this.#availability = new ApiAvailability(server, logger, clock);
    this.#limits = {
      random: options.random ?? Math.random,
      pageSize: options.pageSize ?? 500,
      pageTimeout,
      initialPatience: responseTimeout / 3,
      silenceLimit: options.silenceLimit ?? 90_000,
      relistAfter: options.relistAfter ?? 300_000,
      maxPageBytes,
      maxEventBytes: options.maxEventBytes ?? 4 * 1024 * 1024,
      maxObjects: options.maxObjects ?? 300_000,
    };
  }

  /**
   * Follows one kind of object until `signal` aborts, then resolves. Never rejects.
   *
   * @param watchList start with a watch that begins with the current objects, where the server supports it.
   * @param mayReport settles when the listener may be called with objects; until then, the answer waits. Default: at once.
   */
  follow(
    resource: WatchedResource,
    watchList: boolean,
    listener: Partial<ListWatchListener>,
    signal: AbortSignal,
    mayReport = Promise.resolve(),
  ): Promise<void> {
    const listWatch: ListWatch = new ListWatch(
      {
        ...this.#limits,
        resource,
        texts: this.#textStore(),
        client: this.#client,
        availability: this.#availability,
        onUnauthorized: () => this.credentials.refused(),
        logger: this.logger,
        clock: this.clock,
        watchList: watchList ? this.#watchListSupport : undefined,
        protobuf: this.#protobufSupport,
        mayReport,
        onRestored: () => {
          for (const other of this.#followed) {
            if (other !== listWatch) {
              other.relist();
            }
          }
        },
      },
      { ...NO_LISTENER, ...listener },
    );
    this.#followed.add(listWatch);
    return listWatch.run(signal).finally(() => this.#followed.delete(listWatch));
  }

  /** Why this resource cannot be read now, or how far its list is that takes long; undefined when no obstacle is known. */
  obstacle(resource: string): string | undefined {
    const following = [...this.#followed].filter((one) => one.resource === resource);
    const slow = following.map(({ slowList }) => slowList).find((text) => text !== undefined);
    return slow ?? this.#availability.obstacle(resource);
  }

  /** Closes all connections. */
  close(): void {
    this.#client.close();
  }
}
