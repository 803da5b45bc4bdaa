import {
  type BackendModule,
  type Cleanup,
  type CleanupReport,
  checkBackendOptions,
  type Diagnosis,
  type FindLeftovers,
  type IPFamily,
  type KubeProxyCleanup,
  LeftoversError,
  type Logger,
  messageOf,
  ObjectReader,
  OptionRules,
  type ProbeResult,
  type Proxier,
  type ProxierContext,
  type ProxierOptions,
  type ProxyMode,
  ProxyStateResolver,
  ReconcilingProxier,
  type RemovedObjects,
  Tokens,
} from '@kube-proxier/core';
import {
  type CommandRunner,
  canRun,
  createCommandRunner,
  createIptables,
  detectIptablesVariant,
  IPTABLES_SYNC_METRICS,
  type Iptables,
  IptablesError,
  type IptablesVariant,
  inNewNamespace,
  kernelFilesOf,
  type PacketCounters,
  PacketCountersNetlink,
  ProcSysctl,
  renderDocument,
  type Sysctl,
  whyNotPermitted,
} from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { openLocalnet } from './apply/open-localnet.js';
import {
  cleanUp,
  findLeftovers,
  guardsLocalnet,
  type IptablesCleanupOptions,
  servesKubeProxyLocalnet,
} from './cleanup.js';
import { IptablesDataplane } from './dataplane.js';
import { packetMeasurement } from './metrics.js';
import { trialDocument } from './plan/trial-document.js';

export interface IptablesBackendOptions {
  /** Default: whichever this host uses, found out when it is first needed. */
  readonly variant?: IptablesVariant;
  /** Runs the tools. Default: on this host. */
  readonly runner?: CommandRunner;
  /** Kernel settings. Default: those of the network namespace that `runner` works in. */
  readonly sysctl?: Sysctl;
  /**
   * Counters of the kernel, for what rules drop. Default: those of this process's network namespace; none when `runner`
   * is given, for it may work in another one.
   */
  readonly counters?: PacketCounters;
}

const MODE: ProxyMode = 'iptables';
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
const VARIANTS: readonly IptablesVariant[] = ['nft', 'legacy'];

/**
 * Makes the iptables backend. Touches nothing until it is used.
 *
 * @throws BackendOptionError when an option is unknown or cannot be followed on any host.
 */
export function createIptablesBackend(options: IptablesBackendOptions = {}): BackendModule {
  checkBackendOptions('createIptablesBackend', options, {
    variant: OptionRules.oneOf(VARIANTS),
    runner: OptionRules.having('run'),
    sysctl: OptionRules.having('read', 'write'),
    counters: OptionRules.having('ensure', 'read'),
  });
  const host = new IptablesHost(options);
  return {
    mode: MODE,
    description: 'Programs netfilter through iptables, legacy or nft',
    capabilities: { localhostNodePorts: true },
    probe: () => host.probe(),
    diagnose: () => host.diagnose(),
    metrics: [packetMeasurement((name) => host.packetCount(name))],
    syncMetrics: IPTABLES_SYNC_METRICS,
    prepare: (proxierOptions, logger) => host.prepare(proxierOptions, logger),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => host.createProxier(context));
      bind(Tokens.Cleanup).toConstantValue(host.cleanup);
      bind(Tokens.KubeProxyCleanup).toConstantValue(host.kubeProxyCleanup);
      bind(Tokens.Leftovers).toConstantValue(host.findLeftovers);
    }),
  };
}

class IptablesHost {
  readonly #runner: CommandRunner;
  readonly #sysctl: Sysctl;
  readonly #counters: PacketCounters | undefined;
  #variant: Promise<IptablesVariant | undefined> | undefined;

  constructor(private readonly options: IptablesBackendOptions) {
    this.#runner = options.runner ?? createCommandRunner();
    this.#sysctl = options.sysctl ?? new ProcSysctl(options.runner && kernelFilesOf(options.runner));
    this.#counters = options.counters ?? (options.runner === undefined ? new PacketCountersNetlink() : undefined);
  }

