import { expect, test } from '@jest/globals';
import { IptablesError, type PacketCounters } from '@kube-proxier/linux';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { fakeSettings } from '../testing/fake-settings.js';
import { readInstalled } from './read-installed.js';

const COUNTERS: PacketCounters = { ensure: async () => true, read: async () => undefined, close: () => {} };

/** Which counters rules can use on a kernel without the match nfacct, where the filter table has this rule. */
async function usableCounters(rule: string): Promise<readonly string[]> {
  class WithoutMatch extends FakeIptables {
    override async ruleExists(): Promise<boolean> {
      throw new IptablesError('IPTABLES_FAILED', "injected: Couldn't load match `nfacct'");
    }
  }
  const iptables = new WithoutMatch();
  await iptables.restore(`*filter\n:KUBE-FORWARD - [0:0]\n${rule}\nCOMMIT\n`);
  const { facts } = await readInstalled({ iptables, sysctl: fakeSettings(), counters: COUNTERS });
  return [...facts.counters];
}

test('a rule with a counter shows that the kernel has the match, without a program that tries it', async () => {
  const rule =
    '-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts -j DROP';
  expect(await usableCounters(rule)).toContain('ct_state_invalid_dropped_pkts');
});

test.each([
  ['in a comment', '-A KUBE-FORWARD -m comment --comment "-m nfacct --nfacct-name x" -j ACCEPT'],
  ['in a chain of another program', '-A FORWARD -m nfacct --nfacct-name x -j ACCEPT'],
])('text like that of a counter does not, %s: the match is tried', async (_, rule) => {
  expect(await usableCounters(rule)).toEqual([]);
});
