/**
 * @typedef {import('@kube-proxier/source-kubernetes/testing').ApiObjectStore} ApiObjectStore
 * @typedef {Parameters<ApiObjectStore['put']>[0]} ApiResource
 * @typedef {Parameters<ApiObjectStore['put']>[1]} ApiObject
 */

/** How many Services change. */
export const SERVICES = 200;
const NAMESPACE = 'soak';
/** One marker in so many is taken away again half a run later. */
const MARKERS_GONE = 2;

/**
 * What changes while a soak runs: {@link SERVICES} Services that come, go and change at random, and markers, each a
 * Service that is put once and never touched again (or once more, to take it away), so that an event that was lost
 * shows at the end.
 */
export class SoakCluster {
  changes = 0;
  /** Markers that were put, and those of them that were taken away. */
  markers = { put: 0, taken: 0 };

  /**
   * @param {ApiObjectStore} store
   * @param {import('@kube-proxier/core/testing').Random} random
   */
  constructor(store, random) {
    this.store = store;
    this.random = random;
    store.put('servicecidrs', { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16', 'fd00:96::/112'] } });
    this.changeNode();
    for (let index = 0; index < SERVICES; index += 1) {
      this.putService(index);
      this.putSlice(index, 'IPv4');
      this.putSlice(index, 'IPv6');
    }
  }

  /** Changes one thing. */
  change() {
    const { random } = this;
    const index = random.below(SERVICES);
    const dice = random.next();
    if (dice < 0.25) {
      this.putService(index);
    } else if (dice < 0.33) {
      this.remove('services', `s${index}`);
    } else if (dice < 0.9) {
      this.putSlice(index, random.pick(['IPv4', 'IPv4', 'IPv6']));
    } else if (dice < 0.98) {
      this.remove('endpointslices', `s${index}-ipv${random.pick([4, 6])}`);
    } else {
      this.changeNode();
    }
  }

  /** Puts a marker, and takes an older one away now and then. */
  mark() {
    const number = this.markers.put;
    this.markers.put += 1;
    const address = `10.96.${128 + (number >> 8)}.${number & 255}`;
    this.put('services', {
      metadata: { name: `marker${number}`, namespace: NAMESPACE },
      spec: { type: 'ClusterIP', clusterIP: address, clusterIPs: [address], ports: [{ port: 80, protocol: 'TCP' }] },
    });
    this.put('endpointslices', {
      metadata: {
        name: `marker${number}`,
        namespace: NAMESPACE,
        labels: { 'kubernetes.io/service-name': `marker${number}` },
      },
      addressType: 'IPv4',
      ports: [{ port: 8080, protocol: 'TCP' }],
      endpoints: [{ addresses: [`10.244.${128 + (number >> 8)}.${number & 255}`] }],
    });
    if (number % MARKERS_GONE === MARKERS_GONE - 1) {
      const old = number >> 1;
      this.remove('endpointslices', `marker${old}`);
      this.remove('services', `marker${old}`);
      this.markers.taken += 1;
    }
  }

  /** Everything there is, as manifests: what a fresh load would be made from. */
  manifests() {
    /** @type {[resource: ApiResource, apiVersion: string, kind: string][]} */
    const kinds = [
      ['servicecidrs', 'networking.k8s.io/v1', 'ServiceCIDR'],
      ['nodes', 'v1', 'Node'],
      ['services', 'v1', 'Service'],
      ['endpointslices', 'discovery.k8s.io/v1', 'EndpointSlice'],
    ];
    return kinds
      .flatMap(([resource, apiVersion, kind]) =>
        this.store.list(resource).map((object) => JSON.stringify({ apiVersion, kind, ...object })),
      )
      .join('\n---\n');
  }

  /** @param {number} index */
  putService(index) {
    const { random } = this;
    const ipv4 = `10.96.0.${index}`;
    const ipv6 = `fd00:96::${index.toString(16)}`;
    const type = random.pick(['ClusterIP', 'ClusterIP', 'NodePort', 'LoadBalancer']);
    const headless = random.chance(0.05);
    const local = type !== 'ClusterIP' && random.chance(0.3);
    const ports = ['http', 'dns'].slice(0, 1 + random.below(2)).map((name, offset) => ({
      name,
      protocol: name === 'dns' ? 'UDP' : 'TCP',
      port: 80 + offset + random.below(3) * 100,
      ...(type === 'ClusterIP' ? {} : { nodePort: 30_000 + 2 * index + offset }),
    }));
    const isLoadBalancer = type === 'LoadBalancer';
    this.put('services', {
      metadata: {
        name: `s${index}`,
        namespace: NAMESPACE,
        labels: random.chance(0.05) ? { 'service.kubernetes.io/service-proxy-name': 'other' } : {},
      },
      spec: {
        type: headless ? 'ClusterIP' : type,
        clusterIP: headless ? 'None' : ipv4,
        clusterIPs: headless ? ['None'] : [ipv4, ...(random.chance(0.7) ? [ipv6] : [])],
        ports: headless ? ports.map(({ nodePort, ...port }) => port) : ports,
        internalTrafficPolicy: random.chance(0.1) ? 'Local' : 'Cluster',
        ...(local && !headless ? { externalTrafficPolicy: 'Local' } : {}),
        ...(random.chance(0.15)
          ? { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } } }
          : {}),
        ...(isLoadBalancer && random.chance(0.3) ? { loadBalancerSourceRanges: ['203.0.113.0/24'] } : {}),
      },
      status: isLoadBalancer && !headless ? { loadBalancer: { ingress: [{ ip: `198.51.100.${index}` }] } } : {},
    });
  }

  /**
   * @param {number} index
   * @param {'IPv4' | 'IPv6'} family
   */
  putSlice(index, family) {
    const { random } = this;
    const number = (/** @type {number} */ endpoint) => 1 + ((4 * index + endpoint) % 250);
    const endpoints = Array.from({ length: random.below(4) }, (_, endpoint) => ({
      addresses: [
        family === 'IPv4'
          ? `10.244.${index >> 3}.${number(endpoint)}`
          : `fd00:244::${(4 * index + endpoint + 1).toString(16)}`,
      ],
      nodeName: random.pick(['node1', 'node2']),
      conditions: { ready: random.chance(0.8), serving: true, terminating: false },
    }));
    this.put('endpointslices', {
      metadata: {
        name: `s${index}-${family.toLowerCase()}`,
        namespace: NAMESPACE,
        labels: { 'kubernetes.io/service-name': `s${index}` },
      },
      addressType: family,
      ports: [
        { name: 'http', port: 8080, protocol: 'TCP' },
        { name: 'dns', port: 5353, protocol: 'UDP' },
      ],
      endpoints,
    });
  }

  changeNode() {
    const zone = this.random.pick(['a', 'b']);
    this.put('nodes', {
      metadata: { name: 'node1', labels: { 'topology.kubernetes.io/zone': zone } },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.10' }] },
    });
  }

  /**
   * @param {ApiResource} resource
   * @param {ApiObject} object
   */
  put(resource, object) {
    this.changes += 1;
    this.store.put(resource, object);
  }

  /**
   * @param {ApiResource} resource
   * @param {string} name
   */
  remove(resource, name) {
    this.changes += this.store.delete(resource, name, NAMESPACE) ? 1 : 0;
  }
}
