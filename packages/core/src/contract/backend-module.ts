import type { ContainerModule } from 'inversify';
import type { CountingCapability } from '../counting/service-counts.js';
import type { IPFamily } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { Clock } from '../sync/clock.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import type { SyncObserver } from '../sync/sync-observer.js';
import type { PacketPath, PathRule } from '../verification/packet-path.js';
import type { BackendMeasurement, SyncMetrics } from './backend-metrics.js';
import type { HostRequirements } from './host-requirements.js';
import type { Logger } from './logger.js';
import type { Proxier, ProxyMode } from './proxier.js';

/**
 * Result of a probe. `reason` is one sentence without a full stop that completes a line such as "cannot use ipvs: …".
 */
export type ProbeResult =
  | {
      readonly usable: true;
      readonly detail?: string;
      /** IP families that the backend can run for on this host. Default both. */
      readonly families?: readonly IPFamily[];
    }
  | { readonly usable: false; readonly reason: string };

/** Features that a backend lacks, declared explicitly: `doctor` shows them, conformance skips those cases by name. */
export interface BackendCapabilities {
  /** Serves NodePorts on 127.0.0.0/8. Default false. */
  readonly localhostNodePorts?: boolean;
  /** Serves NodePorts on ::1. The kernel has no `route_localnet` for IPv6, so only sockets can. Default false. */
  readonly localhostNodePortsIPv6?: boolean;
  /**
   * Where it serves NodePorts on 127.0.0.0/8, it serves them on the whole network, not on 127.0.0.1 only. Default true.
   */
  readonly localhostNetwork?: boolean;
  /** Serves UDP. Default true. */
  readonly udp?: boolean;
  /** Serves SCTP. Default true. */
  readonly sctp?: boolean;
  /**
   * Its connections are in the kernel's connection tracking table, whose limits are then tuned for it. Default true.
   */
  readonly tracksConnections?: boolean;
  /** Preserves a client's address where the state has `masquerade: 'never'`. Default true. */
  readonly preservesSource?: boolean;
  /** Identifies packets of pods by their input interface (`LocalTrafficDetector`). Default true. */
  readonly detectsInterfaces?: boolean;
  /**
   * Serves cluster IPs, external IPs and load balancer IPs. Default true; false for a backend that serves NodePorts only.
   */
  readonly serviceAddresses?: boolean;
  /**
   * Serves an external IP that is the address of a pod; the backend's own path to that pod is not affected. Default
   * true.
   */
  readonly externalIPsOfPods?: boolean;
  /**
   * Other ports of a cluster IP that the node itself has, such as that of a DNS cache, are left to the node's processes.
   * Default true; false for a backend that assigns cluster IPs to the node itself.
   */
  readonly clusterIPsOfNode?: boolean;
  /** What it counts when connection counting is enabled. Default: nothing. */
  readonly counting?: CountingCapability;
  /** Selects endpoints in the proportion of `selectionWeights`. Without it, endpoints of a list are equal. Default true. */
  readonly weights?: boolean;
  /**
   * TCP connections whose endpoint is gone can be reset where the Service says so (spec R-1). With `tracksConnections`,
   * the host deletes their conntrack entries, and the rules of the backend answer their next packet with a reset, or
   * send it to an endpoint that does. Without it, the backend resets them itself. Default true.
   */
  readonly resets?: boolean;
  /**
   * Serves frontends with a range of ports (`Frontend.lastPort`). Otherwise frontends have no range. Default false
   * (spec PR-6).
   */
  readonly portRanges?: boolean;
  /** Serves ranges whose endpoints have other ports than the range, too. Default false. */
  readonly shiftedPortRanges?: boolean;
  /** The installed rules keep working while no process of the backend runs. Default true. */
  readonly servesWithoutProcess?: boolean;
}

/** Input for reading a {@link PacketPath}. */
export interface PacketPathRequest {
  readonly family: IPFamily;
  readonly options: ProxierOptions;
  /** Rules to ignore, because a takeover is about to remove them. Default: none. */
  readonly ignores?: (rule: PathRule) => boolean;
  /** Names of interfaces to ignore, because a takeover is about to remove them. Default: none. */
  readonly ignoredInterfaces?: readonly string[];
  /** Aborts the read where possible: it then rejects, or the path is incomplete. Default: none. */
  readonly signal?: AbortSignal;
  /**
   * Called when everything that depends on Services has been read from the kernel; only processing remains. A backend
   * that does not call it has read everything when the promise resolves.
   */
  readonly onRead?: () => void;
}

/** What a planned {@link PacketPath} depends on. */
export interface PlannedPathRequest {
  readonly state: ProxyState;
  readonly options: ProxierOptions;
  /** Addresses of the host that the state is for. */
  readonly localAddresses: readonly string[];
}

/** The result of one check of `kube-proxier doctor`. */
export interface Diagnosis {
  /** What was checked, in a few words: `iptables variants`. */
  readonly check: string;
  /**
   * `warning`: works, but not completely, or not permanently. `problem`: will not work. `unknown`: could not be
   * checked, for example without privileges; such a check never reports `ok`.
   */
  readonly status: 'ok' | 'warning' | 'problem' | 'unknown';
  /** The finding, one sentence without a full stop. */
  readonly found: string;
  /** The remedy, one sentence without a full stop. Absent when no action is needed. */
  readonly advice?: string;
}

