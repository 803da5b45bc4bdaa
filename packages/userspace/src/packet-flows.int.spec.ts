import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Node, ProxyState, Service } from '@kube-proxier/core';
import {
  type EndpointDescription,
  makeService,
  makeSlice,
  type ResolveOptions,
  resolveObjects,
} from '@kube-proxier/core/testing';
import { createIptables } from '@kube-proxier/linux';
import {
  forgetFlows,
  NetworkSandbox,
  SANDBOX_NETWORK,
  type SandboxHost,
  type SandboxProtocol,
  verifyFlow,
} from '@kube-proxier/linux/testing';

interface PolicyRow {
  readonly id: string;
  readonly to: readonly ('clusterIP' | 'nodePort' | 'externalIP' | 'loadBalancerIP')[];
  readonly policy: 'Cluster' | 'Local';
  readonly endpoints: readonly string[];
  readonly detector: boolean;
  readonly masqueradeAll: boolean;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CHILD = fileURLToPath(new URL('../test/dataplane-process.mjs', import.meta.url));
const TABLE = new URL('../../core/test-data/policy-flows.json', import.meta.url);
/** By default the rows with a detector and without masqueradeAll; `KUBE_PROXIER_FLOWS=all` tries them all. */
const rows = (JSON.parse(readFileSync(TABLE, 'utf8')) as { rows: readonly PolicyRow[] }).rows.filter(
  ({ id }) => process.env.KUBE_PROXIER_FLOWS === 'all' || !id.includes('/'),
);

const subjects = [
  { variant: 'nft', family: 'IPv4' },
  { variant: 'legacy', family: 'IPv4' },
  { variant: 'nft', family: 'IPv6' },
] as const;

const PORT = 8080;
const NODE_PORT = 30_080;

describe.each(subjects)('real packets through sockets, redirected by iptables-$variant, $family', (subject) => {
  const { variant, family } = subject;
  const six = family === 'IPv6';
  const address = {
    clusterIP: six ? 'fd00:10:96::a' : '10.96.0.10',
    externalIP: six ? '2001:db8:99::1' : '198.51.100.1',
    loadBalancerIP: six ? '2001:db8:99::9' : '198.51.100.9',
  };
  let sandbox: NetworkSandbox;
  let proxy: ChildProcess;

  beforeAll(async () => {
    const tsc = `${ROOT}/node_modules/typescript/bin/tsc`;
    const built = spawnSync(process.execPath, [tsc, '-b', 'packages/userspace'], { cwd: ROOT, encoding: 'utf8' });
    expect(built.stdout).toBe('');
    sandbox = await NetworkSandbox.create({ pods: 3, remotePods: 2 });
    proxy = sandbox.node.spawn([process.execPath, CHILD, family, variant], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(proxy, 'message');
    await Promise.all(
      [...sandbox.pods, ...sandbox.remotePods].flatMap((pod) =>
        (['TCP', 'UDP'] as const).map((protocol) => pod.serve({ protocol, port: PORT })),
      ),
    );
  }, 120_000);

  afterAll(async () => {
    await sandbox?.close();
  });

  async function ask(message: object): Promise<void> {
    const answer = once(proxy, 'message') as Promise<[{ readonly error?: string }]>;
    proxy.send(message);
    expect((await answer)[0]).toEqual({});
  }

  interface Scene {
    readonly objects: Parameters<typeof resolveObjects>[0];
    readonly options: ResolveOptions;
  }

  async function install({ objects, options }: Scene): Promise<ProxyState> {
    await ask({ op: 'install', objects, options });
    // As the server does after a sync: proxy ports change here within seconds, and clients' ports come again.
    await forgetFlows(sandbox.node);
    return resolveObjects(objects, options);
  }

  function scene(
    service: Service,
    endpoints: readonly EndpointDescription[],
    protocol: SandboxProtocol,
    options: ResolveOptions = {},
  ): Scene {
    const node: Node = {
      metadata: { name: SANDBOX_NETWORK.nodeName },
      status: { addresses: [{ type: 'InternalIP', address: sandbox.node.address(family) }] },
    };
    const ports = [{ name: '', protocol, port: PORT }];
    return {
      objects: { services: [service], slices: [makeSlice('svc', endpoints, { addressType: family, ports })], node },
      options: {
        family,
        nodeName: SANDBOX_NETWORK.nodeName,
        localTrafficDetection: { kind: 'cluster-cidr', cidrs: SANDBOX_NETWORK.clusterCIDRs },
        ...options,
      },
    };
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

  const local = (number: number, rest: Partial<EndpointDescription> = {}): EndpointDescription => ({
    address: sandbox.pod(number).address(family),
    node: SANDBOX_NETWORK.nodeName,
    ...rest,
  });
  const remote = (number: number, rest: Partial<EndpointDescription> = {}): EndpointDescription => ({
    address: sandbox.remotePod(number).address(family),
    node: SANDBOX_NETWORK.remoteNodeName,
    ...rest,
  });

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

  /** No endpoint ever sees the client's address here. */
  const flow = (
    state: ProxyState,
    from: SandboxHost,
    to: string,
    port: number,
    protocol: SandboxProtocol,
    source?: string,
  ) => verifyFlow(sandbox, state, { from, to, port, protocol, preservesSource: false, ...(source ? { source } : {}) });

  test.each(rows.map((row, index) => [row.id, index % 2 ? 'UDP' : 'TCP', row] as const))(
    '%s, %s',
    async (_id, protocol, row) => {
      const policies = row.to.includes('clusterIP')
        ? { internalTrafficPolicy: row.policy }
        : { externalTrafficPolicy: row.policy };
      const state = await install(
        scene(serviceOf(protocol, policies), endpointsOf(row.endpoints), protocol, {
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
        const found = await Promise.all(clients.map((from) => flow(state, from, destination, port, protocol)));
        wrong.push(...found.flatMap((line) => line ?? []));
      }
      expect(wrong).toEqual([]);
    },
  );

  test('source ranges let in whom they name, and drop others, with and without endpoints', async () => {
    const ranges = six ? ['2001:db8:203::/64'] : ['203.0.113.0/25'];
    const sources = six ? ['2001:db8:203::2', '2001:db8:203:80::2'] : ['203.0.113.2', '203.0.113.130'];
    for (const endpoints of [[local(1), remote(1)], []]) {
      const state = await install(scene(serviceOf('TCP', { loadBalancerSourceRanges: ranges }), endpoints, 'TCP'));
      for (const source of sources) {
        for (const [to, port] of [
          [address.loadBalancerIP, 80],
          [address.externalIP, 80],
          [sandbox.node.address(family), NODE_PORT],
        ] as const) {
          expect(await flow(state, sandbox.client, to, port, 'TCP', source)).toBeUndefined();
        }
      }
    }
  });

  test('a port that the Service does not have is refused on its cluster IP', async () => {
    await install(scene(serviceOf('TCP'), [local(1)], 'TCP'));
    for (const from of [sandbox.pod(3), sandbox.client]) {
      expect((await from.connect({ to: address.clusterIP, port: 81 })).kind).toBe('refused');
    }
  });

  test('a UDP NodePort answers from the address that was asked', async () => {
    const state = await install(scene(serviceOf('UDP'), [local(1), remote(1)], 'UDP'));
    for (const to of sandbox.node.addresses.filter((candidate) => candidate.includes(':') === six)) {
      expect(await flow(state, sandbox.client, to, NODE_PORT, 'UDP')).toBeUndefined();
    }
  });

  test('connections go on when their endpoint is gone, and when the Service is', async () => {
    await install(scene(serviceOf('TCP'), [local(1)], 'TCP'));
    const connection = await sandbox.client.open({ to: address.clusterIP, port: 80 });
    await install(scene(serviceOf('TCP'), [local(2)], 'TCP'));
    expect(await connection.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    await connection.close();
  });

  if (!six) {
    test('NodePorts answer on 127.0.0.1 when asked for, and not when not', async () => {
      await install(scene(serviceOf('TCP'), [local(1), remote(1)], 'TCP'));
      expect((await sandbox.node.connect({ to: '127.0.0.1', port: NODE_PORT })).kind).toBe('answered');
      await install(scene(serviceOf('TCP'), [local(1), remote(1)], 'TCP', { localhostNodePorts: false }));
      expect((await sandbox.node.connect({ to: '127.0.0.1', port: NODE_PORT })).kind).toBe('refused');
    });
  }

  test('leaves nothing behind', async () => {
    const iptables = createIptables({ family, variant, runner: sandbox.node.runner });
    expect(await iptables.save()).toContain('KUBE-PORTALS');
    await ask({ op: 'cleanup' });
    await ask({ op: 'cleanup' });
    expect(await iptables.save()).not.toContain('KUBE-');
    expect((await sandbox.client.connect({ to: sandbox.node.address(family), port: NODE_PORT })).kind).toBe('refused');
  });
});
