import { describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { casesOf, everything } from '@kube-proxier/core/testing';
import { createNetlinkNft, createNft } from '@kube-proxier/linux';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { nftFamily, TABLE } from './plan/layout.js';
import { trialState } from './plan/trial-state.js';

/** Changes that do not affect chains, rules and elements of the table. */
const CHANGES: readonly (readonly [what: string, command: (table: string) => string])[] = [
  ['the table is made dormant', (table) => `add table ${table} { flags dormant; }`],
  ['a chain drops by policy', (table) => `add chain ${table} filter-forward { policy drop; }`],
  ['all other packets are dropped', (table) => `add element ${table} services { * : drop }`],
  ['a chain of its own', (table) => `add chain ${table} mine { type filter hook forward priority 0; policy drop; }`],
];

(canMakeNamespaces() ? describe : describe.skip)('a foreign change of the table is found and repaired', () => {
  const cases = casesOf<readonly [family: IPFamily, access: 'netlink' | 'nft']>(
    [
      ['IPv4', 'netlink'],
      ['IPv6', 'nft'],
    ],
    [
      ['IPv4', 'nft'],
      ['IPv6', 'netlink'],
    ],
  ).flatMap(([family, access]) => CHANGES.map(([what, command]) => ({ family, access, what, command })));
  test.each(cases)('$family by $access: $what', async ({ family, access, command }) => {
    await withNamespace(async ({ runner, path }) => {
      const nft = access === 'netlink' ? createNetlinkNft({ namespace: path }) : createNft({ runner });
      const dataplane = new NftablesDataplane({ family, nft });
      const state = trialState(family);
      const repair = async () => {
        const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
        if (transaction !== undefined) {
          await dataplane.apply(transaction);
        }
        return transaction;
      };
      const listing = async () => (await runner.run({ command: 'nft', args: ['-s', 'list', 'ruleset'] })).stdout;
      await repair();
      const before = await listing();
      expect(await repair()).toBeUndefined();
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin: `${command(`${nftFamily(family)} ${TABLE}`)}\n` });
      expect(await listing()).not.toBe(before);
      expect(await repair()).toBeDefined();
      expect(await listing()).toBe(before);
      nft.close();
    });
  });

  /** Replaces a rule, by a listing with handles. Keeps its comment. */
  const REPLACEMENTS: readonly (readonly [what: string, from: RegExp, to: string])[] = [
    ['a mark has another bit', /^(.*meta mark set meta mark )(\| 0x00004000|or 0x4000)(.*)$/m, '$1| 0x00000004$3'],
    [
      'other packets are accepted',
      /^(.*)ct state invalid counter name \S+ drop(.*)$|^(.*) reject(.*)$/m,
      '$1$3 accept$2$4',
    ],
    ['a jump goes to another chain', /^(.*)jump dispatch(.*)$/m, '$1jump closed-services$2'],
  ];
  const replaced = casesOf<IPFamily>(['IPv4'], ['IPv6']).flatMap((family) =>
    REPLACEMENTS.map(([what, from, to]) => ({ family, what, from, to })),
  );
  test.each(replaced)('$family by netlink: a rule has the same comment, but $what', async ({ family, from, to }) => {
    await withNamespace(async ({ runner, path }) => {
      const nft = createNetlinkNft({ namespace: path });
      const dataplane = new NftablesDataplane({ family, nft });
      const state = trialState(family);
      const repair = async () => {
        const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
        if (transaction !== undefined) {
          await dataplane.apply(transaction);
        }
        return transaction;
      };
      const table = `${nftFamily(family)} ${TABLE}`;
      const list = async (...args: readonly string[]) =>
        (await runner.run({ command: 'nft', args: [...args, 'list', 'ruleset'] })).stdout;
      await repair();
      const before = await list('-s');
      const lines = (await list('-s', '-a')).split('\n');
      const at = lines.findIndex((line) => from.test(line));
      const [, rule = '', handle = ''] = /^\t*(.*) # handle (\d+)$/.exec(lines[at] ?? '') ?? [];
      const [, chain = ''] =
        /^\tchain (\S+)/.exec(lines.slice(0, at).findLast((line) => line.startsWith('\tchain ')) ?? '') ?? [];
      const stdin = `replace rule ${table} ${chain} handle ${handle} ${rule.replace(from, to)}\n`;
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin });
      expect(await list('-s')).not.toBe(before);
      expect((await repair())?.write.commands.filter((command) => command.do === 'flush-chain')).toEqual([
        { do: 'flush-chain', chain: chain.replaceAll('"', '') },
      ]);
      expect(await list('-s')).toBe(before);
      expect(await repair()).toBeUndefined();
      nft.close();
    });
  });
});
