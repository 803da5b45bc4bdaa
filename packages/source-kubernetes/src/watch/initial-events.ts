import { ApiError, ApiStatusError } from '../api/kubernetes-error.js';

/** Whether an API server begins watches with the current objects (its feature WatchList), as far as it is known. */
export class WatchListSupport {
  #refused = false;

  /** The server refused to, or began a watch without a word about it. */
  get isRefused(): boolean {
    return this.#refused;
  }

  /** The server is not asked again. */
  refuse(): void {
    this.#refused = true;
  }
}

/** The server began a watch as if no initial events had been requested (`WATCH_LIST_UNSUPPORTED`). */
export class WatchListUnsupported extends ApiError {
  constructor(message: string) {
    super('WATCH_LIST_UNSUPPORTED', message);
  }
}

/** Whether a failure shows that the server does not support initial events: it never will. Pure. */
export function refusesInitialEvents(error: unknown): boolean {
  return (
    error instanceof WatchListUnsupported ||
    (error instanceof ApiStatusError &&
      (error.status === 400 || error.status === 422) &&
      /sendInitialEvents|resourceVersionMatch/.test(error.message))
  );
}

/**
 * Whether a list may succeed where initial events failed, because they take another way through the server. Not where the
 * connection, the credentials or the load of the server are the reason. Pure.
 */
export function mayListInstead(error: unknown): boolean {
  if (error instanceof ApiStatusError) {
    return ![401, 403, 404, 410, 429, 503].includes(error.status) && !error.isVersionTooLarge;
  }
  return error instanceof ApiError && ['API_RESPONSE_INVALID', 'API_INCOMPLETE', 'API_SILENT'].includes(error.code);
}
