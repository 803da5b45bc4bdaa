import { expect, test } from '@jest/globals';
import type { NodeState } from '@kube-proxier/core';
import { VirtualClock } from '@kube-proxier/core/testing';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { IptablesRedirector } from './iptables-redirector.js';
import type { RedirectState } from './redirector.js';

const NODE: NodeState = {
  name: 'node1',
  zone: undefined,
  addresses: [],
  detector: { kind: 'none' },
  nodePortAddresses: { kind: 'all', loopback: true },
  serviceCIDRs: [],
};
const STATE: RedirectState = { node: NODE, listeners: new Map(), clusterIPs: new Set() };

test.each([
  ['the jumps that were just written', false],
  ['those that were found to be right', true],
])('flushes one after another are all noticed, before anybody has looked at %s', async (_whose, checked) => {
  const clock = new VirtualClock();
  const iptables = new FakeIptables();
  const redirector = new IptablesRedirector('IPv4', async () => iptables);
  const abort = new AbortController();
  const drift: string[] = [];
  if (checked) {
    await redirector.apply(STATE, 'all');
  }
  const watching = redirector.watch({
    clock,
    signal: abort.signal,
    onDrift: (what) => drift.push(what),
    onFailure: (reason) => {
      throw new Error(reason);
    },
  });
  for (const flushes of [1, 2, 3]) {
    if (!(await redirector.inForce())) {
      await redirector.apply(STATE, 'all');
    }
    await iptables.restore('*nat\n-F PREROUTING\nCOMMIT\n');
    await clock.advance(500);
    expect(drift).toHaveLength(flushes);
  }
  abort.abort();
  await watching;
});
