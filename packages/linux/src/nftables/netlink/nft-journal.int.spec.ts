import { expect, test } from '@jest/globals';
import { finish } from '@kube-proxier/core';
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
      expect(finish(journal.readInSlices())).toMatchObject({ missed: true, transactions: [] });
      for (const address of ['192.0.2.1', '192.0.2.2']) {
        await runner.run({ command: 'nft', args: ['add', 'element', 'ip', 't', 's', `{ ${address} }`] });
        expect(finish(journal.readInSlices())).toMatchObject({
          missed: false,
          transactions: [{ program: 'nft', tables: new Set([nftTableKey('ip', 't')]) }],
        });
      }
      journal.close();
      socket.close();
    }),
);

(canMakeNamespaces() ? test : test.skip)(
  'notifications are read in parts, with all tables of a transaction, and not beyond the end of the journal',
  () =>
    withNamespace(async ({ path, runner }) => {
      const journal = new NftJournal(() => 1, { namespace: path });
      await journal.open();
      const lines = Array.from(
        { length: 4000 },
        (_, index) => `add element ip t s { 10.0.${index >> 8}.${index & 255} }`,
      );
      const load = (table: string) =>
        runner.run({
          command: 'nft',
          args: ['-f', '-'],
          stdin: [
            `add table ip ${table}`,
            `add set ip ${table} s { type ipv4_addr; }`,
            ...lines.map((line) => line.replace(' t ', ` ${table} `)),
            'add table ip other',
            '',
          ].join('\n'),
        });
      await load('t');
      const reading = journal.readInSlices();
      let pauses = 0;
      let step = reading.next();
      while (!step.done) {
        pauses += 1;
        step = reading.next();
      }
      expect(pauses).toBeGreaterThan(10);
      expect(step.value).toMatchObject({
        missed: false,
        transactions: [{ program: 'nft', tables: new Set([nftTableKey('ip', 't'), nftTableKey('ip', 'other')]) }],
      });
      await load('u');
      const broken = journal.readInSlices();
      broken.next();
      journal.close();
      expect(finish(broken)).toMatchObject({ missed: false, transactions: [] });
    }),
);
