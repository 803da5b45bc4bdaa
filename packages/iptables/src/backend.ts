import {
  type BackendModule,
  checkBackendOptions,
  checkProxierContext,
  countsMeasurement,
  createPreview,
  type FormerAffinity,
  type IPFamily,
  type Logger,
  OptionRules,
  type Preview,
  type PreviewContext,
  type Proxier,
  type ProxierContext,
  type ProxierOptions,
  type ProxyMode,
  ReconcilingProxier,
  servesLoopback,
  Tokens,
} from '@kube-proxier/core';
import {
  type AddToRecentLists,
  addToRecentLists,
  type CommandRunner,
  createCommandRunner,
  IPTABLES_SYNC_METRICS,
  type IptablesVariant,
  kernelFilesOf,
  type PacketCounters,
  PacketCountersNetlink,
  ProcSysctl,
  type Sysctl,
} from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { openLocalnet } from './apply/open-localnet.js';
import { HostCleanup } from './cleanup.js';
import { IptablesDataplane } from './dataplane.js';
import { diagnose } from './diagnose.js';
import { HostTools, VARIANTS } from './host-tools.js';
import { COUNTING, packetMeasurement } from './metrics.js';
import { isForeignRule, plannedPath, readPacketPath } from './packet-path.js';
import { probe } from './probe.js';
import { ExistingCounters } from './read-back/existing-counters.js';

export interface IptablesBackendOptions {
  /** Default: the one that this host uses, detected when it is first needed. */
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
  /**
   * Reads the clients of session affinity of other modes, which keep their endpoints when this mode takes over from them.
   * Called once for each IP family, if no rules of this mode are installed. Default: none.
   */
  readonly formerAffinity?: (family: IPFamily) => Promise<FormerAffinity>;
}

const MODE: ProxyMode = 'iptables';

/**
 * Creates the iptables backend. Has no side effects.
 *
 * @throws BackendOptionError when an option is unknown or invalid.
 */
export function createIptablesBackend(options: IptablesBackendOptions = {}): BackendModule {
  checkBackendOptions('createIptablesBackend', options, {
    variant: OptionRules.oneOf(VARIANTS),
    runner: OptionRules.having('run'),
    sysctl: OptionRules.having('read', 'write'),
    counters: OptionRules.having('ensure', 'read'),
    formerAffinity: OptionRules.function,
  });
  const host = hostOf(options);
  const { counters, runner, sysctl, tools } = host;
  const cleanup = new HostCleanup(MODE, tools, sysctl);
  const dataplanes = new Set<IptablesDataplane>();
  return {
    mode: MODE,
    description: 'Programs netfilter through iptables, legacy or nft',
    capabilities: { localhostNodePorts: true, counting: COUNTING, portRanges: true, shiftedPortRanges: true },
    requirements: { tools: ['iptables'], routesLocalnet: true, forwards: 'source-kept' },
    probe: () => probe(tools, runner),
    diagnose: () => diagnose(tools, runner),
    metrics: [
      packetMeasurement(async (name) => (await counters?.read(name).catch(() => undefined))?.packets),
      countsMeasurement(COUNTING, {
        source: 'kernel',
        read: async () => (await Promise.all([...dataplanes].map((dataplane) => dataplane.connections()))).flat(),
      }),
    ],
    syncMetrics: IPTABLES_SYNC_METRICS,
    readPacketPath: async (request) =>
      readPacketPath(request, {
        runner,
        live: (await tools.variantInUse()) === 'nft',
        ...(options.runner === undefined ? {} : { files: kernelFilesOf(runner) }),
      }),
    plannedPath,
    ownsRule: (rule) => rule.system.startsWith('iptables') && !isForeignRule(rule),
    prepare: (proxierOptions, logger) => prepare(host, proxierOptions, logger),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => createProxier(host, context, dataplanes));
      bind(Tokens.Cleanup).toConstantValue(cleanup.cleanUp);
      bind(Tokens.KubeProxyCleanup).toConstantValue(cleanup.cleanUpKubeProxy);
      bind(Tokens.Leftovers).toConstantValue(cleanup.findLeftovers);
      bind(Tokens.Preview).toConstantValue((context) => createBackendPreview(host, context));
    }),
  };
}

/** What the parts of the backend share. */
interface IptablesHost {
  readonly runner: CommandRunner;
  readonly tools: HostTools;
  readonly sysctl: Sysctl;
  /** Undefined when nothing is counted. */
  readonly counters: PacketCounters | undefined;
  readonly formerAffinity: IptablesBackendOptions['formerAffinity'];
  readonly addToRecentLists: AddToRecentLists;
}

function hostOf({ runner: given, sysctl, counters, variant, formerAffinity }: IptablesBackendOptions): IptablesHost {
  const runner = given ?? createCommandRunner();
  return {
    runner,
    tools: new HostTools(runner, variant),
    sysctl: sysctl ?? new ProcSysctl(given && kernelFilesOf(given)),
    counters: counters ?? (given === undefined ? new PacketCountersNetlink() : undefined),
    formerAffinity,
    addToRecentLists: (additions) => addToRecentLists(additions, given),
  };
}

function createProxier(
  { counters, sysctl, tools, formerAffinity, addToRecentLists }: IptablesHost,
  context: ProxierContext,
  dataplanes: Set<IptablesDataplane>,
): Proxier {
  checkProxierContext(MODE, context);
  const { family, logger, options, clock } = context;
  const dataplane = new IptablesDataplane({
    family,
    iptables: () => tools.chosenToRead(family, logger),
    iptablesToWatch: () => tools.chosen(family, logger),
    masqueradeBit: options.masqueradeBit,
    sysctl,
    ...(counters === undefined ? {} : { counters }),
    countConnections: options.countConnections,
    ...(formerAffinity === undefined ? {} : { formerAffinity: () => formerAffinity(family), addToRecentLists }),
    logger,
    clock,
  });
  dataplanes.add(dataplane);
  return new ReconcilingProxier({ mode: MODE, context, dataplane });
}

function createBackendPreview({ counters, sysctl, tools }: IptablesHost, context: PreviewContext): Preview {
  const { family, logger, options, clock, localAddresses } = context;
  const dataplane = new IptablesDataplane({
    family,
    iptables: () => tools.chosen(family, logger),
    masqueradeBit: options.masqueradeBit,
    sysctl,
    ...(counters === undefined ? {} : { counters: new ExistingCounters(counters) }),
    logger,
    clock,
  });
  return createPreview({ dataplane, localAddresses });
}

/** Opens NodePorts on 127.0.0.1 where they are served, as a proxier does: the sysctl may need more privileges. */
async function prepare({ sysctl, tools }: IptablesHost, options: ProxierOptions, logger: Logger): Promise<void> {
  // The primary address, which is not known yet, is no loopback address.
  if (servesLoopback(options)) {
    await openLocalnet(await tools.chosen('IPv4', logger), sysctl, logger);
  }
}

/** The backend with its defaults. */
export const iptablesBackend: BackendModule = createIptablesBackend();
