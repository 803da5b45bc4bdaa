import { ApiError, ApiStatusError } from '../api/kubernetes-error.js';

/** Whether an API server supports initial events of watches (WatchList), as far as known. */
export class WatchListSupport {
  #refused = false;

  /** The server refused them, or started a watch without them. */
  get isRefused(): boolean {
    return this.#refused;
  }

  /** They are not requested again. */
  refuse(): void {
    this.#refused = true;
  }
}

/** The server ignored the request for initial events (`WATCH_LIST_UNSUPPORTED`). */
export class WatchListUnsupported extends ApiError {
  constructor(message: string) {
    super('WATCH_LIST_UNSUPPORTED', message);
  }
}

/** Whether a failure shows that the server does not support initial events. Pure. */
export function refusesInitialEvents(error: unknown): boolean {
  return (
    error instanceof WatchListUnsupported ||
    (error instanceof ApiStatusError &&
      (error.status === 400 || error.status === 422) &&
      /sendInitialEvents|resourceVersionMatch/.test(error.message))
  );
}

/**
 * Whether a list may succeed after initial events failed, because the server implements it differently. Not after
 * failures of the connection, the credentials, or an overload. Pure.
 */
export function mayListInstead(error: unknown): boolean {
  if (error instanceof ApiStatusError) {
    return ![401, 403, 404, 410, 429, 503].includes(error.status) && !error.isVersionTooLarge;
  }
  return error instanceof ApiError && ['API_RESPONSE_INVALID', 'API_INCOMPLETE', 'API_SILENT'].includes(error.code);
}
