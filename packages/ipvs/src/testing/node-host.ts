import type { IPFamily } from '@kube-proxier/core';
import { createIptables, IpSetsNetlink, IpvsNetlink, LinksNetlink, ProcSysctl } from '@kube-proxier/linux';
import { NamespaceNetlink, type SandboxHost } from '@kube-proxier/linux/testing';
import type { IpvsHost } from '../ipvs-dataplane.js';

/** A host of a sandbox, to run a dataplane on. */
export interface NodeHost extends IpvsHost {
  readonly ipvs: IpvsNetlink;
  close(): void;
}

export function nodeHost(node: SandboxHost, family: IPFamily): NodeHost {
  const relay = new NamespaceNetlink(node.namespacePath);
  const iptables = createIptables({ family, variant: 'legacy', runner: node.runner });
  return {
    ipvs: new IpvsNetlink(relay.netlink('generic')),
    links: new LinksNetlink(relay.netlink('route')),
    sets: new IpSetsNetlink(relay.netlink('netfilter')),
    iptables: async () => iptables,
    sysctl: new ProcSysctl(node.files),
    close: () => relay.close(),
  };
}
