import type { BackendModule } from '@kube-proxier/core';
import { createIptablesBackend, type IptablesBackendOptions } from '@kube-proxier/iptables';
import { withLocalhostNodePorts } from './with-localhost-node-ports.js';

export interface ConfiguredIptablesOptions extends IptablesBackendOptions {
  /**
   * Whether sockets of this process serve NodePorts on ::1, if the proxier's `nodePortAddresses` include it: rules serve
   * 127.0.0.0/8 only. Default false.
   */
  readonly localhostNodePortsIPv6?: boolean;
}

/** Mode iptables with its optional companion for NodePorts on ::1. Has no side effects until it is used. */
export function createConfiguredIptablesBackend({
  localhostNodePortsIPv6 = false,
  ...options
}: ConfiguredIptablesOptions = {}): BackendModule {
  const backend = createIptablesBackend(options);
  return localhostNodePortsIPv6 ? withLocalhostNodePorts(backend, 'selected', ['IPv6']) : backend;
}
