/**
 * Random Services, EndpointSlices and a Node, and random changes of them, for `npm run compare-kube-proxy`. They are as an
 * API server stores them: with defaults, and without what its validation refuses.
 *
 * @typedef {import('@kube-proxier/core/testing').Random} Random
 * @typedef {'services' | 'endpointslices' | 'nodes'} Resource
 * @typedef {'TCP' | 'UDP' | 'SCTP'} Protocol
 * @typedef {'IPv4' | 'IPv6'} IPFamily
 *
 * @typedef {object} ServicePort
 * @property {string} [name]
 * @property {Protocol} protocol
 * @property {number} port
 * @property {number} [nodePort]
 * @property {number} [targetPort]
 *
 * @typedef {object} Service
 * @property {{name: string, namespace: string, labels?: Record<string, string>, annotations?: Record<string, string>, creationTimestamp?: string}} metadata
 * @property {Record<string, any> & {type: string, ports?: ServicePort[], clusterIPs?: string[]}} spec
 * @property {{loadBalancer: {ingress?: {ip?: string, hostname?: string, ipMode?: string}[]}}} status
 *
 * @typedef {object} Endpoint
 * @property {string[]} addresses
 * @property {{ready?: boolean, serving?: boolean, terminating?: boolean}} conditions
 * @property {string} [nodeName]
 * @property {string} [zone]
 * @property {{forZones?: {name: string}[], forNodes?: {name: string}[]} | undefined} [hints]
 *
 * @typedef {object} EndpointSlice
 * @property {{name: string, namespace: string, labels?: Record<string, string>}} metadata
 * @property {string} addressType
 * @property {{name?: string, protocol?: Protocol, port?: number}[] | undefined} [ports]
 * @property {Endpoint[]} endpoints
 *
 * @typedef {object} Node
 * @property {{name: string, labels: Record<string, string>}} metadata
 * @property {{podCIDRs: string[], podCIDR: string, taints?: object[]}} spec
 * @property {{addresses: {type: string, address: string}[]}} status
 *
 * @typedef {Service | EndpointSlice | Node} ClusterObject
 */

/** Services at the same time, at most. */
export const SLOTS = 6;
export const NODE_NAME = 'node1';
export const OTHER_NODE_NAME = 'node2';
const FAMILIES = /** @type {const} */ (['IPv4', 'IPv6']);
/** Of Services. */
export const PORTS = [80, 81];
/** Of endpoints. Processes in the host network have other ones. */
export const TARGET_PORTS = [8080, 8081];
export const HOST_PORTS = [9080, 9081];
const ZONES = ['a', 'b'];
const SOURCE_RANGES = [
  ...[
    '203.0.113.0/25',
    '203.0.113.128/25',
    '10.244.0.0/24',
    '192.168.0.0/24',
    '192.168.1.2/32',
    '0.0.0.0/0',
    '10.244.0.11/32',
  ],
  ...['2001:db8:203::/64', '2001:db8:203:80::/64', 'fd00:10:244::/64', 'fd00:192:168::/64', '::/0'],
  ' 203.0.113.2/32',
];

/** Addresses that endpoints have, with the node that they are on. */
export const ENDPOINT_ADDRESSES = [
  ...[11, 12, 13].map((number) => ({
    IPv4: `10.244.0.${number}`,
    IPv6: `fd00:10:244::${number}`,
    node: NODE_NAME,
    host: false,
  })),
  ...[11, 12].map((number) => ({
    IPv4: `10.244.7.${number}`,
    IPv6: `fd00:10:244:7::${number}`,
    node: OTHER_NODE_NAME,
    host: false,
  })),
  { IPv4: '192.168.0.2', IPv6: 'fd00:192:168::2', node: NODE_NAME, host: true },
  { IPv4: '192.168.0.3', IPv6: 'fd00:192:168::3', node: OTHER_NODE_NAME, host: true },
];

/**
 * @param {number} slot
 * @param {IPFamily} family
 */
export const clusterIPOf = (slot, family, second = false) =>
  family === 'IPv4' ? `10.96.${second ? 1 : 0}.${slot + 10}` : `fd00:10:96::${second ? '1' : '0'}:${slot + 10}`;
/** @param {number} slot @param {IPFamily} family */
export const loadBalancerIPOf = (slot, family) =>
  family === 'IPv4' ? `198.51.100.${slot + 10}` : `2001:db8:51::${slot + 10}`;
/** @param {number} slot @param {IPFamily} family */
export const externalIPOf = (slot, family) =>
  family === 'IPv4' ? `198.18.0.${slot + 10}` : `2001:db8:18::${slot + 10}`;
