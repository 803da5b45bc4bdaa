import { type Iptables, type NetlinkRefused, type SavedTable, targetOf } from '@kube-proxier/linux';
import type { IpvsHost } from './ipvs-dataplane.js';
import { IpvsPartlyApplied } from './ipvs-error.js';
import { type InstalledIpvs, OWN_CHAINS, removalLines } from './ipvs-planner.js';
import { INTERFACE } from './layout.js';
import { SKELETON_TABLES, type SkeletonTable } from './skeleton.js';

/** Removes all that was read back; the interface with the last address on it. */
export async function cleanUp(
  { ipvs, links, sets }: IpvsHost,
  iptables: Iptables,
  installed: InstalledIpvs,
): Promise<void> {
  const refused: (NetlinkRefused | undefined)[] = [];
  const link = await links.find(INTERFACE);
  if (link !== undefined) {
    refused.push(
      ...(await links.execute(
        installed.addresses.map((address) => ({ do: 'delete-address', link: link.index, address })),
      )),
    );
  }
  refused.push(
    ...(await ipvs.execute(installed.virtualServers.map(({ virtual: { at } }) => ({ do: 'delete-virtual', at })))),
  );
  const document = SKELETON_TABLES.flatMap((table) => cleanTable(table, installed.tables[table]));
  if (document.length > 0) {
    await iptables.restore(`${document.join('\n')}\n`);
  }
  refused.push(...(await sets.execute([...installed.sets.keys()].map((name) => ({ do: 'destroy-set', name })))));
  if (link?.kind === 'dummy') {
    const left = (await links.addresses()).filter((address) => address.link === link.index);
    // IPv6 gives every interface that is up an address of its own.
    if (left.every(({ address }) => /^fe[89ab]/.test(address))) {
      await links.remove(INTERFACE).catch((error: NetlinkRefused) => refused.push(error));
    }
  }
  const failed = refused.flatMap((error) => (error === undefined || isGone(error) ? [] : [error]));
  if (failed.length > 0) {
    throw new IpvsPartlyApplied(failed, { cause: failed[0] });
  }
}

function isGone({ errnoName }: NetlinkRefused): boolean {
  return ['ENOENT', 'ESRCH', 'ENODEV', 'EADDRNOTAVAIL'].includes(errnoName);
}

function cleanTable(table: SkeletonTable, saved: SavedTable): readonly string[] {
  const own = OWN_CHAINS.filter((chain) => saved.has(chain));
  const isOwn = new Set(own);
  const jumps = [...saved].flatMap(([chain, { rules }]) =>
    isOwn.has(chain)
      ? []
      : rules.filter((rule) => isOwn.has(targetOf(rule) ?? '')).map((rule) => `-D ${chain} ${rule}`),
  );
  const lines = [
    ...own.map((chain) => `:${chain} - [0:0]`),
    ...jumps,
    ...own.map((chain) => `-X ${chain}`),
    ...(table === 'mangle' ? [] : removalLines(table, saved)),
  ];
  return lines.length === 0 ? [] : [`*${table}`, ...lines, 'COMMIT'];
}
