import { availableParallelism } from 'node:os';
import type { BackendModule, Logger, Source } from '@kube-proxier/core';
import { iptablesBackend } from '@kube-proxier/iptables';
import { createIpvsBackend, ipvsBackend } from '@kube-proxier/ipvs';
import { type Conntrack, HostConntrack, kernelFiles, ProcSysctl } from '@kube-proxier/linux';
import { nftablesBackend } from '@kube-proxier/nftables';
import { createUserspaceBackend, userspaceBackend } from '@kube-proxier/userspace';
import { createConfiguredNftablesBackend } from './configured-nftables.js';
import { createEvents } from './create-events.js';
import { createSources } from './create-sources.js';
import { gatherHostFacts, type HostFacts } from './doctor/host-facts.js';
import type { AgentSettings } from './flags/settings.js';
import type { HostAccess } from './running/host-setup.js';
import type { EventSink } from './running/node-events.js';

/** The parts that an agent is put together from. */
export interface Composition {
  /** Every way to program a node that this program knows. Making it touches nothing. */
  readonly backends: readonly BackendModule[];
  /** The same backends with the options that are their own. Default: as they are. */
  configure?(settings: AgentSettings): readonly BackendModule[];
  sources(settings: AgentSettings, logger: Logger): readonly Source[];
  /** Where stale flows are deleted; when absent, they are left. */
  readonly conntrack?: Conntrack;
  /** Where connection tracking and this process are set up; when absent, nothing of the host is touched. */
  readonly host?: HostAccess;
  /** One such agent serves a network namespace: a second waits for the first. Default: any number do. */
  readonly exclusive?: boolean;
  /** What is the case on this host, for `doctor`; when absent, nothing of the host is looked at. */
  inspect?(): Promise<HostFacts>;
  /** Where events are told, with the node's name; undefined for nowhere. */
  events?(settings: AgentSettings, nodeName: string, logger: Logger): EventSink | undefined;
}

/** The real parts. The only place that knows which backends and sources there are. */
export function compose(): Composition {
  const backends = [iptablesBackend, nftablesBackend, ipvsBackend, userspaceBackend];
  return {
    backends,
    configure: ({ userspace, nftables, ipvs }) =>
      backends.map((backend) => {
        switch (backend) {
          case userspaceBackend:
            return createUserspaceBackend(userspace);
          case nftablesBackend:
            return createConfiguredNftablesBackend(nftables);
          case ipvsBackend:
            return createIpvsBackend(ipvs);
          default:
            return backend;
        }
      }),
    sources: createSources,
    conntrack: new HostConntrack(),
    host: { sysctl: new ProcSysctl(), files: kernelFiles, cpus: availableParallelism() },
    exclusive: true,
    inspect: () => gatherHostFacts(),
    events: createEvents,
  };
}
