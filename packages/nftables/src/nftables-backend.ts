import {
  type BackendModule,
  type CleanupReport,
  checkBackendOptions,
  type Diagnosis,
  diffStates,
  type IPFamily,
  isProxierError,
  type Logger,
  messageOf,
  OptionRules,
  type ProbeResult,
  type Proxier,
  type ProxierContext,
  type ProxyMode,
  ReconcilingProxier,
  type RemovedObjects,
  Tokens,
} from '@kube-proxier/core';
import {
  type CommandRunner,
  canRun,
  createCommandRunner,
  createNft,
  EndingOwners,
  inNewNamespace,
  type Nft,
  NftError,
  NftRefused,
  type NftTableFlag,
} from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { LAYOUTS, type Layout, nftFamily, TABLE } from './layout.js';
import { type CountedConnections, NftablesDataplane, removeTable } from './nftables-dataplane.js';
import { NftablesLeftovers } from './nftables-error.js';
import { NftablesPlanner } from './nftables-planner.js';
import { trialState } from './trial-state.js';

/**
 * Whether the table belongs to a process of this program (`flags owner`), so that the kernel refuses foreign changes.
 * - `never`: any privileged process can change it; drift is repaired.
 * - `persistent`: where nft and the kernel know `persist`: the table stays when that process ends, and the next one claims
 *   it. Elsewhere it is as with `never`, and a warning says why.
 * - `always`: where `persist` is not known, too: the table, and with it all Services, goes whenever that process ends.
 */
export type OwnedTable = 'never' | 'persistent' | 'always';

export const OWNED_TABLE_SETTINGS: readonly OwnedTable[] = ['never', 'persistent', 'always'];

export interface NftablesBackendOptions {
  /** Runs nft. Default: on this host. */
  readonly runner?: CommandRunner;
  /** Count connections to every Service that does not say otherwise by annotation. Default false. */
  readonly countConnections?: boolean;
  /** Whether the kernel keeps others from changing the table. Default `never`. */
  readonly ownedTable?: OwnedTable;
  /** Default: `constant` where this host accepts it, else `chain-per-service`. */
  readonly layout?: Layout;
}

const MODE: ProxyMode = 'nftables';
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** The nftables backend, and what it measures. */
export interface NftablesBackend extends BackendModule {
  /**
   * Connections to the service ports for which they are counted, of all its proxiers. Starts nft where there is any, and no
   * process where there is none.
   */
  connections(): Promise<readonly CountedConnections[]>;
}

/**
 * Makes the nftables backend. Touches nothing until it is used.
 *
 * @throws BackendOptionError when an option is unknown or cannot be followed on any host.
 */
export function createNftablesBackend(options: NftablesBackendOptions = {}): NftablesBackend {
  checkBackendOptions('createNftablesBackend', options, {
    runner: OptionRules.having('run'),
    countConnections: OptionRules.boolean,
    ownedTable: OptionRules.oneOf(OWNED_TABLE_SETTINGS),
    layout: OptionRules.oneOf(LAYOUTS),
  });
  const host = new NftablesHost(options);
  return {
    mode: MODE,
    description: 'Programs netfilter through nftables, with a ruleset that does not grow with the cluster',
    capabilities: { localhostNodePorts: false },
    probe: () => host.probe(),
    diagnose: () => host.diagnose(),
    connections: () => host.connections(),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => host.createProxier(context));
      bind(Tokens.Cleanup).toConstantValue(() => removeTables(host.nft(), TABLE));
      // kube-proxy has a table of its own, so this is safe while this mode is in force.
      bind(Tokens.KubeProxyCleanup).toConstantValue(() => removeTables(host.nft(), KUBE_PROXY_TABLE));
      bind(Tokens.Leftovers).toConstantValue((owner) =>
        findTables(host.nft(), owner === 'backend' ? TABLE : KUBE_PROXY_TABLE),
      );
    }),
  };
}

/** What this host accepts. */
interface AcceptedLayout {
  readonly layout: Layout;
  /** Why it is not the constant one. */
  readonly reason?: string;
}

/** Which flags the table gets. */
interface TableFlags {
  readonly flags: readonly NftTableFlag[] | undefined;
  /** Why `persist` is not among them; undefined when it is, or was not requested. */
  readonly reason?: string;
}

class NftablesHost {
  readonly #runner: CommandRunner;
  /** What takes over a table from another part of this backend waits for its owner. */
  readonly #endingOwners = new EndingOwners();
  readonly #dataplanes = new Set<NftablesDataplane>();
  #accepted: Promise<AcceptedLayout> | undefined;
  #flags: Promise<TableFlags> | undefined;
  #toldOfFlags = false;
  #toldOfLayout = false;

  constructor(private readonly options: NftablesBackendOptions) {
    this.#runner = options.runner ?? createCommandRunner();
  }

