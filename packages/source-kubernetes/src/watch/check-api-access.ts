import { messageOf, printable, systemClock } from '@kube-proxier/core';
import { ApiClient } from '../api/api-client.js';
import { createApiCredentials } from '../api/api-credentials.js';
import { ENDPOINT_SLICES, ownNode, SERVICE_CIDRS, SERVICES } from './watched-resource.js';

/** The result of reading one kind of object. */
export interface ApiAccess {
  /** Resource name, as in the URL: `services`. */
  readonly resource: string;
  /** Why it cannot be read; undefined on success. */
  readonly refusal: string | undefined;
  /** The proxy works without it. */
  readonly optional: boolean;
  /** Number of objects received; at most one. */
  readonly found: number;
}

/** Connection to an API server, as for `KubernetesSource`. */
export interface ApiAccessOptions {
  readonly kubeconfig?: string;
  readonly master?: string;
  readonly nodeName: string;
  /** Timeout of each request in milliseconds. Default 5000. */
  readonly timeout?: number;
}

/**
 * Sends one request for each kind of object that a `KubernetesSource` reads. Never rejects.
 *
 * @returns the server, and the result for each kind.
 */
export async function checkApiAccess({
  timeout = 5000,
  nodeName,
  ...options
}: ApiAccessOptions): Promise<{ readonly server: string; readonly access: readonly ApiAccess[] }> {
  const clock = systemClock;
  const credentials = createApiCredentials({ ...options, clock });
  const client = new ApiClient({
    credentials,
    clock,
    responseTimeout: timeout,
    pageTimeout: timeout,
    maxPageBytes: 64 * 1024 * 1024,
    userAgent: 'kube-proxier',
  });
  const { signal } = new AbortController();
  try {
    const access = await Promise.all(
      [SERVICES, ENDPOINT_SLICES, ownNode(nodeName), SERVICE_CIDRS].map(async (resource): Promise<ApiAccess> => {
        const { name, path, fieldSelector, optional = false } = resource;
        const query = new URLSearchParams({ limit: '1', ...(fieldSelector === undefined ? {} : { fieldSelector }) });
        try {
          const { items } = await client.getPage(path, query, signal);
          return { resource: name, refusal: undefined, optional, found: Array.isArray(items) ? items.length : 0 };
        } catch (error) {
          return { resource: name, refusal: printable(messageOf(error)), optional, found: 0 };
        }
      }),
    );
    return { server: credentials.server, access };
  } finally {
    client.close();
  }
}
