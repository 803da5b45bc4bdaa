import type { Flag } from './flag.js';

const DURATION = 'a duration such as 500ms, 30s or 1m30s';

/** What is set up on the host and in the process, beside the rules. */
export const HOST_FLAGS = [
  {
    name: 'conntrack-max-per-core',
    type: 'int',
    value: 'entries',
    default: '32768',
    defaultText: '32768',
    help:
      'How many connections the kernel may track for each CPU, 1048576 in all at most. 0 leaves what the kernel has, ' +
      'whatever --conntrack-min says.',
    group: 'Conntrack',
  },
  {
    name: 'conntrack-min',
    type: 'int',
    value: 'entries',
    default: '131072',
    defaultText: '131072',
    help: 'How many connections the kernel may track at least, however few CPUs there are.',
    group: 'Conntrack',
  },
  {
    name: 'conntrack-tcp-timeout-established',
    type: 'duration',
    value: 'duration',
    default: '24h0m0s',
    defaultText: '24h',
    help: `How long an idle TCP connection is tracked, ${DURATION}. 0 leaves what the kernel has.`,
    group: 'Conntrack',
  },
  {
    name: 'conntrack-tcp-timeout-close-wait',
    type: 'duration',
    value: 'duration',
    default: '1h0m0s',
    defaultText: '1h',
    help: `How long a TCP connection in CLOSE_WAIT is tracked, ${DURATION}. 0 leaves what the kernel has.`,
    group: 'Conntrack',
  },
  {
    name: 'conntrack-tcp-be-liberal',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Do not take TCP packets outside of the window for invalid (nf_conntrack_tcp_be_liberal=1).',
    group: 'Conntrack',
  },
  {
    name: 'conntrack-udp-timeout',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: '0s, which leaves what the kernel has',
    help: `How long a UDP packet that nobody answered is tracked, ${DURATION}.`,
    group: 'Conntrack',
  },
  {
    name: 'conntrack-udp-timeout-stream',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: '0s, which leaves what the kernel has',
    help: `How long an idle UDP flow that goes both ways is tracked, ${DURATION}.`,
    group: 'Conntrack',
  },
  {
    name: 'oom-score-adj',
    type: 'int',
    value: 'score',
    default: '-999',
    defaultText: '-999',
    help:
      'How readily the kernel ends this process when memory runs out, from -1000 (never) to 1000 (first). Lowering it ' +
      'needs the right to.',
    group: 'Other',
  },
  {
    name: 'init-only',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Do what needs more than CAP_NET_ADMIN (sysctls, checks of the mode), and end. Rules are not written. For an init ' +
      'container, so that the one that stays need not be privileged.',
    group: 'Other',
  },
  {
    name: 'bind-address-hard-fail',
    type: 'bool',
    default: 'false',
    defaultText: 'false, which tries again every 5 seconds',
    help: 'End when --healthz-bind-address or --metrics-bind-address cannot be listened on.',
    group: 'Status',
  },
  {
    name: 'profiling',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Answer /debug/pprof (CPU profile and heap snapshot, in the formats of V8) and PUT /debug/flags/v (log verbosity) ' +
      'on --metrics-bind-address.',
    group: 'Status',
  },
  {
    name: 'feature-gates',
    type: 'list',
    value: 'gates',
    defaultText: 'none',
    help:
      'Feature gates of Kubernetes as Name=true or Name=false, with commas between. AllowServiceExternalIPs=false leaves ' +
      'external IPs of Services alone; others have no effect, and are told so.',
    group: 'Services',
  },
] as const satisfies readonly Flag[];
