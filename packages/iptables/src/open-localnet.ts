import type { Logger } from '@kube-proxier/core';
import { type Iptables, type Sysctl, SysctlError } from '@kube-proxier/linux';
import { CHAINS } from './chain-names.js';
import { LOCALNET_GUARD, LOCALNET_GUARD_HOOKS, LOCALNET_GUARD_JUMP, ROUTE_LOCALNET } from './fixed-rules.js';

/**
 * Lets NodePorts be served on 127.0.0.1 (spec I-24, I-70): first the rule that keeps others out, then what would let
 * them in. Adds only what is not there.
 *
 * @returns false when this host does not let them in; others are kept out all the same.
 */
export async function openLocalnet(iptables: Iptables, sysctl: Sysctl, logger: Logger): Promise<boolean> {
  const lines: string[] = [];
  const there = await iptables.chainExists('filter', CHAINS.localnetGuard);
  if (!there) {
    lines.push(`-N ${CHAINS.localnetGuard}`);
  }
  if (!there || !(await iptables.ruleExists('filter', CHAINS.localnetGuard, LOCALNET_GUARD.text))) {
    lines.push(`-A ${CHAINS.localnetGuard} ${LOCALNET_GUARD.text}`);
  }
  for (const hook of LOCALNET_GUARD_HOOKS) {
    if (!there || !(await iptables.ruleExists('filter', hook, LOCALNET_GUARD_JUMP.text))) {
      lines.push(`-I ${hook} 1 ${LOCALNET_GUARD_JUMP.text}`);
    }
  }
  if (lines.length > 0) {
    await iptables.restore(['*filter', ...lines, 'COMMIT', ''].join('\n'));
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
    // Everything else works, and trying again would change nothing.
    logger.warn('NodePorts are not served on 127.0.0.1', { reason: error.message });
    return false;
  }
}
