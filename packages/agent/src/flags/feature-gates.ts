import { printable } from '@kube-proxier/core';
import type { FlagValues } from './flag-values.js';
import { parseGoBool } from './go-values.js';

/** The supported Kubernetes feature gates. */
export interface FeatureGates {
  /** External IPs of Services are served (`AllowServiceExternalIPs`). Default true. */
  readonly allowServiceExternalIPs: boolean;
  /** Mode nftables serves the loopback addresses that are listed (`KubeProxyNFTablesLocalhostNodePorts`). Default false. */
  readonly nftablesLocalhostNodePorts: boolean;
  /** Mode ipvs can be selected (`KubeProxyIPVS`). Default true. */
  readonly ipvs: boolean;
}

/** A feature gate of kube-proxy 1.36 or 1.37, and its meaning here. */
export interface GateDefinition {
  readonly name: string;
  /** In kube-proxy 1.37. */
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated';
  /** The option that it sets; absent for a gate without effect. */
  readonly effect?: keyof FeatureGates;
  /** Whether it cannot be disabled. */
  readonly locked?: true;
  /** Why it has no effect. */
  readonly without?: string;
}

const LOGGING = 'logging does not depend on it';

/** Feature gates of kube-proxy 1.36 and 1.37 that its own code depends on, in alphabetical order. */
export const FEATURE_GATES: readonly GateDefinition[] = [
  { name: 'AllAlpha', stage: 'Alpha', effect: 'nftablesLocalhostNodePorts' },
  { name: 'AllBeta', stage: 'Beta', without: 'no beta gate has an effect' },
  { name: 'AllowServiceExternalIPs', stage: 'Deprecated', effect: 'allowServiceExternalIPs' },
  { name: 'ComponentFlagz', stage: 'Beta', without: '/flagz is not served; /configz is' },
  { name: 'ComponentStatusz', stage: 'Beta', without: '/statusz is not served; /debug/status is' },
  { name: 'ContextualLogging', stage: 'Beta', without: LOGGING },
  { name: 'KubeProxyIPVS', stage: 'Deprecated', effect: 'ipvs' },
  { name: 'KubeProxyNFTablesLocalhostNodePorts', stage: 'Alpha', effect: 'nftablesLocalhostNodePorts' },
  { name: 'LoggingAlphaOptions', stage: 'Alpha', without: LOGGING },
  { name: 'LoggingBetaOptions', stage: 'Beta', without: LOGGING },
  { name: 'MultiCIDRServiceAllocator', stage: 'GA', locked: true },
  {
    name: 'NativeHistograms',
    stage: 'Beta',
    without: 'metrics are exposed as text, which has classic histograms only',
  },
  { name: 'NFTablesNetlink', stage: 'Beta', without: 'rules are read in one way only' },
  { name: 'PreferSameTrafficDistribution', stage: 'GA', locked: true },
  { name: 'WinDSR', stage: 'GA', without: 'Windows only' },
  { name: 'WinOverlay', stage: 'GA', without: 'Windows only' },
];

/** Reads `--feature-gates` (spec C-50). */
export function readFeatureGates(values: FlagValues): FeatureGates & { readonly warnings: readonly string[] } {
  const place = values.place('feature-gates');
  const warnings: string[] = [];
  const given = new Map<keyof FeatureGates, boolean>();
  let all: boolean | undefined;
  for (const item of values.list('feature-gates')) {
    const [, name = '', text = ''] = /^([^=]*)=?(.*)$/s.exec(item) ?? [];
    const on = parseGoBool(text);
    if (name === '' || on === undefined) {
      const right = 'must be a feature gate with true or false, such as AllowServiceExternalIPs=false';
      values.wrong('feature-gates', item, right);
      continue;
    }
    if (name === 'AllAlpha') {
      // A gate that is named itself takes precedence, in any order.
      all = on;
      continue;
    }
    const gate = FEATURE_GATES.find((candidate) => candidate.name === name);
    if (gate?.locked && !on) {
      values.wrong('feature-gates', item, 'cannot be set: the feature is locked to true');
    } else if (gate?.effect !== undefined) {
      given.set(gate.effect, on);
    } else if (!gate?.locked) {
      warnings.push(
        `${place}: ${printable(item, 120)} has no effect: ${gate?.without ?? 'kube-proxier has no such feature gate'}`,
      );
    }
    if (gate?.stage === 'Deprecated') {
      warnings.push(
        `${place}: ${name} is a deprecated feature gate; it will be removed in a future release of Kubernetes`,
      );
    }
  }
  return {
    allowServiceExternalIPs: given.get('allowServiceExternalIPs') ?? true,
    nftablesLocalhostNodePorts: given.get('nftablesLocalhostNodePorts') ?? all ?? false,
    ipvs: given.get('ipvs') ?? true,
    warnings,
  };
}
