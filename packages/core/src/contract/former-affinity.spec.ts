import { expect, test } from '@jest/globals';
import { ClusterSketch, EXAMPLE_SERVICE } from '../testing/index.js';
import { combinedAffinity, type FormerAffinity, keptClientsOf } from './former-affinity.js';

function portWith(affinity: boolean) {
  const cluster = new ClusterSketch('IPv4');
  cluster.set({ ...EXAMPLE_SERVICE, affinity });
  const [port] = cluster.next().state.servicePorts.values();
  if (port === undefined) {
    throw new Error('no service port');
  }
  return port;
}

/** Clients by the position of their endpoint. */
const former = (...clients: readonly (readonly [address: string, seconds: number])[][]): FormerAffinity => ({
  clientsOf: (port, endpoint) => {
    const index = port.cluster.findIndex(({ key }) => key === endpoint.key);
    return (clients[index] ?? []).map(([address, seconds]) => ({ address, seconds }));
  },
});

test('a client of two endpoints keeps the one that it used last', () => {
  const port = portWith(true);
  const [first, second] = port.cluster;
  const kept = keptClientsOf(
    port,
    former(
      [
        ['203.0.113.1', 10],
        ['203.0.113.2', 30],
      ],
      [['203.0.113.1', 20]],
    ),
  );
  expect(kept).toEqual([
    { address: '203.0.113.1', seconds: 20, endpoint: second?.key },
    { address: '203.0.113.2', seconds: 30, endpoint: first?.key },
  ]);
});

test('no longer than the timeout of the Service', () => {
  const port = portWith(true);
  const [kept] = keptClientsOf(port, former([['203.0.113.1', 1_000_000]]));
  expect(kept?.seconds).toBe(port.affinitySeconds);
});

test('a Service without session affinity has no clients', () => {
  expect(keptClientsOf(portWith(false), former([['203.0.113.1', 10]]))).toEqual([]);
});

test('clients of several modes are combined', () => {
  const port = portWith(true);
  const both = combinedAffinity([former([['203.0.113.1', 10]]), former([['203.0.113.2', 10]])]);
  expect(keptClientsOf(port, both).map(({ address }) => address)).toEqual(['203.0.113.1', '203.0.113.2']);
});
