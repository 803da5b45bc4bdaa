import {
  type IPFamily,
  type LocalTrafficDetection,
  type NodePortAddressSelection,
  ProxierError,
  type ProxierOptions,
  type ProxyMode,
  parseAddress,
  printable,
  UnknownProxyModeError,
} from '@kube-proxier/core';
import { DEFAULT_SCHEDULER, type IpvsSettings, isScheduler, SCHEDULER_NAMES } from '@kube-proxier/ipvs';
import { type NftablesBackendOptions, OWNED_TABLE_SETTINGS } from '@kube-proxier/nftables';
import type { ConntrackTuningOptions } from '@kube-proxier/server';
import { parsePortRange, USERSPACE_REDIRECTS, type UserspaceBackendOptions } from '@kube-proxier/userspace';
import { type EffectiveConfiguration, effectiveConfiguration } from '../configuration/effective-configuration.js';
import type { ConfigurationReading } from '../configuration/kube-proxy-configuration.js';
import { MAX_MESSAGE_LENGTH } from '../logging/log-line.js';
import type { LoggingFormat } from '../logging/winston-logger.js';
import type { CommandLine } from './command-line.js';
import { readConntrack } from './conntrack-settings.js';
import { type FeatureGates, readFeatureGates } from './feature-gates.js';
import { type FlagName, OWN_FLAGS } from './flag.js';
import { FlagValues } from './flag-values.js';
import { parseGoInt } from './go-values.js';
import { listenAddresses, type StatusAddress, statusAddresses } from './status-addresses.js';

const OUTPUTS = ['text', 'json', 'yaml', 'wide'] as const;

/** Output format of commands. */
export type Output = (typeof OUTPUTS)[number];

/** Whether `text` is the name of an {@link Output}. */
export function isOutput(text: string): text is Output {
  return OUTPUTS.some((output) => output === text);
}

/** The validated settings of command line and configuration file. */
export interface AgentSettings {
  /** The requested mode; empty for the default. */
  readonly mode: ProxyMode;
  readonly fallback: ProxyMode | 'none';
  /** Remove leftovers of other modes, once this one is in force. */
  readonly takeover: boolean;
  readonly allowMultipleInstances: boolean;
  /** The API server to use; undefined for none. This or `manifests` is set when the agent runs. */
  readonly kubernetes: KubernetesSettings | undefined;
  /** Directories and files. */
  readonly manifests: readonly string[];
  /** Canonical. */
  readonly bindAddress: string;
  /** Options that differ from core's defaults or are set explicitly. */
  readonly proxier: Partial<ProxierOptions>;
  /** Options of the nftables backend. */
  readonly nftables: { readonly localhostNodePorts: boolean } & Required<
    Pick<NftablesBackendOptions, 'countConnections' | 'ownedTable'>
  >;
  /** Options of the userspace backend. */
  readonly userspace: Pick<UserspaceBackendOptions, 'redirect' | 'portRange' | 'udpTimeout'>;
  /** Options of the ipvs backend. */
  readonly ipvs: IpvsSettings;
  /**
   * Endpoints of manifests may have loopback addresses. Only for a proxy without redirection: as an unprivileged process,
   * it gives the author of the manifests no access to anything that they could not already reach.
   */
  readonly allowLoopbackEndpoints: boolean;
  readonly logging: LoggingSettings;
  /** Where the status server listens; undefined when it is disabled. */
  readonly status: StatusAddress | undefined;
  /** Where the health server listens; undefined when it is disabled. */
  readonly health: StatusAddress | undefined;
  /** Failure to listen is fatal instead of being retried. */
  readonly bindAddressHardFail: boolean;
  /** The status server also profiles the process, and sets the verbosity. */
  readonly profiling: boolean;
  /** Output format of `explain` and `doctor`. */
  readonly output: Output;
  readonly conntrack: ConntrackTuningOptions;
  /** From -1000 to 1000. */
  readonly oomScoreAdj: number;
  /** Settings that were given explicitly, so that a failure is logged as a warning. */
  readonly explicit: { readonly conntrack: boolean; readonly oomScoreAdj: boolean };
  readonly featureGates: FeatureGates;
  /** Do only what needs privileges, and exit. */
  readonly initOnly: boolean;
  /** File to write the configuration to before exiting; empty for none. */
  readonly writeConfigTo: string;
  /** The configuration file; empty for none. */
  readonly configFile: string;
  /** Packages or paths of third-party backends. */
  readonly foreignBackends: readonly string[];
  /** `key=value`, or `mode:key=value`, for foreign backends. */
  readonly backendOptions: readonly string[];
  /** Settings without effect, and why. */
  readonly warnings: readonly string[];
  /** These settings in the format of a configuration file. */
  readonly effective: EffectiveConfiguration;
}

