import {
  formatServicePortName,
  type ResolvedServicePort,
  type ServicePort,
  type Slices,
  selectionWeights,
} from '@kube-proxier/core';
import {
  isScheduler,
  MAX_WEIGHT,
  SCHEDULER_NAMES,
  schedulerFlags,
  weightedScheduler,
  weightFor,
} from './schedulers.js';

/** Annotation of a Service: the scheduler of its virtual servers, instead of the one of the node. */
export const SCHEDULER_ANNOTATION = 'kube-proxier.io/ipvs-scheduler';
/** Annotation of a Service: the weight of each of its endpoints, 1…65535. For `ovf`, how many connections it takes. */
export const WEIGHT_ANNOTATION = 'kube-proxier.io/ipvs-weight';

/** How the virtual servers of a service port spread connections. */
export interface SchedulerChoice {
  readonly name: string;
  /** Instead of `name`, for a list of endpoints with unequal weights. */
  readonly weighted: string;
  readonly schedulerFlags: number;
  readonly weight: number;
}

export interface SchedulerReading {
  readonly choice: SchedulerChoice;
  /** Invalid annotations, a line each. */
  readonly problems: readonly string[];
}

/**
 * Reads the annotations of a Service that choose its scheduler. An annotation that is invalid, or names a scheduler that
 * this host lacks, is ignored: the Service then has the scheduler of the node.
 *
 * @param usual the scheduler of the node.
 * @param available schedulers of the kernel; undefined when they are not known.
 */
export function readScheduler(
  { annotations, name }: Pick<ServicePort, 'annotations' | 'name'>,
  usual: string,
  available?: ReadonlySet<string>,
): SchedulerReading {
  const problems: string[] = [];
  const service = `${name.namespace}/${name.name}`;
  const requested = annotations[SCHEDULER_ANNOTATION]?.trim();
  let scheduler = usual;
  if (requested !== undefined && requested !== '') {
    if (!isScheduler(requested)) {
      const all = SCHEDULER_NAMES.join(', ');
      problems.push(`${SCHEDULER_ANNOTATION} of ${service} must be one of ${all}; ${usual} is used instead`);
    } else if (available !== undefined && !available.has(requested)) {
      problems.push(
        `${SCHEDULER_ANNOTATION} of ${service} is ${requested}, which this kernel lacks (module ip_vs_${requested}); ${usual} is used instead`,
      );
    } else {
      scheduler = requested;
    }
  }
  const withWeights = weightedScheduler(scheduler);
  const weighted = available === undefined || available.has(withWeights) ? withWeights : scheduler;
  const text = annotations[WEIGHT_ANNOTATION]?.trim();
  let weight: number | undefined;
  if (text !== undefined && text !== '') {
    if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= MAX_WEIGHT) {
      weight = Number(text);
    } else {
      problems.push(`${WEIGHT_ANNOTATION} of ${service} must be a number from 1 to ${MAX_WEIGHT}; it is ignored`);
    }
  }
  return {
    choice: {
      name: scheduler,
      weighted,
      schedulerFlags: schedulerFlags(scheduler),
      weight: weightFor(scheduler, weight),
    },
    problems,
  };
}

/**
 * Annotations of service ports that are not supported on this host; parameters as for {@link readScheduler}. Yields
 * after each port.
 */
export function* schedulerProblems(
  ports: Iterable<ResolvedServicePort>,
  usual: string,
  available: ReadonlySet<string> | undefined,
): Slices<readonly string[]> {
  // Annotations are the same for all ports of a Service.
  const found = new Set<string>();
  for (const port of ports) {
    yield;
    const { choice, problems } = readScheduler(port.servicePort, usual, available);
    for (const problem of problems) {
      found.add(problem);
    }
    const lost = weightedScheduler(choice.name);
    if (hasUnequalWeights(port) && choice.weighted !== lost) {
      found.add(
        `Weights of the endpoints of ${formatServicePortName(port.name)} need the scheduler ${lost}, which this kernel lacks (module ip_vs_${lost}); ${choice.name} ignores them`,
      );
    }
  }
  return [...found];
}

/** Whether endpoints of a list have, or may get, different shares. */
export function hasUnequalWeights({ cluster, local, servicePort }: ResolvedServicePort): boolean {
  return (
    servicePort.slowStartSeconds !== undefined ||
    selectionWeights(cluster) !== undefined ||
    selectionWeights(local) !== undefined
  );
}