  nft(): Nft {
    return createNft({ runner: this.#runner, endingOwners: this.#endingOwners });
  }

  createProxier(context: ProxierContext): Proxier {
    const { family, logger, clock, options } = context;
    const { countConnections = false } = this.options;
    const layout = async () => {
      const { layout, reason } = await this.#accept();
      if (reason !== undefined && !this.#toldOfLayout) {
        this.#toldOfLayout = true;
        logger.warn(
          `Services get chains of their own: this host does not accept a ruleset that does not grow: ${reason}`,
        );
      }
      return layout;
    };
    const dataplane = new NftablesDataplane({
      family,
      nft: this.nft(),
      masqueradeBit: options.masqueradeBit,
      countConnections,
      layout,
      tableFlags: () => this.#tableFlags(logger),
      logger,
      clock,
    });
    this.#dataplanes.add(dataplane);
    return new ReconcilingProxier({ mode: MODE, context, dataplane });
  }

  async connections(): Promise<readonly CountedConnections[]> {
    return (await Promise.all([...this.#dataplanes].map((dataplane) => dataplane.connections()))).flat();
  }

  async probe(): Promise<ProbeResult> {
    try {
      const nft = this.nft();
      const version = await nft.version();
      await nft.tables('ip');
      const { layout, reason } = await this.#accept();
      const how = layout === 'constant' ? '' : `, a chain per Service: ${reason ?? 'as requested'}`;
      const { flags } = await this.#flagsOfTable();
      const owned = flags === undefined ? '' : `, its table has the flags ${flags.join(', ')}`;
      return { usable: true, detail: `nft ${version}${owned}${how}` };
    } catch (error) {
      return { usable: false, reason: messageOf(error).replace(/\.$/, '') };
    }
  }

  async diagnose(): Promise<readonly Diagnosis[]> {
    return [...(await this.#diagnoseLayout()), ...(await this.#diagnoseOwnership())];
  }

  async #diagnoseOwnership(): Promise<readonly Diagnosis[]> {
    const { ownedTable = 'never' } = this.options;
    if (ownedTable === 'never') {
      return [];
    }
    const check = 'nftables owned table';
    try {
      const { flags, reason } = await this.#flagsOfTable();
      if (reason === undefined) {
        return [{ check, status: 'ok', found: `${flags?.join(', ')}: only this program can change its table` }];
      }
      return [
        {
          check,
          status: 'warning',
          found:
            flags === undefined
              ? `anybody can change the table: ${reason}`
              : `only this program can change its table, and the table goes whenever it ends: ${reason}`,
          advice: 'use nft 1.1.0 and Linux 6.9, or newer ones',
        },
      ];
    } catch (error) {
      return [
        isNotPermitted(error)
          ? { check, status: 'unknown', found: messageOf(error), advice: 'run doctor as root' }
          : { check, status: 'problem', found: messageOf(error), advice: 'see what is said of the layout' },
      ];
    }
  }

  async #diagnoseLayout(): Promise<readonly Diagnosis[]> {
    const check = 'nftables layout';
    try {
      const { layout, reason } = await this.#accept();
      return reason === undefined
        ? [{ check, status: 'ok', found: `${layout}: every kind of rule is accepted, for IPv4 and IPv6` }]
        : [
            {
              check,
              status: 'warning',
              found: `a chain per Service, as the ruleset that does not grow is refused: ${reason}`,
              advice: 'use a newer nft and kernel to have changes cost the same in large clusters',
            },
          ];
    } catch (error) {
      if (isNotPermitted(error)) {
        return [{ check, status: 'unknown', found: messageOf(error), advice: 'run doctor as root' }];
      }
      const advice = 'use a newer nft and kernel, or another mode';
      return [{ check, status: 'problem', found: `is refused: ${messageOf(error)}`, advice }];
    }
  }

  async #tableFlags(logger: Logger): Promise<readonly NftTableFlag[] | undefined> {
    const { flags, reason } = await this.#flagsOfTable();
    if (reason !== undefined && !this.#toldOfFlags) {
      this.#toldOfFlags = true;
      logger.warn(
        flags === undefined
          ? `The table is not owned, others can change it: ${reason}`
          : `The table goes, and Services with it, whenever this program ends: ${reason}`,
      );
    }
    return flags;
  }

  /** The requested flags, as far as this host supports them; determined once. */
  #flagsOfTable(): Promise<TableFlags> {
    this.#flags ??= this.#tryFlags().catch((error: unknown) => {
      this.#flags = undefined;
      throw error;
    });
    return this.#flags;
  }

  async #tryFlags(): Promise<TableFlags> {
    const { ownedTable = 'never' } = this.options;
    if (ownedTable === 'never') {
      return { flags: undefined };
    }
    const persistent = ['owner', 'persist'] as const;
    const reason = await this.#refusalOf(persistent);
    if (reason === undefined) {
      return { flags: persistent };
    }
    const owned = ['owner'] as const;
    const ownedReason = ownedTable === 'always' ? await this.#refusalOf(owned) : reason;
    return ownedReason === undefined ? { flags: owned, reason } : { flags: undefined, reason: ownedReason };
  }

