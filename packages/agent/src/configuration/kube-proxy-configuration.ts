import {
  isRecord,
  nearestName,
  nestingOfText,
  parseAddress,
  printable,
  printableValue,
  yamlBoolean,
} from '@kube-proxier/core';
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseAllDocuments, type YAMLMap } from 'yaml';
import type { FlagName } from '../flags/flag.js';
import { MAX_MESSAGE_LENGTH } from '../logging/log-line.js';

/** Content of a configuration file, in terms of flags, and its problems. */
export interface ConfigurationReading {
  /** Its name, for messages. */
  readonly file: string;
  /** Values in the syntax of the command line. Fields that are absent, null or zero are not here. */
  readonly values: ReadonlyMap<FlagName, readonly string[]>;
  /** Location of each value: `config.conf:12: iptables.syncPeriod`. */
  readonly places: ReadonlyMap<FlagName, string>;
  /** Fields without a flag, unchanged, by path. */
  readonly fieldsWithoutFlag: ReadonlyMap<string, unknown>;
  /** All reasons why it cannot be used. */
  readonly problems: readonly string[];
  /** Ignored fields, and why. */
  readonly warnings: readonly string[];
}

export const API_VERSION = 'kubeproxy.config.k8s.io/v1alpha1';
export const KIND = 'KubeProxyConfiguration';

/** Texts of a `list` have no commas, those of `texts` may. `period` is a duration or a number of nanoseconds; `size` is a number, or a text such as `64Ki`; `levels` are objects with a pattern and a level. */
type FieldType =
  | 'text'
  | 'bool'
  | 'int'
  | 'float'
  | 'duration'
  | 'period'
  | 'list'
  | 'texts'
  | 'switches'
  | 'size'
  | 'levels';

export interface Field {
  readonly type: FieldType;
  /** The flag that means the same. */
  readonly flag?: FlagName;
  /** Effective only in these modes; an empty text is the default mode (spec C-40). */
  readonly modes?: readonly string[];
  /** Zero is a valid value, and only null means the default. */
  readonly zeroCounts?: boolean;
  /** Why a value has no effect; absent if it has one, or if its flag states the reason. */
  readonly without?: string;
  /** It has an effect, and no flag. */
  readonly flagless?: boolean;
}

const IPTABLES_MODES = [''];

