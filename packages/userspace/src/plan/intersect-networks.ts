import { cidrContains } from '@kube-proxier/core';

/**
 * The network that two canonical networks have in common: the smaller one, or undefined when they are disjoint. Pure.
 */
export function intersectNetworks(left: string, right: string): string | undefined {
  const [leftBase = '', leftLength = ''] = left.split('/');
  const [rightBase = '', rightLength = ''] = right.split('/');
  const [outer, inner, base] =
    Number(leftLength) <= Number(rightLength) ? [left, right, rightBase] : [right, left, leftBase];
  return cidrContains(outer, base) ? inner : undefined;
}
