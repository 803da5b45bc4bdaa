import { describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { fakePathHost } from './fake-path-host.js';
import { netfilterPathOf } from './read-netfilter-path.js';

/** The verdicts of packets to port 80 of some addresses, where this rule is the last of 2,500 in FORWARD. */
function verdicts(family: IPFamily, rule: string, destinations: readonly string[]): readonly string[] {
  const six = family === 'IPv6';
  const others = Array.from({ length: 2499 }, (_, index) => {
    const address = six ? `fd99::${index.toString(16)}/128` : `10.99.${index >> 8}.${index & 255}/32`;
    return `-A FORWARD -d ${address} -p tcp -m comment --comment "a -d 10.0.0.1/32 --dport 80 b" -j REJECT`;
  });
  const saved = ['*filter', ':FORWARD ACCEPT [0:0]', ...others, `-A FORWARD ${rule}`, 'COMMIT', ''].join('\n');
  const node = six ? 'fd00::2' : '192.0.2.2';
  const path = netfilterPathOf(
    { saved: new Map([['nft', saved]]), tables: [], unread: [] },
    fakePathHost({ family, addresses: [node] }),
  );
  return destinations.map((destination) => {
    const outcomes = path.outcomesOf({
      ...{ source: six ? '2001:db8:1::1' : '203.0.113.1', sourcePort: 40_000, destination, protocol: 'TCP', port: 80 },
      entry: { kind: 'interface', name: undefined },
    });
    return outcomes.map(({ verdict }) => verdict).join();
  });
}

/** As above, for a rule of nftables as `nft -j` lists it. */
function nftVerdicts(matches: readonly object[], destinations: readonly string[]): readonly string[] {
  const match = (protocol: string, field: string, right: unknown, op = '==') => ({
    match: { op, left: { payload: { protocol, field } }, right },
  });
  const rule = (expr: readonly unknown[]) => ['rule', { family: 'ip', table: 'foreign', chain: 'f', expr }] as const;
  const others = Array.from({ length: 2499 }, (_, index) =>
    rule([match('ip', 'daddr', `10.99.${index >> 8}.${index & 255}`), { drop: null }]),
  );
  const own = matches.map((one) => {
    const { protocol, field, right, op } = one as Record<string, string>;
    return match(protocol ?? '', field ?? '', right, op);
  });
  const chain = { name: 'f', hook: 'forward', prio: 0, type: 'filter', policy: 'accept' };
  const objects = [['chain', chain] as const, ...others, rule([...own, { drop: null }])];
  const path = netfilterPathOf(
    { saved: new Map(), tables: [{ family: 'ip', name: 'foreign', objects }], unread: [] },
    fakePathHost({ family: 'IPv4', addresses: ['192.0.2.2'] }),
  );
  return destinations.map((destination) =>
    path
      .outcomesOf({
        ...{ source: '203.0.113.1', sourcePort: 40_000, destination, protocol: 'TCP', port: 80 },
        entry: { kind: 'interface', name: undefined },
      })
      .map(({ verdict }) => verdict)
      .join(),
  );
}

describe('a rule at the end of a long chain of nftables', () => {
  const ip = (field: string, right: unknown, op?: string) => ({ protocol: 'ip', field, right, ...(op ? { op } : {}) });
  test.each<[what: string, matches: readonly object[], expected: readonly string[]]>([
    ['a destination', [ip('daddr', '10.0.0.1')], ['dropped', 'accepted']],
    ['another destination', [ip('daddr', '10.0.0.1', '!=')], ['accepted', 'dropped']],
    ['a network', [ip('daddr', { prefix: { addr: '10.0.0.2', len: 31 } })], ['accepted', 'dropped']],
    ['a source', [ip('saddr', '203.0.113.1')], ['dropped', 'dropped']],
    ['another source', [ip('saddr', '203.0.113.2')], ['accepted', 'accepted']],
    ['a source and a destination', [ip('saddr', '203.0.113.1'), ip('daddr', '10.0.0.2')], ['accepted', 'dropped']],
    ['a port', [{ protocol: 'tcp', field: 'dport', right: 80 }], ['dropped', 'dropped']],
    ['another port', [{ protocol: 'tcp', field: 'dport', right: 81 }], ['accepted', 'accepted']],
    ['a set of addresses', [ip('daddr', { set: ['10.0.0.1', '10.0.0.7'] })], ['dropped', 'accepted']],
  ])('%s', (_what, matches, expected) => {
    expect(nftVerdicts(matches, ['10.0.0.1', '10.0.0.2'])).toEqual(expected);
  });
});

describe('a rule at the end of a long chain of iptables', () => {
  test.each<[family: IPFamily, rule: string, expected: readonly string[]]>([
    ['IPv4', '-d 10.0.0.1/32 -j DROP', ['dropped', 'accepted']],
    ['IPv4', '-d 10.0.0.0/24 -j DROP', ['dropped', 'dropped']],
    ['IPv4', '! -d 10.0.0.1/32 -j DROP', ['accepted', 'dropped']],
    ['IPv4', '-s 203.0.113.0/24 -d 10.0.0.2/32 -j DROP', ['accepted', 'dropped']],
    ['IPv4', '! -s 203.0.113.0/24 -d 10.0.0.2/32 -j DROP', ['accepted', 'accepted']],
    ['IPv4', '-p tcp -m tcp --dport 80 -j DROP', ['dropped', 'dropped']],
    ['IPv4', '-p tcp -m tcp ! --dport 80 -j DROP', ['accepted', 'accepted']],
    ['IPv4', '-p tcp -m tcp ! --dport 81 -j DROP', ['dropped', 'dropped']],
    ['IPv4', '-p tcp -m comment --comment "x --dport 81 y" -j DROP', ['dropped', 'dropped']],
    ['IPv4', '-p tcp -m comment --comment "x \\" --dport 81 y" -m tcp --dport 80 -j DROP', ['dropped', 'dropped']],
    ['IPv4', '-d 10.0.0.1/32 -p tcp -m tcp --dport 81 -j DROP', ['accepted', 'accepted']],
    ['IPv4', '-d 10.0.0.1/32 -p tcp -m multiport --dports 79,80 -j DROP', ['dropped', 'accepted']],
    ['IPv4', '-s 203.0.113.1/32 -j DROP', ['dropped', 'dropped']],
    ['IPv4', '-s 203.0.113.2/32 -j DROP', ['accepted', 'accepted']],
    ['IPv4', '-s 203.0.112.0/20 -d 10.0.0.2/31 -j DROP', ['accepted', 'dropped']],
    ['IPv4', '! -s 203.0.113.2/32 -j DROP', ['dropped', 'dropped']],
    ['IPv4', '! -s 203.0.113.0/24 ! -d 10.0.0.2/32 -j DROP', ['accepted', 'accepted']],
    ['IPv4', '-s 203.0.113.0/24 ! -d 10.0.0.2/32 -j DROP', ['dropped', 'accepted']],
    ['IPv4', '! -s 203.0.114.0/24 -d 10.0.0.2/31 -j DROP', ['accepted', 'dropped']],
    ['IPv4', '-s 0.0.0.1/0.0.0.255 -j DROP', ['dropped', 'dropped']],
    ['IPv6', '-s 2001:db8:1::/48 -j DROP', ['dropped', 'dropped']],
    ['IPv6', '-s 2001:db8:2::/48 -j DROP', ['accepted', 'accepted']],
    // A network of IPv6, not an address.
    ['IPv6', '-d 2001:db8::/32 -j DROP', ['dropped', 'dropped']],
    ['IPv6', '-d 2001:db8::5/128 -j DROP', ['dropped', 'accepted']],
  ])('%s %s', (family, rule, expected) => {
    const destinations = family === 'IPv6' ? ['2001:db8::5', '2001:db8::6'] : ['10.0.0.1', '10.0.0.2'];
    expect(verdicts(family, rule, destinations)).toEqual(expected);
  });
});
