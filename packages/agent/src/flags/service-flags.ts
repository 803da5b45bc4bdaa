import { DURATION, type Flag } from './flag-definition.js';

/** Flags of Services, and of when they are programmed. */
export const SERVICE_FLAGS = [
  {
    name: 'nodeport-addresses',
    type: 'list',
    value: 'networks',
    defaultText: 'all; primary in mode nftables',
    help:
      'Comma-separated networks and keywords: NodePorts are served on the addresses of this node within these. Keywords: ' +
      'primary (the first address of each IP family of the Node object), localhost (127.0.0.0/8 and ::1/128) and all ' +
      '(0.0.0.0/0 and ::/0). A family of which nothing is listed is served on all addresses. 127.0.0.0/8 requires mode iptables ' +
      'or userspace, ::1 mode userspace; for mode nftables see --nftables-localhost-nodeports.',
    group: 'Services',
  },
  {
    name: 'iptables-localhost-nodeports',
    type: 'bool',
    default: 'true',
    defaultText: 'true',
    help:
      'Also serve IPv4 NodePorts on 127.0.0.1, if the mode supports it and --nodeport-addresses includes it. Has no effect in mode ' +
      'nftables and on IPv6.',
    group: 'Services',
  },
  {
    name: 'count-connections',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Count connections to every Service and its endpoints, as the metrics kube_proxier_service_connections_total and ' +
      'kube_proxier_endpoint_connections_total, and what else the mode can count (docs/modes.md). The annotation kube-proxier.io/count-connections overrides it for one Service.',
    group: 'Services',
  },
  {
    name: 'count-traffic',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Also count packets and bytes of every Service and its endpoints, where the mode does not count them with the connections ' +
      '(nftables); includes --count-connections. The annotation kube-proxier.io/count-traffic overrides it for one Service.',
    group: 'Services',
  },
  {
    name: 'counter-series',
    type: 'int',
    value: 'number',
    default: '100',
    defaultText: '100',
    help:
      'Most series of each counter of Services, from 1 to 100000: those with the highest values. The rest is summed in a series ' +
      'whose labels service, protocol and endpoint are empty.',
    group: 'Services',
  },
  {
    name: 'overlapping-external-addresses',
    type: 'text',
    value: 'action',
    default: 'serve',
    defaultText: 'serve',
    help:
      'How to handle external IPs and load balancer IPs that are an address of this node, or in the pod or Service ' +
      'networks: "serve" them with a warning, as kube-proxy does, although the Service then gets packets for other ' +
      'listeners of that address; or "refuse" to serve them.',
    group: 'Services',
  },
  {
    name: 'masquerade-all',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Masquerade (SNAT) all traffic to cluster IPs.',
    group: 'Services',
  },
  {
    name: 'iptables-masquerade-bit',
    type: 'int',
    value: 'bit',
    default: '14',
    defaultText: '14',
    help: 'The bit of the packet mark (fwmark) that marks packets to masquerade, from 0 to 31.',
    group: 'Services',
  },
  {
    name: 'iptables-sync-period',
    type: 'duration',
    value: 'duration',
    default: '30s',
    defaultText: '30s',
    help: `Maximum delay before a failed sync is retried, ${DURATION}. More than 0.`,
    group: 'Timing',
  },
  {
    name: 'iptables-min-sync-period',
    type: 'duration',
    value: 'duration',
    defaultText: 'by the duration of syncs, at most 1s',
    help: `Minimum period between two syncs, ${DURATION}. 0 applies every change immediately.`,
    group: 'Timing',
  },
  {
    name: 'verify-period',
    type: 'duration',
    value: 'duration',
    default: '10m0s',
    defaultText: '10m',
    help:
      `How often the agent verifies that the kernel does with packets what the state says, ${DURATION}. 0 verifies on ` +
      'request only (kube-proxier verify), and takeovers do not wait for a verification.',
    group: 'Timing',
  },
] as const satisfies readonly Flag[];
