import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@kube-proxier/core';
import { NotEncodable } from './api-encoding.js';
import type { WatchFault } from './api-faults.js';
import { type ApiObjectStore, eventOf, type StoreChange } from './api-object-store.js';
import { resetConnection } from './reset-connection.js';
import type { Matcher } from './selectors.js';
import type { WatchEncoding } from './watch-encoding.js';

/** Options of a {@link WatchStream}. */
export interface WatchStreamOptions {
  readonly resource: string;
  readonly encoding: WatchEncoding;
  readonly matches: Matcher;
  readonly store: ApiObjectStore;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** Milliseconds after which it ends. */
  readonly timeout: number;
  /** Milliseconds between bookmarks; undefined for none. */
  readonly bookmarkInterval: number | undefined;
  /** Begin with the current objects, and a bookmark that ends them. */
  readonly sendInitialEvents: boolean;
  /** End the initial events with a version that is older by so much, whatever version was requested. */
  readonly staleBy?: number | undefined;
  /** End after this many of the initial events. */
  readonly cutAfter?: number | undefined;
}

/** Annotation of the bookmark that ends the initial events. */
const INITIAL_EVENTS_END = { annotations: { 'k8s.io/initial-events-end': 'true' } };

/** Events that `duplicate` repeats. */
const MEMORY = 3;

/** One open watch of a client. */
export class WatchStream {
  readonly resource: string;
  readonly #timers = new Set<Timer>();
  #unsubscribe = () => {};
  #ended = false;
  #silent = false;
  /** What is sent byte by byte; undefined at full speed. */
  #slow: Buffer | undefined;
  readonly #sent: Buffer[] = [];
  #since = 0;
  /** The initial events end with this version; undefined when they have ended. */
  #initialUntil: number | undefined;

  constructor(private readonly options: WatchStreamOptions) {
    this.resource = options.resource;
  }

