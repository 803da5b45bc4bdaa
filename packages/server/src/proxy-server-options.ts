import type {
  BackendModule,
  Clock,
  DEFAULT_PROXY_MODE,
  IPFamily,
  Logger,
  ProxierOptions,
  ProxyMode,
  Source,
  SourceHandler,
} from '@kube-proxier/core';
import type { Conntrack, Sysctl, TcpSockets } from '@kube-proxier/linux';
import type { ConntrackTuning } from './conntrack/conntrack-tuning.js';
import type { ExclusiveInstanceOptions } from './instance/exclusive-instance.js';
import type { ListenAddress } from './listen-address.js';
import type { ProxyMetrics } from './metrics/proxy-metrics.js';
import type { HostNetwork } from './node/host-network.js';
import type { ProbeOptions } from './probe/probe-options.js';
import type { RecordingOptions } from './recorder/recording-options.js';
import type { ScrapeOptions } from './scrape/scrape-options.js';
import type { ServerObserver } from './server-observer.js';
import type { ProfilingOptions } from './status/debug-routes.js';
import type { HealthCheckStatus } from './status/node-status.js';

/** Options of the proxiers. Excludes port ranges and protocols, which depend on the backend. */
export type ServerProxierOptions = Omit<ProxierOptions, 'portRanges' | 'unservedProtocols'>;

/** Options of a `ProxyServer`. Only `backends` and `sources` have no default. */
export interface ProxyServerOptions {
  /** Available backends. */
  readonly backends: readonly BackendModule[];
  /** Where objects come from. At least one. */
  readonly sources: readonly Source[];
  /** Mode of the backend to use; empty for {@link DEFAULT_PROXY_MODE}, with a warning. Default empty. */
  readonly mode?: ProxyMode;
  /** Mode to use when the host cannot run `mode`; `none` makes that an error. Default `iptables`. */
  readonly fallback?: ProxyMode | 'none';
  /**
   * Options of the proxiers. Defaults are core's; `nodeName` defaults to the host's name (spec W-30). NodePorts on loopback
   * addresses are limited to what the backend can serve, and with IPv6 to what `nodePortAddresses` lists (spec K-103).
   */
  readonly proxier?: Partial<ServerProxierOptions>;
  /** The node's primary address, if it differs from that of the Node object (spec W-28). Default: that of the Node. */
  readonly bindAddress?: string;
  /**
   * Endpoints may have loopback addresses, which the API server rejects. Default false: such an address lets a Service
   * expose the node itself. For experiments on one computer.
   */
  readonly allowLoopbackEndpoints?: boolean;
  /** IP families to serve, if the host has them. Default both. */
  readonly families?: readonly IPFamily[];
  /** Default: no logs. */
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Notified of every sync and event. An observer that throws does not affect the proxy. */
  readonly observer?: ServerObserver;
  /**
   * Notified of every event of the merged sources, after the proxiers, if they implement its method. A handler that
   * throws does not affect the proxy. Default none.
   */
  readonly handlers?: readonly Partial<SourceHandler>[];
  /** Default: this host's. */
  readonly network?: HostNetwork;
  /** Metrics to update. Default: none. */
  readonly metrics?: ProxyMetrics;
  /** Address that serves `/healthz`, `/livez` and `/readyz` (spec H-1…H-10). Default: none. */
  readonly healthAddress?: ListenAddress;
  /** Address that serves `/proxyMode`, `/metrics` and `/debug/…` (spec H-30…H-36). Default: none. */
  readonly statusAddress?: ListenAddress;
  /** Address that serves `/metrics` only, to authorized clients. Needs `metrics`. Default: none. */
  readonly scrape?: ScrapeOptions;
  /**
   * Further names by which requests may address `statusAddress`; see `StatusServerOptions.hostNames`. The names of the node
   * and of the host, `localhost` and IP addresses are always accepted. Default none.
   */
  readonly statusHostNames?: readonly string[];
  /**
   * Removes leftovers of other modes and of kube-proxy from this host, once the mode in force has programmed every
   * family. Objects of the mode in force are never removed. Default false: an embedding program decides that itself.
   */
  readonly takeover?: boolean;
  /**
   * Verifies the kernel against the state periodically, and before a takeover removes the rules of other modes.
   * Default: only on request (`/debug/verify`), and takeovers do not wait for a verification.
   */
  readonly verification?: {
    /** Milliseconds; 0 verifies on request only. */
    readonly period: number;
  };
  /**
   * One proxy serves a network namespace: while another kube-proxier or a kube-proxy runs in that of this process,
   * `start` waits until it has ended, without changing the host. False does not wait; two proxies whose rules have the
   * same names overwrite each other. Default: true, but false where `network` is given, since the proxy then serves
   * another network namespace than this process's.
   */
  readonly exclusive?: boolean;
  /**
   * Takes the lock even if `exclusive` is false, if it is free: other proxies then wait for this one, and `doctor` and
   * `cleanup` detect it. Default: true, but false where `network` is given.
   */
  readonly announce?: boolean;
  /** How other proxies are detected. Default: by this process's network namespace. */
  readonly instances?: Pick<ExclusiveInstanceOptions, 'lock' | 'findKubeProxy'>;
  /** Failure to listen is fatal instead of being retried. Default false. */
  readonly bindAddressHardFail?: boolean;
  /**
   * Called with the families to serve, the primary one first, and the backend in force, before anything is programmed. An error
   * that it throws aborts the start. Default: nothing.
   */
  readonly checkFamilies?: (
    families: readonly IPFamily[],
    backend: Pick<BackendModule, 'mode' | 'capabilities'>,
  ) => void;
  /** Applied before anything is programmed, for modes that use connection tracking (spec T-1…T-7). Default: none. */
  readonly conntrackTuning?: ConntrackTuning;
  /** What `/configz` answers. Default: not served. */
  readonly configuration?: () => unknown;
  /**
   * Problems of a configuration that was changed at run time, for the status, each without a full stop. Default: none.
   */
  readonly configurationProblems?: () => readonly string[];
  /** Which memory limit of this process is almost reached, and the remedy, for the status; undefined when none is. Default: none is. */
  readonly memoryShortage?: () => string | undefined;
  /**
   * Also serves `/debug/pprof` and `/debug/flags/v` at `statusAddress` (spec H-34). Default: not served.
   */
  readonly profiling?: ProfilingOptions;
  /**
   * Records the inputs and actions of the server, served under `/debug/recording` of `statusAddress`. Default: nothing
   * is recorded.
   */
  readonly recording?: RecordingOptions;
  /**
   * Probes the data plane: every few seconds, connects to an own Service of the server, through the rules of the
   * kernel, with a listener of this process as its endpoint. Default: no probe.
   */
  readonly probe?: ProbeOptions;
  /** Results of health checks of this host's sources, for the status. Default: none. */
  readonly healthChecks?: () => HealthCheckStatus;
  /** External IPs of Services are served (gate AllowServiceExternalIPs). Default true. */
  readonly serviceExternalIPs?: boolean;
  /** Conntrack table from which stale UDP and SCTP flows are deleted (spec T-10…T-19). Default: none are deleted. */
  readonly conntrack?: Conntrack;
  /**
   * Sockets of this host's programs, whose connections to removed endpoints are reset (spec R-6). Default: they are
   * kept.
   */
  readonly tcpSockets?: TcpSockets;
  /** Settings of the kernel that features depend on. Only read. Default: not checked. */
  readonly sysctl?: Pick<Sysctl, 'read'>;
}
