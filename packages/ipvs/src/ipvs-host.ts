import type { Conntrack, IpSets, Iptables, Ipvs, Links, Sysctl } from '@kube-proxier/linux';

/** The parts of the kernel that a dataplane writes to: real ones, or fakes. */
export interface IpvsHost {
  readonly ipvs: Ipvs;
  readonly links: Links;
  readonly sets: IpSets;
  /** Finds the tools to use; called once, when they are first needed. */
  readonly iptables: () => Promise<Iptables>;
  /** Default: the settings of this process's network namespace. */
  readonly sysctl?: Sysctl;
  /** For deleting UDP flows when another mode takes over. Default: they are kept. */
  readonly conntrack?: Conntrack;
}
