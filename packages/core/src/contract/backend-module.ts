import type { ContainerModule } from 'inversify';
import type { IPFamily } from '../model/address.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { Clock } from '../sync/clock.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import type { SyncObserver } from '../sync/sync-observer.js';
import type { Logger } from './logger.js';
import type { Proxier, ProxyMode } from './proxier.js';

/** What a probe found. `reason` is one sentence without a full stop that ends a line such as "cannot use ipvs: …". */
export type ProbeResult =
  | {
      readonly usable: true;
      readonly detail?: string;
      /** IP families that it can run for here. Default both. */
      readonly families?: readonly IPFamily[];
    }
  | { readonly usable: false; readonly reason: string };

/** What a backend cannot do, said out loud: users see it in `doctor`, conformance skips those cases by name. */
export interface BackendCapabilities {
  /** Serves NodePorts on 127.0.0.0/8. Default false. */
  readonly localhostNodePorts?: boolean;
  /** Where it serves NodePorts on 127.0.0.0/8, all of that network answers, not 127.0.0.1 alone. Default true. */
  readonly localhostNetwork?: boolean;
  /** Serves UDP. Default true. */
  readonly udp?: boolean;
  /** Serves SCTP. Default true. */
  readonly sctp?: boolean;
  /** Its load is in the kernel's connection tracking, which is then tuned for it. Default true. */
  readonly tracksConnections?: boolean;
  /** Keeps a client's address where the state says `masquerade: 'never'`. Default true. */
  readonly preservesSource?: boolean;
  /** Tells pods by the interface that they come in by (`LocalTrafficDetector`). Default true. */
  readonly detectsInterfaces?: boolean;
  /**
   * Serves cluster IPs, external IPs and load balancer IPs. Default true; false for a backend that serves NodePorts only.
   */
  readonly serviceAddresses?: boolean;
  /** Serves an external IP that is the address of a pod: its own way to that pod stays as it is. Default true. */
  readonly externalIPsOfPods?: boolean;
  /** What is programmed goes on working while no process of the backend runs. Default true. */
  readonly servesWithoutProcess?: boolean;
}

/** What `kube-proxier doctor` says of one thing that it looked at. */
export interface Diagnosis {
  /** What was looked at, in a few words: `iptables variants`. */
  readonly check: string;
  /**
   * `warning`: works, but not all of it, or not for long. `problem`: will not work. `unknown`: could not be looked at, for
   * example for lack of privileges; never `ok` for that.
   */
  readonly status: 'ok' | 'warning' | 'problem' | 'unknown';
  /** What was found, one sentence without a full stop. */
  readonly found: string;
  /** What to do about it, one sentence without a full stop. Absent when there is nothing to do. */
  readonly advice?: string;
}

/**
 * What a backend package exports, and all that the agent knows of it.
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
  /**
   * Whether this host can run it, found by trying, not by reading version numbers. Leaves the host as it was.
   * Must not throw: what goes wrong is a reason.
   */
  probe(): Promise<ProbeResult>;
  /**
   * What `kube-proxier doctor` should tell of this host beyond the probe, for this mode: limits, leftovers. Changes
   * nothing. Default: nothing.
   */
  diagnose?(): Promise<readonly Diagnosis[]>;
  /**
   * Does what needs more privileges than running does (sysctls, kernel modules), for `--init-only`; idempotent, and
   * disturbs no traffic. A proxier does the same by itself where it may. Default: there is nothing to do.
   *
   * @throws ProxierError when it could not be done.
   */
  prepare?(options: ProxierOptions, logger: Logger): Promise<void>;
  readonly module: ContainerModule;
}

/** An address of an interface that has come, gone, or changed in another way. */
export interface AddressChange {
  /** Index of the interface. */
  readonly link: number;
  readonly family: IPFamily;
  /** Canonical. */
  readonly address: string;
}

/** What a proxier is made from. */
export interface ProxierContext {
  readonly family: IPFamily;
  readonly options: ProxierOptions;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Told of every sync; for metrics, health and conntrack. */
  readonly observer: SyncObserver;
  /** Canonical addresses of all interfaces of this host, any family. Asked at each sync where the options need it. */
  readonly localAddresses: () => Promise<readonly string[]>;
  /**
   * Tells of changes of these addresses, within about a second; of undefined when there may have been some that are not
   * known. What is there then has to be looked up. Returns when `signal` aborts. Default: nobody tells, and addresses are
   * looked up with each sync, or with each that compares everything.
   */
  readonly watchAddresses?: (
    onChange: (changes: readonly AddressChange[] | undefined) => void | Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Reads and checks objects; shared by the proxiers of both families. Default: one of the proxier's own. */
  readonly reader?: ObjectReader;
}

/**
 * Makes the proxier of one IP family. Must not touch the kernel: that begins with `syncLoop`.
 *
 * @throws ProxierError when the options cannot be satisfied.
 */
export type ProxierFactory = (context: ProxierContext) => Proxier;
