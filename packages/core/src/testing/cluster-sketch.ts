import type { IPFamily } from '../model/address.js';
import type { ChangeSet } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { EndpointSlice, Service } from '../objects/objects.js';
import { diffStates } from '../resolution/diff-states.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import { type EndpointDescription, makeService, makeSlice } from './objects.js';
import { makeResolver } from './resolve-objects.js';

/** A short description of one Service and its endpoints. */
export interface ServiceSketch {
  readonly name: string;
  readonly number: number;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly kind: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalIP';
  readonly internalLocal: boolean;
  readonly externalLocal: boolean;
  readonly affinity: boolean;
  /** Default 600. */
  readonly affinitySeconds?: number;
  readonly ranges: readonly string[] | undefined;
  /** Default 8080; that of the Service is 80. */
  readonly targetPort?: number;
  /** Of the Service. Default: none. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly endpoints: readonly { readonly number: number; readonly node: 'node1' | 'node2' | undefined }[];
}

/** A Service of one TCP port, with an endpoint on this node and one on another. */
export const EXAMPLE_SERVICE: ServiceSketch = {
  name: 'ns/svc1',
  number: 1,
  protocol: 'TCP',
  kind: 'ClusterIP',
  internalLocal: false,
  externalLocal: false,
  affinity: false,
  ranges: undefined,
  endpoints: [
    { number: 1, node: 'node1' },
    { number: 2, node: 'node2' },
  ],
};

/** A state, and the changes since the last one. */
export interface SketchedState {
  readonly state: ProxyState;
  readonly changes: ChangeSet;
}

const NODE_ADDRESS = { IPv4: '192.168.0.2', IPv6: '2001:db8::2' } as const;

/** Addresses of a sketched cluster. */
export const sketchAddresses = {
  node: (family: IPFamily) => NODE_ADDRESS[family],
  cluster: (family: IPFamily, number: number) =>
    family === 'IPv4' ? `10.96.${number >> 8}.${number & 255}` : `fd00:96::${number.toString(16)}`,
  external: (family: IPFamily, number: number) =>
    family === 'IPv4' ? `203.0.113.${number}` : `2001:db8:1::${number.toString(16)}`,
  vip: (family: IPFamily, number: number) =>
    family === 'IPv4' ? `198.51.100.${number}` : `2001:db8:2::${number.toString(16)}`,
  pod: (family: IPFamily, number: number) =>
    family === 'IPv4' ? `10.244.${number >> 8}.${number & 255}` : `fd00:10::${number.toString(16)}`,
  pods: (family: IPFamily) => (family === 'IPv4' ? '10.244.0.0/16' : 'fd00:10::/64'),
  services: (family: IPFamily) => (family === 'IPv4' ? '10.96.0.0/16' : 'fd00:96::/112'),
  blocked: (family: IPFamily) => (family === 'IPv4' ? '192.0.2.7' : '2001:db8:9::7'),
  client: (family: IPFamily) => (family === 'IPv4' ? '192.0.2.200' : '2001:db8:9:8::7'),
  allowed: (family: IPFamily) => (family === 'IPv4' ? '192.0.2.128/25' : '2001:db8:9:8::/64'),
};

/** A resolver with methods to create sequences of states. */
export class ClusterSketch {
  readonly #resolver;
  readonly #services = new Map<string, { service: Service; slice: EndpointSlice }>();

  constructor(
    readonly family: IPFamily,
    options: Partial<ProxierOptions> = {},
  ) {
    this.#resolver = makeResolver({
      family,
      nodeAddresses: [sketchAddresses.node(family)],
      localTrafficDetection: { kind: 'source-cidr', cidr: sketchAddresses.pods(family) },
      ...options,
    });
    this.#resolver.updateServiceCIDRs([sketchAddresses.services(family)]);
    this.#resolver.updateLocalAddresses([sketchAddresses.node(family)]);
  }

  set(sketch: ServiceSketch): void {
    const before = this.#services.get(sketch.name);
    const service = sketchedService(sketch, this.family);
    const slice = sketchedSlice(sketch, this.family);
    this.#resolver.updateService(before?.service, service);
    this.#resolver.updateEndpointSlice(before?.slice, slice);
    this.#services.set(sketch.name, { service, slice });
  }

  remove(name: string): void {
    const before = this.#services.get(name);
    if (before !== undefined) {
      this.#resolver.updateService(before.service, undefined);
      this.#resolver.updateEndpointSlice(before.slice, undefined);
      this.#services.delete(name);
    }
  }

  serviceCIDRs(cidrs: readonly string[]): void {
    this.#resolver.updateServiceCIDRs(cidrs);
  }

  /** The current state, and the changes since the last call. */
  next(): SketchedState {
    return this.#resolver.applyPending();
  }
}

/** The change set of a first sync. */
export function everything(state: ProxyState): ChangeSet {
  return diffStates(undefined, state);
}

function sketchedService(sketch: ServiceSketch, family: IPFamily): Service {
  const { name, number, kind, protocol } = sketch;
  const clusterIP = sketchAddresses.cluster(family, number);
  const type = kind === 'ExternalIP' ? 'ClusterIP' : kind;
  const external = kind !== 'ClusterIP' ? { externalTrafficPolicy: sketch.externalLocal ? 'Local' : 'Cluster' } : {};
  return makeService(
    name,
    {
      type,
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: [family],
      ports: [
        {
          name: 'p',
          port: 80,
          protocol,
          ...(kind === 'NodePort' || kind === 'LoadBalancer' ? { nodePort: 30000 + number } : {}),
        },
      ],
      internalTrafficPolicy: sketch.internalLocal ? 'Local' : 'Cluster',
      ...external,
      ...(kind === 'ExternalIP' ? { externalIPs: [sketchAddresses.external(family, number)] } : {}),
      ...(sketch.affinity
        ? {
            sessionAffinity: 'ClientIP',
            sessionAffinityConfig: { clientIP: { timeoutSeconds: sketch.affinitySeconds ?? 600 } },
          }
        : {}),
      ...(kind === 'LoadBalancer' && sketch.externalLocal ? { healthCheckNodePort: 32000 + number } : {}),
      ...(kind === 'LoadBalancer' && sketch.ranges !== undefined ? { loadBalancerSourceRanges: sketch.ranges } : {}),
    },
    {
      ...(sketch.annotations === undefined ? {} : { metadata: { annotations: sketch.annotations } }),
      ...(kind === 'LoadBalancer'
        ? { status: { loadBalancer: { ingress: [{ ip: sketchAddresses.vip(family, number) }] } } }
        : {}),
    },
  );
}

function sketchedSlice(sketch: ServiceSketch, family: IPFamily): EndpointSlice {
  const endpoints = sketch.endpoints.map(
    ({ number, node }): EndpointDescription => ({
      address: sketchAddresses.pod(family, number),
      // The first pod is always on this node: hairpin packets of a remote pod do not pass this node.
      ...(number === 1 ? { node: 'node1' } : node === undefined ? {} : { node }),
    }),
  );
  return makeSlice(sketch.name, endpoints, {
    addressType: family,
    ports: [{ name: 'p', protocol: sketch.protocol, port: sketch.targetPort ?? 8080 }],
  });
}
