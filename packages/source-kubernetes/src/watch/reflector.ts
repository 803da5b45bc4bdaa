import type { IncomingMessage } from 'node:http';
import {
  type Clock,
  isProxierError,
  isRecord,
  isText,
  type Logger,
  messageOf,
  printable,
  type UnknownRecord,
} from '@kube-proxier/core';
import { type ApiClient, statusError } from '../api/api-client.js';
import { InactivityTimer } from '../api/inactivity-timer.js';
import { ApiError, ApiStatusError, ResponseTooLarge } from '../api/kubernetes-error.js';
import type { ApiAvailability } from './api-availability.js';
import { Backoff } from './backoff.js';
import { LineSplitter } from './line-splitter.js';
import { ObjectCache, type ObjectChange } from './object-cache.js';
import { compareResourceVersions } from './resource-version.js';
import type { WatchedResource } from './watched-resource.js';

/** Options of a {@link Reflector}. */
export interface ReflectorOptions {
  readonly resource: WatchedResource;
  readonly client: ApiClient;
  readonly availability: ApiAvailability;
  /** Called when the server rejected the credentials. */
  readonly onUnauthorized: () => void;
  readonly logger: Logger;
  readonly clock: Clock;
  /** A number from 0 (included) to 1 (not included). */
  readonly random: () => number;
  /** Page size in objects. */
  readonly pageSize: number;
  /** Milliseconds without a byte after which a watch counts as dead. */
  readonly silenceLimit: number;
  /** Milliseconds without an answer for this resource after which it is listed again. */
  readonly relistAfter: number;
  /** Maximum size of a page in bytes. */
  readonly maxPageBytes: number;
  /** Maximum size of an event in bytes. */
  readonly maxEventBytes: number;
  /** Maximum number of objects in a list. */
  readonly maxObjects: number;
}

/** Callbacks of a {@link Reflector}. */
export interface ReflectorListener {
  changed(change: ObjectChange): void;
  /** A full list is complete. */
  listed(cache: ObjectCache): void;
  /** All changes of one chunk were reported. */
  settled(cache: ObjectCache): void;
  /** It cannot be listed for now: the request is refused, or the resource is unknown to the server. */
  unavailable(): void;
}

/** Minimum duration of a watch without events that does not count as a failure (client-go's). */
const SHORT_WATCH = 1000;
/** Number of consecutive failures of a watch that count as an outage. */
const OUTAGE_AFTER = 3;
/** Number of consecutive outdated lists before one is accepted: the cluster was restored. */
const STALE_LISTS = 3;
/** Maximum number of consecutive pages without a new object, and of pages in addition to those with objects. */
const IDLE_PAGES = 10;
const SPARE_PAGES = 100;
/** Minimum average number of objects per page, unless the client requested smaller pages. */
const FEW_OBJECTS = 10;
/** Maximum size of an unpaged list, as a multiple of the page size. */
const UNPAGED_RATIO = 8;
/** Factor by which the page size in objects is reduced when a page is too large. */
const SMALLER_PAGE = 4;
const MAX_RETRY_AFTER = 120_000;

/**
 * Follows one kind of object: lists it in pages, then watches it, for as long as it runs. After any failure, the cache
 * converges to the state of the server, and an object is removed only on evidence from the server: an event, or a
 * complete list without it.
 */
export class Reflector {
  private readonly resource: WatchedResource;
  private readonly cache: ObjectCache;
  private readonly backoff: Backoff;
  /** Where the watch continues; undefined when a list has to come first. */
  private resourceVersion: string | undefined;
  /** The newest version seen. */
  private newest = '';
  private staleLists = 0;
  /** List without pages: the server expired the version of the pages before the last one was fetched. */
  private unpaged = false;
  /** Current page size in objects. */
  private pageSize: number;
  private fieldSelector: string | undefined;
  private failures = 0;
  private unauthorized = false;
  /** Time of the server's last answer for this resource. */
  private lastWord = 0;

  constructor(
    private readonly options: ReflectorOptions,
    private readonly listener: ReflectorListener,
  ) {
    this.resource = options.resource;
    this.cache = new ObjectCache(options.resource);
    this.backoff = new Backoff(options.clock, options.random);
    this.fieldSelector = options.resource.fieldSelector;
    this.pageSize = options.pageSize;
  }

