/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export {
  MetricsAccessReviewer,
  type MetricsAccessReviewerOptions,
} from './access/metrics-access-reviewer.js';
export { KubernetesError } from './api/kubernetes-error.js';
export {
  type ClusterEvent,
  EventRecorder,
  type EventRecorderOptions,
  type EventSubject,
} from './events/event-recorder.js';
export { KubernetesSource, type KubernetesSourceOptions } from './kubernetes-source.js';
export {
  isForbidden,
  PodClient,
  type PodClientOptions,
  type PodCommand,
  type PodCommandResult,
  type PodSummary,
} from './pods/pod-client.js';
export { type ApiResource, Reflector, type ReflectorOptions } from './reflector.js';
export type { ApiConnectionOptions } from './watch/api-connection.js';
export { type ApiAccess, type ApiAccessOptions, checkApiAccess } from './watch/check-api-access.js';
