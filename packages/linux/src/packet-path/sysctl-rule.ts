import type { PathRule } from '@kube-proxier/core';

/**
 * A kernel setting that decides about a packet, as a rule of its path.
 *
 * @param name such as `net/ipv4/ip_forward`.
 * @param value undefined: it could not be read.
 */
export function sysctlRule(name: string, value: number | undefined): PathRule {
  const setting = name.replaceAll('/', '.');
  return {
    system: 'sysctl',
    text: value === undefined ? `${setting} (not readable)` : `${setting} = ${value}`,
    foreign: true,
  };
}
