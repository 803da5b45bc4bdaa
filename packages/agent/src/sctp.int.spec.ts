import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ENDPOINT_WEIGHTS_ANNOTATION, type IPFamily, type Protocol } from '@kube-proxier/core';
import { casesOf, isThorough, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { IptablesDataplane } from '@kube-proxier/iptables';
import { createIptables, createNetlinkNft } from '@kube-proxier/linux';
import { canSendSctp, PacketFlowFixture, SANDBOX_NETWORK, sctpSuite } from '@kube-proxier/network-sandbox';
import { NftablesDataplane } from '@kube-proxier/nftables';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

type Subject = readonly [mode: 'nftables' | 'iptables' | 'iptables-legacy', family: IPFamily];

const subjects = casesOf<Subject>(
  [
    ['nftables', 'IPv6'],
    ['iptables', 'IPv4'],
  ],
  [
    ['nftables', 'IPv4'],
    ['iptables', 'IPv6'],
    ['iptables-legacy', 'IPv4'],
    ['iptables-legacy', 'IPv6'],
  ],
);

const whereSent = canSendSctp() ? describe : describe.skip;

whereSent.each(subjects)('SCTP Services, %s %s', (mode, family) => {
  let fixture: PacketFlowFixture;

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      protocols: ['SCTP'],
      dataplane: (node, runner) =>
        mode === 'nftables'
          ? new NftablesDataplane({ family, nft: createNetlinkNft({ namespace: node.namespacePath }) })
          : new IptablesDataplane({
              family,
              iptables: async () => createIptables({ family, variant: mode === 'iptables' ? 'nft' : 'legacy', runner }),
            }),
    });
  });

  afterAll(async () => {
    await fixture?.close();
  });

  test.each(sctpSuite())('$title', async ({ run }) => {
    expect(await run(fixture)).toEqual([]);
  });

  test('session affinity is common to the frontends of a service port', async () => {
    const { client } = fixture.sandbox;
    const service = fixture.serviceOf('SCTP', { sessionAffinity: 'ClientIP' });
    await fixture.install(fixture.stateOf(service, [fixture.local(1), fixture.local(2), fixture.remote(1)], 'SCTP'));
    const answers = async (frontend: 'clusterIP' | 'nodePort') => {
      const [to, port] = fixture.target(frontend);
      return (await client.connectMany({ protocol: 'SCTP', to, port }, 10)).answeredBy;
    };
    const first = await answers('clusterIP');
    expect(Object.values(first)).toEqual([10]);
    expect(await answers('nodePort')).toEqual(first);
  });

  test('a drained endpoint gets no association, and the hash of the source address selects one', async () => {
    const { sandbox } = fixture;
    const endpoints = [fixture.local(1), fixture.local(2), fixture.remote(1)];
    const annotated = async (annotations: Readonly<Record<string, string>>) => {
      const service = fixture.serviceOf('SCTP');
      const metadata = { ...service.metadata, annotations };
      await fixture.install(fixture.stateOf({ ...service, metadata }, endpoints, 'SCTP'));
      const [to, port] = fixture.target('loadBalancerIP');
      return Object.keys((await sandbox.client.connectMany({ protocol: 'SCTP', to, port }, 40)).answeredBy).sort();
    };
    const weights = `${fixture.local(1).address}=0`;
    expect(await annotated({ [ENDPOINT_WEIGHTS_ANNOTATION]: weights })).toEqual(['pod2', 'remote-pod1']);
    if (mode === 'nftables') {
      expect(await annotated({ 'kube-proxier.io/load-balancing': 'maglev' })).toHaveLength(1);
    }
  });

  test('one port number of three protocols', async () => {
    const { sandbox, address } = fixture;
    const protocols = ['TCP', 'UDP', 'SCTP'] as const;
    const targetPort = (protocol: Protocol) => 9000 + protocols.indexOf(protocol);
    const servers = await Promise.all(
      protocols.map((protocol) => sandbox.pod(1).serve({ protocol, port: targetPort(protocol), name: protocol })),
    );
    const ports = protocols.map((protocol) => ({ name: protocol.toLowerCase(), protocol, port: 80 }));
    const service = makeService('svc', {
      ...{ type: 'NodePort', clusterIP: address.clusterIP },
      ports: ports.map((port) => ({ ...port, nodePort: NODE_PORT })),
    });
    const slice = makeSlice('svc', [fixture.local(1)], {
      addressType: family,
      ports: ports.map((port) => ({ ...port, port: targetPort(port.protocol) })),
    });
    const localTrafficDetection = { kind: 'cluster-cidr', cidrs: SANDBOX_NETWORK.clusterCIDRs } as const;
    const localAddresses = sandbox.node.addresses;
    await fixture.install(
      resolveObjects(
        { services: [service], slices: [slice], localAddresses },
        { family, nodeName: SANDBOX_NETWORK.nodeName, localTrafficDetection },
      ),
    );
    for (const protocol of protocols) {
      for (const [to, port] of [
        [address.clusterIP, 80],
        [sandbox.node.address(family), NODE_PORT],
      ] as const) {
        expect(await sandbox.client.connect({ protocol, to, port })).toMatchObject({ by: protocol });
      }
    }
    await Promise.all(servers.map((server) => server.close()));
  });

  test('a range of ports', async () => {
    const { sandbox, address } = fixture;
    const pod = sandbox.pod(1);
    const servers = await Promise.all(
      [8081, 8083].map((port) => pod.serve({ protocol: 'SCTP', port, name: `at ${port}` })),
    );
    const service = fixture.serviceOf('SCTP');
    const annotations = { 'kube-proxier.io/port-range': '80-83' };
    const ranged = { ...service, metadata: { ...service.metadata, annotations } };
    await fixture.install(fixture.stateOf(ranged, [fixture.local(1)], 'SCTP'));
    for (const [port, by] of [
      [80, 'pod1'],
      [81, 'at 8081'],
      [83, 'at 8083'],
    ] as const) {
      const outcome = await sandbox.client.connect({ protocol: 'SCTP', to: address.loadBalancerIP, port });
      expect(outcome).toMatchObject({ by });
    }
    await Promise.all(servers.map((server) => server.close()));
  });

  test('an association that starts again from the same port reaches its endpoint while the kernel tracks it (spec T-17)', async () => {
    const { sandbox } = fixture;
    const service = fixture.serviceOf('SCTP');
    const [to, port] = fixture.target('clusterIP');
    const again = { protocol: 'SCTP', to, port, fromPort: 4000 } as const;
    await fixture.install(fixture.stateOf(service, [fixture.remote(1)], 'SCTP'));
    await sandbox.client.open(again);
    await fixture.install(fixture.stateOf(service, [fixture.local(1)], 'SCTP'));
    expect(await sandbox.client.connect(again)).toMatchObject({ by: 'remote-pod1' });
    // As the agent does.
    await sandbox.node.exec(['conntrack', '-D', '-f', family.toLowerCase(), '-p', 'sctp', '--orig-port-src', '4000']);
    expect(await sandbox.client.connect(again)).toMatchObject({ by: 'pod1' });
  });
});

