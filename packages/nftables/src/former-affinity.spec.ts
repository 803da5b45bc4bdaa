import { describe, expect, test } from '@jest/globals';
import { type FormerAffinity, keptClientsOf, type ProxyState } from '@kube-proxier/core';
import { ClusterSketch, EXAMPLE_SERVICE, everything, RecordingLogger } from '@kube-proxier/core/testing';
import type { NftCommand } from '@kube-proxier/linux';
import { FakeNft } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { clientsSet } from './plan/frontend-chains.js';
import { AFFINITY, clientKey, type Layout } from './plan/layout.js';
import type { NftablesTransaction } from './plan/nftables-transaction.js';
import { affinityOf, classid } from './plan/service-elements.js';
import { affinitySetOf } from './read-back/kube-proxy-affinity.js';

/** Each endpoint has a client of its own. */
const clientOf = (endpoint: string) =>
  endpoint.startsWith('[')
    ? `2001:db8::${endpoint.replace(/\]:.*/, '').split(':').at(-1)}`
    : `203.0.113.${endpoint.split(':')[0]?.split('.').at(-1)}`;
const former: FormerAffinity = {
  clientsOf: (_port, { key }) => [{ address: clientOf(key), seconds: 60 }],
};

function host(family: 'IPv4' | 'IPv6', layout: Layout, formerAffinity = async () => former) {
  const nft = new FakeNft();
  const logger = new RecordingLogger(9);
  const dataplane = new NftablesDataplane({ family, nft, layout: async () => layout, formerAffinity, logger });
  return { nft, logger, dataplane };
}

function stateOf(family: 'IPv4' | 'IPv6', services = 2): ProxyState {
  const cluster = new ClusterSketch(family);
  for (let number = 1; number <= services; number++) {
    cluster.set({ ...EXAMPLE_SERVICE, name: `ns/svc${number}`, number, affinity: number > 1 || services === 1 });
  }
  return cluster.next().state;
}

async function sync(dataplane: NftablesDataplane, state: ProxyState): Promise<NftablesTransaction | undefined> {
  const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
  if (transaction !== undefined) {
    await dataplane.apply(transaction);
  }
  return transaction;
}

function elementsAdded(nft: FakeNft): ReadonlyMap<string, readonly unknown[]> {
  const commands = nft.transactions.flatMap(({ commands: all }) => all);
  return new Map(
    commands.flatMap((command) =>
      command.do === 'add-elements' ? command.elements.map(([key, ...rest]) => [`${command.name} ${key}`, rest]) : [],
    ),
  );
}

describe.each(['IPv4', 'IPv6'] as const)('clients of the rules that a new table replaces, %s', (family) => {
  test('are in the map of affinity, with their endpoints and timeouts', async () => {
    const { nft, dataplane, logger } = host(family, 'constant');
    const state = stateOf(family);
    const transaction = await sync(dataplane, state);
    const added = elementsAdded(nft);
    const [port] = [...state.servicePorts.values()].filter(({ affinitySeconds }) => affinitySeconds !== undefined);
    const { id, numbers } = affinityOf(port!);
    expect(port!.cluster).toHaveLength(2);
    for (const { key } of port!.cluster) {
      const client = `${AFFINITY} ${clientKey(clientOf(key), family)} . ${id}`;
      expect(added.get(client)).toEqual([classid(numbers.get(key)!), 60]);
    }
    expect(transaction?.keptClients).toBe(2);
    expect(logger.lines.filter((line) => line.includes('clients of the previous rules'))).toHaveLength(1);
    // Services without session affinity have none.
    expect([...added.keys()].filter((key) => key.startsWith(`${AFFINITY} `))).toHaveLength(2);
  });

  test('are in the sets of their endpoints, in the layout with chains for each Service', async () => {
    const { nft, dataplane } = host(family, 'chain-per-service');
    const state = stateOf(family);
    await sync(dataplane, state);
    const added = elementsAdded(nft);
    const [port] = [...state.servicePorts.values()].filter(({ affinitySeconds }) => affinitySeconds !== undefined);
    for (const endpoint of port!.cluster) {
      expect(added.get(`${clientsSet(port!, endpoint)} ${clientOf(endpoint.key)}`)).toEqual([undefined, 60]);
    }
  });

  test('a table that exists keeps its own', async () => {
    const { nft, dataplane } = host(family, 'constant');
    const state = stateOf(family);
    await sync(dataplane, state);
    const count = nft.transactions.length;
    expect(await sync(dataplane, state)).toBeUndefined();
    expect(nft.transactions).toHaveLength(count);
  });

  test('when the kernel refuses them, the next sync does without', async () => {
    const { nft, dataplane } = host(family, 'constant');
    const state = stateOf(family);
    nft.refuses = (command: NftCommand) => command.do === 'add-elements' && command.name === AFFINITY;
    await expect(sync(dataplane, state)).rejects.toThrow();
    expect((await sync(dataplane, state))?.keptClients).toBeUndefined();
    expect(await sync(dataplane, state)).toBeUndefined();
  });

  test('another failure of the sync does not lose them', async () => {
    const { nft, dataplane } = host(family, 'constant');
    const state = stateOf(family);
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    nft.failNext(new Error('timed out'));
    await expect(dataplane.apply(transaction!)).rejects.toThrow('timed out');
    expect((await sync(dataplane, state))?.keptClients).toBe(2);
  });

  test('when they cannot be read, the sync does without, and the log says so', async () => {
    const { dataplane, logger } = host(family, 'constant', () => Promise.reject(new Error('EACCES')));
    expect((await sync(dataplane, stateOf(family)))?.keptClients).toBeUndefined();
    expect(logger.lines).toEqual(
      expect.arrayContaining([expect.stringMatching(/clients of the previous rules get new endpoints: EACCES/)]),
    );
  });
});

test('a large table is loaded in parts, with its clients', async () => {
  const { nft, dataplane } = host('IPv4', 'constant');
  const state = stateOf('IPv4', 2000);
  const transaction = await sync(dataplane, state);
  expect(transaction?.load).toBeDefined();
  const sticky = [...state.servicePorts.values()].filter(({ affinitySeconds }) => affinitySeconds !== undefined);
  const expected = sticky.flatMap((port) => keptClientsOf(port, former)).length;
  expect(transaction?.keptClients).toBe(expected);
  expect([...elementsAdded(nft).keys()].filter((key) => key.startsWith(`${AFFINITY} `))).toHaveLength(expected);
});

test.each([
  ['affinity-26YAHNC4-default/full/tcp/http__10.244.0.11/8080', 'default/full:http TCP', '10.244.0.11:8080'],
  ['affinity-26YAHNC4-default/full/udp/__10.244.0.11/53', 'default/full UDP', '10.244.0.11:53'],
  [
    'affinity-U7E2ET36-testing/service/tcp/http__fd80.abcd.12..a1b2.c3d4.e5f6.9999/80',
    'testing/service:http TCP',
    '[fd80:abcd:12:0:a1b2:c3d4:e5f6:9999]:80',
  ],
])('the set %s of kube-proxy is of %s and %s', (name, port, endpoint) => {
  expect(affinitySetOf(name)).toEqual({ port: expect.anything(), endpoint });
  expect(String(affinitySetOf(name)?.port).replaceAll('/', ' ')).toContain(port.split(' ')[1]);
});

test.each(['cluster-ips', 'affinity-26YAHNC4-default/full', 'affinity-X-a/b/tcp/c__not-an-address/80'])(
  'the set %s is not one of clients',
  (name) => {
    expect(affinitySetOf(name)).toBeUndefined();
  },
);
