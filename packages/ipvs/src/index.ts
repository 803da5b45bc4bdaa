/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { DRAIN_INTERVAL } from './apply/draining.js';
export { createIpvsBackend, type IpvsBackendOptions, ipvsBackend } from './backend.js';
export { IpvsDataplane, type IpvsDataplaneOptions, type IpvsSettings } from './dataplane.js';
export { readTemplateAffinity } from './former-affinity.js';
export type { IpvsHost } from './ipvs-host.js';
export type { HostFacts, InstalledIpvs, InstalledVirtualServer } from './plan/installed-ipvs.js';
export type { DrainingServer, IpvsStep, IpvsTransaction } from './plan/ipvs-transaction.js';
export { SCHEDULER_ANNOTATION, WEIGHT_ANNOTATION } from './plan/scheduler-choice.js';
export { DEFAULT_SCHEDULER, isScheduler, SCHEDULER_NAMES, SCHEDULERS, type Scheduler } from './plan/schedulers.js';
