import { messageOf, type ProbeResult } from '@kube-proxier/core';
import { type CommandRunner, canRun, inNewNamespace, renderDocument, whyNotPermitted } from '@kube-proxier/linux';
import type { HostTools } from './host-tools.js';
import { trialDocument } from './plan/trial-document.js';

/** See `BackendModule.probe`. Lists on the host, and writes in a namespace of its own, so that it leaves no trace. */
export async function probe(tools: HostTools, runner: CommandRunner): Promise<ProbeResult> {
  try {
    const iptables = await tools.chosen('IPv4');
    const { text, variant, randomFully } = await iptables.version();
    if (!(await iptables.isPresent())) {
      return {
        usable: false,
        reason: `the nat table cannot be listed: ${whyNotPermitted()}; or the kernel lacks it`,
      };
    }
    const trial = inNewNamespace(runner);
    // Where there is no unshare, or no right to use it, the trial is skipped.
    if (await canRun(trial)) {
      const document = renderDocument(trialDocument('IPv4', { randomFully }));
      await tools.of('IPv4', await tools.variantInUse(), trial).restore(document);
    }
    const six = await tools
      .chosen('IPv6')
      .then((ip6tables) => ip6tables.isPresent())
      .catch(() => false);
    return {
      usable: true,
      detail: `iptables ${text} (${variant})`,
      families: six ? ['IPv4', 'IPv6'] : ['IPv4'],
    };
  } catch (error) {
    return { usable: false, reason: messageOf(error).replace(/\.$/, '') };
  }
}
