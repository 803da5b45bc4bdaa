import { describe, expect, test } from '@jest/globals';
import type { PathOutcome, PathPacket } from '@kube-proxier/core';
import { fakePathHost } from './fake-path-host.js';
import type { NetfilterPath } from './netfilter-path.js';
import { netfilterPathOf } from './read-netfilter-path.js';

const PACKET: PathPacket = {
  ...{ source: '203.0.113.1', sourcePort: 40_000, destination: '10.0.0.1', protocol: 'TCP', port: 80 },
  entry: { kind: 'interface', name: undefined },
};

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** @param lines of table filter: chains, and rules without `-A FORWARD`. */
function pathWith(rules: readonly string[], chains: readonly string[] = []): NetfilterPath {
  const lines = rules.map((rule) => (rule.startsWith('-A ') ? rule : `-A FORWARD ${rule}`));
  const saved = ['*filter', ':FORWARD ACCEPT [0:0]', ...chains, ...lines, 'COMMIT', ''].join('\n');
  return netfilterPathOf(
    { saved: new Map([['nft', saved]]), tables: [], unread: [] },
    fakePathHost({ family: 'IPv4', addresses: ['192.0.2.2'] }),
  );
}

/** The outcomes, and the number of pauses that were possible. */
function evaluated(path: NetfilterPath): { readonly outcomes: readonly PathOutcome[]; readonly pauses: number } {
  const slices = path.outcomesInSlices(PACKET, false);
  for (let pauses = 0; ; pauses++) {
    const { done, value } = slices.next();
    if (done) {
      return { outcomes: value, pauses };
    }
  }
}

const inShort = (outcomes: readonly PathOutcome[]) =>
  outcomes.map(({ verdict, unknown }) => `${verdict}${unknown.length > 0 ? ` ? ${unknown[0]?.text}` : ''}`);

describe('many rules of another program', () => {
  test('a rule with an unknown match does not matter if its chain does nothing to the packet', () => {
    const path = pathWith(
      [
        ...numbers(40).map((number) => `-m string --string "x${number}" --algo bm -j C${number}`),
        ...numbers(40).map((number) => `-A C${number} -p udp -j DROP`),
      ],
      numbers(40).map((number) => `:C${number} - [0:0]`),
    );
    expect(inShort(evaluated(path).outcomes)).toEqual(['accepted']);
  });

  test('it matters if its chain may drop the packet', () => {
    const rule = '-m string --string "x" --algo bm -j C';
    const path = pathWith([rule, '-A C -p tcp -j DROP'], [':C - [0:0]']);
    expect(inShort(evaluated(path).outcomes)).toEqual([`dropped ? ${rule}`, `accepted ? ${rule}`]);
  });

  test('an unknown match that accepts what the policy accepts does not matter', () => {
    const path = pathWith(numbers(40).map((number) => `-m string --string "x${number}" --algo bm -j ACCEPT`));
    expect(inShort(evaluated(path).outcomes)).toEqual(['accepted']);
  });

  test('random choices keep their probabilities', () => {
    const path = pathWith(
      [
        '-m statistic --mode random --probability 0.5 -j C',
        '-A C -m statistic --mode random --probability 0.5 -j DROP',
      ],
      [':C - [0:0]'],
    );
    const { outcomes } = evaluated(path);
    expect(outcomes.map(({ verdict, probability }) => [verdict, probability])).toEqual([
      ['dropped', 0.25],
      ['accepted', 0.75],
    ]);
  });

  test('of 10,000 rules with unknown matches, a few are named', () => {
    const path = pathWith(numbers(10_000).map((number) => `-m string --string "x${number}" --algo bm -j DROP`));
    const { outcomes } = evaluated(path);
    expect(new Set(inShort(outcomes))).toEqual(
      new Set(['dropped', 'accepted'].map((verdict) => `${verdict} ? -m string --string "x0" --algo bm -j DROP`)),
    );
    expect(Math.max(...outcomes.map(({ unknown }) => unknown.length))).toBe(16);
  });

  test('10,000 rules that may all match are evaluated with pauses', () => {
    const rules = numbers(10_000).map(
      (number) => `-p tcp -m tcp --dport ${20_000 + number}:${20_001 + number} -j DROP`,
    );
    const { outcomes, pauses } = evaluated(pathWith([...rules, '-p tcp -j REJECT']));
    expect(inShort(outcomes)).toEqual(['refused']);
    expect(pauses).toBeGreaterThan(0);
  });

  test.each(['-s 172.16.%a.%b/32', '-s 172.%a.%b.0/28', '-d 172.16.%a.%b/32', '-d 172.%a.%b.0/28'])(
    '10,000 rules for single networks take no longer than one: %s',
    (match) => {
      const rules = numbers(10_000).map((number) => {
        const text = match.replace('%a', String(number >> 8)).replace('%b', String(number & 255));
        return `${text} -j DROP`;
      });
      const { outcomes, pauses } = evaluated(pathWith([...rules, '-s 203.0.112.0/22 -d 10.0.0.0/8 -j REJECT']));
      expect([inShort(outcomes), pauses]).toEqual([['refused'], 0]);
    },
  );

  test('a packet with too many rules has an unknown outcome', () => {
    const path = pathWith(
      [
        ...numbers(200).map((number) => `-p tcp -m mark ! --mark ${number + 1} -j C`),
        ...numbers(1000).map((number) => `-A C -p tcp -m mark --mark ${number + 1} -j DROP`),
      ],
      [':C - [0:0]'],
    );
    const [outcome, ...more] = evaluated(path).outcomes;
    expect(more).toEqual([]);
    expect(outcome?.unknown).toMatchObject([
      {
        ...{ system: 'iptables', table: 'filter', chain: 'C' },
        text: '1000 rules: more rules lead packets here than are evaluated for a packet',
      },
    ]);
  });
});