  /** Runs until `signal` aborts, then resolves. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pause: number;
      try {
        if (this.resourceVersion === undefined) {
          await this.listOrUndo(signal);
        }
        pause = await this.watch(signal);
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        pause = this.failed(error);
      }
      if (
        this.resourceVersion !== undefined &&
        this.options.clock.monotonic() - this.lastWord >= this.options.relistAfter
      ) {
        this.note(2, `nothing was heard for ${this.options.relistAfter} ms; listing`);
        this.resourceVersion = undefined;
      }
      await this.sleep(pause, signal);
    }
  }

  /** Repeatedly rejected lists must not fill the memory with different objects. */
  private async listOrUndo(signal: AbortSignal): Promise<void> {
    try {
      await this.list(signal);
    } catch (error) {
      if (this.cache.size > 2 * this.options.maxObjects) {
        for (const change of this.cache.undoList()) {
          this.report(change);
        }
        this.listener.settled(this.cache);
      }
      throw error;
    }
  }

  private async list(signal: AbortSignal): Promise<void> {
    const { client, availability } = this.options;
    const limit = this.unpaged ? undefined : this.pageSize;
    let pages = 0;
    let idlePages = 0;
    let version: string | undefined;
    let token: string | undefined;
    this.cache.beginList();
    do {
      const query = this.query();
      if (limit !== undefined) {
        query.set('limit', String(limit));
      }
      if (token !== undefined) {
        query.set('continue', token);
      }
      const page = await this.getPage(client, query, token !== undefined, signal);
      const { metadata, items } = this.checkList(page);
      if (version === undefined) {
        // The version of the first page: a change that the watch repeats is harmless, a missed change is not.
        version = metadata.resourceVersion;
        this.refuseStale(version);
      }
      const named = this.cache.named;
      for (const item of items) {
        if (signal.aborted) {
          return;
        }
        this.put(item);
      }
      this.listener.settled(this.cache);
      pages += 1;
      idlePages = this.cache.named > named ? 0 : idlePages + 1;
      this.refuseEndless(pages, idlePages, limit);
      if (metadata.continue !== undefined && metadata.continue === token) {
        throw new ApiError('API_RESPONSE_INVALID', 'a page names itself as the one that follows it');
      }
      token = metadata.continue;
    } while (token !== undefined);

    for (const change of this.cache.endList()) {
      if (signal.aborted) {
        return;
      }
      this.report(change);
    }
    this.unpaged = false;
    this.staleLists = 0;
    this.newest = version;
    this.resourceVersion = version;
    this.progress();
    availability.answered(this.resource.name);
    this.note(2, `listed ${this.cache.size} objects`, { resourceVersion: version });
    this.listener.settled(this.cache);
    this.listener.listed(this.cache);
  }

  /** An endless list never comes into force, and takes all memory. */
  private refuseEndless(pages: number, idlePages: number, limit: number | undefined): void {
    const { named } = this.cache;
    if (named > this.options.maxObjects) {
      throw new ApiError(
        'API_RESPONSE_INVALID',
        `the list has more than the ${this.options.maxObjects} objects that are read, and was refused`,
      );
    }
    const few = Math.min(FEW_OBJECTS, limit ?? FEW_OBJECTS);
    if (idlePages >= IDLE_PAGES || pages > SPARE_PAGES + named / few) {
      throw new ApiError(
        'API_RESPONSE_INVALID',
        `the list does not come to an end (${pages} pages, ${named} objects), and was refused`,
      );
    }
  }

  private async getPage(
    client: ApiClient,
    query: URLSearchParams,
    continued: boolean,
    signal: AbortSignal,
  ): Promise<UnknownRecord> {
    try {
      const { maxPageBytes } = this.options;
      const maxBytes = this.unpaged ? maxPageBytes * UNPAGED_RATIO : maxPageBytes;
      return await client.getPage(this.resource.path, query, signal, maxBytes);
    } catch (error) {
      if (error instanceof ResponseTooLarge) {
        // Objects may be large; or the server does not stop.
        this.pageSize = Math.max(1, Math.floor(this.pageSize / SMALLER_PAGE));
        this.unpaged = false;
      }
      if (continued && error instanceof ApiStatusError && error.status === 410) {
        this.unpaged = true;
      }
      throw error;
    }
  }

  /** An incomplete answer must not be treated as an empty list. */
  private checkList(page: UnknownRecord): {
    readonly metadata: { readonly resourceVersion: string; readonly continue: string | undefined };
    readonly items: readonly unknown[];
  } {
    const { kind, metadata } = page;
    const items = page.items === null ? [] : page.items;
    if (kind !== `${this.resource.kind}List` || !isRecord(metadata) || !Array.isArray(items)) {
      throw new ApiError('API_RESPONSE_INVALID', `the response is not a ${this.resource.kind}List`);
    }
    if (!isText(metadata.resourceVersion)) {
      throw new ApiError('API_RESPONSE_INVALID', 'the list has no resourceVersion');
    }
    return {
      metadata: {
        resourceVersion: metadata.resourceVersion,
        continue: isText(metadata.continue) ? metadata.continue : undefined,
      },
      items,
    };
  }

