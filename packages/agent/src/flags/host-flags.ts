import { DURATION, type Flag } from './flag-definition.js';

/** Flags for settings of the host and the process, other than rules. */
export const HOST_FLAGS = [
  {
    name: 'conntrack-max-per-core',
    type: 'int',
    value: 'entries',
    default: '32768',
    defaultText: '32768',
    help:
      "Maximum number of tracked connections per CPU, at most 1048576 in total. 0 keeps the kernel's limit and ignores " +
      '--conntrack-min.',
    group: 'Conntrack',
  },
  {
    name: 'conntrack-min',
    type: 'int',
    value: 'entries',
    default: '131072',
    defaultText: '131072',
    help: 'Lower bound of the limit of tracked connections, regardless of the number of CPUs.',
    group: 'Conntrack',
  },
  {
    name: 'conntrack-tcp-timeout-established',
    type: 'duration',
    value: 'duration',
    default: '24h0m0s',
    defaultText: '24h',
    help: `Conntrack timeout of idle established TCP connections, ${DURATION}. 0 keeps the kernel's value.`,
    group: 'Conntrack',
  },
  {
    name: 'conntrack-tcp-timeout-close-wait',
    type: 'duration',
    value: 'duration',
    default: '1h0m0s',
    defaultText: '1h',
    help: `Conntrack timeout of TCP connections in CLOSE_WAIT, ${DURATION}. 0 keeps the kernel's value.`,
    group: 'Conntrack',
  },
  {
    name: 'conntrack-tcp-be-liberal',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Do not mark out-of-window TCP packets as INVALID (nf_conntrack_tcp_be_liberal=1).',
    group: 'Conntrack',
  },
  {
    name: 'conntrack-udp-timeout',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: "0s: the kernel's value",
    help: `Conntrack timeout of unreplied UDP flows, ${DURATION}.`,
    group: 'Conntrack',
  },
  {
    name: 'conntrack-udp-timeout-stream',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: "0s: the kernel's value",
    help: `Conntrack timeout of idle replied UDP flows, ${DURATION}.`,
    group: 'Conntrack',
  },
  {
    name: 'oom-score-adj',
    type: 'int',
    value: 'score',
    default: '-999',
    defaultText: '-999',
    help:
      'The oom_score_adj of this process, from -1000 (never killed when memory runs out) to 1000 (killed first). ' +
      'Lowering it needs CAP_SYS_RESOURCE.',
    group: 'Other',
  },
  {
    name: 'init-only',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Do only the setup that needs more than CAP_NET_ADMIN (sysctls, checks of the mode), and exit, without ' +
      'installing rules. For a privileged init container, so that the main container needs no privileges.',
    group: 'Other',
  },
  {
    name: 'bind-address-hard-fail',
    type: 'bool',
    default: 'false',
    defaultText: 'false: retry every 5 seconds',
    help: 'Exit if listening on --healthz-bind-address or --metrics-bind-address fails.',
    group: 'Status',
  },
  {
    name: 'profiling',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Serve /debug/pprof (CPU profile and heap snapshot, in the formats of V8) and PUT /debug/flags/v (log verbosity) ' +
      'on --metrics-bind-address.',
    group: 'Status',
  },
  {
    name: 'feature-gates',
    type: 'list',
    value: 'gates',
    defaultText: 'none',
    help:
      'Comma-separated Kubernetes feature gates, as Name=true or Name=false. With AllowServiceExternalIPs=false, ' +
      'external IPs of Services are not served; with KubeProxyNFTablesLocalhostNodePorts=true, mode nftables serves NodePorts on ' +
      'the loopback addresses that --nodeport-addresses lists; with KubeProxyIPVS=false, mode ipvs is refused. Other gates have ' +
      'no effect and are reported in a warning.',
    group: 'Services',
  },
] as const satisfies readonly Flag[];
