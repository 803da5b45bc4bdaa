import { setImmediate as nextTurn } from 'node:timers/promises';
import { isRecord, isText, type UnknownRecord } from '@kube-proxier/core';
import type { ApiClient } from '../api/api-client.js';
import { ApiError, ApiStatusError, ResponseTooLarge } from '../api/kubernetes-error.js';
import type { ListReader, ObjectFormat } from './object-format.js';
import type { ReceivedObject } from './received-object.js';
import type { WatchedResource } from './watched-resource.js';

/** Options of a {@link PagedList}. */
export interface PagedListOptions {
  readonly resource: Pick<WatchedResource, 'kind' | 'path'>;
  readonly format: ObjectFormat;
  readonly client: Pick<ApiClient, 'streamPage'>;
  /** Page size in objects. */
  readonly pageSize: number;
  /** Maximum size of a page in bytes. */
  readonly maxPageBytes: number;
  /** Maximum number of objects in a list. */
  readonly maxObjects: number;
  /** Called with the number of bytes of each chunk, decompressed. */
  readonly onBytes?: (bytes: number) => void;
}

/** Some of the objects of a list, as they arrived. */
export interface ListPart {
  /** Version of their page. */
  readonly resourceVersion: string;
  readonly items: readonly ReceivedObject[];
}

/**
 * The allowed age of a list.
 *
 * - `any`: the watch cache of the server answers, with its current contents.
 * - `consistent`: the current state; before Kubernetes 1.31 the server reads it from etcd. The list comes in pages.
 * - `notOlderThan`: the watch cache answers, once it has this version. The list comes in one answer.
 */
export type ListAge = 'any' | 'consistent' | { readonly notOlderThan: string };

/** Maximum number of consecutive pages without a new object, and of pages in addition to those with objects. */
const IDLE_PAGES = 10;
const SPARE_PAGES = 100;
/** Minimum average number of objects per page, unless the client requested smaller pages. */
const FEW_OBJECTS = 10;
/** Maximum size of a list without pages, as a multiple of the page size. It is never held as a whole. */
const UNPAGED_RATIO = 64;
/** Factor by which the page size in objects is reduced when a page is too large. */
const SMALLER_PAGE = 4;
/** Number of bytes parsed at a time, before the event loop runs. */
const SLICE_BYTES = 32 * 1024;
const TURN_BYTES = 64 * 1024;

