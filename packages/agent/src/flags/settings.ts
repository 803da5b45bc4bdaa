import {
  type IPFamily,
  type LocalTrafficDetection,
  type NodePortAddressSelection,
  type ParsedCIDR,
  ProxierError,
  type ProxierOptions,
  type ProxyMode,
  parseAddress,
  parseCIDR,
  UnknownProxyModeError,
} from '@kube-proxier/core';
import { DEFAULT_SCHEDULER, type IpvsSettings, isScheduler, SCHEDULER_NAMES } from '@kube-proxier/ipvs';
import { parsePortRange, USERSPACE_REDIRECTS, type UserspaceBackendOptions } from '@kube-proxier/userspace';
import type { ConfigurationReading } from '../configuration/kube-proxy-configuration.js';
import { printable } from '../logging/printable.js';
import type { LoggingFormat } from '../logging/winston-logger.js';
import type { CommandLine } from './command-line.js';
import { FLAGS, type FlagName } from './flag.js';
import { parseGoBool, parseGoDuration, parseGoInt } from './go-values.js';

/** All that the command line asks for, checked. */
export interface AgentSettings {
  /** As asked for; empty for the default. */
  readonly mode: ProxyMode;
  readonly fallback: ProxyMode | 'none';
  /** The API server to ask; undefined for none. This or `manifests` is there when the agent is to run. */
  readonly kubernetes: KubernetesSettings | undefined;
  /** Directories and files. */
  readonly manifests: readonly string[];
  /** Canonical. */
  readonly bindAddress: string;
  /** What differs from core's defaults or was given. */
  readonly proxier: Partial<ProxierOptions>;
  /** What only the userspace backend knows of. */
  readonly userspace: Pick<UserspaceBackendOptions, 'redirect' | 'portRange' | 'udpTimeout'>;
  /** What only the ipvs backend knows of. */
  readonly ipvs: IpvsSettings;
  /**
   * Endpoints of manifests may have loopback addresses. Only for a proxy that redirects nothing: run as an ordinary
   * user, it leads nowhere that the writer of the manifests could not go himself.
   */
  readonly allowLoopbackEndpoints: boolean;
  readonly logging: LoggingSettings;
  /** Where the status server listens; undefined when it is switched off. */
  readonly status: StatusAddress | undefined;
  /** Where health is answered; undefined when it is switched off. */
  readonly health: StatusAddress | undefined;
  /** How `explain` answers. */
  readonly output: 'text' | 'json';
}

/** How to reach an API server. With neither, that of the cluster that this runs in. */
export interface KubernetesSettings {
  /** Path; empty for none. */
  readonly kubeconfig: string;
  /** URL; empty for that of the kubeconfig. */
  readonly master: string;
}

/** An address to listen on. */
export interface StatusAddress {
  /** Canonical, without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface LoggingSettings {
  readonly format: LoggingFormat;
  readonly verbosity: number;
}

/** What is wrong with a command line: everything, each in one line. */
export class CommandLineError extends ProxierError {
  /** At least one. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super('INVALID_COMMAND_LINE', problems.join('; '));
    this.problems = problems;
  }
}

const DETECT_LOCAL_MODES = ['ClusterCIDR', 'NodeCIDR', 'BridgeInterface', 'InterfaceNamePrefix'] as const;
type DetectLocalMode = (typeof DETECT_LOCAL_MODES)[number];

const DEFAULT_STATUS_PORT = 10_249;
const DEFAULT_HEALTH_PORT = 10_256;
/** Longest interface name that the kernel takes (IFNAMSIZ less its end). */
const MAX_INTERFACE_NAME = 15;

/**
 * Checks a command line, with the configuration file that it names, as kube-proxy does (spec §2.3, §2.5).
 *
 * @param configuration what the file says, when one is named.
 * @param modes that there are.
 * @param environment where a pod finds the address of its API server (spec C-82). Default: that of this process.
 * @throws CommandLineError with all that is wrong, not the first only.
 */
export function readSettings(
  commandLine: CommandLine,
  modes: readonly ProxyMode[],
  configuration?: ConfigurationReading,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): AgentSettings {
  const merged = configuration ? merge(commandLine, configuration) : commandLine;
  return new SettingsReader(merged, environment, configuration).read(modes);
}

/** The logging flags alone, with their defaults where they cannot be read: errors have to be told somehow. */
export function readLogging(commandLine: CommandLine): LoggingSettings {
  const format = commandLine.values.get('logging-format')?.at(-1) === 'json' ? 'json' : 'text';
  const verbosity = parseGoInt(commandLine.values.get('v')?.at(-1) ?? '0') ?? 0;
  return { format, verbosity };
}

/** Flags that count beside a configuration file (spec C-20). */
const BESIDE_FILE: ReadonlySet<FlagName> = new Set<FlagName>([
  'config',
  'manifests',
  'master',
  'hostname-override',
  'proxy-mode-fallback',
  'v',
  'logging-format',
  'output',
  'cleanup',
  'help',
  'version',
]);

function merge(commandLine: CommandLine, { values }: ConfigurationReading): CommandLine {
  const own = [...commandLine.values].filter(([name]) => BESIDE_FILE.has(name));
  return { ...commandLine, values: new Map([...values, ...own]) };
}

class SettingsReader {
  private readonly problems: string[];

