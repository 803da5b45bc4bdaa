import { ProxierError } from '@kube-proxier/core';

/**
 * The API server cannot be asked as things are configured.
 *
 * `code` is
 * - `KUBECONFIG_NOT_FOUND`, `KUBECONFIG_UNREADABLE`: the file is not there, or cannot be read;
 * - `KUBECONFIG_INVALID`: it is no kubeconfig, or lacks what is needed;
 * - `NOT_IN_CLUSTER`: no kubeconfig and no server were given, and this process does not run in a pod;
 * - `CREDENTIALS_UNREADABLE`: a token, certificate or key that the configuration names cannot be read;
 * - `EXEC_PLUGIN_FAILED`: the program that is to provide credentials did not;
 * - `SOURCE_IN_USE`: a source was started twice.
 */
export class KubernetesError extends ProxierError {}

/**
 * A request did not bring what it was made for. Told in the log, and made again; never thrown out of a source.
 *
 * `code` is `API_UNREACHABLE` (no connection, or it broke), `API_SILENT` (a connection that says nothing any more),
 * `API_STATUS` ({@link ApiStatusError}), `API_RESPONSE_INVALID` (an answer that cannot be understood) or
 * `API_STALE` (an answer older than what is known).
 */
export class ApiError extends ProxierError {}

/** An answer is larger than what is read (`API_RESPONSE_INVALID`). */
export class ResponseTooLarge extends ApiError {
  /** @param maxBytes that are read. */
  constructor(maxBytes: number) {
    super('API_RESPONSE_INVALID', `the answer is larger than the ${maxBytes} bytes that are read, and was refused`);
  }
}

/** The API server answered with an error, by HTTP status or in an ERROR event of a watch. */
export class ApiStatusError extends ApiError {
  /** HTTP status, for example 410. */
  readonly status: number;
  /** Of the Status object, for example `Expired`; empty when it says none. */
  readonly reason: string;
  /** Milliseconds to wait before the next request, when the server asks for it. */
  readonly retryAfter: number | undefined;

  constructor(status: number, reason: string, message: string, retryAfter?: number) {
    super('API_STATUS', message);
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
