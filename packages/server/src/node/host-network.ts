import { type AddressEvents, AddressEventsNetlink, ProcLocalNetwork, supportsIPv6 } from '@kube-proxier/linux';

/** Information that a {@link ProxyServer} needs about its host's network. */
export interface HostNetwork {
  /** Canonical addresses of all interfaces, of both families. */
  localAddresses(): Promise<readonly string[]>;
  /** Whether IPv6 is supported and enabled (spec M-6). */
  hasIPv6(): Promise<boolean>;
  /** Reports address changes. Default: none, and addresses are read periodically. */
  addressEvents?(): AddressEvents;
}

const network = new ProcLocalNetwork();

/** The host that this process runs on, in its network namespace. */
export const thisHost: HostNetwork = {
  localAddresses: () => network.localAddresses(),
  hasIPv6: () => supportsIPv6(),
  addressEvents: () => new AddressEventsNetlink(),
};
