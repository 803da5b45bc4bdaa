import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { diffStates, type Node, type ProxyState, type Service } from '@kube-proxier/core';
import {
  type EndpointDescription,
  makeService,
  makeSlice,
  type ResolveOptions,
  resolveObjects,
} from '@kube-proxier/core/testing';
import { createIptables, ProcSysctl } from '@kube-proxier/linux';
import {
  NetworkSandbox,
  SANDBOX_NETWORK,
  type SandboxHost,
  type SandboxProtocol,
  verifyFlow,
} from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './iptables-dataplane.js';

interface PolicyRow {
  readonly id: string;
  readonly to: readonly ('clusterIP' | 'nodePort' | 'externalIP' | 'loadBalancerIP')[];
  readonly policy: 'Cluster' | 'Local';
  readonly endpoints: readonly string[];
  readonly detector: boolean;
  readonly masqueradeAll: boolean;
}

const TABLE = new URL('../../core/test-data/policy-flows.json', import.meta.url);
/** By default the rows with a detector and without masqueradeAll; `KUBE_PROXIER_FLOWS=all` tries them all. */
const rows = (JSON.parse(readFileSync(TABLE, 'utf8')) as { rows: readonly PolicyRow[] }).rows.filter(
  ({ id }) => process.env.KUBE_PROXIER_FLOWS === 'all' || !id.includes('/'),
);

const subjects = (['nft', 'legacy'] as const).flatMap((variant) =>
  (['IPv4', 'IPv6'] as const).map((family) => ({ variant, family })),
);

const PORT = 8080;
const NODE_PORT = 30_080;

