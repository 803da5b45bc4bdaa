/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { LinearMap } from './caching/linear-map.js';
export * from './comparison/compare-states.js';
export * from './comparison/format-comparison.js';
export * from './contract/backend-errors.js';
export * from './contract/backend-metrics.js';
export * from './contract/backend-module.js';
export * from './contract/backend-options.js';
export * from './contract/cleanup.js';
export * from './contract/dataplane.js';
export * from './contract/former-affinity.js';
export * from './contract/host-requirements.js';
export * from './contract/logger.js';
export * from './contract/preview.js';
export * from './contract/proxier.js';
export * from './contract/proxier-error.js';
export * from './contract/rule-change.js';
export * from './contract/source.js';
export * from './contract/tokens.js';
export * from './counting/accumulated-counts.js';
export * from './counting/bounded-series.js';
export * from './counting/counts-connections.js';
export * from './counting/counts-traffic.js';
export * from './counting/service-counts.js';
export * from './mode/select-proxy-mode.js';
export * from './mode/with-companion.js';
export * from './model/address.js';
export * from './model/address-overlap.js';
export * from './model/assert-never.js';
export type { Branded } from './model/branded.js';
export * from './model/change-set.js';
export { endpointWith } from './model/compact-endpoint.js';
export * from './model/endpoint.js';
export * from './model/endpoint-weights.js';
export { endpointsKeepingFlows } from './model/flow-endpoints.js';
export * from './model/frontend.js';
export * from './model/lost-endpoints.js';
export * from './model/node-port-addresses.js';
export { type MapDraft, PersistentMap } from './model/persistent-map.js';
export * from './model/port-range.js';
export * from './model/probe-service.js';
export * from './model/proxy-state.js';
export * from './model/service-port.js';
export * from './model/service-port-name.js';
export { structurallyEqual } from './model/structurally-equal.js';
export * from './model/when-endpoint-goes.js';
export * from './objects/definitions.js';
export { specialAddress } from './objects/field-reader.js';
export * from './objects/object-problem.js';
export * from './objects/object-reader.js';
export * from './objects/objects.js';
export { type EndpointSliceReadOptions, readEndpointSlice } from './objects/read-endpoint-slice.js';
export { readNode, readServiceCIDR } from './objects/read-node.js';
export { DEFAULT_AFFINITY_SECONDS, readService, type ServiceReadOptions } from './objects/read-service.js';
export * from './objects/text-nesting.js';
export * from './objects/unknown-record.js';
export * from './pacing/event-loop-pace.js';
export { EventLoopTurns } from './pacing/event-loop-turns.js';
export * from './pacing/read-while-current.js';
export * from './pacing/slices.js';
export * from './planning/state-memo.js';
export { type AnsweredCase, answerPacketQuestion, type PacketAnswer } from './questions/answer-question.js';
export type { Client, ClientKind } from './questions/client-samples.js';
export { formatPacketAnswer } from './questions/format-answer.js';
export * from './questions/packet-question.js';
export { type ChangeType, type DescribedChange, describeChange } from './recording/describe-change.js';
export * from './recording/object-journal.js';
export * from './recording/recorded-entry.js';
export * from './recording/recording-replay.js';
export { applyDelta, DeltaMismatchError, deltaOf, type StructuralDelta } from './recording/structural-delta.js';
export { PlainTextStore, type TextStore } from './recording/text-store.js';
export * from './resolution/diff-states.js';
export * from './resolution/proxy-state-resolver.js';
export { type Explanation, explainSimulation, formatSimulation } from './simulator/format-simulation.js';
export * from './simulator/simulate-packet.js';
export { type EndpointSliceEvent, eventsOfSliceChange } from './sources/address-type-change.js';
export { checkSourceStart } from './sources/check-source-start.js';
export * from './sources/source-reporter.js';
export { checkProxierContext } from './sync/check-proxier-context.js';
export * from './sync/clock.js';
export * from './sync/companion-proxier.js';
export * from './sync/dual-stack-proxier.js';
export * from './sync/proxier-options.js';
export * from './sync/reconciling-proxier.js';
export * from './sync/sync-observer.js';
export * from './sync/sync-runner.js';
export { countOf } from './text/count-of.js';
export { flatText } from './text/flat-text.js';
export * from './text/format-bytes.js';
export { type ListChange, listDifference } from './text/list-difference.js';
export { nearestName } from './text/nearest-name.js';
export * from './text/printable.js';
export { formatTable } from './text/text-table.js';
export { yamlBoolean } from './text/yaml-boolean.js';
export { addressAt, addressNumber, lastAddress } from './verification/address-arithmetic.js';
export { compareModes, compareModesInSlices, type ModePath } from './verification/compare-modes.js';
export { compareOutcomes, type Difference } from './verification/compare-outcomes.js';
export {
  type ConnectionAttempt,
  ConnectionVerification,
  compareConnection,
} from './verification/connection-verification.js';
export { isNetworkPolicyRule } from './verification/network-policy-rule.js';
export {
  type AddressSamples,
  addressSamplesInSlices,
  type ClassHost,
  type PacketClass,
  type PacketSource,
  packetClasses,
} from './verification/packet-classes.js';
export * from './verification/packet-path.js';
export * from './verification/verification-result.js';
export * from './verification/verify-state.js';
export * from './views/service-view.js';
export * from './views/state-digest.js';
export { nodeObjectOf, type ServiceObjects, SPLIT_SLICE, serviceObjectsOf } from './views/state-objects.js';
export * from './views/traffic-counts.js';
