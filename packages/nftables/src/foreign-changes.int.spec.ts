import { describe, expect, test } from '@jest/globals';
import { everything } from '@kube-proxier/core/testing';
import { createNetlinkNft, createNft } from '@kube-proxier/linux';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { nftFamily, TABLE } from './plan/layout.js';
import { trialState } from './plan/trial-state.js';

/** Changes that leave every chain, rule and element of the table as it was. */
const CHANGES: readonly (readonly [what: string, command: (table: string) => string])[] = [
  ['the table is made dormant', (table) => `add table ${table} { flags dormant; }`],
  ['a chain drops by policy', (table) => `add chain ${table} filter-forward { policy drop; }`],
  ['all other packets are dropped', (table) => `add element ${table} services { * : drop }`],
  ['a chain of its own', (table) => `add chain ${table} mine { type filter hook forward priority 0; policy drop; }`],
];

(canMakeNamespaces() ? describe : describe.skip)('a foreign change of the table is found and repaired', () => {
  const cases = (['IPv4', 'IPv6'] as const).flatMap((family) =>
    (['netlink', 'nft'] as const).flatMap((access) =>
      CHANGES.map(([what, command]) => ({ family, access, what, command })),
    ),
  );
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
});
