import { expect, test } from '@jest/globals';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { connectionsCountedBy, countedEndpoints, endpointCounter } from './counted-endpoints.js';
import { NO_SHARED_ADDRESSES } from './endpoint-claims.js';

const label = (length: number) => 'n'.repeat(length);

test.each([
  ['10.0.0.1', '', 'TCP'],
  ['fd00:10::1', 'http', 'UDP'],
  ['::1', 'tcp', 'SCTP'],
  ['2001:db8:1111:2222:3333:4444:5555:6666', label(63), 'SCTP'],
] as const)('names of counters say what is counted, and are short enough: %s %s %s', (address, portName, protocol) => {
  const servicePort = { namespace: label(63), name: label(63), portName, protocol };
  const counted = { servicePort, endpoint: { address, port: 65_535 } };
  const name = endpointCounter(counted);
  // NFT_NAME_MAXLEN, with its end.
  expect(name.length).toBeLessThan(256);
  expect(name).toMatch(/^[a-z][\w/.-]*$/);
  expect(connectionsCountedBy(name)).toEqual(counted);
});

test.each([
  'service/a/b/tcp',
  'endpoint/a/b/tcp',
  'traffic/a/b/tcp/10.0.0.1/80/in',
  'endpoint/a/b/tcp/10.0.0.1',
  'mine',
])('%s counts no connections to an endpoint', (other) => {
  expect(connectionsCountedBy(other)).toBeUndefined();
});

test('endpoints that get no new connections are counted, too', () => {
  const state = resolveObjects({
    services: [makeService('web', { clusterIP: '10.96.0.10', ports: [{ port: 80 }] })],
    slices: [makeSlice('web', ['10.244.0.1', { address: '10.244.0.2', ready: false }])],
  });
  const [port] = state.servicePorts.values();
  expect(port?.cluster.map(({ address }) => address)).toEqual(['10.244.0.1']);
  expect(port && countedEndpoints(port, NO_SHARED_ADDRESSES).map(({ endpoint }) => endpoint.address)).toEqual([
    '10.244.0.1',
    '10.244.0.2',
  ]);
});