  /** Why this host refuses a table with these flags; undefined when it does not. Leaves no trace. */
  async #refusalOf(flags: readonly NftTableFlag[]): Promise<string | undefined> {
    const nft = this.nft();
    const commands = [{ do: 'add-table', flags }, { do: 'delete-table' }] as const;
    try {
      await nft.run({ family: 'ip', table: `${TABLE}-trial`, commands });
      return undefined;
    } catch (error) {
      if (error instanceof NftError && ['NFT_REFUSED', 'NFT_FAILED'].includes(error.code)) {
        return `flags ${flags.join(', ')}: ${messageOf(error).replace(/\.$/, '')}`;
      }
      throw error;
    } finally {
      nft.close();
    }
  }

  /** The best layout that is accepted, found out once; a host that accepts none is asked again. */
  #accept(): Promise<AcceptedLayout> {
    this.#accepted ??= this.#tryLayouts().catch((error: unknown) => {
      this.#accepted = undefined;
      throw error;
    });
    return this.#accepted;
  }

  async #tryLayouts(): Promise<AcceptedLayout> {
    const { layout } = this.options;
    if (layout !== undefined) {
      await this.#try(layout);
      return { layout };
    }
    try {
      await this.#try('constant');
      return { layout: 'constant' };
    } catch (error) {
      if (!(error instanceof NftError) || !['NFT_REFUSED', 'NFT_FAILED'].includes(error.code)) {
        throw error;
      }
      await this.#try('chain-per-service');
      return { layout: 'chain-per-service', reason: messageOf(error).replace(/\.$/, '') };
    }
  }

  /**
   * Loads a table with every kind of rule there is, as a first sync would, in a namespace of its own; where that cannot
   * be made, has the kernel check it. So what this nft or this kernel does not know comes out now, and no version need
   * be known for it.
   */
  async #try(layout: Layout): Promise<void> {
    const own = inNewNamespace(this.#runner);
    const isolated = await canRun(own);
    const trial = isolated ? createNft({ runner: own }) : this.nft();
    for (const family of FAMILIES) {
      const state = trialState(family);
      const plan = new NftablesPlanner({ masqueradeBit: 14, layout }).plan(state, diffStates(undefined, state));
      const write = plan && { ...plan.write, table: isolated ? plan.write.table : `${plan.write.table}-trial` };
      if (write !== undefined) {
        await (isolated ? trial.run(write) : trial.check(write));
      }
    }
  }
}

/** The table that kube-proxy has for itself in each family (spec N-1). Who goes back to kube-proxy needs it. */
const KUBE_PROXY_TABLE = 'kube-proxy';

/** Where there is no nft, there is nothing to clean up (spec N-70). */
async function removeTables(nft: Nft, table: string): Promise<CleanupReport> {
  const names: string[] = [];
  const left: string[] = [];
  let cause: unknown;
  for (const family of FAMILIES) {
    try {
      if (await removeTable(nft, family, table)) {
        names.push(`${nftFamily(family)} ${table}`);
      }
    } catch (error) {
      if (hasNoTables(error)) {
        continue;
      }
      left.push(`${family} table ${table}: ${messageOf(error)}`);
      cause = error;
    }
  }
  nft.close();
  if (left.length > 0) {
    throw new NftablesLeftovers(left, { cause });
  }
  return { removed: names.length === 0 ? [] : [{ kind: 'table', names }] };
}

async function findTables(nft: Nft, table: string): Promise<readonly RemovedObjects[]> {
  const names: string[] = [];
  try {
    for (const family of FAMILIES) {
      const tables = await nft.tables(nftFamily(family)).catch((error: unknown) => {
        if (hasNoTables(error)) {
          return [];
        }
        throw error;
      });
      names.push(...tables.filter((name) => name === table).map((name) => `${nftFamily(family)} ${name}`));
    }
  } finally {
    nft.close();
  }
  return names.length === 0 ? [] : [{ kind: 'table', names }];
}

/** There is no nft, or a kernel without nf_tables, or without this family. */
function hasNoTables(error: unknown): boolean {
  return (
    (error instanceof NftError && error.code === 'NFT_MISSING') ||
    (error instanceof NftRefused && error.refusal === 'unsupported')
  );
}

/** The backend with its defaults. */
export const nftablesBackend: NftablesBackend = createNftablesBackend();

/** Nothing was tried then. */
function isNotPermitted(error: unknown): boolean {
  return isProxierError(error) && (error.code === 'NFT_PERMISSION_DENIED' || isNotPermitted(error.cause));
}
