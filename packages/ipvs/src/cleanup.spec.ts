import { describe, expect, test } from '@jest/globals';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { IpvsDataplane } from './dataplane.js';
import { fakeHost, install } from './testing/contents.js';

const WEB = { kind: 'address', family: 'IPv4', protocol: 'TCP', address: '10.96.0.10', port: 80 } as const;
const ENDPOINT = { address: '10.244.1.1', port: 8080 };
const STATE = resolveObjects({
  services: [makeService('work/web', { clusterIP: WEB.address })],
  slices: [makeSlice('work/web', [ENDPOINT.address], { ports: [{ name: '', protocol: 'TCP', port: ENDPOINT.port }] })],
});
const SET = {
  name: 'KUBE-CLUSTER-IP',
  type: 'hash:ip,port',
  family: 'IPv4',
  maxEntries: 65_536,
  marks: false,
} as const;
/** iptables rules that only kube-proxy's ipvs mode creates. */
const RULES = `*nat
:KUBE-SERVICES - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-LOAD-BALANCER - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT
-A KUBE-POSTROUTING -j RETURN
COMMIT
`;

type Host = ReturnType<typeof fakeHost>;

/** As kube-proxy's ipvs mode does, with the existing virtual servers and addresses. */
async function startKubeProxy(host: Host): Promise<void> {
  await host.sets.execute([{ do: 'create-set', set: SET }]);
  await host.tools.restore(RULES);
  if ((await host.links.find('kube-ipvs0')) === undefined) {
    await host.links.addDummy('kube-ipvs0');
    const link = (await host.links.find('kube-ipvs0'))?.index ?? 0;
    await host.links.execute([{ do: 'add-address', link, address: WEB.address }]);
    const virtual = { at: WEB, scheduler: 'rr', schedulerFlags: 0, persistence: undefined };
    await host.ipvs.execute([
      { do: 'add-virtual', virtual },
      { do: 'add-real', at: WEB, real: { ...ENDPOINT, weight: 1 } },
    ]);
  }
}

const dataplane = (host: Host) => new IpvsDataplane({ family: 'IPv4', host });
const serves = async (host: Host) => [
  await host.ipvs.has(WEB),
  (await host.ipvs.realServers(WEB).catch(() => [])).length,
  (await host.links.addresses()).some(({ address }) => address === WEB.address),
];

describe('kube-proxy in ipvs mode', () => {
  test('is kept by cleanup, and removed on request', async () => {
    const host = fakeHost('IPv4');
    await startKubeProxy(host);
    expect(await dataplane(host).leftovers('backend')).toEqual([]);
    expect(await dataplane(host).remove(false, 'backend')).toEqual({ staying: 0, removed: [] });
    expect(await serves(host)).toEqual([true, 1, true]);
    const expected = await dataplane(host).leftovers('kube-proxy');
    expect((await dataplane(host).remove(false, 'kube-proxy')).removed).toEqual(expected);
    expect(await serves(host)).toEqual([false, 0, false]);
    expect([await host.sets.names(), await host.links.find('kube-ipvs0')]).toEqual([[], undefined]);
  });

  test('continues to serve after it is back, and only foreign objects are removed', async () => {
    const host = fakeHost('IPv4');
    await install(dataplane(host), STATE);
    await startKubeProxy(host);
    const { removed } = await dataplane(host).remove(false, 'backend');
    expect(new Set(removed.map(({ kind }) => kind))).toEqual(new Set(['chain', 'rule', 'set']));
    expect(JSON.stringify(removed)).toContain('KUBE-IPVS-SERVICES');
    expect(await serves(host)).toEqual([true, 1, true]);
    expect(await host.sets.names()).toEqual([SET.name]);
    expect(await host.tools.save()).not.toContain('KUBE-IPVS');
    expect(await host.tools.save()).toContain('--match-set KUBE-CLUSTER-IP');
    expect((await dataplane(host).remove(false, 'backend')).removed).toEqual([]);
  });
});

test('a dry run lists what the cleanup removes, and nothing of kube-proxy', async () => {
  const host = fakeHost('IPv4');
  await install(dataplane(host), STATE);
  expect(await dataplane(host).leftovers('kube-proxy')).toEqual([]);
  expect((await dataplane(host).remove(false, 'kube-proxy')).removed).toEqual([]);
  expect(await serves(host)).toEqual([true, 1, true]);
  const expected = await dataplane(host).leftovers('backend');
  expect(await serves(host)).toEqual([true, 1, true]);
  expect((await dataplane(host).remove(false, 'backend')).removed).toEqual(expected);
  expect(expected.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['virtual server', 'address', 'interface']));
  expect(await serves(host)).toEqual([false, 0, false]);
});

test('draining objects are recognized as own after the rules were deleted', async () => {
  const host = fakeHost('IPv4');
  await install(dataplane(host), STATE);
  host.ipvs.connect(WEB, ENDPOINT, 1);
  expect(await dataplane(host).remove(true, 'backend')).toMatchObject({ staying: 1 });
  expect(await dataplane(host).remove(true, 'kube-proxy')).toEqual({ staying: 0, removed: [] });
  host.ipvs.connect(WEB, ENDPOINT, 0);
  expect(await dataplane(host).remove(true, 'backend')).toMatchObject({ staying: 0 });
  expect(await serves(host)).toEqual([false, 0, false]);
});
