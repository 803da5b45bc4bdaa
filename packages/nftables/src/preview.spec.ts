import { describe, expect, test } from '@jest/globals';
import { createPreview, diffStates } from '@kube-proxier/core';
import { feedResolver, makeResolver, Random, RandomCluster } from '@kube-proxier/core/testing';
import { FakeNft, recordCalls } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { LAYOUTS, type Layout } from './plan/layout.js';

describe('preview of mode nftables', () => {
  test('reads, and never writes: empty, behind and up to date', async () => {
    const cluster = new RandomCluster(new Random(1));
    const resolver = makeResolver();
    const proxier = feedResolver(resolver);
    const layout = async () => LAYOUTS[0] as Layout;
    const nft = new FakeNft();
    const calls = new Set<string>();
    const recorded = recordCalls(nft, 'nft', calls);
    const writer = new NftablesDataplane({ family: 'IPv4', nft, layout });
    const planner = new NftablesDataplane({ family: 'IPv4', nft: recorded, layout });
    const preview = createPreview({ dataplane: planner, localAddresses: async () => [] });
    let planned = 0;
    for (let step = 0; step < 50; step++) {
      cluster.step(proxier);
      const { state } = resolver.applyPending();
      const [before, transactions] = [nft.dump(), nft.transactions.length];
      planned += (await preview.changes(state, undefined)).length;
      expect([nft.dump(), nft.transactions.length]).toEqual([before, transactions]);
      const transaction = writer.plan(state, diffStates(undefined, state), await writer.readBack());
      if (transaction) {
        await writer.apply(transaction);
      }
      expect(await preview.changes(state, undefined)).toEqual([]);
    }
    await preview.close();
    expect(planned).toBeGreaterThan(50);
    expect([...calls].sort()).toEqual(['nft.check', 'nft.close', 'nft.list']);
  });
});
