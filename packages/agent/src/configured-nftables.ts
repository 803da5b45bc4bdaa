import type { BackendModule } from '@kube-proxier/core';
import { createNftablesBackend, type NftablesBackendOptions } from '@kube-proxier/nftables';
import { type LocalhostNodePortSetting, withLocalhostNodePorts } from './with-localhost-node-ports.js';

export interface ConfiguredNftablesOptions extends NftablesBackendOptions {
  /** Default false. */
  readonly localhostNodePorts?: LocalhostNodePortSetting;
}

/** Mode nftables with its optional companion for localhost NodePorts. Has no side effects until it is used. */
export function createConfiguredNftablesBackend({
  localhostNodePorts = false,
  ...options
}: ConfiguredNftablesOptions = {}): BackendModule {
  const backend = createNftablesBackend(options);
  return localhostNodePorts === false ? backend : withLocalhostNodePorts(backend, localhostNodePorts);
}
