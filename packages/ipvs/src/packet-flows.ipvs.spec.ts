import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { COUNT_CONNECTIONS_ANNOTATION, diffStates, type IPFamily, structurallyEqual } from '@kube-proxier/core';
import { casesOf, isThorough, until } from '@kube-proxier/core/testing';
import { answersOf, NODE_PORT, PacketFlowFixture, verifyFlow } from '@kube-proxier/network-sandbox';
import { IpvsDataplane } from './dataplane.js';
import { SCHEDULER_ANNOTATION } from './plan/scheduler-choice.js';
import { SCHEDULER_NAMES } from './plan/schedulers.js';
import { type NodeHost, nodeHost } from './testing/node-host.js';

// The conformance cases cover both families; a thorough run covers both here, too.
describe.each(casesOf<IPFamily>(['IPv6'], ['IPv4']))('real packets through IPVS, %s', (family) => {
  const six = family === 'IPv6';
  let fixture: PacketFlowFixture;
  let host: NodeHost | undefined;

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      dataplane: (node) => {
        host = nodeHost(node, family);
        return new IpvsDataplane({ family, host });
      },
    });
  });

  afterAll(async () => {
    await fixture?.close();
  });

  test('source ranges accept the listed sources and drop all others, with and without endpoints', async () => {
    const ranges = six
      ? ['2001:db8:203::/64', '2001:db8:203::2/128']
      : ['203.0.113.0/25', '203.0.113.2/32', '203.0.113.0/26'];
    const sources = six ? ['2001:db8:203::2', '2001:db8:203:80::2'] : ['203.0.113.2', '203.0.113.130'];
    for (const endpoints of [[fixture.local(1), fixture.remote(1)], []]) {
      const state = await fixture.install(
        fixture.stateOf(fixture.serviceOf('TCP', { loadBalancerSourceRanges: ranges }), endpoints, 'TCP'),
      );
      for (const source of sources) {
        for (const to of ['loadBalancerIP', 'externalIP', 'nodePort'] as const) {
          expect(await fixture.verify(state, fixture.sandbox.client, to, 'TCP', source)).toBeUndefined();
        }
      }
      // The node may only where one of its addresses is in a range.
      expect(await fixture.verify(state, fixture.sandbox.node, 'loadBalancerIP', 'TCP')).toBeUndefined();
    }
  });

  test('other ports of a cluster IP are rejected even if the node listens on them; packets to unassigned addresses are dropped', async () => {
    const { sandbox, address } = fixture;
    const state = await fixture.install(
      fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1)], 'TCP', {
        serviceCIDRs: [six ? 'fd00:10:96::/112' : '10.96.0.0/16'],
      }),
    );
    const server = await sandbox.node.serve({ port: 81 });
    const unassigned = six ? 'fd00:10:96::ff' : '10.96.0.255';
    try {
      for (const from of [sandbox.pod(3), sandbox.node, sandbox.client]) {
        for (const [to, port, protocol] of [
          [address.clusterIP, 81, 'TCP'],
          [address.clusterIP, 80, 'UDP'],
          [unassigned, 80, 'TCP'],
          [unassigned, 80, 'UDP'],
        ] as const) {
          expect(await verifyFlow(sandbox, state, { from, to, port, protocol })).toBeUndefined();
        }
        expect((await from.connect({ to: address.clusterIP, port: 81 })).kind).toBe('refused');
        // The simulator leaves these to the node's routes, which here lead to the node itself.
        expect((await from.connect({ to: address.externalIP, port: 81 })).kind).toBe('refused');
      }
    } finally {
      await server.close();
    }
  });

  if (isThorough) {
    test('a cluster IP that is an address of another interface is served', async () => {
      const { sandbox, address, runner } = fixture;
      const change = (what: string) =>
        runner.run({ command: 'ip', args: ['address', what, `${address.clusterIP}/${six ? 128 : 32}`, 'dev', 'lo'] });
      await change('add');
      try {
        const state = fixture.stateOf(fixture.serviceOf('TCP'), [fixture.remote(1)], 'TCP', {
          serviceCIDRs: [six ? 'fd00:10:96::/112' : '10.96.0.0/16'],
        });
        const localAddresses = [...(state.node.localAddresses ?? []), address.clusterIP];
        await fixture.install({ ...state, node: { ...state.node, localAddresses } });
        for (const from of [sandbox.pod(3), sandbox.node, sandbox.client]) {
          const { kind } = await from.connect({ to: address.clusterIP, port: 80, timeout: 2000 });
          expect([from.name, kind]).toEqual([from.name, 'answered']);
        }
      } finally {
        await change('delete');
        await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.remote(1)], 'TCP'));
      }
    });
  }

  test('a cluster IP answers ping from every source, with and without endpoints', async () => {
    const { sandbox, address } = fixture;
    for (const endpoints of [[fixture.remote(1)], []]) {
      await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), endpoints, 'TCP'));
      for (const from of [sandbox.pod(1), sandbox.node, sandbox.client]) {
        const { stdout } = await from.runner.run({ command: 'ping', args: ['-c1', '-W5', address.clusterIP] });
        expect(stdout).toContain('1 received');
      }
    }
  });

  test('connections, packets and bytes are counted, of every frontend, by service port and by endpoint', async () => {
    const service = fixture.serviceOf('TCP');
    const annotations = { [COUNT_CONNECTIONS_ANNOTATION]: 'true' };
    const counted = { ...service, metadata: { ...service.metadata, annotations } };
    await fixture.install(fixture.stateOf(counted, [fixture.local(1), fixture.remote(1)], 'TCP'));
    const read = () => (fixture.dataplane as IpvsDataplane).connections();
    const total = async () => (await read()).find(({ endpoint }) => endpoint === undefined);
    const before = (await total())?.connections ?? 0;
    for (const [frontend, count] of [
      ['clusterIP', 6],
      ['nodePort', 4],
      ['loadBalancerIP', 2],
    ] as const) {
      const [to, port] = fixture.target(frontend);
      await fixture.sandbox.client.connectMany({ to, port }, count);
    }
    // The kernel sums its statistics up every two seconds.
    await until(async () => (await total())?.connections === before + 12, '12 connections are counted');
    const found = await total();
    // A connection has a handshake, a request and its answer, and an end.
    expect(found?.packets?.toEndpoints).toBeGreaterThan(12 * 3);
    expect(found?.bytes?.toClients).toBeGreaterThan(12 * 100);
    const endpoints = (await read()).filter(({ endpoint }) => endpoint !== undefined);
    expect(endpoints).toHaveLength(2);
    expect(endpoints.reduce((sum, { connections = 0 }) => sum + connections, 0)).toBe(found?.connections);
  });

  test('IPVS drops packets from a loopback address to another host, so sockets serve NodePorts there', async () => {
    const { sandbox, runner } = fixture;
    const [loopback, address] = six ? ['::1', '[::1]'] : ['127.0.0.1', '127.0.0.1'];
    const server = `${address}:8181`;
    const run = (command: string, ...args: string[]) => runner.run({ command, args });
    const rules = six ? 'ip6tables' : 'iptables';
    const masquerade = ['-p', 'tcp', '-s', loopback, '-j', 'MASQUERADE'];
    const target = (host: string) => (six ? `[${host}]:8080` : `${host}:8080`);
    await run('ipvsadm', '-A', '-t', server, '-s', 'rr');
    // What routes and translates such packets in other modes.
    await run(rules, '-t', 'nat', '-I', 'POSTROUTING', ...masquerade);
    await run('sysctl', '-w', 'net.ipv4.conf.all.route_localnet=1');
    try {
      await run('ipvsadm', '-a', '-t', server, '-r', target(sandbox.remotePod(1).address(family)), '-m');
      const outcome = await sandbox.node.connect({ to: loopback, port: 8181, timeout: 2000 });
      expect(outcome.kind).not.toBe('answered');
    } finally {
      await run('ipvsadm', '-D', '-t', server);
      await run(rules, '-t', 'nat', '-D', 'POSTROUTING', ...masquerade);
      await run('sysctl', '-w', 'net.ipv4.conf.all.route_localnet=0');
    }
  });

  if (isThorough) {
    test('session affinity lasts for as long as IPVS remembers a closed connection of the client', async () => {
      const affinity = {
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } },
      } as const;
      await fixture.install(
        fixture.stateOf(fixture.serviceOf('TCP', affinity), [fixture.local(1), fixture.remote(1)], 'TCP'),
      );
      const [to, port] = fixture.target('clusterIP');
      expect((await fixture.sandbox.client.connect({ to, port })).kind).toBe('answered');
      const begin = performance.now();
      await until(() => performance.now() - begin > 3000, 'three times the timeout has passed', 10_000);
      const { stdout } = await fixture.runner.run({ command: 'ipvsadm', args: ['-Lnc'] });
      const own = stdout.split('\n').filter((line) => line.includes(to));
      // The record of the client has port 0: it stays for a minute more while its connection is remembered.
      const closed = expect.stringMatching(/\b(CLOSE|TIME_WAIT)\b/);
      expect(own).toEqual(expect.arrayContaining([expect.stringMatching(/ 00:[1-5]\d +\S+ +\S+:0 /), closed]));
    });
  }

  /** Two virtual servers that are not the backend's, on the address of the node, with the same endpoints. */
  const withTwoServers = async (
    options: readonly string[],
    endpoints: readonly string[],
    use: (to: string, ports: readonly [number, number]) => Promise<void>,
  ) => {
    const { runner, sandbox } = fixture;
    const run = (command: string, ...args: string[]) => runner.run({ command, args });
    const to = sandbox.node.address(family);
    const at = (address: string, port: number) => (six ? `[${address}]:${port}` : `${address}:${port}`);
    const ports = [8181, 8182] as const;
    try {
      for (const port of ports) {
        await run('ipvsadm', '-A', '-t', at(to, port), '-s', 'rr', ...options);
        for (const endpoint of endpoints) {
          await run('ipvsadm', '-a', '-t', at(to, port), '-r', at(endpoint, 8080), '-m');
        }
      }
      await use(to, ports);
    } finally {
      for (const port of ports) {
        await run('ipvsadm', '-D', '-t', at(to, port));
      }
    }
  };

  if (isThorough) {
    test('IPVS records clients by virtual server, so affinity is not shared between ports and addresses', async () => {
      const { sandbox } = fixture;
      const endpoints = [sandbox.pod(1).address(family), sandbox.pod(2).address(family)];
      await withTwoServers(['-p', '300'], endpoints, async (to, [one, other]) => {
        const endpointOf = async (from: typeof sandbox.client, port: number) => {
          const outcome = await from.connect({ to, port });
          return outcome.kind === 'answered' ? outcome.by : outcome.kind;
        };
        const first = await endpointOf(sandbox.client, one);
        // The turn at the other virtual server moves on by another client.
        await endpointOf(sandbox.pod(3), other);
        const second = await endpointOf(sandbox.client, other);
        expect(second).not.toBe(first);
        expect([await endpointOf(sandbox.client, one), await endpointOf(sandbox.client, other)]).toEqual([
          first,
          second,
        ]);
      });
    });
  }

  if (isThorough) {
    test('IPVS cannot distinguish replies of one endpoint to one client port: the older of two connections stalls', async () => {
      const { sandbox } = fixture;
      await withTwoServers([], [sandbox.pod(1).address(family)], async (to, [one, other]) => {
        const fromPort = 23_456;
        const open = await sandbox.client.open({ to, port: one, fromPort });
        try {
          expect(await open.send('before')).toEqual({ kind: 'echoed', text: 'before' });
          const second = await sandbox.client.connect({ to, port: other, fromPort, timeout: 2000 });
          const after = await open.send('after');
          // One of them is the victim: they are never both served.
          expect(second.kind === 'answered' && after.kind === 'echoed').toBe(false);
        } finally {
          await open.close('reset');
        }
      });
    });
  }

  test('NodePorts answer on the requested addresses only', async () => {
    const { sandbox } = fixture;
    const [first = '', second = ''] = sandbox.node.addresses.filter((text) => text.includes(':') === six);
    for (const cidrs of [[`${second}/${six ? 128 : 32}`], [`${first}/${six ? 128 : 32}`]]) {
      const state = await fixture.install(
        fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1), fixture.remote(1)], 'TCP', {
          nodePortAddresses: { kind: 'cidrs', cidrs },
          localhostNodePorts: false,
        }),
      );
      for (const to of [first, second]) {
        const flow = { from: sandbox.client, to, port: NODE_PORT, protocol: 'TCP' } as const;
        expect(await verifyFlow(sandbox, state, flow)).toBeUndefined();
        const { kind } = await sandbox.client.connect({ to, port: NODE_PORT });
        expect([to, kind]).toEqual([to, cidrs[0]?.startsWith(`${to}/`) ? 'answered' : 'refused']);
      }
    }
  });

  if (isThorough) {
    test('pods are identified by the interface of their packets', async () => {
      const { sandbox } = fixture;
      const localTrafficDetection = { kind: 'interface-prefix', prefix: 'veth-' } as const;
      for (const policy of ['Cluster', 'Local'] as const) {
        await fixture.install(
          fixture.stateOf(fixture.serviceOf('TCP', { externalTrafficPolicy: policy }), [fixture.remote(1)], 'TCP', {
            localTrafficDetection,
          }),
        );
        const [to, port] = fixture.target(policy === 'Cluster' ? 'clusterIP' : 'nodePort');
        expect(await sandbox.pod(1).connect({ to, port })).toMatchObject({
          by: 'remote-pod1',
          sourceSeen: sandbox.pod(1).address(family),
        });
        const outside = await sandbox.client.connect({ to, port, timeout: 500 });
        expect(outside.kind).toBe(policy === 'Cluster' ? 'answered' : 'timeout');
      }
    });
  }

  test('session affinity keeps a client on its endpoint, per frontend, until the endpoint is removed', async () => {
    const service = fixture.serviceOf('TCP', { sessionAffinity: 'ClientIP' });
    const endpoints = [fixture.local(1), fixture.local(2), fixture.remote(1), fixture.remote(2)];
    await fixture.install(fixture.stateOf(service, endpoints, 'TCP'));
    const [to, port] = fixture.target('nodePort');
    const answers = async () => Object.keys((await fixture.sandbox.client.connectMany({ to, port }, 12)).answeredBy);
    const first = await answers();
    expect(first).toHaveLength(1);
    const hostOf = (text: string) => fixture.sandbox.hosts.find(({ addresses }) => addresses.includes(text))?.name;
    const others = endpoints.filter(({ address }) => hostOf(address) !== first[0]);
    await fixture.install(fixture.stateOf(service, [...endpoints, fixture.local(3)], 'TCP'));
    expect(await answers()).toEqual(first);
    await fixture.install(fixture.stateOf(service, others, 'TCP'));
    const second = await answers();
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
  });

  test('a removed endpoint keeps its connection until that closes, and is deleted soon after', async () => {
    const { sandbox } = fixture;
    const [to, port] = fixture.target('nodePort');
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1)], 'TCP'));
    const connection = await sandbox.client.open({ to, port });
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(2), fixture.remote(1)], 'TCP'));
    expect(await connection.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    expect(Object.keys((await sandbox.client.connectMany({ to, port }, 12)).answeredBy).sort()).toEqual([
      'pod2',
      'remote-pod1',
    ]);
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [], 'TCP'));
    // A restart in between loses nothing: draining destinations are recognised in the kernel.
    await fixture.restart();
    expect(await connection.send('even now')).toEqual({ kind: 'echoed', text: 'even now' });
    const at = { kind: 'address', family, protocol: 'TCP', address: to, port } as const;
    const pod = sandbox.pod(1).address(family);
    const there = async () => (await host?.ipvs.realServers(at))?.find((real) => real.address === pod);
    expect(await there()).toMatchObject({ weight: 0, activeConnections: 1 });
    await connection.close('reset');
    // The kernel forgets a connection that was reset after ten seconds; then the next check no longer finds it.
    for (const deadline = Date.now() + 120_000; (await there()) !== undefined; ) {
      expect(Date.now()).toBeLessThan(deadline);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });

  test('a removed address of a Service keeps open connections and rejects new ones', async () => {
    const { sandbox } = fixture;
    const [to, port] = fixture.target('loadBalancerIP');
    const service = fixture.serviceOf('TCP');
    const withServiceCIDRs = { serviceCIDRs: [six ? 'fd00:10:96::/112' : '10.96.0.0/16'] };
    await fixture.install(fixture.stateOf(service, [fixture.local(1)], 'TCP', withServiceCIDRs));
    const server = await sandbox.node.serve({ port: 81 });
    const connection = await sandbox.client.open({ to, port });
    try {
      await fixture.install(fixture.stateOf({ ...service, status: {} }, [fixture.local(1)], 'TCP', withServiceCIDRs));
      expect(await connection.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
      for (const other of [port, 81]) {
        expect([other, (await sandbox.client.connect({ to, port: other })).kind]).toEqual([other, 'refused']);
      }
    } finally {
      await connection.close('reset');
      await server.close();
    }
  });

  test('a draining endpoint that is added again is used again', async () => {
    const { sandbox } = fixture;
    const [to, port] = fixture.target('clusterIP');
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1)], 'TCP'));
    const connection = await sandbox.pod(3).open({ to, port });
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(2)], 'TCP'));
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1)], 'TCP'));
    expect(Object.keys((await sandbox.pod(3).connectMany({ to, port }, 6)).answeredBy)).toEqual(['pod1']);
    expect(await connection.send('all along')).toEqual({ kind: 'echoed', text: 'all along' });
    await connection.close('reset');
  });

  if (!six) {
    const few = SCHEDULER_NAMES.filter((name) => ['wrr', 'mh', 'fo'].includes(name));
    const others = SCHEDULER_NAMES.filter((name) => !few.includes(name));
    test.each(casesOf(few, others))('scheduler %s, by annotation, carries traffic', async (scheduler) => {
      const [to, port] = fixture.target('clusterIP');
      const service = fixture.serviceOf('TCP');
      const annotations = { [SCHEDULER_ANNOTATION]: scheduler };
      await fixture.install(
        fixture.stateOf(
          { ...service, metadata: { ...service.metadata, annotations } },
          [fixture.local(1), fixture.remote(1)],
          'TCP',
        ),
      );
      const at = { kind: 'address', family, protocol: 'TCP', address: to, port } as const;
      const found = (await host?.ipvs.virtualServers())?.find(({ at: one }) => structurallyEqual(one, at));
      expect(found?.scheduler).toBe(scheduler);
      const tally = await fixture.sandbox.pod(3).connectMany({ to, port }, 20);
      expect(answersOf(tally)).toBe(20);
      const spreads = ['rr', 'wrr', 'lc', 'wlc', 'sed', 'nq'].includes(scheduler);
      expect(Object.keys(tally.answeredBy).length).toBeGreaterThanOrEqual(spreads ? 2 : 1);
    });
  }

  // These do not depend on the family, and take a while.
  if (!six) {
    test('a full sync repairs IPVS, the sets, the interface and the rules after each was deleted', async () => {
      const { sandbox, runner } = fixture;
      const state = await fixture.install(
        fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1), fixture.remote(1)], 'TCP'),
      );
      const harm = [
        ['ipvsadm', '-C'],
        ['ip', 'link', 'delete', 'kube-ipvs0'],
        ['ipset', 'flush'],
        [six ? 'ip6tables' : 'iptables', '-t', 'mangle', '-F'],
      ];
      for (const [command = '', ...args] of harm) {
        await runner.run({ command, args });
        await fixture.restart();
        for (const from of [sandbox.pod(3), sandbox.client]) {
          expect(await fixture.verify(state, from, 'clusterIP', 'TCP')).toBeUndefined();
        }
      }
      // A second full sync writes nothing.
      const installed = await fixture.dataplane.readBack();
      expect(fixture.dataplane.plan(state, diffStates(undefined, state), installed)).toBeUndefined();
    });

    test('foreign virtual servers are kept, also by cleanup', async () => {
      const { runner } = fixture;
      const foreign = six ? '[2001:db8:7::7]:7' : '192.0.2.7:7';
      await runner.run({ command: 'ipvsadm', args: ['-A', '-t', foreign, '-s', 'wlc'] });
      await fixture.restart();
      await fixture.dataplane.cleanup();
      const { stdout } = await runner.run({ command: 'ipvsadm', args: ['-Sn'] });
      expect(stdout.trim()).toBe(`-A -t ${foreign} -s wlc`);
      const sets = await runner.run({ command: 'ipset', args: ['list', '-n'] });
      expect(sets.stdout).toBe('');
      const rules = await runner.run({ command: six ? 'ip6tables-save' : 'iptables-save', args: [] });
      expect(rules.stdout).not.toContain('KUBE');
      await runner.run({ command: 'ipvsadm', args: ['-C'] });
      await fixture.restart();
    });
  }
});
