import { describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, type ProxyState } from '@kube-proxier/core';
import {
  ClusterSketch,
  EXAMPLE_SERVICE,
  everything,
  runCount,
  type ServiceSketch,
  sketchAddresses,
} from '@kube-proxier/core/testing';
import { NftRefused } from '@kube-proxier/linux';
import { FakeNft } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { NftablesDataplane } from '../dataplane.js';
import { anySteps, type Step } from '../testing/any-sketch.js';
import { AFFINITY, type Layout, nftFamily, TABLE } from './layout.js';
import { renderTransaction } from './nftables-transaction.js';
import { affinityOf, classid } from './service-elements.js';

const families = ['IPv4', 'IPv6'] as const;
const LAYOUTS: readonly Layout[] = ['constant', 'chain-per-service'];

function host(family: IPFamily, layout: Layout = 'constant') {
  const nft = new FakeNft();
  return { nft, dataplane: new NftablesDataplane({ family, nft, layout: async () => layout }) };
}

async function reconcile(dataplane: NftablesDataplane, state: ProxyState) {
  const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
  if (transaction !== undefined) {
    await dataplane.apply(transaction);
  }
  return transaction;
}

async function fresh(state: ProxyState, layout?: Layout): Promise<FakeNft> {
  const { nft, dataplane } = host(state.family, layout);
  await reconcile(dataplane, state);
  return nft;
}

function take(cluster: ClusterSketch, step: Step): void {
  for (const sketch of step.set) {
    cluster.set(sketch);
  }
  for (const name of step.remove) {
    cluster.remove(name);
  }
  cluster.serviceCIDRs(step.serviceCIDRs ? [sketchAddresses.services(cluster.family)] : []);
}

