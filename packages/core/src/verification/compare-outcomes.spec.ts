import { expect, test } from '@jest/globals';
import { decidePacket } from '../simulator/simulate-packet.js';
import { makeService, makeSlice, resolveObjects } from '../testing/index.js';
import { compareOutcomes } from './compare-outcomes.js';
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
  [
    'are dropped, unless a rule of this proxy with an unknown effect does something else',
    [dropped(POLICY, OWN_LIMIT)],
    'unknown',
  ],
])('packets that %s', (_what, outcomes, kind) => {
  const difference = compareOutcomes(decidePacket(STATE, PACKET, {}), outcomes);
  expect(difference?.kind).toBe(kind);
  if (kind === 'dropped') {
    expect(difference).toMatchObject({
      decidedBy: POLICY,
      because: 'decided by "policy DROP" in chain FORWARD of table filter (iptables), a rule of another program',
    });
  }
});
