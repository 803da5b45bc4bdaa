import type { BackendModule, Logger, Source } from '@kube-proxier/core';
import { iptablesBackend } from '@kube-proxier/iptables';
import { createIpvsBackend, ipvsBackend } from '@kube-proxier/ipvs';
import { type Conntrack, ConntrackTool } from '@kube-proxier/linux';
import { nftablesBackend } from '@kube-proxier/nftables';
import { createUserspaceBackend, userspaceBackend } from '@kube-proxier/userspace';
import { createSources } from './create-sources.js';
import type { AgentSettings } from './flags/settings.js';

/** The parts that an agent is put together from. */
export interface Composition {
  /** Every way to program a node that this program knows. Making it touches nothing. */
  readonly backends: readonly BackendModule[];
  /** The same backends with the options that are their own. Default: as they are. */
  configure?(settings: AgentSettings): readonly BackendModule[];
  sources(settings: AgentSettings, logger: Logger): readonly Source[];
  /** Where stale flows are deleted; when absent, they are left. */
  readonly conntrack?: Conntrack;
}

/** The real parts. The only place that knows which backends and sources there are. */
export function compose(): Composition {
  const backends = [iptablesBackend, nftablesBackend, ipvsBackend, userspaceBackend];
  return {
    backends,
    configure: ({ userspace, ipvs }) =>
      backends.map((backend) =>
        backend === userspaceBackend
          ? createUserspaceBackend(userspace)
          : backend === ipvsBackend
            ? createIpvsBackend(ipvs)
            : backend,
      ),
    sources: createSources,
    conntrack: new ConntrackTool(),
  };
}