/** The document for {@link EXAMPLE_SERVICE}, in the layout whose rules do not grow with the cluster. */
const CONSTANT_DOCUMENT = `add table ip kube-proxier
add map ip kube-proxier services { type ipv4_addr . inet_proto . inet_service : verdict; }
add map ip kube-proxier endpoints-tcp { typeof ip daddr . tcp dport . numgen random mod 2 : ip daddr . tcp dport; }
add map ip kube-proxier endpoints-udp { typeof ip daddr . udp dport . numgen random mod 2 : ip daddr . udp dport; }
add map ip kube-proxier endpoints-sctp { typeof ip daddr . sctp dport . numgen random mod 2 : ip daddr . sctp dport; }
add set ip kube-proxier allowed-sources { type ipv4_addr . inet_proto . inet_service . ipv4_addr; flags interval; }
add set ip kube-proxier refused-services { type ipv4_addr . inet_proto . inet_service; }
add map ip kube-proxier node-ports { type inet_proto . inet_service : verdict; }
add map ip kube-proxier node-port-endpoints-tcp { typeof tcp dport . numgen random mod 2 : ip daddr . tcp dport; }
add map ip kube-proxier node-port-endpoints-udp { typeof udp dport . numgen random mod 2 : ip daddr . udp dport; }
add map ip kube-proxier node-port-endpoints-sctp { typeof sctp dport . numgen random mod 2 : ip daddr . sctp dport; }
add set ip kube-proxier node-port-allowed-sources { type inet_proto . inet_service . ipv4_addr; flags interval; }
add set ip kube-proxier refused-node-ports { type inet_proto . inet_service; }
add set ip kube-proxier cluster-ips { type ipv4_addr; }
add set ip kube-proxier node-port-addresses { type ipv4_addr; }
add set ip kube-proxier hairpin { type ipv4_addr . ipv4_addr; }
add chain ip kube-proxier dispatch
add chain ip kube-proxier nat-prerouting { type nat hook prerouting priority -100; policy accept; }
add chain ip kube-proxier nat-output { type nat hook output priority -100; policy accept; }
add chain ip kube-proxier nat-prerouting-again { type nat hook prerouting priority -99; policy accept; }
add chain ip kube-proxier nat-output-again { type nat hook output priority -99; policy accept; }
add chain ip kube-proxier nat-postrouting { type nat hook postrouting priority 100; policy accept; }
add chain ip kube-proxier closed-services
add chain ip kube-proxier closed-node-ports
add chain ip kube-proxier closed-cluster-ips
add chain ip kube-proxier closed-networks
add chain ip kube-proxier filter-input { type filter hook input priority 0; policy accept; }
add chain ip kube-proxier filter-forward { type filter hook forward priority 0; policy accept; }
add chain ip kube-proxier filter-output { type filter hook output priority 0; policy accept; }
add chain ip kube-proxier pick-tcp-2
add chain ip kube-proxier from/any-pick-tcp-2.masquerade-off-cluster
add rule ip kube-proxier dispatch ip daddr . meta l4proto . th dport vmap @services comment "7888906fd315"
add rule ip kube-proxier dispatch fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @node-ports comment "75ab3c273b7a"
add rule ip kube-proxier nat-prerouting jump dispatch comment "2d3ece8a85fb"
add rule ip kube-proxier nat-output jump dispatch comment "2d3ece8a85fb"
add rule ip kube-proxier nat-prerouting-again jump dispatch comment "2d3ece8a85fb"
add rule ip kube-proxier nat-output-again jump dispatch comment "2d3ece8a85fb"
add rule ip kube-proxier nat-postrouting meta mark & 0x00004000 != 0 meta mark set meta mark ^ 0x00004000 masquerade fully-random comment "232d274ac62e"
add rule ip kube-proxier nat-postrouting ct status dnat ip saddr . ip daddr @hairpin masquerade fully-random comment "b4c6e7a91426"
add rule ip kube-proxier closed-services ct status dnat accept comment "0ecd6d4d8ee0"
add rule ip kube-proxier closed-services ip daddr . meta l4proto . th dport @refused-services reject comment "3313062e12de"
add rule ip kube-proxier closed-node-ports fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport @refused-node-ports reject comment "8b0b65de9f9a"
add rule ip kube-proxier closed-cluster-ips ip daddr @cluster-ips fib daddr type != local reject comment "a6b33347fa19"
add rule ip kube-proxier closed-networks ip daddr 10.96.0.0/16 fib daddr type != local drop comment "28cf9a9dd7f9"
add rule ip kube-proxier filter-input ct state != new accept comment "8a7d5305e241"
add rule ip kube-proxier filter-input jump closed-services comment "74b0d8b57214"
add rule ip kube-proxier filter-input jump closed-node-ports comment "fed1acc32665"
add rule ip kube-proxier filter-forward ct state != new accept comment "8a7d5305e241"
add rule ip kube-proxier filter-forward jump closed-services comment "74b0d8b57214"
add rule ip kube-proxier filter-forward jump closed-cluster-ips comment "9104e239bd17"
add rule ip kube-proxier filter-forward jump closed-networks comment "a5e95f7a73df"
add rule ip kube-proxier filter-output ct state != new accept comment "8a7d5305e241"
add rule ip kube-proxier filter-output jump closed-services comment "74b0d8b57214"
add rule ip kube-proxier filter-output jump closed-cluster-ips comment "9104e239bd17"
add rule ip kube-proxier filter-output jump closed-networks comment "a5e95f7a73df"
add rule ip kube-proxier pick-tcp-2 dnat ip to ip daddr . tcp dport . numgen random mod 2 map @endpoints-tcp comment "fca942a1fe04"
add rule ip kube-proxier pick-tcp-2 dnat ip to ip daddr . tcp dport . numgen random mod 1 map @endpoints-tcp comment "eea00f84d5dc"
add rule ip kube-proxier from/any-pick-tcp-2.masquerade-off-cluster ip saddr 10.244.0.0/16 goto pick-tcp-2 comment "9d095fce0348"
add rule ip kube-proxier from/any-pick-tcp-2.masquerade-off-cluster meta mark set meta mark | 0x00004000 goto pick-tcp-2 comment "dfec84c2c765"
add element ip kube-proxier services { 10.96.0.1 . tcp . 80 : goto from/any-pick-tcp-2.masquerade-off-cluster }
add element ip kube-proxier endpoints-tcp { 10.96.0.1 . 80 . 0 : 10.244.0.1 . 8080, 10.96.0.1 . 80 . 1 : 10.244.0.2 . 8080 }
add element ip kube-proxier cluster-ips { 10.96.0.1 }
add element ip kube-proxier hairpin { 10.244.0.1 . 10.244.0.1 }
`;

