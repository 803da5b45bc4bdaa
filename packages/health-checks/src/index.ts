/**
 * Health checks of endpoints.
 *
 * @packageDocumentation
 */

export {
  HEALTH_CHECK_ANNOTATION,
  HEALTH_CHECK_BACKUP_ANNOTATION,
  type HealthCheckReading,
  type HealthCheckReadOptions,
  type HealthCheckSettings,
  type ProbeSettings,
  readHealthCheck,
} from './check-settings.js';
export type { AllFailedPolicy, EndpointSelection } from './endpoint-selection.js';
export { HealthCheckedSource, type HealthCheckedSourceOptions } from './health-checked-source.js';
export {
  type HealthCheckObserver,
  type HealthCheckSummary,
  HealthChecks,
  type HealthChecksOptions,
  type ServiceHealth,
  type SourceRights,
} from './health-checks.js';
export type { HealthState, HealthThresholds, HealthVerdict } from './health-state.js';
export type { HealthProbe, HealthProbes, ProbeOutcome, ProbeResult, ProbeTarget } from './probes/health-probe.js';
export { HostProbes } from './probes/host-probes.js';
