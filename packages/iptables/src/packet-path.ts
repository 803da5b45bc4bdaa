import { diffStates, type PacketPathRequest, type PathRule, type PlannedPathRequest } from '@kube-proxier/core';
import {
  type CommandRunner,
  type KernelFiles,
  type NetfilterPath,
  openIptablesRules,
  plannedPathOf,
  readNetfilterPath,
  targetOf,
} from '@kube-proxier/linux';
import { IptablesPlanner } from './plan/iptables-planner.js';
import { renderTransaction } from './plan/iptables-transaction.js';
import { CHAINS, isOurChain } from './plan/layout.js';

/** Whether a rule is not this backend's: it is in a foreign chain and does not jump to an own chain. Pure. */
export function isForeignRule({ system, table = '', chain = '', text }: PathRule): boolean {
  if (!system.startsWith('iptables') || (table !== 'nat' && table !== 'filter')) {
    return true;
  }
  if (isOurChain(table, chain) || chain === CHAINS.localnetGuard) {
    return false;
  }
  const target = targetOf(text);
  return target === undefined || !isOurChain(table, target);
}

export interface PathSources {
  readonly runner: CommandRunner;
  readonly files?: KernelFiles;
  /**
   * Looks up chains of iptables-nft on demand, where supported: for variant `nft`, whose rules the program may never
   * print while Services change. Default false: all rules are listed in advance.
   */
  readonly live?: boolean;
}

/** Reads the packet path of one family through this host. */
export function readPacketPath(
  { family, ignores, ignoredInterfaces, onRead, signal }: Omit<PacketPathRequest, 'options'>,
  { live = false, ...host }: PathSources,
): Promise<NetfilterPath> {
  return readNetfilterPath({
    ...{ family, ...host, isForeign: isForeignRule },
    ...(live ? { liveIptables: () => openIptablesRules(family, host.runner) } : {}),
    ...(ignores ? { ignores } : {}),
    ...(ignoredInterfaces ? { ignoredInterfaces } : {}),
    ...(onRead ? { onRead } : {}),
    ...(signal ? { signal } : {}),
  });
}

/** The packet path through a host that has only the rules of a state. Pure. */
export function plannedPath({ state, options, localAddresses }: PlannedPathRequest): NetfilterPath {
  const facts = { randomFully: true, dropInvalid: false, counters: new Set<string>() };
  const nothing = { filter: new Map(), nat: new Map(), routeLocalnet: false, facts };
  const plan = new IptablesPlanner(options.masqueradeBit).plan(state, diffStates(undefined, state), nothing);
  const document = plan === undefined ? '' : renderTransaction(plan);
  return plannedPathOf(state.family, localAddresses, { kind: 'iptables', document }, isForeignRule);
}
