import { assertNever } from '../model/assert-never.js';
import type { Endpoint } from '../model/endpoint.js';
import { DEFAULT_WEIGHT, isDrained } from '../model/endpoint-weights.js';
import type { Frontend } from '../model/frontend.js';
import type { NodeState, ResolvedServicePort } from '../model/proxy-state.js';
import { countOf } from '../text/count-of.js';
import { isSelectable } from '../tracking/endpoint-set.js';

/** Whether an endpoint is in an endpoint list, and why, as text. */
export interface EndpointDecision {
  readonly used: boolean;
  readonly reason: string;
}

/** Explains the endpoints of one service port. Common parts are computed once. */
export function endpointDescriber(
  port: ResolvedServicePort,
  list: 'cluster' | 'local',
  node: NodeState,
): (endpoint: Endpoint) => EndpointDecision {
  let ready: number | undefined;
  const readyEndpoints = () => {
    ready ??= port.candidates.filter((other) => isSelectable(other) && (list === 'cluster' || other.isLocal)).length;
    return ready;
  };
  return (endpoint) => describeEndpoint(endpoint, port, list, node, readyEndpoints);
}

/** The endpoint list that the traffic policy of a frontend selects, whether it forwards or not. */
export function intendedList({ servicePort }: ResolvedServicePort, { kind }: Frontend): 'cluster' | 'local' {
  const { internalTrafficPolicy, externalTrafficPolicy } = servicePort;
  const policy = kind === 'ClusterIP' ? internalTrafficPolicy : externalTrafficPolicy;
  return policy === 'Local' ? 'local' : 'cluster';
}

function describeEndpoint(
  endpoint: Endpoint,
  port: ResolvedServicePort,
  list: 'cluster' | 'local',
  node: NodeState,
  readyEndpoints: () => number,
): EndpointDecision {
  const { selection } = port;
  const basis = list === 'cluster' ? selection.clusterBasis : selection.localBasis;
  const condition = describeCondition(endpoint);
  if (list === 'local' && !endpoint.isLocal) {
    const where = endpoint.nodeName === undefined ? 'on no known node' : `on node ${endpoint.nodeName}`;
    return { used: false, reason: `${where}, and only endpoints on this node are used` };
  }
  const place = list === 'local' ? 'on this node, ' : '';
  if (isDrained(endpoint)) {
    return { used: false, reason: `${place}${condition}, but drained (weight 0)` };
  }
  const share = shareOf(endpoint);
  switch (basis) {
    case 'none':
      return { used: false, reason: `${place}${condition}` };
    case 'terminating':
      return endpoint.serving && endpoint.terminating
        ? { used: true, reason: `${place}terminating but still serving, and none is ready${share}` }
        : { used: false, reason: `${place}${condition}` };
    case 'ready':
      break;
    default:
      return assertNever(basis);
  }
  if (!endpoint.ready) {
    const ready = countOf(readyEndpoints(), 'ready one exists', 'ready ones exist');
    return { used: false, reason: `${place}${condition}, and ${ready}` };
  }
  if (list === 'cluster' && selection.topology === 'PreferSameNode') {
    return endpoint.nodeHints.includes(node.name)
      ? { used: true, reason: `ready, and meant for node ${node.name}${share}` }
      : { used: false, reason: `ready, but meant for ${names('node', endpoint.nodeHints)}` };
  }
  if (list === 'cluster' && selection.topology === 'PreferSameZone') {
    return node.zone !== undefined && endpoint.zoneHints.includes(node.zone)
      ? { used: true, reason: `ready, and meant for zone ${node.zone}${share}` }
      : { used: false, reason: `ready, but meant for ${names('zone', endpoint.zoneHints)}` };
  }
  return { used: true, reason: `${place}ready${share}` };
}

function shareOf({ weight, slowStart }: Endpoint): string {
  const own = weight === DEFAULT_WEIGHT ? '' : `, weight ${weight}`;
  return slowStart === undefined ? own : `${own}, slow start: ${slowStart} tenths of its share`;
}

function describeCondition(endpoint: Endpoint): string {
  if (endpoint.ready) {
    return 'ready';
  }
  if (endpoint.terminating) {
    return endpoint.serving ? 'terminating, still serving' : 'terminating, no longer serving';
  }
  return endpoint.notReadyReason === undefined ? 'not ready' : `not ready: ${endpoint.notReadyReason}`;
}

function names(what: string, list: readonly string[]): string {
  return `${what}${list.length === 1 ? '' : 's'} ${list.join(', ')}`;
}
