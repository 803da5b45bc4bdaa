import { describe, expect, test } from '@jest/globals';
import { type ProxyState, silentLogger } from '@kube-proxier/core';
import { ClusterSketch, EXAMPLE_SERVICE, everything, runCount } from '@kube-proxier/core/testing';
import type { NftCommand } from '@kube-proxier/linux';
import { FakeNft } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { applyTransaction } from '../apply/apply-transaction.js';
import { NftablesDataplane } from '../dataplane.js';
import { anySketch } from '../testing/any-sketch.js';
import type { Layout } from './layout.js';
import { NftablesPlanner } from './nftables-planner.js';
import { completeWrite, type NftablesTransaction } from './nftables-transaction.js';
import { inParts } from './table-load.js';

const CASES = (['IPv4', 'IPv6'] as const).flatMap((family) =>
  (['constant', 'chain-per-service'] as const).map((layout) => ({ family, layout })),
);

function plan(state: ProxyState, layout: Layout, loadPart?: number): NftablesTransaction | undefined {
  const planner = new NftablesPlanner({ masqueradeBit: 14, ...(loadPart === undefined ? {} : { loadPart }) });
  return planner.plan(state, everything(state), { table: undefined, facts: { fullyRandom: true, layout } });
}

async function written(transaction: NftablesTransaction | undefined, state: ProxyState): Promise<FakeNft> {
  const nft = new FakeNft();
  if (transaction !== undefined) {
    await applyTransaction(transaction, { nft, family: state.family, logger: silentLogger });
  }
  return nft;
}

function elementsIn(commands: readonly NftCommand[]): readonly string[] {
  return commands.flatMap((command) =>
    command.do === 'add-elements' ? command.elements.map(([key]) => `${command.name} ${key}`) : [],
  );
}

const isInUse = (commands: readonly NftCommand[]) =>
  commands.some((command) => command.do === 'add-chain' && command.base !== undefined);

describe.each(CASES)('a table that does not exist, $family, $layout', ({ family, layout }) => {
  test('is the same when it is written in parts, has each element once, and is not in use before the last part', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anySketch(family), { maxLength: 12 }),
        fc.integer({ min: 1, max: 20 }),
        async (sketches, part) => {
          const cluster = new ClusterSketch(family);
          for (const sketch of sketches) {
            cluster.set(sketch);
          }
          const { state } = cluster.next();
          const [whole, parts] = [plan(state, layout), plan(state, layout, part)];
          const nft = await written(parts, state);
          expect(nft.dump()).toBe((await written(whole, state)).dump());
          const added = elementsIn(nft.transactions.flatMap(({ commands }) => commands));
          expect(new Set(added).size).toBe(added.length);
          expect(nft.transactions.slice(0, -1).some(({ commands }) => isInUse(commands))).toBe(false);
          if (parts?.load !== undefined) {
            expect(
              Math.max(...nft.transactions.map(({ commands }) => elementsIn(commands).length)),
            ).toBeLessThanOrEqual(part);
          }
          // Elements are generated again for each iteration.
          expect(elementsIn(completeWrite(parts as NftablesTransaction).commands)).toEqual(added);
        },
      ),
      { numRuns: runCount(30, 200) },
    );
  });
});

test('a list of many elements can pause while it is generated', () => {
  let generated = 0;
  function* addresses() {
    for (let number = 0; number < 1000; number += 1) {
      generated += 1;
      yield ['cluster-ips', `10.96.${number >> 8}.${number & 255}`, undefined] as const;
    }
  }
  const pauses: number[] = [];
  const added: NftCommand[] = [];
  for (const commands of inParts([addresses()], 300)) {
    if (commands === undefined) {
      pauses.push(generated);
    } else {
      added.push(...commands);
    }
  }
  expect(pauses.slice(0, 3)).toEqual([64, 128, 192]);
  expect(pauses.length).toBe(15);
  expect(new Set(elementsIn(added)).size).toBe(1000);
});

function clusterOf(services: number): ClusterSketch {
  const cluster = new ClusterSketch('IPv4');
  for (let number = 1; number <= services; number++) {
    const endpoints = Array.from({ length: 6 }, (_, index) => ({ number: index + 1, node: 'node2' as const }));
    cluster.set({ ...EXAMPLE_SERVICE, name: `ns/svc${number}`, number, endpoints });
  }
  return cluster;
}

test.each([1, 2, 3])(
  'an agent that ends after part %d leaves a table that nothing uses; the next one completes it',
  async (parts) => {
    const nft = new FakeNft();
    const { state } = clusterOf(30).next();
    const transaction = plan(state, 'constant', 50) as NftablesTransaction;
    const run = nft.run.bind(nft);
    let left = parts;
    nft.run = async (one) => {
      if (left-- === 0) {
        throw new Error('killed');
      }
      return run(one);
    };
    const target = { nft, family: 'IPv4', logger: silentLogger } as const;
    await expect(applyTransaction(transaction, target)).rejects.toThrow('killed');
    nft.run = run;
    const rest = nft.dump();
    expect(rest).toContain('chain pick-tcp-6');
    expect(rest).not.toContain('prerouting');
    const next = new NftablesDataplane({ family: 'IPv4', nft });
    await next.apply(next.plan(state, everything(state), await next.readBack()) as NftablesTransaction);
    expect(nft.dump()).toBe((await written(plan(state, 'constant'), state)).dump());
    expect(next.plan(state, everything(state), await next.readBack())).toBeUndefined();
  },
);

test('changes after a large load are planned from it, without a list of the table', async () => {
  const services = 1400;
  const nft = new FakeNft();
  const cluster = clusterOf(services);
  const { state: first } = cluster.next();
  const dataplane = new NftablesDataplane({ family: 'IPv4', nft });
  const load = dataplane.plan(first, everything(first), await dataplane.readBack()) as NftablesTransaction;
  expect(load.load).toBeDefined();
  expect(dataplane.describe(load)).toMatch(/^\d+ changes? and all elements$/);
  const rendered = dataplane.render(load, { table: undefined, facts: { fullyRandom: true, layout: 'constant' } });
  expect(rendered.length).toBeGreaterThan(services);
  await dataplane.apply(load);
  cluster.set({ ...EXAMPLE_SERVICE, name: 'ns/svc7', number: 7 });
  cluster.remove('ns/svc8');
  const { state, changes } = cluster.next();
  await dataplane.apply(dataplane.plan(state, changes) as NftablesTransaction);
  expect(nft.dump()).toBe((await written(plan(state, 'constant'), state)).dump());
  expect(nft.lists).toBe(1);
});

test('an owned table, which is claimed before it is written, is loaded in parts as well', async () => {
  const nft = new FakeNft();
  const { state } = clusterOf(1400).next();
  const dataplane = new NftablesDataplane({ family: 'IPv4', nft, tableFlags: async () => ['owner'] });
  const load = dataplane.plan(state, everything(state), await dataplane.readBack()) as NftablesTransaction;
  expect(load.load).toBeDefined();
  await dataplane.apply(load);
  expect(dataplane.plan(state, everything(state), await dataplane.readBack())).toBeUndefined();
  const unowned = (await written(plan(state, 'constant'), state)).dump();
  expect(nft.dump()).toBe(unowned.replace('table ip kube-proxier', 'table ip kube-proxier owner'));
});