whereSent('the agent with an SCTP Service', () => {
  let node: AgentOnNode;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    await Promise.all(node.sandbox.pods.map((pod) => pod.serve({ protocol: 'SCTP', port: 8080 })));
    node.protocol = 'SCTP';
  });

  afterEach(async () => {
    await node.close();
  });

  test.each(casesOf(['nftables'], ['iptables']))(
    'mode %s: explain and verify; an association of a removed endpoint',
    async (mode) => {
      const { client, node: host } = node.sandbox;
      const [first, second] = node.sandbox.pods.map(({ ipv4 }) => ipv4) as [string, string];
      const clusterIP = { protocol: 'SCTP', to: '10.96.0.10', port: 80 } as const;
      node.write(first);
      node.start(mode);
      await node.until('the Service answers', async () => (await client.connect(clusterIP)).kind === 'answered');
      const explained = `${client.ipv4} -> 10.96.0.10:80`;
      expect(await node.command(`kube-proxier explain ${client.ipv4} 10.96.0.10:80/sctp`)).toContain(
        `${explained}/SCTP: forwarded to ${first}:8080 (masqueraded)`,
      );
      expect(await node.command(`kube-proxier explain ${client.ipv4} 10.96.0.10:80/tcp`)).toContain(
        `${explained}/TCP: refused`,
      );
      expect(await client.connect({ ...clusterIP, protocol: 'TCP' })).toMatchObject({ kind: 'refused' });
      expect(await node.command('kube-proxier verify')).toMatch(/^VERIFIED: /);
      expect(await node.command('kube-proxier get services -n work')).toContain(`80:${NODE_PORT}/SCTP`);
      const local = await host.connect({ protocol: 'SCTP', to: '127.0.0.1', port: NODE_PORT, timeout: 500 });
      expect(local.kind === 'answered').toBe(mode === 'iptables');

      // The client starts again from the same port, and would reach the removed endpoint if the flow were kept.
      const again = { ...clusterIP, fromPort: 4000 };
      expect(await client.open(again)).toMatchObject({ by: 'pod1' });
      const flow = async () => (await host.exec(['conntrack', '-L', '-p', 'sctp', '--orig-port-src', '4000'])).stdout;
      expect(await flow()).toContain('ESTABLISHED');
      node.write(second);
      await node.until('the flow is deleted', async () => (await flow()) === '');
      expect(await client.connect(again)).toMatchObject({ kind: 'answered', by: 'pod2' });

      node.write();
      await node.until('packets are rejected', async () => (await client.connect(clusterIP)).kind === 'refused');
      expect(await node.command(`kube-proxier explain ${client.ipv4} 10.96.0.10:80/sctp`)).toContain('SCTP: refused');
      expect(node.log).not.toMatch(/ERROR|WARN/);
      await node.stop();
    },
  );

  // Counters are read every ten seconds.
  (isThorough ? test : test.skip).each(['nftables', 'iptables'])('mode %s: associations are counted', async (mode) => {
    const { client } = node.sandbox;
    const clusterIP = { protocol: 'SCTP', to: '10.96.0.10', port: 80 } as const;
    node.write(node.sandbox.pod(1).ipv4);
    node.start(mode, '--count-connections');
    await node.until('the Service answers', async () => (await client.connect(clusterIP)).kind === 'answered');
    expect((await client.connectMany(clusterIP, 10)).answeredBy).toEqual({ pod1: 10 });
    await node.until('each association is counted', async () => {
      const metrics = (await node.get('http://127.0.0.1:10249/metrics'))?.body ?? '';
      return /^kube_proxier_endpoint_connections_total\{.*protocol="SCTP".*\} 11$/m.test(metrics);
    });
  });
});
