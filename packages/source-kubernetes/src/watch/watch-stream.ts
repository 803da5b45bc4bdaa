import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, isProxierError, messageOf, printable } from '@kube-proxier/core';
import { InactivityTimer } from '../api/inactivity-timer.js';
import { ApiError, SilentWatch } from '../api/kubernetes-error.js';
import { isProtobuf } from '../api/media-types.js';
import type { ObjectFormat } from './object-format.js';
import type { WatchEvent } from './watch-event.js';

/** Number of bytes after which the event loop runs: a watch may have many initial events. */
const TURN_BYTES = 64 * 1024;

/** Options of {@link watchEvents}. */
export interface WatchStreamOptions {
  readonly format: ObjectFormat;
  readonly clock: Clock;
  /** Milliseconds without a byte after which the watch counts as failed. */
  readonly silenceLimit: number;
  /** Maximum size of an event in bytes. */
  readonly maxEventBytes: number;
  /** Called on this timeout, before the watch fails. */
  readonly onSilence: () => void;
  /** Called with the number of bytes of each read. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * The events of a watch as they arrive, batched by read. Ends when the server ends the stream; the connection is closed
 * when the iteration stops before that.
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
  const { clock, format, silenceLimit, maxEventBytes, onSilence, onBytes } = options;
  const reader = format.eventReader(isProtobuf(response.headers), maxEventBytes);
  const timer = new InactivityTimer(clock, silenceLimit, () => {
    onSilence();
    response.destroy(new SilentWatch(silenceLimit));
  });
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      timer.touch();
      onBytes?.(chunk.length);
      yield reader.push(chunk);
      bytes += chunk.length;
      if (bytes >= TURN_BYTES) {
        bytes = 0;
        await nextTurn();
      }
    }
  } catch (error) {
    throw isProxierError(error) ? error : new ApiError('API_UNREACHABLE', breakText(error), { cause: error });
  } finally {
    timer.cancel();
  }
}

/** Node reports `aborted` for any end of the connection within an answer. */
function breakText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' ? 'the connection of a watch was closed' : printable(messageOf(error));
}
