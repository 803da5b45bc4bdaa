import { describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, type ProxyState, WHEN_ENDPOINT_GOES_ANNOTATION } from '@kube-proxier/core';
import { ClusterSketch, casesOf, EXAMPLE_SERVICE, until } from '@kube-proxier/core/testing';
import {
  createNetlinkNft,
  createNft,
  type NftStatement,
  type NftTransaction,
  renderNftTransaction,
} from '@kube-proxier/linux';
import { canMakeNamespaces, type TestNamespace, withNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import type { HostFacts } from './plan/installed-nftables.js';
import { LAYOUTS, type Layout } from './plan/layout.js';
import { NftablesPlanner } from './plan/nftables-planner.js';
import type { NftablesTransaction } from './plan/nftables-transaction.js';
import { ANNOTATIONS } from './plan/service-options.js';
import { trialState } from './plan/trial-state.js';

const FAMILIES = ['IPv4', 'IPv6'] as const;

interface Variant {
  readonly name: string;
  readonly state: (family: IPFamily) => ProxyState;
  readonly masqueradeBit?: number;
  readonly facts?: Partial<HostFacts>;
}

/** A state with Services of the given kinds, on a node of a given kind. */
function stateOf(family: IPFamily, node: Partial<ProxyState['node']>): ProxyState {
  const cluster = new ClusterSketch(family);
  const endpoints = [1, 2, 3].map((number) => ({ number, node: number === 1 ? ('node1' as const) : undefined }));
  const maglev = { [ANNOTATIONS.loadBalancing]: 'maglev' };
  const kinds = [{}, maglev].flatMap((annotations) => [false, true].map((affinity) => ({ annotations, affinity })));
  for (const [index, kind] of kinds.entries()) {
    const number = index + 1;
    const policy = { externalLocal: index % 2 === 0, kind: 'LoadBalancer' } as const;
    cluster.set({ ...EXAMPLE_SERVICE, ...kind, ...policy, name: `ns/svc${number}`, number, endpoints });
  }
  const { state } = cluster.next();
  return { ...state, node: { ...state.node, ...node } };
}

/** Together they cover every kind of rule. */
const VARIANTS: readonly Variant[] = [
  { name: 'every kind of frontend', state: trialState },
  {
    name: 'pods behind one interface, masquerading at random',
    state: (family) => stateOf(family, { detector: { kind: 'interface', name: 'cbr0' } }),
    masqueradeBit: 0,
    facts: { fullyRandom: false },
  },
  {
    name: 'pods behind interfaces of a kind, NodePorts on some addresses',
    state: (family) =>
      stateOf(family, {
        detector: { kind: 'interface-prefix', prefix: 'cali' },
        nodePortAddresses: {
          ...{ kind: 'listed', loopback: false },
          addresses: [family === 'IPv4' ? '192.0.2.1' : '2001:db8::1'],
        },
      }),
    masqueradeBit: 31,
  },
  {
    name: 'connections that are reset, where new ones are refused and dropped',
    state: (family) => {
      const cluster = new ClusterSketch(family);
      const remote = [{ number: 2, node: 'node2' as const }];
      for (const [index, endpoints] of [[], remote].entries()) {
        cluster.set({
          ...EXAMPLE_SERVICE,
          ...{ name: `ns/svc${index + 1}`, number: index + 1, endpoints, kind: 'LoadBalancer', externalLocal: true },
          annotations: { [WHEN_ENDPOINT_GOES_ANNOTATION]: 'reset' },
        });
      }
      return cluster.next().state;
    },
  },
  {
    name: 'networks with any length of prefix',
    state: (family) =>
      stateOf(family, {
        detector: { kind: 'source-cidr', cidr: family === 'IPv4' ? '10.244.0.0/14' : 'fd00:10::/57' },
        serviceCIDRs:
          family === 'IPv4'
            ? ['10.96.0.0/12', '10.0.0.0/8', '192.0.2.1/32', '172.16.0.0/24']
            : ['fd00:96::/108', 'fd00:97::/112', '2001:db8::1/128', 'fd00::/7'],
      }),
  },
];

const cases = VARIANTS.flatMap((variant) =>
  FAMILIES.flatMap((family) => LAYOUTS.map((layout) => ({ ...variant, family, layout }))),
);

/** Every variant in both families, each with one of the layouts; a thorough run has all. */
const isUsual = (_case: unknown, index: number) => [0, 3].includes(index % 4);
const loaded = casesOf(
  cases.filter(isUsual),
  cases.filter((one, index) => !isUsual(one, index)),
);

function planned({ state, masqueradeBit = 14, facts, family, layout }: Variant & { family: IPFamily; layout: Layout }) {
  const planner = new NftablesPlanner({ masqueradeBit, countConnections: true, countTraffic: true });
  const next = state(family);
  const installed = { table: undefined, facts: { fullyRandom: true, layout, ...facts } };
  return planner.plan(next, diffStates(undefined, next), installed)?.write as NftTransaction;
}

/** Handles depend on the order of the messages; this expression of nft 1.0 has no effect in the kernel. */
const IRRELEVANT =
  /"handle": \d+, |^ {2}\[ byteorder reg \d+ = hton\(reg \d+, 2, 1\) \]\n|(?<=^ip6? \S+ \S+) \d+( \d+)?$/gm;

/** Further versions of nft; `npm run test:nft-versions` installs them. */
const PROGRAMS = (process.env.KUBE_PROXIER_NFT_PROGRAMS ?? '').split(':').filter((path) => path !== '');

/** Versions before 1.0.6, which cannot load the tables. */
const OLD_PROGRAMS = (process.env.KUBE_PROXIER_OLD_NFT_PROGRAMS ?? '').split(':').filter((path) => path !== '');

async function listing({ runner }: TestNamespace, command: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await runner.run({ command, args: [...args, 'list', 'ruleset'] });
  // The kernel lists elements in the order of hashes with a random seed; nft sorts them, except in this output.
  return stdout
    .replace(IRRELEVANT, '')
    .replace(/(?:^\telement .*\n)+/gm, (lines) => lines.split('\n').sort().join('\n'));
}

const LISTINGS = [[], ['-j'], ['--debug=netlink']] as const;

(canMakeNamespaces() ? describe : describe.skip)('a table that is written by netlink', () => {
  test.each(loaded)('is what nft makes of the text: $name, $family, $layout', async (variant) => {
    const transaction = planned(variant);
    await withNamespace((byText) =>
      withNamespace(async (byNetlink) => {
        const text = renderNftTransaction(transaction);
        await byText.runner.run({ command: 'nft', args: ['-f', '-'], stdin: text });
        const nft = createNetlinkNft({ namespace: byNetlink.path });
        await nft.run(transaction);
        for (const args of LISTINGS) {
          expect(await listing(byNetlink, 'nft', ...args)).toBe(await listing(byText, 'nft', ...args));
        }
        nft.close();
        await reloads(byNetlink, 'nft');
      }),
    );
  });

  test.each(loaded)(
    'is read back as it was written, by netlink or by nft: $name, $family, $layout',
    async (variant) => {
      const transaction = planned(variant);
      const next = variant.state(variant.family);
      const facts = { fullyRandom: true, layout: variant.layout, ...variant.facts };
      const { masqueradeBit = 14 } = variant;
      const planner = new NftablesPlanner({ masqueradeBit, countConnections: true, countTraffic: true });
      for (const by of ['netlink', 'nft'] as const) {
        await withNamespace(async ({ path, runner }) => {
          const nft = createNetlinkNft({ namespace: path });
          await (by === 'netlink'
            ? nft.run(transaction)
            : runner.run({ command: 'nft', args: ['-f', '-'], stdin: renderNftTransaction(transaction) }));
          const table = await nft.list(transaction.family, transaction.table);
          nft.close();
          expect(planner.plan(next, diffStates(undefined, next), { table, facts })?.write.commands).toBeUndefined();
        });
      }
    },
  );

  test.each(casesOf(['IPv4'] as const, ['IPv6'] as const))(
    'a large one, in parts: all of it is there, by netlink or by nft, %s',
    async (family) => {
      const cluster = new ClusterSketch(family);
      for (let number = 1; number <= 2000; number++) {
        const endpoints = [1, 2, 3, 4, 5, 6].map((endpoint) => ({ number: endpoint, node: 'node2' as const }));
        cluster.set({ ...EXAMPLE_SERVICE, name: `ns/svc${number}`, number, endpoints });
      }
      const { state } = cluster.next();
      await withNamespace(async ({ path, runner }) => {
        for (const [access, nft] of [
          ['netlink', createNetlinkNft({ namespace: path })],
          ['nft', createNft({ runner })],
        ] as const) {
          const dataplane = new NftablesDataplane({ family, nft });
          const load = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
          expect([access, load?.load === undefined]).toEqual([access, false]);
          await dataplane.apply(load as NftablesTransaction);
          expect(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack())).toBeUndefined();
          await dataplane.cleanup();
        }
      });
    },
  );

  // Other versions use other registers, so only their output is compared.
  for (const program of PROGRAMS) {
    test.each(cases)(`is listed by ${program} as its own: $name, $family, $layout`, async (variant) => {
      const transaction = planned(variant);
      await withNamespace((byText) =>
        withNamespace(async (byNetlink) => {
          const stdin = renderNftTransaction(transaction);
          await byText.runner.run({ command: program, args: ['-f', '-'], stdin });
          const nft = createNetlinkNft({ namespace: byNetlink.path });
          await nft.run(transaction);
          nft.close();
          for (const args of [[], ['-j']]) {
            expect(await listing(byNetlink, program, ...args)).toBe(await listing(byText, program, ...args));
          }
          await reloads(byNetlink, program);
        }),
      );
    });
  }

  for (const program of OLD_PROGRAMS) {
    test.each(cases)(`is listed completely by ${program}: $name, $family, $layout`, async (variant) => {
      const transaction = planned(variant);
      await withNamespace(async (namespace) => {
        const nft = createNetlinkNft({ namespace: namespace.path });
        await nft.run(transaction);
        nft.close();
        const { stdout } = await namespace.runner.run({ command: program, args: ['list', 'ruleset'] });
        const names = transaction.commands.flatMap((command) =>
          command.do === 'add-chain' ? [command.chain] : command.do === 'add-container' ? [command.name] : [],
        );
        expect(names.length).toBeGreaterThan(10);
        expect(names.filter((name) => !new RegExp(`\\b(chain|map|set) ${name} \\{`).test(stdout))).toEqual([]);
        expect(await listing(namespace, program, '-j')).toContain('"nftables"');
      });
    });
  }

  for (const program of ['nft', ...PROGRAMS]) {
    test.each(FAMILIES)(`is monitored by ${program} as its own: %s`, async (family) => {
      const transaction = planned({ name: '', state: trialState, family, layout: 'constant' });
      const removal: NftTransaction = { ...transaction, commands: [{ do: 'delete-table' }] };
      const events = (load: (namespace: TestNamespace, what: NftTransaction) => Promise<unknown>) =>
        withNamespace(async (namespace) => {
          let printed = '';
          const monitor = namespace.runner.start(
            { command: program, args: ['monitor'] },
            { stdout: (text) => (printed += text) },
          );
          // nft 1.0.6 crashes, even for commits by nft.
          let hasEnded = false;
          void monitor.ended.then(() => {
            hasEnded = true;
          });
          const generations = () => printed.match(/^# new generation/gm)?.length ?? 0;
          let tables = 0;
          await until(async () => {
            await namespace.runner.run({ command: program, args: ['add', 'table', 'ip', `other${tables++}`] });
            return generations() > 0;
          });
          for (const what of [transaction, removal]) {
            const before = generations();
            await load(namespace, what);
            await until(() => generations() > before || hasEnded);
          }
          const end = hasEnded ? ['it has ended'] : [];
          monitor.stop();
          await monitor.ended;
          const lines = printed.split('\n').filter((line) => !line.startsWith('#') && !line.includes('other'));
          return [...lines.map((line) => line.replace(/ handle \d+/, '')).sort(), ...end];
        });
      const byNetlink = await events(async ({ path }, what) => {
        const nft = createNetlinkNft({ namespace: path });
        await nft.run(what);
        nft.close();
      });
      const byText = await events(({ runner }, what) =>
        runner.run({ command: program, args: ['-f', '-'], stdin: renderNftTransaction(what) }),
      );
      expect(byNetlink).toEqual(byText);
      expect(byNetlink.length).toBeGreaterThan(100);
    });
  }

  /** What a version of nft lists, it loads. */
  async function reloads(namespace: TestNamespace, program: string): Promise<void> {
    const stdin = await listing(namespace, program);
    await withNamespace(async (reloaded) => {
      await reloaded.runner.run({ command: program, args: ['-f', '-'], stdin });
      expect(await listing(reloaded, program)).toBe(stdin);
    });
  }
});

test('the states above have every kind of statement', () => {
  const kinds = new Set<NftStatement['kind']>();
  for (const variant of cases) {
    for (const command of planned(variant).commands) {
      for (const { kind } of command.do === 'add-rule' ? command.rule.statements : []) {
        kinds.add(kind);
      }
    }
  }
  const all: Readonly<Record<NftStatement['kind'], true>> = {
    ...{ match: true, member: true, 'one-of': true, vmap: true, assign: true, 'write-element': true, count: true },
    ...{ dnat: true, masquerade: true, 'no-syn': true, reject: true, accept: true, drop: true, jump: true, goto: true },
  };
  expect([...kinds].sort()).toEqual(Object.keys(all).sort());
});
