import type { IPFamily } from '@kube-proxier/core';
import {
  createIptables,
  IpSetsNetlink,
  IpvsNetlink,
  LinksNetlink,
  NetlinkSocket,
  ProcSysctl,
} from '@kube-proxier/linux';
import type { SandboxHost } from '@kube-proxier/network-sandbox';
import type { IpvsHost } from '../ipvs-host.js';

/** A host of a sandbox, to run a dataplane on. */
export interface NodeHost extends IpvsHost {
  readonly ipvs: IpvsNetlink;
}

export function nodeHost(node: Pick<SandboxHost, 'namespacePath' | 'runner' | 'files'>, family: IPFamily): NodeHost {
  const inside = { namespace: node.namespacePath };
  const iptables = createIptables({ family, variant: 'legacy', runner: node.runner });
  return {
    ipvs: new IpvsNetlink(new NetlinkSocket('generic', inside)),
    links: new LinksNetlink(new NetlinkSocket('route', inside)),
    sets: new IpSetsNetlink(new NetlinkSocket('netfilter', inside)),
    iptables: async () => iptables,
    sysctl: new ProcSysctl(node.files),
  };
}