/** How to reach the API server. With neither, the in-cluster one. */
export interface KubernetesSettings {
  /** Path; empty for none. */
  readonly kubeconfig: string;
  /** URL; empty for that of the kubeconfig. */
  readonly master: string;
}

export type { StatusAddress };

export interface LoggingSettings {
  readonly format: LoggingFormat;
  readonly verbosity: number;
}

/** All problems of a command line, one per line. */
export class CommandLineError extends ProxierError {
  /** At least one. */
  readonly problems: readonly string[];
  /** Warnings, which may explain a problem. */
  readonly warnings: readonly string[];

  constructor(problems: readonly string[], warnings: readonly string[] = []) {
    super('INVALID_COMMAND_LINE', problems.join('; '));
    this.problems = problems;
    this.warnings = warnings;
  }
}

const DETECT_LOCAL_MODES = ['ClusterCIDR', 'NodeCIDR', 'BridgeInterface', 'InterfaceNamePrefix'] as const;
type DetectLocalMode = (typeof DETECT_LOCAL_MODES)[number];

/** Longest interface name that the kernel takes (IFNAMSIZ less its end). */
const MAX_INTERFACE_NAME = 15;

/**
 * Checks a command line, with the configuration file that it names, as kube-proxy does (spec C-20, C-50…C-70).
 *
 * @param configuration content of the configuration file, if any.
 * @param modes available modes.
 * @param environment environment variables, which in a pod contain the address of the API server (spec C-82). Default:
 * that of this process.
 * @throws CommandLineError with all problems, not only the first.
 */
export function readSettings(
  commandLine: CommandLine,
  modes: readonly ProxyMode[],
  configuration?: ConfigurationReading,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): AgentSettings {
  if (!configuration) {
    return new SettingsReader(commandLine, environment).read(modes);
  }
  const { merged, places, ignored } = merge(commandLine, configuration);
  return new SettingsReader(merged, environment, { ...configuration, places }, ignored).read(modes);
}

/** The logging flags alone, with defaults for invalid values: errors must be logged in any case. */
export function readLogging(commandLine: CommandLine): LoggingSettings {
  const format = commandLine.values.get('logging-format')?.at(-1) === 'json' ? 'json' : 'text';
  const verbosity = parseGoInt(commandLine.values.get('v')?.at(-1) ?? '0') ?? 0;
  return { format, verbosity };
}

/** Flags that stay effective with a configuration file (spec C-20), and override it. */
const BESIDE_FILE: ReadonlySet<FlagName> = new Set<FlagName>([
  ...OWN_FLAGS,
  'config',
  'write-config-to',
  'init-only',
  'master',
  'hostname-override',
  'v',
  'logging-format',
  'cleanup',
  'version',
]);

interface Merged {
  readonly merged: CommandLine;
  readonly places: ConfigurationReading['places'];
  /** Flags that the file replaces. */
  readonly ignored: readonly FlagName[];
}

/** Merges the values of the file into the command line. */
export function merge(commandLine: CommandLine, { values, places }: ConfigurationReading): Merged {
  // The mode to clean up after is not taken from the file.
  const isBeside = (name: FlagName) =>
    BESIDE_FILE.has(name) || (commandLine.command === 'cleanup' && name === 'proxy-mode');
  const beside = [...commandLine.values].filter(([name]) => isBeside(name));
  return {
    merged: { ...commandLine, values: new Map([...values, ...beside]) },
    places: new Map([...places].filter(([name]) => !beside.some(([own]) => own === name))),
    ignored: [...commandLine.values.keys()].filter((name) => !isBeside(name)),
  };
}

