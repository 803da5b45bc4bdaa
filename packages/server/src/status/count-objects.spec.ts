import { expect, test } from '@jest/globals';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { countObjects, sumOfEndpoints } from './count-objects.js';

test('a Service counts once: with several ports, in two IP families, and beside one of the same name', () => {
  const ports = [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ];
  const services = [
    makeService('work/web', { clusterIP: '10.96.0.10', ports }),
    makeService('home/web', { clusterIP: '10.96.0.11', ports }),
  ];
  const state = resolveObjects({ services });
  const more = resolveObjects({ services: [...services, makeService('work/mail')] });
  expect(countObjects([state]).services).toBe(2);
  expect(countObjects([state, more]).services).toBe(3);
  expect(countObjects([]).services).toBe(0);
});

test('an endpoint counts once for each service port that sends traffic to it', () => {
  const state = resolveObjects({
    services: [makeService('a', { clusterIP: '10.96.0.10' }), makeService('b', { clusterIP: '10.96.0.11' })],
    slices: [makeSlice('a', ['10.244.0.1', '10.244.0.2']), makeSlice('b', ['10.244.0.1'])],
  });
  expect(sumOfEndpoints(countObjects([state]))).toBe(3);
});

test.each([
  ['of both traffic policies', {}],
  ['that only local traffic is sent to', { ready: false, serving: true, terminating: true }],
])('an endpoint %s counts once', (_, conditions) => {
  const service = makeService('a', {
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
    ports: [{ port: 80, nodePort: 30_080 }],
  });
  const state = resolveObjects({
    services: [service],
    slices: [makeSlice('a', [{ address: '10.244.0.1' }, { address: '10.244.0.2', node: 'node1', ...conditions }])],
  });
  expect(sumOfEndpoints(countObjects([state]))).toBe(2);
});
