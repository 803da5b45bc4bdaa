import { describe, expect, test } from '@jest/globals';
import type { UnknownRecord } from '@kube-proxier/core';
import type { ListBytes } from '../api/api-client.js';
import { ApiStatusError, ResponseTooLarge } from '../api/kubernetes-error.js';
import { ObjectFormat } from './object-format.js';
import { whole } from './object-shape.js';
import { type ListAge, type ListPart, PagedList } from './paged-list.js';
import { ProtobufSupport } from './protobuf-support.js';

type Answer = UnknownRecord | Error;

function page(names: readonly string[], next?: string): UnknownRecord {
  return { kind: 'ServiceList', metadata: { resourceVersion: '7', continue: next }, items: names };
}

/** A list with a server that returns these answers, and then repeats the last one. */
class Listing {
  readonly requests: string[] = [];
  readonly names = new Set<unknown>();
  readonly #list: PagedList;

  constructor(
    private readonly answers: Answer[],
    private readonly chunkSize = 1000,
  ) {
    this.#list = new PagedList({
      resource: { kind: 'Service', path: '/services' },
      format: new ObjectFormat({ kind: 'Service', shape: whole }, new ProtobufSupport()),
      client: { streamPage: ({ path, query }, _signal, maxBytes) => this.#answer(`${path}?${query} ${maxBytes}`) },
      pageSize: 8,
      maxPageBytes: 100,
      maxObjects: 5,
    });
  }

  async *#answer(request: string): AsyncGenerator<ListBytes, void, undefined> {
    this.requests.push(request);
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    if (answer === undefined || answer instanceof Error) {
      throw answer;
    }
    const bytes = Buffer.from(JSON.stringify(answer));
    for (let from = 0; from < bytes.length; from += this.chunkSize) {
      yield { bytes: bytes.subarray(from, from + this.chunkSize), isProtobuf: false };
    }
  }

  /** @param onPart called for each part as it arrives. */
  async read(age: ListAge = 'consistent', onPart: (part: ListPart) => void = () => {}): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    this.names.clear();
    const signal = new AbortController().signal;
    for await (const part of this.#list.parts(new URLSearchParams({ a: 'b' }), age, () => this.names.size, signal)) {
      onPart(part);
      for (const { kept } of part.items) {
        items.push(kept);
        this.names.add(kept);
      }
    }
    return items;
  }
}

