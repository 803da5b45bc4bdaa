import { DURATION, type Flag } from './flag-definition.js';

/** Flags of what the agent reports: health, metrics, status, recordings. */
export const STATUS_FLAGS = [
  {
    name: 'healthz-bind-address',
    type: 'text',
    value: 'address',
    default: '0.0.0.0:10256',
    defaultText: '0.0.0.0:10256',
    help:
      'The address that serves /healthz, /livez and /readyz over HTTP, for load balancers and the kubelet. The default ' +
      'port is 10256; "" disables it.',
    group: 'Status',
  },
  {
    name: 'metrics-bind-address',
    type: 'text',
    value: 'address',
    default: '127.0.0.1:10249',
    defaultText: '127.0.0.1:10249',
    help:
      'The address that serves /metrics, /configz, /proxyMode, and under /debug what the commands status, get, ' +
      'explain and verify query, over HTTP. It exposes all Services: use a loopback address. The default port is 10249; "" disables it.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-bind-address',
    type: 'text',
    value: 'address',
    default: '',
    defaultText: 'none',
    help:
      'An address that serves only /metrics, for a Prometheus that does not run on this node: with --metrics-scrape-access, ' +
      'to clients with permission. The default port is 10269.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-access',
    type: 'text',
    value: 'who',
    default: 'authorized',
    defaultText: 'authorized',
    help:
      'Who may read metrics there: "authorized" are clients with a bearer token whose user may get the URL /metrics, which the API ' +
      'server decides (TokenReview, SubjectAccessReview); "everybody" is everybody who can connect.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-tls',
    type: 'bool',
    default: 'true',
    defaultText: 'true',
    help: 'Serve metrics there over HTTPS. Without it, over HTTP, which requires --metrics-scrape-access=everybody.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-tls-cert-file',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'self-signed, made at start',
    help: 'The certificate for HTTPS there, with those of its issuers after it, in PEM. It is read again when it changes.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-tls-private-key-file',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'none',
    help: 'The private key of --metrics-scrape-tls-cert-file, in PEM.',
    group: 'Status',
  },
  {
    name: 'probe-interval',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: '0s: no probe',
    help:
      `Probe the data plane with this period, ${DURATION}: connect to a Service of the agent's own, whose endpoint is the ` +
      'agent. The result is in the command status and a metric.',
    group: 'Status',
  },
  {
    name: 'probe-addresses',
    type: 'list',
    value: 'addresses',
    default: '192.0.2.1,2001:db8::1',
    defaultText: '192.0.2.1,2001:db8::1',
    help:
      'Comma-separated cluster IPs of the Services of the probe, one of each IP family that is probed. Nothing else may ' +
      'have them; without a default route, take unused ones of a network that this host has a route to.',
    group: 'Status',
  },
  {
    name: 'probe-readiness',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: '/readyz also fails until a probe has succeeded, and while probes fail; /healthz is not affected.',
    group: 'Status',
  },
  {
    name: 'recording-age',
    type: 'duration',
    value: 'duration',
    default: '1h',
    defaultText: '1h',
    help:
      `Maximum age of the recording of received objects, syncs and failures that the agent keeps in memory, for the ` +
      `commands record, replay, what-changed and explain --at, ${DURATION}. 0 records nothing.`,
    group: 'Status',
  },
  {
    name: 'recording-size',
    type: 'int',
    value: 'megabytes',
    default: '64',
    defaultText: '64',
    help: 'Maximum size of that recording in memory, in megabytes (MiB), and again in --recording-directory.',
    group: 'Status',
  },
  {
    name: 'recording-directory',
    type: 'text',
    value: 'path',
    default: '',
    defaultText: 'none: in memory only',
    help:
      'Also write the recording to files in this directory, so that it survives this process; a crash loses at most the ' +
      'last second.',
    group: 'Status',
  },
] as const satisfies readonly Flag[];
