/**
 * Clusters that have less than one that shows a difference.
 *
 * @typedef {import('./random-cluster.mjs').Service} Service
 * @typedef {import('./random-cluster.mjs').EndpointSlice} EndpointSlice
 * @typedef {import('./random-cluster.mjs').ClusterObject} ClusterObject
 * @typedef {Map<string, {resource: import('./random-cluster.mjs').Resource, object: ClusterObject}>} Objects
 */

/** Fields of a Service that it may lack, or its simplest value of them. */
const SIMPLEST = /** @type {const} */ ({
  ...{ selector: undefined, ipFamilyPolicy: undefined, loadBalancerClass: undefined, trafficDistribution: undefined },
  ...{ publishNotReadyAddresses: undefined, loadBalancerSourceRanges: undefined, externalIPs: undefined },
  ...{ internalTrafficPolicy: 'Cluster', externalTrafficPolicy: 'Cluster', healthCheckNodePort: undefined },
});

/**
 * From much less to little less. Each is a copy.
 *
 * @param {Objects} objects
 * @param {Service} [service] the one that differs
 * @returns {Generator<Objects>}
 */
export function* smallerClusters(objects, service) {
  const others = [...objects].filter(([, { resource, object }]) => !belongsTo(resource, object, service));
  if (service !== undefined && others.length > 0) {
    yield new Map([...objects].filter(([key]) => !others.some(([other]) => other === key)));
  }
  for (const [key, { resource }] of objects) {
    if (resource !== 'nodes') {
      yield new Map([...objects].filter(([other]) => other !== key));
    }
  }
  for (const [key, { resource, object }] of objects) {
    for (const smaller of smallerObjects(resource, object)) {
      yield new Map([...objects]).set(key, { resource, object: smaller });
    }
  }
}

/**
 * @param {string} resource
 * @param {ClusterObject} object
 * @param {Service | undefined} service
 */
function belongsTo(resource, object, service) {
  if (resource === 'nodes' || service === undefined) {
    return true;
  }
  const { name, namespace, labels } = /** @type {EndpointSlice} */ (object).metadata;
  const owner = resource === 'services' ? name : labels?.['kubernetes.io/service-name'];
  return owner === service.metadata.name && namespace === service.metadata.namespace;
}

/**
 * @param {string} resource
 * @param {ClusterObject} object
 * @returns {Generator<ClusterObject>}
 */
function* smallerObjects(resource, object) {
  if (resource === 'services') {
    yield* smallerServices(/** @type {Service} */ (object));
  } else if (resource === 'endpointslices') {
    yield* smallerSlices(/** @type {EndpointSlice} */ (object));
  }
}

/**
 * @param {Service} service
 * @returns {Generator<Service>}
 */
function* smallerServices(service) {
  const { spec } = service;
  for (const ports of withoutEach(spec.ports ?? [])) {
    if (ports.length > 0) {
      yield { ...service, spec: { ...spec, ports } };
    }
  }
  for (const [field, value] of Object.entries(SIMPLEST)) {
    if (spec[field] !== undefined && spec[field] !== value) {
      const { [field]: _removed, ...rest } = spec;
      yield {
        ...service,
        spec: /** @type {Service['spec']} */ ({ ...rest, ...(value === undefined ? {} : { [field]: value }) }),
      };
    }
  }
  if (spec.sessionAffinity === 'ClientIP') {
    const { sessionAffinityConfig: _removed, ...rest } = spec;
    yield { ...service, spec: { ...rest, sessionAffinity: 'None' } };
  }
  const ingress = service.status.loadBalancer.ingress ?? [];
  for (const fewer of withoutEach(ingress)) {
    yield { ...service, status: { loadBalancer: fewer.length === 0 ? {} : { ingress: fewer } } };
  }
  for (const ranges of withoutEach(spec.loadBalancerSourceRanges ?? [])) {
    if (ranges.length > 0) {
      yield { ...service, spec: { ...spec, loadBalancerSourceRanges: ranges } };
    }
  }
  if (service.metadata.labels !== undefined || service.metadata.annotations !== undefined) {
    const { labels: _labels, annotations: _annotations, ...metadata } = service.metadata;
    yield { ...service, metadata };
  }
}

/**
 * @param {EndpointSlice} slice
 * @returns {Generator<EndpointSlice>}
 */
function* smallerSlices(slice) {
  for (const endpoints of withoutEach(slice.endpoints)) {
    yield { ...slice, endpoints };
  }
  for (const ports of withoutEach(slice.ports ?? [])) {
    yield { ...slice, ports };
  }
  for (const [index, endpoint] of slice.endpoints.entries()) {
    const { hints, zone, ...rest } = endpoint;
    const simpler = [
      ...(hints === undefined && zone === undefined ? [] : [rest]),
      ...(Object.keys(endpoint.conditions).length === 0 ? [] : [{ ...endpoint, conditions: {} }]),
    ];
    for (const one of simpler) {
      yield { ...slice, endpoints: slice.endpoints.map((other, place) => (place === index ? one : other)) };
    }
  }
}

/**
 * @template T
 * @param {readonly T[]} list
 */
function withoutEach(list) {
  return list.map((_one, index) => list.filter((_other, place) => place !== index));
}