  constructor(
    private readonly commandLine: CommandLine,
    private readonly environment: Readonly<Record<string, string | undefined>>,
    private readonly configuration?: ConfigurationReading,
  ) {
    this.problems = [...commandLine.errors, ...(configuration?.problems ?? [])];
  }

  read(modes: readonly ProxyMode[]): AgentSettings {
    const settings: AgentSettings = {
      mode: this.mode(modes),
      fallback: this.fallback(modes),
      kubernetes: this.kubernetes(),
      manifests: this.manifests(),
      bindAddress: this.bindAddress(),
      proxier: {
        ...this.nodeName(),
        localTrafficDetection: this.localTrafficDetection(),
        nodePortAddresses: this.nodePortAddresses(),
        localhostNodePorts: this.bool('iptables-localhost-nodeports'),
        masqueradeAll: this.bool('masquerade-all'),
        masqueradeBit: this.int('iptables-masquerade-bit', 0, 31, 'a bit from 0 to 31'),
        ...this.periods(),
      },
      userspace: this.userspace(),
      ipvs: this.ipvs(),
      allowLoopbackEndpoints:
        this.text('proxy-mode') === 'userspace' &&
        this.text('userspace-redirect') === 'none' &&
        this.commandLine.values.has('manifests'),
      logging: this.logging(),
      status: this.address('metrics-bind-address', DEFAULT_STATUS_PORT),
      health: this.address('healthz-bind-address', DEFAULT_HEALTH_PORT),
      output: this.output(),
    };
    for (const name of ['cleanup', 'version', 'help'] as const) {
      this.bool(name);
    }
    if (this.problems.length > 0) {
      throw new CommandLineError(this.problems);
    }
    return settings;
  }

  private mode(modes: readonly ProxyMode[]): ProxyMode {
    const mode = this.text('proxy-mode');
    if (mode !== '' && !modes.includes(mode)) {
      this.problems.push(`${this.place('proxy-mode')}: ${printable(new UnknownProxyModeError(mode, modes).message)}`);
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
    if (this.commandLine.values.has('manifests') || this.commandLine.command !== 'run') {
      return undefined;
    }
    if ((this.environment.KUBERNETES_SERVICE_HOST ?? '') !== '') {
      return { kubeconfig, master };
    }
    this.problems.push(
      'there is nowhere to learn Services from: give --kubeconfig with the path of a kubeconfig file, or --manifests ' +
        'with a directory of Kubernetes YAML, or run it in a pod (KUBERNETES_SERVICE_HOST is not set, so this is none)',
    );
    return undefined;
  }

  private manifests(): readonly string[] {
    // Unlike other lists not split at commas: they are paths.
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
          const right = 'must say how interface names begin when --detect-local-mode is InterfaceNamePrefix';
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
      return { kind: 'all' };
    }
    if (items.includes('primary')) {
      if (items.length > 1) {
        this.wrong('nodeport-addresses', items.join(','), "can't use both 'primary' and CIDRs; give one or the other");
      }
      return { kind: 'primary' };
    }
    return { kind: 'cidrs', cidrs: this.cidrs('nodeport-addresses', items).map(({ text }) => text) };
  }

