import { isRecord, isText, messageOf, printable } from '@kube-proxier/core';
import { statusError } from '../api/api-client.js';
import { ApiError } from '../api/kubernetes-error.js';
import type { Shape } from './object-shape.js';
import { receivedObject } from './received-object.js';
import { INITIAL_EVENTS_END, isWatchEventType, type WatchEvent } from './watch-event.js';

/**
 * Parses one line of a watch. Pure.
 *
 * @param shape the retained part of an object.
 * @throws ApiError when it is malformed; ApiStatusError when it is an error of the server.
 */
export function parseWatchEvent(line: string, shape: Shape): WatchEvent {
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
  if (!isWatchEventType(type)) {
    throw new ApiError('API_RESPONSE_INVALID', `an event is of the unknown type ${printable(String(type), 30)}`);
  }
  const metadata = isRecord(object.metadata) ? object.metadata : {};
  const { annotations, resourceVersion } = metadata;
  return {
    type,
    object: receivedObject(object, shape),
    resourceVersion: isText(resourceVersion) ? resourceVersion : undefined,
    endsInitialEvents: type === 'BOOKMARK' && isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true',
  };
}
