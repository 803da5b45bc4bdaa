import { describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, PORT_RANGE_ANNOTATION, type ProxyState, verifyState } from '@kube-proxier/core';
import {
  ChangingServices,
  ClusterSketch,
  casesOf,
  RANDOM_NODE_ADDRESSES,
  randomNodeState,
  runCount,
  sketchAddresses,
} from '@kube-proxier/core/testing';
import { createNetlinkNft, createNft, NftChoice, runInSlices } from '@kube-proxier/linux';
import { becomeNode, canMakeNamespaces, type TestNamespace, withNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { readPacketPath } from './packet-path.js';
import { LAYOUTS, type Layout, nftFamily, TABLE } from './plan/layout.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

async function install(
  state: ProxyState,
  { runner }: TestNamespace,
  layout: Layout,
  countTraffic = false,
): Promise<void> {
  const dataplane = new NftablesDataplane({
    family: state.family,
    countTraffic,
    nft: createNft({ runner, persistent: false }),
    layout: async () => layout,
  });
  const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  if (transaction !== undefined) {
    await dataplane.apply(transaction);
  }
  dataplane.close();
}

/** Enough that nft takes longer to list them than the interval between changes. */
const SERVICES = 600;

/** The map and the key that lead to a cluster IP. */
async function elementOf(
  runner: TestNamespace['runner'],
  family: IPFamily,
  address: string,
): Promise<{ readonly name: string; readonly key: string }> {
  const reader = createNft({ runner, persistent: false });
  const table = await reader.list(nftFamily(family), TABLE);
  reader.close();
  for (const [name, { elements, kind }] of table?.containers ?? []) {
    const key = [...elements.keys()].find((one) => one.startsWith(`${address} . `));
    if (kind === 'map' && key !== undefined) {
      return { name, key };
    }
  }
  throw new Error(`no map of the table has ${address}`);
}

whereAllowed.each(['IPv4', 'IPv6'] as const)('%s, on the kernel', (family) => {
  test.each(
    Array.from(
      { length: runCount(2, 100) },
      (_, index) => [index + 1, index % 2 === 1 ? 'chain-per-service' : 'constant'] as const,
    ),
  )('random cluster %i, layout %s: the installed table is verified', async (seed, layout) => {
    await withNamespace(async (namespace) => {
      const state = randomNodeState(seed, family, { localhostNodePorts: false });
      // As with a DNS cache (spec F-CIP-11), in one of two clusters.
      const ownClusterIPs = [...state.clusterIPs.keys()].slice(0, seed % 2);
      await becomeNode(namespace.runner, [...RANDOM_NODE_ADDRESSES[family], ...ownClusterIPs]);
      await install(state, namespace, layout, (seed + Number(family === 'IPv6')) % 2 === 1);
      const choice = new NftChoice({ runner: namespace.runner });
      for (const host of [namespace, { ...namespace, choice }]) {
        const path = await readPacketPath({ family }, host);
        expect(path.isLive).toBe('choice' in host);
        const { verdict, findings, classes } = verifyState(state, path);
        path.close();
        expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
          verdict: 'verified',
          findings: [],
        });
        expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
      }
    });
  });

  const [first, second] = family === 'IPv4' ? [...LAYOUTS].reverse() : LAYOUTS;
  test.each(casesOf([first as Layout], [second as Layout]))(
    'layout %s: a state is verified while Services change all the time, and a difference is found',
    async (layout) => {
      await withNamespace(async (namespace) => {
        const { runner, path: place } = namespace;
        await becomeNode(runner, [sketchAddresses.node(family)]);
        const cluster = new ClusterSketch(family, { localhostNodePorts: false });
        const allowed = [sketchAddresses.allowed(family), sketchAddresses.pods(family)];
        const nft = createNetlinkNft({ namespace: place });
        const dataplane = new NftablesDataplane({ family, nft, layout: async () => layout });
        // Every third Service has a range of ports, and every third restricts the sources.
        const annotations = { [PORT_RANGE_ANNOTATION]: '80-99' };
        const services = new ChangingServices(cluster, dataplane, SERVICES, (number, endpoint) => ({
          ...(number % 3 === 1 ? { annotations } : {}),
          ...(number % 3 === 2 ? { kind: 'LoadBalancer', ranges: [allowed[endpoint % 2] as string] } : {}),
        }));
        await services.sync();
        // Before the changes: nft would restart at each of them.
        const { name, key } = await elementOf(runner, family, sketchAddresses.cluster(family, SERVICES));
        services.start();
        const choice = new NftChoice({ runner });
        const verify = async () =>
          services.verify(await readPacketPath({ family }, { ...namespace, choice }), runInSlices);
        try {
          const good = await verify();
          expect(good).toMatchObject({ verdict: 'verified', different: 0, unknown: 0 });
          expect(good.syncs).toBeGreaterThan(10);
          // A foreign program removes one element.
          const remove = { do: 'delete-elements', name, keys: [key] } as const;
          await nft.run({ family: nftFamily(family), table: TABLE, commands: [remove] });
          const bad = await verify();
          expect(bad.verdict).toBe('different');
          expect(bad.findings?.flatMap(({ servicePorts }) => servicePorts)).toContainEqual(
            expect.stringContaining(`ns/svc${SERVICES}`),
          );
        } finally {
          await services.stop();
          dataplane.close();
        }
      });
    },
  );

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
