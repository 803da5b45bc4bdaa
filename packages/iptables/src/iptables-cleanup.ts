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
import { CHAINS, isOurChain } from './chain-names.js';
import { LOCALNET_GUARD, LOCALNET_GUARD_HOOKS, LOCALNET_GUARD_JUMP, ROUTE_LOCALNET } from './fixed-rules.js';

/** What {@link cleanUp} works with. */
export interface IptablesCleanupOptions {
  readonly sysctl: Sysctl;
  readonly logger: Logger;
  /** The variant that `iptables` is of, for the report. Default: not named. */
  readonly variant?: IptablesVariant;
  /**
   * NodePorts on 127.0.0.1 are served, and guarded, by the rules of another variant: what lets packets there stays.
   * Default false.
   */
  readonly servesLocalnet?: boolean;
}

/**
 * Removes every chain of this backend and every jump into one, from one family and variant, whoever wrote them. What
 * others have in the same tables stays as it is. Tables that are not in use are not brought into use.
 *
 * @returns what was removed.
 */
export async function cleanUp(iptables: Iptables, options: IptablesCleanupOptions): Promise<readonly RemovedObjects[]> {
  const { sysctl, logger, servesLocalnet = false } = options;
  const saved = await iptables.save();
  const removals = planRemoval(iptables, saved, options.variant);
  const document = removals.flatMap(({ lines }) => lines);
  if (document.length > 0) {
    await iptables.restore(`${document.join('\n')}\n`);
  }
  const removed = removals.flatMap(({ removed }) => removed);
  if (keepsGuard(iptables, saved)) {
    return removed;
  }
  const guard = planGuardRemoval(iptables, saved, options.variant);
  if (guard === undefined) {
    return removed;
  }
  // The setting goes first: without the rule it would be a hole.
  const closed = servesLocalnet ? [] : await closeLocalnet(sysctl, logger);
  await iptables.restore(`${guard.lines.join('\n')}\n`);
  return [...removed, ...guard.removed, ...closed];
}

/** What {@link cleanUp} would remove, but for kernel settings. Changes nothing. */
export async function findLeftovers(iptables: Iptables, variant?: IptablesVariant): Promise<readonly RemovedObjects[]> {
  const saved = await iptables.save();
  const removed = planRemoval(iptables, saved, variant).flatMap((removal) => removal.removed);
  const guard = keepsGuard(iptables, saved) ? undefined : planGuardRemoval(iptables, saved, variant);
  return [...removed, ...(guard?.removed ?? [])];
}

/** Only IPv4 has the guard; a kubelet that keeps it for itself also keeps its canary. */
function keepsGuard({ family }: Iptables, saved: string): boolean {
  return family === 'IPv6' || /^:KUBE-KUBELET-CANARY /m.test(saved);
}

/** What is removed of one table, and how. */
interface Removal {
  /** Of a document for `iptables-restore --noflush`. */
  readonly lines: readonly string[];
  readonly removed: readonly RemovedObjects[];
}

function planRemoval({ family }: Iptables, saved: string, variant?: IptablesVariant): readonly Removal[] {
  return (['filter', 'nat', 'mangle'] as const).map((table) =>
    cleanTable(table, parseSavedTable(saved, table), locationOf(table, family, variant)),
  );
}

function locationOf(table: string, family: IPFamily, variant?: IptablesVariant): string {
  return [`${table} table`, family, ...(variant === undefined ? [] : [variant])].join(', ');
}

/** Whether others are kept out of 127.0.0.0/8, as they are where NodePorts are served there. */
export async function guardsLocalnet(iptables: Iptables): Promise<boolean> {
  const filter = parseSavedTable(await iptables.save('filter'), 'filter');
  return filter.get(CHAINS.localnetGuard)?.rules.some(isGuard) ?? false;
}

function isGuard(text: string): boolean {
  return (IptablesRule.parse(text)?.bareText ?? withoutComment(text)) === LOCALNET_GUARD.bareText;
}

function cleanTable(table: 'filter' | 'nat' | 'mangle', saved: SavedTable, location: string): Removal {
  const ours = [...saved.keys()].filter((name) => isOurChain(table, name));
  const removals: string[] = [];
  /** Chains that others jump to: emptied, but they must stay or the others' rules would have to go. */
  const needed = new Set<string>();
  for (const [name, chain] of saved) {
    if (isOurChain(table, name)) {
      continue;
    }
    for (const rule of chain.rules) {
      const target = rule.includes('KUBE-') ? targetOf(rule) : undefined;
      if (target === undefined || !isOurChain(table, target)) {
        continue;
      }
      if (chain.policy === '-') {
        needed.add(target);
      } else {
        removals.push(`-D ${name} ${rule}`);
      }
    }
  }
  const removable = ours.filter((name) => !needed.has(name));
  const emptied = ours.filter((name) => needed.has(name) && (saved.get(name)?.rules.length ?? 0) > 0);
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
function planGuardRemoval({ family }: Iptables, saved: string, variant?: IptablesVariant): Removal | undefined {
  const filter = parseSavedTable(saved, 'filter');
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
  const location = locationOf('filter', family, variant);
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
