import type { IPFamily } from '@kube-proxier/core';
import type { IpSet } from '../ipset/ip-sets.js';
import { networkOf } from './ip-bits.js';
import type { PathHostFacts } from './path-host.js';
import { parsePolicyRules } from './policy-routing.js';

export interface FakePathHostOptions {
  readonly family: IPFamily;
  /** Addresses of the node, without loopback. */
  readonly addresses: readonly string[];
  /** Interfaces by network (`10.244.0.0/24`): the longest network decides. Default: `eth0` for all. */
  readonly routes?: Readonly<Record<string, string>>;
  /** Settings in addition to those of a forwarding node; undefined for one that cannot be read. */
  readonly sysctls?: Readonly<Record<string, number | undefined>>;
  readonly bridges?: readonly string[];
  readonly sets?: readonly IpSet[];
  /** Output of `ip rule show`. Default: none. */
  readonly policyRules?: string;
}

/** Facts about a forwarding node, for paths built from rules without a kernel. */
export function fakePathHost(options: FakePathHostOptions): PathHostFacts {
  const { family, addresses, sysctls = {}, bridges = [], sets = [], policyRules = '' } = options;
  const { routes = { [family === 'IPv4' ? '0.0.0.0/0' : '::/0']: 'eth0' } } = options;
  const values = { 'net/ipv4/ip_forward': 1, 'net/ipv6/conf/all/forwarding': 1, ...sysctls };
  return {
    family,
    localAddresses: new Set([...addresses, family === 'IPv4' ? '127.0.0.1' : '::1']),
    addressesOf: new Map(['lo', ...new Set(Object.values(routes))].map((name) => [name, []])),
    routes: Object.entries(routes)
      .map(([network, interfaceName]) => ({
        network: networkOf(network) ?? { value: 0n, mask: 0n },
        length: Number(network.split('/')[1]),
        metric: 0,
        interfaceName,
      }))
      .sort((a, b) => b.length - a.length),
    policyRules: parsePolicyRules(policyRules),
    sysctls: new Map(
      Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ),
    bridges: new Set(bridges),
    sets: new Map(sets.map((set) => [set.name, set])),
  };
}
