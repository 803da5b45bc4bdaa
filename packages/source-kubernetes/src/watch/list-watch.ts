import type { IncomingMessage } from 'node:http';
import { assertNever, type Clock, countOf, type Logger, messageOf } from '@kube-proxier/core';
import type { ApiClient } from '../api/api-client.js';
import { InactivityTimer } from '../api/inactivity-timer.js';
import { ApiError, ApiStatusError, ResponseTooLarge } from '../api/kubernetes-error.js';
import { SlowAnswerTimer } from '../api/slow-answer-timer.js';
import type { ApiAvailability } from './api-availability.js';
import {
  afterAnswer,
  type FailureReaction,
  isOutage,
  NO_REQUESTS,
  type RequestHistory,
  reactToFailure,
  relistDelay,
} from './failure-policy.js';
import { mayListInstead, refusesInitialEvents, type WatchListSupport, WatchListUnsupported } from './initial-events.js';
import { ListProgress } from './list-progress.js';
import { notFoundIfAbsent } from './not-found-if-absent.js';
import { ObjectCache, type ObjectChange, type PreparedObject } from './object-cache.js';
import { ObjectFormat } from './object-format.js';
import { type ListAge, PagedList } from './paged-list.js';
import type { ProtobufSupport } from './protobuf-support.js';
import type { ReceivedObject } from './received-object.js';
import { compareResourceVersions } from './resource-version.js';
import type { WatchEvent } from './watch-event.js';
import { watchEvents } from './watch-stream.js';
import type { WatchedResource } from './watched-resource.js';

/** Options of a {@link ListWatch}. */
export interface ListWatchOptions {
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
  /** Milliseconds within which a list must progress. */
  readonly pageTimeout: number;
  /** Milliseconds without a byte after which a watch counts as failed. */
  readonly silenceLimit: number;
  /** Milliseconds without an answer for this resource after which it is listed again. */
  readonly relistAfter: number;
  /** Maximum size of a page in bytes. */
  readonly maxPageBytes: number;
  /** Maximum size of an event in bytes. */
  readonly maxEventBytes: number;
  /** Maximum number of objects in a list. */
  readonly maxObjects: number;
  /** Start with a watch with initial events, if the server supports it. Undefined: with a list. */
  readonly watchList: WatchListSupport | undefined;
  /** Whether protobuf is requested. */
  readonly protobuf: ProtobufSupport;
  /** Milliseconds without a byte during the initial events after which the server counts as not supporting them. */
  readonly initialPatience: number;
  /** Called when the answers of the server show that it was restored from a backup. */
  readonly onRestored: () => void;
}

/** Callbacks of a {@link ListWatch}. */
export interface ListWatchListener {
  /** Called at the start, with the empty cache. */
  began(cache: ObjectCache): void;
  changed(change: ObjectChange): void;
  /** Called when a full list is complete. */
  listed(cache: ObjectCache): void;
  /** Called when all changes of one chunk were reported. */
  settled(cache: ObjectCache): void;
  /** Called when it cannot be listed for now: the request is refused, or the server lacks the resource. */
  unavailable(): void;
}

/** Minimum duration of a watch without events that does not count as a failure (client-go's). */
const SHORT_WATCH = 1000;
/** Number of consecutive outdated lists before one is accepted: the cluster was restored. The last one is consistent. */
const STALE_LISTS = 3;

/** Milliseconds within which restores detected by several resources count as one. */
const ONE_RESTORE = 120_000;

/** The received initial events of a watch. */
interface InitialEvents {
  /**
   * Changed objects that are not in the cache yet, by key; undefined for those that were deleted. Nothing is buffered
   * before the first list is complete, as an incomplete cache is not used.
   */
  readonly held: Map<string, PreparedObject | undefined> | undefined;
}

/**
 * Follows one kind of object: lists it, or starts a watch with initial events, then watches it, for as long as it runs.
 * After any failure, the cache converges to the state of the server, and an object is removed only on evidence from the
 * server: an event, or a complete list without it.
 */
