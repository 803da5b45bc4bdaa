import type { Logger, TextStore } from '@kube-proxier/core';
import { ApiError, ApiStatusError, ResponseTooLarge } from '../api/kubernetes-error.js';
import { WatchListUnsupported } from './initial-events.js';
import { ObjectCache, type ObjectChange, type PreparedObject } from './object-cache.js';
import type { ListAge } from './paged-list.js';
import type { ReceivedObject } from './received-object.js';
import { compareResourceVersions } from './resource-version.js';
import type { WatchEvent } from './watch-event.js';
import type { WatchedResource } from './watched-resource.js';

/** Callbacks of a {@link ResourceState}. */
export interface ResourceStateListener {
  changed(change: ObjectChange): void;
  /** Called when a list, or the initial events of a watch, are complete and applied. */
  completed(): void;
  /** Called when the answers of the server show that it was restored from a backup. */
  restored(): void;
}

/** Options of a {@link ResourceState}. */
export interface ResourceStateOptions {
  readonly resource: WatchedResource;
  /** Stores the objects. */
  readonly texts: TextStore;
  readonly logger: Logger;
  /** Maximum number of objects in a list. */
  readonly maxObjects: number;
}

/** Number of consecutive outdated lists before one is accepted: the cluster was restored. The last one is consistent. */
const STALE_LISTS = 3;

/** The received initial events of a watch. */
interface InitialEvents {
  /**
   * Changed objects that are not in the cache yet, by key; undefined for those that were deleted. Nothing is buffered
   * before the first list is complete, as an incomplete cache is not used.
   */
  readonly held: Map<string, PreparedObject | undefined> | undefined;
}

/**
 * The objects of one resource, as the server last stated them, and the version from which a watch continues. An object
 * is removed only on evidence from the server: an event, or a complete list without it. The state does not go back in
 * time, unless the server was restored from a backup.
 */
export class ResourceState {
  readonly cache: ObjectCache;
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
  /** Undefined when no watch runs, or its initial events have ended, or it has none. */
  #initialEvents: InitialEvents | undefined;

  constructor(
    private readonly options: ResourceStateOptions,
    private readonly listener: ResourceStateListener,
  ) {
    this.cache = new ObjectCache(options.resource, options.texts);
  }

  /** The version to continue the watch from; undefined when a list is needed first. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** Whether a watch is within its initial events. */
  get awaitsInitialEvents(): boolean {
    return this.#initialEvents !== undefined;
  }

  /** Number of objects that the running list, or the running initial events, have named. */
  get named(): number {
    return this.cache.named + (this.#initialEvents?.held?.size ?? 0);
  }

  /** The age of the next list. Prefers the watch cache: cheap for the server, and free for etcd. */
  get listAge(): ListAge {
    if (this.#consistent) {
      return 'consistent';
    }
    return this.#newest === '' ? 'any' : { notOlderThan: this.#newest };
  }

  /** Requires a list, or initial events, before the watch continues. */
  requireList(): void {
    this.#initialEvents = undefined;
    this.#resourceVersion = undefined;
  }

  /** Records that a list failed: whether the server's watch cache can answer the next one. */
  listFailed(error: unknown): void {
    this.#consistent ||= isUnavailableInCache(error);
  }

  /** Ends initial events that are incomplete. */
  dropInitialEvents(): void {
    this.#initialEvents = undefined;
  }

  /** Begins a list. Its objects are applied by {@link put}. */
  beginList(): void {
    this.cache.beginList();
  }

  /**
   * Begins initial events.
   *
   * @returns the version that they must not be older than; undefined for a consistent state, for which the server
   *   compares its watch cache with etcd.
   */
  beginInitialEvents(): string | undefined {
    this.cache.beginList();
    this.#initialEvents = { held: this.#wasComplete ? new Map() : undefined };
    return this.#wasComplete && !this.#consistent ? this.#newest : undefined;
  }

  /**
   * Checks the version of a list.
   *
   * @throws ApiError (`API_STALE`) when it is older than an applied one, until {@link STALE_LISTS} lists were.
   */
  acceptVersion(version: string): void {
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
      `${this.#name}: the API server continues from version ${version}, which is older than ${this.#newest}; it was restored, and its current state is used`,
    );
    this.listener.restored();
    this.#newest = version;
  }

