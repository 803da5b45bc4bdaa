import { isRecord } from '@kube-proxier/core';
import type { ApiClient } from '../api/api-client.js';
import { ApiStatusError } from '../api/kubernetes-error.js';
import type { WatchedResource } from './watched-resource.js';

/**
 * An API server authorizes a request before it checks whether the resource exists, so it answers 403 for a resource that neither the
 * role names nor the server has: ServiceCIDRs before Kubernetes 1.33. Discovery, which all authenticated clients may read, distinguishes
 * the two.
 *
 * @param error the failure of a list or watch.
 * @returns `error`, or a 404 if the resource is optional and the server does not have it.
 */
export async function notFoundIfAbsent(
  error: unknown,
  { name, optional, path }: Pick<WatchedResource, 'name' | 'optional' | 'path'>,
  client: Pick<ApiClient, 'getPage'>,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof ApiStatusError) || error.status !== 403 || !optional) {
    return error;
  }
  const group = path.slice(0, path.lastIndexOf('/'));
  try {
    const { resources } = await client.getPage(group, new URLSearchParams(), signal);
    const isServed = !Array.isArray(resources) || resources.some((one) => isRecord(one) && one.name === name);
    return isServed ? error : new ApiStatusError(404, 'NotFound', `${group} has no resource ${name}`);
  } catch (discovery) {
    return discovery instanceof ApiStatusError && discovery.status === 404 ? discovery : error;
  }
}
