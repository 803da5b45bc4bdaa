import { describe, expect, test } from '@jest/globals';
import { diffStates, type FormerAffinity, type ProxyState } from '@kube-proxier/core';
import { makeService, makeSlice, RecordingLogger, resolveObjects } from '@kube-proxier/core/testing';
import type { RecentAddition } from '@kube-proxier/linux';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { serviceChain } from './plan/layout.js';
import { fakeSettings } from './testing/fake-settings.js';

const NAME = { namespace: 'work', name: 'sticky', portName: '', protocol: 'TCP' } as const;
const FORMER: FormerAffinity = {
  clientsOf: (_port, { address }) =>
    address === '10.244.0.1'
      ? [
          { address: '203.0.113.1', seconds: 50 },
          { address: '203.0.113.2', seconds: 9 },
        ]
      : // The first client used another endpoint before.
        [{ address: '203.0.113.1', seconds: 20 }],
};

function sticky(affinity: 'ClientIP' | 'None' = 'ClientIP'): ProxyState {
  const service = makeService('work/sticky', { sessionAffinity: affinity });
  return resolveObjects({ services: [service], slices: [makeSlice('work/sticky', ['10.244.0.1', '10.244.0.2'])] });
}

function setUp(formerAffinity: () => Promise<FormerAffinity>, add?: () => Promise<number>) {
  const iptables = new FakeIptables();
  const logger = new RecordingLogger();
  const added: (readonly RecentAddition[])[] = [];
  let reads = 0;
  const dataplane = new IptablesDataplane({
    ...{ family: 'IPv4', iptables: async () => iptables, sysctl: fakeSettings(), logger },
    formerAffinity: () => {
      reads += 1;
      return formerAffinity();
    },
    addToRecentLists: async (additions) => {
      added.push(additions);
      return (await add?.()) ?? additions.length;
    },
  });
  const sync = async (state: ProxyState) => {
    const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
    if (transaction) {
      await dataplane.apply(transaction);
    }
  };
  return { dataplane, iptables, logger, added, sync, reads: () => reads };
}

describe('mode iptables that takes over from other rules', () => {
  test('adds their clients to the list of the endpoint that each used last, those that keep it longest last', async () => {
    const { added, iptables, logger, reads, sync } = setUp(async () => FORMER);
    await sync(sticky());
    const list = serviceChain('SEP', NAME, '10.244.0.1:80');
    expect(added).toEqual([
      [
        { list, address: '203.0.113.2' },
        { list, address: '203.0.113.1' },
      ],
    ]);
    // A rule must refer to the list: otherwise the kernel does not have it.
    expect(await iptables.save('nat')).toContain(`--name ${list} `);
    expect(logger.messages()).toContainEqual(expect.stringMatching(/clients of the previous rules keep/));
    await sync(sticky());
    expect([added.length, reads()]).toEqual([1, 1]);
  });

  test('reads nothing where it has rules with session affinity itself', async () => {
    const first = setUp(async () => FORMER);
    await first.sync(sticky());
    const again = setUp(async () => FORMER);
    await again.iptables.restore(await first.iptables.save('nat'));
    await again.sync(sticky());
    expect([again.reads(), again.added]).toEqual([0, []]);
  });

  test('adds nothing without session affinity, and does not read again', async () => {
    const { added, reads, sync } = setUp(async () => FORMER);
    await sync(sticky('None'));
    await sync(sticky('ClientIP'));
    expect([added, reads()]).toEqual([[], 1]);
  });

  test.each(['read', 'add'])('a failure to %s them is logged, and rules are written', async (failing) => {
    const fail = async () => {
      throw new Error('permission denied');
    };
    const { iptables, logger, sync } = failing === 'read' ? setUp(fail) : setUp(async () => FORMER, fail);
    await sync(sticky());
    expect(await iptables.save('nat')).toContain('10.244.0.2:80');
    expect(logger.warnings).toEqual([
      expect.stringContaining('clients of the previous rules get new endpoints: permission denied'),
    ]);
  });
});