  createProxier(context: ProxierContext): Proxier {
    const { family, logger, options, clock } = context;
    const dataplane = new IptablesDataplane({
      family,
      iptables: () => this.#chosen(family, logger),
      masqueradeBit: options.masqueradeBit,
      sysctl: this.#sysctl,
      ...(this.#counters === undefined ? {} : { counters: this.#counters }),
      logger,
      clock,
    });
    return new ReconcilingProxier({ mode: MODE, context, dataplane });
  }

  /** Lists on the host, and writes in a namespace of its own, so that it leaves no trace. */
  async probe(): Promise<ProbeResult> {
    try {
      const iptables = await this.#chosen('IPv4');
      const { text, variant, randomFully } = await iptables.version();
      if (!(await iptables.isPresent())) {
        return {
          usable: false,
          reason: `the nat table cannot be listed: ${whyNotPermitted()}; or the kernel lacks it`,
        };
      }
      const trial = inNewNamespace(this.#runner);
      // Where there is no unshare, or no right to use it, the trial is left out.
      if (await canRun(trial)) {
        const document = renderDocument(trialDocument('IPv4', { randomFully }));
        await this.#iptables('IPv4', await this.#variantToUse(), trial).restore(document);
      }
      const six = await this.#chosen('IPv6')
        .then((ip6tables) => ip6tables.isPresent())
        .catch(() => false);
      return {
        usable: true,
        detail: `iptables ${text} (${variant})`,
        families: six ? ['IPv4', 'IPv6'] : ['IPv4'],
      };
    } catch (error) {
      return { usable: false, reason: messageOf(error).replace(/\.$/, '') };
    }
  }

  /** Value of a counter of the kernel; undefined where it has none. */
  async packetCount(name: string): Promise<number | undefined> {
    return (await this.#counters?.read(name).catch(() => undefined))?.packets;
  }

  async diagnose(): Promise<readonly Diagnosis[]> {
    const { variant, reason, isCertain = true } = await detectIptablesVariant(this.#runner);
    const found = `${variant ?? 'the one in PATH'}: ${reason}`;
    const check = 'iptables in use';
    return [
      isCertain ? { check, status: 'ok', found } : { check, status: 'unknown', found, advice: 'run doctor as root' },
    ];
  }

  /** What a proxier does when NodePorts are to be served on 127.0.0.1, of which the sysctl may need more privileges. */
  async prepare(options: ProxierOptions, logger: Logger): Promise<void> {
    const { nodePortAddresses } = new ProxyStateResolver({
      family: 'IPv4',
      options,
      reader: new ObjectReader(),
      since: 0,
    }).applyPending().state.node;
    // The primary address, which is not known yet, is no loopback address.
    if (nodePortAddresses.loopback && options.nodePortAddresses.kind !== 'primary') {
      await openLocalnet(await this.#chosen('IPv4', logger), this.#sysctl, logger);
    }
  }

  /** Both families, and both variants: which one was used before is not known. */
  readonly cleanup: Cleanup = async (logger) => {
    const servesLocalnet = await this.#kubeProxyServesLocalnet();
    return await this.#cleanUpVariants(logger, () => ({ owner: 'kube-proxier', servesLocalnet }));
  };

  /**
   * Where this mode is in force itself, only the variant that it does not use, whoever wrote that; what it found in its
   * own it has adopted.
   */
  readonly kubeProxyCleanup: KubeProxyCleanup = async (logger, { inForce }) => {
    if (inForce !== MODE) {
      return await this.#cleanUpVariants(logger, () => ({ owner: 'kube-proxy' }));
    }
    const inUse = await this.#variantToUse();
    if (inUse === undefined) {
      return { removed: [] };
    }
    const servesLocalnet = await guardsLocalnet(this.#iptables('IPv4', inUse));
    return await this.#cleanUpVariants(logger, (variant) =>
      variant === inUse ? undefined : { owner: 'both', servesLocalnet },
    );
  };

  readonly findLeftovers: FindLeftovers = async (owner) => {
    const found: RemovedObjects[] = [];
    await this.#eachVariant(async (iptables, variant) => {
      const named = variant === undefined ? {} : { variant };
      found.push(
        ...(await findLeftovers(iptables, { owner: owner === 'backend' ? 'kube-proxier' : 'kube-proxy', ...named })),
      );
    });
    return found;
  };

  /** In one variant, while rules of this backend may be left in the other. */
  async #kubeProxyServesLocalnet(): Promise<boolean> {
    for (const variant of await this.#variantsThere('IPv4')) {
      // What cannot be read is reported by the clean-up itself.
      if (await servesKubeProxyLocalnet(this.#iptables('IPv4', variant)).catch(() => false)) {
        return true;
      }
    }
    return false;
  }

  /** @param choose undefined for a variant that is left alone. */
  async #cleanUpVariants(
    logger: Logger,
    choose: (
      variant: IptablesVariant | undefined,
    ) => Pick<IptablesCleanupOptions, 'owner' | 'servesLocalnet'> | undefined,
  ): Promise<CleanupReport> {
    const removed: RemovedObjects[] = [];
    await this.#eachVariant(async (iptables, variant) => {
      const chosen = choose(variant);
      if (chosen !== undefined) {
        const named = variant === undefined ? {} : { variant };
        removed.push(...(await cleanUp(iptables, { sysctl: this.#sysctl, logger, ...named, ...chosen })));
      }
    });
    return { removed };
  }

  /** Does the same with each family and variant that this host has; one that fails does not keep it from the others. */
  async #eachVariant(run: (iptables: Iptables, variant: IptablesVariant | undefined) => Promise<void>): Promise<void> {
    const failed: string[] = [];
    let cause: unknown;
    for (const family of FAMILIES) {
      for (const variant of await this.#variantsThere(family)) {
        try {
          await run(this.#iptables(family, variant), variant);
        } catch (error) {
          failed.push(`${family} rules${variant === undefined ? '' : ` (${variant})`}: ${messageOf(error)}`);
          cause = error;
        }
      }
    }
    if (failed.length > 0) {
      throw new LeftoversError('IPTABLES_LEFTOVERS', failed, { cause });
    }
  }

  async #variantsThere(family: IPFamily): Promise<readonly (IptablesVariant | undefined)[]> {
    if (this.options.variant !== undefined) {
      return (await this.#isThere(family, this.options.variant)) ? [this.options.variant] : [];
    }
    const there: IptablesVariant[] = [];
    for (const variant of VARIANTS) {
      if (await this.#isThere(family, variant)) {
        there.push(variant);
      }
    }
    return there.length > 0 ? there : (await this.#isThere(family, undefined)) ? [undefined] : [];
  }

  async #isThere(family: IPFamily, variant: IptablesVariant | undefined): Promise<boolean> {
    try {
      await this.#iptables(family, variant).version();
      return true;
    } catch (error) {
      if (error instanceof IptablesError && error.code === 'IPTABLES_MISSING') {
        return false;
      }
      throw error;
    }
  }

  async #chosen(family: IPFamily, logger?: Logger): Promise<Iptables> {
    return this.#iptables(family, await this.#variantToUse(logger));
  }

  /** Both families use the same variant, as the kubelet and the pod network do. */
  #variantToUse(logger?: Logger): Promise<IptablesVariant | undefined> {
    this.#variant ??=
      this.options.variant === undefined
        ? detectIptablesVariant(this.#runner).then(({ variant, reason }) => {
            logger?.debug(1, `using ${variant ?? 'the default'} iptables: ${reason}`);
            return variant;
          })
        : Promise.resolve(this.options.variant);
    return this.#variant;
  }

  #iptables(family: IPFamily, variant: IptablesVariant | undefined, runner = this.#runner): Iptables {
    return createIptables({ family, runner, ...(variant === undefined ? {} : { variant }) });
  }
}

/** The backend with its defaults. */
export const iptablesBackend: BackendModule = createIptablesBackend();