/** Every field of v1alpha1. */
export const FIELDS: Readonly<Record<string, Field>> = {
  apiVersion: { type: 'text' },
  kind: { type: 'text' },
  featureGates: { type: 'switches', flag: 'feature-gates' },
  'clientConnection.kubeconfig': { type: 'text', flag: 'kubeconfig' },
  'clientConnection.acceptContentTypes': { type: 'text', flagless: true },
  'clientConnection.contentType': { type: 'text', flag: 'kube-api-content-type' },
  'clientConnection.qps': { type: 'float', flag: 'kube-api-qps' },
  'clientConnection.burst': { type: 'int', flag: 'kube-api-burst' },
  'logging.format': { type: 'text', flag: 'logging-format' },
  'logging.verbosity': { type: 'int', flag: 'v' },
  'logging.flushFrequency': { type: 'period', flag: 'log-flush-frequency' },
  'logging.options.text.splitStream': { type: 'bool', flag: 'log-text-split-stream' },
  'logging.options.text.infoBufferSize': { type: 'size', flag: 'log-text-info-buffer-size' },
  'logging.options.json.splitStream': { type: 'bool', flag: 'log-json-split-stream' },
  'logging.options.json.infoBufferSize': { type: 'size', flag: 'log-json-info-buffer-size' },
  'logging.vmodule': { type: 'levels', flag: 'vmodule' },
  hostnameOverride: { type: 'text', flag: 'hostname-override' },
  bindAddress: { type: 'text', flag: 'bind-address' },
  healthzBindAddress: { type: 'text', flag: 'healthz-bind-address' },
  metricsBindAddress: { type: 'text', flag: 'metrics-bind-address' },
  bindAddressHardFail: { type: 'bool', flag: 'bind-address-hard-fail' },
  enableProfiling: { type: 'bool', flag: 'profiling' },
  showHiddenMetricsForVersion: { type: 'text', flag: 'show-hidden-metrics-for-version' },
  mode: { type: 'text', flag: 'proxy-mode' },
  'iptables.masqueradeBit': {
    type: 'int',
    flag: 'iptables-masquerade-bit',
    modes: [...IPTABLES_MODES, 'ipvs'],
    zeroCounts: true,
  },
  'iptables.masqueradeAll': { type: 'bool', flag: 'masquerade-all', modes: [...IPTABLES_MODES, 'ipvs'] },
  'iptables.localhostNodePorts': { type: 'bool', flag: 'iptables-localhost-nodeports', zeroCounts: true },
  'iptables.syncPeriod': { type: 'duration', flag: 'iptables-sync-period', modes: IPTABLES_MODES },
  'iptables.minSyncPeriod': { type: 'duration', flag: 'iptables-min-sync-period', modes: IPTABLES_MODES },
  'ipvs.syncPeriod': { type: 'duration', flag: 'ipvs-sync-period', modes: ['ipvs'] },
  'ipvs.minSyncPeriod': { type: 'duration', flag: 'ipvs-min-sync-period', modes: ['ipvs'] },
  'ipvs.scheduler': { type: 'text', flag: 'ipvs-scheduler' },
  'ipvs.excludeCIDRs': { type: 'list', flag: 'ipvs-exclude-cidrs' },
  'ipvs.strictARP': { type: 'bool', flag: 'ipvs-strict-arp' },
  'ipvs.tcpTimeout': { type: 'duration', flag: 'ipvs-tcp-timeout' },
  'ipvs.tcpFinTimeout': { type: 'duration', flag: 'ipvs-tcpfin-timeout' },
  'ipvs.udpTimeout': { type: 'duration', flag: 'ipvs-udp-timeout' },
  'nftables.masqueradeBit': { type: 'int', flag: 'iptables-masquerade-bit', modes: ['nftables'], zeroCounts: true },
  'nftables.masqueradeAll': { type: 'bool', flag: 'masquerade-all', modes: ['nftables'] },
  'nftables.syncPeriod': { type: 'duration', flag: 'iptables-sync-period', modes: ['nftables'] },
  'nftables.minSyncPeriod': { type: 'duration', flag: 'iptables-min-sync-period', modes: ['nftables'] },
  'winkernel.networkName': { type: 'text', flag: 'network-name' },
  'winkernel.sourceVip': { type: 'text', flag: 'source-vip' },
  'winkernel.enableDSR': { type: 'bool', flag: 'enable-dsr' },
  'winkernel.rootHnsEndpointName': { type: 'text', flag: 'root-hnsendpoint-name' },
  'winkernel.forwardHealthCheckVip': { type: 'bool', flag: 'forward-healthcheck-vip' },
  detectLocalMode: { type: 'text', flag: 'detect-local-mode' },
  'detectLocal.bridgeInterface': { type: 'text', flag: 'pod-bridge-interface' },
  'detectLocal.interfaceNamePrefix': { type: 'text', flag: 'pod-interface-name-prefix' },
  clusterCIDR: { type: 'text', flag: 'cluster-cidr' },
  nodePortAddresses: { type: 'list', flag: 'nodeport-addresses' },
  oomScoreAdj: { type: 'int', flag: 'oom-score-adj', zeroCounts: true },
  'conntrack.maxPerCore': { type: 'int', flag: 'conntrack-max-per-core', zeroCounts: true },
  'conntrack.min': { type: 'int', flag: 'conntrack-min', zeroCounts: true },
  'conntrack.tcpEstablishedTimeout': { type: 'duration', flag: 'conntrack-tcp-timeout-established', zeroCounts: true },
  'conntrack.tcpCloseWaitTimeout': { type: 'duration', flag: 'conntrack-tcp-timeout-close-wait', zeroCounts: true },
  'conntrack.tcpBeLiberal': { type: 'bool', flag: 'conntrack-tcp-be-liberal' },
  'conntrack.udpTimeout': { type: 'duration', flag: 'conntrack-udp-timeout' },
  'conntrack.udpStreamTimeout': { type: 'duration', flag: 'conntrack-udp-timeout-stream' },
  configSyncPeriod: { type: 'duration', flag: 'config-sync-period' },
  portRange: { type: 'text', without: 'kube-proxy ignores it too' },
  windowsRunAsService: { type: 'bool', flag: 'windows-service' },
};

