import { isRecord, isText, type UnknownRecord } from '@kube-proxier/core';
import type { ApiClient } from '../api/api-client.js';
import { ApiError, ApiStatusError, ResponseTooLarge } from '../api/kubernetes-error.js';
import type { WatchedResource } from './watched-resource.js';

/** Options of a {@link PagedList}. */
export interface PagedListOptions {
  readonly resource: Pick<WatchedResource, 'kind' | 'path'>;
  readonly client: Pick<ApiClient, 'getPage'>;
  /** Page size in objects. */
  readonly pageSize: number;
  /** Maximum size of a page in bytes. */
  readonly maxPageBytes: number;
  /** Maximum number of objects in a list. */
  readonly maxObjects: number;
}

/** One page of a list. */
export interface ListPage {
  readonly resourceVersion: string;
  readonly items: readonly unknown[];
}

/** Maximum number of consecutive pages without a new object, and of pages in addition to those with objects. */
const IDLE_PAGES = 10;
const SPARE_PAGES = 100;
/** Minimum average number of objects per page, unless the client requested smaller pages. */
const FEW_OBJECTS = 10;
/** Maximum size of an unpaged list, as a multiple of the page size. */
const UNPAGED_RATIO = 8;
/** Factor by which the page size in objects is reduced when a page is too large. */
const SMALLER_PAGE = 4;

/** Requests lists of one resource in pages of bounded size and number, and adapts their size to what the server can. */
export class PagedList {
  /** Current page size in objects. */
  #pageSize: number;
  /** List without pages: the server expired the version of the pages before the last one was fetched. */
  #unpaged = false;

  constructor(private readonly options: PagedListOptions) {
    this.#pageSize = options.pageSize;
  }

  /**
   * Requests a list. It is complete when the iteration ends without an error.
   *
   * @param selectors the query of each page.
   * @param countObjects number of distinct objects in the pages so far.
   * @throws ApiError, KubernetesError
   */
  async *pages(
    selectors: URLSearchParams,
    countObjects: () => number,
    signal: AbortSignal,
  ): AsyncGenerator<ListPage, void, undefined> {
    const limit = this.#unpaged ? undefined : this.#pageSize;
    let token: string | undefined;
    let pages = 0;
    let idlePages = 0;
    do {
      const query = new URLSearchParams(selectors);
      if (limit !== undefined) {
        query.set('limit', String(limit));
      }
      if (token !== undefined) {
        query.set('continue', token);
      }
      const page = checkedPage(this.options.resource.kind, await this.#getPage(query, token !== undefined, signal));
      const before = countObjects();
      yield page;
      const objects = countObjects();
      pages += 1;
      idlePages = objects > before ? 0 : idlePages + 1;
      refuseEndlessList({ pages, idlePages, objects, limit, maxObjects: this.options.maxObjects });
      if (page.continue !== undefined && page.continue === token) {
        throw new ApiError('API_RESPONSE_INVALID', 'a page names itself as the one that follows it');
      }
      token = page.continue;
    } while (token !== undefined);
    this.#unpaged = false;
  }

  async #getPage(query: URLSearchParams, continued: boolean, signal: AbortSignal): Promise<UnknownRecord> {
    const { client, maxPageBytes, resource } = this.options;
    try {
      const maxBytes = this.#unpaged ? maxPageBytes * UNPAGED_RATIO : maxPageBytes;
      return await client.getPage(resource.path, query, signal, maxBytes);
    } catch (error) {
      if (error instanceof ResponseTooLarge) {
        // Objects may be large; or the server does not stop.
        this.#pageSize = Math.max(1, Math.floor(this.#pageSize / SMALLER_PAGE));
        this.#unpaged = false;
      }
      if (continued && error instanceof ApiStatusError && error.status === 410) {
        this.#unpaged = true;
      }
      throw error;
    }
  }
}

/** An incomplete answer must not be treated as an empty list. */
function checkedPage(kind: string, page: UnknownRecord): ListPage & { readonly continue: string | undefined } {
  const { metadata } = page;
  const items = page.items === null ? [] : page.items;
  if (page.kind !== `${kind}List` || !isRecord(metadata) || !Array.isArray(items)) {
    throw new ApiError('API_RESPONSE_INVALID', `the response is not a ${kind}List`);
  }
  if (!isText(metadata.resourceVersion)) {
    throw new ApiError('API_RESPONSE_INVALID', 'the list has no resourceVersion');
  }
  return {
    resourceVersion: metadata.resourceVersion,
    continue: isText(metadata.continue) ? metadata.continue : undefined,
    items,
  };
}

/** An endless list never comes into force, and takes all memory. */
function refuseEndlessList(list: {
  readonly pages: number;
  readonly idlePages: number;
  readonly objects: number;
  readonly limit: number | undefined;
  readonly maxObjects: number;
}): void {
  const { pages, idlePages, objects, limit, maxObjects } = list;
  if (objects > maxObjects) {
    throw new ApiError(
      'API_RESPONSE_INVALID',
      `the list has more than the ${maxObjects} objects that are read, and was refused`,
    );
  }
  const few = Math.min(FEW_OBJECTS, limit ?? FEW_OBJECTS);
  if (idlePages >= IDLE_PAGES || pages > SPARE_PAGES + objects / few) {
    throw new ApiError(
      'API_RESPONSE_INVALID',
      `the list does not end (${pages} pages, ${objects} objects), and was refused`,
    );
  }
}
