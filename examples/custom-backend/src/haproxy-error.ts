import { ProxierError } from '@kube-proxier/core';

/**
 * - `HAPROXY_NOT_RUNNING`: no process answers at the admin socket.
 * - `HAPROXY_COMMAND_REFUSED`: the runtime API returned an unexpected answer.
 * - `HAPROXY_DIRECTORY`: the directory cannot be used.
 * - `HAPROXY_LEFTOVERS`: a cleanup could not remove everything.
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
