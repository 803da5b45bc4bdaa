import { describe, expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, ReconcilingProxier, systemClock } from '@kube-proxier/core';
import { everything, Random, RandomCluster, RecordingLogger, runCount, until } from '@kube-proxier/core/testing';
import { createNetlinkNft, createNft } from '@kube-proxier/linux';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { nftFamily, TABLE } from './plan/layout.js';

const ROUNDS = runCount(15, 2000);
/** `npm run test:nft-versions -- --soak MINUTES`: for this long, with a foreign commit every second. */
const SOAK = Number(process.env.KUBE_PROXIER_SOAK_MINUTES ?? 0) * 60_000;
/** Maximum milliseconds for the repair of a foreign change. */
const REPAIR = 1000;
const PERIOD = 1000;
/** Each version of nft that commits; `npm run test:nft-versions` installs more. */
const PROGRAMS = ['nft', ...(process.env.KUBE_PROXIER_NFT_PROGRAMS ?? '').split(':').filter((path) => path !== '')];

const LENGTH = SOAK === 0 ? `${ROUNDS} rounds` : `soak of ${SOAK / 1000} s`;

(canMakeNamespaces() ? describe : describe.skip)(`changes while others commit, ${LENGTH}`, () => {
  test.each(['IPv4', 'IPv6'] as const)(
    '%s: the kernel is exact at the end, and others are left alone',
    async (family) => {
      await withNamespace(async ({ runner, path }) => {
        const random = new Random(family === 'IPv4' ? 1 : 2);
        const cluster = new RandomCluster(random);
        const logger = new RecordingLogger();
        const nft = createNetlinkNft({ namespace: path, watchInterval: 20 });
        const dataplane = new NftablesDataplane({ family, nft, logger });
        const proxier = new ReconcilingProxier({
          mode: 'nftables',
          dataplane,
          context: {
            ...{ family, logger, clock: systemClock, observer: {}, localAddresses: async () => [] },
            options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', minSyncPeriod: 0 },
          },
        });
        const reader = createNft({ runner });
        const judge = new NftablesDataplane({ family, nft: reader });
        const isExact = async () => {
          const { desired, applied } = proxier.status;
          return applied === desired && judge.plan(desired, everything(desired), await judge.readBack()) === undefined;
        };
        const stop = new AbortController();
        cluster.list(proxier);
        const loop = proxier.syncLoop(stop.signal);
        await until(isExact);
        const table = `${nftFamily(family)} ${TABLE}`;
        const commit = (text: string) =>
          runner.run({ command: random.pick(PROGRAMS), args: ['-f', '-'], stdin: `${text}\n` });
        const address = (number: number) => (family === 'IPv4' ? `203.0.113.${number}` : `2001:db8:f::${number}`);
        await commit(`add table ip other; add set ip other ports { type inet_service; }`);
        let touched = 0;
        let rounds = 0;
        const begin = performance.now();
        const isOver = () => (SOAK === 0 ? rounds === ROUNDS : performance.now() - begin > SOAK);
        for (; !isOver(); rounds++) {
          const next = performance.now() + PERIOD;
          cluster.step(proxier);
          // The first one changes the table, for any random numbers: the others may have no effect.
          if (rounds === 0) {
            await commit(`insert rule ${table} dispatch meta mark 0x9 return`);
            touched++;
          } else if (random.chance(0.5)) {
            await commit(`add element ip other ports { ${rounds + 1} }`);
          } else {
            await commit(
              random.pick([
                `add element ${table} cluster-ips { ${address(1 + (rounds % 200))} }`,
                `flush chain ${table} nat-postrouting`,
                `insert rule ${table} dispatch meta mark 0x9 return`,
                `flush set ${table} hairpin`,
              ]),
            );
            touched++;
          }
          if (SOAK > 0) {
            await until(isExact, 'the repair of a foreign change', REPAIR);
            for (; performance.now() < next; await new Promise((resolve) => setTimeout(resolve, PERIOD / 20))) {
              cluster.step(proxier);
            }
          } else if (random.chance(0.3)) {
            await until(isExact);
          }
        }
        await until(isExact);
        const { stdout } = await runner.run({ command: 'nft', args: ['-j', 'list', 'table', 'ip', 'other'] });
        const others = stdout.match(/"elem": \[([^\]]*)\]/)?.[1]?.split(',').length ?? 0;
        expect([others, touched]).toEqual([rounds - touched, expect.any(Number)]);
        const drifts = logger.warnings.filter((line) => line.startsWith('Drift detected'));
        expect(drifts.length).toBeGreaterThan(0);
        expect(drifts.length).toBeLessThanOrEqual(touched);
        // Separately installed versions are run by their own loader.
        expect(drifts.filter((line) => !/by (nft|ld-linux\S*) \(process \d+\)/.test(line))).toEqual([]);
        expect(logger.errors).toEqual([]);
        stop.abort();
        await loop;
        reader.close();
      });
    },
    SOAK + 120_000,
  );
});
