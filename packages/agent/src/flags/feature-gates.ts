import { printable } from '@kube-proxier/core';
import type { FlagValues } from './flag-values.js';
import { parseGoBool } from './go-values.js';

/** The supported Kubernetes feature gates. */
export interface FeatureGates {
  /** External IPs of Services are served. Default true. */
  readonly allowServiceExternalIPs: boolean;
}

/** Gates that are locked in kube-proxy 1.36: they can be set, but not disabled. */
const LOCKED = ['MultiCIDRServiceAllocator', 'PreferSameTrafficDistribution'];

/** Reads `--feature-gates` (spec C-50). */
export function readFeatureGates(values: FlagValues): FeatureGates & { readonly warnings: readonly string[] } {
  const wrong = (value: string, right: string) => values.wrong('feature-gates', value, right);
  const warnings: string[] = [];
  let allowServiceExternalIPs = true;
  for (const item of values.list('feature-gates')) {
    const [, name = '', text = ''] = /^([^=]*)=?(.*)$/s.exec(item) ?? [];
    const on = parseGoBool(text);
    if (name === '' || on === undefined) {
      wrong(item, 'must be a feature gate with true or false, such as AllowServiceExternalIPs=false');
    } else if (name === 'AllowServiceExternalIPs') {
      allowServiceExternalIPs = on;
    } else if (LOCKED.includes(name)) {
      if (!on) {
        wrong(item, 'cannot be set: the feature is locked to true');
      }
    } else {
      warnings.push(`${values.place('feature-gates')}: ${printable(item, 120)} has no effect: it is not supported`);
    }
  }
  return { allowServiceExternalIPs, warnings };
}
