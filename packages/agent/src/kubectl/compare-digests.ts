import type { IPFamily } from '@kube-proxier/core';
import type { NodeStatus } from '@kube-proxier/server';

/** Nodes with the same state of a family in force. */
export interface DigestGroup {
  readonly family: IPFamily;
  readonly digest: string;
  readonly nodes: readonly string[];
}

/** Whether nodes have the same Services and endpoints in force. */
export interface DigestComparison {
  /** All digests; for each family, the most common first. */
  readonly groups: readonly DigestGroup[];
  /** Nodes that differ from the majority; all nodes without a majority. Sorted. */
  readonly differing: readonly string[];
}

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** Compares the digests of nodes. Ignores nodes without a state in force. Pure. */
export function compareDigests(statuses: readonly Pick<NodeStatus, 'nodeName' | 'families'>[]): DigestComparison {
  const differing = new Set<string>();
  const groups = FAMILIES.flatMap((family) => {
    const byDigest = new Map<string, string[]>();
    for (const { nodeName, families } of statuses) {
      const digest = families[family]?.digest;
      if (typeof digest === 'string') {
        byDigest.set(digest, [...(byDigest.get(digest) ?? []), nodeName]);
      }
    }
    const sorted = [...byDigest]
      .map(([digest, nodes]) => ({ family, digest, nodes }))
      .sort((left, right) => right.nodes.length - left.nodes.length || (left.digest < right.digest ? -1 : 1));
    const [most, next] = sorted;
    const hasMajority = most !== undefined && most.nodes.length > (next?.nodes.length ?? 0);
    for (const { nodes } of sorted.slice(hasMajority ? 1 : 0)) {
      for (const node of nodes) {
        differing.add(node);
      }
    }
    return sorted;
  });
  return { groups, differing: [...differing].sort() };
}
