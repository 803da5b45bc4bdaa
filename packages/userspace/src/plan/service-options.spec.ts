import { expect, test } from '@jest/globals';
import { readServiceOptions } from './service-options.js';

test('invalid annotations are reported and ignored', () => {
  const { options, problems } = readServiceOptions({
    'kube-proxier.io/proxy-protocol': 'v3',
    'kube-proxier.io/load-balancing': 'least-connections',
    'kube-proxier.io/max-connections': '-1',
  });
  expect(options).toEqual({
    proxyProtocol: undefined,
    loadBalancing: 'least-connections',
    maxConnections: undefined,
  });
  expect(problems).toHaveLength(2);
});
