import {
  type BackendModule,
  DEFAULT_PROXIER_OPTIONS,
  type IPFamily,
  type ProxyMode,
  parseAddress,
  parseCIDR,
  type UnservedLoopback,
  unselectedFamilies,
  unservedLoopback,
} from '@kube-proxier/core';
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
 * @param backend in force. Default: one that declares nothing.
 */
export function checkFamilies(
  { proxier, health, status }: Pick<AgentSettings, 'proxier' | 'health' | 'status'>,
  families: readonly IPFamily[],
  { mode, capabilities = {} }: Partial<Pick<BackendModule, 'mode' | 'capabilities'>> = {},
): FamilyFindings {
  const { preservesSource = true } = capabilities;
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
  if (nodePortAddresses !== undefined && nodePortAddresses.kind !== 'all') {
    const missing = unselectedFamilies(nodePortAddresses, families);
    if (missing.length > 0) {
      warnings.push(
        `--nodeport-addresses names no ${missing.join(' and no ')} network, so ${missing.join(' and ')} NodePorts are served ` +
          'on all addresses of this node',
      );
    }
    const { localhostNodePorts = DEFAULT_PROXIER_OPTIONS.localhostNodePorts } = proxier;
    warnings.push(
      ...loopbackWarnings(unservedLoopback({ nodePortAddresses, localhostNodePorts }, families, capabilities), mode),
    );
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

/** One warning for unsupported networks, and one for networks disabled by an option (spec K-76). */
function loopbackWarnings(unserved: readonly UnservedLoopback[], mode: ProxyMode = ''): readonly string[] {
  const [forbidden, impossible] = [true, false].map((isOption) =>
    unserved.filter(({ cause }) => (cause === 'option') === isOption),
  );
  const networksOf = (items: readonly UnservedLoopback[]) => items.map(({ network }) => network).join(' and ');
  const consequence = (items: readonly UnservedLoopback[]) => {
    const without = items.filter(({ isOnly }) => isOnly).map(({ family }) => family);
    return without.length === 0 ? '' : `; nothing else is listed, so no address has ${without.join(' and ')} NodePorts`;
  };
  const warnings: string[] = [];
  if (impossible && impossible.length > 0) {
    const missing = impossible.map(({ cause }) => cause);
    const remedy =
      mode === 'nftables'
        ? ' without --feature-gates=KubeProxyNFTablesLocalhostNodePorts=true or --nftables-localhost-nodeports'
        : mode === 'ipvs'
          ? ' without --ipvs-localhost-nodeports'
          : '';
    warnings.push(
      `--nodeport-addresses includes ${networksOf(impossible)}, and mode ${mode} serves no NodePorts there${remedy} ` +
        `(it lacks ${missing.join(' and ')})${consequence(impossible)}`,
    );
  }
  if (forbidden && forbidden.length > 0) {
    warnings.push(
      `--nodeport-addresses includes ${networksOf(forbidden)}, but --iptables-localhost-nodeports=false was passed: NodePorts ` +
        `are not served there${consequence(forbidden)}`,
    );
  }
  return warnings;
}
