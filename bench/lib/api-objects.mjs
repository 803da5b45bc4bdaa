import { address, clusterIP, podAddress } from './cluster.mjs';

/**
 * As large as real ones: an API server sends more than a proxy reads.
 *
 * @param {readonly string[]} fields
 */
function managedFields(fields) {
  return [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-11-20T22:03:43Z',
      fieldsType: 'FieldsV1',
      fieldsV1: Object.fromEntries(fields.map((field) => [`f:${field}`, { '.': {}, 'f:kubernetes.io/name': {} }])),
    },
  ];
}

/**
 * A Service as an API server sends it.
 *
 * @param {number} index
 * @param {number} [port]
 */
export function apiService(index, port = 80) {
  const address = clusterIP(index);
  return {
    metadata: {
      name: `svc-${index}`,
      namespace: `team-${index % 50}`,
      labels: { app: `svc-${index}`, 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': `svc-${index}` },
      managedFields: managedFields(['spec', 'ports', 'selector', 'type', 'sessionAffinity', 'internalTrafficPolicy']),
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: address,
      clusterIPs: [address],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      selector: { app: `svc-${index}` },
      ports: [{ name: 'http', port, protocol: 'TCP', targetPort: 8080 }],
    },
    status: { loadBalancer: {} },
  };
}

/**
 * An EndpointSlice as an API server sends it.
 *
 * @param {number} index
 * @param {number} endpoints
 */
export function apiSlice(index, endpoints) {
  return {
    metadata: {
      name: `svc-${index}-x7k2p`,
      generateName: `svc-${index}-`,
      namespace: `team-${index % 50}`,
      labels: {
        'kubernetes.io/service-name': `svc-${index}`,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        app: `svc-${index}`,
      },
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-11-20T22:03:43Z' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: `svc-${index}`, controller: true }],
      managedFields: managedFields(['addressType', 'endpoints', 'metadata', 'ports']),
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: Array.from({ length: endpoints }, (_, offset) => ({
      addresses: [podAddress(index * endpoints + offset)],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: `node${index % 100}`,
      zone: `zone-${index % 3}`,
      targetRef: { kind: 'Pod', namespace: `team-${index % 50}`, name: `svc-${index}-7d9c5b8f6d-x${offset}`, uid: 'u' },
    })),
  };
}

/**
 * A change that no other is: one endpoint is replaced by one at an address that no other has.
 *
 * @param {number} index of the Service
 * @param {number} endpoints of each
 * @param {number} number of the change
 */
export function changedSlice(index, endpoints, number) {
  const slice = apiSlice(index, endpoints);
  const [first] = slice.endpoints;
  if (first) {
    first.addresses = [freshAddress(number)];
  }
  return slice;
}

/**
 * The address that a change brings.
 *
 * @param {number} number of the change
 */
export const freshAddress = (number) => address(198, number);
