import { expect, test } from '@jest/globals';
import { canMakeNamespaces, withNamespace } from '../../process/network-namespace.js';
import type { NftCommand, NftNewElement } from '../nft-transaction.js';
import { nftFields } from '../rules/nft-expression.js';
import { encodeNftTransaction, setNftGeneration } from './encode-transaction.js';
import { NftJournal, nftTableKey } from './nft-journal.js';
import { NftSocket } from './nft-socket.js';
import { nftElementTypes } from './set-attributes.js';

const CONTAINER = { kind: 'set', key: [nftFields.address('ip', 'daddr')] } as const;

(canMakeNamespaces() ? test : test.skip)(
  'a foreign change after an own transaction whose last notifications were lost is reported',
  () =>
    withNamespace(async ({ path, runner }) => {
      const socket = new NftSocket({ namespace: path });
      const journal = new NftJournal(() => socket.portId, { namespace: path, receiveBuffer: 4096 });
      const send = async (...commands: readonly NftCommand[]) => {
        const encoded = encodeNftTransaction(
          { family: 'ip', table: 't', commands },
          { typesOf: () => nftElementTypes(CONTAINER) },
        );
        setNftGeneration(encoded, await socket.generation());
        await socket.send(encoded);
      };
      await send({ do: 'add-table' }, { do: 'add-container', name: 's', container: CONTAINER });
      await journal.open();
      const many = Array.from({ length: 2000 }, (_, index): NftNewElement => [`10.0.${index >> 8}.${index & 255}`]);
      await send({ do: 'add-elements', name: 's', elements: many });
      expect(journal.read()).toMatchObject({ missed: true, transactions: [] });
      for (const address of ['192.0.2.1', '192.0.2.2']) {
        await runner.run({ command: 'nft', args: ['add', 'element', 'ip', 't', 's', `{ ${address} }`] });
        expect(journal.read()).toMatchObject({
          missed: false,
          transactions: [{ program: 'nft', tables: new Set([nftTableKey('ip', 't')]) }],
        });
      }
      journal.close();
      socket.close();
    }),
);