/** @param {number} slot @param {number} port */
export const nodePortOf = (slot, port) => 30_000 + slot * 10 + (port - 80);
/** @param {number} slot */
export const healthCheckNodePortOf = (slot) => 31_000 + slot;

/** A cluster that changes at random. */
export class RandomCluster {
  /** @type {Map<string, {resource: Resource, object: ClusterObject}>} */
  objects = new Map();

  /**
   * @param {Random} random
   * @param {(resource: Resource, before: ClusterObject | undefined, after: ClusterObject | undefined) => void} [onChange]
   */
  constructor(random, onChange = () => {}) {
    this.random = random;
    this.onChange = onChange;
  }

  begin() {
    this.putNode();
    for (let slot = 0; slot < SLOTS; slot += 1) {
      if (this.random.chance(0.9)) {
        this.putService(slot);
        this.putSlices(slot);
      }
    }
  }

  /** Changes one thing. */
  change() {
    const { random } = this;
    const slot = random.below(SLOTS);
    const dice = random.next();
    if (dice < 0.3) {
      this.putService(slot);
    } else if (dice < 0.45) {
      this.alterService(slot);
    } else if (dice < 0.5) {
      this.remove('services', serviceName(slot).name, serviceName(slot).namespace);
    } else if (dice < 0.75) {
      this.putSlice(slot, random.below(3), random.pick(FAMILIES));
    } else if (dice < 0.85) {
      this.alterSlice(slot, random.below(3), random.pick(FAMILIES));
    } else if (dice < 0.92) {
      this.remove(
        'endpointslices',
        sliceName(slot, random.below(3), random.pick(FAMILIES)),
        serviceName(slot).namespace,
      );
    } else if (dice < 0.95) {
      this.putSlices(slot);
    } else {
      this.putNode();
    }
  }

  /**
   * @param {Resource} resource
   * @param {ClusterObject} object
   */
  put(resource, object) {
    if (resource === 'services') {
      object = this.withoutConflicts(/** @type {Service} */ (object));
    }
    const key = keyOf(resource, object.metadata);
    const before = this.objects.get(key)?.object;
    this.objects.set(key, { resource, object });
    this.onChange(resource, before, object);
  }

  /**
   * @param {Resource} resource
   * @param {string} name
   * @param {string} namespace
   */
  remove(resource, name, namespace) {
    const key = keyOf(resource, { name, namespace });
    const before = this.objects.get(key)?.object;
    if (before !== undefined) {
      this.objects.delete(key);
      this.onChange(resource, before, undefined);
    }
  }

  /** @returns {Service[]} */
  get services() {
    return [...this.objects.values()].flatMap(({ resource, object }) =>
      resource === 'services' ? [/** @type {Service} */ (object)] : [],
    );
  }

  /** @returns {EndpointSlice[]} */
  get slices() {
    return [...this.objects.values()].flatMap(({ resource, object }) =>
      resource === 'endpointslices' ? [/** @type {EndpointSlice} */ (object)] : [],
    );
  }

