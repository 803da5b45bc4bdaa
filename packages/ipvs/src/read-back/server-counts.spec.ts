import { describe, expect, test } from '@jest/globals';
import { COUNT_CONNECTIONS_ANNOTATION, diffStates } from '@kube-proxier/core';
import { ClusterSketch, EXAMPLE_SERVICE, type ServiceSketch, sketchAddresses } from '@kube-proxier/core/testing';
import type { VirtualServerAddress } from '@kube-proxier/linux';
import { IpvsDataplane } from '../dataplane.js';
import { fakeHost, install } from '../testing/contents.js';

const COUNTED = { [COUNT_CONNECTIONS_ANNOTATION]: 'true' };
const SERVICE: ServiceSketch = { ...EXAMPLE_SERVICE, kind: 'LoadBalancer', annotations: COUNTED };
const pod = (number: number) => ({ address: sketchAddresses.pod('IPv4', number), port: 8080 });
const at = (address: string, port = 80): VirtualServerAddress => ({
  ...{ kind: 'address', family: 'IPv4', protocol: 'TCP' },
  ...{ address, port },
});
const CLUSTER_IP = at(sketchAddresses.cluster('IPv4', 1));
const VIP = at(sketchAddresses.vip('IPv4', 1));

async function start(options: { countConnections?: boolean } = {}) {
  const node = sketchAddresses.node('IPv4');
  const host = fakeHost('IPv4', [node]);
  const dataplane = new IpvsDataplane({ family: 'IPv4', host, ...options });
  const cluster = new ClusterSketch('IPv4', { localhostNodePorts: false });
  const sync = async () => {
    const { state, changes } = cluster.next();
    const transaction = dataplane.plan(state, changes);
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
    return state;
  };
  const begin = async (...sketches: readonly ServiceSketch[]) => {
    for (const sketch of sketches) {
      cluster.set(sketch);
    }
    const { state } = cluster.next();
    await install(dataplane, state);
    return state;
  };
  const counts = async (reader = dataplane) =>
    (await reader.connections()).map(({ service, endpoint = '', connections, packets, bytes }) => [
      ...[service, endpoint, connections],
      ...[packets?.toEndpoints, bytes?.toClients],
    ]);
  return { host, dataplane, cluster, sync, begin, counts };
}

describe('what IPVS counts', () => {
  test('all virtual servers of a service port count, by endpoint and in all', async () => {
    const { host, begin, counts } = await start();
    await begin(SERVICE);
    host.ipvs.count(CLUSTER_IP, pod(1), 3);
    host.ipvs.count(VIP, pod(1), 4);
    host.ipvs.count(VIP, pod(2), 5);
    expect(await counts()).toEqual([
      ['ns/svc1:p', '', 12, 120, 12_000],
      ['ns/svc1:p', '10.244.0.1:8080', 7, 70, 7000],
      ['ns/svc1:p', '10.244.0.2:8080', 5, 50, 5000],
    ]);
  });

  test('the setting of the Service overrides the global one', async () => {
    const none = await start();
    await none.begin({ ...SERVICE, annotations: {} });
    expect(await none.counts()).toEqual([]);
    const all = await start({ countConnections: true });
    const uncounted = { [COUNT_CONNECTIONS_ANNOTATION]: 'false' };
    await all.begin(
      { ...SERVICE, annotations: {} },
      { ...SERVICE, name: 'ns/svc2', number: 2, annotations: uncounted },
    );
    expect(new Set((await all.counts()).map(([service]) => service))).toEqual(new Set(['ns/svc1:p']));
  });

  test('a total continues when an endpoint is removed and returns, and is deleted with the Service', async () => {
    const { host, begin, cluster, counts, sync } = await start();
    await begin(SERVICE);
    host.ipvs.count(CLUSTER_IP, pod(1), 3);
    host.ipvs.count(CLUSTER_IP, pod(2), 2);
    expect((await counts())[0]?.[2]).toBe(5);
    cluster.set({ ...SERVICE, endpoints: [{ number: 1, node: 'node1' }] });
    await sync();
    await host.ipvs.execute([{ do: 'delete-real', at: CLUSTER_IP, ...pod(2) }]);
    expect((await counts())[0]?.[2]).toBe(5);
    cluster.set(SERVICE);
    await sync();
    host.ipvs.count(CLUSTER_IP, pod(2), 1);
    expect((await counts()).map(([, endpoint, connections]) => [endpoint, connections])).toEqual(
      expect.arrayContaining([
        ['', 6],
        ['10.244.0.1:8080', 3],
        // It was draining in other virtual servers in the meantime, so it was never removed.
        ['10.244.0.2:8080', 3],
      ]),
    );
    cluster.remove(SERVICE.name);
    await sync();
    expect(await counts()).toEqual([]);
  });

  test('after a restart, counts start from the kernel counters', async () => {
    const { host, begin, counts } = await start();
    const state = await begin(SERVICE);
    host.ipvs.count(VIP, pod(2), 8);
    const restarted = new IpvsDataplane({ family: 'IPv4', host });
    restarted.plan(state, diffStates(undefined, state), await restarted.readBack());
    expect((await counts(restarted))[0]?.[2]).toBe(8);
  });

  test('a sync during a reading neither fails it nor is delayed', async () => {
    const { host, begin, cluster, counts, sync } = await start();
    await begin(SERVICE, { ...SERVICE, name: 'ns/svc2', number: 2 });
    host.ipvs.count(CLUSTER_IP, pod(1), 3);
    const reading = counts();
    cluster.remove('ns/svc2');
    await sync();
    expect((await reading).find(([service, endpoint]) => service === 'ns/svc1:p' && endpoint === '')?.[2]).toBe(3);
    expect((await counts()).map(([service]) => service)).not.toContain('ns/svc2:p');
  });
});
