import type { FamilyVerification, VerificationVerdict } from '@kube-proxier/core';

/** Comparison of two modes with the same packets. */
export interface ModeComparison {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'ModeComparison';
  /** `verified`: both modes handle every class of packets equally. */
  readonly verdict: VerificationVerdict;
  /** The two modes: in findings, `expected` is the outcome in the first, `actual` that in the second. */
  readonly modes: readonly [string, string];
  /** When it ended: ISO 8601, in UTC. */
  readonly time: string;
  /** Its duration in seconds. */
  readonly seconds: number;
  readonly families: readonly FamilyVerification[];
}
