import { describe, expect, test } from '@jest/globals';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import { IpvsDataplane } from './ipvs-dataplane.js';
import { INTERFACE } from './layout.js';
import { SKELETON_JUMPS, SKELETON_TABLES } from './skeleton.js';
import { type FakeHost, fakeHost, install } from './testing/contents.js';

/** Milliseconds in which everything is looked at. */
const ROUND = 1400;

async function watched(use: (host: FakeHost, clock: VirtualClock, gone: string[]) => Promise<void>): Promise<void> {
  const host = fakeHost('IPv4');
  const clock = new VirtualClock();
  const abort = new AbortController();
  const gone: string[] = [];
  const dataplane = new IpvsDataplane({ family: 'IPv4', host, clock });
  const state = resolveObjects({
    services: [makeService('work/web', { clusterIP: '10.96.0.10' })],
    slices: [makeSlice('work/web', ['10.244.1.1'])],
  });
  await install(dataplane, state);
  const watching = dataplane.watch((what) => gone.push(what), abort.signal);
  await clock.advance(10 * ROUND);
  expect(gone).toEqual([]);
  await use(host, clock, gone);
  abort.abort();
  await watching;
  dataplane.close();
}

describe('others who take away what is ours are noticed by the next look, once', () => {
  test('ipvsadm -C', () =>
    watched(async (host, clock, gone) => {
      host.ipvs.clear();
      await clock.advance(10 * ROUND);
      expect(gone).toEqual(['the virtual server TCP/10.96.0.10:80 is gone, as after ipvsadm -C']);
    }));

  test('the interface is removed', () =>
    watched(async (host, clock, gone) => {
      await host.links.remove(INTERFACE);
      await clock.advance(10 * ROUND);
      expect(gone).toEqual([`the interface ${INTERFACE} is gone`]);
    }));

  test.each(SKELETON_TABLES)('the %s table is flushed', (table) =>
    watched(async (host, clock, gone) => {
      const jumps = SKELETON_JUMPS[table];
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
