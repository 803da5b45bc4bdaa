import type { BackendModule, Diagnosis } from '@kube-proxier/core';

/**
 * The port ranges that the mode does not serve; undefined when it serves all. The log names the Services that have such
 * ranges.
 */
export function checkPortRanges({
  mode,
  capabilities,
}: Pick<BackendModule, 'mode' | 'capabilities'>): Diagnosis | undefined {
  const check = 'port ranges';
  const { portRanges = false, shiftedPortRanges = false } = capabilities ?? {};
  if (!portRanges) {
    return {
      check,
      status: 'ok',
      found: `mode ${mode} serves only the first port of a range (kube-proxier.io/port-range)`,
    };
  }
  return shiftedPortRanges
    ? undefined
    : { check, status: 'ok', found: `mode ${mode} serves ranges to the same ports of endpoints, no others` };
}
