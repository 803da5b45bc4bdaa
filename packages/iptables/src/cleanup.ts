import type { IPFamily, Logger, RemovedObjects } from '@kube-proxier/core';
import {
  EMPTY_TABLE_DOCUMENT,
  effectOf,
  type Iptables,
  type IptablesDocument,
  type IptablesTable,
  type IptablesTableDocument,
  type IptablesVariant,
  parseDocument,
  parseSavedTable,
  removeChains,
  removedObjects,
  renderDocument,
  type SavedTable,
  type Sysctl,
  SysctlError,
  targetOf,
} from '@kube-proxier/linux';
import {
  LOCALNET_GUARD,
  LOCALNET_GUARD_HOOKS,
  LOCALNET_GUARD_JUMP,
  OWN_JUMP,
  ROUTE_LOCALNET,
} from './plan/fixed-chains.js';
import { CANARY, CHAINS, isOnlyOurChain, isOurChain } from './plan/layout.js';
import { ownersOf, type TableOwners } from './plan/table-owner.js';

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
  const { document, guard, location } = planRemoval(iptables.family, await iptables.save(), options);
  const text = renderDocument(document);
  if (text !== '') {
    await iptables.restore(text);
  }
  const removed = describe(document, location);
  if (guard === undefined) {
    return removed;
  }
  // The setting goes first: without the rule it would be a hole.
  const closed = servesLocalnet ? [] : await closeLocalnet(sysctl, logger);
  await iptables.restore(renderDocument(guard));
  return [...removed, ...describe(guard, location), ...closed];
}

/** What {@link cleanUp} would remove, but for kernel settings. Changes nothing. */
export async function findLeftovers(
  iptables: Iptables,
  options: IptablesLeftoverOptions,
): Promise<readonly RemovedObjects[]> {
  const { document, guard, location } = planRemoval(iptables.family, await iptables.save(), options);
  return [...describe(document, location), ...(guard === undefined ? [] : describe(guard, location))];
}

function describe(document: IptablesDocument, location: Removals['location']): readonly RemovedObjects[] {
  return [...document].flatMap(([table, content]) => removedObjects(content, location(table)));
}

/** Whether kube-proxy's rules are installed and let packets to 127.0.0.0/8, guarded. */
export async function servesKubeProxyLocalnet(iptables: Iptables): Promise<boolean> {
  const tables = parseTables(await iptables.save());
  return Object.values(ownersOf(tables)).includes('kube-proxy') && hasGuard(tables.filter);
}

interface Removals {
  readonly document: IptablesDocument;
  /** Removes the guard of 127.0.0.0/8; undefined when that stays, or does not exist. */
  readonly guard: IptablesDocument | undefined;
  /** Names a table in a report. */
  readonly location: (table: IptablesTable) => string;
}

function parseTables(saved: string) {
  const document = parseDocument(saved);
  const table = (name: IptablesTable): SavedTable => document.get(name)?.written ?? new Map();
  return { filter: table('filter'), nat: table('nat'), mangle: table('mangle') };
}

function planRemoval(family: IPFamily, saved: string, { owner, variant }: IptablesLeftoverOptions): Removals {
  const tables = parseTables(saved);
  const owners = ownersOf(tables);
  const location = (table: IptablesTable) =>
    [`${table} table`, family, ...(variant === undefined ? [] : [variant])].join(', ');
  const document = new Map(
    (['filter', 'nat', 'mangle'] as const).map((table) => {
      const withOwnJump = owner !== 'kube-proxy' && table === 'filter';
      const content = removeChains(tables[table], removable(table, owner, owners), {
        // Chains of others stay as they are, and so must the chains that they jump to.
        neededByOthers: 'keep-empty',
        alsoDelete: (chain, rule) => withOwnJump && chain === OWN_JUMP?.from && isOwnJump(rule),
      });
      return [table, content] as const;
    }),
  );
  const mine = Object.values(owners).filter((one) => one !== 'nobody');
  const isWanted =
    owner === 'both' || (mine.length === 0 ? owner === 'kube-proxier' : mine.every((one) => one === owner));
  // Only IPv4 has the guard; a kubelet that keeps it for itself also keeps its canary.
  const isKept = family === 'IPv6' || !isWanted || /^:KUBE-KUBELET-CANARY /m.test(saved);
  const guard = isKept ? undefined : planGuardRemoval(tables.filter);
  return { document, guard: guard && new Map([['filter', guard]]), location };
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
  return effectOf(text) === OWN_JUMP?.rule.bareText;
}

function isGuard(text: string): boolean {
  return effectOf(text) === LOCALNET_GUARD.bareText;
}

/** Deletes the rule that guards 127.0.0.0/8, and its chain where nothing else needs it; undefined where there is none. */
function planGuardRemoval(filter: SavedTable): IptablesTableDocument | undefined {
  const name = CHAINS.localnetGuard;
  const chain = filter.get(name);
  if (chain === undefined || !chain.rules.some(isGuard)) {
    return undefined;
  }
  const guards = chain.rules.filter(isGuard).map((rule) => ({ chain: name, rule }));
  if (!chain.rules.every(isGuard)) {
    return { ...EMPTY_TABLE_DOCUMENT, deletedRules: guards };
  }
  const jumps = LOCALNET_GUARD_HOOKS.flatMap((hook) =>
    (filter.get(hook)?.rules ?? [])
      .filter((rule) => rule === LOCALNET_GUARD_JUMP.text)
      .map((rule) => ({ chain: hook, rule })),
  );
  const isNeeded = [...filter].some(
    ([other, { rules }]) => !LOCALNET_GUARD_HOOKS.includes(other) && rules.some((text) => targetOf(text) === name),
  );
  return {
    ...EMPTY_TABLE_DOCUMENT,
    deletedRules: [...guards, ...jumps],
    deletedChains: new Map(isNeeded ? [] : [[name, undefined]]),
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
