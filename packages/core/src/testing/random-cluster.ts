import type { Proxier } from '../contract/proxier.js';
import { familyOf, type IPFamily, joinHostPort } from '../model/address.js';
import { ENDPOINT_WEIGHTS_ANNOTATION, SLICE_WEIGHT_ANNOTATION } from '../model/endpoint-weights.js';
import { PORT_RANGE_ANNOTATION } from '../model/port-range.js';
import { type ServiceKey, serviceKey } from '../model/service-port-name.js';
import { WHEN_ENDPOINT_GOES_ANNOTATION } from '../model/when-endpoint-goes.js';
import { type EndpointSlice, type Node, SERVICE_NAME_LABEL, type Service } from '../objects/objects.js';
import { type EndpointDescription, makeService, makeSlice } from './objects.js';
import type { Random } from './random.js';
import type { ClusterObjects } from './resolve-objects.js';

const SERVICES = ['default/a', 'default/b', 'work/a', 'work/c'];
const ZONES = ['zone-a', 'zone-b'];
const PORT_NAMES = ['', 'dns'];
const PORTS = [80, 80, 83];
/** The last of two ports has a range, the first only where it is alone. */
const PORT_RANGES = ['80-85,81-90,83-90,84-99', '80-82, 83-84', '80-99,81-99', '82-80', 'nonsense'];
const WEIGHTS = ['node/node1=3', '10.244.0.2=0, fd00:244::2=0', '10.244.0.0/31=2, node/node2=0', 'nonsense'];

/**
 * A small cluster that changes at random, and reports its objects to proxiers as a source would: few names and
 * addresses, so that slices overlap, endpoints move, and Services claim the same addresses.
 */
export class RandomCluster {
  readonly services = new Map<string, Service>();
  readonly slices = new Map<string, EndpointSlice>();
  node: Node = { metadata: { name: 'node1', labels: {} } };
  #created = 0;

  constructor(private readonly random: Random) {}

  get objects(): ClusterObjects {
    return { services: this.services.values(), slices: this.slices.values(), node: this.node };
  }

  /** Reports all objects, as after a start: in random order, Services and slices mixed. */
  list(proxier: Proxier): void {
    proxier.onNodeUpdate(this.node);
    const events = [
      ...[...this.services.values()].map((service) => () => proxier.onServiceUpdate(undefined, service)),
      ...[...this.slices.values()].map((slice) => () => proxier.onEndpointsUpdate(undefined, slice)),
    ];
    for (const event of this.random.shuffle(events)) {
      event();
    }
    for (const synced of this.random.shuffle([() => proxier.onServicesSynced(), () => proxier.onEndpointsSynced()])) {
      synced();
    }
  }

  /** Changes one object and reports it. */
  step(proxier: Proxier): void {
    const dice = this.random.next();
    if (dice < 0.3) {
      this.#changeService(proxier);
    } else if (dice < 0.9) {
      this.#changeSlice(proxier);
    } else if (dice < 0.95) {
      this.#resync(proxier);
    } else if (dice < 0.98) {
      this.#malformed(proxier);
    } else {
      const zone = this.random.pick([...ZONES, undefined]);
      this.node = { metadata: { name: 'node1', labels: zone ? { 'topology.kubernetes.io/zone': zone } : {} } };
      proxier.onNodeUpdate(this.node);
    }
  }

