import {
  type BackendModule,
  type CleanupReport,
  checkBackendOptions,
  countsMeasurement,
  createPreview,
  type Diagnosis,
  type IPFamily,
  type LeftoverOwner,
  LeftoversError,
  type Logger,
  messageOf,
  OptionRules,
  type PacketPath,
  type PacketPathRequest,
  type Preview,
  type PreviewContext,
  type ProbeResult,
  type Proxier,
  type ProxierContext,
  type ProxyMode,
  parseCIDR,
  type RemovedObjects,
  type ServiceCounts,
  Tokens,
} from '@kube-proxier/core';
import {
  type CommandRunner,
  createCommandRunner,
  createIptables,
  detectIptablesVariant,
  HostConntrack,
  IPTABLES_SYNC_METRICS,
  IpSetsNetlink,
  type Iptables,
  type IptablesVariant,
  IpvsNetlink,
  type IpvsTimeouts,
  kernelFiles,
  LinksNetlink,
  ProcSysctl,
  probeIpvs,
  type Sysctl,
  supportsIPv6,
} from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { IpvsDataplane, type IpvsSettings } from './dataplane.js';
import { diagnose } from './diagnose.js';
import type { IpvsHost } from './ipvs-host.js';
import { isForeignRule, readPacketPath } from './packet-path.js';
import { INTERFACE } from './plan/layout.js';
import { DEFAULT_SCHEDULER, SCHEDULER_NAMES } from './plan/schedulers.js';
import { type HostProbe, probeHost } from './probe.js';
import { createIpvsProxier } from './proxier.js';
import { COUNTING } from './read-back/server-counts.js';

/** Options of {@link createIpvsBackend}. */
export interface IpvsBackendOptions extends IpvsSettings {
  /** Runs iptables and modprobe. Default: on this host. */
  readonly runner?: CommandRunner;
  /** Kernel settings. Default: those of this process's network namespace. */
  readonly sysctl?: Sysctl;
}

const MODE: ProxyMode = 'ipvs';
const SECONDS = OptionRules.wholeNumberFrom(0);
/** A kernel has finer ticks, and may refuse less. */
const MAX_SECONDS = 0x7fff_ffff;
const TIMEOUTS: readonly (keyof IpvsTimeouts)[] = ['tcp', 'tcpFin', 'udp'];
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/**
 * Creates the ipvs backend. Has no side effects.
 *
 * @throws BackendOptionError when an option is unknown or invalid.
 */
export function createIpvsBackend(options: IpvsBackendOptions = {}): BackendModule {
  const host = new IpvsBackendHost(checked(options));
  return {
    mode: MODE,
    description: 'Uses the load balancer in the kernel (ip_vs), with all of its schedulers',
    syncMetrics: IPTABLES_SYNC_METRICS,
    // An address on kube-ipvs0 is local to this node: the pod is then unreachable.
    capabilities: {
      localhostNodePorts: false,
      externalIPsOfPods: false,
      clusterIPsOfNode: false,
      counting: COUNTING,
      portRanges: true,
    },
    metrics: [countsMeasurement(COUNTING, { source: 'kernel', read: () => host.connections() })],
    deprecation:
      'The ipvs mode is deprecated in kube-proxy and will be removed there, by default off from Kubernetes 1.40 on; kube-proxier ' +
      'keeps it. Use nftables instead where its schedulers are not needed',
    requirements: { tools: ['iptables'], forwards: 'none' },
    probe: () => host.probe(),
    diagnose: () => host.diagnose(),
    readPacketPath: (request) => host.readPacketPath(request),
    interfaces: [INTERFACE],
    ownsRule: (rule) => !isForeignRule(rule),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => host.createProxier(context));
      bind(Tokens.Cleanup).toConstantValue((logger, { inForce }) =>
        host.cleanup(logger, inForce !== undefined, 'backend'),
      );
      // Objects of the mode in force have been adopted.
      bind(Tokens.KubeProxyCleanup).toConstantValue(async (logger, { inForce }) =>
        inForce === MODE ? { removed: [] } : await host.cleanup(logger, inForce !== undefined, 'kube-proxy'),
      );
      bind(Tokens.Leftovers).toConstantValue(async (owner, logger, { inForce }) =>
        owner === 'kube-proxy' && inForce === MODE ? [] : await host.leftovers(owner, logger),
      );
      bind(Tokens.Preview).toConstantValue((context) => host.createPreview(context));
    }),
  };
}

function checked(options: IpvsBackendOptions): IpvsBackendOptions {
  checkBackendOptions('createIpvsBackend', options, {
    scheduler: OptionRules.oneOf(SCHEDULER_NAMES),
    excludeCIDRs: {
      expected: 'a list of networks, each like 10.0.0.0/8',
      accepts: (value) => Array.isArray(value) && value.every((text) => parseCIDR(text) !== undefined),
    },
    strictARP: OptionRules.boolean,
    timeouts: {
      expected: `{ tcp, tcpFin, udp }, each in whole seconds, 0 to ${MAX_SECONDS}`,
      accepts: (value) =>
        typeof value === 'object' &&
        value !== null &&
        TIMEOUTS.every((name) => {
          const seconds = (value as Record<string, unknown>)[name];
          return SECONDS.accepts(seconds) && (seconds as number) <= MAX_SECONDS;
        }),
    },
    runner: OptionRules.having('run'),
    sysctl: OptionRules.having('read', 'write'),
  });
  const { excludeCIDRs = [] } = options;
  return { ...options, excludeCIDRs: excludeCIDRs.map((text) => parseCIDR(text)?.text ?? text) };
}

