import { COMMAND_FLAGS } from './command-flags.js';
import type { Flag } from './flag-definition.js';
import { HOST_FLAGS } from './host-flags.js';
import { LEGACY_FLAGS } from './legacy-flags.js';
import { MODE_FLAGS } from './mode-flags.js';
import { SERVICE_FLAGS } from './service-flags.js';
import { SOURCE_FLAGS } from './source-flags.js';
import { STATUS_FLAGS } from './status-flags.js';

/** All flags, in the order of the help text. Flags of kube-proxy have the same meaning here. */
export const FLAGS = [
  ...MODE_FLAGS,
  ...SOURCE_FLAGS,
  ...SERVICE_FLAGS,
  ...STATUS_FLAGS,
  ...COMMAND_FLAGS,
  ...HOST_FLAGS,
  {
    name: 'cleanup',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'The same as the command cleanup, for compatibility with kube-proxy: remove what kube-proxier has installed, and ' +
      'exit. Rules of kube-proxy are kept unless --kube-proxy is set.',
    group: 'Clean-up',
  },
  {
    name: 'kube-proxy',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'With cleanup: also remove what kube-proxy has installed.',
    group: 'Clean-up',
  },
  {
    name: 'dry-run',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'With cleanup: print what would be removed, without changing anything.',
    group: 'Clean-up',
  },
  {
    name: 'force',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'With cleanup: clean up even while a kube-proxier or a kube-proxy runs in this network namespace. A running ' +
      'kube-proxier must then reinstall its rules.',
    group: 'Clean-up',
  },
  { name: 'version', type: 'bool', default: 'false', defaultText: 'false', help: 'Print the version.', group: 'Other' },
  {
    name: 'help',
    short: 'h',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print this help.',
    group: 'Other',
  },
  ...LEGACY_FLAGS,
] as const satisfies readonly Flag[];

/** The flags that kube-proxy does not have. They stay effective with a KubeProxyConfiguration. */
export const OWN_FLAGS: readonly FlagName[] = [
  'backend',
  'backend-option',
  'proxy-mode-fallback',
  'takeover',
  'allow-multiple-instances',
  'userspace-redirect',
  'proxy-port-range',
  'udp-timeout',
  'nftables-localhost-nodeports',
  'ipvs-localhost-nodeports',
  'nftables-count-connections',
  'count-connections',
  'count-traffic',
  'counter-series',
  'nftables-owned-table',
  'nftables-program',
  'overlapping-external-addresses',
  'verify-period',
  'between',
  'manifests',
  'health-checks',
  'health-check-scripts',
  'metrics-scrape-bind-address',
  'metrics-scrape-access',
  'metrics-scrape-tls',
  'metrics-scrape-tls-cert-file',
  'metrics-scrape-tls-private-key-file',
  'probe-interval',
  'probe-addresses',
  'probe-readiness',
  'recording-age',
  'recording-size',
  'recording-directory',
  'recording',
  'at',
  'since',
  'until',
  'test',
  'expect',
  'output',
  'namespace',
  'via',
  'filename',
  'delete',
  'rules',
  'all-namespaces',
  'only-problems',
  'watch',
  'kube-proxy',
  'dry-run',
  'force',
  'help',
];

export type FlagName = (typeof FLAGS)[number]['name'];