  putNode() {
    const { random } = this;
    const zone = random.pick([...ZONES, undefined, '']);
    this.put('nodes', {
      metadata: {
        name: NODE_NAME,
        labels: {
          'kubernetes.io/hostname': NODE_NAME,
          ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
          ...(random.chance(0.1) ? { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } : {}),
        },
      },
      spec: {
        podCIDR: '10.244.0.0/24',
        podCIDRs: ['10.244.0.0/24', 'fd00:10:244::/64'],
        ...(random.chance(0.1) ? { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] } : {}),
      },
      status: {
        addresses: ['192.168.0.2', 'fd00:192:168::2'].map((address) => ({ type: 'InternalIP', address })),
      },
    });
  }

  /** @param {number} slot */
  putService(slot) {
    this.put('services', this.randomService(slot));
  }

  /**
   * Two Services may share a load balancer IP if their ports differ: which of them gets a port that both have is not defined in kube-proxy.
   *
   * @param {Service} service
   * @returns {Service}
   */
  withoutConflicts(service) {
    const taken = new Set(
      this.services
        .filter(({ metadata }) => !isSame(metadata, service.metadata))
        .flatMap((other) => portsOfIngress(other)),
    );
    const ingress = service.status.loadBalancer.ingress?.filter(
      (one) => !portsOfIngress(service, [one]).some((port) => taken.has(port)),
    );
    return { ...service, status: { loadBalancer: ingress === undefined ? {} : { ingress } } };
  }

  /**
   * A Service with some fields of another one.
   *
   * @param {number} slot
   */
  alterService(slot) {
    const { random } = this;
    const current = this.services.find(({ metadata }) => isSlot(metadata, slot));
    if (current === undefined) {
      this.putService(slot);
      return;
    }
    const other = this.randomService(slot);
    if (current.spec.type !== other.spec.type || current.spec.clusterIP === 'None' || other.spec.clusterIP === 'None') {
      this.put('services', other);
      return;
    }
    const field = random.pick([
      ...['ports', 'sessionAffinity', 'internalTrafficPolicy', 'externalTrafficPolicy', 'externalIPs'],
      ...['loadBalancerSourceRanges', 'status', 'labels', 'families'],
    ]);
    const spec = { ...current.spec };
    const fields = /** @type {Record<string, string[]>} */ ({
      sessionAffinity: ['sessionAffinity', 'sessionAffinityConfig'],
      externalTrafficPolicy: ['externalTrafficPolicy', 'healthCheckNodePort'],
      externalIPs: ['externalIPs', 'externalTrafficPolicy', 'healthCheckNodePort'],
      families: ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'],
    })[field] ?? [field];
    for (const name of field === 'status' || field === 'labels' ? [] : fields) {
      spec[name] = other.spec[name];
    }
    this.put('services', {
      metadata: field === 'labels' ? other.metadata : current.metadata,
      spec,
      status: field === 'status' ? other.status : current.status,
    });
  }

  /**
   * @param {number} slot
   * @returns {Service}
   */
  randomService(slot) {
    const { random } = this;
    const type = random.pick([
      'ClusterIP',
      'ClusterIP',
      'NodePort',
      'NodePort',
      'LoadBalancer',
      'LoadBalancer',
      'LoadBalancer',
      'ExternalName',
    ]);
    const ports = this.randomPorts(slot, type);
    const metadata = {
      ...serviceName(slot),
      creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, slot)).toISOString().replace('.000', ''),
      ...(random.chance(0.04) ? { labels: { 'service.kubernetes.io/service-proxy-name': 'other' } } : {}),
      ...(random.chance(0.1) ? { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } } : {}),
    };
    if (type === 'ExternalName' && random.chance(0.6)) {
      return {
        metadata,
        spec: { type, externalName: 'web.example', ports, sessionAffinity: 'None' },
        status: { loadBalancer: {} },
      };
    }
    const usedType = type === 'ExternalName' ? 'ClusterIP' : type;
    /** @type {IPFamily[]} */
    const ipFamilies = random.pick([['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4']]);
    const headless = usedType === 'ClusterIP' && random.chance(0.08);
    const second = random.chance(0.1);
    const clusterIPs = headless ? ['None'] : ipFamilies.map((family) => clusterIPOf(slot, family, second));
    const externalIPs = random.chance(0.3)
      ? FAMILIES.filter(() => random.chance(0.7)).map((family) => externalIPOf(slot, family))
      : [];
    const external = usedType !== 'ClusterIP' || externalIPs.length > 0;
    const local = external && random.chance(0.45);
    const affinity = random.chance(0.2);
    const isLoadBalancer = usedType === 'LoadBalancer';
    return {
      metadata,
      spec: {
        type: usedType,
        clusterIP: clusterIPs[0],
        clusterIPs,
        ipFamilies,
        ipFamilyPolicy: ipFamilies.length === 2 ? 'PreferDualStack' : 'SingleStack',
        ports,
        selector: { app: 'web' },
        internalTrafficPolicy: random.chance(0.3) ? 'Local' : 'Cluster',
        ...(external ? { externalTrafficPolicy: local ? 'Local' : 'Cluster' } : {}),
        ...(externalIPs.length > 0 ? { externalIPs } : {}),
        ...(affinity
          ? {
              sessionAffinity: 'ClientIP',
              sessionAffinityConfig: { clientIP: { timeoutSeconds: random.pick([3600, 10_800, 86_400]) } },
            }
          : { sessionAffinity: 'None' }),
        ...(isLoadBalancer && local ? { healthCheckNodePort: healthCheckNodePortOf(slot) } : {}),
        ...(isLoadBalancer && random.chance(0.35)
          ? { loadBalancerSourceRanges: random.shuffle(SOURCE_RANGES).slice(0, 1 + random.below(3)) }
          : {}),
        ...(isLoadBalancer && random.chance(0.15) ? { loadBalancerClass: 'example.com/other' } : {}),
        ...(random.chance(0.2)
          ? { trafficDistribution: random.pick(['PreferSameZone', 'PreferSameNode', 'PreferClose']) }
          : {}),
        ...(random.chance(0.1) ? { publishNotReadyAddresses: true } : {}),
      },
      status: { loadBalancer: isLoadBalancer || random.chance(0.05) ? { ingress: this.randomIngress(slot) } : {} },
    };
  }

  /** @param {number} slot */
  randomIngress(slot) {
    const { random } = this;
    /** @type {{ip?: string, hostname?: string, ipMode?: string}[]} */
    const ingress = [];
    for (const family of FAMILIES) {
      if (random.chance(0.7)) {
        const mode = random.pick([undefined, 'VIP', 'VIP', 'Proxy']);
        ingress.push({ ip: loadBalancerIPOf(slot, family), ...(mode === undefined ? {} : { ipMode: mode }) });
      }
    }
    if (random.chance(0.25)) {
      ingress.push({ ip: loadBalancerIPOf(slot ^ 1, random.pick(FAMILIES)) });
    }
    if (random.chance(0.2)) {
      ingress.push({ hostname: 'balancer.example' });
    }
    if (random.chance(0.15)) {
      ingress.push({ ip: externalIPOf(slot, 'IPv4'), ipMode: 'VIP' });
    }
    return random.shuffle(ingress);
  }

  /**
   * @param {number} slot
   * @param {string} type
   * @returns {ServicePort[]}
   */
  randomPorts(slot, type) {
    const { random } = this;
    const count = 1 + random.below(3);
    const withNodePorts = type === 'NodePort' || (type === 'LoadBalancer' && random.chance(0.85));
    /** @type {ServicePort[]} */
    const ports = [];
    for (const name of random.shuffle(['http', 'alt', 'dns']).slice(0, count)) {
      const protocol = random.pick(/** @type {const} */ (['TCP', 'TCP', 'UDP', 'UDP', 'SCTP']));
      const port = random.pick(PORTS);
      if (!ports.some((other) => other.port === port && other.protocol === protocol)) {
        ports.push({
          name,
          protocol,
          port,
          targetPort: random.pick(TARGET_PORTS),
          ...(withNodePorts ? { nodePort: nodePortOf(slot, port) } : {}),
        });
      }
    }
    if (ports.length === 1 && random.chance(0.5) && ports[0]) {
      delete ports[0].name;
    }
    return ports;
  }

  /** @param {number} slot */
  putSlices(slot) {
    for (const family of FAMILIES) {
      for (let index = 0; index < 3; index += 1) {
        if (this.random.chance([0.9, 0.4, 0.15][index] ?? 0)) {
          this.putSlice(slot, index, family);
        } else {
          this.remove('endpointslices', sliceName(slot, index, family), serviceName(slot).namespace);
        }
      }
    }
  }

  /**
   * @param {number} slot
   * @param {number} index
   * @param {IPFamily} family
   */
  putSlice(slot, index, family) {
    this.put('endpointslices', this.randomSlice(slot, index, family));
  }

  /**
   * The same slice with other endpoints, other conditions, or other ports.
   *
   * @param {number} slot
   * @param {number} index
   * @param {IPFamily} family
   */
  alterSlice(slot, index, family) {
    const name = sliceName(slot, index, family);
    const { namespace } = serviceName(slot);
    const current = this.slices.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    if (current === undefined) {
      this.putSlice(slot, index, family);
      return;
    }
    const other = this.randomSlice(slot, index, family);
    if (other.addressType !== current.addressType) {
      this.put('endpointslices', other);
      return;
    }
    const what = this.random.pick(['endpoints', 'conditions', 'conditions', 'hints', 'ports', 'labels']);
    if (what === 'endpoints') {
      this.put('endpointslices', { ...current, endpoints: other.endpoints });
    } else if (what === 'ports') {
      this.put('endpointslices', { ...current, ports: other.ports });
    } else if (what === 'labels') {
      this.put('endpointslices', { ...current, metadata: other.metadata });
    } else {
      const endpoints = current.endpoints.map((endpoint) => ({
        ...endpoint,
        ...(what === 'hints' ? { hints: this.randomHints() } : { conditions: this.randomConditions() }),
      }));
      this.put('endpointslices', { ...current, endpoints });
    }
  }

  /**
   * @param {number} slot
   * @param {number} index
   * @param {IPFamily} family
   * @returns {EndpointSlice}
   */
  randomSlice(slot, index, family) {
    const { random } = this;
    const moved = random.chance(0.02);
    const owner = serviceName(moved ? (slot + 2) % SLOTS : slot);
    const service = this.services.find(({ metadata }) => isSlot(metadata, slot));
    const addressType = random.chance(0.03) ? 'FQDN' : family;
    const hinted = random.chance(0.4);
    const names =
      random.chance(0.85) && service?.spec.ports
        ? service.spec.ports
        : [{ name: 'http', protocol: /** @type {const} */ ('TCP') }];
    const host = random.chance(0.1);
    const ports = names.flatMap(({ name, protocol }) =>
      random.chance(0.93)
        ? [
            {
              name: random.chance(0.97) ? (name ?? '') : 'other',
              protocol,
              ...(random.chance(0.98) ? { port: random.pick(host ? HOST_PORTS : TARGET_PORTS) } : {}),
            },
          ]
        : [],
    );
    const labels = {
      ...(random.chance(0.99) ? { 'kubernetes.io/service-name': owner.name } : {}),
      ...(random.chance(0.02) ? { 'service.kubernetes.io/headless': '' } : {}),
      ...(random.chance(0.02) ? { 'endpointslice.kubernetes.io/managed-by': 'other' } : {}),
    };
    return {
      metadata: {
        // The type of addresses cannot change.
        name: `${sliceName(slot, index, family)}${addressType === 'FQDN' ? '-names' : ''}`,
        namespace: serviceName(slot).namespace,
        labels,
      },
      addressType,
      ...(random.chance(0.97) ? { ports } : {}),
      endpoints: random
        .shuffle(ENDPOINT_ADDRESSES.filter((address) => address.host === host))
        .slice(0, random.below(4))
        .map((address) => {
          const nodeName = random.chance(0.05) ? undefined : address.node;
          return {
            addresses: [addressType === 'FQDN' ? 'web.example' : /** @type {string} */ (address[family])],
            conditions: this.randomConditions(),
            ...(nodeName === undefined ? {} : { nodeName }),
            ...(random.chance(0.5) ? { zone: random.pick(ZONES) } : {}),
            ...(hinted && random.chance(0.93) ? { hints: this.randomHints() } : {}),
          };
        }),
    };
  }

  /** @returns {Endpoint['conditions']} */
  randomConditions() {
    const { random } = this;
    return random.pick([
      ...[
        {},
        { ready: true },
        { ready: true, serving: true, terminating: false },
        { ready: true, serving: true, terminating: false },
      ],
      ...[
        { ready: false },
        { ready: false, serving: false, terminating: false },
        { ready: false, serving: true, terminating: true },
      ],
      ...[{ ready: false, serving: false, terminating: true }, { ready: false, terminating: true }, { serving: true }],
      ...[{ ready: false, serving: true }, { ready: true, serving: true, terminating: true }, { terminating: true }],
    ]);
  }

  /** @returns {Endpoint['hints']} */
  randomHints() {
    const { random } = this;
    const zones = random.shuffle(ZONES).slice(0, random.below(3));
    const nodes = random.chance(0.4) ? [random.pick([NODE_NAME, OTHER_NODE_NAME])] : [];
    return {
      ...(zones.length === 0 ? {} : { forZones: zones.map((name) => ({ name })) }),
      ...(nodes.length === 0 ? {} : { forNodes: nodes.map((name) => ({ name })) }),
    };
  }
}

