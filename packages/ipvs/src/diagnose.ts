import type { Diagnosis } from '@kube-proxier/core';
import { type Sysctl, SysctlError } from '@kube-proxier/linux';

/** What IPVS does not support, also listed in `docs/modes.md`. */
const LIMITS: readonly Diagnosis[] = [
  'NodePorts answer on 127.0.0.1 and ::1 only with --ipvs-localhost-nodeports',
  'a client stays with an endpoint for each address and port separately, not for the whole Service',
  "other ports of external and load balancer addresses are refused, as the addresses are this node's own",
  'two connections at once from one address and port to two Services with the same endpoint cut each other off',
].map((found) => ({ check: 'ipvs by its nature', status: 'ok', found }));

/** See `BackendModule.diagnose`. */
export async function diagnose(sysctl: Pick<Sysctl, 'read'>): Promise<readonly Diagnosis[]> {
  return [...LIMITS, await diagnoseStrictARP(sysctl)];
}

async function diagnoseStrictARP(sysctl: Pick<Sysctl, 'read'>): Promise<Diagnosis> {
  const check = 'strict ARP';
  let ignore: string;
  let announce: string;
  try {
    ignore = await sysctl.read('net/ipv4/conf/all/arp_ignore');
    announce = await sysctl.read('net/ipv4/conf/all/arp_announce');
  } catch (error) {
    if (!(error instanceof SysctlError)) {
      throw error;
    }
    return { check, status: 'unknown', found: 'arp_ignore and arp_announce cannot be read', advice: 'mount /proc' };
  }
  const found = `arp_ignore is ${ignore}, arp_announce ${announce}`;
  return ignore === '1' && announce === '2'
    ? { check, status: 'ok', found }
    : {
        check,
        status: 'warning',
        found: `${found}: this node answers ARP for addresses of Services`,
        advice: 'with MetalLB or other programs that announce them, set --ipvs-strict-arp',
      };
}
