import type { BackendModule, CountedQuantity, Diagnosis } from '@kube-proxier/core';

/** What the mode counts, where connections are to be counted; undefined where they are not. */
export function checkCounting(
  { mode, capabilities }: Pick<BackendModule, 'mode' | 'capabilities'>,
  isRequested: boolean,
): Diagnosis | undefined {
  const check = 'counters';
  if (!isRequested) {
    return undefined;
  }
  const { servicePorts = [], endpoints = [] } = capabilities?.counting ?? {};
  if (servicePorts.length === 0) {
    return {
      check,
      status: 'warning',
      found: `mode ${mode} counts nothing, and --count-connections has no effect`,
      advice: 'leave it out, or use another mode',
    };
  }
  const list = (counted: readonly CountedQuantity[]) => (counted.length === 0 ? 'nothing' : counted.join(' and '));
  return { check, status: 'ok', found: `${list(servicePorts)} of service ports, ${list(endpoints)} of endpoints` };
}
