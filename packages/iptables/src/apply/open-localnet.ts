import type { Logger } from '@kube-proxier/core';
import {
  EMPTY_TABLE_DOCUMENT,
  type Iptables,
  type IptablesChainRule,
  type IptablesInsertion,
  type IptablesRule,
  renderDocument,
  type Sysctl,
  SysctlError,
} from '@kube-proxier/linux';
import { LOCALNET_GUARD, LOCALNET_GUARD_HOOKS, LOCALNET_GUARD_JUMP, ROUTE_LOCALNET } from '../plan/fixed-chains.js';
import { CHAINS } from '../plan/layout.js';

/**
 * Lets NodePorts be served on 127.0.0.1 (spec I-24, I-70): first the guard rule, then the sysctl that would admit
 * foreign packets. Adds only what is missing.
 *
 * @param isGuarded whether the guard rule and its jumps are known to exist. Default false: it is checked.
 * @returns false when this host does not accept them; other sources are dropped in either case.
 */
export async function openLocalnet(
  iptables: Iptables,
  sysctl: Sysctl,
  logger: Logger,
  isGuarded = false,
): Promise<boolean> {
  if (!isGuarded) {
    await addGuard(iptables);
  }
  try {
    if (await sysctl.write(ROUTE_LOCALNET, 1)) {
      logger.info(
        'set route_localnet=1 to serve NodePorts on 127.0.0.1; to avoid it, set localhostNodePorts to false or list nodePortAddresses without loopback',
      );
    }
    return true;
  } catch (error) {
    if (!(error instanceof SysctlError)) {
      throw error;
    }
    // Everything else works, and a retry would not help.
    logger.warn('NodePorts are not served on 127.0.0.1', { reason: error.message });
    return false;
  }
}

/** Asks the tool for each rule: others may write the same chain at any time. */
async function addGuard(iptables: Iptables): Promise<void> {
  const exists = await iptables.chainExists('filter', CHAINS.localnetGuard);
  const isMissing = async (chain: string, { text }: IptablesRule) =>
    !exists || !(await iptables.ruleExists('filter', chain, text));
  const appendedRules: IptablesChainRule[] = [];
  const insertedRules: IptablesInsertion[] = [];
  if (await isMissing(CHAINS.localnetGuard, LOCALNET_GUARD)) {
    appendedRules.push({ chain: CHAINS.localnetGuard, rule: LOCALNET_GUARD.text });
  }
  for (const hook of LOCALNET_GUARD_HOOKS) {
    if (await isMissing(hook, LOCALNET_GUARD_JUMP)) {
      insertedRules.push({ chain: hook, position: 1, rule: LOCALNET_GUARD_JUMP.text });
    }
  }
  const created = exists ? [] : [CHAINS.localnetGuard];
  const text = renderDocument(
    new Map([['filter', { ...EMPTY_TABLE_DOCUMENT, created, appendedRules, insertedRules }]]),
  );
  if (text !== '') {
    await iptables.restore(text);
  }
}
