import type { Logger } from '@kube-proxier/core';
import {
  type Iptables,
  IptablesRule,
  parseSavedTable,
  type SavedTable,
  type Sysctl,
  SysctlError,
  targetOf,
  withoutComment,
} from '@kube-proxier/linux';
import { CHAINS, isOurChain } from './chain-names.js';
import { LOCALNET_GUARD, LOCALNET_GUARD_HOOKS, LOCALNET_GUARD_JUMP, ROUTE_LOCALNET } from './fixed-rules.js';

/**
 * Removes every chain of this backend and every jump into one, from one family and variant, whoever wrote them. What
 * others have in the same tables stays as it is. Tables that are not in use are not brought into use.
 *
 * @param servesLocalnet NodePorts on 127.0.0.1 are served, and guarded, by the rules of another variant: what lets
 * packets there stays.
 */
export async function cleanUp(
  iptables: Iptables,
  sysctl: Sysctl,
  logger: Logger,
  servesLocalnet = false,
): Promise<void> {
  const saved = await iptables.save();
  const document = [
    ...cleanTable('filter', parseSavedTable(saved, 'filter')),
    ...cleanTable('nat', parseSavedTable(saved, 'nat')),
    ...cleanTable('mangle', parseSavedTable(saved, 'mangle')),
  ];
  if (document.length > 0) {
    await iptables.restore(`${document.join('\n')}\n`);
  }
  // A kubelet that keeps the guard for itself also keeps its canary.
  if (iptables.family === 'IPv4' && !/^:KUBE-KUBELET-CANARY /m.test(saved)) {
    await closeLocalnet(iptables, parseSavedTable(saved, 'filter'), servesLocalnet ? undefined : sysctl, logger);
  }
}

/** Whether others are kept out of 127.0.0.0/8, as they are where NodePorts are served there. */
export async function guardsLocalnet(iptables: Iptables): Promise<boolean> {
  const filter = parseSavedTable(await iptables.save('filter'), 'filter');
  return filter.get(CHAINS.localnetGuard)?.rules.some(isGuard) ?? false;
}

function isGuard(text: string): boolean {
  return (IptablesRule.parse(text)?.bareText ?? withoutComment(text)) === LOCALNET_GUARD.bareText;
}

function cleanTable(table: 'filter' | 'nat' | 'mangle', saved: SavedTable): readonly string[] {
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
    return [];
  }
  return [
    `*${table}`,
    ...[...removable, ...emptied].map((name) => `:${name} - [0:0]`),
    ...removals,
    ...removable.map((name) => `-X ${name}`),
    'COMMIT',
  ];
}

/**
 * Takes back what serving 127.0.0.0/8 needed. The setting goes first: without the rule it would be a hole.
 *
 * @param sysctl undefined to leave the setting.
 */
async function closeLocalnet(
  iptables: Iptables,
  filter: SavedTable,
  sysctl: Sysctl | undefined,
  logger: Logger,
): Promise<void> {
  const chain = filter.get(CHAINS.localnetGuard);
  if (chain === undefined || !chain.rules.some(isGuard)) {
    return;
  }
  try {
    if (await sysctl?.write(ROUTE_LOCALNET, 0)) {
      logger.info('set route_localnet=0: nothing serves NodePorts on 127.0.0.1 any more');
    }
  } catch (error) {
    // Where there is no such setting, nothing is open either. Where it stays open, so must the rule.
    if (!(error instanceof SysctlError) || error.code !== 'SYSCTL_ABSENT') {
      throw error;
    }
  }
  const lines = chain.rules.filter(isGuard).map((text) => `-D ${CHAINS.localnetGuard} ${text}`);
  if (chain.rules.every(isGuard)) {
    const jumps = LOCALNET_GUARD_HOOKS.flatMap((hook) =>
      (filter.get(hook)?.rules ?? [])
        .filter((text) => text === LOCALNET_GUARD_JUMP.text)
        .map((text) => `-D ${hook} ${text}`),
    );
    lines.push(...jumps);
    const elsewhere = [...filter].some(
      ([name, { rules }]) =>
        !LOCALNET_GUARD_HOOKS.includes(name) && rules.some((text) => targetOf(text) === CHAINS.localnetGuard),
    );
    if (!elsewhere) {
      lines.push(`-X ${CHAINS.localnetGuard}`);
    }
  }
  await iptables.restore(['*filter', ...lines, 'COMMIT', ''].join('\n'));
}
