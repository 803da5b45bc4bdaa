import { messageOf, systemClock } from '@kube-proxier/core';
import { ApiClient } from './api-client.js';
import { createApiCredentials } from './api-credentials.js';
import { printable } from './printable.js';
import { ENDPOINT_SLICES, ownNode, SERVICE_CIDRS, SERVICES } from './watched-resource.js';

/** How reading one kind of object went. */
export interface ApiAccess {
  /** As in the URL: `services`. */
  readonly resource: string;
  /** Why it cannot be read; undefined when it can. */
  readonly refusal: string | undefined;
  /** A proxy can do without it. */
  readonly optional: boolean;
  /** Objects that came; one at most. */
  readonly found: number;
}

/** How to reach an API server, as with `KubernetesSource`. */
export interface ApiAccessOptions {
  readonly kubeconfig?: string;
  readonly master?: string;
  readonly nodeName: string;
  /** Milliseconds that each answer may take. Default 5000. */
  readonly timeout?: number;
}

/**
 * Asks an API server once for each kind of object that a `KubernetesSource` reads. Never rejects.
 *
 * @returns the server, and how each went.
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
