import type { PathRule } from './packet-path.js';

/**
 * Names of chains in which network plugins enforce NetworkPolicies: Calico (also in its nftables mode, where the chain has
 * the name of its iptables table as a prefix), the controller of kube-router and k3s, Azure NPM, and Antrea.
 */
const POLICY_CHAINS =
  /^((filter|mangle|raw)-)?cali-(tw|fw|pi|po|pri|pro|th|fh|thfw|fhfw)-|^KUBE-(POD-FW|NWPLCY)-|^AZURE-NPM-|^ANTREA-POL-/;

/** Whether a rule of another program enforces a NetworkPolicy: what it stops is what the users of the cluster want. Pure. */
export function isNetworkPolicyRule({ chain, foreign }: Pick<PathRule, 'chain' | 'foreign'>): boolean {
  return foreign === true && chain !== undefined && POLICY_CHAINS.test(chain);
}
