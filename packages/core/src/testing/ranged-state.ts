import type { IPFamily } from '../model/address.js';
import { PORT_RANGE_ANNOTATION } from '../model/port-range.js';
import type { ProxyState } from '../model/proxy-state.js';
import { ClusterSketch, EXAMPLE_SERVICE, type ServiceSketch, sketchAddresses } from './cluster-sketch.js';

/** What distinguishes the Services of a {@link rangedState}. */
const VARIANTS: readonly Partial<ServiceSketch>[] = [
  {},
  { affinity: true },
  { internalLocal: true, externalLocal: true },
  { externalLocal: true, affinity: true },
  { externalLocal: true, endpoints: [{ number: 2, node: 'node2' }] },
  { endpoints: [] },
];

/**
 * A state of Services with a range of ports from 80 on, in all kinds of frontends: with each traffic policy, session affinity,
 * source ranges, without local endpoints and without any.
 *
 * @param targetPort 80 for the same ports at the endpoints.
 * @param lastPort of the range. Default: no range.
 */
export function rangedState(family: IPFamily, targetPort: number, lastPort?: number): ProxyState {
  const cluster = new ClusterSketch(family, { localhostNodePorts: false });
  let number = 0;
  for (const variant of VARIANTS) {
    for (const protocol of ['TCP', 'UDP'] as const) {
      for (const ranges of [undefined, [sketchAddresses.allowed(family), `${sketchAddresses.pods(family)}`]]) {
        number += 1;
        cluster.set({
          ...{ ...EXAMPLE_SERVICE, ...variant, name: `ns/svc${number}`, number, protocol, ranges, targetPort },
          kind: number % 3 === 0 ? 'ExternalIP' : 'LoadBalancer',
          annotations: lastPort === undefined ? {} : { [PORT_RANGE_ANNOTATION]: `80-${lastPort}` },
        });
      }
    }
  }
  return cluster.next().state;
}