/**
 * Every second Service has the name of the one before it, in another namespace.
 *
 * @param {number} slot
 */
export function serviceName(slot) {
  return { name: `s${slot >> 1}`, namespace: slot % 2 === 0 ? 'one' : 'two' };
}

/** @param {Service} service */
const portsOfIngress = ({ spec, status }, ingress = status.loadBalancer.ingress ?? []) =>
  ingress.flatMap(({ ip }) =>
    ip === undefined ? [] : (spec.ports ?? []).map(({ port, protocol }) => `${protocol} ${ip} ${port}`),
  );

/** @param {{name: string, namespace?: string}} one @param {{name: string, namespace?: string}} other */
const isSame = (one, other) => one.name === other.name && one.namespace === other.namespace;

/** @param {{name: string, namespace?: string}} metadata @param {number} slot */
const isSlot = (metadata, slot) =>
  metadata.name === serviceName(slot).name && metadata.namespace === serviceName(slot).namespace;

/**
 * @param {number} slot
 * @param {number} index
 * @param {IPFamily} family
 */
const sliceName = (slot, index, family) => `${serviceName(slot).name}-${family.toLowerCase()}-${index}`;

/** @param {Resource} resource @param {{name: string, namespace?: string}} metadata */
export const keyOf = (resource, { name, namespace = '' }) => `${resource}/${namespace}/${name}`;
