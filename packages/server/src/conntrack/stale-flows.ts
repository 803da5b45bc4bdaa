import {
  type ChangeSet,
  endpointsKeepingFlows,
  type Frontend,
  joinHostPort,
  type Protocol,
  type ProxyState,
  type ResolvedServicePort,
} from '@kube-proxier/core';

/** One tracked connection, as far as it takes to tell whether it is stale. Addresses are canonical. */
export interface TrackedFlow {
  readonly protocol: string;
  /** As its first packet came: where the client sent it to. */
  readonly original: { readonly destination: string; readonly destinationPort: number };
  /** As replies come: from the endpoint, where there was destination NAT. */
  readonly reply: { readonly source: string; readonly sourcePort: number };
}

/**
 * Why a flow is stale.
 * - `endpoint-gone`: it goes on to what is no endpoint of the service port any more.
 * - `frontend-gone`: the address or port that it was sent to is no Service's any more.
 * - `untranslated`: it is from times without rules, and goes to nobody.
 */
export type StaleReason = 'endpoint-gone' | 'frontend-gone' | 'untranslated';

/** A tracked flow that leads to what is gone, and why it is one. */
export interface StaleFlow<Flow extends TrackedFlow> {
  readonly flow: Flow;
  readonly reason: StaleReason;
}

/** Protocols whose flows live on for as long as somebody sends. A TCP client notices by itself. */
export type StaleProtocol = Extract<Protocol, 'UDP' | 'SCTP'>;
const PROTOCOLS: readonly StaleProtocol[] = ['UDP', 'SCTP'];

/**
 * The protocols of which tracked flows may have become stale by these changes: endpoints or frontends of one of their
 * service ports differ (spec T-10; kube-proxy does not look when only a Service changed, spec B-17). When nothing is known
 * of what was installed before (`previous` is undefined), every protocol that has a service port. Pure.
 */
export function protocolsWithStaleFlows({
  previous: known,
  resolvedServicePorts,
}: ChangeSet): readonly StaleProtocol[] {
  const found = new Set<Protocol>();
  for (const { previous, current } of resolvedServicePorts.values()) {
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

/** What is right for flows that were sent to one frontend: undefined when it is right as it is. */
type Judge = (flow: TrackedFlow, repliesFrom: string) => StaleReason | undefined;

/**
 * Finds tracked flows that go on to where nobody serves any more (spec T-12…T-16), of the service ports that changed:
 * the kernel would keep them going for as long as the client keeps sending.
 *
 * - UDP to a service port that has serving endpoints is stale when none of them answers it. An endpoint that does not
 *   serve, but exists, keeps its flows when there is no other.
 * - SCTP is stale only when its endpoint is gone: an association to one that is about to go ends by itself.
 * - What was sent to a frontend that is gone is stale when an endpoint of it answered.
 * - Other protocols are never touched. A flow to the number of a node port counts only when it was sent to this node:
 *   kube-proxy deletes others' flows to that port number too (spec B-16).
 *
 * Costs what the changes and the flows cost, whatever the size of the state. Pure.
 *
 * @param state that is in force now, and that `changes` leads to.
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
 * As {@link staleFlows}, for flows that come one by one.
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
  const add = ({ protocol, address, port }: Frontend, judge: Judge) => {
    if (address === undefined) {
      byNodePort.set(`${protocol} ${port}`, judge);
    } else {
      byAddress.set(`${protocol} ${joinHostPort(address, port)}`, judge);
    }
  };
  for (const { previous, current } of changes.resolvedServicePorts.values()) {
    if (previous && isConcerned(previous)) {
      const judge = judgeGone(previous);
      for (const frontend of previous.frontends) {
        if (!state.frontends.has(frontend.key)) {
          add(frontend, judge);
        }
      }
    }
    if (current && isConcerned(current)) {
      const judge = judgeThere(current);
      for (const frontend of current.frontends) {
        add(frontend, judge);
      }
    }
  }
  return (flow) => {
    const { destination, destinationPort } = flow.original;
    const judge =
      byAddress.get(`${flow.protocol} ${joinHostPort(destination, destinationPort)}`) ??
      (localAddresses.has(destination) ? byNodePort.get(`${flow.protocol} ${destinationPort}`) : undefined);
    return judge?.(flow, joinHostPort(flow.reply.source, flow.reply.sourcePort));
  };
}

function judgeGone({ candidates }: ResolvedServicePort): Judge {
  const endpoints = new Set(candidates.map(({ key }) => key));
  return (_flow, repliesFrom) => (endpoints.has(repliesFrom) ? 'frontend-gone' : undefined);
}

function judgeThere(port: ResolvedServicePort): Judge {
  const right = new Set(endpointsKeepingFlows(port).map(({ key }) => key));
  const isServed = port.candidates.some(({ serving }) => serving);
  return ({ original, reply }, repliesFrom) => {
    if (right.has(repliesFrom)) {
      return undefined;
    }
    if (reply.source === original.destination && reply.sourcePort === original.destinationPort) {
      // Where nobody serves, the refusal takes care of it.
      return isServed ? 'untranslated' : undefined;
    }
    return 'endpoint-gone';
  };
}
