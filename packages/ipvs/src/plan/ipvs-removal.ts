import type { LeftoverOwner } from '@kube-proxier/core';
import { RULE_TABLES } from './fixed-chains.js';
import type { InstalledIpvs, InstalledVirtualServer } from './installed-ipvs.js';
import { hasKubeProxyRules, isKubeProxySet, OWN_CHAINS } from './rule-documents.js';

/** Which proxy has installed IPVS objects, for one IP family; `none` where no objects of either are found. */
export type IpvsOwner = 'kube-proxier' | 'kube-proxy' | 'none';

/** What a clean-up removes, of one IP family. */
export interface IpvsRemoval {
  readonly virtualServers: readonly InstalledVirtualServer[];
  /** On the interface of the virtual addresses. */
  readonly addresses: readonly string[];
  /** Names. */
  readonly sets: readonly string[];
  /** The chains of this backend, and jumps to them. */
  readonly ownChains: boolean;
  /** The chains and rules that only kube-proxy's ipvs mode makes. */
  readonly kubeProxyChains: boolean;
  /** The interface, when no address is left on it. */
  readonly interface: boolean;
}

/**
 * Detects the serving program: the interface and virtual servers of both look alike. This backend removes kube-proxy's
 * rules when it starts, so where there are some, kube-proxy came later. Pure.
 */
export function ownerOf({ tables, sets }: InstalledIpvs): IpvsOwner {
  if (hasKubeProxyRules(tables)) {
    return 'kube-proxy';
  }
  const hasOwn =
    RULE_TABLES.some((table) => OWN_CHAINS.some((chain) => tables[table].has(chain))) ||
    [...sets.keys()].some((name) => !isKubeProxySet(name));
  if (hasOwn) {
    return 'kube-proxier';
  }
  return sets.size > 0 ? 'kube-proxy' : 'none';
}

/**
 * Decides what a clean-up removes. Pure.
 *
 * @param whose `backend`: what this backend has installed, and its leftovers, if kube-proxy serves. `kube-proxy`: what
 *   kube-proxy has installed, and objects without a recognizable owner. `both`: all that was read.
 */
export function removalOf(installed: InstalledIpvs, whose: LeftoverOwner | 'both'): IpvsRemoval {
  const { virtualServers, addresses } = installed;
  const own = [...installed.sets.keys()].filter((name) => !isKubeProxySet(name));
  const foreign = [...installed.sets.keys()].filter(isKubeProxySet);
  const everything = { virtualServers, addresses, interface: true };
  const nothing = { virtualServers: [], addresses: [], sets: [], interface: false };
  if (whose === 'both') {
    return { ...everything, sets: [...own, ...foreign], ownChains: true, kubeProxyChains: true };
  }
  const owner = ownerOf(installed);
  if (whose === 'kube-proxy') {
    return owner === 'kube-proxier'
      ? { ...nothing, ownChains: false, kubeProxyChains: false }
      : { ...everything, sets: foreign, ownChains: false, kubeProxyChains: true };
  }
  switch (owner) {
    case 'kube-proxier':
      return { ...everything, sets: own, ownChains: true, kubeProxyChains: false };
    case 'kube-proxy': {
      // Only this backend knows virtual servers by marks.
      const marked = virtualServers.filter(({ virtual: { at } }) => at.kind === 'mark');
      return { ...nothing, virtualServers: marked, sets: own, ownChains: true, kubeProxyChains: false };
    }
    case 'none':
      return { ...nothing, ownChains: false, kubeProxyChains: false };
  }
}
