import type { HealthVerdict } from './health-state.js';

/** How many endpoints have each verdict. Endpoints without a check count as up. */
export type VerdictCounts = Record<HealthVerdict, number>;

/** The endpoints of one Service and IP family that are ready by their objects and not drained. */
export interface CheckedEndpoints {
  readonly primary: Readonly<VerdictCounts>;
  /** Those of backup slices. */
  readonly backup: Readonly<VerdictCounts>;
}

/** The behaviour when all checks fail: `closed` uses no endpoint, `open` uses all as if there were no checks. */
export type AllFailedPolicy = 'open' | 'closed';

/** The endpoints in use: those of one kind with one verdict, or all (`open`), or none (`closed`). */
export type EndpointSelection = 'primary up' | 'primary unknown' | 'backup up' | 'backup unknown' | AllFailedPolicy;

/**
 * Selects the endpoints in use. Unchecked endpoints are used only while none is up: so a new endpoint gets connections
 * after its first check, but a Service with only new endpoints is served. Pure.
 */
export function selectEndpoints({ primary, backup }: CheckedEndpoints, allFailed: AllFailedPolicy): EndpointSelection {
  if (primary.up > 0) {
    return 'primary up';
  }
  if (primary.unknown > 0) {
    return 'primary unknown';
  }
  if (backup.up > 0) {
    return 'backup up';
  }
  return backup.unknown > 0 ? 'backup unknown' : allFailed;
}

/** Whether an endpoint that its object says is ready is in use. Pure. */
export function isSelected(selection: EndpointSelection, isBackup: boolean, verdict: HealthVerdict): boolean {
  switch (selection) {
    case 'open':
      return !isBackup;
    case 'closed':
      return false;
    default:
      return selection === `${isBackup ? 'backup' : 'primary'} ${verdict}`;
  }
}
