import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type YAMLMap } from 'yaml';
import type { FlagName } from '../flags/flag.js';
import { printable } from '../logging/printable.js';

/** What a configuration file says, in terms of flags, and what is wrong with it. */
export interface ConfigurationReading {
  /** Values as they would stand on the command line. Fields that are absent, null or zero are not here. */
  readonly values: ReadonlyMap<FlagName, readonly string[]>;
  /** Where each of them stands: `config.conf:12: iptables.syncPeriod`. */
  readonly places: ReadonlyMap<FlagName, string>;
  /** Why it cannot be used, everything at once. */
  readonly problems: readonly string[];
  /** What is passed over, and why. */
  readonly warnings: readonly string[];
}

const API_VERSION = 'kubeproxy.config.k8s.io/v1alpha1';
const KIND = 'KubeProxyConfiguration';

type FieldType = 'text' | 'bool' | 'int' | 'float' | 'duration' | 'list' | 'object';

interface Field {
  readonly type: FieldType;
  /** The flag that means the same. */
  readonly flag?: FlagName;
  /** Counts only in these modes, empty standing for the default mode (spec C-40). */
  readonly modes?: readonly string[];
  /** Why a value has no effect; absent for those that have one, and for those that nobody misses. */
  readonly without?: string;
}

const IPTABLES_MODES = [''];
const NOT_YET = 'this version does not do it yet';
const WINDOWS = 'it is for Windows';
const NO_PROTOBUF = 'objects are read as JSON';

/** Every field of v1alpha1 (spec §2.4). */
const FIELDS: Readonly<Record<string, Field>> = {
  apiVersion: { type: 'text' },
  kind: { type: 'text' },
  featureGates: { type: 'object', without: 'there are no feature gates to switch' },
  'clientConnection.kubeconfig': { type: 'text', flag: 'kubeconfig' },
  'clientConnection.acceptContentTypes': { type: 'text', without: NO_PROTOBUF },
  'clientConnection.contentType': { type: 'text', without: NO_PROTOBUF },
  'clientConnection.qps': { type: 'float', without: 'requests are not rationed' },
  'clientConnection.burst': { type: 'int', without: 'requests are not rationed' },
  'logging.format': { type: 'text', flag: 'logging-format' },
  'logging.verbosity': { type: 'int', flag: 'v' },
  'logging.flushFrequency': { type: 'duration' },
  'logging.options': { type: 'object' },
  'logging.vmodule': { type: 'list', without: NOT_YET },
  hostnameOverride: { type: 'text', flag: 'hostname-override' },
  bindAddress: { type: 'text', flag: 'bind-address' },
  healthzBindAddress: { type: 'text', flag: 'healthz-bind-address' },
  metricsBindAddress: { type: 'text', flag: 'metrics-bind-address' },
  bindAddressHardFail: { type: 'bool', without: NOT_YET },
  enableProfiling: { type: 'bool', without: "Node's profiler takes its place: start with --inspect" },
  showHiddenMetricsForVersion: { type: 'text', without: 'no metric is hidden' },
  mode: { type: 'text', flag: 'proxy-mode' },
  'iptables.masqueradeBit': { type: 'int', flag: 'iptables-masquerade-bit', modes: [...IPTABLES_MODES, 'ipvs'] },
  'iptables.masqueradeAll': { type: 'bool', flag: 'masquerade-all', modes: [...IPTABLES_MODES, 'ipvs'] },
  'iptables.localhostNodePorts': { type: 'bool', flag: 'iptables-localhost-nodeports' },
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
  'nftables.masqueradeBit': { type: 'int', flag: 'iptables-masquerade-bit', modes: ['nftables'] },
  'nftables.masqueradeAll': { type: 'bool', flag: 'masquerade-all', modes: ['nftables'] },
  'nftables.syncPeriod': { type: 'duration', flag: 'iptables-sync-period', modes: ['nftables'] },
  'nftables.minSyncPeriod': { type: 'duration', flag: 'iptables-min-sync-period', modes: ['nftables'] },
  'winkernel.networkName': { type: 'text', without: WINDOWS },
  'winkernel.sourceVip': { type: 'text', without: WINDOWS },
  'winkernel.enableDSR': { type: 'bool', without: WINDOWS },
  'winkernel.rootHnsEndpointName': { type: 'text', without: WINDOWS },
  'winkernel.forwardHealthCheckVip': { type: 'bool', without: WINDOWS },
  detectLocalMode: { type: 'text', flag: 'detect-local-mode' },
  'detectLocal.bridgeInterface': { type: 'text', flag: 'pod-bridge-interface' },
  'detectLocal.interfaceNamePrefix': { type: 'text', flag: 'pod-interface-name-prefix' },
  clusterCIDR: { type: 'text', flag: 'cluster-cidr' },
  nodePortAddresses: { type: 'list', flag: 'nodeport-addresses' },
  oomScoreAdj: { type: 'int', without: NOT_YET },
  'conntrack.maxPerCore': { type: 'int', without: NOT_YET },
  'conntrack.min': { type: 'int', without: NOT_YET },
  'conntrack.tcpEstablishedTimeout': { type: 'duration', without: NOT_YET },
  'conntrack.tcpCloseWaitTimeout': { type: 'duration', without: NOT_YET },
  'conntrack.tcpBeLiberal': { type: 'bool', without: NOT_YET },
  'conntrack.udpTimeout': { type: 'duration', without: NOT_YET },
  'conntrack.udpStreamTimeout': { type: 'duration', without: NOT_YET },
  configSyncPeriod: { type: 'duration' },
  portRange: { type: 'text', without: 'kube-proxy ignores it too' },
  windowsRunAsService: { type: 'bool', without: WINDOWS },
};

