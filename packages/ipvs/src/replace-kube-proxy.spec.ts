import { describe, expect, test } from '@jest/globals';
import { diffStates } from '@kube-proxier/core';
import { makeService, makeSlice, RecordingLogger, resolveObjects } from '@kube-proxier/core/testing';
import { IpvsDataplane } from './dataplane.js';
import type { IpvsTransaction } from './plan/ipvs-transaction.js';
import { contents, fakeHost, freshContents, install } from './testing/contents.js';

const WEB = { kind: 'address', family: 'IPv4', protocol: 'TCP', address: '10.96.0.10', port: 80 } as const;
const VIP = { ...WEB, address: '198.51.100.9' };
const ENDPOINT = { address: '10.244.1.1', port: 8080 };

function stateOf(externalIPs: readonly string[] = []) {
  return resolveObjects({
    services: [makeService('work/web', { clusterIP: WEB.address, externalIPs: [...externalIPs] })],
    slices: [
      makeSlice('work/web', [ENDPOINT.address], { ports: [{ name: '', protocol: 'TCP', port: ENDPOINT.port }] }),
    ],
  });
}

describe('a set of kube-proxy that foreign rules reference', () => {
  const foreign = '-m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT';

  test('is kept, logged once, and is not a failure', async () => {
    const host = fakeHost('IPv4');
    const logger = new RecordingLogger();
    const set = {
      name: 'KUBE-CLUSTER-IP',
      type: 'hash:ip,port',
      family: 'IPv4',
      maxEntries: 65_536,
      marks: false,
    } as const;
    await host.sets.execute([{ do: 'create-set', set }]);
    host.sets.isUsed = (name) => name === set.name;
    await host.tools.restore(
      ['*filter', ':KUBE-FORWARD - [0:0]', `-A INPUT ${foreign}`, `-A KUBE-FORWARD ${foreign}`, 'COMMIT', ''].join(
        '\n',
      ),
    );
    const dataplane = new IpvsDataplane({ family: 'IPv4', host, logger });
    const state = stateOf();
    await install(dataplane, state);
    const installed = await dataplane.readBack();
    expect(dataplane.plan(state, diffStates(undefined, state), installed)).toBeUndefined();
    expect(logger.messages('warn')).toEqual([expect.stringContaining('The set KUBE-CLUSTER-IP of kube-proxy is kept')]);
    const rules = (chain: string) =>
      installed.tables.filter.get(chain)?.rules.filter((text) => text.includes(set.name));
    expect([rules('INPUT'), rules('KUBE-FORWARD')]).toEqual([[foreign], []]);

    // Another mode can coexist with it; a request to remove everything reports it.
    expect(await new IpvsDataplane({ family: 'IPv4', host }).remove(true)).toMatchObject({ staying: 0 });
    const cleanup = new IpvsDataplane({ family: 'IPv4', host }).cleanup();
    await expect(cleanup).rejects.toMatchObject({ message: expect.stringContaining('IPSET_BUSY') });
  });
});

test('a Service with an address in an excluded network is served, and is not drift', async () => {
  const host = fakeHost('IPv4');
  const settings = { excludeCIDRs: ['198.51.100.0/24'] };
  const foreign = { ...VIP, port: 81 };
  const virtual = { at: foreign, scheduler: 'wlc', schedulerFlags: 0, persistence: undefined };
  await host.ipvs.execute([{ do: 'add-virtual', virtual }]);
  const start = () => new IpvsDataplane({ family: 'IPv4', host, ...settings });
  const state = stateOf([VIP.address]);
  await install(start(), state);
  const other = start();
  expect(other.plan(state, diffStates(undefined, state), await other.readBack())).toBeUndefined();
  const without = stateOf();
  await install(other, without);
  expect([await host.ipvs.has(VIP), await host.ipvs.has(foreign)]).toEqual([false, true]);
  expect(await contents(other)).toEqual(await freshContents('IPv4', without, settings));
});

test('a drained endpoint that is added again is restored, even if it was deleted after the read-back', async () => {
  const host = fakeHost('IPv4');
  const state = stateOf();
  await install(new IpvsDataplane({ family: 'IPv4', host }), state);
  await host.ipvs.execute([{ do: 'set-real', at: WEB, real: { ...ENDPOINT, weight: 0 } }]);
  const dataplane = new IpvsDataplane({ family: 'IPv4', host });
  const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  await host.ipvs.execute([{ do: 'delete-real', at: WEB, ...ENDPOINT }]);
  await dataplane.apply(transaction as IpvsTransaction);
  expect(await host.ipvs.realServers(WEB)).toMatchObject([{ ...ENDPOINT, weight: 1 }]);
  dataplane.close();
});

test('a foreign connection limit of an endpoint is reverted', async () => {
  const host = fakeHost('IPv4');
  const state = stateOf();
  const dataplane = new IpvsDataplane({ family: 'IPv4', host });
  await install(dataplane, state);
  host.ipvs.limit(WEB, ENDPOINT, 1);
  await install(dataplane, state);
  expect(await host.ipvs.realServers(WEB)).toMatchObject([{ ...ENDPOINT, weight: 1, connectionLimit: 0 }]);
  expect(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack())).toBeUndefined();
});
