import type { ChangeSet, EndpointSlice, IPFamily, ProxierOptions, ProxyState, Service } from '@kube-proxier/core';
import { diffStates } from '@kube-proxier/core';
import { type EndpointDescription, makeResolver, makeService, makeSlice } from '@kube-proxier/core/testing';
import fc from 'fast-check';

/** One Service and its endpoints, described shortly. */
export interface ServiceSketch {
  readonly name: string;
  readonly number: number;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly kind: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalIP';
  readonly internalLocal: boolean;
  readonly externalLocal: boolean;
  readonly affinity: boolean;
  readonly ranges: readonly string[] | undefined;
  readonly endpoints: readonly { readonly number: number; readonly node: 'node1' | 'node2' | undefined }[];
}

export interface World {
  readonly state: ProxyState;
  readonly changes: ChangeSet;
}

const NODE_ADDRESS = { IPv4: '192.168.0.2', IPv6: '2001:db8::2' } as const;

export const addresses = {
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

/** A resolver and what to do with it, for making chains of states. */
export class ClusterSketch {
  private readonly resolver;
  private readonly services = new Map<string, { service: Service; slice: EndpointSlice }>();

  constructor(
    readonly family: IPFamily,
    options: Partial<ProxierOptions> = {},
  ) {
    this.resolver = makeResolver({
      family,
      nodeAddresses: [addresses.node(family)],
      localTrafficDetection: { kind: 'source-cidr', cidr: addresses.pods(family) },
      ...options,
    });
    this.resolver.updateServiceCIDRs([addresses.services(family)]);
    this.resolver.updateLocalAddresses([addresses.node(family)]);
  }

  set(sketch: ServiceSketch): void {
    const before = this.services.get(sketch.name);
    const service = sketchedService(sketch, this.family);
    const slice = sketchedSlice(sketch, this.family);
    this.resolver.updateService(before?.service, service);
    this.resolver.updateEndpointSlice(before?.slice, slice);
    this.services.set(sketch.name, { service, slice });
  }

  remove(name: string): void {
    const before = this.services.get(name);
    if (before !== undefined) {
      this.resolver.updateService(before.service, undefined);
      this.resolver.updateEndpointSlice(before.slice, undefined);
      this.services.delete(name);
    }
  }

  serviceCIDRs(cidrs: readonly string[]): void {
    this.resolver.updateServiceCIDRs(cidrs);
  }

  /** The state now, and what changed since the last time. */
  next(): World {
    return this.resolver.checkout();
  }
}

export function everything(state: ProxyState): ChangeSet {
  return diffStates(undefined, state);
}

function sketchedService(sketch: ServiceSketch, family: IPFamily): Service {
  const { name, number, kind, protocol } = sketch;
  const clusterIP = addresses.cluster(family, number);
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
      ...(kind === 'ExternalIP' ? { externalIPs: [addresses.external(family, number)] } : {}),
      ...(sketch.affinity
        ? { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } } }
        : {}),
      ...(kind === 'LoadBalancer' && sketch.externalLocal ? { healthCheckNodePort: 32000 + number } : {}),
      ...(kind === 'LoadBalancer' && sketch.ranges !== undefined ? { loadBalancerSourceRanges: sketch.ranges } : {}),
    },
    kind === 'LoadBalancer' ? { status: { loadBalancer: { ingress: [{ ip: addresses.vip(family, number) }] } } } : {},
  );
}

function sketchedSlice(sketch: ServiceSketch, family: IPFamily): EndpointSlice {
  const endpoints = sketch.endpoints.map(
    ({ number, node }): EndpointDescription => ({
      address: addresses.pod(family, number),
      ...(node === undefined ? {} : { node }),
    }),
  );
  return makeSlice(sketch.name, endpoints, {
    addressType: family,
    ports: [{ name: 'p', protocol: sketch.protocol, port: 8080 }],
  });
}

const NODES = [undefined, 'node1', 'node2'] as const;

export function anySketch(family: IPFamily, numbers = 60): fc.Arbitrary<ServiceSketch> {
  return fc
    .record({
      number: fc.integer({ min: 1, max: numbers }),
      protocol: fc.constantFrom('TCP', 'UDP', 'SCTP'),
      kind: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalIP'),
      internalLocal: fc.boolean(),
      externalLocal: fc.boolean(),
      affinity: fc.boolean(),
      ranges: fc.option(
        fc.constantFrom([addresses.allowed(family)], [addresses.allowed(family), addresses.pods(family)]),
        { nil: undefined },
      ),
      endpoints: fc
        .uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 })
        // A pod runs where it runs, whichever Services it belongs to.
        .map((numbers) => numbers.map((number) => ({ number, node: NODES[number % NODES.length] }))),
    })
    .map((parts): ServiceSketch => ({ ...parts, name: `ns/svc${parts.number}` }));
}