describe('PagedList', () => {
  test('requests page after page', async () => {
    const listing = new Listing([page(['a', 'b'], 't1'), page(['c'], 't2'), page([])]);
    expect(await listing.read()).toEqual(['a', 'b', 'c']);
    expect(listing.requests).toEqual([
      '/services?a=b&limit=8 100',
      '/services?a=b&limit=8&continue=t1 100',
      '/services?a=b&limit=8&continue=t2 100',
    ]);
  });

  test('requests fewer objects after a page that is too large', async () => {
    const listing = new Listing([new ResponseTooLarge(100), new ResponseTooLarge(100), new ResponseTooLarge(100)]);
    for (let time = 0; time < 3; time += 1) {
      await expect(listing.read()).rejects.toThrow('larger than the 100 bytes');
    }
    expect(listing.requests.map((request) => /limit=(\d+)/.exec(request)?.[1])).toEqual(['8', '2', '1']);
  });

  test('requests one list without pages after the server expired a page', async () => {
    const expired = new ApiStatusError(410, 'Expired', '410 Expired');
    const listing = new Listing([page(['a'], 't1'), expired, page(['a', 'b']), page(['a'])]);
    await expect(listing.read()).rejects.toBe(expired);
    await listing.read();
    await listing.read();
    expect(listing.requests.slice(2)).toEqual(['/services?a=b 6400', '/services?a=b&limit=8 100']);
  });

  test('keeps pages when the server expired the first page', async () => {
    const expired = new ApiStatusError(410, 'Expired', '410 Expired');
    const listing = new Listing([expired, page(['a'])]);
    await expect(listing.read()).rejects.toBe(expired);
    await listing.read();
    expect(listing.requests[1]).toBe('/services?a=b&limit=8 100');
  });

  test.each<[string, UnknownRecord]>([
    ['response is not a ServiceList', { kind: 'PodList', metadata: { resourceVersion: '7' }, items: [] }],
    ['response is not a ServiceList', { kind: 'ServiceList', metadata: { resourceVersion: '7' } }],
    ['response is not a ServiceList', { kind: 'ServiceList', items: [] }],
    ['no resourceVersion', { kind: 'ServiceList', metadata: {}, items: [] }],
  ])('refuses a page: %s', async (message, answer) => {
    const error = await new Listing([answer]).read().catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'API_RESPONSE_INVALID', message: expect.stringContaining(message) });
  });

  test.each<[string, Answer[]]>([
    ['more than the 5 objects', [page(['a', 'b', 'c', 'd', 'e', 'f'])]],
    ['names itself as the one that follows it', [page(['a'], 't1'), page(['b'], 't1')]],
    ['does not end (11 pages, 1 objects)', pagesWithoutEnd(['a'])],
  ])('refuses a list that is endless: %s', async (message, answers) => {
    await expect(new Listing(answers).read()).rejects.toMatchObject({
      code: 'API_RESPONSE_INVALID',
      message: expect.stringContaining(message),
    });
  });

  test('sends the parameters for the watch cache', async () => {
    const cached = new Listing([page(['a'], 't1'), page(['b'])]);
    // A server without a watch cache for this resource sends pages.
    expect(await cached.read('any')).toEqual(['a', 'b']);
    expect(cached.requests).toEqual([
      '/services?a=b&limit=8&resourceVersion=0 6400',
      '/services?a=b&limit=8&continue=t1 100',
    ]);
    const newer = new Listing([page(['a'])]);
    await newer.read({ notOlderThan: '12' });
    expect(newer.requests).toEqual(['/services?a=b&resourceVersion=12 6400']);
  });

  test('returns objects while the answer arrives, with the version', async () => {
    const parts: ListPart[] = [];
    await new Listing([page(['a', 'b', 'c'])], 1).read('any', (part) => parts.push(part));
    expect(parts.map(({ items }) => items.map(({ kept }) => kept))).toEqual([['a'], ['b'], ['c'], []]);
    expect(new Set(parts.map(({ resourceVersion }) => resourceVersion))).toEqual(new Set(['7']));
  });

  test('buffers objects until the version is known, if it comes last', async () => {
    const { kind, metadata, items } = page(['a', 'b']);
    const parts: ListPart[] = [];
    await new Listing([{ items, kind, metadata }], 5).read('any', (part) => parts.push(part));
    expect(parts).toEqual([{ resourceVersion: '7', items: [{ kept: 'a' }, { kept: 'b' }] }]);
    const large = { items: ['x'.repeat(90), 'y'.repeat(90)], kind, metadata };
    await expect(new Listing([large], 5).read('any')).rejects.toBeInstanceOf(ResponseTooLarge);
  });

  test('rejects an answer with too many objects, even if they are equal', async () => {
    const answer = page(['a', 'a', 'a', 'a', 'a', 'a']);
    await expect(new Listing([answer]).read('any')).rejects.toThrow('more than the 5 objects');
  });

  test('has no items if the server writes null', async () => {
    const empty = { kind: 'ServiceList', metadata: { resourceVersion: '7' }, items: null };
    const parts: ListPart[] = [];
    expect(await new Listing([empty]).read('any', (part) => parts.push(part))).toEqual([]);
    expect(parts).toEqual([{ resourceVersion: '7', items: [] }]);
  });
});

function pagesWithoutEnd(names: readonly string[]): Answer[] {
  return Array.from({ length: 200 }, (_, index) => page(names, `t${index}`));
}
