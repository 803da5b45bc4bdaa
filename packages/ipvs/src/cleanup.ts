import { type IPFamily, LeftoversError, type RemovedObjects } from '@kube-proxier/core';
import {
  type Conntrack,
  type Iptables,
  type IptablesDocument,
  type NetlinkRefused,
  removedObjects,
  renderDocument,
  virtualServerKey,
} from '@kube-proxier/linux';
import { type Refusal, refusedAddresses, refusedServers, refusedSets } from './apply/refusal.js';
import type { IpvsHost } from './ipvs-host.js';
import type { InstalledIpvs, InstalledVirtualServer } from './plan/installed-ipvs.js';
import type { IpvsRemoval } from './plan/ipvs-removal.js';
import { INTERFACE } from './plan/layout.js';
import { isKubeProxySet, removeRules } from './plan/rule-documents.js';

/** What a clean-up of one family did. */
export interface IpvsCleanup {
  /** Number of virtual servers kept while they have open connections. */
  readonly staying: number;
  readonly removed: readonly RemovedObjects[];
}

/** What {@link cleanUp} would remove. Changes nothing. */
export function describeRemoval(
  family: IPFamily,
  { tables, hasInterface }: InstalledIpvs,
  removal: IpvsRemoval,
): readonly RemovedObjects[] {
  const of = (kind: string, names: readonly string[]) => ({ kind, location: family, names });
  return [
    of('address', removal.addresses),
    of(
      'virtual server',
      removal.virtualServers.map(({ virtual: { at } }) => virtualServerKey(at)),
    ),
    ...removedRules(removeRules(tables, removal), family),
    of('set', removal.sets),
    of('interface', removal.interface && hasInterface ? [INTERFACE] : []),
  ].filter(({ names }) => names.length > 0);
}

/**
 * Removes the objects of one family; the interface with the last address on it.
 *
 * @param gently virtual servers with open connections are kept with weight 0 and their addresses.
 * @throws LeftoversError (`IPVS_LEFTOVERS`) when the kernel refused to remove objects.
 */
export async function cleanUp(
  host: IpvsHost,
  iptables: Iptables,
  installed: InstalledIpvs,
  removal: IpvsRemoval,
  gently: boolean,
): Promise<IpvsCleanup> {
  const { ipvs, links, sets } = host;
  const removed: RemovedObjects[] = [];
  const location = iptables.family;
  /** Those that were not refused. */
  const note = (kind: string, names: readonly string[], results: readonly (NetlinkRefused | undefined)[]) => {
    const gone = names.filter((_name, index) => results[index] === undefined);
    if (gone.length > 0) {
      removed.push({ kind, location, names: gone });
    }
  };
  const refused: Refusal[] = [];
  const staying = removal.virtualServers.filter((server) => gently && hasConnections(server));
  const going = removal.virtualServers.filter((server) => !staying.includes(server));
  const needed = new Set(staying.map(({ virtual: { at } }) => (at.kind === 'address' ? at.address : undefined)));
  // The addresses of a virtual server with a mark are unknown.
  const unneeded = needed.has(undefined) ? [] : removal.addresses.filter((address) => !needed.has(address));
  const link = await links.find(INTERFACE);
  if (link !== undefined) {
    const commands = unneeded.map((address) => ({ do: 'delete-address', link: link.index, address }) as const);
    const results = await links.execute(commands);
    note('address', unneeded, results);
    refused.push(...refusedAddresses(commands, results));
  }
  const deletions = going.map(({ virtual: { at } }) => ({ do: 'delete-virtual', at }) as const);
  const results = await ipvs.execute(deletions);
  note(
    'virtual server',
    deletions.map(({ at }) => virtualServerKey(at)),
    results,
  );
  const weights = staying.flatMap(({ virtual: { at }, reals }) =>
    reals.map(({ address, port }) => ({ do: 'set-real', at, real: { address, port, weight: 0 } }) as const),
  );
  refused.push(...refusedServers(deletions, results), ...refusedServers(weights, await ipvs.execute(weights)));
  const document = removeRules(installed.tables, removal);
  if (document.size > 0) {
    await iptables.restore(renderDocument(document));
    removed.push(...removedRules(document, location));
  }
  if (staying.length === 0) {
    // Until then they identify our virtual servers.
    const commands = removal.sets.map((name) => ({ do: 'destroy-set', name }) as const);
    const results = await sets.execute(commands);
    note('set', removal.sets, results);
    // A set referenced by foreign rules is harmless.
    refused.push(
      ...refusedSets(
        commands,
        results.map((result, index) => (gently && isHeld(result, removal.sets[index] ?? '') ? undefined : result)),
      ),
    );
  }
  if (removal.interface && staying.length === 0 && link?.kind === 'dummy') {
    const left = (await links.addresses()).filter((address) => address.link === link.index);
    // IPv6 gives every interface that is up an address of its own.
    if (left.every(({ address }) => /^fe[89ab]/.test(address))) {
      await links.remove(INTERFACE).then(
        () => note('interface', [INTERFACE], [undefined]),
        (error: NetlinkRefused) => refused.push({ object: `interface ${INTERFACE}`, error }),
      );
    }
  }
  const leftovers = refused.filter(({ error }) => !isGone(error));
  if (leftovers.length > 0) {
    throw new LeftoversError(
      'IPVS_LEFTOVERS',
      leftovers.map(({ object, error }) => `${object} (${error.message})`),
      { cause: leftovers[0]?.error },
    );
  }
  return { staying: staying.length, removed };
}

function removedRules(document: IptablesDocument, family: IPFamily): readonly RemovedObjects[] {
  return [...document].flatMap(([table, content]) => removedObjects(content, `${table} table, ${family}`));
}

function hasConnections({ virtual: { at }, reals }: InstalledVirtualServer): boolean {
  return (at.kind === 'mark' || at.protocol !== 'UDP') && reals.some(({ activeConnections }) => activeConnections > 0);
}

/**
 * Flows through IPVS have no translation in conntrack, so while tracked, their packets go to the virtual address
 * itself, bypassing the rules of the mode in force. UDP flows may never end.
 */
export async function forgetDatagrams(
  conntrack: Conntrack | undefined,
  servers: readonly InstalledVirtualServer[],
): Promise<void> {
  const gone = new Map<IPFamily, Set<string>>();
  for (const { virtual } of servers) {
    if (virtual.at.kind === 'address' && virtual.at.protocol === 'UDP') {
      const { family, address, port } = virtual.at;
      gone.set(family, (gone.get(family) ?? new Set()).add(`${address} ${port}`));
    }
  }
  if (conntrack === undefined) {
    return;
  }
  for (const [family, frontends] of gone) {
    await conntrack.deleteMatching(family, 'UDP', ({ destination, destinationPort }) =>
      frontends.has(`${destination} ${destinationPort}`) ? true : undefined,
    );
  }
}

function isHeld(result: NetlinkRefused | undefined, set: string): boolean {
  return result?.errnoName === 'IPSET_BUSY' && isKubeProxySet(set);
}

function isGone({ errnoName }: NetlinkRefused): boolean {
  return ['ENOENT', 'ESRCH', 'ENODEV', 'EADDRNOTAVAIL'].includes(errnoName);
}
