import type { IPFamily, NodeState } from '@kube-proxier/core';
import type { NftBaseChain, NftStatement } from '@kube-proxier/linux';
import type { Features } from './layout.js';

/** A rule without its tag. */
export type Rule = readonly NftStatement[];

/** A desired chain. */
export interface Chain {
  readonly base?: NftBaseChain;
  readonly rules: readonly Rule[];
}

/** What the rules depend on, besides the kinds of frontend in use. */
export interface LayoutContext {
  readonly family: IPFamily;
  readonly node: NodeState;
  /** 0…31. */
  readonly masqueradeBit: number;
  /** Source ports of masqueraded packets are chosen at random (spec I-20). */
  readonly fullyRandom: boolean;
  /** Features in use. */
  readonly features: Pick<Features, 'counters' | 'ranges' | 'traffic' | 'sharedAddresses'>;
}
