import type { ProxierOptions, ProxyMode } from '@kube-proxier/core';
import type { IpvsSettings } from '@kube-proxier/ipvs';
import type { NftablesBackendOptions } from '@kube-proxier/nftables';
import type { ConntrackTuningOptions, ProbeOptions, RecordingOptions } from '@kube-proxier/server';
import type { UserspaceBackendOptions } from '@kube-proxier/userspace';
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js';
import type { LoggingFormat } from '../logging/stream-logger.js';
import type { FeatureGates } from './feature-gates.js';
import type { ScrapeSettings } from './scrape-settings.js';
import type { StatusAddress } from './status-addresses.js';

/** Output formats of commands; only `get` has `name`. */
export const OUTPUTS = ['text', 'json', 'yaml', 'wide', 'name'] as const;

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
  /** Milliseconds between two verifications of the kernel; 0 verifies on request only. */
  readonly verifyPeriod: number;
  readonly allowMultipleInstances: boolean;
  /** The API server to use; undefined for none. This or `manifests` is set when the agent runs. */
  readonly kubernetes: KubernetesSettings | undefined;
  /** Directories and files. */
  readonly manifests: readonly string[];
  readonly healthChecks: HealthCheckSettings;
  /** Canonical. */
  readonly bindAddress: string;
  /** Options that differ from core's defaults or are set explicitly. */
  readonly proxier: Partial<ProxierOptions>;
  /** Maximum series of each counter of Services. */
  readonly counterSeries: number;
  /** Options of the nftables backend. */
  readonly nftables: { readonly localhostNodePorts: 'selected' | false } & Required<
    Pick<NftablesBackendOptions, 'ownedTable'>
  > &
    Pick<NftablesBackendOptions, 'access'>;
  /** Options of the userspace backend. */
  readonly userspace: Pick<UserspaceBackendOptions, 'redirect' | 'portRange' | 'udpTimeout'>;
  /** Options of the ipvs backend. */
  readonly ipvs: IpvsSettings & { readonly localhostNodePorts: 'selected' | false };
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
  /** Address and access of the metrics-only server; undefined when it is disabled. */
  readonly scrape: ScrapeSettings | undefined;
  /** Failure to listen is fatal instead of being retried. */
  readonly bindAddressHardFail: boolean;
  /** The status server also profiles the process, and sets the verbosity. */
  readonly profiling: boolean;
  /** Options of the data plane probe; undefined without one. */
  readonly probe: Required<ProbeOptions> | undefined;
  /** Limits of the flight recorder; undefined when nothing is recorded. */
  readonly recording: (Required<Pick<RecordingOptions, 'maxAge' | 'maxBytes'>> & RecordingOptions) | undefined;
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

/** Which endpoints are checked. */
export interface HealthCheckSettings {
  /** The sources whose Services can ask for checks. */
  readonly of: 'manifests' | 'all' | 'none';
  /** Directory of scripts; empty for none. */
  readonly scripts: string;
}

/** How to reach the API server. With neither, the in-cluster one. */
export interface KubernetesSettings {
  /** Path; empty for none. */
  readonly kubeconfig: string;
  /** URL; empty for that of the kubeconfig. */
  readonly master: string;
  /** Encoding of requested objects: `auto` is protobuf if the server supports it. */
  readonly encoding: 'auto' | 'json';
}

export interface LoggingSettings {
  readonly format: LoggingFormat;
  readonly verbosity: number;
}
