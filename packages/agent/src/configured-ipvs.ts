import type { BackendModule } from '@kube-proxier/core';
import { createIpvsBackend, type IpvsBackendOptions } from '@kube-proxier/ipvs';
import { type LocalhostNodePortSetting, withLocalhostNodePorts } from './with-localhost-node-ports.js';

export interface ConfiguredIpvsOptions extends IpvsBackendOptions {
  /** Default false. */
  readonly localhostNodePorts?: LocalhostNodePortSetting;
}

/** Mode ipvs with its optional companion for localhost NodePorts. Has no side effects until it is used. */
export function createConfiguredIpvsBackend({
  localhostNodePorts = false,
  ...options
}: ConfiguredIpvsOptions = {}): BackendModule {
  const backend = createIpvsBackend(options);
  return localhostNodePorts === false ? backend : withLocalhostNodePorts(backend, localhostNodePorts);
}
