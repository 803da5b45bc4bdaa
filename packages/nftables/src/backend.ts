import {
  type BackendModule,
  checkBackendOptions,
  checkProxierContext,
  combinedAffinity,
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
  type RuleChange,
  type ServiceCounts,
  Tokens,
} from '@kube-proxier/core';
import {
  type CommandRunner,
  createCommandRunner,
  kernelFilesOf,
  type NftAccess,
  NftChoice,
  type NftTableFlag,
} from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { cleanUp, cleanUpKubeProxy, findLeftovers } from './cleanup.js';
import { NftablesDataplane } from './dataplane.js';
import { diagnose } from './diagnose.js';
import { COUNTING, SYNC_METRICS } from './metrics.js';
import { NftablesLayoutRefused } from './nftables-error.js';
import { ownsRule, plannedPath, readPacketPath } from './packet-path.js';
import { LAYOUTS, type Layout } from './plan/layout.js';
import { HostSupport, OWNED_TABLE_SETTINGS, type OwnedTable } from './probe.js';
import { readKubeProxyAffinity } from './read-back/kube-proxy-affinity.js';
import { withRemovedTexts } from './read-back/list-rule-texts.js';

export interface NftablesBackendOptions {
  /** Runs nft, in its network namespace. Default: on this host. */
  readonly runner?: CommandRunner;
  /** Access path to nf_tables. Default: netlink if it works, else the program nft. */
  readonly access?: NftAccess;
  /** As `ProxierOptions.countConnections`, for this mode. Default false. */
  readonly countConnections?: boolean;
  /** Whether the kernel refuses foreign changes of the table. Default `never`. */
  readonly ownedTable?: OwnedTable;
  /**
   * The clients of session affinity of another mode on this host: they keep their endpoints when the table is created,
   * as do those of kube-proxy's nftables mode. Default: none.
   */
  readonly formerAffinity?: (family: IPFamily) => Promise<FormerAffinity>;
  /** Default: `constant` where this host accepts it, else `chain-per-service`. */
  readonly layout?: Layout;
}

const MODE: ProxyMode = 'nftables';

/** Values of {@link NftablesBackendOptions.access}. */
export const NFT_ACCESS_SETTINGS: readonly NftAccess[] = ['netlink', 'nft'];

/**
 * Creates the nftables backend. Has no side effects.
 *
 * @throws BackendOptionError when an option is unknown or invalid.
 */
export function createNftablesBackend(options: NftablesBackendOptions = {}): BackendModule {
  checkBackendOptions('createNftablesBackend', options, {
    runner: OptionRules.having('run'),
    countConnections: OptionRules.boolean,
    ownedTable: OptionRules.oneOf(OWNED_TABLE_SETTINGS),
    layout: OptionRules.oneOf(LAYOUTS),
    access: OptionRules.oneOf(NFT_ACCESS_SETTINGS),
    formerAffinity: OptionRules.function,
  });
  const { runner = createCommandRunner(), access, countConnections = false, layout, ownedTable = 'never' } = options;
  const { formerAffinity } = options;
  const choice = new NftChoice({ runner, ...(access === undefined ? {} : { access }) });
  const nft = () => choice.create();
  const host = { runner, choice, ownedTable, ...(layout === undefined ? {} : { layout }) };
  const support = new HostSupport({ ...host, trustsInstalled: true });
  const proxiers = new ProxierRegistry(support, choice, countConnections, runner, formerAffinity);
  return {
    mode: MODE,
    description: 'Programs netfilter through nftables, with a ruleset that does not grow with the cluster',
    capabilities: { localhostNodePorts: false, counting: COUNTING, portRanges: true, shiftedPortRanges: true },
    probe: () => support.probe(),
    // Not the assumed capabilities: runs all trials.
    diagnose: () => diagnose(new HostSupport(host), ownedTable),
    metrics: [countsMeasurement(COUNTING, { source: 'kernel', read: () => proxiers.connections() })],
    syncMetrics: SYNC_METRICS,
    readPacketPath: (request) =>
      readPacketPath(request, {
        ...{ runner, choice },
        ...(options.runner === undefined ? {} : { files: kernelFilesOf(runner) }),
      }),
    plannedPath: (request) => plannedPath(request),
    ownsRule,
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => proxiers.create(context));
      bind(Tokens.Cleanup).toConstantValue(() => cleanUp(nft()));
      bind(Tokens.KubeProxyCleanup).toConstantValue(() => cleanUpKubeProxy(nft()));
      bind(Tokens.Leftovers).toConstantValue((owner) => findLeftovers(nft(), owner));
      bind(Tokens.Preview).toConstantValue((context) => proxiers.createPreview(context));
    }),
  };
}

