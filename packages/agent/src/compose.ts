import { availableParallelism } from 'node:os';
import {
  type BackendModule,
  DEFAULT_PROXIER_OPTIONS,
  type Logger,
  type ProxierOptions,
  type Source,
  servesLoopback,
  type TextStore,
} from '@kube-proxier/core';
import { iptablesBackend } from '@kube-proxier/iptables';
import { ipvsBackend } from '@kube-proxier/ipvs';
import {
  type Conntrack,
  HostConntrack,
  kernelFiles,
  ProcSysctl,
  type TcpSockets,
  TcpSocketsNetlink,
} from '@kube-proxier/linux';
import { nftablesBackend } from '@kube-proxier/nftables';
import type { AccessReviewer } from '@kube-proxier/server';
import { createUserspaceBackend, userspaceBackend } from '@kube-proxier/userspace';
import { createConfiguredIptablesBackend } from './configured-iptables.js';
import { createConfiguredIpvsBackend } from './configured-ipvs.js';
import { createConfiguredNftablesBackend } from './configured-nftables.js';
import { createAccessReviewer } from './create-access-reviewer.js';
import { createEvents } from './create-events.js';
import { withHealthChecks } from './create-health-checks.js';
import { createSources } from './create-sources.js';
import type { HostFacts } from './doctor/host-facts.js';
import type { AgentSettings } from './flags/agent-settings.js';
import type { HostAccess } from './running/host-setup.js';
import type { EventSink } from './running/node-events.js';

/** The parts of an agent. */
export interface Composition {
  /** All available backends. Creating them has no side effects. */
  readonly backends: readonly BackendModule[];
  /** The same backends, configured with their own options. Default: not configured. */
  configure?(settings: AgentSettings): readonly BackendModule[];
  sources(
    settings: AgentSettings,
    logger: Logger,
    textStore?: () => TextStore,
  ): readonly Source[] | Promise<readonly Source[]>;
  /** Adds health checks to the sources. Default: none. */
  readonly healthChecks?: typeof withHealthChecks;
  /** Conntrack table from which stale flows are deleted; when absent, none are deleted. */
  readonly conntrack?: Conntrack;
  /** Sockets of this host's programs, whose connections to removed endpoints are reset; when absent, none are. */
  readonly tcpSockets?: TcpSockets;
  /** Access to sysctls and files of the host; when absent, host settings are not changed. */
  readonly host?: HostAccess;
  /** Whether only one such agent runs in a network namespace: a second one waits for the first. Default false. */
  readonly exclusive?: boolean;
  /** Facts about this host, for `doctor`; when absent, the host is not checked. */
  inspect?(podCIDRs?: readonly string[]): Promise<HostFacts>;
  /** Creates the sink of Kubernetes events; undefined for none. */
  events?(settings: AgentSettings, nodeName: string, logger: Logger): EventSink | undefined;
  /** Creates the reviewer of access to metrics; undefined without one, and access is then denied. */
  accessReviewer?(settings: AgentSettings): AccessReviewer | undefined;
}

/** The real parts. The only place that names the backends and sources. */
export function compose(): Composition {
  const backends = [iptablesBackend, nftablesBackend, ipvsBackend, userspaceBackend];
  return {
    backends,
    configure: ({ userspace, nftables, ipvs, proxier }) =>
      backends.map((backend) => {
        switch (backend) {
          case userspaceBackend:
            return createUserspaceBackend(userspace);
          case nftablesBackend:
            return createConfiguredNftablesBackend(nftables);
          case iptablesBackend:
            return createConfiguredIptablesBackend({ localhostNodePortsIPv6: selectsLoopbackIPv6(proxier) });
          case ipvsBackend:
            return createConfiguredIpvsBackend(ipvs);
          default:
            return backend;
        }
      }),
    sources: createSources,
    healthChecks: withHealthChecks,
    conntrack: new HostConntrack(),
    tcpSockets: new TcpSocketsNetlink(),
    host: { sysctl: new ProcSysctl(), files: kernelFiles, cpus: availableParallelism() },
    exclusive: true,
    inspect: async (podCIDRs = []) => (await import('./doctor/host-facts.js')).gatherHostFacts({ podCIDRs }),
    events: createEvents,
    accessReviewer: createAccessReviewer,
  };
}

/** Whether `--nodeport-addresses` lists ::1. */
function selectsLoopbackIPv6({
  nodePortAddresses = DEFAULT_PROXIER_OPTIONS.nodePortAddresses,
}: Partial<ProxierOptions>): boolean {
  return servesLoopback({ nodePortAddresses, localhostNodePorts: 'listed' }, 'IPv6');
}
