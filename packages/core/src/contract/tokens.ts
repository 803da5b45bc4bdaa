import type { ServiceIdentifier } from 'inversify';
import type { Clock } from '../sync/clock.js';
import type { ProxierFactory } from './backend-module.js';
import type { Cleanup, FindLeftovers, KubeProxyCleanup } from './cleanup.js';
import type { Logger } from './logger.js';
import type { PreviewFactory } from './preview.js';

function token<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`@kube-proxier/core/${name}`) as ServiceIdentifier<T>;
}

/**
 * Service identifiers of the container. They are registered symbols, so that two installed copies of this package are
 * compatible.
 */
export const Tokens = {
  /** Bound by the host. */
  Logger: token<Logger>('Logger'),
  /** Bound by the host. */
  Clock: token<Clock>('Clock'),
  /** Bound by a backend's module. */
  ProxierFactory: token<ProxierFactory>('ProxierFactory'),
  /**
   * Bound by a backend's module: removes everything that the backend has installed. Never used for the mode in force.
   */
  Cleanup: token<Cleanup>('Cleanup'),
  /** Optionally bound by a backend's module: removes what kube-proxy has installed in the mode of the same name. */
  KubeProxyCleanup: token<KubeProxyCleanup>('KubeProxyCleanup'),
  /** Optionally bound by a backend's module: lists what the two clean-ups would remove, for `cleanup --dry-run`. */
  Leftovers: token<FindLeftovers>('Leftovers'),
  /** Optionally bound by a backend's module: shows what its proxiers would write, for `kube-proxier plan`. */
  Preview: token<PreviewFactory>('Preview'),
} as const;
