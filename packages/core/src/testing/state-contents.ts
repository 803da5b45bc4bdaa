import type { ProxyState } from '../model/proxy-state.js';
import { renderState } from './fake-dataplane.js';

/** All contents of a state, in comparable form. */
export function stateContents(state: ProxyState) {
  return {
    ports: Object.fromEntries([...renderState(state)].sort()),
    candidates: Object.fromEntries(
      [...state.servicePorts].map(([key, { candidates, selection }]) => [key, { candidates, selection }]).sort(),
    ),
    frontends: Object.fromEntries([...state.frontends].sort()),
    ranges: Object.fromEntries([...(state.portRanges ?? [])].sort()),
    health: Object.fromEntries([...state.healthCheckNodePorts].sort()),
    clusterIPs: Object.fromEntries([...state.clusterIPs].sort()),
    node: state.node,
  };
}
