/**
 * Namespace of the Services with which agents probe their own data plane. They are node-local and have no object in the
 * cluster.
 */
export const PROBE_NAMESPACE = 'kube-proxier-probe';

/** Whether it is a node-local Service of the probe. */
export function isProbeService({ namespace, name }: { readonly namespace: string; readonly name: string }): boolean {
  return namespace === PROBE_NAMESPACE && (name === 'ipv4' || name === 'ipv6');
}