  /** Spec K-85: the mode ipvs has periods of its own. */
  private periods(): Pick<ProxierOptions, 'syncPeriod' | 'minSyncPeriod'> {
    const mode = this.text('proxy-mode') === 'ipvs' ? 'ipvs' : 'iptables';
    const own = this.periodsOf(mode);
    // Those of the other one are checked all the same.
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
      this.wrong(period, this.text(period), `must be greater than or equal to --${least}, ${this.text(least)}`);
    }
    return { syncPeriod: syncPeriod ?? 0, minSyncPeriod: minSyncPeriod ?? 0 };
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
    const verbosity = this.int('v', 0, 2_147_483_647, 'a level of detail from 0, such as 2');
    return { format: format === 'json' ? 'json' : 'text', verbosity };
  }

  private address(
    name: 'metrics-bind-address' | 'healthz-bind-address',
    defaultPort: number,
  ): StatusAddress | undefined {
    const text = this.text(name);
    if (text === '') {
      return undefined;
    }
    const whole = parseAddress(text);
    const split = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
    const address = whole ?? parseAddress(split?.[1] ?? split?.[2]);
    const port = whole ? defaultPort : Number(split?.[3]);
    if (!address || !(port >= 1 && port <= 65_535)) {
      this.wrong(name, text, 'must be an IP address, with a port from 1 to 65535, as in 127.0.0.1:10249');
      return undefined;
    }
    return { host: address.text, port };
  }

  private output(): 'text' | 'json' {
    const output = this.text('output');
    if (output !== 'text' && output !== 'json') {
      this.wrong('output', output, 'must be text or json');
    }
    return output === 'json' ? 'json' : 'text';
  }

  private interfaceName(name: 'pod-bridge-interface' | 'pod-interface-name-prefix'): string {
    const text = this.text(name);
    // A plus at the end would be a wildcard to iptables.
    if (
      text !== '' &&
      (!/^[\x21-\x2e\x30-\x7e]+$/.test(text) || text.endsWith('+') || text.length > MAX_INTERFACE_NAME)
    ) {
      const right = `must be a name of an interface, or how it begins: at most ${MAX_INTERFACE_NAME} letters and digits`;
      this.wrong(name, text, right);
    }
    return text;
  }

  private cidrs(name: FlagName, items: readonly string[]): readonly ParsedCIDR[] {
    return items.flatMap((item) => {
      const cidr = parseCIDR(item);
      if (!cidr) {
        this.wrong(name, item, 'is not a network; write it like 10.0.0.0/8 or fd00::/64');
      }
      return cidr ?? [];
    });
  }

  private list(name: FlagName): readonly string[] {
    const values = this.commandLine.values.get(name) ?? [];
    return values.flatMap((value) => value.split(',')).flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  }

  private bool(name: FlagName): boolean {
    const text = this.text(name);
    const value = parseGoBool(text);
    if (value === undefined) {
      this.wrong(name, text, 'must be true or false');
    }
    return value ?? false;
  }

  private int(name: FlagName, least: number, most: number, right: string): number {
    const text = this.text(name);
    const value = parseGoInt(text);
    if (value === undefined || value < least || value > most) {
      this.wrong(name, text, `must be ${right}`);
    }
    return value ?? 0;
  }

  private duration(name: FlagName): number | undefined {
    const text = this.text(name);
    const value = parseGoDuration(text);
    if (value === undefined) {
      this.wrong(name, text, 'is not a duration; write it like 500ms, 30s or 1m30s');
    }
    return value;
  }

  /** The last value given, or the default. */
  private text(name: FlagName): string {
    const flag = FLAGS.find((candidate) => candidate.name === name);
    return this.commandLine.values.get(name)?.at(-1) ?? (flag && 'default' in flag ? flag.default : '');
  }

  /** Where a value comes from: the flag, or the line of the file. */
  private place(name: FlagName): string {
    return this.configuration?.places.get(name) ?? `--${name}`;
  }

  private wrong(name: FlagName, value: string, right: string): void {
    this.problems.push(`${this.place(name)}: "${printable(value, 120)}" ${right}`);
  }
}
