import { ProxierError } from '@kube-proxier/core';

/**
 * - `HAPROXY_NOT_RUNNING`: no process answers at its socket.
 * - `HAPROXY_COMMAND_REFUSED`: it answered something else than it should.
 * - `HAPROXY_DIRECTORY`: the directory for its files cannot be used.
 * - `HAPROXY_LEFTOVERS`: a clean-up could not remove everything.
 */
export type HaproxyErrorCode =
  | 'HAPROXY_NOT_RUNNING'
  | 'HAPROXY_COMMAND_REFUSED'
  | 'HAPROXY_DIRECTORY'
  | 'HAPROXY_LEFTOVERS';

export class HaproxyError extends ProxierError {
  constructor(code: HaproxyErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
