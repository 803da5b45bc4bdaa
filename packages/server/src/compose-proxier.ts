import {
  type BackendModule,
  DualStackProxier,
  type IPFamily,
  type Logger,
  type ObjectReader,
  optionsOfFamily,
  type Proxier,
  ProxierError,
  type ProxierOptions,
  type SyncObserver,
  systemClock,
  Tokens,
} from '@kube-proxier/core';
import { Container } from 'inversify';
import { AddressWatch } from './node/address-watch.js';
import { thisHost } from './node/host-network.js';
import type { ProxyServerOptions } from './proxy-server-options.js';
import type { FlightRecorder } from './recorder/flight-recorder.js';

/** Dependencies of a proxier, in addition to the options of the server. */
export interface ProxierParts {
  readonly backend: BackendModule;
  readonly proxier: ProxierOptions;
  /** Families to serve. */
  readonly families: readonly IPFamily[];
  readonly observer: SyncObserver;
  /** Shared by the proxiers of both families. */
  readonly reader: ObjectReader;
  /** Records inputs of the proxiers other than objects. Default: none. */
  readonly recorder: FlightRecorder | undefined;
  readonly logger: Logger;
  /** Stops the watch of the host's addresses. */
  readonly signal: AbortSignal;
}

/**
 * Creates the proxier of a backend: one for each family, and a combined one.
 *
 * @throws the error of the backend.
 */
export function composeProxier(options: ProxyServerOptions, parts: ProxierParts): Proxier {
  const { clock = systemClock, network = thisHost } = options;
  const { backend, proxier, families, observer, reader, recorder, logger } = parts;
  const container = new Container();
  container.bind(Tokens.Logger).toConstantValue(logger);
  container.bind(Tokens.Clock).toConstantValue(clock);
  container.load(backend.module);
  const create = container.get(Tokens.ProxierFactory);

  const watch = watchOfAddresses(options, parts);
  const make = (family: IPFamily) => {
    const familyOptions = optionsOfFamily(proxier, family, backend.capabilities);
    recorder?.familyServed(family, familyOptions);
    return create({
      family,
      options: familyOptions,
      logger,
      clock,
      observer,
      localAddresses: async () => {
        const addresses = await network.localAddresses();
        recorder?.addressesRead(family, addresses);
        return addresses;
      },
      ...(watch === undefined ? {} : { watchAddresses: (onChange, signal) => watch.watch(onChange, signal) }),
      reader,
    });
  };
  const proxiers = new Map(families.map((family) => [family, make(family)]));
  const ipv4 = proxiers.get('IPv4');
  const ipv6 = proxiers.get('IPv6');
  const single = ipv4 ?? ipv6;
  if (!single) {
    throw new ProxierError('NO_IP_FAMILY', 'no IP family to serve is configured');
  }
  return ipv4 && ipv6 ? new DualStackProxier(ipv4, ipv6) : single;
}

/** One watch for all proxiers; undefined when the host reports no changes of addresses. */
function watchOfAddresses(
  { clock = systemClock, network = thisHost, metrics }: ProxyServerOptions,
  { logger, signal }: ProxierParts,
): AddressWatch | undefined {
  const events = network.addressEvents?.bind(network);
  return (
    events && new AddressWatch({ events, clock, logger, signal, onFailure: () => metrics?.partFailed('address watch') })
  );
}
