import { messageOf, type ProbeResult } from '@kube-proxier/core';
import { type CommandRunner, canRun, inNewNamespace, renderDocument, whyNotPermitted } from '@kube-proxier/linux';
import type { HostTools } from './host-tools.js';
import { trialDocument } from './plan/trial-document.js';

/** See `BackendModule.probe`. Lists on the host, and writes in a namespace of its own, so that it leaves no trace. */
export async function probe(tools: HostTools, runner: CommandRunner): Promise<ProbeResult> {
  try {
    const iptables = await tools.chosen('IPv4');
    const trial = inNewNamespace(runner);
    // At the same time, as each takes the time of a program.
    const [{ text, variant, randomFully }, isPresent, canTry, six] = await Promise.all([
      tools.version('IPv4'),
      iptables.isPresent(),
      canRun(trial),
      isIPv6Present(tools),
    ]);
    if (!isPresent) {
      return {
        usable: false,
        reason: `the nat table cannot be listed: ${whyNotPermitted()}; or the kernel lacks it`,
      };
    }
    // Where there is no unshare, or no right to use it, the trial is skipped.
    if (canTry) {
      const document = renderDocument(trialDocument('IPv4', { randomFully }));
      await tools.of('IPv4', await tools.variantInUse(), trial).restore(document);
    }
    return {
      usable: true,
      detail: `iptables ${text} (${variant})`,
      families: six ? ['IPv4', 'IPv6'] : ['IPv4'],
    };
  } catch (error) {
    return { usable: false, reason: messageOf(error).replace(/\.$/, '') };
  }
}

async function isIPv6Present(tools: HostTools): Promise<boolean> {
  try {
    const [isPresent] = await Promise.all([
      (await tools.chosen('IPv6')).isPresent(),
      // It is needed soon. A failure shows then.
      tools.version('IPv6').catch(() => undefined),
    ]);
    return isPresent;
  } catch {
    return false;
  }
}
