import { assertNever, familyOf, type IPFamily } from '@kube-proxier/core';
import type {
  IpSetCommand,
  IpSetEntry,
  IptablesDocument,
  IpvsCommand,
  VirtualServerAddress,
} from '@kube-proxier/linux';
import type { ItemChange } from './item-table.js';
import { setName } from './layout.js';
import { realItemKey, virtualItemKey } from './service-items.js';

/** A draining real server, which is deleted with its last connection. */
export interface DrainingServer {
  readonly at: VirtualServerAddress;
  readonly address: string;
  readonly port: number;
  /** False: it is deleted at once, and its traffic is sent to other servers. */
  readonly drains: boolean;
}

/** Removes virtual servers that may have connections, with their addresses and set entries. */
export interface Retirement {
  readonly servers: readonly VirtualServerAddress[];
  /** Set to weight 0. */
  readonly reals: readonly DrainingServer[];
  /** Unused addresses of the interface, removed with their entries in the set of addresses. */
  readonly addresses: readonly string[];
  /** Entries that identify own virtual servers on an address of the host. */
  readonly entries: readonly IpSetEntry[];
}

/** A part of a transaction. Parts are executed in order. */
export type IpvsStep =
  | { readonly to: 'sets'; readonly commands: readonly IpSetCommand[] }
  | { readonly to: 'rules'; readonly document: IptablesDocument }
  /** Makes the interface. */
  | { readonly to: 'interface' }
  | { readonly to: 'settings' }
  | { readonly to: 'ipvs'; readonly commands: readonly IpvsCommand[] }
  /** Removed addresses are removed from the set of addresses, too. */
  | { readonly to: 'addresses'; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly to: 'draining'; readonly servers: readonly DrainingServer[] }
  | ({ readonly to: 'retirement' } & Retirement);

/** What is written for one sync. */
export interface IpvsTransaction {
  readonly family: IPFamily;
  /** Ordered so that every packet finds all objects that it needs. */
  readonly steps: readonly IpvsStep[];
  /** Unsupported requests of Services, for the log. */
  readonly problems: readonly string[];
}

/** Sets to which entries are added before IPVS knows of a frontend, and those for which it has to come first. */
const AFTER_IPVS = new Set(['SHORTCUT']);
/** Of the others: those that drop packets come after those that accept them. */
const SHUTS_OUT = new Set(['GUARDED', 'DROP', 'ADDRESSES']);

/**
 * Orders changes: entries that direct packets to a virtual server are added after it and removed before it; accept
 * entries precede restrictions; new endpoints are added before old ones are removed; objects that may have connections
 * are removed last.
 *
 * @param others addresses that other interfaces of the host have.
 */
export function stepsOf(
  changes: readonly ItemChange[],
  family: IPFamily,
  others: ReadonlySet<string>,
): readonly IpvsStep[] {
  const early: IpSetCommand[] = [];
  const shut: IpSetCommand[] = [];
  const late: IpSetCommand[] = [];
  const last: IpSetCommand[] = [];
  const virtuals: IpvsCommand[] = [];
  const reals: IpvsCommand[] = [];
  const gone: IpvsCommand[] = [];
  const draining: DrainingServer[] = [];
  const add: string[] = [];
  const remove: string[] = [];
  const entries: IpSetEntry[] = [];
  const leaving: DrainingServer[] = [];
  const deleted = new Set<string>();
  const retired = new Set<string>();
  for (const { before, after } of changes) {
    if (before?.kind === 'virtual' && after === undefined) {
      deleted.add(before.key);
    }
  }
  for (const { before, after } of changes) {
    if (before?.kind === 'real' && after === undefined && before.drains && deleted.has(virtualItemKey(before.at))) {
      retired.add(virtualItemKey(before.at));
    }
  }
  const servers: VirtualServerAddress[] = [];
  for (const { before, after } of changes) {
    const item = after ?? before;
    switch (item?.kind) {
      case 'virtual':
        if (after === undefined && retired.has(item.key)) {
          servers.push(item.virtual.at);
        } else if (after === undefined) {
          gone.push({ do: 'delete-virtual', at: item.virtual.at });
        } else {
          virtuals.push({ do: before === undefined ? 'add-virtual' : 'set-virtual', virtual: item.virtual });
        }
        break;
      case 'real':
        if (after !== undefined) {
          reals.push({ do: before === undefined ? 'add-real' : 'set-real', at: item.at, real: item.real });
        } else {
          const { at, real, drains } = item;
          const list = deleted.has(virtualItemKey(at)) ? leaving : draining;
          list.push({ at, address: real.address, port: real.port, drains });
        }
        break;
      case 'entry': {
        const set = setName(item.role, family);
        if (after !== undefined) {
          const list = AFTER_IPVS.has(item.role) ? late : SHUTS_OUT.has(item.role) ? shut : early;
          list.push({ do: 'add-entry', set, entry: item.entry });
        } else if (item.role === 'FRONTENDS' && retired.has(frontendItemKey(item.entry) ?? '')) {
          entries.push(item.entry);
        } else {
          last.push({ do: 'delete-entry', set, entry: item.entry });
        }
        break;
      }
      case 'address':
        (after === undefined ? remove : add).push(item.address);
        break;
      // The planner writes rules.
      case 'range':
      case 'range-hairpin':
      case undefined:
        break;
      default:
        assertNever(item);
    }
  }
  const weightless = leaving.filter(({ at }) => retired.has(virtualItemKey(at)));
  // The set entry of a virtual address is removed with the address, which may be kept for connections: its other ports
  // must not reach the host, unless the address is also the host's.
  const removed = new Set(remove.filter((address) => !others.has(address)));
  const unneeded = last.filter(
    (command) =>
      !('entry' in command && command.set === setName('ADDRESSES', family) && removed.has(command.entry.address)),
  );
  const steps: IpvsStep[] = [
    { to: 'sets', commands: [...early, ...shut] },
    { to: 'ipvs', commands: [...virtuals, ...reals] },
    { to: 'sets', commands: late },
    // Without its address, packets of a connection do not reach the virtual server.
    { to: 'addresses', add, remove: servers.length > 0 ? [] : remove },
    { to: 'draining', servers: draining },
    { to: 'ipvs', commands: gone },
    { to: 'sets', commands: unneeded },
    { to: 'retirement', servers, reals: weightless, addresses: remove, entries },
  ];
  return steps.filter((step) => !isEmptyStep(step));
}

function isEmptyStep(step: IpvsStep): boolean {
  switch (step.to) {
    case 'sets':
    case 'ipvs':
      return step.commands.length === 0;
    case 'addresses':
      return step.add.length + step.remove.length === 0;
    case 'draining':
    case 'retirement':
      return step.servers.length === 0;
    case 'settings':
    case 'interface':
    case 'rules':
      return false;
    default:
      return assertNever(step);
  }
}

/** The key of the virtual server that an entry of the frontends names. */
export function frontendItemKey({ address, port, protocol }: IpSetEntry): string | undefined {
  const family = familyOf(address);
  return family === undefined || port === undefined || protocol === undefined
    ? undefined
    : virtualItemKey({ kind: 'address', family, protocol, address, port });
}

export function drainingKey({ at, address, port }: Pick<DrainingServer, 'at' | 'address' | 'port'>): string {
  return realItemKey(at, { address, port });
}
