import { DURATION, type Flag } from './flag-definition.js';

/** Flags of the proxy modes. */
export const MODE_FLAGS = [
  {
    name: 'proxy-mode',
    type: 'text',
    value: 'mode',
    default: '',
    defaultText: 'iptables, with a warning',
    help: 'How to program this node.',
    group: 'Mode',
  },
  {
    name: 'proxy-mode-fallback',
    type: 'text',
    value: 'mode',
    default: 'iptables',
    defaultText: 'iptables',
    help: 'The mode to use when this host cannot run the requested one. With "none", that is an error.',
    group: 'Mode',
  },
  {
    name: 'takeover',
    type: 'bool',
    default: 'true',
    defaultText: 'true',
    help: 'Remove leftovers of other modes and of kube-proxy from this node, once the mode is in force; never before.',
    group: 'Mode',
  },
  {
    name: 'allow-multiple-instances',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Program this node even while another kube-proxier or a kube-proxy runs in its network namespace. By default, ' +
      'this one waits until the other has ended. Two concurrent proxies overwrite each other.',
    group: 'Mode',
  },
  {
    name: 'backend',
    type: 'list',
    value: 'package',
    defaultText: 'none',
    help:
      'A third-party backend: the name of an installed package, or the path of a module. Its code runs with the ' +
      'privileges of this process. It is used if --proxy-mode names its mode or is not set. Can be repeated.',
    group: 'Mode',
  },
  {
    name: 'backend-option',
    type: 'list',
    value: 'option',
    defaultText: 'none',
    help:
      'An option of a third-party backend, passed to its create...Backend function: key=value for the only such backend, ' +
      'mode:key=value for one of several. The value is parsed as JSON if possible. Can be repeated.',
    group: 'Mode',
  },
  {
    name: 'userspace-redirect',
    type: 'text',
    value: 'how',
    default: 'auto',
    defaultText: 'auto',
    help:
      'How clients reach the proxy: "iptables" redirects cluster IPs and external addresses to it; "bind" serves only ' +
      'those that are addresses of this host; "none" serves only NodePorts and needs no privileges; "auto" selects ' +
      'iptables if available, else bind.',
    group: 'Mode userspace',
  },
  {
    name: 'proxy-port-range',
    type: 'text',
    value: 'ports',
    default: '',
    defaultText: 'any free ports',
    help: 'The ports on which the proxy listens for redirected clients: 30000-32767, or 30000+100, or one port.',
    group: 'Mode userspace',
  },
  {
    name: 'udp-timeout',
    type: 'duration',
    value: 'duration',
    default: '250ms',
    defaultText: '250ms',
    help: `Idle timeout after which a UDP client may get another endpoint, ${DURATION}. More than 0.`,
    group: 'Mode userspace',
  },
  {
    name: 'nftables-localhost-nodeports',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Also serve TCP and UDP NodePorts on 127.0.0.1 and ::1, which nftables cannot: through sockets of this process, as in mode ' +
      'userspace. As --feature-gates=KubeProxyNFTablesLocalhostNodePorts=true with localhost in --nodeport-addresses.',
    group: 'Mode nftables',
  },
  {
    name: 'nftables-count-connections',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'The same as --count-connections, from before other modes had it.',
    group: 'Mode nftables',
  },
  {
    name: 'nftables-owned-table',
    type: 'text',
    value: 'when',
    default: 'never',
    defaultText: 'never',
    help:
      'Let this process own the nftables table, so that the kernel rejects foreign changes: "persistent" only if the ' +
      'table can be kept when this process ends (Linux 6.9, and nft 1.1.0 where that is used); "always" also ' +
      'otherwise: the table, and with it all Services, is then deleted when this process ends, until it restarts.',
    group: 'Mode nftables',
  },
  {
    name: 'nftables-program',
    type: 'text',
    value: 'name',
    default: 'auto',
    defaultText: 'auto',
    help:
      'How nftables is programmed: "netlink" by this process itself, "nft" by the program nft; "auto" by netlink where ' +
      'that works, else by nft.',
    group: 'Mode nftables',
  },
  {
    name: 'ipvs-scheduler',
    type: 'text',
    value: 'name',
    default: '',
    defaultText: 'rr',
    help:
      'The IPVS scheduler: rr, wrr, lc, wlc, dh, sh, sed, nq, lblc, lblcr, mh, fo or ovf. The annotation ' +
      'kube-proxier.io/ipvs-scheduler overrides it for one Service.',
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-localhost-nodeports',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Also serve TCP and UDP NodePorts on 127.0.0.1 and ::1, which IPVS cannot: through sockets of this process, as in mode ' +
      'userspace. On the loopback addresses that --nodeport-addresses selects, 127.0.0.1 where it is empty.',
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-exclude-cidrs',
    type: 'list',
    value: 'networks',
    defaultText: 'none',
    help: 'Comma-separated CIDRs whose virtual servers are never modified or removed.',
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-strict-arp',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Reply to ARP requests for an address only on the interface that has it (arp_ignore=1, arp_announce=2).',
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-tcp-timeout',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: "the kernel's, 15m unless it was changed",
    help: `IPVS timeout of idle TCP connections, ${DURATION}, in whole seconds. 0 keeps the kernel's value.`,
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-tcpfin-timeout',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: "the kernel's, 2m unless it was changed",
    help: `IPVS timeout of TCP connections after a FIN, ${DURATION}. 0 keeps the kernel's value.`,
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-udp-timeout',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: "the kernel's, 5m unless it was changed",
    help: `IPVS timeout of idle UDP flows, ${DURATION}. 0 keeps the kernel's value.`,
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-sync-period',
    type: 'duration',
    value: 'duration',
    default: '30s',
    defaultText: '30s',
    help: `In this mode, the maximum delay before a failed sync is retried, ${DURATION}. More than 0.`,
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-min-sync-period',
    type: 'duration',
    value: 'duration',
    defaultText: 'by the duration of syncs, at most 1s',
    help: `In this mode, the minimum period between two syncs, ${DURATION}. 0 applies every change immediately.`,
    group: 'Mode ipvs',
  },
] as const satisfies readonly Flag[];
