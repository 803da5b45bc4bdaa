import type { IPFamily, Slices } from '@kube-proxier/core';
import {
  EMPTY_TABLE_DOCUMENT,
  effectOf,
  type IptablesDocument,
  type IptablesTable,
  type IptablesTableDocument,
  parseDocumentInSlices,
  removeChainsInSlices,
  type SavedTable,
  targetOf,
} from '@kube-proxier/linux';
import { LOCALNET_GUARD, LOCALNET_GUARD_HOOKS, LOCALNET_GUARD_JUMP, OWN_JUMP } from './fixed-chains.js';
import { CANARY, CHAINS, isOnlyOurChain, isOurChain } from './layout.js';
import { ownersOf, type TableOwners } from './table-owner.js';

/**
 * Whose rules to remove. `kube-proxier`: what this backend has installed, and its leftovers in tables that kube-proxy
 * has taken over. `kube-proxy`: only tables where kube-proxy's rules are installed. `both`: rules of either.
 */
export type CleanupOwner = 'kube-proxier' | 'kube-proxy' | 'both';

/** The writes of a clean-up to one family and variant. */
export interface IptablesRemoval {
  readonly document: IptablesDocument;
  /** Removes the guard of 127.0.0.0/8; undefined when that stays, or does not exist. */
  readonly guard: IptablesDocument | undefined;
}

const TABLES = ['filter', 'nat', 'mangle'] as const satisfies readonly IptablesTable[];

type Tables = Readonly<Record<(typeof TABLES)[number], SavedTable>>;

function* parseTables(saved: string): Slices<Tables> {
  const document = yield* parseDocumentInSlices(saved);
  const table = (name: IptablesTable): SavedTable => document.get(name)?.written ?? new Map();
  return { filter: table('filter'), nat: table('nat'), mangle: table('mangle') };
}

/**
 * Plans the removal of the chains of one owner, and of every jump to one. Foreign rules in the same tables stay. Tables that
 * are not in use are not brought into use. Pure; yields often, as kube-proxy has 150,000 chains for 50,000 Services.
 *
 * @param saved output of `iptables-save`.
 */
export function* planRemoval(family: IPFamily, saved: string, owner: CleanupOwner): Slices<IptablesRemoval> {
  const tables = yield* parseTables(saved);
  const owners = ownersOf(tables);
  const document = new Map<IptablesTable, IptablesTableDocument>();
  for (const table of TABLES) {
    const withOwnJump = owner !== 'kube-proxy' && table === 'filter';
    const content = yield* removeChainsInSlices(tables[table], removable(table, owner, owners), {
      // Foreign chains stay unchanged, and so must the chains that they jump to.
      foreignReferences: 'keep-empty',
      alsoDelete: (chain, rule) => withOwnJump && chain === OWN_JUMP?.from && isOwnJump(rule),
    });
    document.set(table, content);
  }
  const mine = Object.values(owners).filter((one) => one !== 'none');
  const isWanted =
    owner === 'both' || (mine.length === 0 ? owner === 'kube-proxier' : mine.every((one) => one === owner));
  // Only IPv4 has the guard; a kubelet that keeps it for itself also keeps its canary.
  const isKept = family === 'IPv6' || !isWanted || /^:KUBE-KUBELET-CANARY /m.test(saved);
  const guard = isKept ? undefined : planGuardRemoval(tables.filter);
  return { document, guard: guard && new Map([['filter', guard]]) };
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
    // Leftovers of kube-proxy from before the takeover are obsolete.
    const isReplaced = Object.values(owners).every((one) => one !== 'kube-proxy') && owners.nat === 'kube-proxier';
    return (chain) => isOurs(chain) && isReplaced === (owner === 'kube-proxier');
  }
  switch (owners[table]) {
    case 'kube-proxier':
      return (chain) => owner === 'kube-proxier' && isOurs(chain);
    case 'kube-proxy':
      return owner === 'kube-proxy' ? isOurs : (chain) => isOnlyOurChain(table, chain);
    case 'none':
      return (chain) => isOurs(chain) && (chain === CANARY) === (owner === 'kube-proxy');
  }
}

/** Whether kube-proxy's rules are installed and let packets to 127.0.0.0/8, guarded. Pure; reads the output of `iptables-save`. */
export function* isKubeProxyLocalnet(saved: string): Slices<boolean> {
  const tables = yield* parseTables(saved);
  return Object.values(ownersOf(tables)).includes('kube-proxy') && hasGuard(tables.filter);
}

/** Whether foreign packets to 127.0.0.0/8 are dropped, as where NodePorts are served there. */
export function hasGuard(filter: SavedTable): boolean {
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
