import type { IPFamily } from '@kube-proxier/core';
import type { IpvsHost } from '../ipvs-host.js';
import { setName } from '../plan/layout.js';
import type { Attachments, Draining } from './draining.js';
import { type Refusal, refusedAddresses, refusedSets } from './refusal.js';
import type { VirtualInterface } from './virtual-interface.js';

/** Where addresses are written. */
export interface AddressTarget {
  readonly family: IPFamily;
  readonly host: Pick<IpvsHost, 'links' | 'sets'>;
  readonly virtualInterface: VirtualInterface;
  readonly draining: Pick<Draining, 'keepAddresses' | 'removable'>;
}

/**
 * Adds addresses to the interface, and removes those that no draining virtual server needs, with their entries in the set
 * of addresses.
 */
export async function setAddresses(
  { family, host, virtualInterface, draining }: AddressTarget,
  add: readonly string[],
  unneeded: readonly string[],
): Promise<readonly Refusal[]> {
  const link = virtualInterface.index ?? (await virtualInterface.create());
  draining.keepAddresses(add);
  const remove = draining.removable(unneeded);
  const commands = [
    ...add.map((address) => ({ do: 'add-address', link, address }) as const),
    ...remove.map((address) => ({ do: 'delete-address', link, address }) as const),
  ];
  const results = (await host.links.execute(commands)).map((result, index) =>
    result?.errnoName === (index < add.length ? 'EEXIST' : 'EADDRNOTAVAIL') ? undefined : result,
  );
  const set = setName('ADDRESSES', family);
  const entries = remove.map((address) => ({ do: 'delete-entry', set, entry: { address } }) as const);
  return [...refusedAddresses(commands, results), ...refusedSets(entries, await host.sets.execute(entries))];
}

/** Removes addresses and set entries that direct packets to virtual servers. */
export async function detach(target: AddressTarget, { addresses, entries }: Attachments): Promise<readonly Refusal[]> {
  const set = setName('FRONTENDS', target.family);
  const commands = entries.map((entry) => ({ do: 'delete-entry', set, entry }) as const);
  return [
    ...(addresses.length === 0 ? [] : await setAddresses(target, [], addresses)),
    ...(commands.length === 0 ? [] : refusedSets(commands, await target.host.sets.execute(commands))),
  ];
}
