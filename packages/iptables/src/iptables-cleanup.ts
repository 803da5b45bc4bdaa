import type { IPFamily, Logger, RemovedObjects } from '@kube-proxier/core';
import {
  type Iptables,
  IptablesRule,
  type IptablesVariant,
  parseSavedTable,
  type SavedTable,
  type Sysctl,
  SysctlError,
  targetOf,
  withoutComment,
} from '@kube-proxier/linux';
import { CANARY, CHAINS, isOnlyOurChain, isOurChain } from './chain-names.js';
import { LOCALNET_GUARD, LOCALNET_GUARD_HOOKS, LOCALNET_GUARD_JUMP, OWN_JUMP, ROUTE_LOCALNET } from './fixed-rules.js';
import { ownersOf, type TableOwners } from './table-owner.js';

/**
 * Whose rules to remove. `kube-proxier`: what this backend has installed, and of a table where kube-proxy has taken over,
 * what it left behind. `kube-proxy`: only tables where kube-proxy's rules are installed. `both`: whoever wrote them.
 */
export type CleanupOwner = 'kube-proxier' | 'kube-proxy' | 'both';

/** What {@link findLeftovers} is asked about. */
export interface IptablesLeftoverOptions {
  readonly owner: CleanupOwner;
  /** The variant that `iptables` is of, for the report. Default: not named. */
  readonly variant?: IptablesVariant;
}

/** What {@link cleanUp} works with. */
export interface IptablesCleanupOptions extends IptablesLeftoverOptions {
  readonly sysctl: Sysctl;
  readonly logger: Logger;
  /**
   * NodePorts on 127.0.0.1 are served, and guarded, by the rules of another variant: what lets packets there stays.
   * Default false.
   */
  readonly servesLocalnet?: boolean;
}

/**
 * Removes chains of one owner, and every jump into one, from one family and variant. What others have in the same tables
 * stays as it is. Tables that are not in use are not brought into use.
 *
 * @returns what was removed.
 */
export async function cleanUp(iptables: Iptables, options: IptablesCleanupOptions): Promise<readonly RemovedObjects[]> {
  const { sysctl, logger, servesLocalnet = false } = options;
  const { removals, guard } = planRemoval(iptables.family, await iptables.save(), options);
  const document = removals.flatMap(({ lines }) => lines);
  if (document.length > 0) {
    await iptables.restore(`${document.join('\n')}\n`);
  }
  const removed = removals.flatMap((removal) => removal.removed);
  if (guard === undefined) {
    return removed;
  }
  // The setting goes first: without the rule it would be a hole.
  const closed = servesLocalnet ? [] : await closeLocalnet(sysctl, logger);
  await iptables.restore(`${guard.lines.join('\n')}\n`);
  return [...removed, ...guard.removed, ...closed];
}

/** What {@link cleanUp} would remove, but for kernel settings. Changes nothing. */
export async function findLeftovers(
  iptables: Iptables,
  options: IptablesLeftoverOptions,
): Promise<readonly RemovedObjects[]> {
  const { removals, guard } = planRemoval(iptables.family, await iptables.save(), options);
  return [...removals.flatMap((removal) => removal.removed), ...(guard?.removed ?? [])];
}

/** Whether kube-proxy's rules are installed and let packets to 127.0.0.0/8, guarded. */
export async function servesKubeProxyLocalnet(iptables: Iptables): Promise<boolean> {
  const tables = parseTables(await iptables.save());
  return Object.values(ownersOf(tables)).includes('kube-proxy') && hasGuard(tables.filter);
}

/** What is removed of one table, and how. */
interface Removal {
  /** Of a document for `iptables-restore --noflush`. */
  readonly lines: readonly string[];
  readonly removed: readonly RemovedObjects[];
}

interface Removals {
  readonly removals: readonly Removal[];
  /** What guards 127.0.0.0/8; undefined when that stays, or is not there. */
  readonly guard: Removal | undefined;
}

function parseTables(saved: string) {
  const table = (name: 'filter' | 'nat' | 'mangle') => parseSavedTable(saved, name);
  return { filter: table('filter'), nat: table('nat'), mangle: table('mangle') };
}

function planRemoval(family: IPFamily, saved: string, { owner, variant }: IptablesLeftoverOptions): Removals {
  const tables = parseTables(saved);
  const owners = ownersOf(tables);
  const location = (table: string) =>
    [`${table} table`, family, ...(variant === undefined ? [] : [variant])].join(', ');
  const removals = (['filter', 'nat', 'mangle'] as const).map((table) =>
    cleanTable(table, tables[table], location(table), {
      chains: removable(table, owner, owners),
      ownJump: owner !== 'kube-proxy' && table === 'filter',
    }),
  );
  const mine = Object.values(owners).filter((one) => one !== 'nobody');
  const isWanted =
    owner === 'both' || (mine.length === 0 ? owner === 'kube-proxier' : mine.every((one) => one === owner));
  // Only IPv4 has the guard; a kubelet that keeps it for itself also keeps its canary.
  const isKept = family === 'IPv6' || !isWanted || /^:KUBE-KUBELET-CANARY /m.test(saved);
  return { removals, guard: isKept ? undefined : planGuardRemoval(tables.filter, location('filter')) };
}