/** Creates proxiers, and reports what the host does not support to their log once. */
class ProxierRegistry {
  readonly #dataplanes = new Set<NftablesDataplane>();
  readonly #warnings = new Set<string>();

  constructor(
    private readonly support: HostSupport,
    private readonly choice: NftChoice,
    private readonly countConnections: boolean,
    private readonly runner: CommandRunner,
    private readonly formerAffinity: NftablesBackendOptions['formerAffinity'],
  ) {}

  create(context: ProxierContext): Proxier {
    checkProxierContext(MODE, context);
    const { family, logger, clock, options } = context;
    let isLayoutAssumed = false;
    const dataplane = new NftablesDataplane({
      family,
      nft: this.choice.create(),
      masqueradeBit: options.masqueradeBit,
      countConnections: this.countConnections || options.countConnections,
      countTraffic: options.countTraffic,
      // No layout is accepted without it.
      fullyRandom: true,
      layout: async () => {
        isLayoutAssumed = (await this.support.layout()).isAssumed ?? false;
        return this.#layout(logger);
      },
      canCountEndpoints: () => this.#canCountEndpoints(logger, options),
      tableFlags: () => this.#tableFlags(logger),
      formerAffinity: async () => {
        const known = await Promise.all([
          readKubeProxyAffinity(this.choice.create(), family),
          this.formerAffinity?.(family),
        ]);
        return combinedAffinity(known.filter((one) => one !== undefined));
      },
      onRefused: (error) => {
        if (!isLayoutAssumed) {
          return error;
        }
        this.support.noteRefusal();
        return new NftablesLayoutRefused(error);
      },
      logger,
      clock,
    });
    this.#dataplanes.add(dataplane);
    return new ReconcilingProxier({ mode: MODE, context, dataplane });
  }

  /** A preview does not claim an owned table. */
  createPreview({ family, options, logger, clock, localAddresses }: PreviewContext): Preview {
    const dataplane = new NftablesDataplane({
      ...{
        family,
        nft: this.choice.create(),
        masqueradeBit: options.masqueradeBit,
        countConnections: this.countConnections || options.countConnections,
        countTraffic: options.countTraffic,
      },
      fullyRandom: true,
      layout: () => this.#layout(logger),
      canCountEndpoints: () => this.#canCountEndpoints(logger, options),
      ...{ logger, clock },
    });
    const complete = (changes: readonly RuleChange[]) => withRemovedTexts(changes, family, this.runner);
    return createPreview({ dataplane, localAddresses, complete });
  }

  async connections(): Promise<readonly ServiceCounts[]> {
    return (await Promise.all([...this.#dataplanes].map((dataplane) => dataplane.connections()))).flat();
  }

  async #layout(logger: Logger): Promise<Layout> {
    const { layout, reason } = await this.support.layout();
    if (reason !== undefined) {
      this.#warnOnce(logger, `Using a chain per Service: this host refuses the ruleset that does not grow: ${reason}`);
    }
    return layout;
  }

  async #canCountEndpoints(
    logger: Logger,
    { countConnections, countTraffic }: Pick<ProxierOptions, 'countConnections' | 'countTraffic'>,
  ): Promise<boolean> {
    const { countingRefusal } = await this.support.layout();
    if (countingRefusal !== undefined && (this.countConnections || countConnections || countTraffic)) {
      this.#warnOnce(
        logger,
        `Only connections to Services are counted, and nothing for each endpoint: this host refuses the rules: ${countingRefusal}`,
      );
    }
    return countingRefusal === undefined;
  }

  async #tableFlags(logger: Logger): Promise<readonly NftTableFlag[] | undefined> {
    const { flags, reason } = await this.support.tableFlags();
    if (reason !== undefined) {
      this.#warnOnce(
        logger,
        flags === undefined
          ? `The table is not owned, so any privileged process can change it: ${reason}`
          : `The table, and all Services with it, is removed whenever this program ends: ${reason}`,
      );
    }
    return flags;
  }

  #warnOnce(logger: Logger, message: string): void {
    if (!this.#warnings.has(message)) {
      this.#warnings.add(message);
      logger.warn(message);
    }
  }
}

/** The backend with its defaults. */
export const nftablesBackend: BackendModule = createNftablesBackend();
