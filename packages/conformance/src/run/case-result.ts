import type { IPFamily } from '@kube-proxier/core';
import type { SandboxProtocol } from '@kube-proxier/linux/testing';
import type { Capability, ConformanceCase } from '../cases/conformance-case.js';
import type { FlowMismatch } from './judge-flow.js';

/** A flow, or another thing that a case looks at, which went wrong. */
export interface CaseFailure extends FlowMismatch {
  /** For example `IPv6 UDP`. */
  readonly variant: string;
  /** From 1. */
  readonly step: number;
  /** Ids of rules (docs/behaviour), or of the case. */
  readonly spec: string;
}

/** Something that was not looked at, since the backend declares that it cannot do it. */
export interface LeftOut {
  readonly capability: Capability | IPFamily;
  readonly count: number;
}

/** What a case came to. */
export interface CaseResult {
  readonly case: Pick<ConformanceCase, 'id' | 'title' | 'spec'>;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly failures: readonly CaseFailure[];
  /** What the backend lacks, where the case was skipped, or parts of it were left out. */
  readonly lacks: readonly LeftOut[];
  /** Flows that were judged. */
  readonly flows: number;
  readonly milliseconds: number;
}

/** One family and protocol of a case. */
export interface CaseVariant {
  readonly family: IPFamily;
  readonly protocol: SandboxProtocol;
}
