import { type Clock, isRecord, systemClock, type UnknownRecord } from '@kube-proxier/core';
import { ApiClient } from '../api/api-client.js';
import { type ApiCredentials, createApiCredentials } from '../api/api-credentials.js';
import { ApiError, ApiStatusError } from '../api/kubernetes-error.js';

/** Options of a {@link MetricsAccessReviewer}. `kubeconfig` and `master` as for `KubernetesSource`. */
export interface MetricsAccessReviewerOptions {
  readonly kubeconfig?: string;
  readonly master?: string;
  readonly context?: string;
  /** The URL that a user must have permission to `get`. Default `/metrics`. */
  readonly path?: string;
  /** Timeout of a review in milliseconds. Default 3000. */
  readonly timeout?: number;
  readonly userAgent?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly serviceAccountDirectory?: string;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const ACCESS_REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
/** Maximum size of an answer in bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Authorizes access to metrics by an API server: a TokenReview names the user of a bearer token, and a
 * SubjectAccessReview decides whether this user may `get` the URL `/metrics`. The reviewer itself needs permission to
 * create both.
 *
 * It has no cache: each decision takes two requests.
 */
export class MetricsAccessReviewer {
  readonly #credentials: ApiCredentials;
  readonly #client: ApiClient;
  readonly #path: string;

  constructor(options: MetricsAccessReviewerOptions = {}) {
    const { clock = systemClock, path = '/metrics', timeout = 3000, userAgent = 'kube-proxier' } = options;
    this.#path = path;
    this.#credentials = createApiCredentials({ ...options, clock });
    this.#client = new ApiClient({
      credentials: this.#credentials,
      clock,
      responseTimeout: timeout,
      pageTimeout: timeout,
      maxPageBytes: MAX_BYTES,
      userAgent,
    });
  }

  /**
   * @param token a bearer token, as received from a client.
   * @returns whether the token is valid, and its user has the permission.
   * @throws ApiError when the API server cannot be reached, refuses the review, or its answer is invalid;
   *   KubernetesError when the configuration does not allow requests.
   */
  async review(token: string, signal: AbortSignal): Promise<'unauthenticated' | 'forbidden' | 'allowed'> {
    const reviewed = await this.#create(
      TOKEN_REVIEWS,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
      signal,
    );
    if (reviewed.authenticated !== true) {
      return 'unauthenticated';
    }
    const { user } = reviewed;
    if (!isRecord(user) || typeof user.username !== 'string' || user.username === '') {
      throw new ApiError('API_RESPONSE_INVALID', 'the TokenReview names no user for a valid token');
    }
    const { username, uid, groups, extra } = user;
    const access = await this.#create(
      ACCESS_REVIEWS,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: username,
          // As received: the API server validates them.
          ...(uid === undefined ? {} : { uid }),
          ...(groups === undefined ? {} : { groups }),
          ...(extra === undefined ? {} : { extra }),
          nonResourceAttributes: { path: this.#path, verb: 'get' },
        },
      },
      signal,
    );
    return access.allowed === true && access.denied !== true ? 'allowed' : 'forbidden';
  }

  /** Closes the connections. */
  close(): void {
    this.#client.close();
  }

  /** @returns the status of the created object. */
  async #create(path: string, object: object, signal: AbortSignal): Promise<UnknownRecord> {
    try {
      const { status } = await this.#client.create(path, object, signal);
      if (!isRecord(status)) {
        throw new ApiError('API_RESPONSE_INVALID', `the answer to a request to ${path} has no status`);
      }
      return status;
    } catch (error) {
      if (error instanceof ApiStatusError && error.status === 401) {
        this.#credentials.refused();
      }
      throw error;
    }
  }
}
