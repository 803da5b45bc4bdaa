import { describe, expect, test } from '@jest/globals';
import type { FoundLeftovers } from '@kube-proxier/server';
import { checkLeftovers, modeInForce } from './check-leftovers.js';
import type { HostFacts } from './host-facts.js';

const NOTHING: FoundLeftovers = { found: [], unlisted: [], failures: [] };
const QUIET: Pick<HostFacts, 'instance' | 'kubeProxy'> = { instance: undefined, kubeProxy: { status: 'not-found' } };
const RUNNING = {
  known: true,
  pid: 9,
  version: '1.2.3',
  mode: 'nftables',
  nodeName: 'n1',
  since: '2026-01-01T00:00:00.000Z',
} as const;

/** Chains of kube-proxy in mode iptables, and the tables of kube-proxier's mode nftables. */
const TWO: FoundLeftovers = {
  ...NOTHING,
  found: [
    {
      mode: 'iptables',
      owner: 'kube-proxy',
      objects: [
        { kind: 'chain', location: 'nat table, IPv4, nft', names: ['KUBE-SERVICES', 'KUBE-NODEPORTS'] },
        { kind: 'rule', location: 'nat table, IPv4, nft', names: ['-A PREROUTING -j KUBE-SERVICES'] },
        { kind: 'chain', location: 'filter table, IPv4, nft', names: ['KUBE-FORWARD'] },
      ],
    },
    { mode: 'nftables', owner: 'backend', objects: [{ kind: 'table', names: ['ip kube-proxier'] }] },
  ],
};

describe('checkLeftovers', () => {
  test('leftovers of another mode or of kube-proxy are a warning with counts', () => {
    expect(checkLeftovers(TWO, QUIET)).toEqual({
      check: 'leftovers',
      status: 'warning',
      found: 'of kube-proxy in mode iptables (3 chains, 1 rule), of mode nftables (1 table)',
      advice: 'they affect the path of packets: if nothing uses them, run kube-proxier cleanup --kube-proxy',
    });
  });

  test('rules of the running kube-proxier are not leftovers, for every checked mode', () => {
    expect(modeInForce(RUNNING, 'ipvs')).toBe('nftables');
    expect(modeInForce(undefined, 'ipvs')).toBe('ipvs');
    expect(modeInForce({ known: false, reason: 'it does not answer' }, 'ipvs')).toBe('ipvs');
  });

  test.each([
    ['a kube-proxier', { instance: RUNNING }],
    ['an unknown proxy', { instance: { known: false, reason: 'it does not answer' } as const }],
    ['a kube-proxy', { kubeProxy: { status: 'found', pid: 9, how: 'process 9' } as const }],
  ])('no cleanup is advised while %s runs', (_who, facts) => {
    const row = checkLeftovers(TWO, { ...QUIET, ...facts });
    expect([row.status, row.advice]).toEqual(['warning', expect.not.stringMatching(/kube-proxier cleanup/)]);
  });

  test('leftovers that could not be listed are unknown, never ok', () => {
    const failures = [{ mode: 'ipvs', error: new Error('needs root') }];
    expect(checkLeftovers({ ...NOTHING, failures }, QUIET)).toMatchObject({
      status: 'unknown',
      found: 'not everything could be listed: ipvs: needs root',
    });
    expect(checkLeftovers({ ...NOTHING, unlisted: ['acme'] }, QUIET).status).toBe('unknown');
    expect(checkLeftovers(NOTHING, QUIET).status).toBe('ok');
  });
});
