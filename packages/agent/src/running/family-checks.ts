import { type BackendCapabilities, type IPFamily, parseAddress, parseCIDR } from '@kube-proxier/core';
import type { AgentSettings } from '../flags/agent-settings.js';

/** Problems of the configuration with the IP families of this host. */
export interface FamilyFindings {
  /** Fatal problems: traffic would be handled incorrectly. */
  readonly fatal: readonly string[];
  readonly warnings: readonly string[];
  /** Advice about settings that match kube-proxy's defaults but could be better. */
  readonly advice: readonly string[];
}

/**
 * Compares addresses and networks of the configuration with the served IP families (spec K-110, K-111). Pure.
 *
 * @param families the primary one first.
 * @param capabilities of the backend that is requested.
 */
export function checkFamilies(
  { proxier, health, status }: Pick<AgentSettings, 'proxier' | 'health' | 'status'>,
  families: readonly IPFamily[],
  { preservesSource = true }: Pick<BackendCapabilities, 'preservesSource'> = {},
): FamilyFindings {
  const fatal: string[] = [];
  const warnings: string[] = [];
  const advice: string[] = [];
  const [primary = 'IPv4'] = families;
  const dualStack = families.length > 1;

  const { nodePortAddresses, localTrafficDetection } = proxier;
  if (nodePortAddresses?.kind === 'all') {
    advice.push(
      'NodePorts are served on all addresses of this node; consider --nodeport-addresses=primary, to serve them on the ' +
        "node's own only",
    );
  }
  if (nodePortAddresses?.kind === 'cidrs') {
    const present = familiesOf(nodePortAddresses.cidrs);
    const missing = families.filter((family) => !present.has(family));
    if (missing.length > 0) {
      warnings.push(
        `--nodeport-addresses names no ${missing.join(' and no ')} network, so ${missing.join(' and ')} NodePorts are served ` +
          'on all addresses of this node',
      );
    }
  }
  if (localTrafficDetection?.kind === 'none' && !proxier.masqueradeAll && preservesSource) {
    warnings.push(
      '--cluster-cidr is not set, so traffic from outside the cluster cannot be detected: off-cluster traffic to ' +
        'cluster IPs through this node is not masqueraded',
    );
  }
  if (localTrafficDetection?.kind === 'cluster-cidr') {
    const present = familiesOf(localTrafficDetection.cidrs);
    if (present.size > 0 && !present.has(primary)) {
      const text = `--cluster-cidr ${localTrafficDetection.cidrs.join(',')} has no ${primary} network, and ${primary} is the primary IP family`;
      (dualStack ? warnings : fatal).push(text);
    }
  }
  if (!dualStack) {
    for (const [flag, address] of [
      ['--healthz-bind-address', health],
      ['--metrics-bind-address', status],
    ] as const) {
      const family =
        address && !/^(0\.0\.0\.0|::)$/.test(address.host) ? parseAddress(address.host)?.family : undefined;
      if (family !== undefined && family !== primary) {
        warnings.push(`${flag} ${address?.host} is an ${family} address, and only ${primary} is served on this node`);
      }
    }
  }
  return { fatal, warnings, advice };
}

function familiesOf(cidrs: readonly string[]): ReadonlySet<IPFamily> {
  return new Set(cidrs.flatMap((cidr) => parseCIDR(cidr)?.family ?? []));
}