export const OWN_API_VERSION = 'kube-proxier.io/v1alpha1';
export const OWN_KIND = 'KubeProxierConfiguration';

/** Every field of the document for options that kube-proxy does not have. */
export const OWN_FIELDS: Readonly<Record<string, Field>> = {
  apiVersion: { type: 'text' },
  kind: { type: 'text' },
  backends: { type: 'list', flag: 'backend' },
  backendOptions: { type: 'texts', flag: 'backend-option' },
  modeFallback: { type: 'text', flag: 'proxy-mode-fallback' },
  takeover: { type: 'bool', flag: 'takeover', zeroCounts: true },
  overlappingExternalAddresses: { type: 'text', flag: 'overlapping-external-addresses' },
  countConnections: { type: 'bool', flag: 'count-connections' },
  countTraffic: { type: 'bool', flag: 'count-traffic' },
  counterSeries: { type: 'int', flag: 'counter-series' },
  verifyPeriod: { type: 'duration', flag: 'verify-period', zeroCounts: true },
  allowMultipleInstances: { type: 'bool', flag: 'allow-multiple-instances' },
  manifests: { type: 'list', flag: 'manifests' },
  'healthChecks.sources': { type: 'text', flag: 'health-checks' },
  'healthChecks.scripts': { type: 'text', flag: 'health-check-scripts' },
  'metricsScrape.bindAddress': { type: 'text', flag: 'metrics-scrape-bind-address' },
  'metricsScrape.access': { type: 'text', flag: 'metrics-scrape-access' },
  'metricsScrape.tls': { type: 'bool', flag: 'metrics-scrape-tls', zeroCounts: true },
  'metricsScrape.tlsCertFile': { type: 'text', flag: 'metrics-scrape-tls-cert-file' },
  'metricsScrape.tlsPrivateKeyFile': { type: 'text', flag: 'metrics-scrape-tls-private-key-file' },
  'probe.interval': { type: 'duration', flag: 'probe-interval' },
  'probe.addresses': { type: 'list', flag: 'probe-addresses' },
  'probe.readiness': { type: 'bool', flag: 'probe-readiness' },
  'recording.age': { type: 'duration', flag: 'recording-age', zeroCounts: true },
  'recording.size': { type: 'int', flag: 'recording-size' },
  'recording.directory': { type: 'text', flag: 'recording-directory' },
  'userspace.redirect': { type: 'text', flag: 'userspace-redirect' },
  'userspace.proxyPortRange': { type: 'text', flag: 'proxy-port-range' },
  'userspace.udpTimeout': { type: 'duration', flag: 'udp-timeout' },
  'ipvs.localhostNodePorts': { type: 'bool', flag: 'ipvs-localhost-nodeports' },
  'nftables.localhostNodePorts': { type: 'bool', flag: 'nftables-localhost-nodeports' },
  'nftables.countConnections': { type: 'bool', flag: 'nftables-count-connections' },
  'nftables.ownedTable': { type: 'text', flag: 'nftables-owned-table' },
  'nftables.program': { type: 'text', flag: 'nftables-program' },
};