/** Lines of the layout with a chain for each Service that differ from the constant layout. */
const CHAIN_PER_SERVICE = {
  without: `add chain ip kube-proxier pick-tcp-2
add chain ip kube-proxier from/any-pick-tcp-2.masquerade-off-cluster
add rule ip kube-proxier pick-tcp-2 dnat ip to ip daddr . tcp dport . numgen random mod 2 map @endpoints-tcp comment "fca942a1fe04"
add rule ip kube-proxier pick-tcp-2 dnat ip to ip daddr . tcp dport . numgen random mod 1 map @endpoints-tcp comment "eea00f84d5dc"
add rule ip kube-proxier from/any-pick-tcp-2.masquerade-off-cluster ip saddr 10.244.0.0/16 goto pick-tcp-2 comment "9d095fce0348"
add rule ip kube-proxier from/any-pick-tcp-2.masquerade-off-cluster meta mark set meta mark | 0x00004000 goto pick-tcp-2 comment "dfec84c2c765"
add element ip kube-proxier services { 10.96.0.1 . tcp . 80 : goto from/any-pick-tcp-2.masquerade-off-cluster }
add element ip kube-proxier endpoints-tcp { 10.96.0.1 . 80 . 0 : 10.244.0.1 . 8080, 10.96.0.1 . 80 . 1 : 10.244.0.2 . 8080 }`,
  with: `add chain ip kube-proxier endpoints/tcp-7539cc617d722341e388
add chain ip kube-proxier from/any-endpoints/tcp-7539cc617d722341e388.masquerade-off-cluster
add rule ip kube-proxier endpoints/tcp-7539cc617d722341e388 meta l4proto tcp numgen random mod 2 0 dnat ip to 10.244.0.1:8080 comment "b05eafe6709b"
add rule ip kube-proxier endpoints/tcp-7539cc617d722341e388 meta l4proto tcp dnat ip to 10.244.0.2:8080 comment "d7858090e3ea"
add rule ip kube-proxier from/any-endpoints/tcp-7539cc617d722341e388.masquerade-off-cluster ip saddr 10.244.0.0/16 goto endpoints/tcp-7539cc617d722341e388 comment "f88ee720444d"
add rule ip kube-proxier from/any-endpoints/tcp-7539cc617d722341e388.masquerade-off-cluster meta mark set meta mark | 0x00004000 goto endpoints/tcp-7539cc617d722341e388 comment "3d7419759226"
add element ip kube-proxier services { 10.96.0.1 . tcp . 80 : goto from/any-endpoints/tcp-7539cc617d722341e388.masquerade-off-cluster }`,
};

describe('the document for one Service with two endpoints, on an empty host', () => {
  async function documentOf(layout: Layout): Promise<string> {
    const cluster = new ClusterSketch('IPv4');
    cluster.set(EXAMPLE_SERVICE);
    const { state } = cluster.next();
    const { dataplane } = host('IPv4', layout);
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    return transaction === undefined ? '' : renderTransaction(transaction);
  }

  test('in the constant layout', async () => {
    expect(await documentOf('constant')).toBe(CONSTANT_DOCUMENT);
  });

  test('in the layout with a chain for each Service', async () => {
    const lines = (await documentOf('chain-per-service')).split('\n');
    const constant = CONSTANT_DOCUMENT.split('\n');
    expect(constant.filter((line) => !lines.includes(line)).join('\n')).toBe(CHAIN_PER_SERVICE.without);
    expect(lines.filter((line) => !constant.includes(line)).join('\n')).toBe(CHAIN_PER_SERVICE.with);
  });
});

