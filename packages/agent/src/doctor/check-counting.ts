import type { BackendModule, CountedQuantity, Diagnosis, ProxierOptions } from '@kube-proxier/core';

/** Diagnosis of the mode's counting, if connections or traffic should be counted; undefined otherwise. */
export function checkCounting(
  { mode, capabilities }: Pick<BackendModule, 'mode' | 'capabilities'>,
  {
    countConnections = false,
    countTraffic = false,
  }: Partial<Pick<ProxierOptions, 'countConnections' | 'countTraffic'>>,
): Diagnosis | undefined {
  const check = 'counters';
  if (!countConnections && !countTraffic) {
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
  if (countTraffic && !servicePorts.includes('bytes')) {
    return {
      check,
      status: 'warning',
      found: `mode ${mode} counts no packets and no bytes, so --count-traffic counts connections only`,
      advice: 'use --count-connections, or another mode',
    };
  }
  const list = (counted: readonly CountedQuantity[]) => (counted.length === 0 ? 'nothing' : counted.join(' and '));
  return { check, status: 'ok', found: `${list(servicePorts)} of service ports, ${list(endpoints)} of endpoints` };
}
