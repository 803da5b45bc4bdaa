import { describe, expect, test } from '@jest/globals';
import { createPreview, diffStates } from '@kube-proxier/core';
import { feedResolver, makeResolver, Random, RandomCluster } from '@kube-proxier/core/testing';
import { FakeIptables, recordCalls } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { fakeSettings } from './testing/fake-settings.js';

describe('preview of mode iptables', () => {
  test('reads, and never writes: empty, behind and up to date', async () => {
    const cluster = new RandomCluster(new Random(1));
    const resolver = makeResolver();
    const proxier = feedResolver(resolver);
    const iptables = new FakeIptables();
    const sysctl = fakeSettings();
    const calls = new Set<string>();
    const recorded = recordCalls(iptables, 'iptables', calls);
    const writer = new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables, sysctl });
    const planner = new IptablesDataplane({
      family: 'IPv4',
      iptables: async () => recorded,
      sysctl: recordCalls(sysctl, 'sysctl', calls),
    });
    const preview = createPreview({ dataplane: planner, localAddresses: async () => [] });
    let planned = 0;
    for (let step = 0; step < 50; step++) {
      cluster.step(proxier);
      const { state } = resolver.applyPending();
      const before = [await iptables.save(), iptables.documents.length, sysctl.writes.length];
      planned += (await preview.changes(state, undefined)).length;
      expect([await iptables.save(), iptables.documents.length, sysctl.writes.length]).toEqual(before);
      const transaction = writer.plan(state, diffStates(undefined, state), await writer.readBack());
      if (transaction) {
        await writer.apply(transaction);
      }
      expect(await preview.changes(state, undefined)).toEqual([]);
    }
    await preview.close();
    expect(planned).toBeGreaterThan(50);
    expect([...calls].sort()).toEqual(['iptables.close', 'iptables.save', 'iptables.version', 'sysctl.read']);
  });
});
