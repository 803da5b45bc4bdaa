import {
  type BackendMeasurement,
  type BackendMetric,
  type BackendModule,
  type IPFamily,
  servesLoopback,
  withCompanion,
} from '@kube-proxier/core';
import { createUserspaceBackend, type NodePortListeners } from '@kube-proxier/userspace';

/**
 * Whether sockets serve NodePorts on 127.0.0.1 and ::1, which the kernel cannot serve in a mode: `true` regardless of
 * the proxier's `nodePortAddresses`; `selected` if these and the proxier's `localhostNodePorts` include them.
 */
export type LocalhostNodePortSetting = boolean | 'selected';

/**
 * A backend with sockets of this process that serve its NodePorts on 127.0.0.1 and ::1, for TCP and UDP.
 *
 * @param families those that have sockets. Default: both.
 */
export function withLocalhostNodePorts(
  backend: BackendModule,
  setting: Exclude<LocalhostNodePortSetting, false>,
  families: readonly IPFamily[] = ['IPv4', 'IPv6'],
): BackendModule {
  // Not the shared userspace backend, whose cleanup runs when another mode takes over.
  const companion = createUserspaceBackend({ redirect: 'none' });
  const both = withCompanion(backend, companion, (context) =>
    !families.includes(context.family) || (setting === 'selected' && !servesLoopback(context.options, context.family))
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
    metrics: [...(backend.metrics ?? []), listenerMeasurement(backend.mode, () => companion.nodePorts())],
    capabilities: {
      ...backend.capabilities,
      ...(families.includes('IPv4') && { localhostNodePorts: true, localhostNetwork: false }),
      ...(families.includes('IPv6') && { localhostNodePortsIPv6: true }),
    },
  };
}

function listenerMeasurement(mode: string, read: () => readonly NodePortListeners[]): BackendMeasurement {
  // For nftables, with the names of kube-proxy 1.37, which serves and counts TCP only.
  const prefix = mode === 'nftables' ? 'kubeproxy_nftables' : `kube_proxier_${mode}`;
  const open: BackendMetric = {
    type: 'gauge',
    name: `${prefix}_localhost_nodeport_listeners`,
    help: 'NodePorts that are served on a loopback address, of TCP and UDP',
    labels: ['ip_family'],
  };
  const failed: BackendMetric = {
    type: 'counter',
    name: `${prefix}_localhost_nodeport_listener_creation_failures_total`,
    help: 'Failed attempts to listen on a loopback address for a NodePort',
    labels: ['ip_family'],
  };
  return {
    name: 'localhost node ports',
    source: 'process',
    metrics: [open, failed],
    read: () =>
      read().flatMap(({ family, open: listeners, failures }) => [
        { metric: open.name, labels: { ip_family: family }, value: listeners },
        { metric: failed.name, labels: { ip_family: family }, value: failures },
      ]),
  };
}