class SettingsReader extends FlagValues {
  constructor(
    commandLine: CommandLine,
    private readonly environment: Readonly<Record<string, string | undefined>>,
    configuration?: ConfigurationReading,
    private readonly ignored: readonly FlagName[] = [],
  ) {
    super(commandLine, configuration);
  }

  read(modes: readonly ProxyMode[]): AgentSettings {
    const { warnings: gateWarnings, ...featureGates } = readFeatureGates(this);
    const { warnings: addressWarnings, ...addresses } = statusAddresses(this);
    const settings: AgentSettings = {
      mode: this.mode(modes),
      fallback: this.fallback(modes),
      takeover: this.bool('takeover'),
      allowMultipleInstances: this.bool('allow-multiple-instances'),
      kubernetes: this.kubernetes(),
      manifests: this.manifests(),
      bindAddress: this.bindAddress(),
      proxier: {
        ...this.nodeName(),
        localTrafficDetection: this.localTrafficDetection(),
        nodePortAddresses: this.nodePortAddresses(),
        localhostNodePorts: this.bool('iptables-localhost-nodeports'),
        masqueradeAll: this.bool('masquerade-all'),
        overlappingExternalAddresses: this.overlappingExternalAddresses(),
        masqueradeBit: this.int('iptables-masquerade-bit', 0, 31, 'a bit from 0 to 31'),
        ...this.periods(),
      },
      nftables: this.nftables(),
      userspace: this.userspace(),
      ipvs: this.ipvs(),
      allowLoopbackEndpoints:
        this.text('proxy-mode') === 'userspace' &&
        this.text('userspace-redirect') === 'none' &&
        this.commandLine.values.has('manifests'),
      logging: this.logging(),
      ...addresses,
      bindAddressHardFail: this.bool('bind-address-hard-fail'),
      profiling: this.bool('profiling'),
      output: this.output(),
      conntrack: readConntrack(this),
      oomScoreAdj: this.int('oom-score-adj', -1000, 1000, 'a score from -1000 to 1000'),
      explicit: {
        conntrack: [...this.commandLine.values.keys()].some((name) => name.startsWith('conntrack-')),
        oomScoreAdj: this.given('oom-score-adj'),
      },
      featureGates,
      initOnly: this.bool('init-only'),
      writeConfigTo: this.text('write-config-to'),
      configFile: this.text('config'),
      foreignBackends: this.list('backend'),
      backendOptions: this.each('backend-option'),
      effective: effectiveConfiguration(
        new Map([...this.commandLine.values, ...listenAddresses(addresses)]),
        this.configuration?.others ?? new Map(),
      ),
      warnings: [...this.warnings(), ...gateWarnings, ...addressWarnings],
    };
    for (const name of ['cleanup', 'version', 'help'] as const) {
      this.bool(name);
    }
    for (const name of ['kube-proxy', 'dry-run', 'force'] as const) {
      if (this.bool(name) && !['cleanup', 'help', 'version'].includes(this.commandLine.command)) {
        this.problems.push(`--${name}: belongs to the command cleanup: kube-proxier cleanup --${name}`);
      }
    }
    this.checkUnused();
    if (this.problems.length > 0) {
      throw new CommandLineError(inFileOrder(this.problems, this.configuration?.file), settings.warnings);
    }
    return settings;
  }

  private warnings(): readonly string[] {
    const ignored = this.ignored.map((name) => `--${name}`);
    return [
      ...(ignored.length === 0
        ? []
        : [`${ignored.join(', ')}: ignored, because --config replaces flags; set it in the file`]),
      ...(this.configuration?.warnings ?? []),
      ...this.unused(),
    ];
  }

  /** Validates values without effect as kube-proxy does: a file should be valid for both. */
  private checkUnused(): void {
    const period = this.duration('config-sync-period');
    if (this.given('config-sync-period') && period !== undefined && period <= 0) {
      this.wrong('config-sync-period', this.text('config-sync-period'), 'must be greater than 0, such as 15m');
    }
    const version = this.text('show-hidden-metrics-for-version');
    if (version !== '' && !/^\d+\.\d+$/.test(version)) {
      this.wrong('show-hidden-metrics-for-version', version, 'must be a minor version, such as 1.35');
    }
  }

