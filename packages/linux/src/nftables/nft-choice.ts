import { messageOf } from '@kube-proxier/core';
import type { NetlinkTransport } from '../netlink/open-socket.js';
import type { CommandRunner } from '../process/command-runner.js';
import { EndingOwners } from './ending-owners.js';
import { NftCommits } from './netlink/nft-commits.js';
import { NftTableLookup } from './netlink/nft-table-lookup.js';
import type { Nft } from './nft.js';
import type { NftCounter } from './nft-counter.js';
import { NftError } from './nft-error.js';
import type { NftFamily } from './nft-family.js';
import { createNetlinkNft } from './nft-netlink.js';
import { createNft } from './nft-program.js';
import type { NftElement, NftTable } from './nft-table.js';
import type { NftTransaction } from './nft-transaction.js';
import type { NftChange, NftWatch } from './nft-watch.js';

/** The access path to nf_tables: netlink, or the program nft. */
export type NftAccess = 'netlink' | 'nft';

/** A working access path to nf_tables. */
export interface ChosenNftAccess {
  readonly access: NftAccess;
  /** The package that opens netlink sockets; undefined for the program. */
  readonly transport?: NetlinkTransport;
  /** Why the program, or a package other than `koffi`, is used; undefined when requested. */
  readonly reason?: string;
}

export interface NftChoiceOptions {
  /** Runs nft. Netlink is used only if the runner's network namespace is known. */
  readonly runner: CommandRunner;
  /**
   * Default: netlink if `koffi` can be loaded, else the program, else netlink through the package `netlink`, which is
   * limited ({@link NetlinkNftOptions.transport}).
   */
  readonly access?: NftAccess;
}

/** Selects the access path to nf_tables once, by probing, for all instances that it creates. */
export class NftChoice {
  readonly #endingOwners = new EndingOwners();
  readonly #commits = new NftCommits();
  #chosen: Promise<ChosenNftAccess> | undefined;

  constructor(private readonly options: NftChoiceOptions) {}

  /** @throws NftError when netlink was requested and does not work; the next call retries. */
  chosen(): Promise<ChosenNftAccess> {
    this.#chosen ??= this.#choose().catch((error: unknown) => {
      this.#chosen = undefined;
      throw error;
    });
    return this.#chosen;
  }

  /** Access to the tables of the host. Has no side effects until it is used. */
  create(): Nft {
    return new ChosenNft(async () => {
      const { access, transport } = await this.chosen();
      return access === 'netlink' ? this.#netlink(transport) : this.#program();
    });
  }

  /**
   * Access to a new, temporary network namespace, for probes.
   *
   * @param isolated runs programs in network namespaces of their own.
   */
  createIsolated(isolated: CommandRunner): Nft {
    return new ChosenNft(async () => {
      const { access } = await this.chosen();
      return access === 'netlink' ? createNetlinkNft({ namespace: 'new' }) : createNft({ runner: isolated });
    });
  }

  /**
   * Looks up single elements and chains of a table of the host.
   *
   * @returns undefined when not supported: with the program nft, or without the package `koffi`.
   * @throws NftError when the kernel refuses.
   */
  async openLookup(family: NftFamily, table: string): Promise<NftTableLookup | undefined> {
    const { access, transport } = await this.chosen();
    const { networkNamespace: place = 'own' } = this.options.runner;
    return access === 'netlink'
      ? NftTableLookup.open(family, table, {
          ...(place === 'own' ? {} : { namespace: place }),
          ...(transport === undefined ? {} : { transport }),
        })
      : undefined;
  }

  async #choose(): Promise<ChosenNftAccess> {
    const { access } = this.options;
    if (access === 'nft') {
      return { access };
    }
    const reason = await this.#whyNoNetlink('koffi');
    if (reason === undefined) {
      return { access: 'netlink', transport: 'koffi' };
    }
    if (access === undefined && (await this.#isInstalled())) {
      return { access: 'nft', reason };
    }
    // An alternative only when koffi cannot be loaded.
    const otherReason = await this.#whyNoNetlink(undefined);
    if (otherReason === undefined) {
      return { access: 'netlink', transport: 'netlink', reason };
    }
    if (access === 'netlink') {
      throw new NftError('NFT_MISSING', `nf_tables cannot be reached by netlink: ${otherReason}; use the program nft`);
    }
    return { access: 'nft', reason: otherReason };
  }

  async #isInstalled(): Promise<boolean> {
    const nft = this.#program();
    try {
      await nft.version();
      return true;
    } catch (error) {
      return !(error instanceof NftError && error.code === 'NFT_MISSING');
    } finally {
      nft.close();
    }
  }

  /** @param transport default: any. */
  async #whyNoNetlink(transport: NetlinkTransport | undefined): Promise<string | undefined> {
    if (this.options.runner.networkNamespace === undefined) {
      return 'programs run in a network namespace that is not known';
    }
    const nft = this.#netlink(transport);
    try {
      await nft.tables('ip');
      return undefined;
    } catch (error) {
      // Without permission, the program fails as well, without further details.
      return error instanceof NftError && error.code !== 'NFT_PERMISSION_DENIED' ? messageOf(error) : undefined;
    } finally {
      nft.close();
    }
  }

  #netlink(transport: NetlinkTransport | undefined): Nft {
    const { networkNamespace: place = 'own' } = this.options.runner;
    return createNetlinkNft({
      ...(place === 'own' ? {} : { namespace: place }),
      ...(transport === undefined ? {} : { transport }),
      endingOwners: this.#endingOwners,
      commits: this.#commits,
    });
  }

  #program(): Nft {
    return createNft({ runner: this.options.runner, endingOwners: this.#endingOwners });
  }
}

