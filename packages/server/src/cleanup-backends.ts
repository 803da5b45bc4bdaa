import {
  type BackendModule,
  isProxierError,
  type Logger,
  messageOf,
  ProxierError,
  type ProxyMode,
  systemClock,
  Tokens,
} from '@kube-proxier/core';
import { whyNotPermitted } from '@kube-proxier/linux';
import { Container } from 'inversify';

/** Some of what backends left on the host could not be removed. `cause` is an `AggregateError` with all reasons. */
export class CleanupError extends ProxierError {
  constructor(
    code: 'CLEANUP_FAILED',
    message: string,
    /** Nothing is wrong but that this process may not look, so nobody knows whether anything is left. */
    readonly isDenied: boolean,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
  }
}

/**
 * Removes every trace of the given backends from the host, and nothing else. Idempotent. One that fails does not keep
 * the others from being cleaned up after.
 *
 * @param inForce - the mode that is in force and stays. Default: none is.
 * @returns what stays while connections go through it, in words. Only with `inForce`.
 * @throws CleanupError `CLEANUP_FAILED` when something is left.
 */
export async function cleanupBackends(
  backends: readonly BackendModule[],
  logger: Logger,
  inForce?: ProxyMode,
): Promise<readonly string[]> {
  const staying: string[] = [];
  const errors: unknown[] = [];
  const reasons: string[] = [];
  const denied: string[] = [];
  for (const { mode, module } of backends) {
    try {
      const container = new Container();
      container.bind(Tokens.Logger).toConstantValue(logger);
      container.bind(Tokens.Clock).toConstantValue(systemClock);
      container.load(module);
      const stays = await container.get(Tokens.Cleanup)(logger, inForce);
      staying.push(...(typeof stays === 'string' ? [stays] : []));
      if (inForce === undefined) {
        logger.info(`Nothing of proxy mode ${mode} is left`);
      }
    } catch (error) {
      errors.push(error);
      reasons.push(`${mode}: ${messageOf(error)}`);
      if (isPermissionDenied(error)) {
        denied.push(mode);
      }
    }
  }
  if (errors.length > 1 && denied.length === errors.length) {
    const message = `what proxy modes left (${denied.join(', ')}) could not be looked at or removed: ${whyNotPermitted()}`;
    throw new CleanupError('CLEANUP_FAILED', message, true, { cause: new AggregateError(errors) });
  }
  if (errors.length > 0) {
    const message = `encountered an error while tearing down rules (${reasons.join('; ')}); run it again when that is solved`;
    const isDenied = denied.length === errors.length;
    throw new CleanupError('CLEANUP_FAILED', message, isDenied, { cause: new AggregateError(errors) });
  }
  return staying;
}

/** Whether the reason of all is that this process may not, as the codes of backends and tools end then. */
function isPermissionDenied(error: unknown): boolean {
  return isProxierError(error) && (error.code.endsWith('_PERMISSION_DENIED') || isPermissionDenied(error.cause));
}
