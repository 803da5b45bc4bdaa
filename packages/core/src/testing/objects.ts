import type { EndpointSlice, Service } from '../objects/objects.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type ServiceSpec = NonNullable<Service['spec']>;
type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

/** A Service with one TCP port 80, as an API server would send it; `spec` overrides the defaults. */
export function makeService(
  name: string,
  spec: Partial<Mutable<ServiceSpec>> = {},
  rest: { readonly metadata?: Service['metadata']; readonly status?: NonNullable<Service['status']> } = {},
): Service {
  const [namespace, short] = splitName(name);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: short, namespace, ...rest.metadata },
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.10', ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    ...(rest.status ? { status: rest.status } : {}),
  };
}

/** Input of {@link makeSlice} for an endpoint; a plain address is a ready endpoint without a node. */
export interface EndpointDescription {
  readonly address: string;
  readonly node?: string;
  /** Name of the pod. */
  readonly pod?: string;
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
  readonly zones?: readonly string[];
  readonly nodes?: readonly string[];
}

/** An EndpointSlice of a Service: `ports` by name, the family by the first address (IPv4 when there is none). */
export function makeSlice(
  service: string,
  endpoints: readonly (string | EndpointDescription)[],
  options: {
    readonly name?: string;
    readonly ports?: EndpointSlice['ports'];
    readonly addressType?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): EndpointSlice {
  const [namespace, short] = splitName(service);
  const described = endpoints.map((endpoint) => (typeof endpoint === 'string' ? { address: endpoint } : endpoint));
  const addressType = options.addressType ?? (described[0]?.address.includes(':') ? 'IPv6' : 'IPv4');
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: options.name ?? `${short}-1`,
      namespace,
      labels: { 'kubernetes.io/service-name': short },
      ...(options.annotations ? { annotations: options.annotations } : {}),
    },
    addressType,
    ports: options.ports ?? [{ name: '', protocol: 'TCP', port: 80 }],
    endpoints: described.map(sliceEndpoint),
  };
}

function sliceEndpoint(described: EndpointDescription): SliceEndpoint {
  const { address, node, pod, ready = true, serving = ready, terminating = false, zones, nodes } = described;
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(node === undefined ? {} : { nodeName: node }),
    ...(pod === undefined ? {} : { targetRef: { kind: 'Pod', name: pod } }),
    ...(zones || nodes
      ? {
          hints: {
            ...(zones ? { forZones: zones.map((name) => ({ name })) } : {}),
            ...(nodes ? { forNodes: nodes.map((name) => ({ name })) } : {}),
          },
        }
      : {}),
  };
}

function splitName(name: string): [namespace: string, name: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? ['default', name] : [name.slice(0, slash), name.slice(slash + 1)];
}
