import { describe, expect, test } from '@jest/globals';
import { FakeIpSets } from '../ipset/fake-ip-sets.js';
import { FakeLinks } from '../link/fake-links.js';
import { FakeIpvs } from './fake-ipvs.js';
import { IPVS_CONTRACT } from './ipvs-contract.js';

describe('the fakes of IPVS, interfaces and sets keep the semantics of the kernel', () => {
  const subject = { ipvs: new FakeIpvs(new Set(['rr', 'wlc', 'mh'])), links: new FakeLinks(), sets: new FakeIpSets() };

  test.each(IPVS_CONTRACT.map((each) => [each.name, each] as const))('%s', async (_name, { run, expected }) => {
    expect(await run(subject)).toEqual(expected);
  });
});
