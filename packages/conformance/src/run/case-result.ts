import type { IPFamily } from '@kube-proxier/core';
import type { SandboxProtocol } from '@kube-proxier/network-sandbox';
import type { Capability, ConformanceCase } from '../cases/conformance-case.js';
import type { FlowMismatch } from './judge-flow.js';

/** A failed flow or other check of a case. */
export interface CaseFailure extends FlowMismatch {
  /** For example `IPv6 UDP`. */
  readonly variant: string;
  /** From 1. */
  readonly step: number;
  /** Ids of rules (docs/behaviour), or of the case. */
  readonly spec: string;
}

/** Checks that were skipped, since the backend lacks a capability. */
export interface LeftOut {
  readonly capability: Capability | IPFamily;
  readonly count: number;
}

/** Result of a case. */
export interface CaseResult {
  readonly case: Pick<ConformanceCase, 'id' | 'title' | 'spec'>;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly failures: readonly CaseFailure[];
  /** Missing capabilities of the backend, if the case or parts of it were skipped. */
  readonly lacks: readonly LeftOut[];
  /** Number of evaluated flows. */
  readonly flows: number;
  readonly milliseconds: number;
}

/** One family and protocol of a case. */
export interface CaseVariant {
  readonly family: IPFamily;
  readonly protocol: SandboxProtocol;
}
