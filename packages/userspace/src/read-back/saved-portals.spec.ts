import { expect, test } from '@jest/globals';
import type { NodeState } from '@kube-proxier/core';
import { renderDocument } from '@kube-proxier/linux';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { wholeDocument } from '../plan/portal-document.js';
import { allGroups } from '../plan/portal-groups.js';
import { compareSavedPortals, readSavedPortals, readUsedPortals } from './saved-portals.js';

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

/** Rules of a large cluster in mode iptables. */
const MANY = Array.from({ length: 300_000 }, (_, index) => `-A KUBE-SVC-${index} -d 10.0.0.1/32 -j KUBE-SEP-${index}`);

test.each([
  ['no', []],
  ['some', ['KUBE-PORTALS-HOST']],
])('among the rules of a large cluster with %s chains of portals, others have their turn', async (_title, chains) => {
  const iptables = new FakeIptables();
  const declared = chains.map((chain) => `:${chain} - [0:0]`);
  const text = ['*nat', ':KUBE-PORTALS-HOST-2 - [0:0]', ...declared, ...MANY, 'COMMIT', ''].join('\n');
  iptables.save = () => Promise.resolve(text);
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 0);
  const portals = await readUsedPortals(iptables);
  clearInterval(others);
  expect([...portals.nat.keys()].filter((chain) => chains.includes(chain))).toEqual(chains);
  expect(turns).toBeGreaterThan(chains.length === 0 ? 0 : 2);
});
