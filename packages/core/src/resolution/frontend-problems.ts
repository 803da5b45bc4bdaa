import type { AddressOverlap, AddressOverlapKind } from '../model/address-overlap.js';
import type { Frontend } from '../model/frontend.js';
import { formatPorts, PORT_RANGE_ANNOTATION } from '../model/port-range.js';
import type { ResolvedServicePort } from '../model/proxy-state.js';
import type { ServicePort } from '../model/service-port.js';
import { type ServicePortKey, serviceKey } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { ObjectProblem } from '../objects/object-problem.js';
import type { RangeClaims } from './range-claims.js';

/** A resolved service port. */
export interface ResolvedFrontends {
  readonly servicePort: ServicePort;
  /** The frontends that it claims. */
  readonly wanted: readonly Frontend[];
  /** The frontends that it owns. */
  readonly held: readonly Frontend[];
  readonly overlaps: readonly AddressOverlap[];
  /** Why its range is not served; undefined when it is served or absent. */
  readonly rangeProblem: string | undefined;
  /** Whether the mode serves its protocol. */
  readonly isServed: boolean;
  readonly ranges: Pick<RangeClaims, 'range'>;
  /** The older service port that has a frontend; undefined when none has it. */
  holderBefore(frontend: Frontend): ServicePort | undefined;
  /** The previous resolution. */
  readonly before: ResolvedServicePort | undefined;
}

const OVERLAP_WORDS: Readonly<Record<AddressOverlapKind, string>> = {
  'node-address': 'an address of this node',
  'pod-network': 'in the pod network',
  'service-network': 'in the Service network',
};

/** Reports the claims of a service port that are not granted, each problem once. */
export class FrontendProblems {
  /** Problems of ranges that were reported. */
  readonly #reportedRanges = new Map<ServicePortKey, readonly string[]>();

  constructor(private readonly onProblem: (problem: ObjectProblem) => void) {}

  report(resolved: ResolvedFrontends): void {
    this.#reportProtocol(resolved);
    this.#reportLost(resolved);
    this.#reportRanges(resolved);
    this.#reportOverlaps(resolved);
  }

  /** The service port no longer exists. */
  forget(key: ServicePortKey): void {
    this.#reportedRanges.delete(key);
  }

  #reportProtocol({ servicePort, before, isServed }: ResolvedFrontends): void {
    const { portName, protocol } = servicePort.name;
    if (isServed || before?.servicePort.port === servicePort.port) {
      return;
    }
    const port = portName === '' ? String(servicePort.port) : `${portName} (${servicePort.port})`;
    this.#problem(servicePort, {
      field: 'spec.ports',
      message: `port ${port}: ${protocol} is not supported by this mode, so its cluster IP refuses connections to it, and no other address has it; use another mode`,
    });
  }

  /** Addresses that older Services own. */
  #reportLost({ servicePort, wanted, held, before, holderBefore }: ResolvedFrontends): void {
    if (held.length === wanted.length) {
      return;
    }
    for (const frontend of wanted) {
      const alreadyReported =
        before?.servicePort === servicePort && !before.frontends.some(({ key }) => key === frontend.key);
      const holder = holderBefore(frontend);
      const isHeld = held.some(({ key }) => key === frontend.key);
      if (!isHeld && holder && !alreadyReported) {
        this.#problem(servicePort, {
          message: `${frontend.kind} ${frontend.key} belongs to Service ${serviceKey(holder.name)}, which is older or first by name; give one of them another address or port`,
        });
      }
    }
  }

  /** Ranges that are not served: not supported by the mode, or owned by older Services. */
  #reportRanges({ servicePort, wanted, held, before, rangeProblem, ranges }: ResolvedFrontends): void {
    if (servicePort.lastPort === undefined) {
      return;
    }
    const { key, port } = servicePort;
    const text = formatPorts({ port, lastPort: servicePort.lastPort });
    const lost = wanted.flatMap((frontend) => {
      const outcome = ranges.range(frontend, servicePort);
      const isLost =
        frontend.lastPort !== undefined && held.some((one) => one.key === frontend.key && one.lastPort === undefined);
      return isLost && typeof outcome === 'object'
        ? [
            `${text}: port ${outcome.port} of ${frontend.kind} ${frontend.address} belongs to Service ${serviceKey(outcome.lostTo.name)}, which is older or first by name, so of the range only port ${port}/${frontend.protocol} is served there; give one of them another address or other ports`,
          ]
        : [];
    });
    const problems = [...(rangeProblem === undefined ? [] : [`${text}: ${rangeProblem}`]), ...lost];
    const known = before?.servicePort === servicePort ? (this.#reportedRanges.get(key) ?? []) : [];
    this.#reportedRanges.set(key, problems);
    for (const message of problems) {
      if (!known.includes(message)) {
        this.#problem(servicePort, { field: `metadata.annotations["${PORT_RANGE_ANNOTATION}"]`, message });
      }
    }
  }

  /** External addresses that overlap with other addresses. */
  #reportOverlaps({ servicePort, overlaps, before }: ResolvedFrontends): void {
    for (const overlap of overlaps) {
      const { kind, address, port, served } = overlap;
      if (before?.overlaps.some((known) => structurallyEqual(known, overlap))) {
        continue;
      }
      const what = `${kind === 'ExternalIP' ? 'external IP' : 'load balancer IP'} ${address} is ${OVERLAP_WORDS[overlap.overlaps]}`;
      this.#problem(servicePort, {
        message: served
          ? `${what}: packets to port ${port} of it go to this Service instead of what listens there; give the Service another address, or have such addresses refused`
          : `${what}; port ${port} of it is not served, as such addresses are refused here`,
        ignored: served ? 'nothing' : 'field',
      });
    }
  }

  #problem(
    { name: { namespace, name } }: ServicePort,
    problem: Pick<ObjectProblem, 'message'> & Partial<Pick<ObjectProblem, 'field' | 'ignored'>>,
  ): void {
    this.onProblem({ kind: 'Service', namespace, name, field: '', ignored: 'field', ...problem });
  }
}
