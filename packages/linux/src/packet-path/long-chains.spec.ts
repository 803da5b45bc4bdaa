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
    // A network of IPv6, not an address.
    ['IPv6', '-d 2001:db8::/32 -j DROP', ['dropped', 'dropped']],
    ['IPv6', '-d 2001:db8::5/128 -j DROP', ['dropped', 'accepted']],
  ])('%s %s', (family, rule, expected) => {
    const destinations = family === 'IPv6' ? ['2001:db8::5', '2001:db8::6'] : ['10.0.0.1', '10.0.0.2'];
    expect(verdicts(family, rule, destinations)).toEqual(expected);
  });
});
