import { describe, expect, test } from '@jest/globals';
import { FakeIptables } from './fake-iptables.js';
import { EMPTY_TABLE_DOCUMENT, isEmptyTableDocument, parseSavedTable, renderDocument } from './iptables-document.js';
import { type ChainRemovalOptions, removeChains, removedObjects } from './remove-chains.js';

/** Ours are `KUBE-…`; `KUBE-A` leads to `KUBE-B`, and a foreign chain to `KUBE-B`. */
const SAVED = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-A - [0:0]
:KUBE-B - [0:0]
:OTHER - [0:0]
-A PREROUTING -m comment --comment "not -j KUBE-A" -j OTHER
-A PREROUTING -m comment --comment "ours" -j KUBE-A
-A OUTPUT -g KUBE-A
-A KUBE-A -j KUBE-B
-A KUBE-B -j ACCEPT
-A OTHER -p tcp -j KUBE-B
-A OTHER -m set --match-set OLD dst -j ACCEPT
COMMIT
`;

const saved = parseSavedTable(SAVED, 'nat');
const isOurs = (chain: string) => chain.startsWith('KUBE-');

async function after(options: ChainRemovalOptions): Promise<string> {
  const iptables = new FakeIptables();
  await iptables.restore(SAVED);
  await iptables.restore(renderDocument(new Map([['nat', removeChains(saved, isOurs, options)]])));
  return await iptables.save('nat');
}

describe('removing chains', () => {
  test('deletes them with every jump to them, and nothing else', async () => {
    expect(await after({})).toBe(
      SAVED.split('\n')
        .filter((line) => !/^:KUBE|^-A KUBE|"ours"|-g KUBE-A|tcp -j KUBE-B/.test(line))
        .join('\n'),
    );
  });

  test('keeps a chain that a foreign chain jumps to, but flushes it', async () => {
    expect(await after({ foreignReferences: 'keep-empty' })).toBe(
      SAVED.split('\n')
        .filter((line) => !/^:KUBE-A|^-A KUBE|"ours"|-g KUBE-A/.test(line))
        .join('\n'),
    );
  });

  test('deletes further rules on request', () => {
    const { deletedRules } = removeChains(saved, () => false, { alsoDelete: (_chain, rule) => rule.includes('OLD') });
    expect(deletedRules).toEqual([{ chain: 'OTHER', rule: '-m set --match-set OLD dst -j ACCEPT' }]);
  });

  test('is empty when there is nothing to remove', () => {
    expect(isEmptyTableDocument(removeChains(saved, () => false))).toBe(true);
    expect(isEmptyTableDocument(removeChains(new Map(), isOurs))).toBe(true);
  });

  test('reports chains, emptied chains and rules', () => {
    const document = removeChains(saved, isOurs, { foreignReferences: 'keep-empty' });
    expect(removedObjects(document, 'nat table, IPv4')).toEqual([
      { kind: 'chain', location: 'nat table, IPv4', names: ['KUBE-A'] },
      { kind: 'content of chain', location: 'nat table, IPv4', names: ['KUBE-B'] },
      {
        kind: 'rule',
        location: 'nat table, IPv4',
        names: ['PREROUTING -m comment --comment "ours" -j KUBE-A', 'OUTPUT -g KUBE-A'],
      },
    ]);
    expect(removedObjects(EMPTY_TABLE_DOCUMENT, 'nat table')).toEqual([]);
  });
});
