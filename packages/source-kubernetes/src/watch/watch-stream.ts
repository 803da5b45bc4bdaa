import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Clock,
  isProxierError,
  isRecord,
  isText,
  messageOf,
  printable,
  type UnknownRecord,
} from '@kube-proxier/core';
import { statusError } from '../api/api-client.js';
import { InactivityTimer } from '../api/inactivity-timer.js';
import { ApiError } from '../api/kubernetes-error.js';
import { LineSplitter } from './line-splitter.js';

/** Number of bytes after which other work of the event loop is done: the initial events of a watch may be many. */
const TURN_BYTES = 64 * 1024;

/** An event of a watch. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** The object; of a bookmark, only its version counts. */
  readonly object: UnknownRecord;
  /** Version of the object, or of the bookmark; undefined without one. */
  readonly resourceVersion: string | undefined;
}

/** Options of {@link watchEvents}. */
export interface WatchStreamOptions {
  readonly clock: Clock;
  /** Milliseconds without a byte after which the watch counts as dead. */
  readonly silenceLimit: number;
  /** Maximum size of an event in bytes. */
  readonly maxEventBytes: number;
  /** Called when the watch counts as dead, before it fails. */
  readonly onSilence: () => void;
}

/**
 * The events of a watch as they arrive: together those that one read completes. Ends when the server ends the stream; the
 * connection is closed when the iteration stops before that.
 *
 * Events are parsed when they are iterated, so those before a malformed one are delivered.
 *
 * @throws ApiError when the connection breaks, nothing arrives for too long, an event is malformed or too large, or is an
 * error of the server.
 */
export async function* watchEvents(
  response: IncomingMessage,
  options: WatchStreamOptions,
): AsyncGenerator<Iterable<WatchEvent>, void, undefined> {
  const { clock, silenceLimit, maxEventBytes, onSilence } = options;
  const splitter = new LineSplitter(maxEventBytes);
  const timer = new InactivityTimer(clock, silenceLimit, () => {
    onSilence();
    response.destroy(new ApiError('API_SILENT', `a watch was silent for ${silenceLimit} ms`));
  });
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      timer.touch();
      yield parsed(splitter.push(chunk));
      bytes += chunk.length;
      if (bytes >= TURN_BYTES) {
        bytes = 0;
        await nextTurn();
      }
    }
  } catch (error) {
    throw isProxierError(error)
      ? error
      : new ApiError('API_UNREACHABLE', printable(messageOf(error)), { cause: error });
  } finally {
    timer.cancel();
  }
}

function* parsed(lines: readonly string[]): Generator<WatchEvent, void, undefined> {
  for (const line of lines) {
    yield parseWatchEvent(line);
  }
}

/**
 * Parses one line of a watch. Pure.
 *
 * @throws ApiError when it is malformed; ApiStatusError when it is an error of the server.
 */
export function parseWatchEvent(line: string): WatchEvent {
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
  return { type, object, resourceVersion: isText(metadata.resourceVersion) ? metadata.resourceVersion : undefined };
}
