import { expect, test } from '@jest/globals';
import { hasErrorKind } from '@kube-proxier/core';
import { type Iptables, IptablesError } from '@kube-proxier/linux';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { cleanUp, findLeftovers, type RuleAccess } from './cleanup.js';

const RULES = '*nat\n:KUBE-PORTALS-HOST - [0:0]\n-A OUTPUT -j KUBE-PORTALS-HOST\nCOMMIT\n';

class DeniedIptables extends FakeIptables {
  override async restore(): Promise<void> {
    throw new IptablesError('IPTABLES_PERMISSION_DENIED', 'no CAP_NET_ADMIN');
  }
}

class MissingIptables extends FakeIptables {
  override async save(): Promise<string> {
    throw new IptablesError('IPTABLES_MISSING', 'not installed');
  }
}

/** Access to one variant. The IPv4 tables hold the rules. */
async function accessTo(ipv4: FakeIptables, ipv6: Iptables): Promise<RuleAccess> {
  await FakeIptables.prototype.restore.call(ipv4, RULES);
  return { variants: ['nft'], iptables: (family) => (family === 'IPv4' ? ipv4 : ipv6) };
}

test('rules are listed, removed once, and reported; without the tools there are none', async () => {
  const access = await accessTo(new FakeIptables(), new MissingIptables());
  const found = await findLeftovers(access, 'backend');
  expect(found.flatMap(({ names }) => names)).toContain('KUBE-PORTALS-HOST');
  expect(await findLeftovers(access, 'kube-proxy')).toEqual([]);
  expect(await cleanUp(access, [])).toEqual({ removed: found });
  expect(await findLeftovers(access, 'backend')).toEqual([]);
});

test('all removals are attempted, and leftovers are named with the reason', async () => {
  const closed: string[] = [];
  const resources = [
    {
      name: 'sockets',
      close: async () => {
        throw new Error('they are stuck');
      },
    },
    {
      name: 'the thread',
      close: async () => {
        closed.push('the thread');
      },
    },
  ];
  const ipv6 = new FakeIptables();
  await ipv6.restore(RULES);
  const before = await ipv6.save();
  const error: unknown = await cleanUp(await accessTo(new DeniedIptables(), ipv6), resources).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({
    code: 'USERSPACE_LEFTOVERS',
    kind: 'leftovers',
    leftovers: [
      'sockets (they are stuck)',
      expect.stringMatching(/^the IPv\d chains of mode userspace \(no CAP_NET_ADMIN\)$/),
    ],
  });
  expect(hasErrorKind(error, 'permission-denied')).toBe(true);
  expect(closed).toEqual(['the thread']);
  expect(await ipv6.save()).not.toBe(before);
});