/** Which chains of a table are removed. */
function removable(
  table: 'filter' | 'nat' | 'mangle',
  owner: CleanupOwner,
  owners: TableOwners,
): (chain: string) => boolean {
  const isOurs = (chain: string) => isOurChain(table, chain);
  if (owner === 'both') {
    return isOurs;
  }
  if (table === 'mangle') {
    // What kube-proxy left when kube-proxier took its place has no use any more.
    const isReplaced = Object.values(owners).every((one) => one !== 'kube-proxy') && owners.nat === 'kube-proxier';
    return (chain) => isOurs(chain) && isReplaced === (owner === 'kube-proxier');
  }
  switch (owners[table]) {
    case 'kube-proxier':
      return (chain) => owner === 'kube-proxier' && isOurs(chain);
    case 'kube-proxy':
      return owner === 'kube-proxy' ? isOurs : (chain) => isOnlyOurChain(table, chain);
    case 'nobody':
      return (chain) => isOurs(chain) && (chain === CANARY) === (owner === 'kube-proxy');
  }
}

/** Whether others are kept out of 127.0.0.0/8, as they are where NodePorts are served there. */
export async function guardsLocalnet(iptables: Iptables): Promise<boolean> {
  const filter = parseSavedTable(await iptables.save('filter'), 'filter');
  return hasGuard(filter);
}

function hasGuard(filter: SavedTable): boolean {
  return filter.get(CHAINS.localnetGuard)?.rules.some(isGuard) ?? false;
}

function isOwnJump(text: string): boolean {
  return (IptablesRule.parse(text)?.bareText ?? withoutComment(text)) === OWN_JUMP?.rule.bareText;
}

function isGuard(text: string): boolean {
  return (IptablesRule.parse(text)?.bareText ?? withoutComment(text)) === LOCALNET_GUARD.bareText;
}

/** What of a table is to be removed. */
interface Removable {
  readonly chains: (chain: string) => boolean;
  /** The jump between chains that stay which only this backend makes. */
  readonly ownJump: boolean;
}

function cleanTable(
  table: 'filter' | 'nat' | 'mangle',
  saved: SavedTable,
  location: string,
  { chains: isRemovable, ownJump }: Removable,
): Removal {
  const going = [...saved.keys()].filter(isRemovable);
  const removals: string[] = [];
  /** Chains that others jump to: emptied, but they must stay or the others' rules would have to go. */
  const needed = new Set<string>();
  for (const [name, chain] of saved) {
    if (isRemovable(name)) {
      continue;
    }
    for (const rule of chain.rules) {
      const target = rule.includes('KUBE-') ? targetOf(rule) : undefined;
      if (ownJump && name === OWN_JUMP?.from && isOwnJump(rule)) {
        removals.push(`-D ${name} ${rule}`);
        continue;
      }
      if (target === undefined || !isRemovable(target)) {
        continue;
      }
      if (chain.policy === '-') {
        needed.add(target);
      } else {
        removals.push(`-D ${name} ${rule}`);
      }
    }
  }
  const removable = going.filter((name) => !needed.has(name));
  const emptied = going.filter((name) => needed.has(name) && (saved.get(name)?.rules.length ?? 0) > 0);
  if (removals.length === 0 && removable.length === 0 && emptied.length === 0) {
    return { lines: [], removed: [] };
  }
  const lines = [
    `*${table}`,
    ...[...removable, ...emptied].map((name) => `:${name} - [0:0]`),
    ...removals,
    ...removable.map((name) => `-X ${name}`),
    'COMMIT',
  ];
  const jumps = removals.map((line) => line.slice('-D '.length));
  return {
    lines,
    removed: [
      ...(removable.length === 0 ? [] : [{ kind: 'chain', location, names: removable }]),
      ...(emptied.length === 0 ? [] : [{ kind: 'content of chain', location, names: emptied }]),
      ...(jumps.length === 0 ? [] : [{ kind: 'rule', location, names: jumps }]),
    ],
  };
}

/** Takes out the rule that guards 127.0.0.0/8, and its chain where nothing else needs it; undefined where there is none. */
function planGuardRemoval(filter: SavedTable, location: string): Removal | undefined {
  const chain = filter.get(CHAINS.localnetGuard);
  if (chain === undefined || !chain.rules.some(isGuard)) {
    return undefined;
  }
  const rules = chain.rules.filter(isGuard).map((text) => `${CHAINS.localnetGuard} ${text}`);
  let isRemovable = false;
  if (chain.rules.every(isGuard)) {
    rules.push(
      ...LOCALNET_GUARD_HOOKS.flatMap((hook) =>
        (filter.get(hook)?.rules ?? [])
          .filter((text) => text === LOCALNET_GUARD_JUMP.text)
          .map((text) => `${hook} ${text}`),
      ),
    );
    isRemovable = ![...filter].some(
      ([name, { rules }]) =>
        !LOCALNET_GUARD_HOOKS.includes(name) && rules.some((text) => targetOf(text) === CHAINS.localnetGuard),
    );
  }
  return {
    lines: [
      '*filter',
      ...rules.map((rule) => `-D ${rule}`),
      ...(isRemovable ? [`-X ${CHAINS.localnetGuard}`] : []),
      'COMMIT',
    ],
    removed: [
      ...(isRemovable ? [{ kind: 'chain', location, names: [CHAINS.localnetGuard] }] : []),
      { kind: 'rule', location, names: rules },
    ],
  };
}

/** Keeps packets from other hosts from being routed to 127.0.0.0/8. */
async function closeLocalnet(sysctl: Sysctl, logger: Logger): Promise<readonly RemovedObjects[]> {
  try {
    if (await sysctl.write(ROUTE_LOCALNET, 0)) {
      logger.info('set route_localnet=0: nothing serves NodePorts on 127.0.0.1 any more');
      return [{ kind: 'setting', names: [`${ROUTE_LOCALNET}=1`] }];
    }
  } catch (error) {
    // Where there is no such setting, nothing is open either. Where it stays open, so must the rule.
    if (!(error instanceof SysctlError) || error.code !== 'SYSCTL_ABSENT') {
      throw error;
    }
  }
  return [];
}
