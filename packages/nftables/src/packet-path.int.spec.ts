import { describe, expect, test } from '@jest/globals';
import { diffStates, type ProxyState, verifyState } from '@kube-proxier/core';
import { RANDOM_NODE_ADDRESSES, randomNodeState, runCount } from '@kube-proxier/core/testing';
import { createNft } from '@kube-proxier/linux';
import { becomeNode, canMakeNamespaces, type TestNamespace, withNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { readPacketPath } from './packet-path.js';
import type { Layout } from './plan/layout.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

async function install(state: ProxyState, { runner }: TestNamespace, layout: Layout): Promise<void> {
  const dataplane = new NftablesDataplane({
    family: state.family,
    nft: createNft({ runner, persistent: false }),
    layout: async () => layout,
  });
  const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  if (transaction !== undefined) {
    await dataplane.apply(transaction);
  }
  dataplane.close();
}

whereAllowed.each(['IPv4', 'IPv6'] as const)('%s, on the kernel', (family) => {
  test.each(
    Array.from(
      { length: runCount(2, 100) },
      (_, index) => [index + 1, index % 2 === 1 ? 'chain-per-service' : 'constant'] as const,
    ),
  )('random cluster %i, layout %s: the installed table is verified', async (seed, layout) => {
    await withNamespace(async (namespace) => {
      await becomeNode(namespace.runner, RANDOM_NODE_ADDRESSES[family]);
      const state = randomNodeState(seed, family, { localhostNodePorts: false });
      await install(state, namespace, layout);
      const path = await readPacketPath({ family }, namespace);
      const { verdict, findings, classes } = verifyState(state, path);
      expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
        verdict: 'verified',
        findings: [],
      });
      expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
    });
  });

  test('addresses that another mode has left on its interface are ignored on request', async () => {
    await withNamespace(async (namespace) => {
      const { runner } = namespace;
      await becomeNode(runner, RANDOM_NODE_ADDRESSES[family]);
      const state = randomNodeState(1, family, { localhostNodePorts: false });
      await install(state, namespace, 'constant');
      const ip = (...args: string[]) => runner.run({ command: 'ip', args });
      await ip('link', 'add', 'kube-ipvs0', 'type', 'veth', 'peer', 'name', 'kube-peer0');
      // The kernel has local routes of interfaces that are up only.
      await ip('link', 'set', 'kube-ipvs0', 'up');
      await ip('link', 'set', 'kube-peer0', 'up');
      const clusterIP = family === 'IPv4' ? '10.96.77.1' : 'fd00:10:96::77';
      await ip('addr', 'add', clusterIP, 'dev', 'kube-ipvs0', ...(family === 'IPv6' ? ['nodad'] : []));
      const all = await readPacketPath({ family }, namespace);
      expect(all.localAddresses.has(clusterIP)).toBe(true);
      const path = await readPacketPath({ family, ignoredInterfaces: ['kube-ipvs0', 'no-such0'] }, namespace);
      expect(path.localAddresses.has(clusterIP)).toBe(false);
      expect(verifyState(state, path).verdict).toBe('verified');
    });
  });
});
