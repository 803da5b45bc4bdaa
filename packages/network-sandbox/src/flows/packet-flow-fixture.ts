import {
  type Dataplane,
  diffStates,
  type IPFamily,
  type Node,
  type ProxyState,
  type Service,
} from '@kube-proxier/core';
import {
  type EndpointDescription,
  makeService,
  makeSlice,
  type ResolveOptions,
  resolveObjects,
} from '@kube-proxier/core/testing';
import { type CommandRunner, createCommandRunner } from '@kube-proxier/linux';
import { NetworkSandbox } from '../sandbox/network-sandbox.js';
import type { SandboxProtocol } from '../sandbox/outcome.js';
import type { SandboxHost } from '../sandbox/sandbox-host.js';
import { SANDBOX_NETWORK } from '../sandbox/sandbox-plan.js';
import { verifyFlow } from './verify-flow.js';

/** A row of core's `test-data/policy-flows.json`. */
export interface PolicyRow {
  readonly id: string;
  readonly to: readonly ('clusterIP' | 'nodePort' | 'externalIP' | 'loadBalancerIP')[];
  readonly policy: 'Cluster' | 'Local';
  /** `L` local or `R` remote, with `t` terminating and serving, `x` terminating, `u` not ready. */
  readonly endpoints: readonly string[];
  readonly detector: boolean;
  readonly masqueradeAll: boolean;
}

export interface PacketFlowFixtureOptions {
  readonly family: IPFamily;
  /** Creates the dataplane under test. `runner` runs programs on the node. */
  readonly dataplane: (node: SandboxHost, runner: CommandRunner) => Dataplane<unknown, unknown>;
  /** What the pods serve. Default: TCP and UDP. */
  readonly protocols?: readonly SandboxProtocol[];
}

/** Port of all endpoints. */
export const ENDPOINT_PORT = 8080;
/** Port of the Service on its cluster IP, external IP and load balancer IP. */
export const SERVICE_PORT = 80;
export const NODE_PORT = 30_080;

/**
 * A sandbox with three pods and two remote pods that serve on {@link ENDPOINT_PORT}, and a dataplane on its node:
 * compares the effect of a backend on real packets with the simulator.
 */
export class PacketFlowFixture {
  /** The addresses of the Service. */
  readonly address: { readonly clusterIP: string; readonly externalIP: string; readonly loadBalancerIP: string };
  #installed: ProxyState | undefined;

  private constructor(
    readonly family: IPFamily,
    readonly sandbox: NetworkSandbox,
    readonly dataplane: Dataplane<unknown, unknown>,
    /** Runs programs on the node. */
    readonly runner: CommandRunner,
  ) {
    const six = family === 'IPv6';
    this.address = {
      clusterIP: six ? 'fd00:10:96::a' : '10.96.0.10',
      externalIP: six ? '2001:db8:99::1' : '198.51.100.1',
      loadBalancerIP: six ? '2001:db8:99::9' : '198.51.100.9',
    };
  }

