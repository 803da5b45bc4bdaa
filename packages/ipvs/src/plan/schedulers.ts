import { IPVS_SCHEDULER_FLAGS } from '@kube-proxier/linux';

/** Every scheduler of the kernel, with what it does. */
export const SCHEDULERS = {
  rr: 'round robin',
  wrr: 'weighted round robin',
  lc: 'least connections',
  wlc: 'weighted least connections',
  dh: 'destination hashing',
  sh: 'source hashing',
  sed: 'shortest expected delay',
  nq: 'never queue',
  lblc: 'locality-based least connections',
  lblcr: 'locality-based least connections with replication',
  mh: 'Maglev hashing of client address and port',
  fo: 'failover: the first endpoint that is there',
  ovf: 'overflow: the first endpoint that has not its number of connections yet',
} as const;

/** The name of a scheduler, as `ipvsadm` spells it. */
export type Scheduler = keyof typeof SCHEDULERS;

/** The names of all schedulers. */
export const SCHEDULER_NAMES = Object.keys(SCHEDULERS) as readonly Scheduler[];

/** Of Services that do not choose one. */
export const DEFAULT_SCHEDULER: Scheduler = 'rr';

/** Whether there is a scheduler of that name; a kernel may still lack it. */
export function isScheduler(name: string): name is Scheduler {
  return Object.hasOwn(SCHEDULERS, name);
}

/** Options of the scheduler that are always on: Maglev hashes ports too, as in kube-proxy (spec V-20). */
export function schedulerFlags(scheduler: string): number {
  return scheduler === 'mh' ? IPVS_SCHEDULER_FLAGS.sourcePort : 0;
}

/**
 * For `ovf` the weight is the maximum number of connections of an endpoint; for all others equal weights mean equal
 * shares.
 */
export function weightFor(scheduler: string, weight: number | undefined): number {
  return weight ?? (scheduler === 'ovf' ? MAX_WEIGHT : 1);
}

/** The equivalent scheduler for unequal weights; itself if it supports weights, or gives them another meaning. */
export function weightedScheduler(scheduler: string): string {
  return scheduler === 'rr' ? 'wrr' : scheduler === 'lc' ? 'wlc' : scheduler;
}

export const MAX_WEIGHT = 65_535;
