import { type BackendModule, combinedAffinity, type FormerAffinity, type IPFamily } from '@kube-proxier/core';
import { readRecentAffinity } from '@kube-proxier/iptables';
import { readTemplateAffinity } from '@kube-proxier/ipvs';
import { type CommandRunner, recentFiles } from '@kube-proxier/linux';
import { createNftablesBackend, type NftablesBackendOptions } from '@kube-proxier/nftables';
import { type LocalhostNodePortSetting, withLocalhostNodePorts } from './with-localhost-node-ports.js';

export interface ConfiguredNftablesOptions extends NftablesBackendOptions {
  /** Default false. */
  readonly localhostNodePorts?: LocalhostNodePortSetting;
}

/**
 * Mode nftables, which takes over the session affinity of modes iptables and ipvs, with its optional companion for
 * localhost NodePorts. Has no side effects until it is used.
 */
export function createConfiguredNftablesBackend({
  localhostNodePorts = false,
  ...options
}: ConfiguredNftablesOptions = {}): BackendModule {
  const { runner } = options;
  const backend = createNftablesBackend({ formerAffinity: (family) => readOtherModes(family, runner), ...options });
  return localhostNodePorts === false ? backend : withLocalhostNodePorts(backend, localhostNodePorts);
}

async function readOtherModes(family: IPFamily, runner: CommandRunner | undefined): Promise<FormerAffinity> {
  return combinedAffinity(
    await Promise.all([readRecentAffinity(recentFiles(runner)), readTemplateAffinity(family, runner)]),
  );
}
