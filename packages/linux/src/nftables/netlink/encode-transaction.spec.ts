import { expect, test } from '@jest/globals';
import type { NftCommand, NftNewElement, NftTransaction } from '../nft-transaction.js';
import { nftFields } from '../rules/nft-expression.js';
import { encodeNftTransaction, encodeNftTransactionInSlices } from './encode-transaction.js';
import { MessageWriter } from './message-writer.js';
import { nftElementTypes } from './set-attributes.js';

const MAP = { kind: 'map', key: [nftFields.address('ip', 'daddr')], value: 'verdict' } as const;
const typesOf = () => nftElementTypes(MAP);

function transactionOf(...commands: readonly NftCommand[]): NftTransaction {
  return { family: 'ip', table: 't', commands };
}

function elements(count: number, verdict = 'goto some-chain'): NftCommand {
  const all = Array.from(
    { length: count },
    (_, index): NftNewElement => [`10.0.${index >> 8}.${index & 255}`, verdict],
  );
  return { do: 'add-elements', name: 'm', elements: all };
}

test('a transaction written into a reused buffer has the same bytes as in a new buffer', () => {
  const writer = new MessageWriter();
  const transactions = [
    transactionOf({ do: 'add-table' }, { do: 'add-container', name: 'm', container: MAP }, elements(20)),
    transactionOf({ do: 'delete-elements', name: 'm', keys: ['10.0.0.7'] }, elements(1, 'accept')),
    // Larger than the buffer, initially and during the write.
    transactionOf(elements(5000)),
    transactionOf(...Array.from({ length: 500 }, (_, index): NftCommand => ({ do: 'add-counter', name: `n${index}` }))),
    transactionOf({ do: 'flush-container', kind: 'map', name: 'm' }),
    transactionOf(),
  ];
  for (const transaction of [...transactions, ...transactions.reverse()]) {
    const { bytes, messages } = encodeNftTransaction(transaction, { typesOf, writer });
    const alone = encodeNftTransaction(transaction, { typesOf });
    expect(bytes.equals(alone.bytes)).toBe(true);
    expect(messages).toEqual(alone.messages);
    // Later transactions are not affected by values set in between.
    bytes.fill(0xff);
  }
});

test('the encoder can pause after a few elements, also within a message', () => {
  const transaction = transactionOf(elements(5000));
  const slices = encodeNftTransactionInSlices(transaction, { typesOf });
  let pauses = 0;
  for (;;) {
    const { done, value } = slices.next();
    if (done) {
      expect(value.bytes.equals(encodeNftTransaction(transaction, { typesOf }).bytes)).toBe(true);
      expect(pauses).toBeGreaterThan(10 * value.messages.length);
      break;
    }
    pauses++;
  }
});
