import type { ApplyTarget } from '../apply/apply-transaction.js';
import type { InstalledUserspace } from '../plan/installed-userspace.js';

/** Reads what the sockets of this process and the redirect rules of the kernel are. */
export async function readInstalled({ engine, addresses, redirects }: ApplyTarget): Promise<InstalledUserspace> {
  engine.tidy();
  const current = await addresses.read();
  return {
    reach: redirects.reach,
    // Undefined as if it had changed: sockets have to move to the current addresses.
    node: addresses.isApplied(current) ? engine.node : undefined,
    services: engine.services,
    listeners: engine.listeners,
    clusterIPs: redirects.clusterIPs,
    redirectInForce: await redirects.redirector.inForce(),
  };
}
