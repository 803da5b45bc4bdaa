import { describe, expect, test } from '@jest/globals';
import { type FormerAffinity, keptClientsOf } from '@kube-proxier/core';
import { ClusterSketch, EXAMPLE_SERVICE, everything } from '@kube-proxier/core/testing';
import { NftChoice } from '@kube-proxier/linux';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { readNftablesAffinity } from './former-affinity.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('clients that mode nftables has in the kernel, for the mode that replaces it', () => {
  test.each([
    ['constant', 'IPv4'],
    ['chain-per-service', 'IPv4'],
    ['chain-per-service', 'IPv6'],
    // This map has hashes of their addresses only.
    ['constant', 'IPv6'],
  ] as const)('layout %s, %s', async (layout, family) => {
    await withNamespace(async ({ runner }) => {
      expect((await readNftablesAffinity(family, runner)).clientsOf).toBeInstanceOf(Function);
      const cluster = new ClusterSketch(family);
      cluster.set({ ...EXAMPLE_SERVICE, name: 'ns/sticky', number: 1, affinity: true });
      const { state } = cluster.next();
      const [port] = state.servicePorts.values();
      const clients = new Map(
        (port?.cluster ?? []).map(({ key }, index) => [
          key,
          family === 'IPv4' ? `203.0.113.${index + 1}` : `2001:db8::${index + 1}`,
        ]),
      );
      expect(clients.size).toBeGreaterThan(1);
      const former: FormerAffinity = {
        clientsOf: (_port, { key }) => [{ address: clients.get(key) ?? '', seconds: 600 }],
      };
      const nft = new NftChoice({ runner }).create();
      try {
        const dataplane = new NftablesDataplane({
          ...{ family, nft, layout: async () => layout, formerAffinity: async () => former },
        });
        const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
        await dataplane.apply(transaction!);
        const kept = keptClientsOf(port!, await readNftablesAffinity(family, runner));
        const found = new Map(kept.map(({ endpoint, address }) => [endpoint, address]));
        expect(found).toEqual(layout === 'constant' && family === 'IPv6' ? new Map() : clients);
        expect(kept.every(({ seconds }) => seconds > 500 && seconds <= 600)).toBe(true);
      } finally {
        nft.close();
      }
    });
  });
});
