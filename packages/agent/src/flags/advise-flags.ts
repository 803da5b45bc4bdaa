import { isProxierError, messageOf } from '@kube-proxier/core';
import type { FlagName } from './flag.js';

/** Flags related to an error, by its code. Library packages name their options, not the flags of this command. */
const FLAGS_BY_CODE: Readonly<Record<string, readonly FlagName[]>> = {
  UNKNOWN_PROXY_MODE: ['proxy-mode', 'backend'],
  PROXY_MODE_UNUSABLE: ['proxy-mode', 'proxy-mode-fallback'],
  NO_NODE_NAME: ['hostname-override'],
  PRIMARY_FAMILY_UNSUPPORTED: ['bind-address'],
  CANNOT_LISTEN: [
    'healthz-bind-address',
    'metrics-bind-address',
    'metrics-scrape-bind-address',
    'bind-address-hard-fail',
  ],
  CERTIFICATE_UNREADABLE: ['metrics-scrape-tls-cert-file', 'metrics-scrape-tls-private-key-file'],
  KUBECONFIG_NOT_FOUND: ['kubeconfig'],
  KUBECONFIG_UNREADABLE: ['kubeconfig'],
  KUBECONFIG_INVALID: ['kubeconfig', 'master'],
  NOT_IN_CLUSTER: ['kubeconfig', 'master', 'manifests'],
};

/** The error message in one line, with related flags. */
export function messageWithFlags(error: unknown): string {
  const flags = isProxierError(error) ? (FLAGS_BY_CODE[error.code] ?? []) : [];
  return `${messageOf(error)}${flags.length === 0 ? '' : ` (see ${flags.map((name) => `--${name}`).join(', ')})`}`;
}
