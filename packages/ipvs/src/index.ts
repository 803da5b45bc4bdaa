/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { DRAIN_INTERVAL } from './draining.js';
export { createIpvsBackend, type IpvsBackendOptions, ipvsBackend } from './ipvs-backend.js';
export { IpvsDataplane, type IpvsDataplaneOptions, type IpvsSettings } from './ipvs-dataplane.js';
export { IpvsLeftovers, IpvsPartlyApplied } from './ipvs-error.js';
export type { IpvsHost } from './ipvs-host.js';
export type { HostFacts, InstalledIpvs, InstalledVirtualServer } from './ipvs-planner.js';
export type { DrainingServer, IpvsStep, IpvsTransaction } from './ipvs-transaction.js';
export { SCHEDULER_ANNOTATION, WEIGHT_ANNOTATION } from './scheduler-choice.js';
export { DEFAULT_SCHEDULER, isScheduler, SCHEDULER_NAMES, SCHEDULERS, type Scheduler } from './schedulers.js';