  private refuseStale(version: string): void {
    const order = this.newest === '' ? 0 : compareResourceVersions(version, this.newest);
    if (order === undefined || order >= 0) {
      return;
    }
    this.staleLists += 1;
    if (this.staleLists < STALE_LISTS) {
      throw new ApiError('API_STALE', `the list is of version ${version}, and ${this.newest} was seen already`);
    }
    this.options.logger.warn(
      `${this.resource.name}: the API server continues from version ${version}, which is older than ${this.newest}; it was restored, and its current state is used`,
    );
  }

  /** @returns milliseconds to wait before the next watch. */
  private async watch(signal: AbortSignal): Promise<number> {
    const { client, clock, random, availability } = this.options;
    const query = this.query();
    query.set('watch', 'true');
    query.set('allowWatchBookmarks', 'true');
    query.set('timeoutSeconds', String(300 + Math.floor(random() * 300)));
    query.set('resourceVersion', this.resourceVersion ?? '');
    const begin = clock.monotonic();
    const response = await client.openWatch(this.resource.path, query, signal);
    if (this.failures < OUTAGE_AFTER) {
      availability.answered(this.resource.name);
    }
    const events = await this.readEvents(response, signal);
    const lived = clock.monotonic() - begin;
    this.note(4, 'the watch ended', { events, milliseconds: Math.round(lived) });
    if (events === 0 && lived < SHORT_WATCH) {
      throw new ApiError('API_UNREACHABLE', 'the server ended a watch as soon as it began');
    }
    return 0;
  }

  /** @returns the number of events, when the server ended the stream. */
  private readEvents(response: IncomingMessage, signal: AbortSignal): Promise<number> {
    const { clock, silenceLimit, maxEventBytes, client } = this.options;
    return new Promise((resolve, reject) => {
      const splitter = new LineSplitter(maxEventBytes);
      let events = 0;
      let ended = false;
      const end = (settle: () => void) => {
        if (!ended) {
          ended = true;
          timer.cancel();
          // A connection with a complete response is reused.
          if (!response.complete) {
            response.destroy();
          }
          settle();
        }
      };
      const timer = new InactivityTimer(clock, silenceLimit, () => {
        client.dropIdleConnections();
        end(() => reject(new ApiError('API_SILENT', `a watch was silent for ${silenceLimit} ms`)));
      });
      response.on('data', (chunk: Buffer) => {
        if (ended || signal.aborted) {
          return;
        }
        timer.touch();
        try {
          for (const line of splitter.push(chunk)) {
            this.take(line);
            events += 1;
            if (signal.aborted) {
              return;
            }
          }
          this.listener.settled(this.cache);
        } catch (error) {
          end(() => reject(error));
        }
      });
      response.on('end', () => end(() => resolve(events)));
      response.on('error', (error) =>
        end(() => reject(new ApiError('API_UNREACHABLE', printable(messageOf(error)), { cause: error }))),
      );
      response.on('close', () => end(() => reject(new ApiError('API_UNREACHABLE', 'the connection was closed'))));
    });
  }

