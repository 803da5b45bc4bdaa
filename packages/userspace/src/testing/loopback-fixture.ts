import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import {
  DEFAULT_PROXIER_OPTIONS,
  diffStates,
  type IPFamily,
  ObjectReader,
  type ProxierOptions,
  type ProxyState,
  ProxyStateResolver,
  type Service,
} from '@kube-proxier/core';
import { type EndpointDescription, makeService, makeSlice } from '@kube-proxier/core/testing';
import { UserspaceDataplane, type UserspaceDataplaneOptions } from '../dataplane.js';

/** One Service with a NodePort, on loopback. */
export interface LoopbackService {
  readonly name?: string;
  readonly protocol?: 'TCP' | 'UDP';
  readonly nodePort: number;
  /** Port that all endpoints have. */
  readonly port: number;
  readonly endpoints: readonly (string | EndpointDescription)[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<NonNullable<Service['spec']>>;
}

export interface LoopbackFixtureOptions extends Partial<UserspaceDataplaneOptions> {
  readonly family?: IPFamily;
  readonly proxier?: Partial<ProxierOptions>;
  /** Loopback addresses to take for what Services name: core lets no Service have one. */
  readonly standIns?: Readonly<Record<string, string>>;
}

/** A dataplane that serves NodePorts on loopback, for tests that need no privilege and affect no other program. */
export class LoopbackFixture {
  readonly dataplane: UserspaceDataplane;
  readonly family: IPFamily;
  #state: ProxyState | undefined;

  constructor(private readonly options: LoopbackFixtureOptions = {}) {
    this.family = options.family ?? 'IPv4';
    this.dataplane = new UserspaceDataplane({
      family: this.family,
      localAddresses: async () => ['127.0.0.1', '::1'],
      ...options,
    });
  }

  /** Brings Services into force, as the proxier would. */
  async install(...services: readonly LoopbackService[]): Promise<ProxyState> {
    const resolver = new ProxyStateResolver({
      family: this.family,
      options: {
        ...DEFAULT_PROXIER_OPTIONS,
        nodeName: 'node1',
        ...this.options.proxier,
      },
      reader: new ObjectReader(undefined, { allowLoopbackEndpoints: true }),
      since: 0,
    });
    resolver.updateLocalAddresses(['127.0.0.1', '::1']);
    services.forEach(({ name = 'web', protocol = 'TCP', nodePort, port, endpoints, annotations, spec }, index) => {
      const clusterIP = this.family === 'IPv6' ? `fd00:96::${index + 1}` : `10.96.0.${index + 1}`;
      const service = makeService(
        name,
        { type: 'NodePort', clusterIP, ports: [{ port: 80, protocol, nodePort }], ...spec },
        annotations ? { metadata: { name, namespace: 'default', annotations } } : {},
      );
      resolver.updateService(undefined, service);
      const ports = [{ name: '', protocol, port }];
      resolver.updateEndpointSlice(undefined, makeSlice(name, endpoints, { ports, addressType: this.family }));
    });
    const resolved = resolver.applyPending().state;
    // Core serves no IPv6 NodePorts on loopback; here there is nothing else.
    const state = this.#withStandIns(
      this.family === 'IPv6'
        ? { ...resolved, node: { ...resolved.node, nodePortAddresses: { kind: 'all', loopback: true } } }
        : resolved,
    );
    const previous = this.#state;
    const transaction = previous
      ? this.dataplane.plan(state, diffStates(previous, state))
      : this.dataplane.plan(state, diffStates(undefined, state), await this.readBack());
    // Unknown until it is in force, as the proxier has it.
    this.#state = undefined;
    if (transaction) {
      await this.dataplane.apply(transaction);
    }
    this.#state = state;
    return state;
  }

  #withStandIns(state: ProxyState): ProxyState {
    const { standIns } = this.options;
    if (!standIns) {
      return state;
    }
    const servicePorts = [...state.servicePorts.values()].map((servicePort) => ({
      ...servicePort,
      frontends: servicePort.frontends.map((frontend) => {
        const standIn = standIns[frontend.address ?? ''];
        return standIn === undefined ? frontend : { ...frontend, address: standIn };
      }),
    }));
    return { ...state, servicePorts: new Map(servicePorts.map((servicePort) => [servicePort.key, servicePort])) };
  }

  /** To be called before the first plan. */
  readBack() {
    return this.dataplane.readBack();
  }

  /** What the only service port, or the one of that name, moved. */
  traffic(name = 'web') {
    const found = this.dataplane.traffic.find(({ name: other }) => other === `default/${name}`);
    if (!found) {
      throw new Error(`${name} is not there`);
    }
    return found;
  }

  close(): Promise<void> {
    return this.dataplane.cleanup();
  }
}

/** A port that is free on all addresses now. */
export async function freePort(protocol: 'TCP' | 'UDP' = 'TCP'): Promise<number> {
  if (protocol === 'UDP') {
    const socket = createSocket('udp4');
    return await new Promise((resolve) => {
      socket.bind(0, () => {
        const { port } = socket.address();
        socket.close(() => resolve(port));
      });
    });
  }
  const server = createServer();
  return await new Promise((resolve) => {
    server.listen(0, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
