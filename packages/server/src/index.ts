/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

import 'reflect-metadata';

export {
  type BackendCandidate,
  type BackendMaker,
  type BackendOffer,
  createOffered,
  lacksOf,
  offeredBackends,
} from './backends/backend-exports.js';
export {
  type BackendImport,
  BackendLoadError,
  type BackendLoadErrorCode,
  type BackendRequest,
  importBackend,
  loadBackend,
} from './backends/load-backend.js';

export { combineObservers } from './combine-observers.js';
export {
  type ConnectionResets,
  ConnectionResetter,
  type ConnectionResetterOptions,
  type ResetReason,
} from './conntrack/connection-resetter.js';
export { ConntrackCleaner, type ConntrackCleaning } from './conntrack/conntrack-cleaner.js';
export {
  ConntrackTuning,
  type ConntrackTuningContext,
  type ConntrackTuningOptions,
  conntrackMax,
  conntrackSettings,
  DEFAULT_CONNTRACK_TUNING,
} from './conntrack/conntrack-tuning.js';
export {
  protocolsWithStaleFlows,
  type StaleFlow,
  type StaleProtocol,
  type StaleReason,
  staleFlowJudge,
  staleFlows,
  type TrackedFlow,
} from './conntrack/stale-flows.js';
export { HealthServer, type HealthServerOptions } from './health/health-server.js';
export { ListenError } from './health/http-listener.js';
export { ProxyHealth, type ProxyHealthStatus } from './health/proxy-health.js';
export { Readiness } from './health/readiness.js';
export { ServiceHealthServers, type ServiceHealthServersOptions } from './health/service-health-servers.js';
export { becomeOnlyInstance, type ExclusiveInstanceOptions } from './instance/exclusive-instance.js';
export {
  describeKubeProxy,
  findKubeProxy,
  type HttpAnswer,
  type KubeProxyFinding,
  type KubeProxySurroundings,
} from './instance/find-kube-proxy.js';
export {
  type AcquireOptions,
  describeHolder,
  type HeldInstanceLock,
  type InstanceHolder,
  type InstanceIdentity,
  InstanceLock,
} from './instance/instance-lock.js';
export type { ListenAddress } from './listen-address.js';
export { HealthCheckMetrics, type HealthCheckNumbers } from './metrics/health-check-metrics.js';
export { KERNEL_COUNTERS_AGE, METRIC_CATALOGUE, type MetricDescriptor } from './metrics/metric-catalogue.js';
export { type FailingPart, ProxyMetrics, type ProxyMetricsOptions } from './metrics/proxy-metrics.js';
export { type HostNetwork, thisHost } from './node/host-network.js';
export { type NodeAddresses, resolveNodeAddresses, withBindAddress } from './node/node-addresses.js';
export { resolveNodeName } from './node/node-name.js';
export { type PreviewBackendOptions, previewBackend } from './preview/preview-backend.js';
export {
  DEFAULT_PROBE_ADDRESSES,
  DEFAULT_PROBE_INTERVAL,
  type ProbeOptions,
  type ProbeStatus,
  type ProbeStatuses,
  type ProbeVerdict,
} from './probe/probe-options.js';
export { ProxyServer, type ProxyServerInfo } from './proxy-server.js';
export type { ProxyServerOptions, ServerProxierOptions } from './proxy-server-options.js';
export { FlightRecorder, type FlightRecorderContext } from './recorder/flight-recorder.js';
export {
  type RecordingDamage,
  type ReplayedRecording,
  type ReplayListener,
  readRecording,
  replayRecording,
} from './recorder/read-recording.js';
export {
  DEFAULT_RECORDING_AGE,
  DEFAULT_RECORDING_BYTES,
  type RecordingOptions,
} from './recorder/recording-options.js';
export type { AccessDecision, AccessReviewer, CertificateFiles, ScrapeOptions } from './scrape/scrape-options.js';
export { ScrapeServer, type ScrapeServerOptions } from './scrape/scrape-server.js';
export type { FinishedTakeover, ServerObserver } from './server-observer.js';
export { ServerOptionError } from './server-option-error.js';
export { combineHandlers } from './sources/combine-handlers.js';
export { PackedTextStore, type PackedTextStoreOptions } from './sources/packed-text-store.js';
export type { ProfilingOptions } from './status/debug-routes.js';
export {
  type FailingEndpoint,
  type FamilyStatus,
  type HealthCheckStatus,
  MAX_FAILING_ENDPOINTS,
  type NodeStatus,
  type SourceStatus,
  type StatusProblem,
  type StatusVerdict,
} from './status/node-status.js';
export { StatusServer, type StatusServerOptions } from './status/status-server.js';
export {
  CleanupError,
  type CleanupOptions,
  type CleanupSummary,
  cleanupBackends,
  type FoundLeftovers,
  findLeftovers,
  type LeftoverSearch,
  nameOfLeftoverOwner,
  type RemovedOfMode,
} from './takeover/cleanup-backends.js';
export { describeRemoved } from './takeover/describe-removed.js';
export {
  BackgroundVerification,
  type BackgroundVerificationOptions,
  type VerificationReport,
} from './verification/background-verification.js';
export * from './verification/verify-connections.js';
export {
  type NodeVerification,
  servesLoopbackByRules,
  type VerifyNodeOptions,
  verifyNode,
} from './verification/verify-node.js';