  private mode(modes: readonly ProxyMode[]): ProxyMode {
    const mode = this.text('proxy-mode');
    if (mode !== '' && !modes.includes(mode)) {
      this.problems.push(
        `${this.place('proxy-mode')}: ${printable(new UnknownProxyModeError(mode, modes).message, MAX_MESSAGE_LENGTH)}`,
      );
    }
    return mode;
  }

  private fallback(modes: readonly ProxyMode[]): ProxyMode | 'none' {
    const mode = this.text('proxy-mode-fallback');
    if (this.commandLine.values.has('proxy-mode-fallback') && mode !== 'none' && !modes.includes(mode)) {
      this.wrong('proxy-mode-fallback', mode, `must be one of ${modes.join(', ')}, or none`);
    }
    return mode;
  }

  private kubernetes(): KubernetesSettings | undefined {
    const kubeconfig = this.text('kubeconfig');
    const master = this.text('master');
    const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(master) ? master : `http://${master}`;
    if (master !== '' && !(URL.canParse(full) && /^https?:/i.test(full))) {
      this.wrong('master', master, 'is not the URL of an API server; write it like https://10.0.0.1:6443');
    }
    if (kubeconfig !== '' || master !== '') {
      return { kubeconfig, master };
    }
    const runs = this.commandLine.command === 'run' && !this.given('init-only') && !this.given('write-config-to');
    if (this.given('manifests') || !runs) {
      return undefined;
    }
    if ((this.environment.KUBERNETES_SERVICE_HOST ?? '') !== '') {
      return { kubeconfig, master };
    }
    if (this.commandLine.errors.length > 0 || (this.configuration?.problems.length ?? 0) > 0) {
      // The misspelt flag may be the one that is missing.
      return undefined;
    }
    const where = this.configuration ? 'set clientConnection.kubeconfig to' : 'give --kubeconfig with';
    this.problems.push(
      `no Service source configured: ${where} the path of a kubeconfig file, or give --manifests ` +
        'with a directory of Kubernetes YAML, or run it in a pod (KUBERNETES_SERVICE_HOST is not set, so this is not a ' +
        'pod)',
    );
    return undefined;
  }

  private manifests(): readonly string[] {
    // Unlike other lists, not split at commas: these are paths.
    const paths = this.commandLine.values.get('manifests') ?? [];
    if (paths.includes('')) {
      this.wrong('manifests', '', 'must be the path of a directory or a file');
    }
    return [...new Set(paths)];
  }

  private nodeName(): Pick<ProxierOptions, 'nodeName'> | Record<string, never> {
    const name = this.text('hostname-override');
    if (name !== '' && name.trim() === '') {
      this.wrong('hostname-override', name, 'must not be blank; leave it out to use the name of the host');
    }
    return name === '' ? {} : { nodeName: name };
  }

  private bindAddress(): string {
    const text = this.text('bind-address');
    const address = parseAddress(text);
    if (text !== '' && !address) {
      this.wrong(
        'bind-address',
        text,
        'is not a valid textual representation of an IP address; give one, without port',
      );
    }
    return address?.text ?? '';
  }

  private localTrafficDetection(): LocalTrafficDetection {
    const cidrs = this.clusterCIDRs();
    const bridge = this.interfaceName('pod-bridge-interface');
    const prefix = this.interfaceName('pod-interface-name-prefix');
    const given = this.text('detect-local-mode');
    const mode = (given === '' ? 'ClusterCIDR' : given) as DetectLocalMode;
    switch (mode) {
      case 'ClusterCIDR':
        return cidrs.length === 0 ? { kind: 'none' } : { kind: 'cluster-cidr', cidrs };
      case 'NodeCIDR':
        return { kind: 'node-cidr' };
      case 'BridgeInterface':
        if (bridge === '') {
          this.wrong(
            'pod-bridge-interface',
            bridge,
            'must name the bridge when --detect-local-mode is BridgeInterface',
          );
        }
        return { kind: 'interface', name: bridge };
      case 'InterfaceNamePrefix':
        if (prefix === '') {
          const right = 'must be set to a prefix of interface names when --detect-local-mode is InterfaceNamePrefix';
          this.wrong('pod-interface-name-prefix', prefix, right);
        }
        return { kind: 'interface-prefix', prefix };
      default:
        this.wrong('detect-local-mode', given, `must be one of ${DETECT_LOCAL_MODES.join(', ')}, or empty`);
        return { kind: 'none' };
    }
  }

