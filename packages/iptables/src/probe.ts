import { messageOf, type ProbeResult } from '@kube-proxier/core';
import {
  type CommandRunner,
  canRun,
  type Iptables,
  inNewNamespace,
  renderDocument,
  whyNotPermitted,
} from '@kube-proxier/linux';
import type { FoundRules, HostTools } from './host-tools.js';
import { CHAINS } from './plan/layout.js';
import { trialDocument } from './plan/trial-document.js';

/**
 * See `BackendModule.probe`. Lists on the host, and writes in a temporary network namespace. If rules of this backend
 * are installed, as after a restart, the host is assumed to accept them.
 */
export async function probe(tools: HostTools, runner: CommandRunner): Promise<ProbeResult> {
  try {
    const iptables = await tools.chosen('IPv4');
    const found = tools.takeFound();
    const four = found.get('IPv4');
    // Concurrent, as each runs a program. The reason of a failure is reported below.
    const trial = isInstalled(iptables, four).then((installed) => installed || tryRules(tools, runner));
    trial.catch(() => {});
    const [{ text, variant }, isPresent, six] = await Promise.all([
      tools.version('IPv4'),
      four?.hasNat || iptables.isPresent(),
      isIPv6Present(tools, found.get('IPv6')),
    ]);
    if (!isPresent) {
      return {
        usable: false,
        reason: `the nat table cannot be listed: ${whyNotPermitted()}; or the kernel lacks it`,
      };
    }
    await trial;
    return {
      usable: true,
      detail: `iptables ${text} (${variant})`,
      families: six ? ['IPv4', 'IPv6'] : ['IPv4'],
    };
  } catch (error) {
    return { usable: false, reason: messageOf(error).replace(/\.$/, '') };
  }
}

/**
 * Loads every kind of rule, in a network namespace of its own.
 *
 * @returns whether they were tried: `unshare` may be missing or not permitted.
 * @throws IptablesDocumentRefused when one is refused.
 */
export async function tryRules(tools: HostTools, runner: CommandRunner): Promise<boolean> {
  const trial = inNewNamespace(runner);
  const { randomFully } = await tools.version('IPv4');
  const document = renderDocument(trialDocument('IPv4', { randomFully }));
  try {
    await tools.of('IPv4', await tools.variantInUse(), trial).restore(document);
    return true;
  } catch (error) {
    if (await canRun(trial)) {
      throw error;
    }
    return false;
  }
}

async function isInstalled(iptables: Pick<Iptables, 'chainExists'>, found: FoundRules | undefined): Promise<boolean> {
  return found?.hasOwn ?? (await iptables.chainExists('nat', CHAINS.marker).catch(() => false));
}

async function isIPv6Present(tools: HostTools, found: FoundRules | undefined): Promise<boolean> {
  try {
    const iptables = await tools.chosen('IPv6');
    const [isPresent] = await Promise.all([
      found?.hasNat || iptables.isPresent(),
      // Preloaded. A failure is reported on use.
      tools.version('IPv6').catch(() => undefined),
    ]);
    return isPresent;
  } catch {
    return false;
  }
}
