import type { ReceivedObject } from './received-object.js';

/** Annotation of the bookmark that ends the initial events of a watch. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The type of an object event. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/** An event of a watch. */
export interface WatchEvent {
  readonly type: WatchEventType;
  /** The object; for a bookmark, only its version is relevant. */
  readonly object: ReceivedObject;
  /** Version of the object, or of the bookmark; undefined without one. */
  readonly resourceVersion: string | undefined;
  /** It is the bookmark that ends the initial events. */
  readonly endsInitialEvents: boolean;
}

/** Whether an event is about an object; otherwise it is an error, or unknown. Pure. */
export function isWatchEventType(type: unknown): type is WatchEventType {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
}
