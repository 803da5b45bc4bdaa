import { diffStates, type IPFamily, messageOf, type ProbeResult } from '@kube-proxier/core';
import {
  type CommandRunner,
  canRun,
  inNewNamespace,
  type Nft,
  type NftChoice,
  NftError,
  type NftTableFlag,
} from '@kube-proxier/linux';
import { isTooOld, nftVersion, REQUIRED_NFT } from './nft-version.js';
import { type Layout, nftFamily, TABLE } from './plan/layout.js';
import { NftablesPlanner } from './plan/nftables-planner.js';
import { completeWrite } from './plan/nftables-transaction.js';
import { trialState } from './plan/trial-state.js';

/**
 * Whether the table belongs to a process of this program (`flags owner`), so that the kernel refuses foreign changes.
 * - `never`: any privileged process can change it; drift is repaired.
 * - `persistent`: where nft and the kernel support `persist`: the table stays when that process ends, and the next one
 *   claims it. Otherwise as `never`, with a warning.
 * - `always`: even without support of `persist`: the table, and with it all Services, is removed whenever that process
 *   ends.
 */
export type OwnedTable = 'never' | 'persistent' | 'always';

export const OWNED_TABLE_SETTINGS: readonly OwnedTable[] = ['never', 'persistent', 'always'];

/** The layout that a host accepts. */
export interface AcceptedLayout {
  readonly layout: Layout;
  /** Why it is not the constant one. */
  readonly reason?: string;
  /** Why nothing can be counted for each endpoint; undefined where it can. */
  readonly countingRefusal?: string;
  /** Whether it was inferred from the installed table, without trials. Default false. */
  readonly isAssumed?: boolean;
}

/** The flags that a host accepts for the table. */
export interface AcceptedFlags {
  readonly flags: readonly NftTableFlag[] | undefined;
  /** Why `persist` is not among them; undefined when it is, or was not requested. */
  readonly reason?: string;
}

export interface HostSupportOptions {
  /** Runs programs in network namespaces of their own. */
  readonly runner: CommandRunner;
  /** Access path to the tables of the host. */
  readonly choice: NftChoice;
  /** Default: the best that the host accepts. */
  readonly layout?: Layout;
  /** Default `never`. */
  readonly ownedTable?: OwnedTable;
  /**
   * Whether an installed table of this program implies that the host accepts the best layout: trials then run only
   * after a refused transaction, so that a restart is a quarter of a second faster. Default false.
   */
  readonly trustsInstalled?: boolean;
}

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
const REFUSED: readonly string[] = ['NFT_REFUSED', 'NFT_FAILED'];

/** Whether the error is a refusal by the host. */
export function isRefusal(error: unknown): error is NftError {
  return error instanceof NftError && REFUSED.includes(error.code);
}

/**
 * The capabilities of nft and the kernel of this host, determined once by trials, or inferred from the installed table.
 */
export class HostSupport {
  #layout: Promise<AcceptedLayout> | undefined;
  #trustsInstalled: boolean;
  #flags: Promise<AcceptedFlags> | undefined;

  constructor(private readonly options: HostSupportOptions) {
    this.#trustsInstalled = options.trustsInstalled ?? false;
  }