/** Requests lists of one resource, parses their objects as they arrive, and adapts pages to the server. */
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
   * @param age the allowed age.
   * @param countObjects number of distinct objects in the parts so far.
   * @throws ApiError, KubernetesError
   */
  async *parts(
    selectors: URLSearchParams,
    age: ListAge,
    countObjects: () => number,
    signal: AbortSignal,
  ): AsyncGenerator<ListPart, void, undefined> {
    const { maxObjects } = this.options;
    const unpaged = this.#unpaged && age === 'consistent';
    // With a limit, a list that is not older than a version would be read from etcd.
    const limit = unpaged || typeof age === 'object' ? undefined : this.#pageSize;
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
      } else if (age !== 'consistent') {
        query.set('resourceVersion', age === 'any' ? '0' : age.notOlderThan);
      }
      const before = countObjects();
      const continued = token !== undefined;
      const next: string | undefined = yield* this.#page(
        query,
        { paged: continued || (age === 'consistent' && !unpaged), continued },
        signal,
      );
      const objects = countObjects();
      pages += 1;
      idlePages = objects > before ? 0 : idlePages + 1;
      refuseEndlessList({ pages, idlePages, objects, limit, maxObjects });
      if (next !== undefined && next === token) {
        throw new ApiError('API_RESPONSE_INVALID', 'a page names itself as the one that follows it');
      }
      token = next;
    } while (token !== undefined);
    if (age === 'consistent') {
      this.#unpaged = false;
    }
  }

  /** @returns the token of the next page; undefined after the last one. */
  async *#page(
    query: URLSearchParams,
    { paged, continued }: { readonly paged: boolean; readonly continued: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<ListPart, string | undefined, undefined> {
    try {
      return yield* this.#readPage(query, paged, signal);
    } catch (error) {
      if (error instanceof ResponseTooLarge) {
        // Objects may be large, or the answer may be endless.
        this.#unpaged = false;
        if (paged) {
          this.#pageSize = Math.max(1, Math.floor(this.#pageSize / SMALLER_PAGE));
        }
      }
      if (continued && error instanceof ApiStatusError && error.status === 410) {
        this.#unpaged = true;
      }
      throw error;
    }
  }

  async *#readPage(
    query: URLSearchParams,
    paged: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<ListPart, string | undefined, undefined> {
    const { client, format, maxObjects, maxPageBytes, onBytes, resource } = this.options;
    const { acceptsProtobuf: protobuf } = format;
    let reader: ListReader | undefined;
    const limit = paged ? maxPageBytes : maxPageBytes * UNPAGED_RATIO;
    // Items before the version: they may be outdated.
    let early: ReceivedObject[] = [];
    let bytes = 0;
    let count = 0;
    let version: string | undefined;
    const asked = { path: resource.path, query, protobuf };
    for await (const { bytes: chunk, isProtobuf } of client.streamPage(asked, signal, limit)) {
      reader ??= format.listReader(isProtobuf, maxPageBytes);
      onBytes?.(chunk.length);
      for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
        const slice = chunk.subarray(from, from + SLICE_BYTES);
        const items = reader.push(slice);
        count += items.length;
        // Even if all of them are equal.
        refuseTooMany(count, maxObjects);
        if (Math.floor((bytes + slice.length) / TURN_BYTES) > Math.floor(bytes / TURN_BYTES)) {
          await nextTurn();
        }
        bytes += slice.length;
        version ??= versionOf(resource.kind, reader.head);
        if (version !== undefined) {
          if (items.length > 0) {
            yield { resourceVersion: version, items };
          }
        } else if (bytes > maxPageBytes) {
          throw new ResponseTooLarge(maxPageBytes);
        } else {
          early = early.concat(items);
        }
      }
    }
    const page = checkedPage(resource.kind, (reader ?? format.listReader(false, maxPageBytes)).end());
    if (version !== undefined && version !== page.resourceVersion) {
      throw new ApiError('API_RESPONSE_INVALID', 'the list has two versions');
    }
    yield { resourceVersion: page.resourceVersion, items: early };
    return page.continue;
  }
}

/** The version of a list whose items follow; undefined when it comes after them. */
function versionOf(kind: string, head: UnknownRecord | undefined): string | undefined {
  if (head === undefined || !isRecord(head.metadata) || head.kind === undefined) {
    return undefined;
  }
  return checkedPage(kind, head).resourceVersion;
}

/** An incomplete answer must not be treated as an empty list. */
function checkedPage(
  kind: string,
  page: UnknownRecord,
): { readonly resourceVersion: string; readonly continue: string | undefined } {
  const { metadata } = page;
  const { items } = page;
  if (page.kind !== `${kind}List` || !isRecord(metadata) || (items !== null && !Array.isArray(items))) {
    throw new ApiError('API_RESPONSE_INVALID', `the response is not a ${kind}List`);
  }
  if (!isText(metadata.resourceVersion)) {
    throw new ApiError('API_RESPONSE_INVALID', 'the list has no resourceVersion');
  }
  return {
    resourceVersion: metadata.resourceVersion,
    continue: isText(metadata.continue) ? metadata.continue : undefined,
  };
}

/** An endless list never completes, and exhausts memory. */
function refuseEndlessList(list: {
  readonly pages: number;
  readonly idlePages: number;
  readonly objects: number;
  readonly limit: number | undefined;
  readonly maxObjects: number;
}): void {
  const { pages, idlePages, objects, limit, maxObjects } = list;
  refuseTooMany(objects, maxObjects);
  const few = Math.min(FEW_OBJECTS, limit ?? FEW_OBJECTS);
  if (idlePages >= IDLE_PAGES || pages > SPARE_PAGES + objects / few) {
    throw new ApiError(
      'API_RESPONSE_INVALID',
      `the list does not end (${pages} pages, ${objects} objects), and was refused`,
    );
  }
}

function refuseTooMany(objects: number, maxObjects: number): void {
  if (objects > maxObjects) {
    throw new ApiError(
      'API_RESPONSE_INVALID',
      `the list has more than the ${maxObjects} objects that are read, and was refused`,
    );
  }
}