describe.each(families.flatMap((family) => LAYOUTS.map((layout) => ({ family, layout }))))(
  'states and steps, $family, $layout',
  ({ family, layout }) => {
    const other = LAYOUTS.find((candidate) => candidate !== layout);
    test('incremental changes give the same result as one full load, and removal leaves nothing', async () => {
      await fc.assert(
        fc.asyncProperty(anySteps(family, 5), async (steps) => {
          const cluster = new ClusterSketch(family);
          const { nft, dataplane } = host(family, layout);
          await reconcile(dataplane, cluster.next().state);
          for (const step of steps) {
            take(cluster, step);
            const { state, changes } = cluster.next();
            const transaction = dataplane.plan(state, changes);
            if (transaction !== undefined) {
              await dataplane.apply(transaction);
            }
            expect(nft.dump()).toBe((await fresh(state, layout)).dump());
            expect(dataplane.plan(state, everything(state), await dataplane.readBack())).toBeUndefined();
          }
          await dataplane.cleanup();
          await dataplane.cleanup();
          expect(nft.dump()).toBe('\n');
        }),
        { numRuns: runCount(30, 100) },
      );
    });

    test('from any installed state of the other layout to any desired state', async () => {
      await fc.assert(
        fc.asyncProperty(anySteps(family, 1), anySteps(family, 1), async ([before], [after]) => {
          const { nft, dataplane } = host(family, other);
          const old = new ClusterSketch(family);
          take(old, before as Step);
          await reconcile(dataplane, old.next().state);
          const cluster = new ClusterSketch(family);
          take(cluster, after as Step);
          const { state } = cluster.next();
          await reconcile(new NftablesDataplane({ family, nft, layout: async () => layout }), state);
          expect(nft.dump()).toBe((await fresh(state, layout)).dump());
        }),
        { numRuns: runCount(20, 60) },
      );
    });
  },
);