  #changeService(proxier: Proxier): void {
    const name = this.random.pick(SERVICES);
    const previous = this.services.get(name);
    if (previous && this.random.chance(0.3)) {
      this.services.delete(name);
      proxier.onServiceUpdate(previous, undefined);
      return;
    }
    const current = this.#randomService(name, previous);
    this.services.set(name, current);
    proxier.onServiceUpdate(previous, current);
  }

  #randomService(name: string, previous: Service | undefined): Service {
    const { random } = this;
    const index = SERVICES.indexOf(name);
    const dual = random.chance(0.7);
    const nodePort = random.chance(0.5) ? 30080 + random.below(3) : 0;
    const type = random.pick(['ClusterIP', 'NodePort', 'LoadBalancer', 'ClusterIP', 'ExternalName']);
    const protocol = random.pick(['TCP', 'UDP']);
    const firstPort = random.pick(PORTS);
    return makeService(
      name,
      {
        type,
        clusterIP: random.chance(0.05) ? 'None' : `10.96.0.${index}`,
        clusterIPs: [`10.96.0.${index}`, ...(dual ? [`fd00:96::${index}`] : [])],
        ports: PORT_NAMES.slice(0, 1 + random.below(2)).map((portName, offset) => ({
          name: portName,
          protocol,
          port: firstPort + offset,
          ...(nodePort === 0 ? {} : { nodePort: nodePort + offset }),
        })),
        externalIPs: random.chance(0.3) ? [`198.51.100.${random.below(2)}`, 'fd00:e::1'] : [],
        externalTrafficPolicy: random.pick(['Cluster', 'Local']),
        internalTrafficPolicy: random.pick(['Cluster', 'Cluster', 'Local']),
        healthCheckNodePort: 32000 + index,
        ...(random.chance(0.3) ? { sessionAffinity: 'ClientIP' } : {}),
        ...(random.chance(0.3) ? { loadBalancerSourceRanges: ['203.0.113.0/24'] } : {}),
      },
      {
        metadata: {
          ...(previous?.metadata ?? {
            name: name.slice(name.indexOf('/') + 1),
            namespace: name.slice(0, name.indexOf('/')),
            creationTimestamp: new Date(1000 * this.#created++),
          }),
          annotations: {
            ...(random.chance(0.3) ? { [ENDPOINT_WEIGHTS_ANNOTATION]: random.pick(WEIGHTS) } : {}),
            ...(random.chance(0.3) ? { [WHEN_ENDPOINT_GOES_ANNOTATION]: random.pick(['reset', 'keep', 'other']) } : {}),
            ...(random.chance(0.6) ? { [PORT_RANGE_ANNOTATION]: random.pick(PORT_RANGES) } : {}),
          },
        },
        status: { loadBalancer: { ingress: random.chance(0.5) ? [{ ip: `192.0.2.${random.below(2)}` }] : [] } },
      },
    );
  }

  #changeSlice(proxier: Proxier): void {
    const { random } = this;
    const service = random.pick(SERVICES);
    const family: IPFamily = random.pick(['IPv4', 'IPv4', 'IPv6']);
    const namespace = service.slice(0, service.indexOf('/'));
    const name = `${random.pick(['x', 'y', service.slice(namespace.length + 1)])}-${random.below(2)}-${family.toLowerCase()}`;
    const key = `${namespace}/${name}`;
    const previous = this.slices.get(key);
    if (previous && random.chance(0.25)) {
      this.slices.delete(key);
      proxier.onEndpointsUpdate(previous, undefined);
      return;
    }
    const current = this.#randomSlice(service, name, family);
    this.slices.set(key, current);
    proxier.onEndpointsUpdate(previous, current);
  }

  #randomSlice(service: string, name: string, family: IPFamily): EndpointSlice {
    const { random } = this;
    const endpoints = Array.from({ length: random.below(4) }, (): EndpointDescription => {
      const number = 1 + random.below(5);
      const ready = random.chance(0.6);
      return {
        address: family === 'IPv4' ? `10.244.0.${number}` : `fd00:244::${number}`,
        node: number < 3 ? 'node1' : 'node2',
        ready,
        serving: ready || random.chance(0.6),
        terminating: !ready && random.chance(0.6),
        ...(random.chance(0.5) ? { zones: [random.pick(ZONES)] } : {}),
        ...(random.chance(0.2) ? { nodes: [random.pick(['node1', 'node2'])] } : {}),
      };
    });
    const ports = PORT_NAMES.slice(0, 1 + random.below(2)).map((portName) => ({
      name: portName,
      protocol: random.pick(['TCP', 'UDP']),
      port: random.pick([8080, 8081, 80, 80, 81, 83, 65_530]),
    }));
    const annotations = random.chance(0.2) ? { [SLICE_WEIGHT_ANNOTATION]: random.pick(['0', '1', '5']) } : {};
    return makeSlice(service, endpoints, { name, addressType: family, ports, annotations });
  }

  /** Events without a change (spec W-5). */
  #resync(proxier: Proxier): void {
    for (const service of this.services.values()) {
      proxier.onServiceUpdate(service, structuredClone(service));
    }
    for (const slice of this.slices.values()) {
      proxier.onEndpointsUpdate(slice, structuredClone(slice));
    }
  }

  /** Objects that no API server sends; they must change nothing. */
  #malformed(proxier: Proxier): void {
    const { random } = this;
    const service = random.pick([...this.services.values(), undefined]);
    const slice = random.pick([...this.slices.values(), undefined]);
    if (service?.spec && random.chance(0.5)) {
      proxier.onServiceUpdate(service, {
        ...service,
        spec: { ...service.spec, clusterIP: '10.0.0.1\n-A INPUT', clusterIPs: [] },
      });
    } else if (slice) {
      proxier.onEndpointsUpdate(slice, { ...slice, addressType: 'carrier pigeon' });
    }
  }
}

/** Every endpoint (`address:port`) of a Service in the slices, by Service and family. */
export function endpointsOf(slices: Iterable<EndpointSlice>, family: IPFamily): Map<ServiceKey, Set<string>> {
  const found = new Map<ServiceKey, Set<string>>();
  for (const slice of slices) {
    const { namespace = '', labels } = slice.metadata ?? {};
    const service = serviceKey({ namespace, name: labels?.[SERVICE_NAME_LABEL] ?? '' });
    const set = found.get(service) ?? new Set();
    found.set(service, set);
    for (const { addresses = [] } of slice.endpoints ?? []) {
      const address = addresses[0] ?? '';
      if (familyOf(address) !== family) {
        continue;
      }
      for (const { port } of slice.ports ?? []) {
        set.add(joinHostPort(address, port ?? 0));
      }
    }
  }
  return found;
}
