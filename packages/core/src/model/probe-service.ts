/**
 * Namespace of the Services by which agents probe their own data plane. They have no object in the cluster, and differ from
 * node to node.
 */
export const PROBE_NAMESPACE = 'kube-proxier-probe';

/** Whether it is a Service of the probe, which a node has only for itself. */
export function isProbeService({ namespace, name }: { readonly namespace: string; readonly name: string }): boolean {
  return namespace === PROBE_NAMESPACE && (name === 'ipv4' || name === 'ipv6');
}
