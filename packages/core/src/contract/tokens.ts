import type { ServiceIdentifier } from 'inversify';
import type { Clock } from '../sync/clock.js';
import type { Cleanup, ProxierFactory } from './backend-module.js';
import type { Logger } from './logger.js';

function token<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`@kube-proxier/core/${name}`) as ServiceIdentifier<T>;
}

/**
 * What is bound in the container, by token. They are registered symbols, so two installed copies of this package
 * still meet.
 */
export const Tokens = {
  /** Bound by the host. */
  Logger: token<Logger>('Logger'),
  /** Bound by the host. */
  Clock: token<Clock>('Clock'),
  /** Bound by a backend's module. */
  ProxierFactory: token<ProxierFactory>('ProxierFactory'),
  /** Bound by a backend's module. */
  Cleanup: token<Cleanup>('Cleanup'),
} as const;