const SECTIONS = new Set(Object.keys(FIELDS).flatMap((path) => (path.includes('.') ? [path.split('.')[0]] : [])));
const WANTED: Readonly<Record<FieldType, string>> = {
  text: 'a text',
  bool: 'true or false',
  int: 'a whole number',
  float: 'a number',
  duration: 'a duration such as 30s or 1m30s',
  list: 'a list of texts',
  object: 'an object',
};

/**
 * Reads a KubeProxyConfiguration, YAML or JSON (spec §2.3, §2.4). As in kube-proxy, a field that it does not have is
 * passed over with a warning (spec C-21), and null, zero or empty stand for the default: the file that kubeadm writes
 * loads as it is.
 *
 * Values are checked for their type only; what they mean is checked together with the flags.
 *
 * @param file its name, for messages.
 */
export function readKubeProxyConfiguration(text: string, file: string): ConfigurationReading {
  return new ConfigurationReader(text, file).read();
}

class ConfigurationReader {
  private readonly lines = new LineCounter();
  private readonly values = new Map<FlagName, readonly string[]>();
  private readonly places = new Map<FlagName, string>();
  private readonly problems: string[] = [];
  private readonly warnings: string[] = [];
  private mode = '';

  constructor(
    private readonly text: string,
    private readonly file: string,
  ) {}

  read(): ConfigurationReading {
    const { values, places, problems, warnings } = this;
    const documents = parseAllDocuments(this.text, { lineCounter: this.lines, uniqueKeys: false });
    const [document] = Array.isArray(documents) ? documents.filter(({ contents }) => contents !== null) : [];
    const root = document?.contents;
    for (const error of document?.errors ?? []) {
      problems.push(`${this.at(error.pos[0])}: ${printable(error.message.split('\n')[0] ?? '')}`);
    }
    if (problems.length === 0) {
      if (!isMap(root)) {
        problems.push(`${this.file}: is not a ${KIND}: it must be a YAML or JSON object`);
      } else {
        this.readRoot(root);
      }
    }
    return { values, places, problems, warnings };
  }

  private readRoot(root: YAMLMap): void {
    const [apiVersion, kind] = [root.get('apiVersion'), root.get('kind')];
    if (apiVersion !== API_VERSION || kind !== KIND) {
      const found = `${printable(String(kind))} of ${printable(String(apiVersion))}`;
      this.problems.push(`${this.file}: is a ${found}; wanted is a ${KIND} of ${API_VERSION}`);
      return;
    }
    const mode = root.get('mode');
    // Of a mode that is not known, which is an error of its own, the default's section is checked.
    this.mode = mode === 'ipvs' || mode === 'nftables' ? mode : '';
    this.readMap(root, '');
  }

  private readMap(map: YAMLMap, prefix: string): void {
    const seen = new Set<string>();
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const path = `${prefix}${name}`;
      const place = `${this.at(isScalar(key) ? key.range?.[0] : undefined)}: ${printable(path)}`;
      if (seen.has(name)) {
        this.warnings.push(`${place}: stands here twice; the last one counts`);
      }
      seen.add(name);
      const field = FIELDS[path];
      if (field) {
        this.readField(path, field, value as Node | null, place);
      } else if (prefix === '' && SECTIONS.has(name)) {
        if (isMap(value)) {
          this.readMap(value, `${name}.`);
        } else if (!isScalar(value) || value.value !== null) {
          this.problems.push(`${place}: must be an object`);
        }
      } else {
        this.warnings.push(`${place}: is no field of a ${KIND}, and is passed over`);
      }
    }
  }

  private readField(path: string, field: Field, node: Node | null, place: string): void {
    const value = plain(node);
    if (value === null || value === undefined) {
      return;
    }
    const texts = textsOf(field.type, value);
    if (texts === undefined) {
      this.problems.push(`${place}: ${printable(JSON.stringify(value))} is not ${WANTED[field.type]}`);
      return;
    }
    const isDefault = texts.every((text) => isZero(field.type, text));
    // False is what a switch says that is off, where the default is on.
    if (
      isDefault &&
      !(field.type === 'bool' && field.flag !== undefined) &&
      !(path.endsWith('masqueradeBit') && texts[0] === '0')
    ) {
      return;
    }
    if (field.without !== undefined) {
      this.warnings.push(`${place}: has no effect: ${field.without}`);
    } else if (field.flag !== undefined && (field.modes === undefined || field.modes.includes(this.mode))) {
      this.values.set(field.flag, texts);
      this.places.set(field.flag, place);
    }
  }

  private at(offset: number | undefined): string {
    return offset === undefined ? this.file : `${this.file}:${this.lines.linePos(offset).line}`;
  }
}

function plain(node: Node | null): unknown {
  if (isScalar(node)) {
    return node.value;
  }
  return isSeq(node) || isMap(node) ? node.toJSON() : null;
}

/** The value as a flag would have it; undefined when it is of the wrong type. */
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
      return typeof value === 'string' ? [value] : value === 0 ? ['0s'] : undefined;
    case 'list':
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
    case 'object':
      return typeof value === 'object' ? Object.keys(value as object) : undefined;
  }
}

function isZero(type: FieldType, text: string): boolean {
  return (
    text === '' || (type === 'bool' && text === 'false') || (type !== 'text' && /^0(\.0*)?(s|m|h|ms)?$/.test(text))
  );
}