/**
 * What a backend package exports: the only interface between the agent and the backend.
 *
 * `module` binds {@link Tokens.ProxierFactory} and {@link Tokens.Cleanup}; {@link Tokens.KubeProxyCleanup} and
 * {@link Tokens.Leftovers} are optional. Loading it must have no side effect. The host loads the modules of other modes
 * only to clean up after them, and never runs `Tokens.Cleanup` of the mode in force.
 *
 * @example
 * export const acmeBackend: BackendModule = {
 *   mode: 'acme',
 *   description: 'Programs the ACME load balancer',
 *   probe: async () => ({ usable: true }),
 *   module: new ContainerModule(({ bind }) => {
 *     bind(Tokens.ProxierFactory).toConstantValue(createAcmeProxier);
 *     bind(Tokens.Cleanup).toConstantValue(removeAcmeRules);
 *   }),
 * };
 */
export interface BackendModule {
  /** Lower case letters, digits and dashes; unique among the backends of a host. */
  readonly mode: ProxyMode;
  /** One line for help texts. */
  readonly description: string;
  readonly capabilities?: BackendCapabilities;
  readonly requirements?: HostRequirements;
  /**
   * Why this mode should be replaced, and by what: one sentence without a full stop. It is logged as a warning, and recorded as an
   * event, when the mode is selected. Default: not deprecated.
   */
  readonly deprecation?: string;
  /**
   * Probes whether this host can run it, by trying, not by comparing version numbers. Leaves the host unchanged. Must
   * not throw: a failure is reported as `reason`.
   */
  probe(): Promise<ProbeResult>;
  /**
   * Further findings of `kube-proxier doctor` for this mode: limits, leftovers. Changes nothing. Default: none.
   */
  diagnose?(): Promise<readonly Diagnosis[]>;
  /**
   * Prepares the host with changes that need more privileges than running does (sysctls, kernel modules), for
   * `--init-only`; idempotent, and does not interrupt traffic. A proxier makes the same changes itself where permitted.
   * Default: no preparation.
   *
   * @throws ProxierError when the preparation failed.
   */
  prepare?(options: ProxierOptions, logger: Logger): Promise<void>;
  /**
   * Reads the way of packets of one family through this host, whoever installed its rules, so that a state can be verified.
   * Changes nothing. What cannot be read is in `PacketPath.unread`. Default: the mode cannot be verified, and a verification
   * reports that as unknown.
   *
   * @throws ProxierError when nothing can be read.
   */
  readPacketPath?(request: PacketPathRequest): Promise<PacketPath>;
  /**
   * The way of packets through a host that has nothing but what this backend plans for a state, so that modes can be compared. Pure:
   * nothing is read or written. Default: the mode cannot be compared.
   */
  plannedPath?(request: PlannedPathRequest): PacketPath;
  /**
   * Whether a rule is one that this backend installs, or kube-proxy in the mode of the same name. Pure. Default: none is.
   */
  ownsRule?(rule: PathRule): boolean;
  /** Names of network interfaces that this backend creates, or kube-proxy in the mode of the same name. Default: none. */
  readonly interfaces?: readonly string[];
  /** What it measures, for `/metrics` while its mode is in force. Default: nothing. */
  readonly metrics?: readonly BackendMeasurement[];
  /** Metrics of its syncs besides those of every mode. Default: none. */
  readonly syncMetrics?: SyncMetrics;
  readonly module: ContainerModule;
}

/** An address of an interface that was added, removed or changed. */
export interface AddressChange {
  /** Index of the interface. */
  readonly link: number;
  readonly family: IPFamily;
  /** Canonical. */
  readonly address: string;
}

/** The dependencies of a proxier. */
export interface ProxierContext {
  readonly family: IPFamily;
  readonly options: ProxierOptions;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Notified of every sync; for metrics, health and conntrack. */
  readonly observer: SyncObserver;
  /**
   * Canonical addresses of all interfaces of this host, both families. Called in each sync where the options depend on
   * them.
   */
  readonly localAddresses: () => Promise<readonly string[]>;
  /**
   * Reports changes of these addresses, within about a second; reports undefined when changes may have been missed:
   * then the addresses have to be read again. Returns when `signal` aborts. Default: no notifications; addresses are
   * read in each sync, or in each full sync.
   */
  readonly watchAddresses?: (
    onChange: (changes: readonly AddressChange[] | undefined) => void | Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Reads and validates objects; shared by the proxiers of both families. Default: a separate one for each proxier. */
  readonly reader?: ObjectReader;
}

/**
 * Creates the proxier of one IP family. Must not access the kernel: that begins with `syncLoop`.
 *
 * @throws ProxierError when the options cannot be satisfied; `PROXIER_CONTEXT` when a member of the context is missing or
 * invalid (`checkProxierContext`).
 */
export type ProxierFactory = (context: ProxierContext) => Proxier;
