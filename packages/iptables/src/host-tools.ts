import { type IPFamily, LeftoversError, type Logger, messageOf } from '@kube-proxier/core';
import {
  type CommandRunner,
  createIptables,
  detectIptablesVariant,
  type Iptables,
  type IptablesCommandOptions,
  IptablesError,
  type IptablesVariant,
  type IptablesVersion,
} from '@kube-proxier/linux';
import { CHAINS } from './plan/layout.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
export const VARIANTS: readonly IptablesVariant[] = ['nft', 'legacy'];

/** What the rules of a family tell about the host. */
export interface FoundRules {
  /** There is a nat table, and it can be listed. */
  readonly hasNat: boolean;
  /** There are chains of this backend. */
  readonly hasOwn: boolean;
}

function foundIn(saved: string): FoundRules {
  return { hasNat: /^\*nat$/m.test(saved), hasOwn: saved.includes(`\n:${CHAINS.marker} `) };
}

/** The iptables programs of a host. */
export class HostTools {
  #variant: Promise<IptablesVariant | undefined> | undefined;
  /** Programs that ran once: they are not started again to find out. */
  readonly #installed = new Set<string>();
  readonly #versions = new Map<IPFamily, Promise<IptablesVersion>>();
  /** What was found while the variant was determined, until it is taken. */
  #found: ReadonlyMap<IPFamily, FoundRules> = new Map();

  /** @param requested the variant to use; undefined for the one that this host uses. */
  constructor(
    private readonly runner: CommandRunner,
    private readonly requested: IptablesVariant | undefined,
  ) {}

  /** The tools of the variant in use. */
  async chosen(family: IPFamily, logger?: Logger): Promise<Iptables> {
    const variant = await this.variantInUse(logger);
    const version = this.#versions.get(family);
    return version === undefined ? this.of(family, variant) : this.#create({ family, version }, variant);
  }

  /** The version of the tools of the variant in use. It is read once; after a failure, again. */
  async version(family: IPFamily): Promise<IptablesVersion> {
    const known = this.#versions.get(family);
    if (known !== undefined) {
      return known;
    }
    const version = (await this.chosen(family)).version();
    this.#versions.set(family, version);
    version.catch(() => this.#versions.delete(family));
    return version;
  }

  /** The tools of one variant; of the default one when that is undefined. */
  of(family: IPFamily, variant: IptablesVariant | undefined, runner = this.runner): Iptables {
    return this.#create({ family, runner }, variant);
  }

  #create(
    options: Omit<Partial<IptablesCommandOptions>, 'variant'> & { readonly family: IPFamily },
    variant: IptablesVariant | undefined,
  ): Iptables {
    return createIptables({ runner: this.runner, ...options, ...(variant === undefined ? {} : { variant }) });
  }

  /** Both families use the same variant, as the kubelet and the pod network do. Undefined for the default one. */
  variantInUse(logger?: Logger): Promise<IptablesVariant | undefined> {
    this.#variant ??=
      this.requested === undefined
        ? detectIptablesVariant(this.runner).then(({ variant, reason, saved = new Map() }) => {
            logger?.debug(1, `using ${variant ?? 'the default'} iptables: ${reason}`);
            this.#found = new Map([...saved].map(([family, text]) => [family, foundIn(text)]));
            return variant;
          })
        : Promise.resolve(this.requested);
    return this.#variant;
  }

  /** What was found while the variant in use was determined: once, as it is outdated soon. */
  takeFound(): ReadonlyMap<IPFamily, FoundRules> {
    const found = this.#found;
    this.#found = new Map();
    return found;
  }

  /** The variants that this host has, of those to consider; undefined in the list for the default one. */
  async installedVariants(family: IPFamily): Promise<readonly (IptablesVariant | undefined)[]> {
    const installed: IptablesVariant[] = [];
    for (const variant of this.requested === undefined ? VARIANTS : [this.requested]) {
      if (await this.#isInstalled(family, variant)) {
        installed.push(variant);
      }
    }
    if (installed.length > 0 || this.requested !== undefined) {
      return installed;
    }
    return (await this.#isInstalled(family, undefined)) ? [undefined] : [];
  }

  /**
   * Does the same with each family and variant that this host has. A failure does not stop the others.
   *
   * @throws LeftoversError (`IPTABLES_LEFTOVERS`) when it failed for one of them.
   */
  async each(run: (iptables: Iptables, variant: IptablesVariant | undefined) => Promise<void>): Promise<void> {
    const failed: string[] = [];
    let cause: unknown;
    for (const family of FAMILIES) {
      for (const variant of await this.installedVariants(family)) {
        try {
          await run(this.of(family, variant), variant);
        } catch (error) {
          if (isMissing(error)) {
            // They were removed meanwhile.
            this.#installed.clear();
            continue;
          }
          failed.push(`${family} rules${variant === undefined ? '' : ` (${variant})`}: ${messageOf(error)}`);
          cause = error;
        }
      }
    }
    if (failed.length > 0) {
      throw new LeftoversError('IPTABLES_LEFTOVERS', failed, { cause });
    }
  }

  async #isInstalled(family: IPFamily, variant: IptablesVariant | undefined): Promise<boolean> {
    const program = `${family} ${variant}`;
    if (this.#installed.has(program)) {
      return true;
    }
    try {
      await this.of(family, variant).version();
      this.#installed.add(program);
      return true;
    } catch (error) {
      if (isMissing(error)) {
        return false;
      }
      throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof IptablesError && error.code === 'IPTABLES_MISSING';
}
