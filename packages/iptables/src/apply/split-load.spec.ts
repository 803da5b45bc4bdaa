import { describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, type ProxyState, silentLogger } from '@kube-proxier/core';
import { type Iptables, type IptablesTable, parseSavedTable } from '@kube-proxier/linux';
import { FakeIptables } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { IptablesDataplane } from '../dataplane.js';
import { type IptablesTransaction, isEmptyTable, renderTransaction } from '../plan/iptables-transaction.js';
import { anySketch, ClusterSketch, chainOf, sketch } from '../testing/clusters.js';
import { fakeSettings } from '../testing/fake-settings.js';
import { tableContents } from '../testing/table-contents.js';
import { applyTransaction } from './apply-transaction.js';
import { groupRuns, splitLoad } from './split-load.js';

const LARGE = 1000;

function dataplaneOn(iptables: Iptables): IptablesDataplane {
  return new IptablesDataplane({ family: iptables.family, iptables: async () => iptables, sysctl: fakeSettings() });
}

/** Reachable chains with their rules. */
async function reachable(iptables: FakeIptables): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const table of ['filter', 'nat'] satisfies IptablesTable[]) {
    const saved = parseSavedTable(await iptables.save(table), table);
    const visit = (name: string): void => {
      const rules = saved.get(name)?.rules;
      if (rules === undefined || `${table} ${name}` in found) {
        return;
      }
      found[`${table} ${name}`] = rules;
      for (const rule of rules) {
        for (const [, target = ''] of rule.matchAll(/-[jg] (\S+)/g)) {
          visit(target);
        }
      }
    };
    for (const [name, { policy }] of saved) {
      if (policy !== '-') {
        visit(name);
      }
    }
  }
  return found;
}

async function planned(iptables: Iptables, state: ProxyState): Promise<IptablesTransaction | undefined> {
  return dataplaneOn(iptables).plan(state, diffStates(undefined, state), await dataplaneOn(iptables).readBack());
}

/** Whether all rules of a state are there. */
async function isInForce(iptables: Iptables, state: ProxyState): Promise<boolean> {
  const missing = await planned(iptables, state);
  return missing === undefined || (isEmptyTable(missing.filter) && isEmptyTable(missing.nat));
}

function clusterOf(count: number): ClusterSketch {
  const cluster = new ClusterSketch('IPv4');
  for (let number = 1; number <= count; number += 1) {
    cluster.set(sketch(number));
  }
  return cluster;
}

test('parts that only write new chains of one table share runs of the program', async () => {
  const iptables = new FakeIptables({ variant: 'nft' });
  const { state } = clusterOf(LARGE).next();
  const parts = splitLoad((await planned(iptables, state)) as IptablesTransaction, 100);
  const runs = groupRuns(parts);
  expect(runs.flat()).toEqual(parts);
  expect(runs.length).toBeLessThan(parts.length / 8);
  for (const run of runs) {
    const changes = run.flatMap(({ filter, nat }) => [filter, nat].filter((table) => !isEmptyTable(table)));
    expect(run.length <= 12).toBe(true);
    expect(run.length === 1 || changes.every(({ insertions }) => insertions.length === 0)).toBe(true);
    expect(new Set(run.map(({ nat }) => isEmptyTable(nat))).size).toBe(1);
  }
});

