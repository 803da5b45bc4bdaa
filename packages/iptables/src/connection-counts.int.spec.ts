import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { COUNT_CONNECTIONS_ANNOTATION, diffStates, type IPFamily, type ServiceCounts } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { createIptables, type Iptables, type IptablesVariant } from '@kube-proxier/linux';
import { PacketFlowFixture } from '@kube-proxier/network-sandbox';
import { IptablesDataplane } from './dataplane.js';

const COUNTED = { [COUNT_CONNECTIONS_ANNOTATION]: 'true' };

interface Subject {
  readonly variant: IptablesVariant;
  readonly family: IPFamily;
}

const subjects = casesOf<Subject>(
  [
    { variant: 'nft', family: 'IPv4' },
    { variant: 'legacy', family: 'IPv6' },
  ],
  [
    { variant: 'legacy', family: 'IPv4' },
    { variant: 'nft', family: 'IPv6' },
  ],
);

describe.each(subjects)('connections counted by rules, $variant $family', ({ variant, family }) => {
  let fixture: PacketFlowFixture;
  let readings = 0;

  const dataplaneOf = (iptables: Iptables) => {
    const counted = iptables.counted.bind(iptables);
    iptables.counted = (...request) => {
      readings += 1;
      return counted(...request);
    };
    return new IptablesDataplane({ family, iptables: async () => iptables });
  };

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      dataplane: (_node, runner) => dataplaneOf(createIptables({ family, variant, runner })),
    });
  });

  afterAll(async () => {
    await fixture?.close();
  });

  const stateOf = (
    annotations: Readonly<Record<string, string>>,
    endpoints: Parameters<typeof fixture.stateOf>[1],
    spec: Parameters<typeof fixture.serviceOf>[1] = {},
    protocol: 'TCP' | 'UDP' = 'TCP',
  ) => {
    const service = fixture.serviceOf(protocol, spec);
    return fixture.stateOf({ ...service, metadata: { ...service.metadata, annotations } }, endpoints, protocol);
  };

  async function connect(count: number, frontend: 'clusterIP' | 'nodePort' | 'loadBalancerIP' = 'clusterIP') {
    const [to, port] = fixture.target(frontend);
    const { answeredBy } = await fixture.sandbox.client.connectMany({ to, port }, count);
    expect(Object.values(answeredBy).reduce((sum, one) => sum + one, 0)).toBe(count);
    return answeredBy;
  }

  const read = (): Promise<readonly ServiceCounts[]> => (fixture.dataplane as IptablesDataplane).connections();
  const total = async () => (await read()).find(({ endpoint }) => endpoint === undefined)?.connections;
  /** Connections by the name of the pod. */
  const byPod = async () => {
    const names = new Map<string | undefined, string>(
      [...fixture.sandbox.pods, ...fixture.sandbox.remotePods].map((host) => [host.address(family), host.name]),
    );
    return Object.fromEntries(
      (await read()).flatMap(({ endpoint, connections = 0 }): [string, number][] => {
        const address = endpoint?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
        return address === undefined ? [] : [[names.get(address) ?? '', connections]];
      }),
    );
  };

  test('each connection once, by service port and by endpoint, also through a change of endpoints', async () => {
    await fixture.install(stateOf(COUNTED, [fixture.local(1), fixture.remote(1)]));
    expect(await total()).toBe(0);
    const first = await connect(12);
    await connect(5, 'nodePort');
    await connect(3, 'loadBalancerIP');
    expect(await total()).toBe(20);
    expect(Object.values(await byPod()).reduce((sum, one) => sum + one, 0)).toBe(20);
    // Without a read in between: the rewritten rules count from 0.
    const second = await connect(7);
    await fixture.install(stateOf(COUNTED, [fixture.local(1)]));
    await connect(4);
    expect(await total()).toBe(31);
    const before = (first.pod1 ?? 0) + (second.pod1 ?? 0);
    // The removed endpoint has no separate count any more.
    expect(Object.keys(await byPod())).toEqual(['pod1']);
    expect((await byPod()).pod1).toBeGreaterThanOrEqual(before + 4);
    // More of them than before the change, then fewer.
    await connect(2);
    expect(await total()).toBe(33);
  });

  test('with session affinity', async () => {
    const affine = { sessionAffinity: 'ClientIP' } as const;
    await fixture.install(stateOf(COUNTED, [fixture.local(1), fixture.local(2)], affine));
    const before = (await total()) ?? 0;
    const answers = await connect(6);
    expect(Object.keys(answers)).toHaveLength(1);
    expect(await total()).toBe(before + 6);
    await fixture.install(stateOf(COUNTED, [fixture.local(1), fixture.local(2), fixture.local(3)], affine));
    await connect(2);
    expect(await total()).toBe(before + 8);
  });

  test('after a restart, counts start from the counters of the rules', async () => {
    const state = await fixture.install(stateOf(COUNTED, [fixture.local(1)]));
    await fixture.install(stateOf(COUNTED, [fixture.local(1), fixture.local(2)]));
    await fixture.install(state);
    await connect(9);
    const restarted = dataplaneOf(createIptables({ family, variant, runner: fixture.runner }));
    expect(restarted.plan(state, diffStates(undefined, state), await restarted.readBack())).toBeUndefined();
    const counts = await restarted.connections();
    expect(counts.map(({ endpoint, connections }) => [endpoint !== undefined, connections])).toEqual([
      [false, 9],
      [true, 9],
    ]);
    restarted.close();
  });

  test('a read during a change counts nothing twice', async () => {
    const states = [stateOf(COUNTED, [fixture.local(1)]), stateOf(COUNTED, [fixture.local(1), fixture.local(2)])];
    await fixture.install(states[0] ?? stateOf({}, []));
    const before = (await total()) ?? 0;
    let made = 0;
    for (let round = 0; round < 12; round++) {
      await connect(3);
      made += 3;
      const reading = read();
      await fixture.install(states[(round + 1) % 2] ?? stateOf({}, []));
      await reading;
    }
    expect(await total()).toBe(before + made);
  });

  test('nothing is read if nothing is counted, and a series ends with its Service', async () => {
    await fixture.install(stateOf(COUNTED, [fixture.local(1)]));
    expect(await read()).toHaveLength(2);
    await fixture.install(stateOf({}, [fixture.local(1)]));
    readings = 0;
    expect(await read()).toEqual([]);
    await fixture.install(stateOf({}, [fixture.local(1), fixture.local(2)]));
    await connect(2);
    expect(await read()).toEqual([]);
    expect(readings).toBe(0);
  });
});
