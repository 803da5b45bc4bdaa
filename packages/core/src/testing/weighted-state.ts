import type { IPFamily } from '../model/address.js';
import { ENDPOINT_WEIGHTS_ANNOTATION } from '../model/endpoint-weights.js';
import type { ProxyState } from '../model/proxy-state.js';
import { ClusterSketch, EXAMPLE_SERVICE } from './cluster-sketch.js';

/** Weights of two endpoints, the first on this node. */
export const UNEQUAL_WEIGHTS: readonly (readonly [number, number])[] = [
  [3, 1],
  [1, 65_535],
  [7919, 1987],
  [0, 5],
];

/** A state of one Service whose two endpoints have these weights, in all kinds of frontends. */
export function weightedState(family: IPFamily, [local, remote]: readonly [number, number]): ProxyState {
  const cluster = new ClusterSketch(family, { localhostNodePorts: false });
  for (const [index, affinity] of [false, true].entries()) {
    cluster.set({
      ...EXAMPLE_SERVICE,
      ...{ name: `ns/svc${index + 1}`, number: index + 1, kind: 'LoadBalancer', affinity },
      annotations: { [ENDPOINT_WEIGHTS_ANNOTATION]: `node/node1=${local},node/node2=${remote}` },
    });
  }
  return cluster.next().state;
}
