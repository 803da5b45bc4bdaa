import type { Endpoint } from './endpoint.js';
import type { ResolvedServicePort } from './proxy-state.js';

/**
 * The endpoints whose existing flows are kept. A flow of a connectionless protocol to any other address is stale: the
 * kernel would keep it for as long as the client sends (kube-proxy: `pkg/proxy/conntrack/cleanup.go`).
 *
 * - UDP: serving endpoints, whether they get new flows or not. If none serves, all existing endpoints.
 * - SCTP: every endpoint that exists. An association to a terminating endpoint ends when its peer ends it.
 * - TCP: as SCTP. The client notices a missing peer; no other program has to close the connection.
 *
 * Costs O(candidates). Pure.
 */
export function endpointsKeepingFlows({ name, candidates }: ResolvedServicePort): readonly Endpoint[] {
  if (name.protocol !== 'UDP' || candidates.every(({ serving }) => serving)) {
    return candidates;
  }
  const serving = candidates.filter((endpoint) => endpoint.serving);
  return serving.length > 0 ? serving : candidates;
}
