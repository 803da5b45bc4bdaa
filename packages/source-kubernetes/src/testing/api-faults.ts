/** Description of a request, to select its fault. */
export interface ApiRequestInfo {
  /** Resource name, as in the URL: `services`. */
  readonly resource: string;
  readonly verb: 'list' | 'watch' | 'create';
  readonly query: URLSearchParams;
  /** The encoding of the answer, if the resource and the answer support both. */
  readonly encoding: 'json' | 'protobuf';
  /** Number of earlier requests. */
  readonly index: number;
  /** The answer needs a range read of etcd, before Kubernetes 1.31: a list that has to be consistent, or a page of one. */
  readonly readsEtcd: boolean;
  /** `Authorization` header, as sent. */
  readonly authorization: string | undefined;
  /** Common name of the client certificate, when it is valid. */
  readonly certificate: string | undefined;
  /** `Accept-Encoding`. */
  readonly acceptedCompression: string | undefined;
}

/**
 * The fault in the answer to one request.
 *
 * - `reset`: the connection is reset before the answer.
 * - `hang`: there is no answer, and the connection stays open.
 * - `status`: an error as a Status object; `retryAfter` in seconds.
 * - `cut`: the connection is reset after this many bytes of the body.
 * - `truncate`: the body ends after this many bytes, as if it were complete.
 * - `drip`: the body is sent in pieces of this many bytes, with this many (real) milliseconds in between.
 * - `stall`: nothing is sent after this many bytes.
 * - `html`: 200, and an HTML page.
 * - `empty`: 200, and an object that is not a list.
 * - `pad`: the answer is longer by this many bytes.
 * - `endless`: a list that continues with new objects, as fast as they are read.
 * - `endless-page`: each page has this many objects that were never created, and another page follows, without end.
 *   With the `names` `same`, each page has the same objects.
 * - `stale`: a list, or initial events, with the version number of this many versions ago (and the current content).
 * - `cut-initial-events`: a watch with initial events ends after this many of them.
 * - `gone`: a watch is answered with the event that its version has expired.
 */
export type RequestFault =
  | { readonly kind: 'reset' | 'hang' | 'html' | 'empty' | 'gone' }
  | { readonly kind: 'status'; readonly code: number; readonly reason?: string; readonly retryAfter?: number }
  | { readonly kind: 'cut' | 'truncate' | 'stall'; readonly bytes: number }
  | { readonly kind: 'drip'; readonly bytes: number; readonly interval: number }
  | { readonly kind: 'pad'; readonly bytes: number }
  | { readonly kind: 'cut-initial-events'; readonly events: number }
  | { readonly kind: 'endless' }
  | { readonly kind: 'endless-page'; readonly objects: number; readonly names?: 'same' }
  | { readonly kind: 'stale'; readonly versions: number };

/**
 * Faults of a running watch.
 *
 * - `close`: it ends, as after its timeout.
 * - `reset`: its connection is reset; `half`: in the middle of an event.
 * - `silence`: it stays open, and nothing more is sent.
 * - `gone`: an event reports that its version has expired; then it ends.
 * - `error`: an event reports another error (500); then it ends.
 * - `malformed`: sends a line that is not JSON.
 * - `endless`: sends a line without an end, of this many bytes.
 * - `flood`: sends events of objects that were never created, as fast as they are read.
 * - `bookmark`: sends a bookmark of an old version.
 * - `duplicate`: the last events are sent again.
 * - `slow`: from now on bytes are sent one at a time.
 */
export type WatchFault =
  | 'close'
  | 'reset'
  | 'half'
  | 'silence'
  | 'gone'
  | 'error'
  | 'malformed'
  | 'duplicate'
  | 'slow'
  | 'flood'
  | 'bookmark'
  | { readonly endless: number };
