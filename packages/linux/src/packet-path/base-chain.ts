import type { PathRule } from '@kube-proxier/core';
import type { ChainTable, CompiledChain } from './compiled-rule.js';
import type { Hook } from './walker.js';

/** A chain that the kernel calls for packets. */
export interface BaseChain {
  readonly hook: Hook;
  /** Chains of type `nat` process only the first packet of a connection, until one of them decides. */
  readonly type: 'filter' | 'nat' | 'route';
  readonly priority: number;
  readonly chain: CompiledChain;
  readonly chains: ChainTable;
  readonly policy: 'accept' | 'drop';
  /** Its rules may change. Default false. */
  readonly isLive?: boolean;
  /** The policy, for findings. */
  readonly policyRule: PathRule;
}
