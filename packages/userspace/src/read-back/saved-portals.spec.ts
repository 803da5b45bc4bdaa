import { expect, test } from '@jest/globals';
import type { NodeState } from '@kube-proxier/core';
import { renderDocument } from '@kube-proxier/linux';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { wholeDocument } from '../plan/portal-document.js';
import { allGroups } from '../plan/portal-groups.js';
import { compareSavedPortals, readSavedPortals } from './saved-portals.js';

const NODE: NodeState = {
  name: 'node1',
  zone: undefined,
  addresses: [],
  detector: { kind: 'none' },
  nodePortAddresses: { kind: 'all', loopback: true },
  serviceCIDRs: [],
};
const STATE = { node: NODE, listeners: new Map(), clusterIPs: new Set(['10.96.0.1']) };
const MARK = 0x4000;

test.each([
  ['nothing has changed', '', { chainsMatch: true, jumpsExist: true }],
  ['a chain was flushed', '*filter\n-F KUBE-PORTALS-REFUSE\nCOMMIT\n', { chainsMatch: false, jumpsExist: true }],
  ['a jump was removed', '*nat\n-F PREROUTING\nCOMMIT\n', { chainsMatch: true, jumpsExist: false }],
  [
    'a foreign rule precedes the exemption of own connections',
    '*nat\n-I KUBE-PORTALS-HOST 1 -j ACCEPT\nCOMMIT\n',
    { chainsMatch: false, jumpsExist: true },
  ],
])('rules are compared with those that were written: %s', async (_title, change, expected) => {
  const iptables = new FakeIptables();
  const written = allGroups('IPv4', STATE, MARK);
  await iptables.restore(renderDocument(wholeDocument(written, await readSavedPortals(iptables))));
  if (change !== '') {
    await iptables.restore(change);
  }
  expect(compareSavedPortals(await readSavedPortals(iptables), written)).toEqual(expected);
});
