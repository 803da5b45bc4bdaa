import { type IPFamily, PORT_RANGE_ANNOTATION } from '@kube-proxier/core';
import { sketchAddresses as addresses, type ServiceSketch } from '@kube-proxier/core/testing';
import fc from 'fast-check';
import { serviceChain } from '../plan/layout.js';

export {
  ClusterSketch,
  everything,
  type ServiceSketch,
  sketchAddresses as addresses,
} from '@kube-proxier/core/testing';

export function anySketch(family: IPFamily, numbers = 60): fc.Arbitrary<ServiceSketch> {
  return fc
    .record({
      number: fc.integer({ min: 1, max: numbers }),
      protocol: fc.constantFrom('TCP', 'UDP', 'SCTP'),
      kind: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalIP'),
      internalLocal: fc.boolean(),
      externalLocal: fc.boolean(),
      affinity: fc.boolean(),
      ranges: fc.option(
        fc.constantFrom([addresses.allowed(family)], [addresses.allowed(family), addresses.pods(family)]),
        { nil: undefined },
      ),
      annotations: fc.constantFrom({}, {}, { [PORT_RANGE_ANNOTATION]: '80-99' }),
      targetPort: fc.constantFrom(80, 8080),
      endpoints: fc.uniqueArray(
        fc.record({ number: fc.integer({ min: 1, max: 12 }), node: fc.constantFrom('node1', 'node2', undefined) }),
        { maxLength: 3, selector: ({ number }) => number },
      ),
    })
    .map((parts): ServiceSketch => ({ ...parts, name: `ns/svc${parts.number}` }));
}

/** A Service with one endpoint on another node, and the number in its name, address and endpoint. */
export function sketch(number: number, over: Partial<ServiceSketch> = {}): ServiceSketch {
  return {
    name: `ns/svc${number}`,
    number,
    protocol: 'TCP',
    kind: 'ClusterIP',
    internalLocal: false,
    externalLocal: false,
    affinity: false,
    ranges: undefined,
    endpoints: [{ number, node: 'node2' }],
    ...over,
  };
}

/** The chain that its endpoints are chosen in. */
export function chainOf(number: number): string {
  return serviceChain('SVC', { namespace: 'ns', name: `svc${number}`, portName: 'p', protocol: 'TCP' });
}
