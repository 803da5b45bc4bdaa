import { expect, test } from '@jest/globals';
import { probeIpvs } from './probe-ipvs.js';

test('reports that a kernel has IPVS', async () => {
  expect(await probeIpvs()).toMatchObject({ usable: true });
});
