import type { IncomingMessage } from 'node:http';
import { assertNever, type Clock, countOf, type Logger, messageOf, type TextStore } from '@kube-proxier/core';
import type { ApiClient } from '../api/api-client.js';
import { InactivityTimer } from '../api/inactivity-timer.js';
import { ApiError } from '../api/kubernetes-error.js';
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
import type { ObjectCache, ObjectChange } from './object-cache.js';
import { ObjectFormat } from './object-format.js';
import { PagedList } from './paged-list.js';
import type { ProtobufSupport } from './protobuf-support.js';
import { ResourceState } from './resource-state.js';
import { watchEvents } from './watch-stream.js';
import type { WatchedResource } from './watched-resource.js';

/** Options of a {@link ListWatch}. */
export interface ListWatchOptions {
  readonly resource: WatchedResource;
  /** Stores the objects. */
  readonly texts: TextStore;
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
  /** Settles when objects may be reported. Requests are sent before. */
  readonly mayReport: Promise<void>;
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
/** Milliseconds within which restores detected by several resources count as one. */
const ONE_RESTORE = 120_000;

/** Callbacks while the events of a watch are read. */
interface WatchReading {
  onBytes?(bytes: number): void;
  /** Called before the events of a chunk are applied. */
  onEvents?(): void;
  /** Called after they are applied. */
  onApplied?(): void;
}

/**
 * Follows one kind of object: lists it, or starts a watch with initial events, then watches it, for as long as it runs.
 * After any failure, the cache converges to the state of the server, and an object is removed only on evidence from the
 * server: an event, or a complete list without it.
 */
export class ListWatch {
  readonly #resource: WatchedResource;
  readonly #state: ResourceState;
  readonly #format: ObjectFormat;
  readonly #pagedList: PagedList;
  /** Whether the last watch failed within its initial events, and a list may succeed. */
  #listInstead = false;
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
    this.#state = new ResourceState(options, {
      changed: (change) => listener.changed(change),
      completed: () => this.#completed(),
      restored: () => {
        this.#restoredAt = options.clock.monotonic();
        options.onRestored();
      },
    });
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
    this.listener.began(this.#state.cache);
    stop.addEventListener('abort', () => this.#interrupt.abort(), { once: true });
    while (!stop.aborted) {
      let delay = 0;
      if (this.#isOutdated) {
        this.#isOutdated = false;
        this.#state.requireList();
        await this.#sleep(relistDelay(random()), stop);
      }
      this.#interrupt = new AbortController();
      const { signal } = this.#interrupt;
      try {
        const { watchList } = this.options;
        if (
          this.#state.resourceVersion === undefined &&
          (this.#listInstead || watchList === undefined || watchList.isRefused)
        ) {
          await this.#measured(() => this.#orUndo(() => this.#list(signal)));
        }
        const watch = () => this.#orUndo(() => this.#watch(signal));
        await (this.#state.resourceVersion === undefined ? this.#measured(watch) : watch());
      } catch (error) {
        if (stop.aborted) {
          return;
        }
        const failure = signal.aborted
          ? error
          : await notFoundIfAbsent(error, this.#resource, this.options.client, signal);
        delay = signal.aborted ? 0 : this.#recover(failure);
      }
      if (this.#state.resourceVersion !== undefined && clock.monotonic() - this.#lastAnswer >= relistAfter) {
        this.#note(2, `nothing was heard for ${relistAfter} ms; listing`);
        this.#state.requireList();
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
    this.#progress = new ListProgress(
      this.options.clock,
      () => this.#state.named,
      (text) => {
        this.options.logger.info(`${this.#resource.name}: ${text}; the last known objects stay in force`);
      },
    );
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

  async #orUndo(request: () => Promise<void>): Promise<void> {
    try {
      await request();
    } catch (error) {
      if (this.#state.undoOversizedList()) {
        this.listener.settled(this.#state.cache);
      }
      throw error;
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    let version: string | undefined;
    const state = this.#state;
    const { listAge } = state;
    state.beginList();
    for await (const part of this.#pagedList.parts(this.#selectors(), listAge, () => state.named, signal)) {
      await this.options.mayReport;
      if (version === undefined) {
        // The version of the first page: a change that the watch repeats is harmless, a missed change is not.
        version = part.resourceVersion;
        state.acceptVersion(version);
      }
      for (const item of part.items) {
        if (signal.aborted) {
          return;
        }
        state.put(item);
      }
      this.listener.settled(state.cache);
    }
    if (version === undefined) {
      throw new ApiError('API_RESPONSE_INVALID', 'the list has no pages');
    }
    state.completeList(version, signal);
  }

  #completed(): void {
    const { cache, resourceVersion } = this.#state;
    this.#endProgress();
    this.#listInstead = false;
    this.#answered();
    this.options.availability.answered(this.#resource.name);
    this.#note(2, `listed ${countOf(cache.size, 'object')}`, { resourceVersion });
    this.listener.settled(cache);
    this.listener.listed(cache);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, clock, availability } = this.options;
    const query = this.#watchQuery();
    const begin = clock.monotonic();
    const response = await client.openWatch(
      { path: this.#resource.path, query, protobuf: this.#format.acceptsProtobuf },
      signal,
    );
    const withInitialEvents = this.#state.awaitsInitialEvents;
    if (!isOutage(this.#history) && !withInitialEvents) {
      availability.answered(this.#resource.name);
    }
    const events = withInitialEvents
      ? await this.#readInitialEvents(response, signal)
      : await this.#readEvents(response, signal);
    if (signal.aborted) {
      return;
    }
    if (this.#state.awaitsInitialEvents) {
      throw new ApiError('API_INCOMPLETE', 'the watch ended within its initial events');
    }
    const lived = clock.monotonic() - begin;
    this.#note(4, 'the watch ended', { events, milliseconds: Math.round(lived) });
    if (events === 0 && lived < SHORT_WATCH) {
      throw new ApiError('API_UNREACHABLE', 'the server ended a watch as soon as it began');
    }
  }

  #watchQuery(): URLSearchParams {
    const query = this.#selectors();
    query.set('watch', 'true');
    query.set('allowWatchBookmarks', 'true');
    query.set('timeoutSeconds', String(300 + Math.floor(this.options.random() * 300)));
    this.#state.dropInitialEvents();
    let version = this.#state.resourceVersion;
    if (version === undefined) {
      query.set('sendInitialEvents', 'true');
      query.set('resourceVersionMatch', 'NotOlderThan');
      version = this.#state.beginInitialEvents();
    }
    if (version !== undefined) {
      query.set('resourceVersion', version);
    }
    return query;
  }

  /** Limits the time within which the initial events of a watch must begin and progress, then reads further ones. */
  async #readInitialEvents(response: IncomingMessage, signal: AbortSignal): Promise<number> {
    const { clock, initialPatience, pageTimeout } = this.options;
    // Servers without initial events may send nothing while nothing changes.
    const patience = new InactivityTimer(clock, initialPatience, () => {
      if (this.#state.awaitsInitialEvents) {
        response.destroy(new WatchListUnsupported(`neither events nor their end came within ${initialPatience} ms`));
      }
    });
    const slow = new SlowAnswerTimer(clock, pageTimeout, (failure) => response.destroy(failure));
    const cancel = () => {
      patience.cancel();
      slow.cancel();
    };
    try {
      return await this.#readEvents(response, signal, {
        onBytes: (bytes) => {
          this.#progress?.add(bytes);
          slow.add(bytes);
        },
        onEvents: () => patience.touch(),
        onApplied: () => this.#state.awaitsInitialEvents || cancel(),
      });
    } finally {
      cancel();
    }
  }

  /** @returns the number of events, when the server has ended the watch. */
  async #readEvents(response: IncomingMessage, signal: AbortSignal, reading: WatchReading = {}): Promise<number> {
    let count = 0;
    const batches = watchEvents(response, {
      ...this.options,
      format: this.#format,
      onSilence: () => this.options.client.dropIdleConnections(),
      ...(reading.onBytes && { onBytes: reading.onBytes }),
    });
    for await (const events of batches) {
      await this.options.mayReport;
      reading.onEvents?.();
      for (const event of events) {
        if (signal.aborted) {
          return count;
        }
        if (!this.#state.awaitsInitialEvents) {
          this.#answered();
        }
        this.#state.apply(event, signal);
        count += 1;
      }
      reading.onApplied?.();
      this.listener.settled(this.#state.cache);
    }
    return count;
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
    const operation = this.#state.resourceVersion === undefined ? 'list' : 'watch';
    const initialEvents = this.#state.awaitsInitialEvents;
    this.#state.dropInitialEvents();
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
    if (operation === 'list') {
      this.#state.listFailed(error);
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
      this.#state.requireList();
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
