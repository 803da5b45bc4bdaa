import type { IPFamily } from '@kube-proxier/core';
import { IpvsStage, type NetfilterPath, netfilterPathOf } from '@kube-proxier/linux';
import { fakePathHost } from '@kube-proxier/linux/testing';
import { isForeignRule, readVirtualAddresses, readVirtualServers } from '../packet-path.js';
import { INTERFACE } from '../plan/layout.js';
import type { FakeHost } from './contents.js';

export interface FakePathOptions {
  /** Addresses of the node. Default: those of other interfaces than the backend's. */
  readonly addresses?: readonly string[];
  readonly routes?: Readonly<Record<string, string>>;
  /** Settings that have other values than a healthy node's. */
  readonly sysctls?: Readonly<Record<string, number>>;
  /** Changes the output of iptables-save. */
  readonly text?: (saved: string) => string;
}

/** The packet path through a host in memory. */
export async function fakePath(
  family: IPFamily,
  host: FakeHost,
  { addresses, routes, sysctls = {}, text = (saved) => saved }: FakePathOptions = {},
): Promise<NetfilterPath> {
  const virtualAddresses = await readVirtualAddresses(host.links);
  const others = (await host.links.addresses()).filter((one) => one.family === family).map(({ address }) => address);
  const names = await host.sets.names();
  const sets = (await Promise.all(names.map((name) => host.sets.find(name)))).flatMap((set) => set ?? []);
  const servers = await readVirtualServers(host.ipvs, family);
  return netfilterPathOf(
    { saved: new Map([['legacy', text(await host.tools.save())]]), tables: [], unread: [] },
    {
      ...fakePathHost({
        family,
        addresses: addresses ?? others.filter((address) => !virtualAddresses.has(address)),
        sets,
        sysctls: { 'net/ipv4/vs/conntrack': Number(await host.sysctl.read('net/ipv4/vs/conntrack')), ...sysctls },
        ...(routes === undefined ? {} : { routes }),
      }),
      virtualAddresses,
    },
    { isForeign: isForeignRule, stage: (pathHost) => new IpvsStage(family, servers, pathHost, INTERFACE) },
  );
}
