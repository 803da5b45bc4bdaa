import type { Flag } from './flag-definition.js';

const WINDOWS = 'Windows only';
const FEW_REQUESTS = 'only four lists and watches are requested, and their retries are limited already';
const ONE_STREAM = 'log lines are written to standard error immediately';

/** Flags of kube-proxy that are accepted for compatibility, with the reason why most have no effect. */
export const LEGACY_FLAGS = [
  {
    name: 'healthz-port',
    type: 'int',
    value: 'port',
    default: '10256',
    defaultText: '10256',
    help: 'Deprecated: the port of --healthz-bind-address, if that has none. 0 disables it.',
    group: 'Status',
  },
  {
    name: 'metrics-port',
    type: 'int',
    value: 'port',
    default: '10249',
    defaultText: '10249',
    help: 'Deprecated: the port of --metrics-bind-address, if that has none. 0 disables it.',
    group: 'Status',
  },
  unused('kube-api-qps', 'float', 'rate', '5', FEW_REQUESTS),
  unused('kube-api-burst', 'int', 'requests', '10', FEW_REQUESTS),
  unused(
    'config-sync-period',
    'duration',
    'duration',
    '15m0s',
    'there is no resync of unchanged objects; installed rules are compared every 5 minutes',
  ),
  unused('show-hidden-metrics-for-version', 'text', 'version', '', 'there are no hidden metrics'),
  unused('vmodule', 'list', 'levels', '', 'verbosity is set for the whole program: use -v'),
  unused('log-flush-frequency', 'duration', 'duration', '5s', ONE_STREAM),
  unused('log-text-split-stream', 'bool', undefined, 'false', ONE_STREAM),
  unused('log-text-info-buffer-size', 'text', 'size', '0', ONE_STREAM),
  unused('log-json-split-stream', 'bool', undefined, 'false', ONE_STREAM),
  unused('log-json-info-buffer-size', 'text', 'size', '0', ONE_STREAM),
  unused('boot-id-file', 'text', 'files', '/proc/sys/kernel/random/boot_id', 'machine information is not reported'),
  unused(
    'machine-id-file',
    'text',
    'files',
    '/etc/machine-id,/var/lib/dbus/machine-id',
    'machine information is not reported',
  ),
  unused('windows-service', 'bool', undefined, 'false', WINDOWS),
  unused('source-vip', 'text', 'address', '', WINDOWS),
  unused('network-name', 'text', 'name', '', WINDOWS),
  unused('enable-dsr', 'bool', undefined, 'false', WINDOWS),
  unused('root-hnsendpoint-name', 'text', 'name', 'cbr0', WINDOWS),
  unused('forward-healthcheck-vip', 'bool', undefined, 'false', WINDOWS),
] as const satisfies readonly Flag[];

function unused<Name extends string, Type extends Flag['type']>(
  name: Name,
  type: Type,
  value: string | undefined,
  defaultValue: string,
  why: string,
) {
  return {
    name,
    type,
    ...(value === undefined ? {} : { value }),
    default: defaultValue,
    defaultText: defaultValue === '' ? 'none' : defaultValue,
    help: `Has no effect: ${why}${type === 'duration' ? ' (a duration such as 500ms, 30s or 1m30s)' : ''}.`,
    group: 'Without effect' as const,
    unused: why,
  };
}
