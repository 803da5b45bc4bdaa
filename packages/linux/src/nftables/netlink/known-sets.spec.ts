import { beforeEach, describe, expect, test } from '@jest/globals';
import type { NftTransaction } from '../nft-transaction.js';
import { KnownSets } from './known-sets.js';
import { nftTableKey } from './nft-journal.js';

const KEY = nftTableKey('ip', 'ours');
const ELEMENTS = transactionOf({ do: 'add-elements', kind: 'set', name: 'web', elements: [] });

function transactionOf(...commands: readonly object[]): NftTransaction {
  return { family: 'ip', table: 'ours', commands } as unknown as NftTransaction;
}

describe('KnownSets', () => {
  let reads: number;
  let known: KnownSets;
  beforeEach(() => {
    reads = 0;
    const sets = async () => {
      reads += 1;
      return { value: [{ kind: 'set', name: 'web', types: { key: reads } }], isInterrupted: false };
    };
    known = new KnownSets({ sets: sets as never });
  });

  test('are read once per generation, and once for a listed table', async () => {
    expect(await known.typesFor(transactionOf({ do: 'delete-table' }), 5, false)).toBeUndefined();
    expect(known.knownFor(ELEMENTS)).toBeUndefined();
    const first = await known.typesFor(ELEMENTS, 5, false);
    expect([...(first?.types.keys() ?? [])]).toEqual(['web']);
    expect(await known.typesFor(ELEMENTS, 5, false)).toBe(first);
    expect(await known.typesFor(ELEMENTS, 9, true)).toBe(first);
    expect(reads).toBe(1);
    expect(await known.typesFor(ELEMENTS, 9, false)).not.toBe(first);
    expect(reads).toBe(2);
  });

  test('follow own transactions, and are invalidated by foreign ones', async () => {
    known.note(KEY, { generation: 5, types: new Map() });
    const container = { kind: 'set', key: ['ipv4_addr'] };
    known.noteOwn(transactionOf({ do: 'add-container', name: 'new', container }), 6, undefined, false);
    expect([...(known.knownFor(ELEMENTS)?.types.keys() ?? [])]).toEqual(['new']);
    known.noteOwn(transactionOf({ do: 'delete-container', name: 'new' }), 7, undefined, false);
    expect(known.knownFor(ELEMENTS)).toEqual({ generation: 7, types: new Map() });
    known.noteOwn(ELEMENTS, 9, undefined, true);
    expect(known.knownFor(ELEMENTS)?.generation).toBe(9);
    known.noteOwn(ELEMENTS, 11, undefined, false);
    expect(known.knownFor(ELEMENTS)).toBeUndefined();
  });
});