export class ListWatch {
  readonly #resource: WatchedResource;
  readonly #cache: ObjectCache;
  readonly #format: ObjectFormat;
  readonly #pagedList: PagedList;
  /** The version to continue the watch from; undefined when a list is needed first. */
  #resourceVersion: string | undefined;
  /** The newest applied version. */
  #newest = '';
  /** A list was complete before. */
  #wasComplete = false;
  #staleLists = 0;
  /**
   * Whether the server's watch cache cannot answer the next list: its answers were outdated, or it lacks the version.
   */
  #consistent = false;
  /** Whether the last watch failed within its initial events, and a list may succeed. */
  #listInstead = false;
  /** Undefined when the running watch has no initial events, or they have ended. */
  #initialEvents: InitialEvents | undefined;
  /** Of the running list, or of the running initial events. */
  #progress: ListProgress | undefined;
  #fieldSelector: string | undefined;
  #history: RequestHistory = NO_REQUESTS;
  /** Time of the server's last answer for this resource. */
  #lastAnswer = 0;
  /** Aborts the running request. */
  #interrupt = new AbortController();
  /** Whether the next request must be a list, as the cache may lack changes. */
  #isOutdated = false;
  /** Time of the last detected restore of the server. */
  #restoredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: ListWatchOptions,
    private readonly listener: ListWatchListener,
  ) {
    this.#resource = options.resource;
    this.#cache = new ObjectCache(options.resource);
    this.#format = new ObjectFormat(options.resource, options.protobuf);
    this.#pagedList = new PagedList({
      ...options,
      format: this.#format,
      onBytes: (bytes) => this.#progress?.add(bytes),
    });
    this.#fieldSelector = options.resource.fieldSelector;
  }

  /** Name of the resource, as in its URL. */
  get resource(): string {
    return this.#resource.name;
  }

  /** The progress of a list that takes long; undefined when none does. */
  get slowList(): string | undefined {
    const text = this.#progress?.text();
    return text === undefined ? undefined : `${this.#resource.name}: ${text}`;
  }

  /** Runs until `signal` aborts, then resolves. Never rejects. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock, random, relistAfter } = this.options;
    this.listener.began(this.#cache);
    stop.addEventListener('abort', () => this.#interrupt.abort(), { once: true });
    while (!stop.aborted) {
      let delay = 0;
      if (this.#isOutdated) {
        this.#isOutdated = false;
        this.#initialEvents = undefined;
        this.#resourceVersion = undefined;
        await this.#sleep(relistDelay(random()), stop);
      }
      this.#interrupt = new AbortController();
      const { signal } = this.#interrupt;
      try {
        const { watchList } = this.options;
        if (
          this.#resourceVersion === undefined &&
          (this.#listInstead || watchList === undefined || watchList.isRefused)
        ) {
          await this.#measured(() => this.#orUndo(() => this.#list(signal)));
        }
        const watch = () => this.#orUndo(() => this.#watch(signal));
        await (this.#resourceVersion === undefined ? this.#measured(watch) : watch());
      } catch (error) {
        if (stop.aborted) {
          return;
        }
        const failure = signal.aborted
          ? error
          : await notFoundIfAbsent(error, this.#resource, this.options.client, signal);
        delay = signal.aborted ? 0 : this.#recover(failure);
      }
      if (this.#resourceVersion !== undefined && clock.monotonic() - this.#lastAnswer >= relistAfter) {
        this.#note(2, `nothing was heard for ${relistAfter} ms; listing`);
        this.#resourceVersion = undefined;
        delay = Math.max(delay, relistDelay(random()));
      }
      await this.#sleep(delay, stop);
    }
  }

  /**
   * Relists, after another resource detected a restore of the server from a backup: if the server has passed the
   * version of this resource again, its watch continues and misses reverted changes.
   */
  relist(): void {
    const now = this.options.clock.monotonic();
    // A resource that detected the restore itself has already relisted, or is doing so.
    if (now - this.#restoredAt > ONE_RESTORE) {
      this.#restoredAt = now;
      this.#isOutdated = true;
      this.#note(2, 'the API server was restored; listing');
      this.#interrupt.abort();
    }
  }

  /** Measures the progress of a list; until it ends, or a watch has all of its initial events. */
  async #measured(request: () => Promise<void>): Promise<void> {
    const countObjects = () => this.#cache.named + (this.#initialEvents?.held?.size ?? 0);
    this.#progress = new ListProgress(this.options.clock, countObjects, (text) => {
      this.options.logger.info(`${this.#resource.name}: ${text}; the last known objects stay in force`);
    });
    try {
      await request();
    } finally {
      this.#endProgress();
    }
  }

  #endProgress(): void {
    this.#progress?.end();
    this.#progress = undefined;
  }

  /** Objects of repeatedly rejected lists must not accumulate in memory. */
  async #orUndo(request: () => Promise<void>): Promise<void> {
    try {
      await request();
    } catch (error) {
      if (this.#resourceVersion === undefined && this.#cache.size > 2 * this.options.maxObjects) {
        for (const change of this.#cache.undoList()) {
          this.#report(change);
        }
        this.listener.settled(this.#cache);
      }
      throw error;
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    let version: string | undefined;
    const age = this.#listAge();
    this.#cache.beginList();
    for await (const part of this.#pagedList.parts(this.#selectors(), age, () => this.#cache.named, signal)) {
      if (version === undefined) {
        // The version of the first page: a change that the watch repeats is harmless, a missed change is not.
        version = part.resourceVersion;
        this.#refuseStale(version);
      }
      for (const item of part.items) {
        if (signal.aborted) {
          return;
        }
        this.#put(item);
      }
      this.listener.settled(this.#cache);
    }
    if (version === undefined) {
      throw new ApiError('API_RESPONSE_INVALID', 'the list has no pages');
    }
    this.#completeList(version, signal);
  }

  #completeList(version: string, signal: AbortSignal): void {
    for (const change of this.#cache.endList()) {
      if (signal.aborted) {
        return;
      }
      this.#report(change);
    }
    this.#endProgress();
    this.#wasComplete = true;
    this.#staleLists = 0;
    this.#consistent = false;
    this.#listInstead = false;
    this.#newest = version;
    this.#resourceVersion = version;
    this.#answered();
    this.options.availability.answered(this.#resource.name);
    this.#note(2, `listed ${countOf(this.#cache.size, 'object')}`, { resourceVersion: version });
    this.listener.settled(this.#cache);
    this.listener.listed(this.#cache);
  }

  /** Prefers the watch cache: cheap for the server, and free for etcd. */
  #listAge(): ListAge {
    if (this.#consistent) {
      return 'consistent';
    }
    return this.#newest === '' ? 'any' : { notOlderThan: this.#newest };
  }

  #refuseStale(version: string): void {
    const order = this.#newest === '' ? 0 : compareResourceVersions(version, this.#newest);
    if (order === undefined || order >= 0) {
      // Also when the list is truncated: its first objects are applied.
      this.#newest = version;
      return;
    }
    this.#staleLists += 1;
    if (this.#staleLists < STALE_LISTS || !this.#consistent) {
      // Another server, with a newer cache, may answer the second one.
      this.#consistent ||= this.#staleLists >= STALE_LISTS - 1;
      throw new ApiError('API_STALE', `the list is of version ${version}, and ${this.#newest} was seen already`);
    }
    this.options.logger.warn(
      `${this.#resource.name}: the API server continues from version ${version}, which is older than ${this.#newest}; it was restored, and its current state is used`,
    );
    this.#restoredAt = this.options.clock.monotonic();
    this.options.onRestored();
    this.#newest = version;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, clock, random, availability } = this.options;
    const query = this.#selectors();
    query.set('watch', 'true');
    query.set('allowWatchBookmarks', 'true');
    query.set('timeoutSeconds', String(300 + Math.floor(random() * 300)));
    this.#initialEvents = undefined;
    if (this.#resourceVersion === undefined) {
      this.#requestInitialEvents(query);
    } else {
      query.set('resourceVersion', this.#resourceVersion);
    }
    const begin = clock.monotonic();
    const response = await client.openWatch(
      { path: this.#resource.path, query, protobuf: this.#format.acceptsProtobuf },
      signal,
    );
    if (!isOutage(this.#history) && this.#initialEvents === undefined) {
      availability.answered(this.#resource.name);
    }
    const patience = this.#initialEvents ? this.#initialTimer(response) : undefined;
    const slow = this.#initialEvents
      ? new SlowAnswerTimer(clock, this.options.pageTimeout, (failure) => response.destroy(failure))
      : undefined;
    let events = 0;
    try {
      for await (const arrived of watchEvents(response, {
        ...this.options,
        format: this.#format,
        onSilence: () => client.dropIdleConnections(),
        onBytes: (bytes) => {
          this.#progress?.add(bytes);
          slow?.add(bytes);
        },
      })) {
        patience?.touch();
        for (const event of arrived) {
          if (signal.aborted) {
            return;
          }
          if (this.#initialEvents) {
            this.#applyInitial(event, this.#initialEvents, signal);
          } else {
            this.#apply(event);
          }
          events += 1;
        }
        if (!this.#initialEvents) {
          patience?.cancel();
          slow?.cancel();
        }
        this.listener.settled(this.#cache);
      }
    } finally {
      patience?.cancel();
      slow?.cancel();
    }
    if (this.#initialEvents) {
      throw new ApiError('API_INCOMPLETE', 'the watch ended within its initial events');
    }
    const lived = clock.monotonic() - begin;
    this.#note(4, 'the watch ended', { events, milliseconds: Math.round(lived) });
    if (events === 0 && lived < SHORT_WATCH) {
      throw new ApiError('API_UNREACHABLE', 'the server ended a watch as soon as it began');
    }
  }

  /** Servers without initial events may send nothing while nothing changes. */
  #initialTimer(response: IncomingMessage): InactivityTimer {
    const { clock, initialPatience } = this.options;
    return new InactivityTimer(clock, initialPatience, () => {
      if (this.#initialEvents) {
        response.destroy(new WatchListUnsupported(`neither events nor their end came within ${initialPatience} ms`));
      }
    });
  }

  #requestInitialEvents(query: URLSearchParams): void {
    query.set('sendInitialEvents', 'true');
    query.set('resourceVersionMatch', 'NotOlderThan');
    // Without a version the state is consistent: the server compares its watch cache with etcd.
    if (this.#wasComplete && !this.#consistent) {
      query.set('resourceVersion', this.#newest);
    }
    this.#cache.beginList();
    this.#initialEvents = { held: this.#wasComplete ? new Map() : undefined };
  }

  /**
   * If older objects are cached, changes are buffered until the version of the initial events is known, at their end.
   */
  #applyInitial(event: WatchEvent, { held }: InitialEvents, signal: AbortSignal): void {
    const { type, object, resourceVersion: version } = event;
    if (type === 'BOOKMARK') {
      if (!event.endsInitialEvents) {
        throw new WatchListUnsupported('a bookmark came before the end of the initial events');
      }
      if (version === undefined) {
        throw new ApiError('API_RESPONSE_INVALID', 'the end of the initial events has no version');
      }
      this.#refuseStale(version);
      this.#initialEvents = undefined;
      for (const prepared of held?.values() ?? []) {
        if (prepared !== undefined) {
          this.#report(this.#cache.putPrepared(prepared));
        }
      }
      this.#completeList(version, signal);
      return;
    }
    const { key } = object;
    if (this.#cache.named + (held?.size ?? 0) > this.options.maxObjects) {
      throw new ApiError(
        'API_RESPONSE_INVALID',
        `there are more than the ${this.options.maxObjects} initial events that are read; the watch was refused`,
      );
    }
    if (held === undefined || key === undefined) {
      this.#applyObject(type, object);
      // The version of the snapshot is at least that of each object.
      if (version !== undefined && (compareResourceVersions(version, this.#newest) ?? 1) > 0) {
        this.#newest = version;
      }
    } else if (type === 'DELETED') {
      held.set(key, undefined);
      this.#cache.unconfirm(key);
    } else {
      const prepared = this.#cache.prepareUnlessKnown(key, object.kept);
      if (prepared) {
        held.set(key, prepared);
      } else {
        held.delete(key);
      }
    }
  }

  #apply({ type, object, resourceVersion: version }: WatchEvent): void {
    this.#answered();
    const order = version === undefined ? undefined : compareResourceVersions(version, this.#resourceVersion ?? '');
    if (order !== undefined && order <= 0) {
      // Versions increase along a watch: this event is a repetition.
      this.#note(type === 'BOOKMARK' ? 6 : 4, 'an event came again', { type, resourceVersion: version });
      return;
    }
    this.#applyObject(type, object);
    if (version !== undefined) {
      this.#resourceVersion = version;
      this.#newest = version;
    }
  }

  #applyObject(type: WatchEvent['type'], object: WatchEvent['object']): void {
    if (type === 'ADDED' || type === 'MODIFIED') {
      this.#put(object);
    } else if (type === 'DELETED') {
      const change = this.#cache.remove(object);
      if (change === 'malformed') {
        throw new ApiError('API_RESPONSE_INVALID', 'an object without a name was deleted');
      }
      this.#report(change);
    }
  }

  #put(object: ReceivedObject): void {
    // A list must fit, in addition to objects that events have added.
    const room = (this.#resourceVersion === undefined ? 3 : 2) * this.options.maxObjects;
    if (this.#cache.size >= room && !this.#cache.has(object)) {
      throw new ApiError(
        'API_RESPONSE_INVALID',
        `there are more than the ${this.options.maxObjects} objects that are read; further ones were refused`,
      );
    }
    const change = this.#cache.put(object);
    if (change === 'malformed') {
      this.options.logger.warn(`${this.#resource.name}: an object without a name is left out`);
      return;
    }
    this.#report(change);
  }

  #report(change: ObjectChange | undefined): void {
    if (change) {
      this.listener.changed(change);
    }
  }

  /** Records a valid answer of the server. */
  #answered(): void {
    this.#lastAnswer = this.options.clock.monotonic();
    const failed = this.#history.failures > 0;
    this.#history = afterAnswer(this.#history);
    if (failed) {
      this.options.availability.answered(this.#resource.name);
    }
  }

  /** @returns milliseconds to wait before continuing. */
  #recover(error: unknown): number {
    const { clock, onUnauthorized, random } = this.options;
    const operation = this.#resourceVersion === undefined ? 'list' : 'watch';
    const initialEvents = this.#initialEvents !== undefined;
    this.#initialEvents = undefined;
    if (this.#format.acceptsProtobuf && this.#format.failed(error)) {
      this.options.logger.warn(
        `${this.#resource.name}: the API server, or a proxy before it, does not send protobuf that can be read (${messageOf(error)}); objects are read as JSON`,
      );
      return 0;
    }
    if (initialEvents && refusesInitialEvents(error)) {
      this.#note(2, `this API server does not send initial events (${messageOf(error)}); listing`);
      this.options.watchList?.refuse();
      return 0;
    }
    this.#listInstead ||= initialEvents && mayListInstead(error);
    if (operation === 'list' && isUnavailableInCache(error)) {
      this.#consistent = true;
    }
    const reaction = reactToFailure(this.#history, {
      error,
      operation,
      resource: this.#resource,
      hasFieldSelector: this.#fieldSelector !== undefined,
      now: clock.monotonic(),
      random: random(),
    });
    this.#history = reaction.history;
    this.#note(2, `a ${operation} failed: ${messageOf(error)}; retrying in ${Math.round(reaction.delay)} ms`);
    this.#reportFailure(error, reaction);
    if (reaction.relist) {
      this.#resourceVersion = undefined;
    }
    if (reaction.renewCredentials) {
      onUnauthorized();
    }
    if (reaction.dropFieldSelector) {
      this.#note(2, 'this API server does not support the field selector; requesting without it');
      this.#fieldSelector = undefined;
    }
    if (reaction.unavailable) {
      this.listener.unavailable();
    }
    return reaction.delay;
  }

  #reportFailure(error: unknown, { report }: FailureReaction): void {
    const { availability, logger } = this.options;
    const { name } = this.#resource;
    switch (report?.kind) {
      case 'unreachable':
        availability.unreachable(name, report.message);
        return;
      case 'refused':
        availability.refused(name, report.message, report.severity);
        return;
      case 'absent':
        this.#note(2, 'this API server does not have them');
        availability.answered(name);
        return;
      case 'unexpected':
        logger.error(`${name}: the watch failed with an unexpected error: ${messageOf(error)}; listing again`, {
          error,
        });
        return;
      case undefined:
        return;
      default:
        assertNever(report);
    }
  }

  /** The query that selects the objects. */
  #selectors(): URLSearchParams {
    const query = new URLSearchParams();
    if (this.#resource.labelSelector !== undefined) {
      query.set('labelSelector', this.#resource.labelSelector);
    }
    if (this.#fieldSelector !== undefined) {
      query.set('fieldSelector', this.#fieldSelector);
    }
    return query;
  }

  #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
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

  #note(level: number, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { logger } = this.options;
    if (logger.v(level)) {
      logger.debug(level, `${this.#resource.name}: ${text}`, fields);
    }
  }
}

/** Whether the list was refused because the watch cache lacks it, or because it is too large for one answer. */
function isUnavailableInCache(error: unknown): boolean {
  return (
    error instanceof ResponseTooLarge ||
    (error instanceof ApiStatusError && (error.status === 410 || error.isVersionTooLarge))
  );
}