  static async create({
    family,
    dataplane,
    protocols = ['TCP', 'UDP'],
  }: PacketFlowFixtureOptions): Promise<PacketFlowFixture> {
    const sandbox = await NetworkSandbox.create({ pods: 3, remotePods: 2 });
    try {
      const runner = createCommandRunner({ prefix: ['nsenter', `--net=${sandbox.node.namespacePath}`] });
      await Promise.all(
        [...sandbox.pods, ...sandbox.remotePods].flatMap((pod) =>
          protocols.map((protocol) => pod.serve({ protocol, port: ENDPOINT_PORT })),
        ),
      );
      return new PacketFlowFixture(family, sandbox, dataplane(sandbox.node, runner), runner);
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    try {
      await this.dataplane.cleanup();
    } finally {
      await this.sandbox.close();
    }
  }

  /** Applies a state as the proxier would: a full plan at first, then incremental plans. */
  async install(state: ProxyState): Promise<ProxyState> {
    const { dataplane } = this;
    const installed = this.#installed;
    const changes = diffStates(installed, state);
    const transaction = dataplane.plan(state, changes, installed ? undefined : await dataplane.readBack());
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
    this.#installed = state;
    await this.forgetFlows();
    return state;
  }

  /** Resets the known installed state, so that the next state is compared with the state of the kernel. */
  async restart(): Promise<void> {
    const installed = this.#installed;
    this.#installed = undefined;
    if (installed !== undefined) {
      await this.install(installed);
    }
  }

  /** Deletes stale UDP flows as the proxier does; source ports are reused within seconds here. */
  async forgetFlows(): Promise<void> {
    await forgetFlows(this.sandbox.node);
  }

  stateOf(
    service: Service,
    endpoints: readonly EndpointDescription[],
    protocol: SandboxProtocol,
    options: ResolveOptions & { readonly serviceCIDRs?: readonly string[] } = {},
  ): ProxyState {
    const { family, sandbox } = this;
    const node: Node = {
      metadata: { name: SANDBOX_NETWORK.nodeName },
      status: { addresses: [{ type: 'InternalIP', address: sandbox.node.address(family) }] },
    };
    const slice = makeSlice('svc', endpoints, {
      addressType: family,
      ports: [{ name: '', protocol, port: ENDPOINT_PORT }],
    });
    const { serviceCIDRs = [], ...rest } = options;
    return resolveObjects(
      { services: [service], slices: [slice], node, serviceCIDRs, localAddresses: sandbox.node.addresses },
      {
        family,
        nodeName: SANDBOX_NETWORK.nodeName,
        localTrafficDetection: { kind: 'cluster-cidr', cidrs: SANDBOX_NETWORK.clusterCIDRs },
        ...rest,
      },
    );
  }

  /** A Service with every kind of frontend. */
  serviceOf(protocol: SandboxProtocol, spec: NonNullable<Service['spec']> = {}): Service {
    const { address } = this;
    return makeService(
      'svc',
      {
        type: 'LoadBalancer',
        clusterIP: address.clusterIP,
        externalIPs: [address.externalIP],
        healthCheckNodePort: 32_000,
        ports: [{ port: SERVICE_PORT, protocol, nodePort: NODE_PORT }],
        ...spec,
      },
      { status: { loadBalancer: { ingress: [{ ip: address.loadBalancerIP }] } } },
    );
  }

  /** Pod `number` of the node as an endpoint. */
  local(number: number, rest: Partial<EndpointDescription> = {}): EndpointDescription {
    return { address: this.sandbox.pod(number).address(this.family), node: SANDBOX_NETWORK.nodeName, ...rest };
  }

  /** Pod `number` of the remote node as an endpoint. */
  remote(number: number, rest: Partial<EndpointDescription> = {}): EndpointDescription {
    return {
      address: this.sandbox.remotePod(number).address(this.family),
      node: SANDBOX_NETWORK.remoteNodeName,
      ...rest,
    };
  }

  /** Installs the state of a row, and tries every client with every frontend. Returns the differences. */
  async verifyRow(row: PolicyRow, protocol: SandboxProtocol): Promise<readonly string[]> {
    const { sandbox } = this;
    const policies = row.to.includes('clusterIP')
      ? { internalTrafficPolicy: row.policy }
      : { externalTrafficPolicy: row.policy };
    const state = await this.install(
      this.stateOf(this.serviceOf(protocol, policies), this.#endpointsOf(row.endpoints), protocol, {
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
      const found = await Promise.all(clients.map((from) => this.verify(state, from, to, protocol)));
      wrong.push(...found.flatMap((line) => line ?? []));
    }
    return wrong;
  }

  /** One flow to a frontend of the Service. Returns the differences. */
  verify(
    state: ProxyState,
    from: SandboxHost,
    to: PolicyRow['to'][number],
    protocol: SandboxProtocol,
    source?: string,
  ): Promise<string | undefined> {
    const [destination, port] = this.target(to);
    return verifyFlow(this.sandbox, state, {
      from,
      to: destination,
      port,
      protocol,
      ...(source === undefined ? {} : { source }),
    });
  }

  target(to: PolicyRow['to'][number]): readonly [address: string, port: number] {
    return to === 'nodePort' ? [this.sandbox.node.address(this.family), NODE_PORT] : [this.address[to], SERVICE_PORT];
  }

  /** Endpoints of a row, in the order of the hosts. */
  #endpointsOf(tokens: readonly string[]): EndpointDescription[] {
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
      return where === 'L' ? this.local(count.L, rest) : this.remote(count.R, rest);
    });
  }
}

/**
 * Deletes the UDP flows and the closed TCP connections of a host: in tests, clients' ports are reused within seconds,
 * and would still go to the endpoint of an earlier step.
 */
export async function forgetFlows(host: SandboxHost): Promise<void> {
  for (const filter of [['udp'], ['tcp', '--state', 'TIME_WAIT'], ['tcp', '--state', 'CLOSE']]) {
    for (const family of ['ipv4', 'ipv6']) {
      await deleteFlows(host, ['-f', family, '-p', ...filter]);
    }
  }
}

async function deleteFlows(host: SandboxHost, filter: readonly string[], attempts = 20): Promise<void> {
  try {
    await host.exec(['conntrack', '-D', ...filter]);
  } catch (error) {
    const text = String(error);
    // An entry that expires while the tool lists them ends it early.
    if (text.includes("such conntrack doesn't exist") && attempts > 1) {
      await deleteFlows(host, filter, attempts - 1);
    } else if (!text.includes('0 flow entries')) {
      throw error;
    }
  }
}
