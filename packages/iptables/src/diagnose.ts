import type { Diagnosis } from '@kube-proxier/core';
import { type CommandRunner, detectIptablesVariant } from '@kube-proxier/linux';

/** See `BackendModule.diagnose`. */
export async function diagnose(runner: CommandRunner): Promise<readonly Diagnosis[]> {
  const { variant, reason, isCertain = true } = await detectIptablesVariant(runner);
  const found = `${variant ?? 'the one in PATH'}: ${reason}`;
  const check = 'iptables in use';
  return [
    isCertain ? { check, status: 'ok', found } : { check, status: 'unknown', found, advice: 'run doctor as root' },
  ];
}
