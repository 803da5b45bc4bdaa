import { expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from '../dataplane.js';
import { ClusterSketch, everything } from '../testing/clusters.js';
import { fakeSettings } from '../testing/fake-settings.js';

test.each([
  ['the jumps that were just written', false],
  ['those that a process before this one has left', true],
])('each of several flushes is detected, also before the first check of %s', async (_whose, adopts) => {
  const clock = new VirtualClock();
  const iptables = new FakeIptables();
  const dataplane = () =>
    new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables, sysctl: fakeSettings(), clock });
  const { state } = new ClusterSketch('IPv4').next();
  const putRight = async (one: IptablesDataplane) => {
    const transaction = one.plan(state, everything(state), await one.readBack());
    if (transaction !== undefined) {
      await one.apply(transaction);
    }
  };
  if (adopts) {
    await putRight(dataplane());
  }
  const subject = dataplane();
  const abort = new AbortController();
  const drift: string[] = [];
  const watching = subject.watch((what) => drift.push(what), abort.signal);
  for (const flushes of [1, 2, 3]) {
    await putRight(subject);
    await iptables.restore('*nat\n-F PREROUTING\nCOMMIT\n');
    await clock.advance(500);
    expect(drift).toHaveLength(flushes);
  }
  abort.abort();
  await watching;
});
