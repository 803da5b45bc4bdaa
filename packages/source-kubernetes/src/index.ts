/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { type ApiAccess, type ApiAccessOptions, checkApiAccess } from './check-api-access.js';
export { type ClusterEvent, EventRecorder, type EventRecorderOptions, type EventSubject } from './event-recorder.js';
export { KubernetesError } from './kubernetes-error.js';
export { KubernetesSource, type KubernetesSourceOptions } from './kubernetes-source.js';
