import { type ProxierContext, ReconcilingProxier } from '@kube-proxier/core';
import type { Nft, NftChange, NftWatch } from '@kube-proxier/linux';
import { nftFamily, TABLE } from './layout.js';
import { NftablesDataplane } from './nftables-dataplane.js';
import type { InstalledNftables } from './nftables-planner.js';
import type { NftablesTransaction } from './nftables-transaction.js';

/** Milliseconds until watching begins again after it ended by itself. */
const WATCH_AGAIN = 1000;

/** Puts the table right as soon as somebody else changes it. */
export class NftablesProxier extends ReconcilingProxier<NftablesTransaction, InstalledNftables> {
  readonly #nft: Nft;
  readonly #own: ProxierContext;

  constructor(context: ProxierContext, nft: Nft) {
    const { family, logger, options } = context;
    super({
      mode: 'nftables',
      context,
      dataplane: new NftablesDataplane({ family, nft, masqueradeBit: options.masqueradeBit, logger }),
    });
    this.#nft = nft;
    this.#own = context;
  }

  override async syncLoop(signal: AbortSignal): Promise<void> {
    const watching = new AbortController();
    this.#watch(AbortSignal.any([signal, watching.signal]));
    try {
      await super.syncLoop(signal);
    } finally {
      watching.abort();
      this.#nft.close();
    }
  }

  #watch(signal: AbortSignal): void {
    const { clock, family, logger } = this.#own;
    if (signal.aborted) {
      return;
    }
    const watch: NftWatch | undefined = this.#nft.watch(nftFamily(family), TABLE, (change) => this.#onChange(change));
    if (watch === undefined) {
      return;
    }
    signal.addEventListener('abort', () => watch.stop(), { once: true });
    void watch.ended.then(() => {
      if (!signal.aborted) {
        logger.debug(2, 'Watching the table ended by itself; it begins again', { family });
        // What happened meanwhile is not known.
        this.reconcile();
        clock.setTimer(WATCH_AGAIN, () => this.#watch(signal));
      }
    });
  }

  #onChange({ pid, program }: NftChange): void {
    const { family, logger } = this.#own;
    const who = pid === undefined ? 'somebody' : `${program ?? 'a program'} (process ${pid})`;
    logger.warn(`Table ${nftFamily(family)} ${TABLE} was changed by ${who}; it is put right`, { family });
    this.reconcile();
  }
}