describe.each(families)('NftablesPlanner %s', (family) => {
  const nftOf = nftFamily(family);

  test('plan is pure: the same input gives the same output, independent of earlier plans', () => {
    const cluster = new ClusterSketch(family);
    cluster.set(EXAMPLE_SERVICE);
    const first = cluster.next().state;
    cluster.set({ ...EXAMPLE_SERVICE, endpoints: [], affinity: true });
    const { state, changes } = cluster.next();
    const { dataplane } = host(family);
    const once = dataplane.plan(state, changes);
    expect(dataplane.plan(state, changes)).toEqual(once);
    expect(dataplane.plan(first, diffStates(state, first))).toEqual(
      host(family).dataplane.plan(first, diffStates(state, first)),
    );
  });

  test('a change writes only the changed objects, independent of how many are installed', async () => {
    const cluster = new ClusterSketch(family);
    for (let number = 1; number <= 200; number++) {
      cluster.set({
        ...EXAMPLE_SERVICE,
        name: `ns/svc${number}`,
        number,
        endpoints: [
          { number: 5, node: 'node2' },
          { number: 6, node: 'node2' },
        ],
      });
    }
    const { dataplane, nft } = host(family);
    await reconcile(dataplane, cluster.next().state);
    cluster.set({
      ...EXAMPLE_SERVICE,
      name: 'ns/svc7',
      number: 7,
      endpoints: [
        { number: 5, node: 'node2' },
        { number: 7, node: 'node2' },
      ],
    });
    const { state, changes } = cluster.next();
    const transaction = dataplane.plan(state, changes);
    expect(transaction?.write.commands.map((command) => command.do)).toEqual(['delete-elements', 'add-elements']);
    expect(JSON.stringify(transaction).length).toBeLessThan(500);
    await dataplane.apply(transaction!);
    expect(nft.lists).toBe(1);
  });

  test.each([false, true])(
    'the first of many endpoints is removed: few elements change; affinity: %s',
    async (affinity) => {
      const endpoints = Array.from({ length: 200 }, (_, index) => ({ number: index + 1, node: 'node2' as const }));
      const cluster = new ClusterSketch(family);
      cluster.set({ ...EXAMPLE_SERVICE, affinity, endpoints });
      const { dataplane, nft } = host(family);
      await reconcile(dataplane, cluster.next().state);
      cluster.set({ ...EXAMPLE_SERVICE, affinity, endpoints: endpoints.slice(1) });
      const { state, changes } = cluster.next();
      const transaction = dataplane.plan(state, changes)!;
      const elements = transaction.write.commands.map((command) =>
        command.do === 'add-elements'
          ? command.elements.length
          : command.do === 'delete-elements'
            ? command.keys.length
            : 0,
      );
      expect(elements.reduce((sum, count) => sum + count)).toBeLessThan(120);
      await dataplane.apply(transaction);
      expect(nft.dump()).toBe((await fresh(state)).dump());
      expect(await reconcile(dataplane, state)).toBeUndefined();
    },
  );

  test('chains and rules are as many for 10 Services as for 500', async () => {
    const counts = [];
    for (const services of [10, 500]) {
      const cluster = new ClusterSketch(family);
      for (let number = 1; number <= services; number++) {
        cluster.set({ ...EXAMPLE_SERVICE, name: `ns/svc${number}`, number });
      }
      const table = await (await fresh(cluster.next().state)).list(nftOf, TABLE);
      const rules = [...(table?.chains.values() ?? [])].reduce((sum, chain) => sum + chain.rules.length, 0);
      counts.push([table?.chains.size, rules]);
    }
    expect(counts[0]).toEqual(counts[1]);
  });

  test('drift is repaired, and nothing else is written', async () => {
    const cluster = new ClusterSketch(family);
    cluster.set(EXAMPLE_SERVICE);
    cluster.set({
      ...EXAMPLE_SERVICE,
      name: 'ns/svc2',
      number: 2,
      affinity: true,
      kind: 'LoadBalancer',
      ranges: [sketchAddresses.allowed(family)],
    });
    const { state } = cluster.next();
    const { nft, dataplane } = host(family);
    await reconcile(dataplane, state);
    const whole = nft.dump();
    const key = `${sketchAddresses.cluster(family, 1)} . tcp . 80`;
    const edit = (commands: Parameters<FakeNft['run']>[0]['commands']) =>
      nft.run({ family: nftOf, table: TABLE, commands });
    for (const [commands, most] of [
      [[{ do: 'delete-elements', name: 'services', keys: [key] }], 1],
      [
        [
          { do: 'delete-elements', name: 'services', keys: [key] },
          { do: 'add-elements', name: 'services', elements: [[key, 'drop']] },
        ],
        2,
      ],
      [[{ do: 'add-elements', name: 'services', elements: [[key.replace('80', '81'), 'drop']] }], 1],
      [[{ do: 'flush-chain', chain: 'nat-postrouting' }], 4],
      [[{ do: 'add-rule', chain: 'dispatch', rule: { statements: [{ kind: 'drop' }] } }], 4],
      [
        [
          { do: 'add-chain', chain: 'foreign' },
          { do: 'add-rule', chain: 'foreign', rule: { statements: [{ kind: 'drop' }] } },
        ],
        2,
      ],
      [[{ do: 'flush-container', kind: 'map', name: 'endpoints-tcp' }], 1],
      [[{ do: 'delete-table' }], undefined],
      [
        [
          { do: 'delete-table' },
          { do: 'add-table' },
          { do: 'add-container', name: 'services', container: { kind: 'set', key: [] } },
        ],
        undefined,
      ],
    ] as const) {
      await edit(commands);
      expect(nft.dump()).not.toBe(whole);
      const transaction = await reconcile(dataplane, state);
      expect(nft.dump()).toBe(whole);
      if (most !== undefined) {
        expect(transaction?.write.commands.length).toBeLessThanOrEqual(most);
      }
    }
  });

  describe('affinity clients', () => {
    const sticky: ServiceSketch = { ...EXAMPLE_SERVICE, affinity: true };
    const setUp = async () => {
      const cluster = new ClusterSketch(family);
      cluster.set(sticky);
      cluster.set({ ...sticky, name: 'ns/svc2', number: 2 });
      const { nft, dataplane } = host(family);
      const { state } = cluster.next();
      await reconcile(dataplane, state);
      const remembered = [...state.servicePorts.values()].flatMap((port) => {
        const { id, numbers } = affinityOf(port);
        return [...numbers.values()].map(
          (number, index) =>
            [`${family === 'IPv4' ? `192.0.2.${index}` : index} . ${id}`, classid(number), 60] as const,
        );
      });
      await nft.run({
        family: nftOf,
        table: TABLE,
        commands: [{ do: 'add-elements', name: AFFINITY, elements: remembered }],
      });
      const left = async () => [...((await nft.listElements(nftOf, TABLE, 'map', AFFINITY))?.keys() ?? [])].sort();
      const [first] = [...state.servicePorts.values()].filter(({ name }) => name.name === 'svc1');
      return { cluster, nft, dataplane, remembered, left, first: first! };
    };

    test('are deleted only with their endpoint or Service', async () => {
      const { cluster, dataplane, remembered, left, first } = await setUp();
      const apply = async () => {
        const { state, changes } = cluster.next();
        await dataplane.apply(dataplane.plan(state, changes)!);
      };
      cluster.set({ ...sticky, endpoints: [...sticky.endpoints, { number: 9, node: 'node2' }] });
      await apply();
      expect(await left()).toEqual(remembered.map(([key]) => key).sort());
      cluster.set({ ...sticky, endpoints: sticky.endpoints.slice(0, 1) });
      await apply();
      const { id } = affinityOf(first);
      expect((await left()).filter((key) => key.endsWith(` . ${id}`))).toHaveLength(1);
      expect(await left()).toHaveLength(3);
      cluster.remove('ns/svc1');
      await apply();
      expect(await left()).toHaveLength(2);
    });

    test('are kept across a restart, except for those of endpoints removed meanwhile', async () => {
      const { cluster, nft, left } = await setUp();
      cluster.set({ ...sticky, endpoints: sticky.endpoints.slice(1) });
      const { state } = cluster.next();
      await reconcile(new NftablesDataplane({ family, nft }), state);
      expect(await left()).toHaveLength(3);
    });

    test('that the kernel expired first cause no error', async () => {
      const { cluster, nft, dataplane } = await setUp();
      cluster.set({ ...sticky, endpoints: [] });
      const { state, changes } = cluster.next();
      const transaction = dataplane.plan(state, changes)!;
      const elements = nft.listElements.bind(nft);
      let lists = 0;
      nft.listElements = async (...args) => {
        const found = await elements(...args);
        if (lists++ === 0) {
          nft.failNext(new NftRefused('missing', 1, '', 'No such file or directory'));
        }
        return found;
      };
      await dataplane.apply(transaction);
      expect(lists).toBe(2);
      expect((await elements(nftOf, TABLE, 'map', AFFINITY))?.size).toBe(2);
    });
  });

  test('chains that an older kernel reports as busy are deleted later', async () => {
    const cluster = new ClusterSketch(family);
    cluster.set(EXAMPLE_SERVICE);
    const { nft, dataplane } = host(family);
    await reconcile(dataplane, cluster.next().state);
    cluster.remove('ns/svc1');
    const { state, changes } = cluster.next();
    nft.failNext(new NftRefused('busy', 1, '', 'Device or resource busy'));
    await dataplane.apply(dataplane.plan(state, changes)!);
    expect(nft.rulesOf(nftOf, TABLE, 'pick-tcp-2')).toEqual([]);
    await reconcile(dataplane, state);
    expect(nft.dump()).toBe((await fresh(state)).dump());
  });

  test('an interface name that nft cannot express is an error that names it', () => {
    const cluster = new ClusterSketch(family, { localTrafficDetection: { kind: 'interface', name: 'a" drop' } });
    cluster.set(EXAMPLE_SERVICE);
    const { state } = cluster.next();
    expect(() => host(family).dataplane.plan(state, everything(state))).toThrow(
      expect.objectContaining({ code: 'NFTABLES_UNUSABLE_NAME' }),
    );
  });
});
