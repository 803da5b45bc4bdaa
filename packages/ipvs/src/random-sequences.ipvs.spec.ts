import { describe, expect, test } from '@jest/globals';
import { Random, RandomCluster } from '@kube-proxier/core/testing';
import { createIptables, IpSetsNetlink, IpvsNetlink, LinksNetlink, NetlinkSocket } from '@kube-proxier/linux';
import { withNamespace } from '@kube-proxier/linux/testing';
import { contents, fakeHost, freshContents, HOST_ADDRESSES } from './testing/contents.js';
import { both, Subject } from './testing/subject.js';

const CHANGES = 40;

describe(`${CHANGES} random changes, both families, on the kernel`, () => {
  test.each([1])(
    'seed %i: after every sync the kernel holds what a fresh start would install',
    async (seed) => {
      await withNamespace(async ({ name, runner }) => {
        const inside = { namespace: `/run/netns/${name}` };
        await runner.run({ command: 'ip', args: ['link', 'set', 'lo', 'up'] });
        for (const address of HOST_ADDRESSES.filter((text) => text !== '127.0.0.1' && text !== '::1')) {
          await runner.run({ command: 'ip', args: ['address', 'add', address, 'dev', 'lo'] });
        }
        const random = new Random(seed);
        const cluster = new RandomCluster(random);
        const subjects = (['IPv4', 'IPv6'] as const).map((family) => {
          const iptables = createIptables({ family, variant: 'legacy', runner });
          return new Subject(family, {
            ipvs: new IpvsNetlink(new NetlinkSocket('generic', inside)),
            links: new LinksNetlink(new NetlinkSocket('route', inside)),
            sets: new IpSetsNetlink(new NetlinkSocket('netfilter', inside)),
            iptables: async () => iptables,
            // The packet tests use the real ones; here most of the time would go into starting programs.
            sysctl: fakeHost(family).sysctl,
          });
        });
        const handler = both(subjects);
        for (let done = 0; done < CHANGES; ) {
          const together = 4 + random.below(9);
          for (let change = 0; change < together; change += 1) {
            cluster.step(handler);
          }
          done += together;
          for (const subject of subjects) {
            await subject.sync();
            expect(await contents(subject.dataplane)).toEqual(
              await freshContents(subject.family, subject.resolve(cluster)),
            );
          }
        }
        for (const subject of subjects) {
          await subject.dataplane.cleanup();
        }
        expect((await runner.run({ command: 'ipvsadm', args: ['-Sn'] })).stdout).toBe('');
        expect((await runner.run({ command: 'ipset', args: ['list', '-n'] })).stdout).toBe('');
        expect((await runner.run({ command: 'ip', args: ['-br', 'link'] })).stdout).not.toContain('kube-ipvs0');
        for (const tool of ['iptables-save', 'ip6tables-save']) {
          expect((await runner.run({ command: tool, args: [] })).stdout).not.toContain('KUBE');
        }
      });
    },
    300_000,
  );
});