  /** Applies an object of a list, or of an event. */
  put(object: ReceivedObject): void {
    // A list must fit, in addition to objects that events have added.
    const room = (this.#resourceVersion === undefined ? 3 : 2) * this.options.maxObjects;
    if (this.cache.size >= room && !this.cache.has(object)) {
      throw new ApiError(
        'API_RESPONSE_INVALID',
        `there are more than the ${this.options.maxObjects} objects that are read; further ones were refused`,
      );
    }
    const change = this.cache.put(object);
    if (change === 'malformed') {
      this.options.logger.warn(`${this.#name}: an object without a name is left out`);
      return;
    }
    this.#report(change);
  }

  /** Removes the objects that a complete list of `version` did not name, unless `signal` aborts. */
  completeList(version: string, signal: AbortSignal): void {
    for (const change of this.cache.endList()) {
      if (signal.aborted) {
        return;
      }
      this.#report(change);
    }
    this.#wasComplete = true;
    this.#staleLists = 0;
    this.#consistent = false;
    this.#newest = version;
    this.#resourceVersion = version;
    this.listener.completed();
  }

  /**
   * Removes the objects of a rejected list if they are many: objects of repeatedly rejected lists must not accumulate
   * in memory.
   *
   * @returns whether it did.
   */
  undoOversizedList(): boolean {
    if (this.#resourceVersion !== undefined || this.cache.size <= 2 * this.options.maxObjects) {
      return false;
    }
    for (const change of this.cache.undoList()) {
      this.#report(change);
    }
    return true;
  }

  /** Applies an event of a watch. */
  apply(event: WatchEvent, signal: AbortSignal): void {
    if (this.#initialEvents) {
      this.#applyInitial(event, this.#initialEvents, signal);
      return;
    }
    const { type, object, resourceVersion: version } = event;
    const order = version === undefined ? undefined : compareResourceVersions(version, this.#resourceVersion ?? '');
    if (order !== undefined && order <= 0) {
      // Versions increase along a watch: this event is a repetition.
      const level = type === 'BOOKMARK' ? 6 : 4;
      if (this.options.logger.v(level)) {
        this.options.logger.debug(level, `${this.#name}: an event came again`, { type, resourceVersion: version });
      }
      return;
    }
    this.#applyObject(type, object);
    if (version !== undefined) {
      this.#resourceVersion = version;
      this.#newest = version;
    }
  }

  get #name(): string {
    return this.options.resource.name;
  }

  /**
   * If older objects are cached, changes are buffered until the version of the initial events is known, at their end.
   */
  #applyInitial(event: WatchEvent, { held }: InitialEvents, signal: AbortSignal): void {
    const { type, object, resourceVersion: version } = event;
    if (type === 'BOOKMARK') {
      this.#endInitialEvents(event, held, signal);
      return;
    }
    const { key } = object;
    if (this.named > this.options.maxObjects) {
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
      this.cache.unconfirm(key);
    } else {
      const prepared = this.cache.prepareUnlessKnown(key, object.kept);
      if (prepared) {
        held.set(key, prepared);
      } else {
        held.delete(key);
      }
    }
  }

  #endInitialEvents(bookmark: WatchEvent, held: InitialEvents['held'], signal: AbortSignal): void {
    const { endsInitialEvents, resourceVersion: version } = bookmark;
    if (!endsInitialEvents) {
      throw new WatchListUnsupported('a bookmark came before the end of the initial events');
    }
    if (version === undefined) {
      throw new ApiError('API_RESPONSE_INVALID', 'the end of the initial events has no version');
    }
    this.acceptVersion(version);
    this.#initialEvents = undefined;
    for (const prepared of held?.values() ?? []) {
      if (prepared !== undefined) {
        this.#report(this.cache.putPrepared(prepared));
      }
    }
    this.completeList(version, signal);
  }

  #applyObject(type: WatchEvent['type'], object: WatchEvent['object']): void {
    if (type === 'ADDED' || type === 'MODIFIED') {
      this.put(object);
    } else if (type === 'DELETED') {
      const change = this.cache.remove(object);
      if (change === 'malformed') {
        throw new ApiError('API_RESPONSE_INVALID', 'an object without a name was deleted');
      }
      this.#report(change);
    }
  }

  #report(change: ObjectChange | undefined): void {
    if (change) {
      this.listener.changed(change);
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
