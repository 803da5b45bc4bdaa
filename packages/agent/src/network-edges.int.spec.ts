import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { IptablesDataplane } from '@kube-proxier/iptables';
import { createIptables, createNetlinkNft } from '@kube-proxier/linux';
import { ENDPOINT_PORT, PacketFlowFixture, SANDBOX_NETWORK, type SandboxHost } from '@kube-proxier/network-sandbox';
import { NftablesDataplane } from '@kube-proxier/nftables';

type Subject = readonly [mode: 'nftables' | 'iptables', family: IPFamily];
type Frontend = Parameters<PacketFlowFixture['target']>[0];

/** The least that IPv6 allows. */
const SMALL_MTU = 1280;
const FRONTENDS: readonly Frontend[] = ['clusterIP', 'nodePort', 'loadBalancerIP'];

const subjects = casesOf<Subject>(
  [
    ['nftables', 'IPv4'],
    ['iptables', 'IPv6'],
  ],
  [
    ['nftables', 'IPv6'],
    ['iptables', 'IPv4'],
  ],
);

describe.each(subjects)('what a network does to packets of Services, %s %s', (mode, family) => {
  let fixture: PacketFlowFixture;
  const protocolNumber = family === 'IPv4' ? '-4' : '-6';

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      dataplane: (node, runner) =>
        mode === 'nftables'
          ? new NftablesDataplane({ family, nft: createNetlinkNft({ namespace: node.namespacePath }) })
          : new IptablesDataplane({ family, iptables: async () => createIptables({ family, variant: 'nft', runner }) }),
    });
    // Sends errors, from an address of its own, to addresses that only the node translates.
    const { router } = fixture.sandbox;
    const own = family === 'IPv4' ? ['192.0.2.254/32'] : ['2001:db8:254::1/128', 'nodad'];
    await router.exec(['ip', 'address', 'add', ...own, 'dev', 'lo']);
    await router.exec(['ip', protocolNumber, 'rule', 'add', 'pref', '250', 'iif', 'lo', 'lookup', '100']);
  });

  afterAll(async () => {
    await fixture?.close();
  });

  /** Sets the MTU of the link between the router and a node, at both ends, during a test. */
  async function throughSmallLink(host: SandboxHost, upper: string, body: () => Promise<void>): Promise<void> {
    const set = async (mtu: number) => {
      await host.exec(['ip', 'link', 'set', 'eth0', 'mtu', `${mtu}`]);
      await fixture.sandbox.router.exec(['ip', 'link', 'set', upper, 'mtu', `${mtu}`]);
    };
    await set(SMALL_MTU);
    try {
      await body();
    } finally {
      await set(1500);
    }
  }

  /** A megabyte there and back. */
  async function transfer(from: SandboxHost, frontend: Frontend): Promise<void> {
    const [to, port] = fixture.target(frontend);
    const connection = await from.open({ to, port, timeout: 10_000 });
    const { kind } = await connection.send('x'.repeat(500_000), 20_000);
    await connection.close('reset');
    expect([from.name, frontend, kind]).toEqual([from.name, frontend, 'echoed']);
  }

  test('a link with a smaller MTU behind the node does not stall transfers', async () => {
    const { sandbox } = fixture;
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.remote(1)], 'TCP'));
    // The router reports packets that the node translated; the client gets the report.
    await throughSmallLink(sandbox.remoteNode, 'remote', async () => {
      for (const frontend of FRONTENDS) {
        await transfer(sandbox.client, frontend);
      }
      await transfer(sandbox.pod(2), 'clusterIP');
      await transfer(sandbox.node, 'clusterIP');
    });
  });

  test.each([['Cluster'], ['Local']])(
    'a link with a smaller MTU before the node does not stall transfers, external policy %s',
    async (externalTrafficPolicy) => {
      const { sandbox } = fixture;
      const service = fixture.serviceOf('TCP', { externalTrafficPolicy });
      await fixture.install(fixture.stateOf(service, [fixture.local(1)], 'TCP'));
      await throughSmallLink(sandbox.node, 'node', async () => {
        for (const frontend of FRONTENDS) {
          await transfer(sandbox.client, frontend);
        }
      });
    },
  );

  test('datagrams in fragments reach the endpoint, and so do its answers', async () => {
    const { sandbox } = fixture;
    const source = sandbox.client.address(family);
    const spec = {
      sessionAffinity: 'ClientIP',
      loadBalancerSourceRanges: [`${source}/${family === 'IPv4' ? 32 : 128}`],
    };
    await fixture.install(
      fixture.stateOf(fixture.serviceOf('UDP', spec), [fixture.local(1), fixture.remote(1)], 'UDP'),
    );
    const answeredBy = new Set<string>();
    for (const frontend of FRONTENDS) {
      const [to, port] = fixture.target(frontend);
      const outcome = await sandbox.client.connect({ to, port, protocol: 'UDP', payload: 4000, timeout: 5000 });
      expect([frontend, outcome.kind]).toEqual([frontend, 'answered']);
      answeredBy.add(outcome.kind === 'answered' ? outcome.by : '');
    }
    expect(answeredBy.size).toBe(1);
    const [to, port] = fixture.target('loadBalancerIP');
    const target = { to, port, protocol: 'UDP', payload: 4000, timeout: 500 } as const;
    expect(await sandbox.pod(2).connect(target)).toMatchObject({ kind: 'timeout' });
  });

  test('an endpoint without the port refuses the clients of each frontend', async () => {
    const { sandbox } = fixture;
    // The remote node serves nothing.
    const closed = { address: sandbox.remoteNode.address(family), node: SANDBOX_NETWORK.remoteNodeName };
    await fixture.install(fixture.stateOf(fixture.serviceOf('UDP'), [closed], 'UDP'));
    for (const from of [sandbox.client, sandbox.pod(2), sandbox.node]) {
      for (const frontend of FRONTENDS) {
        const [to, port] = fixture.target(frontend);
        const { kind } = await from.connect({ to, port, protocol: 'UDP', timeout: 5000 });
        expect([from.name, frontend, kind]).toEqual([from.name, frontend, 'refused']);
      }
    }
  });

  test('a ping of a cluster IP is refused, one of an unused address of the service network dropped (spec F-CIP-12)', async () => {
    const { sandbox, address } = fixture;
    const serviceCIDRs = SANDBOX_NETWORK.serviceCIDRs.filter((cidr) => cidr.includes(':') === (family === 'IPv6'));
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1)], 'TCP', { serviceCIDRs }));
    const ping = async (from: SandboxHost, to: string, seconds: number) => {
      const script = `ping -c 1 -W ${seconds} ${to} 2>&1; true`;
      return (await from.exec(['sh', '-c', script])).stdout;
    };
    for (const from of [sandbox.client, sandbox.pod(2)]) {
      expect(await ping(from, address.clusterIP, 5)).toMatch(/Port Unreachable|Port unreachable/);
    }
    expect(await ping(sandbox.node, address.clusterIP, 5)).toContain('Operation not permitted');
    const unused = family === 'IPv4' ? '10.96.9.9' : 'fd00:10:96::999';
    for (const from of [sandbox.client, sandbox.node]) {
      expect(await ping(from, unused, 1)).toMatch(/ 0 received|Operation not permitted/);
    }
  });

  test(`a segment of an endpoint outside of the window ${mode === 'iptables' ? 'is dropped' : 'resets the connection, unless conntrack is liberal'}`, async () => {
    const { sandbox } = fixture;
    const endpoint = sandbox.pod(1);
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1)], 'TCP'));
    const [to, port] = fixture.target('clusterIP');
    // A quarter of the sequence numbers ahead: 2^30 is added.
    const answers = `tcp sport ${ENDPOINT_PORT} meta length > 400`;
    const stdin = `table inet edges {
      chain ahead {
        type filter hook output priority 0
        ${answers} tcp sequence & 0x40000000 == 0 tcp sequence set tcp sequence | 0x40000000 accept
        ${answers} tcp sequence set tcp sequence ^ 0xc0000000
      }
    }
    `;
    const talk = async () => {
      const connection = await sandbox.pod(2).open({ to, port });
      await endpoint.exec(['nft', '-f', '-'], { stdin });
      // No answer in time.
      const lost = await connection.send('x'.repeat(1000), 700);
      await endpoint.exec(['nft', 'delete', 'table', 'inet', 'edges']);
      const found = lost.kind === 'timeout' ? await connection.send('again', 10_000) : lost;
      await connection.close('reset');
      return found.kind;
    };
    expect(await talk()).toBe(mode === 'iptables' ? 'echoed' : 'closed');
    await sandbox.node.exec(['sysctl', '-qw', 'net.netfilter.nf_conntrack_tcp_be_liberal=1']);
    expect(await talk()).toBe('echoed');
  });
});
