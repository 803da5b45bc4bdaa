import { expect, test } from '@jest/globals';
import { intersectNetworks } from './intersect-networks.js';

test('networks in common', () => {
  expect(intersectNetworks('10.0.0.0/8', '10.1.0.0/16')).toBe('10.1.0.0/16');
  expect(intersectNetworks('10.1.0.0/16', '10.0.0.0/8')).toBe('10.1.0.0/16');
  expect(intersectNetworks('10.0.0.0/16', '10.1.0.0/16')).toBeUndefined();
  expect(intersectNetworks('fd00::/8', 'fd00:1::/64')).toBe('fd00:1::/64');
});