class IpvsBackendHost {
  readonly #runner: CommandRunner;
  readonly #sysctl: Sysctl;
  readonly #hosts = new Map<IPFamily, IpvsHost>();
  readonly #dataplanes = new Set<IpvsDataplane>();
  #variant: Promise<IptablesVariant | undefined> | undefined;
  #probed: HostProbe | undefined;

  constructor(private readonly options: IpvsBackendOptions) {
    this.#runner = options.runner ?? createCommandRunner();
    this.#sysctl = options.sysctl ?? new ProcSysctl();
  }

  diagnose(): Promise<readonly Diagnosis[]> {
    return diagnose(this.#sysctl);
  }

  async probe(): Promise<ProbeResult> {
    // Loads the module, if permitted, and reports the reason when it is missing.
    const kernel = await probeIpvs(this.#runner);
    if (!kernel.usable) {
      return kernel;
    }
    this.#probed = await probeHost({
      host: (family) => this.#host(family),
      supportsIPv6: () => supportsIPv6(),
      scheduler: this.options.scheduler ?? DEFAULT_SCHEDULER,
    });
    return this.#probed.result;
  }

  readPacketPath(request: PacketPathRequest): Promise<PacketPath> {
    return readPacketPath(request, { ...this.#host(request.family), runner: this.#runner });
  }

  createProxier(context: ProxierContext): Proxier {
    const options = {
      ...this.options,
      host: this.#host(context.family),
      availableSchedulers: () => this.#probed?.schedulers,
    };
    return createIpvsProxier(context, options, (dataplane) => this.#dataplanes.add(dataplane));
  }

  /** Kernel counters of both families. */
  async connections(): Promise<readonly ServiceCounts[]> {
    return (await Promise.all([...this.#dataplanes].map((dataplane) => dataplane.connections()))).flat();
  }

  createPreview({ family, options, logger, clock }: PreviewContext): Preview {
    const dataplane = new IpvsDataplane({
      ...this.options,
      ...{ family, logger, clock, host: this.#host(family), masqueradeBit: options.masqueradeBit, readOnly: true },
      availableSchedulers: () => this.#probed?.schedulers,
    });
    return createPreview({ dataplane, localAddresses: () => dataplane.localAddresses() });
  }

  /** Where the kernel has no IPVS there is nothing to clean up (spec V-40); its module is not loaded for that. */
  async cleanup(logger: Logger, gently: boolean, whose: LeftoverOwner): Promise<CleanupReport> {
    if (!(await hasIpvs())) {
      return { removed: [] };
    }
    let staying = 0;
    const removed: RemovedObjects[] = [];
    const left: string[] = [];
    let cause: unknown;
    for (const family of FAMILIES) {
      const dataplane = new IpvsDataplane({ ...this.options, family, host: this.#host(family), logger });
      try {
        const done = await dataplane.remove(gently, whose);
        staying += done.staying;
        removed.push(...done.removed);
      } catch (error) {
        const leftovers = error instanceof LeftoversError ? error.leftovers : [`virtual servers (${messageOf(error)})`];
        left.push(...leftovers.map((what) => `${family} ${what}`));
        cause = error;
      }
    }
    if (left.length > 0) {
      throw new LeftoversError('IPVS_LEFTOVERS', left, { cause });
    }
    return staying === 0
      ? { removed }
      : { removed, remaining: `${staying} virtual servers of IPVS with open connections` };
  }

  /** What a clean-up would remove. */
  async leftovers(whose: LeftoverOwner, logger: Logger): Promise<readonly RemovedObjects[]> {
    const found: RemovedObjects[] = [];
    for (const family of (await hasIpvs()) ? FAMILIES : []) {
      const dataplane = new IpvsDataplane({ ...this.options, family, host: this.#host(family), logger });
      found.push(...(await dataplane.leftovers(whose)));
    }
    return found;
  }

  #host(family: IPFamily): IpvsHost {
    let host = this.#hosts.get(family);
    if (host === undefined) {
      host = {
        ipvs: new IpvsNetlink(),
        links: new LinksNetlink(),
        sets: new IpSetsNetlink(),
        iptables: () => this.#iptables(family),
        sysctl: this.#sysctl,
        conntrack: new HostConntrack({ runner: this.#runner }),
      };
      this.#hosts.set(family, host);
    }
    return host;
  }

  async #iptables(family: IPFamily): Promise<Iptables> {
    this.#variant ??= detectIptablesVariant(this.#runner).then(({ variant }) => variant);
    const variant = await this.#variant;
    return createIptables({ family, runner: this.#runner, ...(variant === undefined ? {} : { variant }) });
  }
}

/** Reads without loading kernel modules. */
async function hasIpvs(): Promise<boolean> {
  try {
    await kernelFiles.read('/proc/net/ip_vs');
    return true;
  } catch {
    return false;
  }
}

/** The backend with its defaults. */
export const ipvsBackend: BackendModule = createIpvsBackend();
