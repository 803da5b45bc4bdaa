import {
  type BackendMeasurement,
  type BackendMetric,
  type BackendModule,
  servesLoopback,
  withCompanion,
} from '@kube-proxier/core';
import { createNftablesBackend, type NftablesBackendOptions } from '@kube-proxier/nftables';
import { createUserspaceBackend, type NodePortListeners } from '@kube-proxier/userspace';

export interface ConfiguredNftablesOptions extends NftablesBackendOptions {
  /**
   * Whether sockets serve NodePorts on 127.0.0.1 and ::1, which nftables cannot: `true` regardless of the proxier's
   * `nodePortAddresses`; `selected` if these and the proxier's `localhostNodePorts` include them. Default false.
   */
  readonly localhostNodePorts?: boolean | 'selected';
}

/** Mode nftables with its optional companion for localhost NodePorts. Has no side effects until it is used. */
export function createConfiguredNftablesBackend({
  localhostNodePorts = false,
  ...options
}: ConfiguredNftablesOptions = {}): BackendModule {
  const backend = createNftablesBackend(options);
  if (localhostNodePorts === false) {
    return backend;
  }
  // Not the shared userspace backend, whose cleanup runs when another mode takes over.
  const companion = createUserspaceBackend({ redirect: 'none' });
  const both = withCompanion(backend, companion, (context) =>
    localhostNodePorts === 'selected' && !servesLoopback(context.options, context.family)
      ? undefined
      : {
          ...context,
          options: {
            ...context.options,
            localhostNodePorts: true,
            nodePortAddresses: { kind: 'entries', entries: ['localhost'] },
            // Sockets are cheap: they need no minimum period.
            minSyncPeriod: 0,
          },
          // The companion does not affect health and metrics.
          observer: {},
        },
  );
  return {
    ...both,
    metrics: [...(backend.metrics ?? []), localhostNodePortMeasurement(() => companion.nodePorts())],
    capabilities: {
      ...backend.capabilities,
      localhostNodePorts: true,
      localhostNodePortsIPv6: true,
      localhostNetwork: false,
    },
  };
}

/** With the names of kube-proxy 1.37; that serves TCP only, and so counts TCP only. */
const METRICS = {
  open: {
    type: 'gauge',
    name: 'kubeproxy_nftables_localhost_nodeport_listeners',
    help: 'NodePorts that are served on a loopback address, of TCP and UDP',
    labels: ['ip_family'],
  },
  failures: {
    type: 'counter',
    name: 'kubeproxy_nftables_localhost_nodeport_listener_creation_failures_total',
    help: 'Failed attempts to listen on a loopback address for a NodePort',
    labels: ['ip_family'],
  },
} as const satisfies Readonly<Record<string, BackendMetric>>;

function localhostNodePortMeasurement(read: () => readonly NodePortListeners[]): BackendMeasurement {
  return {
    name: 'localhost node ports',
    source: 'process',
    metrics: Object.values(METRICS),
    read: () =>
      read().flatMap(({ family, open, failures }) => [
        { metric: METRICS.open.name, labels: { ip_family: family }, value: open },
        { metric: METRICS.failures.name, labels: { ip_family: family }, value: failures },
      ]),
  };
}
