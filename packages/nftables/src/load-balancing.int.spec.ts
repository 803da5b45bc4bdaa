import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { diffStates, ENDPOINT_WEIGHTS_ANNOTATION, type IPFamily } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { createNft } from '@kube-proxier/linux';
import { PacketFlowFixture } from '@kube-proxier/network-sandbox';
import { NftablesDataplane } from './dataplane.js';
import { ANNOTATIONS } from './plan/service-options.js';

const FRONTENDS = ['clusterIP', 'externalIP', 'loadBalancerIP', 'nodePort'] as const;

describe.each(casesOf<IPFamily>(['IPv4'], ['IPv6']))('how real connections are spread, %s', (family) => {
  let fixture: PacketFlowFixture;

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      dataplane: (_node, runner) => new NftablesDataplane({ family, nft: createNft({ runner }) }),
    });
  });

  afterAll(async () => {
    await fixture?.close();
  });

  async function serve(
    annotations: Readonly<Record<string, string>>,
    endpoints: Parameters<typeof fixture.stateOf>[1],
  ) {
    const service = fixture.serviceOf('TCP');
    return await fixture.install(
      fixture.stateOf({ ...service, metadata: { ...service.metadata, annotations } }, endpoints, 'TCP'),
    );
  }

  async function answers(frontend: (typeof FRONTENDS)[number], count: number, source?: string) {
    const [to, port] = fixture.target(frontend);
    const { answeredBy } = await fixture.sandbox.client.connectMany(
      { to, port, ...(source === undefined ? {} : { from: source }) },
      count,
    );
    return answeredBy;
  }

  test('Maglev: a client has one endpoint on every frontend, and keeps it when other endpoints are removed', async () => {
    const maglev = { [ANNOTATIONS.loadBalancing]: 'maglev' };
    const all = [fixture.local(1), fixture.local(2), fixture.remote(1), fixture.remote(2)];
    await serve(maglev, all);
    const chosen = new Set<string>();
    for (const frontend of FRONTENDS) {
      for (const name of Object.keys(await answers(frontend, 15))) {
        chosen.add(name);
      }
    }
    expect(chosen.size).toBe(1);
    const [name = ''] = chosen;
    const { sandbox } = fixture;
    const own = sandbox.hosts.find((host) => host.name === name)?.address(family);
    const other = all.find(({ address }) => address !== own);
    await serve(
      maglev,
      all.filter((one) => one !== other),
    );
    expect(Object.keys(await answers('loadBalancerIP', 15))).toEqual([name]);
    await serve(
      maglev,
      all.filter(({ address }) => address !== own),
    );
    const [next, ...more] = Object.keys(await answers('loadBalancerIP', 15));
    expect(more).toEqual([]);
    expect(next).not.toBe(name);
  });

  test('Maglev: clients are spread over endpoints', async () => {
    const all = [fixture.local(1), fixture.local(2), fixture.local(3), fixture.remote(1), fixture.remote(2)];
    await serve({ [ANNOTATIONS.loadBalancing]: 'maglev' }, all);
    const { sandbox } = fixture;
    const clients = [sandbox.client, sandbox.node, ...sandbox.pods];
    const chosen = await Promise.all(
      clients.map(async (host) => {
        const [to, port] = fixture.target('clusterIP');
        return Object.keys((await host.connectMany({ to, port }, 5)).answeredBy);
      }),
    );
    expect(chosen.every((names) => names.length === 1)).toBe(true);
    expect(new Set(chosen.flat()).size).toBeGreaterThan(1);
  });

  test('weights: nine to one', async () => {
    const [heavy, light] = [fixture.local(1), fixture.remote(1)];
    await serve({ [ENDPOINT_WEIGHTS_ANNOTATION]: `${heavy.address}=90,${light.address}=10` }, [heavy, light]);
    const counts = await answers('clusterIP', 300);
    // Binomial: 270 with a standard deviation of 5.2.
    expect(counts.pod1).toBeGreaterThan(230);
    expect(counts.pod1).toBeLessThan(300);
  });

  test('weights that leave nearly half of the drawn numbers without a slot: the first endpoint does not get the remainder', async () => {
    const [first, second] = [fixture.local(1), fixture.remote(1)];
    await serve({ [ENDPOINT_WEIGHTS_ANNOTATION]: `${first.address}=8,${second.address}=9` }, [first, second]);
    const counts = await answers('clusterIP', 600);
    // Binomial: 282 with a standard deviation of 12.2, so 5.7 of them, or once in 10⁸. With a single draw of 32 numbers, it would be 432.
    expect(Math.abs((counts.pod1 ?? 0) - 282)).toBeLessThan(70);
  });

  test('connections are counted, for each frontend, also after a restart', async () => {
    const counted = { [ANNOTATIONS.countConnections]: 'true' };
    const state = await serve(counted, [fixture.local(1), fixture.remote(1)]);
    const connections = async () => {
      const found = await (fixture.dataplane as NftablesDataplane).connections();
      return found
        .filter(({ endpoint }) => endpoint === undefined)
        .map(({ service, protocol, connections }) => [service, protocol, connections]);
    };
    const [[service, protocol, before] = []] = await connections();
    expect([service, protocol, before]).toEqual([expect.any(String), 'TCP', 0]);
    for (const frontend of FRONTENDS) {
      await answers(frontend, 5);
    }
    const [to, port] = fixture.target('clusterIP');
    await fixture.sandbox.node.connectMany({ to, port }, 3);
    expect(await connections()).toEqual([[service, 'TCP', 23]]);
    const restarted = new NftablesDataplane({ family, nft: createNft({ runner: fixture.runner }) });
    expect(restarted.plan(state, diffStates(undefined, state), await restarted.readBack())).toBeUndefined();
    await serve(counted, [fixture.local(1)]);
    await answers('clusterIP', 2);
    expect(await connections()).toEqual([[service, 'TCP', 25]]);
    await serve({}, [fixture.local(1)]);
    expect(await connections()).toEqual([]);
  });
});