  private clusterCIDRs(): readonly string[] {
    const found = this.cidrs('cluster-cidr', this.list('cluster-cidr'));
    const families = new Set<IPFamily>(found.map(({ family }) => family));
    if (found.length > 2 || (found.length === 2 && families.size < 2)) {
      const text = found.map((cidr) => cidr.text).join(',');
      this.wrong('cluster-cidr', text, 'must be one network, or two, one of each IP family');
    }
    return found.map(({ text }) => text);
  }

  private nodePortAddresses(): NodePortAddressSelection {
    const items = this.list('nodeport-addresses');
    if (items.length === 0) {
      // Spec M-3.
      return { kind: this.text('proxy-mode') === 'nftables' ? 'primary' : 'all' };
    }
    if (items.includes('primary')) {
      if (items.length > 1) {
        this.wrong('nodeport-addresses', items.join(','), "can't use both 'primary' and CIDRs; give one or the other");
      }
      return { kind: 'primary' };
    }
    return { kind: 'cidrs', cidrs: this.cidrs('nodeport-addresses', items).map(({ text }) => text) };
  }

  /** Spec K-85: mode ipvs has its own periods. */
  private periods(): Pick<ProxierOptions, 'syncPeriod' | 'minSyncPeriod'> {
    const mode = this.text('proxy-mode') === 'ipvs' ? 'ipvs' : 'iptables';
    const own = this.periodsOf(mode);
    // The periods of the other mode are validated too.
    this.periodsOf(mode === 'ipvs' ? 'iptables' : 'ipvs');
    return own;
  }

  private periodsOf(mode: 'ipvs' | 'iptables'): Pick<ProxierOptions, 'syncPeriod' | 'minSyncPeriod'> {
    const [period, least] = [`${mode}-sync-period`, `${mode}-min-sync-period`] as const;
    const syncPeriod = this.duration(period);
    const minSyncPeriod = this.duration(least);
    if (syncPeriod !== undefined && syncPeriod <= 0) {
      this.wrong(period, this.text(period), 'must be greater than 0, such as 30s');
    }
    if (minSyncPeriod !== undefined && minSyncPeriod < 0) {
      this.wrong(least, this.text(least), 'must be 0 or greater, such as 1s');
    } else if (
      syncPeriod !== undefined &&
      minSyncPeriod !== undefined &&
      syncPeriod > 0 &&
      minSyncPeriod > syncPeriod
    ) {
      this.wrong(
        period,
        this.text(period),
        `must be greater than or equal to ${this.text(least)} (${this.place(least)})`,
      );
    }
    return { syncPeriod: syncPeriod ?? 0, minSyncPeriod: minSyncPeriod ?? 0 };
  }

  private nftables(): AgentSettings['nftables'] {
    const text = this.text('nftables-owned-table');
    const ownedTable = OWNED_TABLE_SETTINGS.find((candidate) => candidate === text);
    if (ownedTable === undefined) {
      this.wrong('nftables-owned-table', text, `must be one of ${OWNED_TABLE_SETTINGS.join(', ')}`);
    }
    return {
      localhostNodePorts: this.bool('nftables-localhost-nodeports'),
      countConnections: this.bool('nftables-count-connections'),
      ownedTable: ownedTable ?? 'never',
    };
  }

