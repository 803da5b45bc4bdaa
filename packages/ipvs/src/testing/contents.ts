import { diffStates, type IPFamily, type ProxyState } from '@kube-proxier/core';
import { ipSetEntryKey, virtualServerKey } from '@kube-proxier/linux';
import { FakeIpSets, FakeIptables, FakeIpvs, FakeLinks, FakeSysctl } from '@kube-proxier/linux/testing';
import { IpvsDataplane, type IpvsSettings } from '../dataplane.js';
import type { IpvsHost } from '../ipvs-host.js';
import { RULE_TABLES } from '../plan/fixed-chains.js';
import { OWN_CHAINS } from '../plan/rule-documents.js';

/** Addresses that a fake host has. */
export const HOST_ADDRESSES: readonly string[] = ['127.0.0.1', '192.168.0.2', '::1', 'fd00:192:168::2'];

/** A host in memory. */
export interface FakeHost extends IpvsHost {
  readonly sysctl: FakeSysctl;
  readonly ipvs: FakeIpvs;
  readonly links: FakeLinks;
  readonly sets: FakeIpSets;
  readonly tools: FakeIptables;
}

/** @param addresses that it has beside those of its virtual interface. */
export function fakeHost(family: IPFamily, addresses = HOST_ADDRESSES): FakeHost {
  const tools = new FakeIptables({ family, variant: 'legacy' });
  const sysctl = new FakeSysctl({
    'net/ipv4/vs/conntrack': 0,
    'net/ipv4/vs/expire_nodest_conn': 0,
    'net/ipv4/vs/expire_quiescent_template': 0,
    'net/ipv4/ip_forward': 1,
    'net/ipv4/conf/all/arp_ignore': 0,
    'net/ipv4/conf/all/arp_announce': 0,
  });
  return {
    ipvs: new FakeIpvs(),
    links: new FakeLinks(addresses),
    sets: new FakeIpSets(),
    iptables: async () => tools,
    tools,
    sysctl,
  };
}

/** The state installed by a fresh start on an empty host. */
export async function freshContents(
  family: IPFamily,
  state: ProxyState,
  settings: IpvsSettings = {},
): Promise<unknown> {
  const host = fakeHost(family);
  const dataplane = new IpvsDataplane({ ...settings, family, host });
  await install(dataplane, state);
  return await contents(dataplane);
}

/** Brings a state into force as a first sync does. */
export async function install(dataplane: IpvsDataplane, state: ProxyState): Promise<void> {
  const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  if (transaction !== undefined) {
    await dataplane.apply(transaction);
  }
}

/** The read-back of a dataplane in canonical order, without draining destinations. */
export async function contents(dataplane: IpvsDataplane): Promise<unknown> {
  const { virtualServers, sets, addresses, tables, hasInterface, settled } = await dataplane.readBack();
  return {
    hasInterface,
    settled,
    addresses: [...addresses].sort(),
    virtualServers: virtualServers
      .map(({ virtual, reals }) => ({
        ...virtual,
        key: virtualServerKey(virtual.at),
        reals: reals
          .filter(({ weight }) => weight > 0)
          .map(({ address, port, weight }) => `${address} ${port} ${weight}`)
          .sort(),
      }))
      .sort((left, right) => (left.key < right.key ? -1 : 1)),
    sets: [...sets]
      .map(([name, { entries }]) => [name, ...entries.map((entry) => `${ipSetEntryKey(entry)} ${entry.mark}`).sort()])
      .sort(([left = ''], [right = '']) => (left < right ? -1 : 1)),
    chains: RULE_TABLES.map((table) => OWN_CHAINS.map((chain) => tables[table].get(chain)?.rules)),
  };
}
