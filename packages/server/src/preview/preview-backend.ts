import {
  type BackendModule,
  type IPFamily,
  type Logger,
  type Preview,
  type ProxierOptions,
  systemClock,
  Tokens,
} from '@kube-proxier/core';
import { containerOf } from '../backends/backend-container.js';
import { type HostNetwork, thisHost } from '../node/host-network.js';

/** Options of {@link previewBackend}. */
export interface PreviewBackendOptions {
  readonly family: IPFamily;
  readonly proxier: ProxierOptions;
  readonly logger: Logger;
  /** Default: the host that this process runs on. */
  readonly network?: Pick<HostNetwork, 'localAddresses'>;
}

/**
 * Shows what a proxier of a backend would write on this host, for one IP family. Writes nothing.
 *
 * @returns undefined for a backend that offers no preview.
 */
export function previewBackend(
  { module }: BackendModule,
  { family, proxier, logger, network = thisHost }: PreviewBackendOptions,
): Preview | undefined {
  const container = containerOf(module, logger);
  return container.isBound(Tokens.Preview)
    ? container.get(Tokens.Preview)({
        family,
        options: proxier,
        logger,
        clock: systemClock,
        localAddresses: () => network.localAddresses(),
      })
    : undefined;
}
