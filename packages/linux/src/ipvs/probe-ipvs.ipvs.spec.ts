import { expect, test } from '@jest/globals';
import { probeIpvs } from './probe-ipvs.js';

test('a kernel that has IPVS says so', async () => {
  expect(await probeIpvs()).toMatchObject({ usable: true });
});