describe.each(subjects)('real packets through iptables-$variant, $family', ({ variant, family }) => {
  const six = family === 'IPv6';
  const address = {
    clusterIP: six ? 'fd00:10:96::a' : '10.96.0.10',
    externalIP: six ? '2001:db8:99::1' : '198.51.100.1',
    loadBalancerIP: six ? '2001:db8:99::9' : '198.51.100.9',
  };
  let sandbox: NetworkSandbox;
  let dataplane: IptablesDataplane;
  let installed: ProxyState | undefined;

  beforeAll(async () => {
    sandbox = await NetworkSandbox.create({ pods: 3, remotePods: 2 });
    const iptables = createIptables({ family, variant, runner: sandbox.node.runner });
    dataplane = new IptablesDataplane({
      family,
      iptables: async () => iptables,
      sysctl: new ProcSysctl(sandbox.node.files),
    });
    await Promise.all(
      [...sandbox.pods, ...sandbox.remotePods].flatMap((pod) =>
        (['TCP', 'UDP'] as const).map((protocol) => pod.serve({ protocol, port: PORT })),
      ),
    );
  });

  afterAll(async () => {
    await dataplane?.cleanup();
    await sandbox?.close();
  });

  /** Brings a state into force as the proxier would: a full plan at first, then what changed. */
  async function install(state: ProxyState): Promise<ProxyState> {
    const transaction = installed
      ? dataplane.plan(state, diffStates(installed, state))
      : dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
    if (transaction) {
      await dataplane.apply(transaction);
    }
    installed = state;
    // As the proxier does with UDP flows to where nobody serves any more; here ports may come again within seconds.
    await sandbox.node.exec(['conntrack', '-D', '-p', 'udp']).catch((error: unknown) => {
      if (!String(error).includes('0 flow entries')) {
        throw error;
      }
    });
    return state;
  }

  function stateOf(
    service: Service,
    endpoints: readonly EndpointDescription[],
    protocol: SandboxProtocol,
    options: ResolveOptions = {},
  ) {
    const node: Node = {
      metadata: { name: SANDBOX_NETWORK.nodeName },
      status: { addresses: [{ type: 'InternalIP', address: sandbox.node.address(family) }] },
    };
    const slice = makeSlice('svc', endpoints, { addressType: family, ports: [{ name: '', protocol, port: PORT }] });
    return resolveObjects(
      { services: [service], slices: [slice], node },
      {
        family,
        nodeName: SANDBOX_NETWORK.nodeName,
        localTrafficDetection: { kind: 'cluster-cidr', cidrs: SANDBOX_NETWORK.clusterCIDRs },
        ...options,
      },
    );
  }

  function serviceOf(protocol: SandboxProtocol, spec: NonNullable<Service['spec']> = {}): Service {
    return makeService(
      'svc',
      {
        type: 'LoadBalancer',
        clusterIP: address.clusterIP,
        externalIPs: [address.externalIP],
        healthCheckNodePort: 32_000,
        ports: [{ port: 80, protocol, nodePort: NODE_PORT }],
        ...spec,
      },
      { status: { loadBalancer: { ingress: [{ ip: address.loadBalancerIP }] } } },
    );
  }

  const endpoint = (
    host: SandboxHost,
    nodeName: string,
    rest: Partial<EndpointDescription> = {},
  ): EndpointDescription => ({
    address: host.address(family),
    node: nodeName,
    ...rest,
  });
  const local = (number: number, rest?: Partial<EndpointDescription>) =>
    endpoint(sandbox.pod(number), SANDBOX_NETWORK.nodeName, rest);
  const remote = (number: number, rest?: Partial<EndpointDescription>) =>
    endpoint(sandbox.remotePods[number - 1] as SandboxHost, SANDBOX_NETWORK.remoteNodeName, rest);

  /** Endpoints of a row: tokens L and R with t, x or u, in the order of the hosts. */
  function endpointsOf(tokens: readonly string[]): EndpointDescription[] {
    const count = { L: 0, R: 0 };
    return tokens.map((token) => {
      const where = token.startsWith('L') ? 'L' : 'R';
      count[where] += 1;
      const ready = token.length === 1;
      const rest = {
        ready,
        serving: ready || token.endsWith('t'),
        terminating: token.endsWith('t') || token.endsWith('x'),
      };
      return where === 'L' ? local(count.L, rest) : remote(count.R, rest);
    });
  }

  test.each(rows.map((row, index) => [row.id, index % 2 ? 'UDP' : 'TCP', row] as const))(
    '%s, %s',
    async (_id, protocol, row) => {
      const policies = row.to.includes('clusterIP')
        ? { internalTrafficPolicy: row.policy }
        : { externalTrafficPolicy: row.policy };
      const state = await install(
        stateOf(serviceOf(protocol, policies), endpointsOf(row.endpoints), protocol, {
          masqueradeAll: row.masqueradeAll,
          ...(row.detector ? {} : { localTrafficDetection: { kind: 'none' } }),
        }),
      );
      const clients = [sandbox.pod(3), sandbox.node, sandbox.client];
      if (row.endpoints.some((token) => token === 'L' || token === 'Lt')) {
        clients.push(sandbox.pod(1));
      }
      const wrong: string[] = [];
      for (const to of row.to) {
        const [destination, port] = to === 'nodePort' ? [sandbox.node.address(family), NODE_PORT] : [address[to], 80];
        const found = await Promise.all(
          clients.map((from) =>
            verifyFlow(sandbox, state, { from, to: destination as string, port: port as number, protocol }),
          ),
        );
        wrong.push(...found.flatMap((line) => line ?? []));
      }
      expect(wrong).toEqual([]);
    },
  );

  test('source ranges let in whom they name, and drop others, with and without endpoints', async () => {
    const ranges = six ? ['2001:db8:203::/64'] : ['203.0.113.0/25'];
    const sources = six ? ['2001:db8:203::2', '2001:db8:203:80::2'] : ['203.0.113.2', '203.0.113.130'];
    for (const endpoints of [[local(1), remote(1)], []]) {
      const state = await install(stateOf(serviceOf('TCP', { loadBalancerSourceRanges: ranges }), endpoints, 'TCP'));
      for (const source of sources) {
        for (const [to, port] of [
          [address.loadBalancerIP, 80],
          [address.externalIP, 80],
          [sandbox.node.address(family), NODE_PORT],
        ] as const) {
          expect(
            await verifyFlow(sandbox, state, { from: sandbox.client, source, to, port, protocol: 'TCP' }),
          ).toBeUndefined();
        }
      }
    }
  });

  test('a port that the Service does not have is refused on its cluster IP', async () => {
    const state = await install(stateOf(serviceOf('TCP'), [local(1)], 'TCP'));
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
    const service = serviceOf('TCP', { sessionAffinity: 'ClientIP' });
    await install(stateOf(service, [local(1), local(2), remote(1), remote(2)], 'TCP'));
    const answers = async () => {
      const tallies = [
        await sandbox.client.connectMany({ to: sandbox.node.address(family), port: NODE_PORT }, 15),
        await sandbox.client.connectMany({ to: address.externalIP, port: 80 }, 15),
      ];
      return [...new Set(tallies.flatMap(({ answeredBy }) => Object.keys(answeredBy)))];
    };
    const first = await answers();
    expect(first).toHaveLength(1);
    const hosts = [...sandbox.pods, ...sandbox.remotePods];
    const left = [local(1), local(2), remote(1), remote(2)].filter(
      (candidate) => hosts.find((host) => host.addresses.includes(candidate.address))?.name !== first[0],
    );
    await install(stateOf(service, left, 'TCP'));
    const second = await answers();
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
  });

  test('a change of other endpoints cuts no connection that is open', async () => {
    await install(stateOf(serviceOf('TCP'), [local(1)], 'TCP'));
    const connection = await sandbox.client.open({ to: sandbox.node.address(family), port: NODE_PORT });
    await install(stateOf(serviceOf('TCP'), [local(2), remote(1)], 'TCP'));
    expect(await connection.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    await install(stateOf(serviceOf('TCP'), [], 'TCP'));
    expect(await connection.send('even now')).toEqual({ kind: 'echoed', text: 'even now' });
    await connection.close();
  });

  if (!six) {
    test('NodePorts answer on 127.0.0.1 when asked for, and not when not', async () => {
      const on = await install(stateOf(serviceOf('TCP'), [local(1), remote(1)], 'TCP'));
      const flow = {
        from: sandbox.node,
        source: '127.0.0.1',
        to: '127.0.0.1',
        port: NODE_PORT,
        protocol: 'TCP',
      } as const;
      expect(await verifyFlow(sandbox, on, flow)).toBeUndefined();
      expect((await sandbox.node.connect({ to: '127.0.0.1', port: NODE_PORT })).kind).toBe('answered');
      await install(stateOf(serviceOf('TCP'), [local(1), remote(1)], 'TCP', { localhostNodePorts: false }));
      expect((await sandbox.node.connect({ to: '127.0.0.1', port: NODE_PORT })).kind).toBe('refused');
    });
  }
});
