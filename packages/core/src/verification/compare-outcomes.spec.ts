import { expect, test } from '@jest/globals';
import { decidePacket } from '../simulator/simulate-packet.js';
import { makeService, makeSlice, resolveObjects } from '../testing/index.js';
import { compareOutcomes } from './compare-outcomes.js';
import { isNetworkPolicyRule } from './network-policy-rule.js';
import type { PathOutcome, PathRule } from './packet-path.js';

const STATE = resolveObjects({
  services: [makeService('work/web', { clusterIP: '10.96.0.1' })],
  slices: [makeSlice('work/web', [{ address: '10.244.0.1', ready: true }])],
});
const ENDPOINT = [...STATE.servicePorts.values()][0]?.cluster[0]?.key ?? '';
const PACKET = { source: '203.0.113.7', destination: '10.96.0.1', port: 80, protocol: 'TCP' } as const;

const CHAIN = { system: 'iptables', table: 'filter', chain: 'FORWARD', foreign: true };
const POLICY: PathRule = { ...CHAIN, text: 'policy DROP' };
const LIMIT: PathRule = { ...CHAIN, text: '-m limit --limit 1/min -j DROP' };
const OWN_LIMIT: PathRule = { ...LIMIT, foreign: false };
const NETWORK_POLICY: PathRule = { ...CHAIN, chain: 'cali-tw-cali1234', text: '-m mark --mark 0x0/0x20000 -j DROP' };
const ACCEPTED: PathOutcome = {
  ...{ probability: 1, verdict: 'accepted', destination: ENDPOINT, masqueraded: false },
  ...{ decidedBy: undefined, unknown: [] },
};
const dropped = (decidedBy: PathRule, ...unknown: PathRule[]): PathOutcome => ({
  ...{ ...ACCEPTED, verdict: 'dropped' },
  ...{ decidedBy, unknown },
});

test.each<[what: string, outcomes: readonly PathOutcome[], kind: string | undefined]>([
  ['reach the endpoint', [ACCEPTED], undefined],
  ['are dropped by the policy of another program', [dropped(POLICY)], 'dropped'],
  [
    'are dropped by that policy, whether a rule with an unknown effect drops them before or not',
    [dropped(LIMIT, LIMIT), dropped(POLICY, LIMIT)],
    'dropped',
  ],
  [
    'reach the endpoint unless a rule with an unknown effect drops them',
    [dropped(LIMIT, LIMIT), { ...ACCEPTED, unknown: [LIMIT] }],
    'unknown',
  ],
  ['a network policy stops', [dropped(NETWORK_POLICY)], 'network-policy'],
  [
    'a network policy stops, unless a rule with an unknown effect accepts them before',
    [{ ...ACCEPTED, unknown: [LIMIT] }, dropped(NETWORK_POLICY, LIMIT)],
    'network-policy',
  ],
  [
    'a network policy stops on the way to an address that is no endpoint',
    [{ ...dropped(NETWORK_POLICY), destination: '10.244.9.9:80' }],
    'dropped',
  ],
  [
    'a rule of this proxy stops in a chain with such a name',
    [dropped({ ...NETWORK_POLICY, foreign: false })],
    'dropped',
  ],
  [
    'are dropped, unless a rule of this proxy with an unknown effect does something else',
    [dropped(POLICY, OWN_LIMIT)],
    'unknown',
  ],
])('packets that %s', (_what, outcomes, kind) => {
  const difference = compareOutcomes(decidePacket(STATE, PACKET, {}), outcomes);
  expect(difference?.kind).toBe(kind);
  if (kind === 'dropped' && outcomes.at(-1)?.decidedBy === POLICY) {
    expect(difference).toMatchObject({
      decidedBy: POLICY,
      because: 'decided by "policy DROP" in chain FORWARD of table filter (iptables), a rule of another program',
    });
  }
});

test.each([
  ['cali-tw-cali0f5b5f8a0b2', true],
  ['filter-cali-pi-default.allow-dns', true],
  ['cali-thfw-eth0', true],
  ['KUBE-POD-FW-3LKWB5VQJ7O4X2Q6', true],
  ['KUBE-NWPLCY-DEFAULT', true],
  ['AZURE-NPM-INGRESS', true],
  // An unknown interface, and a spoofed source: no policies.
  ['cali-from-wl-dispatch', false],
  ['cali-PREROUTING', false],
  ['KUBE-FIREWALL', false],
  ['FORWARD', false],
])('a rule of another program in chain %s enforces a network policy: %s', (chain, expected) => {
  expect(isNetworkPolicyRule({ chain, foreign: true })).toBe(expected);
});
