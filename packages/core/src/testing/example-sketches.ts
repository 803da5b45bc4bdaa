import type { ServiceSketch } from './cluster-sketch.js';

/** A Service of every address, with source ranges, one endpoint on this node and two on another. */
export const EXAMPLE_SKETCH: ServiceSketch = {
  name: 'ns/web',
  number: 1,
  protocol: 'TCP',
  kind: 'LoadBalancer',
  internalLocal: false,
  externalLocal: false,
  affinity: false,
  ranges: ['192.0.2.128/25'],
  endpoints: [
    { number: 1, node: 'node1' },
    { number: 2, node: 'node2' },
    { number: 3, node: 'node2' },
  ],
};

/** One Service of each kind with different rules. */
export const EXAMPLE_SKETCHES: readonly ServiceSketch[] = [
  EXAMPLE_SKETCH,
  { ...EXAMPLE_SKETCH, name: 'ns/sticky', number: 2, kind: 'ClusterIP', affinity: true, ranges: undefined },
  { ...EXAMPLE_SKETCH, name: 'ns/local', number: 3, kind: 'NodePort', externalLocal: true, ranges: undefined },
  { ...EXAMPLE_SKETCH, name: 'ns/empty', number: 4, kind: 'NodePort', ranges: undefined, endpoints: [] },
  { ...EXAMPLE_SKETCH, name: 'ns/external', number: 5, kind: 'ExternalIP', ranges: undefined, protocol: 'UDP' },
];
