import { expect, test } from '@jest/globals';
import { ClusterSketch, EXAMPLE_SERVICE, sketchAddresses } from '../testing/index.js';
import { packetClasses } from './packet-classes.js';

const family = 'IPv4';
const host = { localAddresses: new Set([sketchAddresses.node(family)]), interfaces: ['eth0'] };

test('an unused address of a service network is one that no Service has, neither as a cluster IP nor as another address', () => {
  const unused = (serviceCIDR: string, externalIP?: string) => {
    const sketch = new ClusterSketch(family, { localhostNodePorts: false });
    sketch.set({ ...EXAMPLE_SERVICE, endpoints: [{ number: 20, node: 'node2' }] });
    const { state } = sketch.next();
    const withExternal = {
      ...state,
      node: { ...state.node, serviceCIDRs: [serviceCIDR] },
      servicePorts: new Map(
        [...state.servicePorts].map(([key, port]) => [
          key,
          externalIP === undefined
            ? port
            : {
                ...port,
                frontends: [
                  ...port.frontends,
                  { ...port.frontends[0]!, kind: 'externalIP' as const, address: externalIP },
                ],
              },
        ]),
      ),
    };
    return new Set(
      [...packetClasses(withExternal as typeof state, host)]
        .filter(({ to }) => to === 'unused address of a service network')
        .map(({ packet }) => packet.destination),
    );
  };
  expect(unused('192.0.2.0/29')).toEqual(new Set(['192.0.2.6']));
  expect(unused('192.0.2.0/29', '192.0.2.6')).toEqual(new Set(['192.0.2.5']));
});
