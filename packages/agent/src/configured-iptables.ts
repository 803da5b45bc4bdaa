import { type BackendModule, combinedAffinity, type FormerAffinity, type IPFamily } from '@kube-proxier/core';
import { createIptablesBackend, type IptablesBackendOptions } from '@kube-proxier/iptables';
import { readTemplateAffinity } from '@kube-proxier/ipvs';
import type { CommandRunner } from '@kube-proxier/linux';
import { readNftablesAffinity } from '@kube-proxier/nftables';
import { withLocalhostNodePorts } from './with-localhost-node-ports.js';

export interface ConfiguredIptablesOptions extends IptablesBackendOptions {
  /**
   * Whether sockets of this process serve NodePorts on ::1, if the proxier's `nodePortAddresses` include it: rules serve
   * 127.0.0.0/8 only. Default false.
   */
  readonly localhostNodePortsIPv6?: boolean;
}

/**
 * Mode iptables, which takes over the session affinity of modes nftables and ipvs, with its optional companion for
 * NodePorts on ::1. Has no side effects until it is used.
 */
export function createConfiguredIptablesBackend({
  localhostNodePortsIPv6 = false,
  ...options
}: ConfiguredIptablesOptions = {}): BackendModule {
  const { runner } = options;
  const backend = createIptablesBackend({ formerAffinity: (family) => readOtherModes(family, runner), ...options });
  return localhostNodePortsIPv6 ? withLocalhostNodePorts(backend, 'selected', ['IPv6']) : backend;
}

async function readOtherModes(family: IPFamily, runner: CommandRunner | undefined): Promise<FormerAffinity> {
  return combinedAffinity(
    await Promise.all([readNftablesAffinity(family, runner), readTemplateAffinity(family, runner)]),
  );
}
