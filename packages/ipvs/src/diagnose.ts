import type { Diagnosis } from '@kube-proxier/core';

/** What IPVS does not support, also listed in `docs/modes.md`. */
const LIMITS: readonly Diagnosis[] = [
  'NodePorts do not answer on 127.0.0.1',
  'a client stays with an endpoint for each address and port separately, not for the whole Service',
  "other ports of external and load balancer addresses are refused, as the addresses are this node's own",
  'two connections at once from one address and port to two Services with the same endpoint cut each other off',
].map((found) => ({ check: 'ipvs by its nature', status: 'ok', found }));

/** See `BackendModule.diagnose`. */
export async function diagnose(): Promise<readonly Diagnosis[]> {
  return LIMITS;
}
