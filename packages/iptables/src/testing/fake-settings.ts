import { FakeSysctl } from '@kube-proxier/linux/testing';

/** The settings that this backend reads, at the kernel's defaults. */
export function fakeSettings(values: Readonly<Record<string, number | string>> = {}): FakeSysctl {
  return new FakeSysctl({
    'net/ipv4/conf/all/route_localnet': 0,
    'net/netfilter/nf_conntrack_tcp_be_liberal': 0,
    ...values,
  });
}
