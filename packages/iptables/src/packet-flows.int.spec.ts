import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createIptables, ProcSysctl } from '@kube-proxier/linux';
import { NODE_PORT, PacketFlowWorld, type PolicyRow, verifyFlow } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './iptables-dataplane.js';

const TABLE = new URL('../../core/test-data/policy-flows.json', import.meta.url);
/** By default the rows with a detector and without masqueradeAll; `KUBE_PROXIER_FLOWS=all` tries them all. */
const rows = (JSON.parse(readFileSync(TABLE, 'utf8')) as { rows: readonly PolicyRow[] }).rows.filter(
  ({ id }) => process.env.KUBE_PROXIER_FLOWS === 'all' || !id.includes('/'),
);

const subjects = (['nft', 'legacy'] as const).flatMap((variant) =>
  (['IPv4', 'IPv6'] as const).map((family) => ({ variant, family })),
);

describe.each(subjects)('real packets through iptables-$variant, $family', ({ variant, family }) => {
  const six = family === 'IPv6';
  let world: PacketFlowWorld;

  beforeAll(async () => {
    world = await PacketFlowWorld.create({
      family,
      dataplane: (node, runner) => {
        const iptables = createIptables({ family, variant, runner });
        return new IptablesDataplane({ family, iptables: async () => iptables, sysctl: new ProcSysctl(node.files) });
      },
    });
  });

  afterAll(async () => {
    await world?.close();
  });

  test.each(rows.map((row, index) => [row.id, index % 2 ? 'UDP' : 'TCP', row] as const))(
    '%s, %s',
    async (_id, protocol, row) => {
      expect(await world.verifyRow(row, protocol)).toEqual([]);
    },
  );

  test('source ranges let in whom they name, and drop others, with and without endpoints', async () => {
    const ranges = six ? ['2001:db8:203::/64'] : ['203.0.113.0/25'];
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

  test('a port that the Service does not have is refused on its cluster IP', async () => {
    const { sandbox, address } = world;
    const state = await world.install(world.stateOf(world.serviceOf('TCP'), [world.local(1)], 'TCP'));
    for (const from of [sandbox.pod(3), sandbox.node, sandbox.client]) {
      for (const [port, protocol] of [
        [81, 'TCP'],
        [80, 'UDP'],
      ] as const) {
        expect(await verifyFlow(sandbox, state, { from, to: address.clusterIP, port, protocol })).toBeUndefined();
        if (from !== sandbox.node) {
          expect((await from.connect({ to: address.clusterIP, port, protocol })).kind).toBe('refused');
        }
      }
    }
  });

  test('session affinity keeps a client with its endpoint, over all frontends, until that is gone', async () => {
    const service = world.serviceOf('TCP', { sessionAffinity: 'ClientIP' });
    const all = [world.local(1), world.local(2), world.remote(1), world.remote(2)];
    await world.install(world.stateOf(service, all, 'TCP'));
    const answers = async () => {
      const found = new Set<string>();
      for (const frontend of ['nodePort', 'externalIP'] as const) {
        const [to, port] = world.target(frontend);
        for (const name of Object.keys((await world.sandbox.client.connectMany({ to, port }, 15)).answeredBy)) {
          found.add(name);
        }
      }
      return [...found];
    };
    const first = await answers();
    expect(first).toHaveLength(1);
    const left = all.filter(
      ({ address }) => world.sandbox.hosts.find(({ addresses }) => addresses.includes(address))?.name !== first[0],
    );
    await world.install(world.stateOf(service, left, 'TCP'));
    const second = await answers();
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
  });

  test('a change of other endpoints cuts no connection that is open', async () => {
    await world.install(world.stateOf(world.serviceOf('TCP'), [world.local(1)], 'TCP'));
    const connection = await world.sandbox.client.open({ to: world.sandbox.node.address(family), port: NODE_PORT });
    await world.install(world.stateOf(world.serviceOf('TCP'), [world.local(2), world.remote(1)], 'TCP'));
    expect(await connection.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    await world.install(world.stateOf(world.serviceOf('TCP'), [], 'TCP'));
    expect(await connection.send('even now')).toEqual({ kind: 'echoed', text: 'even now' });
    await connection.close();
  });

  if (!six) {
    test('NodePorts answer on 127.0.0.1 when asked for, and not when not', async () => {
      const { sandbox } = world;
      const endpoints = [world.local(1), world.remote(1)];
      const on = await world.install(world.stateOf(world.serviceOf('TCP'), endpoints, 'TCP'));
      const flow = {
        from: sandbox.node,
        source: '127.0.0.1',
        to: '127.0.0.1',
        port: NODE_PORT,
        protocol: 'TCP',
      } as const;
      expect(await verifyFlow(sandbox, on, flow)).toBeUndefined();
      expect((await sandbox.node.connect({ to: '127.0.0.1', port: NODE_PORT })).kind).toBe('answered');
      await world.install(world.stateOf(world.serviceOf('TCP'), endpoints, 'TCP', { localhostNodePorts: false }));
      expect((await sandbox.node.connect({ to: '127.0.0.1', port: NODE_PORT })).kind).toBe('refused');
    });
  }
});
