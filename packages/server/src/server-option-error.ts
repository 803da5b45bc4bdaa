import { ProxierError } from '@kube-proxier/core';

/** An option of a `ProxyServer` or of `cleanupBackends` is missing, unknown, or has an invalid value. Its code is `SERVER_OPTION`. */
export class ServerOptionError extends ProxierError {
  constructor(
    message: string,
    /** Path of the option: `sources`, `proxier.nodeName`. */
    readonly option: string,
  ) {
    super('SERVER_OPTION', message);
  }
}
