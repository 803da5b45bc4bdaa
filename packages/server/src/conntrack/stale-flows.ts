import {
  type ChangeSet,
  endpointsKeepingFlows,
  type Frontend,
  finish,
  hasPort,
  joinHostPort,
  type Protocol,
  type ProxyState,
  portRangeSpace,
  type ResolvedServicePort,
  type Slices,
} from '@kube-proxier/core';

/** The part of a conntrack entry that decides whether the flow is stale. Addresses are canonical. */
export interface TrackedFlow {
  readonly protocol: string;
  /** Original direction: the address that the client sent to. */
  readonly original: { readonly destination: string; readonly destinationPort: number };
  /** Reply direction: the endpoint's address, if destination NAT was applied. */
  readonly reply: { readonly source: string; readonly sourcePort: number };
}

/**
 * Why a flow is stale.
 * - `endpoint-gone`: its endpoint is no longer an endpoint of the service port.
 * - `frontend-gone`: its destination address or port no longer belongs to a Service.
 * - `untranslated`: it began while no rules were installed, and was never translated.
 */
export type StaleReason = 'endpoint-gone' | 'frontend-gone' | 'untranslated';

/** A stale tracked flow and the reason. */
export interface StaleFlow<Flow extends TrackedFlow> {
  readonly flow: Flow;
  readonly reason: StaleReason;
}

/** Protocols whose flows last as long as the client sends. A TCP client detects the failure itself. */
export type StaleProtocol = Extract<Protocol, 'UDP' | 'SCTP'>;
const PROTOCOLS: readonly StaleProtocol[] = ['UDP', 'SCTP'];

/**
 * The protocols of which tracked flows may have become stale by these changes: endpoints or frontends of one of their
 * service ports differ (spec T-10; kube-proxy does not check when only a Service changed, spec B-17). If the previously
 * installed state is unknown (`previous` is undefined), every protocol that has a service port. Pure.
 */
export function protocolsWithStaleFlows(changes: ChangeSet): readonly StaleProtocol[] {
  return finish(protocolsWithStaleFlowsInSlices(changes));
}

/** {@link protocolsWithStaleFlows}. Yields after each service port, so that a caller can pause. */
export function* protocolsWithStaleFlowsInSlices({
  previous: known,
  resolvedServicePorts,
}: ChangeSet): Slices<readonly StaleProtocol[]> {
  const found = new Set<Protocol>();
  for (const { previous, current } of resolvedServicePorts.values()) {
    yield;
    const some = current ?? previous;
    if (some === undefined || !isConcerned(some)) {
      continue;
    }
    const mayBeStale =
      known === undefined ||
      (previous && current
        ? previous.candidates !== current.candidates || previous.frontends !== current.frontends
        : some.candidates.length > 0);
    if (mayBeStale) {
      found.add(some.name.protocol);
    }
  }
  return PROTOCOLS.filter((protocol) => found.has(protocol));
}

function isConcerned({ name }: ResolvedServicePort): boolean {
  return name.protocol === 'UDP' || name.protocol === 'SCTP';
}

/** Classifies flows to one frontend: undefined for a flow that is not stale. */
type Judge = (flow: TrackedFlow, repliesFrom: string) => StaleReason | undefined;

/**
 * Finds stale tracked flows of the changed service ports (spec T-12…T-16): the kernel would keep them as long as the
 * client sends.
 *
 * - UDP to a service port that has serving endpoints is stale when its endpoint is none of them. An endpoint that does not
 *   serve, but exists, keeps its flows when there is no other.
 * - SCTP is stale only when its endpoint is gone: an association with a terminating endpoint ends on its own.
 * - A flow to a removed frontend is stale when one of its endpoints answered.
 * - Other protocols are never touched. A flow to a node port number counts only when its destination is this node:
 *   kube-proxy also deletes foreign flows to that port number (spec B-16).
 *
 * Cost is proportional to the changes and the flows, not to the size of the state. Pure.
 *
 * @param state the state now in force, the result of `changes`.
 * @param flows tracked flows of the state's family.
 * @param localAddresses canonical addresses of this host.
 */