  /** One event of a watch. */
  private take(line: string): void {
    let event: unknown;
    try {
      event = JSON.parse(line);
    } catch (error) {
      throw new ApiError('API_RESPONSE_INVALID', `an event is not JSON: ${printable(messageOf(error))}`, {
        cause: error,
      });
    }
    if (!isRecord(event) || !isRecord(event.object)) {
      throw new ApiError('API_RESPONSE_INVALID', 'an event is not an object');
    }
    const { type, object } = event;
    if (type === 'ERROR') {
      throw statusError(object, 500);
    }
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK') {
      throw new ApiError('API_RESPONSE_INVALID', `an event is of the unknown type ${printable(String(type), 30)}`);
    }
    const metadata = isRecord(object.metadata) ? object.metadata : {};
    const version = isText(metadata.resourceVersion) ? metadata.resourceVersion : undefined;
    this.progress();
    const order = version === undefined ? undefined : compareResourceVersions(version, this.resourceVersion ?? '');
    if (order !== undefined && order <= 0) {
      // Versions increase along a watch: this event is a repetition.
      this.note(type === 'BOOKMARK' ? 6 : 4, 'an event came again', { type, resourceVersion: version });
      return;
    }
    if (type === 'ADDED' || type === 'MODIFIED') {
      this.put(object);
    } else if (type === 'DELETED') {
      const change = this.cache.remove(object);
      if (change === 'malformed') {
        throw new ApiError('API_RESPONSE_INVALID', 'an object without a name was deleted');
      }
      this.report(change);
    }
    if (version !== undefined) {
      this.resourceVersion = version;
      this.newest = version;
    }
  }

  private put(object: unknown): void {
    // A list must fit, whatever objects events have added.
    const room = (this.resourceVersion === undefined ? 3 : 2) * this.options.maxObjects;
    if (this.cache.size >= room && !this.cache.has(object)) {
      throw new ApiError(
        'API_RESPONSE_INVALID',
        `there are more than the ${this.options.maxObjects} objects that are read; further ones were refused`,
      );
    }
    const change = this.cache.put(object);
    if (change === 'malformed') {
      this.options.logger.warn(`${this.resource.name}: an object without a name is left out`);
      return;
    }
    this.report(change);
  }

  private report(change: ObjectChange | undefined): void {
    if (change) {
      this.listener.changed(change);
    }
  }

  /** Records a valid answer of the server. */
  private progress(): void {
    this.lastWord = this.options.clock.monotonic();
    this.unauthorized = false;
    if (this.failures > 0) {
      this.failures = 0;
      this.options.availability.answered(this.resource.name);
    }
  }

  /** @returns milliseconds to wait before continuing. */
  private failed(error: unknown): number {
    const { availability, logger } = this.options;
    const { name } = this.resource;
    const wasListing = this.resourceVersion === undefined;
    this.failures += 1;
    const pause = this.backoff.pause();
    this.note(
      2,
      `${wasListing ? 'a list' : 'a watch'} failed: ${messageOf(error)}; retrying in ${Math.round(pause)} ms`,
    );
    if (error instanceof ApiStatusError) {
      return this.failedByStatus(error, pause);
    }
    if (!isProxierError(error)) {
      // An unexpected error. A new list repairs any inconsistency.
      logger.error(`${name}: watching failed by an error of its own: ${messageOf(error)}; listing again`, { error });
      this.resourceVersion = undefined;
      return pause;
    }
    if (error.code === 'API_RESPONSE_INVALID') {
      this.resourceVersion = undefined;
    }
    if (!(error instanceof ApiError)) {
      availability.refused(name, messageOf(error));
    } else if (wasListing || this.failures >= OUTAGE_AFTER) {
      availability.unreachable(name, `${name}: ${messageOf(error)}`);
    }
    return pause;
  }

  private failedByStatus(error: ApiStatusError, backoff: number): number {
    const { availability, onUnauthorized, random } = this.options;
    const { name, group } = this.resource;
    const pause = Math.max(backoff, Math.min(error.retryAfter ?? 0, MAX_RETRY_AFTER));
    switch (error.status) {
      case 410:
        this.resourceVersion = undefined;
        return pause;
      case 401: {
        onUnauthorized();
        const again = this.unauthorized;
        this.unauthorized = true;
        if (!again) {
          // With credentials that are read again.
          return 0;
        }
        availability.refused(name, `it rejected the credentials (${messageOf(error)}); renew the token or certificate`);
        return pause;
      }
      case 403: {
        const rule = `{apiGroups: ["${group}"], resources: ["${name}"], verbs: ["list", "watch"]}`;
        const text = `it forbids to list or watch ${name} (${messageOf(error)}); grant it by a ClusterRole with the rule ${rule}`;
        availability.refused(name, text, this.resource.optional ? 'warn' : 'error');
        this.listener.unavailable();
        return pause;
      }
      case 404:
        if (this.resource.optional) {
          this.note(2, 'this API server does not have them');
          availability.answered(name);
          this.listener.unavailable();
          return 300_000 * (1 + random());
        }
        availability.refused(
          name,
          `it has no resource ${name} (${messageOf(error)}); is this the URL of a Kubernetes API server?`,
        );
        return pause;
      case 400:
        this.resourceVersion = undefined;
        if (this.fieldSelector !== undefined && this.resource.fieldSelectorOptional) {
          this.note(2, 'this API server does not support the field selector; requesting without it');
          this.fieldSelector = undefined;
          return 0;
        }
        availability.refused(name, `it rejected the request for ${name} (${messageOf(error)})`);
        return pause;
      default:
        if (this.resourceVersion === undefined || this.failures >= OUTAGE_AFTER) {
          availability.unreachable(name, `${name}: ${messageOf(error)}`);
        }
        return pause;
    }
  }

  private query(): URLSearchParams {
    const query = new URLSearchParams();
    if (this.resource.labelSelector !== undefined) {
      query.set('labelSelector', this.resource.labelSelector);
    }
    if (this.fieldSelector !== undefined) {
      query.set('fieldSelector', this.fieldSelector);
    }
    return query;
  }

  private sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds <= 0 || signal.aborted) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.options.clock.setTimer(milliseconds, done);
      signal.addEventListener('abort', done);
    });
  }

  private note(level: number, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { logger } = this.options;
    if (logger.v(level)) {
      logger.debug(level, `${this.resource.name}: ${text}`, fields);
    }
  }
}