  /**
   * The best layout that the host accepts.
   *
   * @throws NftError when it accepts none; the next call retries.
   */
  layout(): Promise<AcceptedLayout> {
    this.#layout ??= this.#determineLayout().catch((error: unknown) => {
      this.#layout = undefined;
      throw error;
    });
    return this.#layout;
  }

  /** Called when the host has refused rules of an assumed layout: {@link layout} runs trials from now on. */
  noteRefusal(): void {
    if (this.#trustsInstalled) {
      this.#trustsInstalled = false;
      this.#layout = undefined;
    }
  }

  /**
   * The requested flags of the table, as far as the host supports them.
   *
   * @throws NftError when that cannot be determined; the next call retries.
   */
  tableFlags(): Promise<AcceptedFlags> {
    this.#flags ??= this.#tryFlags().catch((error: unknown) => {
      this.#flags = undefined;
      throw error;
    });
    return this.#flags;
  }

  /** See `BackendModule.probe`. */
  async probe(): Promise<ProbeResult> {
    try {
      const access = await this.access();
      const { layout, reason, countingRefusal } = await this.layout();
      const how = layout === 'constant' ? '' : `, a chain per Service: ${reason ?? 'as requested'}`;
      const { flags } = await this.tableFlags();
      const owned = flags === undefined ? '' : `, its table has the flags ${flags.join(', ')}`;
      const uncounted =
        countingRefusal === undefined ? '' : `, nothing can be counted for each endpoint: ${countingRefusal}`;
      return { usable: true, detail: `${access}${owned}${how}${uncounted}` };
    } catch (error) {
      const reason = messageOf(error).replace(/\.$/, '');
      const { version, isUsed } = (await this.oldProgram().catch(() => undefined)) ?? {};
      return {
        usable: false,
        reason: isUsed ? `nft ${version} is too old; use netlink, or nft ${REQUIRED_NFT} or newer: ${reason}` : reason,
      };
    }
  }

  /**
   * The program nft where it is too old for the table of this backend.
   *
   * @returns its version, and whether it is the access path to nf_tables; undefined where it is new enough or not installed.
   * @throws NftError when it cannot be run.
   */
  async oldProgram(): Promise<{ readonly version: string; readonly isUsed: boolean } | undefined> {
    const { choice, runner } = this.options;
    const version = await nftVersion(runner);
    return version !== undefined && isTooOld(version)
      ? { version, isUsed: (await choice.chosen()).access === 'nft' }
      : undefined;
  }

  /**
   * The access path to nf_tables, as text.
   *
   * @throws NftError when it cannot be reached.
   */
  async access(): Promise<string> {
    const { choice } = this.options;
    const { access, transport, reason = '' } = await choice.chosen();
    const why = reason.replace(/\.$/, '');
    const nft = choice.create();
    try {
      const version = await nft.version();
      await nft.tables('ip');
      if (access === 'nft') {
        return `nft ${version}${why === '' ? '' : `, as netlink does not work: ${why}`}`;
      }
      return transport === 'netlink'
        ? `by netlink, Linux ${version}, through the package netlink, which is limited to small transactions: ${why}`
        : `by netlink, Linux ${version}`;
    } finally {
      nft.close();
    }
  }

  async #determineLayout(): Promise<AcceptedLayout> {
    return this.#trustsInstalled && (await this.#isInstalled())
      ? { layout: this.options.layout ?? 'constant', isAssumed: true }
      : this.#tryLayouts();
  }

  /** Whether there is a table of this program. */
  async #isInstalled(): Promise<boolean> {
    const nft = this.options.choice.create();
    try {
      const lists = await Promise.all(FAMILIES.map((family) => nft.tables(nftFamily(family))));
      return lists.some((names) => names.includes(TABLE));
    } catch (error) {
      if (error instanceof NftError) {
        // The trial reports the reason.
        return false;
      }
      throw error;
    } finally {
      nft.close();
    }
  }

  async #tryLayouts(): Promise<AcceptedLayout> {
    const { layout } = this.options;
    if (layout !== undefined) {
      return this.#tryCounting(layout);
    }
    try {
      return await this.#tryCounting('constant');
    } catch (error) {
      const reason = refusalReason(error);
      return { ...(await this.#tryCounting('chain-per-service')), reason };
    }
  }

  /** Tries a layout with counters, or else without those of endpoints. */
  async #tryCounting(layout: Layout): Promise<AcceptedLayout> {
    try {
      await this.#tryLayout(layout, true);
      return { layout };
    } catch (error) {
      const countingRefusal = refusalReason(error);
      await this.#tryLayout(layout, false);
      return { layout, countingRefusal };
    }
  }

  /**
   * Plans a state with every kind of frontend, and loads the result in a new network namespace; where that cannot be
   * created, the kernel checks it without loading. So missing features of this nft or kernel are detected without
   * version numbers.
   */
  async #tryLayout(layout: Layout, counts: boolean): Promise<void> {
    const { choice, runner } = this.options;
    const own = inNewNamespace(runner);
    const { access } = await choice.chosen();
    const separate = choice.createIsolated(own);
    const isolated =
      access === 'nft'
        ? await canRun(own)
        : await separate.tables('ip').then(
            () => true,
            () => false,
          );
    const trial = isolated ? separate : choice.create();
    try {
      await this.#load(trial, { layout, counts, isolated });
    } finally {
      separate.close();
      trial.close();
    }
  }

  async #load(
    trial: Nft,
    { layout, counts, isolated }: { layout: Layout; counts: boolean; isolated: boolean },
  ): Promise<void> {
    const planner = new NftablesPlanner({ masqueradeBit: 14, countConnections: counts, countTraffic: counts });
    for (const family of FAMILIES) {
      const state = trialState(family, 'few');
      const installed = { table: undefined, facts: { fullyRandom: true, layout, endpointCounters: counts } };
      const plan = planner.plan(state, diffStates(undefined, state), installed);
      if (plan !== undefined) {
        const write = completeWrite(plan);
        await (isolated ? trial.run(write) : trial.check({ ...write, table: `${write.table}-trial` }));
      }
    }
  }

  async #tryFlags(): Promise<AcceptedFlags> {
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

  /** Why this host refuses a table with these flags; undefined when it accepts it. Leaves no trace. */
  async #refusalOf(flags: readonly NftTableFlag[]): Promise<string | undefined> {
    const nft = this.options.choice.create();
    const commands = [{ do: 'add-table', flags }, { do: 'delete-table' }] as const;
    try {
      await nft.run({ family: 'ip', table: `${TABLE}-trial`, commands });
      return undefined;
    } catch (error) {
      if (isRefusal(error)) {
        return `flags ${flags.join(', ')}: ${messageOf(error).replace(/\.$/, '')}`;
      }
      throw error;
    } finally {
      nft.close();
    }
  }
}

/** Why the host refused a trial. @throws the error when it is not a refusal. */
function refusalReason(error: unknown): string {
  if (!isRefusal(error)) {
    throw error;
  }
  return messageOf(error).replace(/\.$/, '');
}
