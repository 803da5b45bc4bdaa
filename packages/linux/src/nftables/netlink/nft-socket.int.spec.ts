import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '../../process/network-namespace.js';
import type { NftCommand, NftNewElement } from '../nft-transaction.js';
import { nftFields } from '../rules/nft-expression.js';
import { encodeNftTransaction, setNftGeneration } from './encode-transaction.js';
import { NftSocket } from './nft-socket.js';
import { nftElementTypes } from './set-attributes.js';

const CONTAINER = { kind: 'set', key: [nftFields.address('ip', 'daddr')] } as const;
const many = Array.from({ length: 5000 }, (_, index): NftNewElement => [`10.0.${index >> 8}.${index & 255}`]);
const FOUR: NftCommand = { do: 'add-rule', chain: 'c', rule: { statements: [{ kind: 'accept' }] } };

/** Commands by which a transaction can begin, in an order in which each has an effect. */
const COMMANDS: readonly NftCommand[] = [
  { do: 'add-table' },
  { do: 'add-chain', chain: 'c' },
  { do: 'add-container', name: 's', container: CONTAINER },
  { do: 'add-counter', name: 'n' },
  { do: 'add-elements', name: 's', elements: [['192.0.2.1']] },
  { do: 'add-elements', name: 's', elements: many },
  { do: 'delete-elements', name: 's', keys: ['192.0.2.1'] },
  { do: 'delete-elements', name: 's', keys: many.slice(1).map(([key]) => key) },
  FOUR,
  {
    do: 'add-rule',
    chain: 'c',
    rule: { statements: [{ kind: 'one-of', left: { kind: 'meta', key: 'l4proto' }, values: ['tcp', 'udp'] }] },
  },
  { do: 'flush-chain', chain: 'c' },
  { do: 'delete-chain', chain: 'c' },
  { do: 'delete-counter', name: 'n' },
  { do: 'delete-container', kind: 'set', name: 's' },
];

(canMakeNamespaces() ? describe : describe.skip)('a transaction on a socket', () => {
  let namespace: TestNamespace;
  let socket: NftSocket;

  beforeEach(() => {
    namespace = makeNamespace();
    socket = new NftSocket({ namespace: namespace.path });
  });

  afterEach(() => {
    socket.close();
    namespace.remove();
  });

  const send = async (...commands: readonly NftCommand[]) => {
    const encoded = encodeNftTransaction(
      { family: 'ip', table: 't', commands },
      { typesOf: () => nftElementTypes(CONTAINER) },
    );
    setNftGeneration(encoded, await socket.generation());
    return socket.send(encoded);
  };

  test('leads to a generation, whatever it begins with, and to none where it has no effect', async () => {
    for (const command of COMMANDS) {
      const before = await socket.generation();
      expect([command.do, await send(command)]).toEqual([command.do, { errors: [], generation: before + 1 }]);
      expect(await socket.generation()).toBe(before + 1);
    }
    expect(await send({ do: 'add-table' })).toEqual({ errors: [], generation: undefined });
  });

  test('that removes any number of rules or elements is answered in part', async () => {
    const rules = Array.from({ length: 5000 }, () => FOUR);
    const elements: NftCommand = { do: 'add-elements', name: 's', elements: many };
    await send(...COMMANDS.slice(0, 3), ...rules, elements);
    const generation = await socket.generation();
    expect(await send({ do: 'flush-chain', chain: 'c' })).toEqual({ errors: [], generation: generation + 1 });
    expect((await send({ do: 'flush-container', kind: 'set', name: 's' })).errors).toEqual([]);
    expect((await send({ do: 'delete-table' })).errors).toEqual([]);
  });

  test('is ended before a settled generation is named', async () => {
    expect(await socket.settledGeneration()).toBe(await socket.generation());
    const other = new NftSocket({ namespace: namespace.path });
    await send({ do: 'add-table' });
    const generation = await other.settledGeneration();
    expect(generation).toBe(await socket.generation());
    other.close();
  });
});
