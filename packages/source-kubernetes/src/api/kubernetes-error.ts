import { ProxierError } from '@kube-proxier/core';

/**
 * The configuration does not allow requests to the API server.
 *
 * `code` is
 * - `KUBECONFIG_NOT_FOUND`, `KUBECONFIG_UNREADABLE`: the file does not exist, or cannot be read;
 * - `KUBECONFIG_INVALID`: it is not a kubeconfig, or required fields are missing;
 * - `NOT_IN_CLUSTER`: no kubeconfig and no server were given, and this process does not run in a pod;
 * - `CREDENTIALS_UNREADABLE`: a token, certificate or key that the configuration names cannot be read;
 * - `CLIENT_NODE_MISSING`: the kubeconfig needs the package @kubernetes/client-node, which is not installed;
 * - `EXEC_PLUGIN_FAILED`: the credential plug-in failed;
 * - `OPTION_INVALID`: an option of a class is missing, unknown or invalid;
 * - `RESOURCE_INVALID`: the name of a resource or namespace that cannot be part of a URL;
 * - `SOURCE_IN_USE`: a source or reflector was started twice;
 * - `STOPPED`: a reflector was stopped before its cache was complete.
 */
export class KubernetesError extends ProxierError {}

/**
 * A request failed. Logged and retried; never thrown out of a source.
 *
 * `code` is `API_UNREACHABLE` (no connection, or it was closed), `API_SILENT` (a timeout on an open connection),
 * `API_STATUS` ({@link ApiStatusError}), `COMMAND_FAILED` (a command that could not be run in a pod), `API_RESPONSE_INVALID` (an answer that cannot be parsed), `API_STALE` (an
 * answer older than the known state), `API_INCOMPLETE` (a watch that ended within its initial events) or `WATCH_LIST_UNSUPPORTED` (a
 * server without initial events).
 */
export class ApiError extends ProxierError {}

/** An open watch received nothing for longer than the bookmark interval (`API_SILENT`). */
export class SilentWatch extends ApiError {
  /** @param limit milliseconds. */
  constructor(limit: number) {
    super('API_SILENT', `a watch was silent for ${limit} ms`);
  }
}

/** An answer exceeds the size limit (`API_RESPONSE_INVALID`). */
export class ResponseTooLarge extends ApiError {
  /** @param maxBytes the limit. */
  constructor(maxBytes: number) {
    super('API_RESPONSE_INVALID', `the answer is larger than the ${maxBytes} bytes that are read, and was refused`);
  }
}

/** The API server answered with an error, by HTTP status or in an ERROR event of a watch. */
export class ApiStatusError extends ApiError {
  /** HTTP status, for example 410. */
  readonly status: number;
  /** Reason of the Status object, for example `Expired`; empty without one. */
  readonly reason: string;
  /** Milliseconds to wait before the next request, when the server requests it. */
  readonly retryAfter: number | undefined;
  /** The server does not have the requested version, for example after a restore. */
  readonly isVersionTooLarge: boolean;

  constructor(status: number, reason: string, message: string, retryAfter?: number, isVersionTooLarge = false) {
    super('API_STATUS', message);
    this.isVersionTooLarge = isVersionTooLarge;
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
