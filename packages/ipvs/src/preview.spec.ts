import { describe, expect, test } from '@jest/globals';
import { createPreview, diffStates } from '@kube-proxier/core';
import { feedResolver, makeResolver, Random, RandomCluster } from '@kube-proxier/core/testing';
import { recordCalls } from '@kube-proxier/linux/testing';
import { IpvsDataplane } from './dataplane.js';
import { fakeHost, HOST_ADDRESSES } from './testing/contents.js';

describe('preview of mode ipvs', () => {
  test('reads, and never writes: empty, behind and up to date', async () => {
    const cluster = new RandomCluster(new Random(1));
    const resolver = makeResolver({ includesLocalAddresses: true, portRanges: 'same-port' });
    resolver.updateLocalAddresses(HOST_ADDRESSES);
    const proxier = feedResolver(resolver);
    const host = fakeHost('IPv4');
    const calls = new Set<string>();
    const writer = new IpvsDataplane({ family: 'IPv4', host });
    const planner = new IpvsDataplane({
      family: 'IPv4',
      readOnly: true,
      host: {
        ipvs: recordCalls(host.ipvs, 'ipvs', calls),
        links: recordCalls(host.links, 'links', calls),
        sets: recordCalls(host.sets, 'sets', calls),
        sysctl: recordCalls(host.sysctl, 'sysctl', calls),
        iptables: async () => recordCalls(host.tools, 'iptables', calls),
      },
    });
    const preview = createPreview({ dataplane: planner, localAddresses: () => planner.localAddresses() });
    const written = () => [host.ipvs.commands.length, host.sysctl.writes.length, host.tools.documents.length];
    let planned = 0;
    for (let step = 0; step < 50; step++) {
      cluster.step(proxier);
      const { state } = resolver.applyPending();
      const before = written();
      planned += (await preview.changes(state, undefined)).length;
      expect(written()).toEqual(before);
      const transaction = writer.plan(state, diffStates(undefined, state), await writer.readBack());
      if (transaction) {
        await writer.apply(transaction);
      }
      expect(await preview.changes(state, undefined)).toEqual([]);
    }
    await preview.close();
    expect(planned).toBeGreaterThan(50);
    expect([...calls].sort()).toEqual([
      ...['iptables.close', 'iptables.save', 'iptables.version'],
      ...['ipvs.realServers', 'ipvs.timeouts', 'ipvs.virtualServers'],
      ...['links.addresses', 'links.find', 'sets.find', 'sets.names', 'sysctl.read'],
    ]);
  });
});
