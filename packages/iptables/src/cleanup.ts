import type {
  Cleanup,
  CleanupReport,
  FindLeftovers,
  KubeProxyCleanup,
  Logger,
  ProxyMode,
  RemovedObjects,
} from '@kube-proxier/core';
import type { Iptables, IptablesVariant, Sysctl } from '@kube-proxier/linux';
import type { HostTools } from './host-tools.js';
import {
  findLeftovers,
  guardsLocalnet,
  type IptablesCleanupOptions,
  removeRules,
  servesKubeProxyLocalnet,
} from './table-cleanup.js';

type RemovalChoice = Pick<IptablesCleanupOptions, 'owner' | 'servesLocalnet'>;

/** Cleans up a host: both families and, as the variant used before is not known, both variants. */
export class HostCleanup {
  /** Dumps of this host, by read. */
  readonly #readings = new WeakMap<object, Map<string, Promise<string>>>();

  constructor(
    private readonly mode: ProxyMode,
    private readonly tools: HostTools,
    private readonly sysctl: Sysctl,
  ) {}

  /** See `Tokens.Cleanup`. */
  readonly cleanUp: Cleanup = async (logger) => {
    const servesLocalnet = await this.#kubeProxyServesLocalnet();
    return await this.#removeRules(logger, () => ({ owner: 'kube-proxier', servesLocalnet }));
  };

  /**
   * See `Tokens.KubeProxyCleanup`. Where this mode is in force, only the rules of the variant that it does not use are
   * removed, regardless of their author: the rules of its own variant it has adopted.
   */
  readonly cleanUpKubeProxy: KubeProxyCleanup = async (logger, { inForce }) => {
    if (inForce !== this.mode) {
      return await this.#removeRules(logger, () => ({ owner: 'kube-proxy' }));
    }
    const inUse = await this.tools.variantInUse();
    if (inUse === undefined) {
      return { removed: [] };
    }
    const servesLocalnet = await guardsLocalnet(this.tools.of('IPv4', inUse));
    return await this.#removeRules(logger, (variant) =>
      variant === inUse ? undefined : { owner: 'both', servesLocalnet },
    );
  };

  /** See `Tokens.Leftovers`. */
  readonly findLeftovers: FindLeftovers = async (whose, _logger, { inForce, reading = {} }) => {
    const adopts = inForce === this.mode && whose === 'kube-proxy';
    const inUse = adopts ? await this.tools.variantInUse() : undefined;
    const owner = adopts ? 'both' : whose === 'backend' ? 'kube-proxier' : 'kube-proxy';
    const found: RemovedObjects[] = [];
    await this.tools.each(async (iptables, variant) => {
      if (adopts && (inUse === undefined || variant === inUse)) {
        return;
      }
      const saved = await this.#saved(reading, iptables, variant);
      found.push(...(await findLeftovers(iptables.family, saved, { owner, ...named(variant) })));
    });
    return found;
  };

  /** Current rules, dumped once per read. */
  #saved(reading: object, iptables: Iptables, variant: IptablesVariant | undefined): Promise<string> {
    const known = this.#readings.get(reading) ?? new Map<string, Promise<string>>();
    this.#readings.set(reading, known);
    const key = `${iptables.family} ${variant}`;
    const saved = known.get(key) ?? iptables.save();
    known.set(key, saved);
    return saved;
  }

  /** Cleans up one variant, while rules of this backend may remain in the other. */
  async #kubeProxyServesLocalnet(): Promise<boolean> {
    for (const variant of await this.tools.installedVariants('IPv4')) {
      // Read failures are reported by the clean-up.
      if (await servesKubeProxyLocalnet(this.tools.of('IPv4', variant)).catch(() => false)) {
        return true;
      }
    }
    return false;
  }

  /** @param choose returns undefined for a variant whose rules stay. */
  async #removeRules(
    logger: Logger,
    choose: (variant: IptablesVariant | undefined) => RemovalChoice | undefined,
  ): Promise<CleanupReport> {
    const removed: RemovedObjects[] = [];
    await this.tools.each(async (iptables, variant) => {
      const choice = choose(variant);
      if (choice !== undefined) {
        removed.push(...(await removeRules(iptables, { sysctl: this.sysctl, logger, ...named(variant), ...choice })));
      }
    });
    return { removed };
  }
}

function named(variant: IptablesVariant | undefined): { readonly variant?: IptablesVariant } {
  return variant === undefined ? {} : { variant };
}