/** An {@link Nft} that is selected on first use. */
class ChosenNft implements Nft {
  #nft: Promise<Nft> | undefined;

  constructor(private readonly choose: () => Promise<Nft>) {}

  async run(transaction: NftTransaction): Promise<number | undefined> {
    return (await this.#use()).run(transaction);
  }

  async runAll(transactions: AsyncIterable<NftTransaction>): Promise<void> {
    await (await this.#use()).runAll(transactions);
  }

  async check(transaction: NftTransaction): Promise<void> {
    await (await this.#use()).check(transaction);
  }

  async list(family: NftFamily, table: string): Promise<NftTable | undefined> {
    return (await this.#use()).list(family, table);
  }

  async listElements(
    family: NftFamily,
    table: string,
    kind: 'set' | 'map',
    name: string,
  ): Promise<ReadonlyMap<string, NftElement> | undefined> {
    return (await this.#use()).listElements(family, table, kind, name);
  }

  async listSets(family: NftFamily, table: string): Promise<readonly string[]> {
    return (await this.#use()).listSets(family, table);
  }

  async listCounters(family: NftFamily, table: string): Promise<ReadonlyMap<string, NftCounter> | undefined> {
    return (await this.#use()).listCounters(family, table);
  }

  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch {
    let isStopped = false;
    let stop = () => {
      isStopped = true;
    };
    const ended = (async () => {
      const watch = (await this.#use()).watch(family, table, onChange);
      if (isStopped) {
        watch?.stop();
      } else if (watch === undefined) {
        // Changes cannot be watched; a retry would not help.
        await new Promise<void>((resolve) => {
          stop = resolve;
        });
      } else {
        stop = () => watch.stop();
        await watch.ended;
      }
    })().catch(() => undefined);
    return { stop: () => stop(), ended };
  }

  close(): void {
    void this.#nft?.then(
      (nft) => nft.close(),
      () => undefined,
    );
  }

  async tables(family: NftFamily): Promise<readonly string[]> {
    return (await this.#use()).tables(family);
  }

  async version(): Promise<string> {
    return (await this.#use()).version();
  }

  #use(): Promise<Nft> {
    this.#nft ??= this.choose().catch((error: unknown) => {
      this.#nft = undefined;
      throw error;
    });
    return this.#nft;
  }
}
