/** What a request is, for who decides how it goes wrong. */
export interface ApiRequestInfo {
  /** As in the URL: `services`. */
  readonly resource: string;
  readonly verb: 'list' | 'watch' | 'create';
  readonly query: URLSearchParams;
  /** How many requests there were before. */
  readonly index: number;
  /** `Authorization`, as it was sent. */
  readonly authorization: string | undefined;
  /** Common name of the client certificate, when it is a good one. */
  readonly certificate: string | undefined;
}

/**
 * How the answer to one request goes wrong.
 *
 * - `reset`: the connection is reset before the answer.
 * - `hang`: there is no answer, and the connection stays open.
 * - `status`: an error as a Status object; `retryAfter` in seconds.
 * - `cut`: after so many bytes of the body the connection is reset.
 * - `truncate`: after so many bytes the body ends, as if it were complete.
 * - `drip`: the body comes in so many bytes at a time, with so many (real) milliseconds between.
 * - `stall`: after so many bytes nothing comes any more.
 * - `html`: 200, and a page for people.
 * - `empty`: 200, and an object that is no list.
 * - `pad`: the answer is so many bytes longer.
 * - `endless`: a list has ever more objects, as fast as they are read.
 * - `endless-page`: a list is of so many objects that nobody made, and another page follows, for ever. With the `names`
 *   `same`, they are the same ones in each page.
 * - `stale`: a list is of so many versions ago by its number (and as it is now).
 * - `gone`: a watch is answered by the event that its version is forgotten.
 */
export type RequestFault =
  | { readonly kind: 'reset' | 'hang' | 'html' | 'empty' | 'gone' }
  | { readonly kind: 'status'; readonly code: number; readonly reason?: string; readonly retryAfter?: number }
  | { readonly kind: 'cut' | 'truncate' | 'stall'; readonly bytes: number }
  | { readonly kind: 'drip'; readonly bytes: number; readonly interval: number }
  | { readonly kind: 'pad'; readonly bytes: number }
  | { readonly kind: 'endless' }
  | { readonly kind: 'endless-page'; readonly objects: number; readonly names?: 'same' }
  | { readonly kind: 'stale'; readonly versions: number };

/**
 * What happens to a watch that is under way.
 *
 * - `close`: it ends, as when its time is over.
 * - `reset`: its connection is reset; `half`: in the middle of an event.
 * - `silence`: it stays open, and nothing comes any more.
 * - `gone`: an event says that its version is forgotten; then it ends.
 * - `error`: an event says that something else went wrong (500); then it ends.
 * - `malformed`: a line comes that is no JSON.
 * - `endless`: a line comes that does not end, of so many bytes.
 * - `flood`: events tell of ever more objects that nobody made, as fast as they are read.
 * - `duplicate`: the events that were sent last come once more.
 * - `slow`: from now on bytes come one by one.
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
  | { readonly endless: number };