  /**
   * Sends the changes after `version` (empty or `0`: of all objects), and continues with new changes. With initial events, sends
   * all objects, once the watch cache has `version` (empty: the current one).
   */
  begin(version: string): void {
    const { store, matches, sendInitialEvents, staleBy, cutAfter, timeout, bookmarkInterval } = this.options;
    const since = Number(version === '' ? 0 : version);
    if (since === 0 || sendInitialEvents) {
      const { objects, version: cached } = store.cached(this.resource);
      this.#since = cached;
      const selected = objects.filter(matches);
      for (const object of selected.slice(0, cutAfter)) {
        this.#send('ADDED', object);
      }
      if (cutAfter !== undefined) {
        this.#close();
        return;
      }
      if (sendInitialEvents) {
        this.#initialUntil = version === '' ? store.currentVersion : staleBy === undefined ? since : 0;
        this.#endInitialEvents();
      }
    } else {
      const changes = store.changesSince(this.resource, since);
      if (!changes) {
        this.#expire(`too old resource version: ${since} (${store.currentVersion})`);
        return;
      }
      this.#since = since;
      for (const change of changes) {
        this.#sendChange(change);
      }
    }
    this.#unsubscribe = store.onChange((change) => {
      if (change.resource === this.resource) {
        this.#sendChange(change);
      }
      this.#endInitialEvents();
    });
    this.#setTimer(timeout, () => {
      // A real server (1.36) sends none before the end of a short watch.
      if (bookmarkInterval !== undefined && timeout >= bookmarkInterval) {
        this.#bookmark();
      }
      this.#close();
    });
    if (bookmarkInterval !== undefined) {
      this.#bookmarkEvery(bookmarkInterval);
    }
  }

  disturb(fault: WatchFault): void {
    const { encoding, response } = this.options;
    if (this.#ended) {
      return;
    }
    if (typeof fault === 'object') {
      response.write(encoding.endless);
      this.#silent = true;
      for (let left = fault.endless; left > 0; left -= 65_536) {
        response.write('x'.repeat(Math.min(left, 65_536)));
      }
      return;
    }
    switch (fault) {
      case 'close':
        this.#close();
        return;
      case 'reset':
        resetConnection(response.socket);
        return;
      case 'half':
        response.write(encoding.half, () => resetConnection(response.socket));
        return;
      case 'silence':
        this.#silent = true;
        return;
      case 'gone':
        this.#expire(`too old resource version: 1 (${this.options.store.currentVersion})`);
        return;
      case 'error':
        this.#sendStatus(500, 'InternalError', 'unable to decode an event from the watch stream');
        return;
      case 'malformed':
        this.#write(encoding.malformed);
        return;
      case 'duplicate':
        for (const bytes of [...this.#sent]) {
          this.#write(bytes);
        }
        return;
      case 'slow':
        this.#slow ??= Buffer.alloc(0);
        return;
      case 'flood':
        this.#flood();
        return;
      case 'bookmark':
        this.#write(encoding.event('BOOKMARK', { metadata: { resourceVersion: '1' } }));
        return;
    }
  }

  #flood(): void {
    const { encoding, response, store } = this.options;
    let version = store.currentVersion;
    endlessly(response, () => {
      version += 1;
      const metadata = { name: `x-${version}`, namespace: 'endless', resourceVersion: String(version) };
      return encoding.event('ADDED', { metadata });
    });
  }

  /** Stops sending, and cancels all timers. Idempotent. */
  end(): void {
    this.#ended = true;
    this.#unsubscribe();
    for (const timer of this.#timers) {
      timer.cancel();
    }
    this.#timers.clear();
  }

  #close(): void {
    if (!this.#ended) {
      this.end();
      this.options.response.end(this.#slow);
    }
  }

  #sendChange(change: StoreChange): void {
    if (change.version <= this.#since) {
      // The client requested changes after a future version.
      return;
    }
    const event = eventOf(change, this.options.matches);
    if (event) {
      this.#send(event.type, event.object);
    }
  }

  #endInitialEvents(): void {
    const { store, staleBy = 0 } = this.options;
    if (this.#initialUntil !== undefined && store.cachedVersion >= this.#initialUntil) {
      this.#initialUntil = undefined;
      this.#send('BOOKMARK', {
        metadata: { resourceVersion: String(store.cachedVersion - staleBy), ...INITIAL_EVENTS_END },
      });
    }
  }

  #bookmarkEvery(interval: number): void {
    this.#setTimer(interval, () => {
      this.#bookmark();
      this.#bookmarkEvery(interval);
    });
  }

  #bookmark(): void {
    const { store, bookmarkInterval } = this.options;
    // None before the initial events have ended.
    if (bookmarkInterval !== undefined && this.#since <= store.cachedVersion && this.#initialUntil === undefined) {
      this.#send('BOOKMARK', { metadata: { resourceVersion: String(store.cachedVersion) } });
    }
  }

  #send(type: string, object: object): void {
    let bytes: Buffer;
    try {
      bytes = this.options.encoding.event(type, object);
    } catch (error) {
      if (!(error instanceof NotEncodable)) {
        throw error;
      }
      this.#sendStatus(500, 'InternalError', `unable to encode watch object: ${error.message}`);
      return;
    }
    this.#sent.push(bytes);
    if (this.#sent.length > MEMORY) {
      this.#sent.shift();
    }
    this.#write(bytes);
  }

  #expire(message: string): void {
    this.#sendStatus(410, 'Expired', message);
  }

  #sendStatus(code: number, reason: string, message: string): void {
    const object = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
    this.#write(this.options.encoding.error(object));
    this.#close();
  }

  #write(bytes: Buffer): void {
    if (this.#ended || this.#silent) {
      return;
    }
    if (this.#slow === undefined) {
      this.options.response.write(bytes);
      return;
    }
    const idle = this.#slow.length === 0;
    this.#slow = Buffer.concat([this.#slow, bytes]);
    if (idle) {
      this.#drip();
    }
  }

  /** One byte per iteration of the event loop. */
  #drip(): void {
    setImmediate(() => {
      if (this.#ended || this.#slow === undefined || this.#slow.length === 0) {
        return;
      }
      this.options.response.write(this.#slow.subarray(0, 1));
      this.#slow = this.#slow.subarray(1);
      if (this.#slow.length > 0) {
        this.#drip();
      }
    });
  }

  #setTimer(milliseconds: number, callback: () => void): void {
    const timer = this.options.clock.setTimer(milliseconds, () => {
      this.#timers.delete(timer);
      if (!this.#ended) {
        callback();
      }
    });
    this.#timers.add(timer);
  }
}

/** Writes while the client is connected and reads. */
export function endlessly(response: ServerResponse, next: () => Uint8Array): void {
  const more = () => {
    while (!response.destroyed) {
      if (!response.write(Buffer.concat(Array.from({ length: 200 }, next)))) {
        response.once('drain', more);
        return;
      }
    }
  };
  more();
}