/** The field equivalent to a flag; undefined when there is none. */
export function fieldOf(flag: FlagName): string | undefined {
  return [...Object.entries(FIELDS), ...Object.entries(OWN_FIELDS)].find(([, field]) => field.flag === flag)?.[0];
}

function sectionsOf(fields: Readonly<Record<string, Field>>): ReadonlySet<string> {
  const paths = Object.keys(fields).map((path) => path.split('.'));
  return new Set(paths.flatMap((names) => names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'))));
}

interface DocumentKind {
  readonly kind: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly sections: ReadonlySet<string>;
  /** An unknown field is an error instead of a warning. */
  readonly strict: boolean;
}

const KUBE_PROXY: DocumentKind = { kind: KIND, fields: FIELDS, sections: sectionsOf(FIELDS), strict: false };
const OWN: DocumentKind = { kind: OWN_KIND, fields: OWN_FIELDS, sections: sectionsOf(OWN_FIELDS), strict: true };

const WANTED: Readonly<Record<FieldType, string>> = {
  text: 'a text',
  bool: 'true or false',
  int: 'a whole number',
  float: 'a number',
  duration: 'a duration such as 30s or 1m30s',
  period: 'a duration such as 5s, or a number of nanoseconds',
  list: 'a list of texts',
  texts: 'a list of texts',
  switches: 'an object with true or false for each name',
  size: 'a size such as 0 or 64Ki',
  levels: 'a list of objects with filePattern and verbosity',
};

/**
 * Reads a KubeProxyConfiguration, YAML or JSON (spec C-20, C-40). As in kube-proxy, a field that it does not have is
 * ignored with a warning (spec C-21), and null, zero or empty stand for the default: the file that kubeadm writes
 * loads as it is.
 *
 * A second document may be a KubeProxierConfiguration, with options that kube-proxy does not have. There, an unknown
 * field is a problem.
 *
 * Only the types of values are checked; their meaning is checked together with the flags.
 *
 * @param file its name, for messages.
 */
export function readKubeProxyConfiguration(text: string, file: string): ConfigurationReading {
  return new ConfigurationReader(text, file).read();
}

/** Characters. */
const MAX_LENGTH = 1024 * 1024;
/** As `nestingOfText` counts it; more could use up the stack of the YAML parser. */
const MAX_NESTING = 200;

class ConfigurationReader {
  readonly #lines = new LineCounter();
  readonly #values = new Map<FlagName, readonly string[]>();
  readonly #places = new Map<FlagName, string>();
  readonly #fieldsWithoutFlag = new Map<string, unknown>();
  readonly #problems: string[] = [];
  readonly #warnings: string[] = [];
  #mode = '';

  constructor(
    private readonly text: string,
    private readonly file: string,
  ) {}

  read(): ConfigurationReading {
    const { file } = this;
    const values = this.#values;
    const places = this.#places;
    const fieldsWithoutFlag = this.#fieldsWithoutFlag;
    const problems = this.#problems;
    const warnings = this.#warnings;
    if (this.text.length > MAX_LENGTH || nestingOfText(this.text, MAX_NESTING) > MAX_NESTING) {
      problems.push(`${file}: is too large, or nested too deeply, for a configuration file`);
      return { file, values, places, fieldsWithoutFlag, problems, warnings };
    }
    const parsed = parseAllDocuments(this.text, { lineCounter: this.#lines, uniqueKeys: false });
    const documents = Array.isArray(parsed) ? parsed.filter(({ contents }) => contents !== null) : [];
    for (const error of documents.flatMap(({ errors }) => errors)) {
      problems.push(`${this.#at(error.pos[0])}: ${printable(withoutPlace(error.message), MAX_MESSAGE_LENGTH)}`);
    }
    if (problems.length === 0) {
      const [first, ...rest] = documents.map(({ contents }) => contents);
      this.#readDocument(first ?? null, KUBE_PROXY, API_VERSION);
      for (const root of rest.slice(0, 1)) {
        this.#readDocument(root, OWN, OWN_API_VERSION);
      }
      for (const root of rest.slice(1)) {
        problems.push(`${this.#at(root?.range?.[0])}: is a third document; at most two are allowed`);
      }
    }
    return { file, values, places, fieldsWithoutFlag, problems, warnings };
  }

  #readDocument(root: Node | null, as: DocumentKind, wantedVersion: string): void {
    if (!isMap(root)) {
      this.#problems.push(`${this.file}: is not a ${as.kind}: it must be a YAML or JSON object`);
      return;
    }
    const counting = lastByName(root);
    const [apiVersion, kind, mode] = ['apiVersion', 'kind', 'mode'].map((name) =>
      plain((counting.get(name)?.value ?? null) as Node | null),
    );
    if (apiVersion !== wantedVersion || kind !== as.kind) {
      const place = as.strict ? this.#at(root.range?.[0]) : this.file;
      const found = `${printable(String(kind))} of ${printable(String(apiVersion))}`;
      this.#problems.push(`${place}: has the kind ${found}; expected ${as.kind} of ${wantedVersion}`);
      return;
    }
    if (!as.strict) {
      // For an unknown mode, which is reported separately, the section of the default mode is checked.
      this.#mode = mode === 'ipvs' || mode === 'nftables' ? mode : '';
    }
    this.#readMap(root, '', as);
    if (!as.strict && parseAddress(this.#values.get('bind-address')?.[0])?.family === 'IPv6') {
      this.#useIPv6Defaults();
    }
  }

  /** Spec C-42. Applies to files only; flags have their own defaults. */
  #useIPv6Defaults(): void {
    const defaults = [
      ['healthz-bind-address', '[::]:10256'],
      ['metrics-bind-address', '[::1]:10249'],
    ] as const;
    for (const [flag, address] of defaults) {
      if (!this.#values.has(flag)) {
        this.#values.set(flag, [address]);
      }
    }
  }

  #readMap(map: YAMLMap, prefix: string, as: DocumentKind): void {
    const seen = new Set<string>();
    const counting = lastByName(map);
    for (const pair of map.items) {
      const { key, value } = pair;
      const name = nameOf(pair);
      const path = `${prefix}${name}`;
      const place = `${this.#at(isScalar(key) ? key.range?.[0] : undefined)}: ${printable(path)}`;
      if (seen.has(name)) {
        this.#odd(as, `${place}: is a duplicate key`, as.strict ? '; remove one' : '; the last value is used');
      }
      seen.add(name);
      if (counting.get(name) !== pair) {
        continue;
      }
      const field = as.fields[path];
      if (field) {
        this.#readField(path, field, value as Node | null, place);
      } else if (as.sections.has(path)) {
        if (isMap(value)) {
          this.#readMap(value, `${path}.`, as);
        } else if (!isScalar(value) || value.value !== null) {
          this.#problems.push(`${place}: must be an object`);
        }
      } else {
        this.#unknown(as, place, path);
      }
    }
  }

  #unknown(as: DocumentKind, place: string, path: string): void {
    const names = Object.keys(as.fields).filter((name) => name !== 'apiVersion' && name !== 'kind');
    const meant = nearestName(path, names) ?? names.find((name) => name.split('.').at(-1) === path.split('.').at(-1));
    const list = as.strict ? `; valid fields: ${names.join(', ')}` : '';
    const hint = meant === undefined ? list : `; did you mean ${meant}?`;
    this.#odd(as, `${place}: unknown field of a ${as.kind}`, as.strict ? hint : `, ignored${hint}`);
  }

  /** Strict decoding, or lenient with a warning (spec C-21). */
  #odd({ strict }: DocumentKind, what: string, consequence: string): void {
    (strict ? this.#problems : this.#warnings).push(`${what}${consequence}`);
  }

  #readField(path: string, field: Field, node: Node | null, place: string): void {
    const value = withBooleans(field.type, node, plain(node));
    if (value === null || value === undefined) {
      return;
    }
    const texts = textsOf(field.type, value);
    if (texts === undefined) {
      this.#problems.push(`${place}: ${printableValue(value, 300)} is not ${WANTED[field.type]}`);
      return;
    }
    if (!field.zeroCounts && texts.every((text) => isZero(field.type, text))) {
      return;
    }
    if (field.flag === undefined && path !== 'apiVersion' && path !== 'kind') {
      this.#fieldsWithoutFlag.set(path, value);
    }
    if (field.without !== undefined) {
      this.#warnings.push(`${place}: has no effect: ${field.without}`);
    } else if (field.flag !== undefined && (field.modes === undefined || field.modes.includes(this.#mode))) {
      this.#values.set(field.flag, texts);
      this.#places.set(field.flag, place);
    }
  }

  #at(offset: number | undefined): string {
    return offset === undefined ? this.file : `${this.file}:${this.#lines.linePos(offset).line}`;
  }
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

/** The last value of each duplicate key: lenient decoding ignores the others, even invalid ones. */
function lastByName({ items }: YAMLMap): ReadonlyMap<string, Pair> {
  return new Map(items.map((pair) => [nameOf(pair), pair]));
}

/** The first line of the parser's error, without the location, which is already reported, and without the quoted text. */
function withoutPlace(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

function plain(node: Node | null): unknown {
  if (isScalar(node)) {
    return node.value;
  }
  return isSeq(node) || isMap(node) ? node.toJSON() : null;
}

/** Unquoted `yes`, `no`, `on` and `off` are booleans in a field of booleans; the parser is for YAML 1.2. */
function withBooleans(type: FieldType, node: unknown, value: unknown): unknown {
  if (type === 'bool' && isScalar(node) && node.type === 'PLAIN') {
    return yamlBoolean(node.value) ?? value;
  }
  if (type === 'switches' && isMap(node) && isRecord(value)) {
    const given = node.items.map((pair) => [nameOf(pair), withBooleans('bool', pair.value, value[nameOf(pair)])]);
    return { ...value, ...Object.fromEntries(given) };
  }
  return value;
}

/** The value in the syntax of a flag; undefined when it is of the wrong type. */
function textsOf(type: FieldType, value: unknown): readonly string[] | undefined {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? [value] : undefined;
    case 'bool':
      return typeof value === 'boolean' ? [String(value)] : undefined;
    case 'int':
      return typeof value === 'number' && Number.isInteger(value) ? [String(value)] : undefined;
    case 'float':
      return typeof value === 'number' ? [String(value)] : undefined;
    case 'duration':
      return typeof value === 'string' ? [value] : value === 0 ? ['0'] : undefined;
    case 'period':
      return typeof value === 'string' ? [value] : Number.isInteger(value) ? [`${value}ns`] : undefined;
    case 'size':
      return typeof value === 'string' || Number.isInteger(value) ? [String(value)] : undefined;
    case 'list':
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
    case 'switches':
      return isRecord(value) && Object.values(value).every((on) => typeof on === 'boolean')
        ? [
            Object.entries(value)
              .map(([name, on]) => `${name}=${on}`)
              .join(','),
          ]
        : undefined;
    case 'levels':
      return Array.isArray(value) && value.every(isLevel)
        ? [value.map(({ filePattern, verbosity }) => `${filePattern}=${verbosity}`).join(',')]
        : undefined;
  }
}

function isLevel(value: unknown): value is { readonly filePattern: string; readonly verbosity: number } {
  return isRecord(value) && typeof value.filePattern === 'string' && Number.isInteger(value.verbosity);
}

function isZero(type: FieldType, text: string): boolean {
  return (
    text === '' || (type === 'bool' && text === 'false') || (type !== 'text' && /^0(\.0*)?(ns|s|m|h|ms)?$/.test(text))
  );
}