describe('a large load', () => {
  test.each(['IPv4', 'IPv6'] as const satisfies IPFamily[])(
    '%s: packets meet what they met before until the last part, and then what one document brings',
    async (family) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anySketch(family), { maxLength: 10 }),
          fc.array(anySketch(family), { minLength: 10, maxLength: 30 }),
          fc.integer({ min: 1, max: 40 }),
          async (before, after, lines) => {
            const cluster = new ClusterSketch(family);
            const [inParts, atOnce] = [new FakeIptables({ family }), new FakeIptables({ family })];
            for (const one of before) {
              cluster.set(one);
            }
            const first = await planned(atOnce, cluster.next().state);
            for (const iptables of [inParts, atOnce]) {
              await iptables.restore(renderTransaction(first as IptablesTransaction));
            }
            for (const one of after) {
              cluster.set(one);
            }
            const transaction = await planned(atOnce, cluster.next().state);
            fc.pre(transaction !== undefined);
            const parts = splitLoad(transaction as IptablesTransaction, lines);
            const tables = new Set(
              parts.map(({ nat, filter }) => [nat.writes.size > 0, filter.writes.size > 0].join()),
            );
            expect(parts.length === 1 || !tables.has('true,true')).toBe(true);
            let met = await reachable(inParts);
            for (const [index, part] of parts.entries()) {
              await inParts.restore(renderTransaction(part));
              const now = await reachable(inParts);
              const last = index === parts.length - 1 || parts[index + 1]?.filter.writes.size === 0;
              if (!last) {
                expect(now).toEqual(met);
              }
              met = now;
            }
            await atOnce.restore(renderTransaction(transaction as IptablesTransaction));
            expect(await tableContents(inParts)).toEqual(await tableContents(atOnce));
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  test('is written in parts of bounded size through the nft variant, and at once through the legacy variant', async () => {
    for (const variant of ['nft', 'legacy'] as const) {
      const iptables = new FakeIptables({ variant });
      const { state } = clusterOf(LARGE).next();
      await dataplaneOn(iptables).apply((await planned(iptables, state)) as IptablesTransaction);
      const nat = iptables.documents.filter((document) => document.includes('*nat'));
      const commits = nat.flatMap((document) => document.split('COMMIT\n'));
      expect(commits.length > 4).toBe(variant === 'nft');
      expect(commits.every((commit) => commit.split('\n').length < 2000)).toBe(variant === 'nft');
      expect(await isInForce(iptables, state)).toBe(true);
    }
  });

  test('a Service whose rules are refused does not affect others', async () => {
    const iptables = new FakeIptables({ variant: 'nft' });
    const cluster = clusterOf(LARGE);
    cluster.set(sketch(700, { affinity: true }));
    iptables.refuses = (line) => line.includes('--rcheck');
    const { state } = cluster.next();
    const transaction = (await planned(iptables, state)) as IptablesTransaction;
    await expect(applyTransaction(iptables, transaction, silentLogger)).rejects.toMatchObject({
      code: 'IPTABLES_PARTLY_APPLIED',
      refused: new Map([['ns/svc700:p/TCP', expect.any(String)]]),
    });
    expect(iptables.rulesOf('nat', chainOf(700))).toBeUndefined();
    expect(iptables.rulesOf('nat', chainOf(701))).toHaveLength(2);
    expect(Object.keys(await reachable(iptables))).toContain(`nat ${chainOf(701)}`);
    iptables.refuses = () => false;
    const rest = await planned(iptables, state);
    await applyTransaction(iptables, rest as IptablesTransaction, silentLogger);
    expect(await isInForce(iptables, state)).toBe(true);
  });

  test('that ends between two parts changes nothing for packets, and is completed later', async () => {
    const iptables = new FakeIptables({ variant: 'nft' });
    const cluster = clusterOf(3);
    const first = cluster.next().state;
    await dataplaneOn(iptables).apply((await planned(iptables, first)) as IptablesTransaction);
    const met = await reachable(iptables);
    for (let number = 4; number <= LARGE; number += 1) {
      cluster.set(sketch(number));
    }
    const { state, changes } = cluster.next();
    const dataplane = dataplaneOn(iptables);
    const transaction = dataplane.plan(state, changes) as IptablesTransaction;
    const restore = iptables.restore.bind(iptables);
    iptables.restore = async (document) => {
      if (!document.includes('*nat')) {
        await restore(document);
        return;
      }
      const commits = document.split(/(?<=^COMMIT\n)/m);
      expect(commits.length).toBeGreaterThan(3);
      await restore(commits.slice(0, 2).join(''));
      throw new Error('killed');
    };
    await expect(applyTransaction(iptables, transaction, silentLogger)).rejects.toThrow('killed');
    const nat = (chains: Record<string, unknown>) => Object.entries(chains).filter(([name]) => name.startsWith('nat '));
    expect(nat(await reachable(iptables))).toEqual(nat(met));
    iptables.restore = restore;
    await dataplane.apply((await planned(iptables, state)) as IptablesTransaction);
    const fresh = new FakeIptables({ variant: 'nft' });
    await dataplaneOn(fresh).apply((await planned(fresh, state)) as IptablesTransaction);
    expect(await tableContents(iptables)).toEqual(await tableContents(fresh));
  });
});
