import {
  ENDPOINT_WEIGHTS_ANNOTATION,
  type IPFamily,
  PORT_RANGE_ANNOTATION,
  WHEN_ENDPOINT_GOES_ANNOTATION,
} from '@kube-proxier/core';
import { type ServiceSketch, sketchAddresses } from '@kube-proxier/core/testing';
import fc from 'fast-check';
import { ANNOTATIONS } from '../plan/service-options.js';

/** Any Service of a small cluster. */
export function anySketch(family: IPFamily, numbers = 30): fc.Arbitrary<ServiceSketch> {
  return fc
    .record({
      number: fc.integer({ min: 1, max: numbers }),
      protocol: fc.constantFrom('TCP', 'UDP', 'SCTP'),
      kind: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalIP'),
      internalLocal: fc.boolean(),
      externalLocal: fc.boolean(),
      affinity: fc.boolean(),
      affinitySeconds: fc.constantFrom(60, 10_800),
      ranges: fc.option(
        fc.constantFrom(
          [sketchAddresses.allowed(family)],
          [
            sketchAddresses.allowed(family),
            sketchAddresses.pods(family),
            `${sketchAddresses.client(family)}/${family === 'IPv4' ? 32 : 128}`,
          ],
        ),
        { nil: undefined },
      ),
      annotations: fc.constantFrom(
        {},
        { [ANNOTATIONS.loadBalancing]: 'maglev' },
        {
          [ENDPOINT_WEIGHTS_ANNOTATION]: 'node/node1=3,node/node2=2,10.244.0.3=0,fd00:10::3=0',
          [ANNOTATIONS.countConnections]: 'true',
        },
        { [ANNOTATIONS.countConnections]: 'true' },
        { [WHEN_ENDPOINT_GOES_ANNOTATION]: 'reset' },
        { [WHEN_ENDPOINT_GOES_ANNOTATION]: 'reset', [ANNOTATIONS.countConnections]: 'true' },
        { [PORT_RANGE_ANNOTATION]: '80-99', [ANNOTATIONS.countConnections]: 'true' },
        { [PORT_RANGE_ANNOTATION]: '80-89', [ANNOTATIONS.countTraffic]: 'true' },
        { [ANNOTATIONS.countTraffic]: 'true' },
        { [PORT_RANGE_ANNOTATION]: '80-82', [ENDPOINT_WEIGHTS_ANNOTATION]: 'node/node1=3' },
      ),
      targetPort: fc.constantFrom(80, 8080),
      endpoints: fc.uniqueArray(
        fc.record({ number: fc.integer({ min: 1, max: 12 }), node: fc.constantFrom('node1', 'node2', undefined) }),
        { maxLength: 4, selector: ({ number }) => number },
      ),
    })
    .map((parts): ServiceSketch => ({ ...parts, name: `ns/svc${parts.number}` }));
}

/** The changes of a cluster between two syncs. */
export interface Step {
  readonly set: readonly ServiceSketch[];
  readonly remove: readonly string[];
  readonly serviceCIDRs: boolean;
}

export function anySteps(family: IPFamily, most: number): fc.Arbitrary<readonly Step[]> {
  const name = fc.integer({ min: 1, max: 30 }).map((number) => `ns/svc${number}`);
  return fc.array(
    fc.record({
      set: fc.array(anySketch(family), { maxLength: 20 }),
      remove: fc.array(name, { maxLength: 8 }),
      serviceCIDRs: fc.boolean(),
    }),
    { minLength: 1, maxLength: most },
  );
}
