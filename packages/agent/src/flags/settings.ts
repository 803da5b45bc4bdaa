import { ProxierError, type ProxyMode, parseAddress, printable, UnknownProxyModeError } from '@kube-proxier/core';
import { effectiveConfiguration } from '../configuration/effective-configuration.js';
import type { ConfigurationReading } from '../configuration/kube-proxy-configuration.js';
import { MAX_MESSAGE_LENGTH } from '../logging/log-line.js';
import { type AgentSettings, isOutput, type LoggingSettings, OUTPUTS, type Output } from './agent-settings.js';
import { readIpvs, readNftables, readUserspace } from './backend-settings.js';
import type { CommandLine } from './command-line.js';
import { readConntrack } from './conntrack-settings.js';
import { type FeatureGates, readFeatureGates } from './feature-gates.js';
import type { FlagName } from './flag.js';
import { FlagValues } from './flag-values.js';
import { parseGoInt } from './go-values.js';
import { mergeConfiguration } from './merge-configuration.js';
import { readProbe } from './probe-settings.js';
import { readProxier } from './proxier-settings.js';
import { readScrape } from './scrape-settings.js';
import { readContentTypes, readHealthChecks, readKubernetes, readManifests } from './source-settings.js';
import { listenAddresses, statusAddresses } from './status-addresses.js';

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
  const { merged, places, ignored } = mergeConfiguration(commandLine, configuration);
  return new SettingsReader(merged, environment, { ...configuration, places }, ignored).read(modes);
}

/** The logging flags alone, with defaults for invalid values: errors must be logged in any case. */
export function readLogging(commandLine: CommandLine): LoggingSettings {
  const format = commandLine.values.get('logging-format')?.at(-1) === 'json' ? 'json' : 'text';
  const verbosity = parseGoInt(commandLine.values.get('v')?.at(-1) ?? '0') ?? 0;
  return { format, verbosity };
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
    const kubernetes = readKubernetes(this, this.environment);
    const settings: AgentSettings = {
      mode: this.#mode(modes, featureGates),
      fallback: this.#fallback(modes),
      takeover: this.bool('takeover'),
      verifyPeriod: this.#verifyPeriod(),
      allowMultipleInstances: this.bool('allow-multiple-instances'),
      kubernetes,
      manifests: readManifests(this),
      healthChecks: readHealthChecks(this),
      bindAddress: this.#bindAddress(),
      proxier: readProxier(this),
      counterSeries: this.int('counter-series', 1, 100_000, 'a number of series from 1 to 100000'),
      nftables: readNftables(this, featureGates),
      userspace: readUserspace(this),
      ipvs: readIpvs(this),
      allowLoopbackEndpoints:
        this.text('proxy-mode') === 'userspace' &&
        this.text('userspace-redirect') === 'none' &&
        this.commandLine.values.has('manifests'),
      logging: this.#logging(),
      ...addresses,
      scrape: readScrape(this, kubernetes !== undefined),
      bindAddressHardFail: this.bool('bind-address-hard-fail'),
      profiling: this.bool('profiling'),
      probe: readProbe(this),
      recording: this.#recording(),
      output: this.#output(),
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
        this.configuration?.fieldsWithoutFlag ?? new Map(),
      ),
      warnings: [...this.#warnings(), ...gateWarnings, ...addressWarnings],
    };
    for (const name of ['cleanup', 'version', 'help'] as const) {
      this.bool(name);
    }
    for (const name of ['kube-proxy', 'dry-run', 'force'] as const) {
      const { command } = this.commandLine;
      const plansCleanup = command === 'plan' && name === 'kube-proxy' && this.bool('cleanup');
      if (this.bool(name) && !plansCleanup && !['cleanup', 'help', 'version'].includes(command)) {
        this.problems.push(`--${name}: belongs to the command cleanup: kube-proxier cleanup --${name}`);
      }
    }
    this.#checkUnused();
    if (this.problems.length > 0) {
      throw new CommandLineError(inFileOrder([...new Set(this.problems)], this.configuration?.file), settings.warnings);
    }
    return settings;
  }

  #verifyPeriod(): number {
    const period = this.duration('verify-period') ?? 0;
    if (period < 0) {
      this.wrong('verify-period', this.text('verify-period'), 'is negative; write 0 to verify on request only');
    }
    return period;
  }

  #warnings(): readonly string[] {
    const ignored = this.ignored.map((name) => `--${name}`);
    return [
      ...(ignored.length === 0
        ? []
        : [`${ignored.join(', ')}: ignored, because --config replaces flags; set it in the file`]),
      ...(this.configuration?.warnings ?? []),
      ...readContentTypes(this).warnings,
      ...this.unused(),
    ];
  }

  /** Validates values without effect as kube-proxy does: a file should be valid for both. */
  #checkUnused(): void {
    const period = this.duration('config-sync-period');
    if (this.given('config-sync-period') && period !== undefined && period <= 0) {
      this.wrong('config-sync-period', this.text('config-sync-period'), 'must be greater than 0, such as 15m');
    }
    const version = this.text('show-hidden-metrics-for-version');
    if (version !== '' && !/^\d+\.\d+$/.test(version)) {
      this.wrong('show-hidden-metrics-for-version', version, 'must be a minor version, such as 1.35');
    }
  }

  #mode(modes: readonly ProxyMode[], { ipvs }: Pick<FeatureGates, 'ipvs'>): ProxyMode {
    const mode = this.text('proxy-mode');
    if (mode === 'ipvs' && !ipvs) {
      this.wrong('proxy-mode', mode, 'cannot be selected while the feature gate KubeProxyIPVS is false');
    }
    if (mode !== '' && !modes.includes(mode)) {
      this.problems.push(
        `${this.place('proxy-mode')}: ${printable(new UnknownProxyModeError(mode, modes).message, MAX_MESSAGE_LENGTH)}`,
      );
    }
    return mode;
  }

  #fallback(modes: readonly ProxyMode[]): ProxyMode | 'none' {
    const mode = this.text('proxy-mode-fallback');
    if (this.commandLine.values.has('proxy-mode-fallback') && mode !== 'none' && !modes.includes(mode)) {
      this.wrong('proxy-mode-fallback', mode, `must be one of ${modes.join(', ')}, or none`);
    }
    return mode;
  }

  #bindAddress(): string {
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

  #logging(): LoggingSettings {
    const format = this.text('logging-format');
    if (format !== 'text' && format !== 'json') {
      this.wrong('logging-format', format, 'must be text or json');
    }
    const verbosity = this.int('v', 0, 2_147_483_647, 'a verbosity level from 0, such as 2');
    return { format: format === 'json' ? 'json' : 'text', verbosity };
  }

  #recording(): AgentSettings['recording'] {
    const maxAge = this.duration('recording-age') ?? 0;
    if (maxAge < 0) {
      this.wrong('recording-age', this.text('recording-age'), 'must be 0 or greater, such as 1h');
    }
    const size = this.int('recording-size', 1, 4096, 'a number of megabytes from 1 to 4096');
    const directory = this.text('recording-directory');
    if (directory !== '' && maxAge === 0) {
      this.wrong('recording-directory', directory, 'needs a --recording-age greater than 0');
    }
    return maxAge <= 0
      ? undefined
      : { maxAge, maxBytes: size * 1024 * 1024, ...(directory === '' ? {} : { directory }) };
  }

  #output(): Output {
    const output = this.text('output');
    const known = OUTPUTS.filter((one) => one !== 'name' || this.commandLine.command === 'get');
    if (!known.some((one) => one === output)) {
      this.wrong('output', output, `must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`);
    }
    return isOutput(output) ? output : 'text';
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
