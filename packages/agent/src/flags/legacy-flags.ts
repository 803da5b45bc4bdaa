import type { Flag } from './flag.js';

const WINDOWS = 'it is for Windows';
const FEW_REQUESTS = 'the API server is asked for four lists and watches, whose repetition is rationed already';
const ONE_STREAM = 'log lines go to standard error at once';

/** kube-proxy's flags that are taken so that its command lines work, with why most of them do nothing here. */
export const LEGACY_FLAGS = [
  {
    name: 'healthz-port',
    type: 'int',
    value: 'port',
    default: '10256',
    defaultText: '10256',
    help: 'Deprecated: the port of --healthz-bind-address, where that has none. 0 switches health off.',
    group: 'Status',
  },
  {
    name: 'metrics-port',
    type: 'int',
    value: 'port',
    default: '10249',
    defaultText: '10249',
    help: 'Deprecated: the port of --metrics-bind-address, where that has none. 0 switches it off.',
    group: 'Status',
  },
  unused('kube-api-content-type', 'text', 'type', 'application/vnd.kubernetes.protobuf', 'objects are read as JSON'),
  unused('kube-api-qps', 'float', 'rate', '5', FEW_REQUESTS),
  unused('kube-api-burst', 'int', 'requests', '10', FEW_REQUESTS),
  unused(
    'config-sync-period',
    'duration',
    'duration',
    '15m0s',
    'objects are not told of again while they do not change; what is installed is compared every 5 minutes',
  ),
  unused('show-hidden-metrics-for-version', 'text', 'version', '', 'no metric is hidden'),
  unused('vmodule', 'list', 'levels', '', 'log levels hold for the whole program: use -v'),
  unused('log-flush-frequency', 'duration', 'duration', '5s', ONE_STREAM),
  unused('log-text-split-stream', 'bool', undefined, 'false', ONE_STREAM),
  unused('log-text-info-buffer-size', 'text', 'size', '0', ONE_STREAM),
  unused('log-json-split-stream', 'bool', undefined, 'false', ONE_STREAM),
  unused('log-json-info-buffer-size', 'text', 'size', '0', ONE_STREAM),
  unused('boot-id-file', 'text', 'files', '/proc/sys/kernel/random/boot_id', 'nothing is told of the machine'),
  unused(
    'machine-id-file',
    'text',
    'files',
    '/etc/machine-id,/var/lib/dbus/machine-id',
    'nothing is told of the machine',
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
