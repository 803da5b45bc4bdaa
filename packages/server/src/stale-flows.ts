import { type ChangeSet, type Endpoint, joinHostPort, type ProxyState } from '@kube-proxier/core';

/** One tracked connection, as far as it takes to tell whether it is stale. Addresses are canonical. */
export interface TrackedFlow {
  readonly protocol: string;
  /** As its first packet came: where the client sent it to. */
  readonly original: { readonly destination: string; readonly destinationPort: number };
  /** As replies come: from the endpoint, where there was destination NAT. */
  readonly reply: { readonly source: string; readonly sourcePort: number };
}

/**
 * Whether tracked UDP flows may have become stale (spec T-10): the endpoints of a UDP service port differ, or everything
 * was written anew.
 */
export function mayLeaveStaleFlows(changes: ChangeSet): boolean {
  for (const { previous, current } of changes.servicePorts.values()) {
    if ((current ?? previous)?.name.protocol !== 'UDP') {
      continue;
    }
    if (!previous || !current ? hasCandidates(previous ?? current) : previous.candidates !== current.candidates) {
      return true;
    }
  }
  return false;
}

function hasCandidates(port: { readonly candidates: readonly Endpoint[] } | undefined): boolean {
  return port !== undefined && port.candidates.length > 0;
}

/**
 * Finds tracked UDP flows that go on to where nobody serves any more (spec T-12…T-17): sent to a frontend of a service
 * port, answered by what is no serving endpoint of it. The kernel would keep them going for as long as the client
 * keeps sending.
 *
 * Flows to a service port that has no serving endpoint at all are left alone; other protocols are never touched. A flow
 * to the number of a node port counts only when it was sent to this node: kube-proxy deletes others' flows to that port
 * number too (spec B-16). Pure.
 *
 * @param flows tracked flows of the state's family.
 * @param localAddresses canonical addresses of this host.
 */
export function staleFlows<Flow extends TrackedFlow>(
  state: ProxyState,
  flows: Iterable<Flow>,
  localAddresses: ReadonlySet<string>,
): readonly Flow[] {
  const byAddress = new Map<string, ReadonlySet<string>>();
  const byNodePort = new Map<number, ReadonlySet<string>>();
  for (const { name, frontends, candidates } of state.servicePorts.values()) {
    if (name.protocol !== 'UDP') {
      continue;
    }
    const serving = new Set(candidates.flatMap((endpoint) => (endpoint.serving ? [endpoint.key] : [])));
    if (serving.size === 0) {
      continue;
    }
    for (const { address, port } of frontends) {
      if (address === undefined) {
        byNodePort.set(port, serving);
      } else {
        byAddress.set(joinHostPort(address, port), serving);
      }
    }
  }
  const stale: Flow[] = [];
  if (byAddress.size === 0 && byNodePort.size === 0) {
    return stale;
  }
  for (const flow of flows) {
    if (flow.protocol !== 'UDP') {
      continue;
    }
    const { destination, destinationPort } = flow.original;
    const serving =
      byAddress.get(joinHostPort(destination, destinationPort)) ??
      (localAddresses.has(destination) ? byNodePort.get(destinationPort) : undefined);
    if (serving && !serving.has(joinHostPort(flow.reply.source, flow.reply.sourcePort))) {
      stale.push(flow);
    }
  }
  return stale;
}