export function staleFlows<Flow extends TrackedFlow>(
  state: ProxyState,
  changes: ChangeSet,
  flows: Iterable<Flow>,
  localAddresses: ReadonlySet<string>,
): readonly StaleFlow<Flow>[] {
  const judge = staleFlowJudge(state, changes, localAddresses);
  const stale: StaleFlow<Flow>[] = [];
  for (const flow of flows) {
    const reason = judge(flow);
    if (reason !== undefined) {
      stale.push({ flow, reason });
    }
  }
  return stale;
}

/**
 * As {@link staleFlows}, for single flows.
 *
 * @returns why a flow is stale; undefined for one that is not.
 */
export function staleFlowJudge(
  state: ProxyState,
  changes: ChangeSet,
  localAddresses: ReadonlySet<string>,
): (flow: TrackedFlow) => StaleReason | undefined {
  const byAddress = new Map<string, Judge>();
  const byNodePort = new Map<string, Judge>();
  const ranges = new RangeJudges();
  const add = ({ protocol, address, port }: Frontend, judge: Judge) => {
    if (address === undefined) {
      byNodePort.set(`${protocol} ${port}`, judge);
    } else {
      byAddress.set(`${protocol} ${joinHostPort(address, port)}`, judge);
    }
  };
  for (const { previous, current } of changes.resolvedServicePorts.values()) {
    if (previous && isConcerned(previous)) {
      const judge = judgeRemoved(previous);
      for (const frontend of previous.frontends) {
        if (!state.frontends.has(frontend.key)) {
          add(frontend, judge);
        }
        ranges.add(frontend, judge, 'removed');
      }
    }
    if (current && isConcerned(current)) {
      const judge = judgeServed(current);
      for (const frontend of current.frontends) {
        add(frontend, judge);
        ranges.add(frontend, judge, 'served');
      }
    }
  }
  return (flow) => {
    const { destination, destinationPort } = flow.original;
    const judge =
      byAddress.get(`${flow.protocol} ${joinHostPort(destination, destinationPort)}`) ??
      ranges.of(flow) ??
      (localAddresses.has(destination) ? byNodePort.get(`${flow.protocol} ${destinationPort}`) : undefined);
    return judge?.(flow, joinHostPort(flow.reply.source, flow.reply.sourcePort));
  };
}

/** Classifiers of the ports of ranges after the first (spec PR-5). */
class RangeJudges {
  readonly #judges = new Map<string, { frontend: Frontend; judge: Judge; what: 'served' | 'removed' }[]>();

  add(frontend: Frontend, judge: Judge, what: 'served' | 'removed'): void {
    const { protocol, address, lastPort } = frontend;
    if (address !== undefined && lastPort !== undefined) {
      const space = portRangeSpace(protocol, address);
      this.#judges.set(space, [...(this.#judges.get(space) ?? []), { frontend, judge, what }]);
    }
  }

  /** A current range has precedence over a former one. */
  of({ protocol, original: { destination, destinationPort } }: TrackedFlow): Judge | undefined {
    const judges =
      this.#judges.size === 0 ? [] : (this.#judges.get(portRangeSpace(protocol as Protocol, destination)) ?? []);
    const found = judges.filter(({ frontend }) => hasPort(frontend, destinationPort));
    const { frontend, judge } = found.find(({ what }) => what === 'served') ?? found[0] ?? {};
    return frontend && judge
      ? (flow) =>
          // Mapped to the first port.
          judge(flow, joinHostPort(flow.reply.source, flow.reply.sourcePort - (destinationPort - frontend.port)))
      : undefined;
  }
}

function judgeRemoved({ candidates }: ResolvedServicePort): Judge {
  const endpoints = new Set(candidates.map(({ key }) => key));
  return (_flow, repliesFrom) => (endpoints.has(repliesFrom) ? 'frontend-gone' : undefined);
}

function judgeServed(port: ResolvedServicePort): Judge {
  const valid = new Set(endpointsKeepingFlows(port).map(({ key }) => key));
  const isServed = port.candidates.some(({ serving }) => serving);
  return ({ original, reply }, repliesFrom) => {
    if (valid.has(repliesFrom)) {
      return undefined;
    }
    if (reply.source === original.destination && reply.sourcePort === original.destinationPort) {
      // Without serving endpoints, the reject rule handles it.
      return isServed ? 'untranslated' : undefined;
    }
    return 'endpoint-gone';
  };
}
