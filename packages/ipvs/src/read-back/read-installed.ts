import { cidrContains, EventLoopPace, finishWithPauses, type IPFamily } from '@kube-proxier/core';
import {
  type IpSet,
  type Iptables,
  type LinkAddress,
  parseSavedTableInSlices,
  type SavedTable,
  type VirtualServerAddress,
} from '@kube-proxier/linux';
import type { IpvsHost } from '../ipvs-host.js';
import { RULE_TABLES, type RuleTable } from '../plan/fixed-chains.js';
import type { InstalledIpvs, InstalledVirtualServer } from '../plan/installed-ipvs.js';
import { INTERFACE, kubeProxySets, type MarkLayout, SET_ROLES, setName } from '../plan/layout.js';

/** Options of the read-back. */
export interface ReadTarget {
  readonly family: IPFamily;
  readonly host: Pick<IpvsHost, 'ipvs' | 'links' | 'sets'>;
  readonly iptables: Iptables;
  readonly marks: MarkLayout;
  /** Networks whose virtual servers are foreign. */
  readonly excludeCIDRs: readonly string[];
  /** Index of the interface with the virtual addresses; undefined when it does not exist. */
  readonly link: number | undefined;
  /** Whether a set is ignored. */
  readonly ignoresSet: (name: string) => boolean;
}

/** Everything of {@link InstalledIpvs} that is read from the kernel's tables. */
export type InstalledObjects = Pick<InstalledIpvs, 'virtualServers' | 'sets' | 'hasInterface' | 'addresses' | 'tables'>;

/** Reads the objects of one family. */
export async function readInstalled(target: ReadTarget): Promise<InstalledObjects> {
  const { family, host, iptables, link } = target;
  const all = (await host.links.addresses()).filter((address) => address.family === family);
  const isVirtual = (address: LinkAddress) => address.link === link;
  const addresses = all.filter(isVirtual).map(({ address }) => address);
  const local = all.filter((address) => !isVirtual(address)).map(({ address }) => address);
  const sets = await readSets(target);
  const virtualServers = await readVirtualServers(target, new Set(addresses), new Set(local), sets);
  const saved = await iptables.save();
  const tables = new Map<RuleTable, SavedTable>();
  const pace = new EventLoopPace();
  for (const table of RULE_TABLES) {
    // Another mode may have hundreds of thousands of rules there.
    tables.set(table, await finishWithPauses(parseSavedTableInSlices(saved, table), pace));
  }
  return {
    virtualServers,
    sets,
    hasInterface: link !== undefined,
    addresses: addresses.filter((address) => !isLinkLocal(address)),
    tables: Object.fromEntries(tables) as Record<RuleTable, SavedTable>,
  };
}

/** Usable addresses of the host that are not virtual ones. */
export async function readLocalAddresses({ links }: Pick<IpvsHost, 'links'>): Promise<readonly string[]> {
  const own = await links.find(INTERFACE);
  return (await links.addresses())
    .filter(({ link, usable }) => link !== own?.index && usable)
    .map(({ address }) => address);
}

/** The kernel gives an IPv6 address of this kind to every interface that is up. */
function isLinkLocal(address: string): boolean {
  return /^fe[89ab][0-9a-f]:/.test(address);
}

async function readSets({ family, host, ignoresSet }: ReadTarget): Promise<ReadonlyMap<string, IpSet>> {
  const existing = new Set(await host.sets.names());
  const sets = new Map<string, IpSet>();
  for (const name of [...SET_ROLES.map((role) => setName(role, family)), ...kubeProxySets(family)]) {
    const found = existing.has(name) && !ignoresSet(name) ? await host.sets.find(name) : undefined;
    if (found !== undefined) {
      sets.set(name, found);
    }
  }
  return sets;
}

/**
 * Virtual servers of this backend: those on its interface, those in its set of frontends, and those with one of its
 * marks. If kube-proxy ran before, all on addresses of this host count as kube-proxy's, as kube-proxy itself assumes.
 */
async function readVirtualServers(
  { family, host, marks, excludeCIDRs }: ReadTarget,
  virtual: ReadonlySet<string>,
  local: ReadonlySet<string>,
  sets: ReadonlyMap<string, IpSet>,
): Promise<readonly InstalledVirtualServer[]> {
  const named = new Set(
    (sets.get(setName('FRONTENDS', family))?.entries ?? []).map(
      ({ address, port, protocol }) => `${protocol} ${address} ${port}`,
    ),
  );
  const afterKubeProxy = kubeProxySets(family).some((name) => sets.has(name));
  const isOurs = (at: VirtualServerAddress): boolean => {
    if (at.family !== family) {
      return false;
    }
    if (at.kind === 'mark') {
      return marks.isOurs(at.mark);
    }
    const { address, port, protocol } = at;
    // A Service may have an address of an excluded network: what it has there is in the set of frontends.
    return (
      named.has(`${protocol} ${address} ${port}`) ||
      (!excludeCIDRs.some((cidr) => cidrContains(cidr, address)) &&
        (virtual.has(address) || (afterKubeProxy && local.has(address))))
    );
  };
  const found: InstalledVirtualServer[] = [];
  for (const virtualServer of await host.ipvs.virtualServers()) {
    if (isOurs(virtualServer.at)) {
      found.push({ virtual: virtualServer, reals: await host.ipvs.realServers(virtualServer.at) });
    }
  }
  return found;
}
