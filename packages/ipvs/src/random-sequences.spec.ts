import { describe, expect, test } from '@jest/globals';
import { Random, RandomCluster, runCount } from '@kube-proxier/core/testing';
import { contents, fakeHost, freshContents, HOST_ADDRESSES } from './testing/contents.js';
import { both, Subject } from './testing/subject.js';

const CHANGES = 300;
/** Temporary addresses of the host; some are also addresses of Services. */
const MORE_ADDRESSES = [
  '192.168.5.5',
  '198.51.100.0',
  '198.51.100.1',
  '192.0.2.1',
  'fd00:5::5',
  'fd00:e::1',
  'fe80::5',
];

describe(`${CHANGES} random changes, both families`, () => {
  test.each(Array.from({ length: runCount(3, 20) }, (_, index) => index + 1))(
    'seed %i: every sync results in what a fresh start would install',
    async (seed) => {
      const random = new Random(seed);
      const cluster = new RandomCluster(random);
      const hosts = { IPv4: fakeHost('IPv4'), IPv6: fakeHost('IPv6') };
      const subjects = (['IPv4', 'IPv6'] as const).map((family) => new Subject(family, hosts[family]));
      const handler = both(subjects);
      for (let done = 0; done < CHANGES; ) {
        const together = 1 + random.below(9);
        for (let change = 0; change < together; change += 1) {
          cluster.step(handler);
        }
        done += together;
        if (random.chance(0.2)) {
          const addresses = [...HOST_ADDRESSES, ...MORE_ADDRESSES].filter(() => random.chance(0.5));
          for (const subject of subjects) {
            subject.moveTo(addresses);
          }
        }
        for (const subject of subjects) {
          if (random.chance(0.1)) {
            subject.forget();
          }
          const { listings } = hosts[subject.family].ipvs;
          if (random.chance(0.1)) {
            // An answer is lost: the outcome is unknown until the read-back.
            hosts[subject.family].ipvs.loseNext();
          }
          for (let failed = true; failed; ) {
            failed = await subject.sync().then(
              () => false,
              () => true,
            );
            if (failed) {
              subject.forget();
            }
          }
          expect(hosts[subject.family].ipvs.listings).toBeLessThanOrEqual(listings + 3);
          expect(await contents(subject.dataplane)).toEqual(
            await freshContents(subject.family, subject.resolve(cluster)),
          );
        }
      }
    },
  );
});
