import { type Diagnosis, messageOf } from '@kube-proxier/core';
import { type CommandRunner, detectIptablesVariant } from '@kube-proxier/linux';
import type { HostTools } from './host-tools.js';
import { CHAINS } from './plan/layout.js';
import { tryRules } from './probe.js';

/** See `BackendModule.diagnose`. */
export async function diagnose(tools: HostTools, runner: CommandRunner): Promise<readonly Diagnosis[]> {
  return [await diagnoseVariant(runner), await diagnoseRules(tools, runner)];
}

async function diagnoseVariant(runner: CommandRunner): Promise<Diagnosis> {
  const { variant, reason, isCertain = true } = await detectIptablesVariant(runner);
  const found = `${variant ?? 'the one in PATH'}: ${reason}`;
  const check = 'iptables in use';
  return isCertain ? { check, status: 'ok', found } : { check, status: 'unknown', found, advice: 'run doctor as root' };
}

async function diagnoseRules(tools: HostTools, runner: CommandRunner): Promise<Diagnosis> {
  const check = 'iptables rules';
  try {
    if (await tryRules(tools, runner)) {
      return { check, status: 'ok', found: 'every kind of rule is accepted' };
    }
    const iptables = await tools.chosen('IPv4');
    return (await iptables.chainExists('nat', CHAINS.marker))
      ? { check, status: 'ok', found: 'are installed; not tried, as no network namespace can be created' }
      : {
          ...{ check, status: 'unknown', found: 'not tried: no network namespace can be created' },
          advice: 'install util-linux (unshare), and run doctor as root',
        };
  } catch (error) {
    return {
      ...{ check, status: 'problem', found: messageOf(error) },
      advice: 'use newer iptables tools or a kernel with this module, or another mode',
    };
  }
}
