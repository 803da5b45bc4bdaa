import { isProxierError, messageOf } from '@kube-proxier/core';
import type { FlagName } from './flag.js';

/** Flags that have to do with an error, by its code. Library packages know their options, not what these are called here. */
const FLAGS_BY_CODE: Readonly<Record<string, readonly FlagName[]>> = {
  UNKNOWN_PROXY_MODE: ['proxy-mode', 'backend'],
  PROXY_MODE_UNUSABLE: ['proxy-mode', 'proxy-mode-fallback'],
  NO_NODE_NAME: ['hostname-override'],
  PRIMARY_FAMILY_UNSUPPORTED: ['bind-address'],
  CANNOT_LISTEN: ['healthz-bind-address', 'metrics-bind-address', 'bind-address-hard-fail'],
  KUBECONFIG_NOT_FOUND: ['kubeconfig'],
  KUBECONFIG_UNREADABLE: ['kubeconfig'],
  KUBECONFIG_INVALID: ['kubeconfig', 'master'],
  NOT_IN_CLUSTER: ['kubeconfig', 'master', 'manifests'],
};

/** What went wrong, in one line, with the flags that have to do with it. */
export function messageWithFlags(error: unknown): string {
  const flags = isProxierError(error) ? (FLAGS_BY_CODE[error.code] ?? []) : [];
  return `${messageOf(error)}${flags.length === 0 ? '' : ` (see ${flags.map((name) => `--${name}`).join(', ')})`}`;
}