  private userspace(): AgentSettings['userspace'] {
    const text = this.text('userspace-redirect');
    const redirect = USERSPACE_REDIRECTS.find((candidate) => candidate === text);
    if (redirect === undefined) {
      this.wrong('userspace-redirect', text, `must be one of ${USERSPACE_REDIRECTS.join(', ')}`);
    }
    const portRange = parsePortRange(this.text('proxy-port-range'));
    if (portRange === 'invalid') {
      const right = 'is not a range of ports from 1 to 65535; write it like 30000-32767 or 30000+100';
      this.wrong('proxy-port-range', this.text('proxy-port-range'), right);
    }
    const udpTimeout = this.duration('udp-timeout');
    if (udpTimeout !== undefined && udpTimeout <= 0) {
      this.wrong('udp-timeout', this.text('udp-timeout'), 'must be greater than 0, such as 250ms');
    }
    return {
      redirect: redirect ?? 'auto',
      udpTimeout: udpTimeout ?? 250,
      ...(portRange === undefined || portRange === 'invalid' ? {} : { portRange }),
    };
  }

  private ipvs(): IpvsSettings {
    const given = this.text('ipvs-scheduler').trim();
    const scheduler = given === '' ? DEFAULT_SCHEDULER : given;
    if (!isScheduler(scheduler)) {
      this.wrong('ipvs-scheduler', given, `must be one of ${SCHEDULER_NAMES.join(', ')}`);
    }
    return {
      scheduler,
      excludeCIDRs: this.cidrs('ipvs-exclude-cidrs', this.list('ipvs-exclude-cidrs')).map(({ text }) => text),
      strictARP: this.bool('ipvs-strict-arp'),
      timeouts: {
        tcp: this.wholeSeconds('ipvs-tcp-timeout'),
        tcpFin: this.wholeSeconds('ipvs-tcpfin-timeout'),
        udp: this.wholeSeconds('ipvs-udp-timeout'),
      },
    };
  }

  private wholeSeconds(name: 'ipvs-tcp-timeout' | 'ipvs-tcpfin-timeout' | 'ipvs-udp-timeout'): number {
    const milliseconds = this.duration(name) ?? 0;
    if (milliseconds < 0) {
      this.wrong(name, this.text(name), 'must be 0 or greater, such as 15m');
    }
    return Math.max(0, Math.round(milliseconds / 1000));
  }

  private logging(): LoggingSettings {
    const format = this.text('logging-format');
    if (format !== 'text' && format !== 'json') {
      this.wrong('logging-format', format, 'must be text or json');
    }
    const verbosity = this.int('v', 0, 2_147_483_647, 'a verbosity level from 0, such as 2');
    return { format: format === 'json' ? 'json' : 'text', verbosity };
  }

  private overlappingExternalAddresses(): 'serve' | 'refuse' {
    const action = this.text('overlapping-external-addresses');
    if (action !== 'serve' && action !== 'refuse') {
      this.wrong('overlapping-external-addresses', action, 'must be serve or refuse');
    }
    return action === 'refuse' ? 'refuse' : 'serve';
  }

  private output(): Output {
    const output = this.text('output');
    if (!isOutput(output)) {
      this.wrong('output', output, `must be ${OUTPUTS.slice(0, -1).join(', ')} or ${OUTPUTS.at(-1)}`);
    }
    return isOutput(output) ? output : 'text';
  }

  private interfaceName(name: 'pod-bridge-interface' | 'pod-interface-name-prefix'): string {
    const text = this.text(name);
    // A plus at the end would be a wildcard to iptables.
    if (
      text !== '' &&
      (!/^[\x21-\x2e\x30-\x7e]+$/.test(text) || text.endsWith('+') || text.length > MAX_INTERFACE_NAME)
    ) {
      const right = `must be the name or a prefix of the name of an interface: at most ${MAX_INTERFACE_NAME} letters and digits`;
      this.wrong(name, text, right);
    }
    return text;
  }
}

/** Sorts problems of the file by line, after problems of the command line. */
function inFileOrder(problems: readonly string[], file: string | undefined): readonly string[] {
  const lineOf = (problem: string) =>
    file !== undefined && problem.startsWith(`${file}:`)
      ? Number.parseInt(problem.slice(file.length + 1), 10) || 0.5
      : 0;
  return [...problems].sort((a, b) => lineOf(a) - lineOf(b));
}
