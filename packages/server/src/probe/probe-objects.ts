import { type EndpointSlice, type IPFamily, PROBE_NAMESPACE, type Service } from '@kube-proxier/core';

/** Input for the objects of the probe of one IP family. */
export interface ProbeObjectsContext {
  readonly family: IPFamily;
  readonly nodeName: string;
  /** Address of the Service. */
  readonly clusterIP: string;
  /** Listening address of the agent. */
  readonly endpoint: { readonly address: string; readonly port: number };
}

/** The port of the Services of the probe. */
export const PROBE_PORT = 80;

/** Newer than any other Service, which therefore keeps a contested address. */
const CREATED = '9999-12-31T23:59:59Z';

/** Name of the Service of the probe of an IP family: `ipv4`. */
export function probeServiceName(family: IPFamily): string {
  return family.toLowerCase();
}

/** The Service of the probe and its only endpoint, in the form of an API server. Pure. */
export function probeObjects({ family, nodeName, clusterIP, endpoint }: ProbeObjectsContext): {
  readonly service: Service;
  readonly slice: EndpointSlice;
} {
  const name = probeServiceName(family);
  const metadata = { namespace: PROBE_NAMESPACE, name, creationTimestamp: CREATED };
  return {
    service: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: {
        type: 'ClusterIP',
        clusterIP,
        clusterIPs: [clusterIP],
        ipFamilies: [family],
        ports: [{ port: PROBE_PORT, protocol: 'TCP' }],
      },
    },
    slice: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
      addressType: family,
      ports: [{ port: endpoint.port, protocol: 'TCP' }],
      endpoints: [{ addresses: [endpoint.address], nodeName, conditions: { ready: true } }],
    },
  };
}
