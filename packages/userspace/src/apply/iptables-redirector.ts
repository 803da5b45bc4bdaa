import type { IPFamily } from '@kube-proxier/core';
import { type Iptables, type RuleWatchOptions, renderDocument, watchRules } from '@kube-proxier/linux';
import { stepDocument, wholeDocument } from '../plan/portal-document.js';
import { allGroups, changedGroups } from '../plan/portal-groups.js';
import { JUMPS, PORTAL_TABLES, type PortalRule } from '../plan/portal-rules.js';
import type { RedirectChanges, RedirectState } from '../plan/redirect-state.js';
import { compareSavedPortals, readSavedPortals } from '../read-back/saved-portals.js';
import { UserspaceError } from '../userspace-error.js';
import { removePortalChains } from './portal-chains.js';
import type { Redirector } from './redirector.js';

/**
 * Redirects by rules in the chains that kube-proxy's userspace mode had (spec U-40…U-43). They lead to ports of this process:
 * rules of a process that ended are of no use, and are replaced when the next one starts (spec U-5).
 */
export class IptablesRedirector implements Redirector {
  /** Rules as they were written last. */
  #written = new Map<string, readonly PortalRule[]>();
  #known = false;
  /** Number of times that the jumps were written or found. */
  #jumpsPlaced = 0;

  /**
   * @param iptables access to the rules; called each time, so it should keep its result.
   * @param ownMark of packets that are never redirected when this host sends them. Default none.
   */
  constructor(
    private readonly family: IPFamily,
    private readonly iptables: () => Promise<Iptables>,
    private readonly ownMark?: number,
  ) {}

  async apply(state: RedirectState, changes: RedirectChanges): Promise<void> {
    const iptables = await this.iptables();
    if (changes !== 'all' && !this.#known) {
      throw new UserspaceError(
        'USERSPACE_REDIRECTS_UNKNOWN',
        'the redirect rules in force are unknown; call readBack, and apply a full plan',
      );
    }
    const wanted =
      changes === 'all' ? allGroups(this.family, state, this.ownMark) : changedGroups(this.family, state, changes);
    const document = renderDocument(
      changes === 'all' ? wholeDocument(wanted, await readSavedPortals(iptables)) : stepDocument(this.#written, wanted),
    );
    // Until `restore` has returned, the current state is unknown.
    this.#known = false;
    if (document !== '') {
      await iptables.restore(document);
    }
    if (changes === 'all') {
      this.#jumpsPlaced++;
      this.#written = new Map(wanted);
    }
    for (const [key, rules] of wanted) {
      if (rules.length > 0) {
        this.#written.set(key, rules);
      } else {
        this.#written.delete(key);
      }
    }
    this.#known = true;
  }

  async inForce(): Promise<boolean> {
    if (!this.#known) {
      return false;
    }
    const saved = await readSavedPortals(await this.iptables());
    const { chainsMatch, jumpsExist } = compareSavedPortals(saved, this.#written);
    if (jumpsExist) {
      this.#jumpsPlaced++;
    }
    return chainsMatch && jumpsExist;
  }

  watch(options: Omit<RuleWatchOptions, 'rules' | 'iptables' | 'placed'>): Promise<void> {
    const rules = PORTAL_TABLES.flatMap((table) => {
      const jump = JUMPS.find((candidate) => candidate.table === table);
      return jump ? [{ table, from: jump.chain, text: jump.rule.text }] : [];
    });
    return watchRules({ ...options, rules, iptables: this.iptables, placed: () => this.#jumpsPlaced });
  }

  close(): void {
    // Tools that were never found need not be closed.
    void this.iptables().then(
      (iptables) => iptables.close(),
      () => {},
    );
  }

  async cleanup(): Promise<void> {
    this.#known = false;
    this.#written = new Map();
    await removePortalChains(await this.iptables());
  }
}
