import { messageOf, type PacketPathRequest, type PathRule } from '@kube-proxier/core';
import {
  type CommandRunner,
  IpvsStage,
  type KernelFiles,
  type NetfilterPath,
  readNetfilterPath,
  targetOf,
  type VirtualServerListing,
} from '@kube-proxier/linux';
import type { IpvsHost } from './ipvs-host.js';
import { INTERFACE } from './plan/layout.js';
import { OWN_CHAINS } from './plan/rule-documents.js';

/** Whether a rule is not this backend's: it is in a foreign chain and does not jump to an own chain. Pure. */
export function isForeignRule({ system, chain = '', text }: PathRule): boolean {
  if (system === 'ipvs') {
    return false;
  }
  const target = targetOf(text);
  return (
    !system.startsWith('iptables') ||
    (!OWN_CHAINS.includes(chain) && (target === undefined || !OWN_CHAINS.includes(target)))
  );
}

/** Input for reading a path. */
export interface PathSources extends Pick<IpvsHost, 'ipvs' | 'links' | 'sets'> {
  readonly runner: CommandRunner;
  readonly files?: KernelFiles;
}

/** Reads the packet path of one family through this host: rules, sets, virtual servers and their interface. */
export async function readPacketPath(
  { family, ignores, ignoredInterfaces, signal }: Omit<PacketPathRequest, 'options'>,
  { ipvs, links, sets, runner, files }: PathSources,
): Promise<NetfilterPath> {
  const unread: string[] = [];
  const attempt = async <Result>(what: string, read: () => Promise<Result>, otherwise: Result): Promise<Result> => {
    try {
      return await read();
    } catch (error) {
      unread.push(`${what} cannot be read: ${messageOf(error)}`);
      return otherwise;
    }
  };
  const virtualAddresses = await attempt(`addresses of ${INTERFACE}`, () => readVirtualAddresses(links), new Set());
  const servers = await attempt('virtual servers of IPVS', () => readVirtualServers(ipvs, family), []);
  return await readNetfilterPath({
    ...{ family, runner, ipSets: sets, virtualAddresses, unread, isForeign: isForeignRule },
    stage: (host) => new IpvsStage(family, servers, host, INTERFACE),
    ...(files === undefined ? {} : { files }),
    ...(ignores === undefined ? {} : { ignores }),
    ...(ignoredInterfaces === undefined ? {} : { ignoredInterfaces }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** All addresses of the interface of this backend. */
export async function readVirtualAddresses(links: IpvsHost['links']): Promise<ReadonlySet<string>> {
  const own = await links.find(INTERFACE);
  const addresses = own === undefined ? [] : await links.addresses();
  return new Set(addresses.filter(({ link }) => link === own?.index).map(({ address }) => address));
}

/** All virtual servers of one family, whoever created them. */
export async function readVirtualServers(
  ipvs: IpvsHost['ipvs'],
  family: PacketPathRequest['family'],
): Promise<readonly VirtualServerListing[]> {
  const listings: VirtualServerListing[] = [];
  for (const virtual of await ipvs.virtualServers()) {
    if (virtual.at.family === family) {
      listings.push({ virtual, reals: await ipvs.realServers(virtual.at) });
    }
  }
  return listings;
}
