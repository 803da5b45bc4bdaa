import { describe, expect, test } from '@jest/globals';
import { diffStates } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import { IpvsDataplane } from '../dataplane.js';
import { JUMPS, RULE_TABLES } from '../plan/fixed-chains.js';
import type { IpvsTransaction } from '../plan/ipvs-transaction.js';
import { INTERFACE } from '../plan/layout.js';
import { type FakeHost, fakeHost, install } from '../testing/contents.js';

/** Milliseconds in which everything is checked. */
const ROUND = 1400;

const WEB = { kind: 'address', family: 'IPv4', protocol: 'TCP', address: '10.96.0.10', port: 80 } as const;

async function watched(
  use: (host: FakeHost, clock: VirtualClock, gone: string[], dataplane: IpvsDataplane) => Promise<void>,
): Promise<void> {
  const host = fakeHost('IPv4');
  const clock = new VirtualClock();
  const abort = new AbortController();
  const gone: string[] = [];
  const dataplane = new IpvsDataplane({ family: 'IPv4', host, clock });
  await install(dataplane, stateOf({ web: '10.96.0.10', api: '10.96.0.11' }));
  const watching = dataplane.watch((what) => gone.push(what), abort.signal);
  await clock.advance(10 * ROUND);
  expect(gone).toEqual([]);
  await use(host, clock, gone, dataplane);
  abort.abort();
  await watching;
  dataplane.close();
}

function stateOf(services: Readonly<Record<string, string>>) {
  return resolveObjects({
    services: Object.entries(services).map(([name, clusterIP]) => makeService(`work/${name}`, { clusterIP })),
    slices: Object.keys(services).map((name) => makeSlice(`work/${name}`, ['10.244.1.1'])),
  });
}

describe('a foreign deletion is detected by the next check, and reported once', () => {
  test('ipvsadm -C', () =>
    watched(async (host, clock, gone) => {
      host.ipvs.clear();
      await clock.advance(10 * ROUND);
      expect(gone).toEqual([
        expect.stringMatching(/^the virtual server TCP.10.96.0.1[01]:80 is gone, as after ipvsadm -C$/),
      ]);
    }));

  test.each(['web', 'api'])('ipvsadm -C, after the Service %s was removed', (name) =>
    watched(async (host, clock, gone, dataplane) => {
      const all: Record<string, string> = { web: '10.96.0.10', api: '10.96.0.11' };
      const before = stateOf(all);
      delete all[name];
      const after = stateOf(all);
      await dataplane.apply(dataplane.plan(after, diffStates(before, after)) as IpvsTransaction);
      await clock.advance(10 * ROUND);
      expect(gone).toEqual([]);
      host.ipvs.clear();
      await clock.advance(10 * ROUND);
      expect(gone).toEqual([`the virtual server TCP/${Object.values(all)}:80 is gone, as after ipvsadm -C`]);
    }),
  );

  test('deleting a drained virtual server is not drift', () =>
    watched(async (host, clock, gone, dataplane) => {
      const before = stateOf({ web: '10.96.0.10', api: '10.96.0.11' });
      const after = stateOf({ api: '10.96.0.11' });
      const [real] = await host.ipvs.realServers(WEB);
      host.ipvs.connect(WEB, real as NonNullable<typeof real>, 1);
      await dataplane.apply(dataplane.plan(after, diffStates(before, after)) as IpvsTransaction);
      await install(dataplane, after);
      await clock.advance(10 * ROUND);
      expect(await host.ipvs.has(WEB)).toBe(true);
      host.ipvs.connect(WEB, real as NonNullable<typeof real>, 0);
      await clock.advance(10 * ROUND);
      expect([await host.ipvs.has(WEB), gone]).toEqual([false, []]);
    }));

  test('the interface is removed', () =>
    watched(async (host, clock, gone) => {
      await host.links.remove(INTERFACE);
      await clock.advance(10 * ROUND);
      expect(gone).toEqual([`the interface ${INTERFACE} is gone`]);
    }));

  test('the interface is removed, and the other family creates it before the next check', () =>
    watched(async (host, clock, gone, dataplane) => {
      const { addresses } = await dataplane.readBack();
      await host.links.remove(INTERFACE);
      await host.links.addDummy(INTERFACE);
      await clock.advance(10 * ROUND);
      expect(gone).toEqual([`the interface ${INTERFACE} is gone`]);
      await install(dataplane, stateOf({ web: '10.96.0.10', api: '10.96.0.11' }));
      expect((await dataplane.readBack()).addresses).toEqual(addresses);
      await clock.advance(10 * ROUND);
      expect(gone).toHaveLength(1);
    }));

  test('the rules are deleted repeatedly, right after each repair', () =>
    watched(async (host, clock, gone, dataplane) => {
      const [jump] = JUMPS.nat;
      for (const flushes of [1, 2, 3]) {
        await host.tools.restore(`*nat\n-D ${jump?.from} ${jump?.rule.text}\nCOMMIT\n`);
        await clock.advance(ROUND);
        expect(gone).toHaveLength(flushes);
        await install(dataplane, stateOf({ web: '10.96.0.10', api: '10.96.0.11' }));
      }
    }));

  test.each(RULE_TABLES)('the %s table is flushed', (table) =>
    watched(async (host, clock, gone) => {
      const jumps = JUMPS[table];
      const from = jumps[0]?.from;
      const lines = jumps.map((jump) => `-D ${jump.from} ${jump.rule.text}`);
      await host.tools.restore([`*${table}`, ...lines, 'COMMIT', ''].join('\n'));
      await clock.advance(ROUND);
      expect(gone).toEqual([`the jump from ${from} in the ${table} table is gone, as after a flush`]);
      await clock.advance(10 * ROUND);
      expect(gone).toHaveLength(1);
    }),
  );
});
