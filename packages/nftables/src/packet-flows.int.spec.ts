import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createNft } from '@kube-proxier/linux';
import {
  NODE_PORT,
  PacketFlowWorld,
  type PolicyRow,
  SANDBOX_NETWORK,
  type SandboxHost,
  verifyFlow,
} from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './nftables-dataplane.js';

const TABLE = new URL('../../core/test-data/policy-flows.json', import.meta.url);
/** By default the rows with a detector and without masqueradeAll; `KUBE_PROXIER_FLOWS=all` tries them all. */
const rows = (JSON.parse(readFileSync(TABLE, 'utf8')) as { rows: readonly PolicyRow[] }).rows.filter(
  ({ id }) => process.env.KUBE_PROXIER_FLOWS === 'all' || !id.includes('/'),
);

describe.each(['IPv4', 'IPv6'] as const)('real packets through nftables, %s', (family) => {
  const six = family === 'IPv6';
  let world: PacketFlowWorld;

  beforeAll(async () => {
    world = await PacketFlowWorld.create({
      family,
      dataplane: (_node, runner) => new NftablesDataplane({ family, nft: createNft({ runner }) }),
    });
  });

  afterAll(async () => {
    await world?.close();
  });

  /** Addresses of who answered, over several frontends. */
  async function answers(from: SandboxHost, frontends: readonly PolicyRow['to'][number][], tries = 12) {
    const found = new Set<string>();
    for (const frontend of frontends) {
      const [to, port] = world.target(frontend);
      const { answeredBy } = await from.connectMany({ to, port }, tries);
      for (const name of Object.keys(answeredBy)) {
        found.add(name);
      }
    }
    return [...found];
  }

  const hostOf = (address: string) => world.sandbox.hosts.find(({ addresses }) => addresses.includes(address))?.name;

  test.each(rows.map((row, index) => [row.id, index % 2 ? 'UDP' : 'TCP', row] as const))(
    '%s, %s',
    async (_id, protocol, row) => {
      expect(await world.verifyRow(row, protocol)).toEqual([]);
    },
  );

  test('source ranges let in whom they name, and drop others, with and without endpoints', async () => {
    const ranges = six
      ? ['2001:db8:203::/64', '2001:db8:203::2/128']
      : ['203.0.113.0/25', '203.0.113.2/32', '203.0.113.0/26'];
    const sources = six ? ['2001:db8:203::2', '2001:db8:203:80::2'] : ['203.0.113.2', '203.0.113.130'];
    for (const endpoints of [[world.local(1), world.remote(1)], []]) {
      const state = await world.install(
        world.stateOf(world.serviceOf('TCP', { loadBalancerSourceRanges: ranges }), endpoints, 'TCP'),
      );
      for (const source of sources) {
        for (const to of ['loadBalancerIP', 'externalIP', 'nodePort'] as const) {
          expect(await world.verify(state, world.sandbox.client, to, 'TCP', source)).toBeUndefined();
        }
      }
    }
  });

  test('a port that the Service does not have is refused on its cluster IP; an address nobody has is dropped', async () => {
    const { sandbox, address } = world;
    const state = await world.install(
      world.stateOf(world.serviceOf('TCP'), [world.local(1)], 'TCP', {
        serviceCIDRs: [six ? 'fd00:10:96::/112' : '10.96.0.0/16'],
      }),
    );
    const nobody = six ? 'fd00:10:96::ff' : '10.96.0.255';
    for (const from of [sandbox.pod(3), sandbox.node, sandbox.client]) {
      for (const [to, port, protocol] of [
        [address.clusterIP, 81, 'TCP'],
        [address.clusterIP, 80, 'UDP'],
        [nobody, 80, 'TCP'],
        [nobody, 80, 'UDP'],
      ] as const) {
        expect(await verifyFlow(sandbox, state, { from, to, port, protocol })).toBeUndefined();
      }
      if (from !== sandbox.node) {
        expect((await from.connect({ to: address.clusterIP, port: 81 })).kind).toBe('refused');
        expect((await from.connect({ to: nobody, port: 80, timeout: 350 })).kind).toBe('timeout');
      }
    }
  });

  test('NodePorts answer on the addresses that are asked for, and on no others', async () => {
    const { sandbox } = world;
    const [first = '', second = ''] = sandbox.node.addresses.filter((text) => text.includes(':') === six);
    for (const cidrs of [[`${second}/${six ? 128 : 32}`], [`${first}/${six ? 128 : 32}`]]) {
      const state = await world.install(
        world.stateOf(world.serviceOf('TCP'), [world.local(1), world.remote(1)], 'TCP', {
          nodePortAddresses: { kind: 'cidrs', cidrs },
          localhostNodePorts: false,
        }),
      );
      for (const to of [first, second]) {
        expect(
          await verifyFlow(sandbox, state, { from: sandbox.client, to, port: NODE_PORT, protocol: 'TCP' }),
        ).toBeUndefined();
        const { kind } = await sandbox.client.connect({ to, port: NODE_PORT });
        expect([to, kind]).toEqual([to, cidrs[0]?.startsWith(`${to}/`) ? 'answered' : 'refused']);
      }
    }
  });

  test('pods can be told by the interface that they come in by', async () => {
    const { sandbox } = world;
    for (const localTrafficDetection of [
      { kind: 'interface-prefix', prefix: 'veth-' },
      { kind: 'interface', name: 'veth-pod1' },
    ] as const) {
      const state = await world.install(
        world.stateOf(world.serviceOf('TCP'), [world.remote(1)], 'TCP', { localTrafficDetection }),
      );
      expect(state.node.detector).toEqual(localTrafficDetection);
      const seen = async (from: SandboxHost) => {
        const [to, port] = world.target('clusterIP');
        const outcome = await from.connect({ to, port });
        return outcome.kind === 'answered' ? outcome.sourceSeen : outcome.kind;
      };
      expect(await seen(sandbox.pod(1))).toBe(sandbox.pod(1).address(family));
      const third = localTrafficDetection.kind === 'interface' ? sandbox.node : sandbox.pod(3);
      expect(await seen(sandbox.pod(3))).toBe(third.address(family));
      expect(sandbox.node.addresses).toContain(await seen(sandbox.client));
    }
  });

  describe('session affinity', () => {
    const everywhere = ['clusterIP', 'nodePort', 'externalIP', 'loadBalancerIP'] as const;

    test('keeps a client with its endpoint over all frontends, while others come and go, until that is gone', async () => {
      const service = world.serviceOf('TCP', { sessionAffinity: 'ClientIP' });
      const all = [world.local(1), world.local(2), world.remote(1), world.remote(2)];
      await world.install(world.stateOf(service, all, 'TCP'));
      const first = await answers(world.sandbox.client, everywhere);
      expect(first).toHaveLength(1);
      const its = all.find(({ address }) => hostOf(address) === first[0])!;
      for (const endpoints of [[its], [...all, world.local(3)], all.slice(0, 2).concat(its), all]) {
        await world.install(world.stateOf(service, [...new Set(endpoints)], 'TCP'));
        expect(await answers(world.sandbox.client, everywhere, 4)).toEqual(first);
      }
      const left = all.filter((endpoint) => endpoint !== its);
      await world.install(world.stateOf(service, left, 'TCP'));
      const second = await answers(world.sandbox.client, everywhere);
      expect(second).toHaveLength(1);
      expect(second).not.toEqual(first);
      await world.install(world.stateOf(service, all, 'TCP'));
      expect(await answers(world.sandbox.client, everywhere)).toEqual(second);
    });

    test('clients are spread over all endpoints', async () => {
      const service = world.serviceOf('TCP', { sessionAffinity: 'ClientIP' });
      const endpoints = [world.remote(1), world.remote(2)];
      const found = new Set<string>();
      // Each time forgotten, so each time as another client; with two endpoints, 20 times the same is one in 500,000.
      for (let round = 0; round < 20 && found.size < 2; round++) {
        await world.install(world.stateOf(service, [], 'TCP'));
        await world.install(world.stateOf(service, endpoints, 'TCP'));
        for (const name of await answers(world.sandbox.client, ['clusterIP'], 2)) {
          found.add(name);
        }
      }
      expect(found.size).toBe(2);
    });

    test('never leads out of the list that a policy allows', async () => {
      const service = world.serviceOf('TCP', { sessionAffinity: 'ClientIP', externalTrafficPolicy: 'Local' });
      for (let round = 0; round < 5; round++) {
        await world.install(world.stateOf(service, [], 'TCP'));
        const state = await world.install(
          world.stateOf(service, [world.local(1), world.local(2), world.remote(1), world.remote(2)], 'TCP'),
        );
        expect(await answers(world.sandbox.client, ['clusterIP'], 3)).toHaveLength(1);
        const local = await answers(world.sandbox.client, ['nodePort', 'externalIP', 'loadBalancerIP'], 6);
        expect(local).toHaveLength(1);
        expect(['pod1', 'pod2']).toContain(local[0]);
        const [to, port] = world.target('nodePort');
        const outcome = await world.sandbox.client.connect({ to, port });
        expect(outcome).toMatchObject({ sourceSeen: world.sandbox.client.address(family) });
        expect(state.frontends.size).toBe(4);
      }
    });

    test('leaves the packet mark as others set it', async () => {
      const service = world.serviceOf('TCP', { sessionAffinity: 'ClientIP' });
      await world.install(world.stateOf(service, [world.remote(1), world.remote(2)], 'TCP'));
      const nft = (script: string) => world.runner.run({ command: 'nft', args: ['-f', '-'], stdin: script });
      await nft(`table inet others {
        chain early { type filter hook prerouting priority -150; meta mark set 0x00abc000; }
        chain late { type filter hook postrouting priority 150; ct state new meta mark 0x00ab8000 counter; ct state new meta mark 0x00abc000 counter; }
      }`);
      try {
        expect(await answers(world.sandbox.pod(3), ['clusterIP', 'nodePort'], 3)).toHaveLength(1);
        const { stdout } = await world.runner.run({ command: 'nft', args: ['list', 'table', 'inet', 'others'] });
        const counts = [...stdout.matchAll(/meta mark 0x00(ab8|abc)000 counter packets (\d+)/g)].map((found) => [
          found[1],
          Number(found[2]) > 0,
        ]);
        // Bit 14 is ours, and cleared when the packet is masqueraded; here it was set by others, so all of them are.
        expect(counts).toEqual([
          ['ab8', true],
          ['abc', false],
        ]);
      } finally {
        await nft('delete table inet others');
      }
    });
  });

  test('a change of endpoints cuts no connection that is open, nor does removing the Service', async () => {
    await world.install(world.stateOf(world.serviceOf('TCP'), [world.local(1)], 'TCP'));
    const connection = await world.sandbox.client.open({ to: world.sandbox.node.address(family), port: NODE_PORT });
    await world.install(world.stateOf(world.serviceOf('TCP'), [world.local(2), world.remote(1)], 'TCP'));
    expect(await connection.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    await world.install(world.stateOf(world.serviceOf('TCP'), [], 'TCP'));
    expect(await connection.send('even now')).toEqual({ kind: 'echoed', text: 'even now' });
    await connection.close();
  });

  test('a client that never stops notices nothing of endpoints that come and go, and of a restart', async () => {
    const { sandbox } = world;
    const all = [world.local(1), world.local(2), world.remote(1), world.remote(2)];
    await world.install(world.stateOf(world.serviceOf('TCP'), all, 'TCP'));
    const [to, port] = world.target('nodePort');
    const client = await sandbox.client.startClient({ to, port });
    for (let round = 0; round < 40; round++) {
      // One to four of them, other ones each time.
      const left = all.filter((_endpoint, index) => (((round * 7 + 1) % 15) >> index) % 2 === 1);
      await world.install(world.stateOf(world.serviceOf('TCP'), left.length > 0 ? left : all, 'TCP'));
      if (round % 10 === 9) {
        await world.restart();
      }
    }
    await client.moreAttempts(100);
    const progress = await client.stop();
    expect(progress.attempts).toBeGreaterThan(100);
    expect({ ...progress, attempts: 0, answeredBy: {}, sourcesSeen: {} }).toEqual({
      attempts: 0,
      answeredBy: {},
      sourcesSeen: {},
      refused: 0,
      timeout: 0,
      unreachable: 0,
      reset: 0,
    });
  });

  test('an endpoint reaches itself through its Service, masqueraded', async () => {
    const state = await world.install(world.stateOf(world.serviceOf('TCP'), [world.local(1)], 'TCP'));
    for (const to of ['clusterIP', 'nodePort', 'externalIP', 'loadBalancerIP'] as const) {
      expect(await world.verify(state, world.sandbox.pod(1), to, 'TCP')).toBeUndefined();
    }
    expect(SANDBOX_NETWORK.nodeName).toBe(state.node.name);
  });
});
