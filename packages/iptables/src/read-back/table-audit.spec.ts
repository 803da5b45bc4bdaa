import { describe, expect, test } from '@jest/globals';
import { until, VirtualClock } from '@kube-proxier/core/testing';
import type { IptablesTable } from '@kube-proxier/linux';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from '../dataplane.js';
import { ClusterSketch, chainOf, everything, sketch } from '../testing/clusters.js';
import { fakeSettings } from '../testing/fake-settings.js';

async function watched() {
  const clock = new VirtualClock();
  const iptables = new FakeIptables();
  const dataplane = new IptablesDataplane({
    family: 'IPv4',
    iptables: async () => iptables,
    sysctl: fakeSettings(),
    clock,
  });
  const cluster = new ClusterSketch('IPv4');
  cluster.set(sketch(1));
  cluster.set(sketch(2));
  const { state } = cluster.next();
  const putRight = async () => {
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
  };
  const drift: string[] = [];
  const abort = new AbortController();
  const watching = dataplane.watch((what) => drift.push(what), abort.signal);
  const end = async () => {
    abort.abort();
    await watching;
  };
  await putRight();
  await clock.advance(1000);
  const chain = chainOf(1);
  expect(iptables.rulesOf('nat', chain)).not.toEqual([]);
  return { clock, iptables, dataplane, cluster, drift, putRight, end, chain };
}

describe('foreign changes of table contents', () => {
  test.each([
    [
      'one chain of a Service flushed',
      (chain: string) => `-F ${chain}`,
      /^\d+ rules in chains of the nat table, where/,
    ],
    ['a rule put into a chain of ours', (chain: string) => `-A ${chain} -j RETURN`, /^\d+ rules in chains of the nat/],
    ['POSTROUTING flushed', () => '-F POSTROUTING', /^the jump from POSTROUTING in the nat table is gone$/],
    [
      'KUBE-POSTROUTING flushed',
      () => '-F KUBE-POSTROUTING',
      /^\d+ rules in chains of the nat table, where there were/,
    ],
  ])('%s: is reported, and a correct table is not', async (_title, line, told) => {
    const { clock, iptables, drift, putRight, end, chain } = await watched();
    for (const times of [1, 2]) {
      await iptables.restoreByOthers(`*nat\n${line(chain)}\nCOMMIT\n`);
      await clock.advance(500);
      // Rules are counted in slices, so on a busy machine after a moment.
      await until(() => drift.length >= times, 'the drift is reported');
      expect(drift).toEqual(Array.from({ length: times }, () => expect.stringMatching(told)));
      await putRight();
      await clock.advance(60_000);
      expect(drift).toHaveLength(times);
    }
    await end();
  });

  test('a foreign change is checked once, and an own change is not checked', async () => {
    const { clock, iptables, dataplane, cluster, drift, end } = await watched();
    const saves = iptables.saves;
    for (let count = 0; count < 10; count++) {
      cluster.set(sketch(3, { kind: 'NodePort', endpoints: [{ number: 1 + count, node: 'node1' }] }));
      const { state, changes } = cluster.next();
      await dataplane.apply(dataplane.plan(state, changes)!);
      await clock.advance(500);
    }
    expect(iptables.saves).toBe(saves);
    await iptables.restoreByOthers('*nat\n:CNI - [0:0]\n-A CNI -j RETURN\n-A POSTROUTING -j CNI\nCOMMIT\n');
    await clock.advance(60_000);
    expect(iptables.saves).toBe(saves + 2);
    expect(drift).toEqual([]);
    await end();
  });

  test('checks take a twentieth of the time, however often foreign changes occur', async () => {
    const { clock, iptables, drift, end, chain } = await watched();
    const save = iptables.save.bind(iptables);
    iptables.save = async (table) => {
      await clock.advance(2000);
      return await save(table);
    };
    const saves = iptables.saves;
    for (let seconds = 0; seconds < 400; seconds++) {
      await iptables.restoreByOthers('*nat\n-A INPUT -j RETURN\nCOMMIT\n');
      await clock.advance(1000);
    }
    expect(iptables.saves - saves).toBeGreaterThanOrEqual(9);
    expect(iptables.saves - saves).toBeLessThanOrEqual(11);
    // Drift in between is still found.
    await iptables.restoreByOthers(`*nat\n-F ${chain}\nCOMMIT\n`);
    for (let seconds = 0; seconds < 90 && drift.length === 0; seconds++) {
      await clock.advance(1000);
    }
    expect(drift).toHaveLength(1);
    await end();
  });

  test('a check that does not end while Services change is aborted and repeated', async () => {
    const { clock, iptables, dataplane, cluster, drift, end, chain } = await watched();
    const save = iptables.save.bind(iptables);
    let [begun, ended] = [0, 0];
    iptables.save = (_table?: IptablesTable, signal?: AbortSignal) => {
      begun += 1;
      return new Promise<string>((_resolve, reject) =>
        signal?.addEventListener('abort', () => {
          ended += 1;
          reject(new Error('killed'));
        }),
      );
    };
    await iptables.restoreByOthers(`*nat\n-F ${chain}\nCOMMIT\n`);
    await clock.advance(500);
    expect([begun, ended]).toEqual([1, 0]);
    cluster.set(sketch(3));
    const { state, changes } = cluster.next();
    await dataplane.apply(dataplane.plan(state, changes)!);
    await clock.advance(200);
    expect([begun, ended]).toEqual([1, 1]);
    expect(drift).toEqual([]);
    iptables.save = save;
    await clock.advance(60_000);
    expect(drift).toEqual([expect.stringMatching(/^\d+ rules in chains of the nat table, where/)]);
    await end();
  });

  test('a check during an own write is ignored', async () => {
    const { clock, iptables, drift, putRight, end, chain } = await watched();
    const save = iptables.save.bind(iptables);
    iptables.save = async (table) => {
      iptables.save = save;
      const saved = await save(table);
      await putRight();
      return saved;
    };
    await iptables.restoreByOthers(`*nat\n-F ${chain}\nCOMMIT\n`);
    await clock.advance(60_000);
    expect(drift).toEqual([]);
    expect(iptables.rulesOf('nat', chain)).not.toEqual([]);
    await end();
  });
});
