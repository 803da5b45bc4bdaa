import { type AddressEvents, AddressEventsNetlink, ProcLocalNetwork, supportsIPv6 } from '@kube-proxier/linux';

/** What a {@link ProxyServer} asks of its host's network. */
export interface HostNetwork {
  /** Canonical addresses of all interfaces, of both families. */
  localAddresses(): Promise<readonly string[]>;
  /** Whether IPv6 is there and switched on (spec M-6). */
  hasIPv6(): Promise<boolean>;
  /** Tells of changes of addresses. Default: nobody does, and they are looked up now and then. */
  addressEvents?(): AddressEvents;
}

const network = new ProcLocalNetwork();

/** The host that this process runs on, in its network namespace. */
export const thisHost: HostNetwork = {
  localAddresses: () => network.localAddresses(),
  hasIPv6: () => supportsIPv6(),
  addressEvents: () => new AddressEventsNetlink(),
};
