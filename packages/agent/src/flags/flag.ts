import { HOST_FLAGS } from './host-flags.js';
import { LEGACY_FLAGS } from './legacy-flags.js';

/** How a flag's value is written. */
export type FlagType = 'bool' | 'text' | 'list' | 'duration' | 'int' | 'float';

/** One flag of the command line: what parses it, checks it and explains it. */
export interface Flag {
  /** Without dashes. */
  readonly name: string;
  /** One letter, without dash. */
  readonly short?: string;
  readonly type: FlagType;
  /** How the value is called in the help text; absent for `bool`. */
  readonly value?: string;
  /** As it would be written; undefined when there is none. */
  readonly default?: string;
  /** How the help text says what holds when the flag is left out. */
  readonly defaultText: string;
  /** What it does, with units, in full sentences. */
  readonly help: string;
  readonly group: FlagGroup;
  /** Why it has no effect here, for a flag that is only taken so that kube-proxy's command lines work. */
  readonly unused?: string;
}

export type FlagGroup =
  | 'Mode'
  | 'Mode userspace'
  | 'Mode nftables'
  | 'Mode ipvs'
  | 'Status'
  | 'Objects'
  | 'Node'
  | 'Services'
  | 'Timing'
  | 'Conntrack'
  | 'Logging'
  | 'Clean-up'
  | 'Other'
  | 'Without effect';

const DURATION = 'a duration such as 500ms, 30s or 1m30s';

/** All flags, in the order of the help text. Those that kube-proxy has too mean the same there. */
export const FLAGS = [
  {
    name: 'proxy-mode',
    type: 'text',
    value: 'mode',
    default: '',
    defaultText: 'iptables, with a warning that it was chosen for you',
    help: 'How to program this node.',
    group: 'Mode',
  },
  {
    name: 'proxy-mode-fallback',
    type: 'text',
    value: 'mode',
    default: 'iptables',
    defaultText: 'iptables',
    help: 'The mode to use when this host cannot run the one asked for. With "none", that is an error.',
    group: 'Mode',
  },
  {
    name: 'takeover',
    type: 'bool',
    default: 'true',
    defaultText: 'true',
    help: 'When the mode is in force, remove what other modes and kube-proxy left on this node; never before.',
    group: 'Mode',
  },
  {
    name: 'allow-multiple-instances',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Program this node also while another kube-proxier or a kube-proxy runs in its network namespace. Without it, ' +
      'this one waits until the other has ended. Two at a time overwrite each other.',
    group: 'Mode',
  },
  {
    name: 'backend',
    type: 'list',
    value: 'package',
    defaultText: 'none',
    help:
      'A backend that is not part of this program: the name of an installed package, or the path of a module. Its code ' +
      'runs with all rights of this process. It is used when --proxy-mode names its mode, or is not given. Repeat the ' +
      'flag for several.',
    group: 'Mode',
  },
  {
    name: 'backend-option',
    type: 'list',
    value: 'option',
    defaultText: 'none',
    help:
      'An option of a backend that is not part of this program, given to its create…Backend: key=value where there is one ' +
      'such backend, mode:key=value where there are several. Numbers, true, false and other JSON are read as such. Repeat ' +
      'the flag for several.',
    group: 'Mode',
  },
  {
    name: 'userspace-redirect',
    type: 'text',
    value: 'how',
    default: 'auto',
    defaultText: 'auto',
    help:
      'How clients get to the proxy: "iptables" redirects cluster IPs and external addresses to it; "bind" serves those ' +
      'that are addresses of this host; "none" serves NodePorts only, and needs no privilege; "auto" is iptables where ' +
      'that can be had, else bind.',
    group: 'Mode userspace',
  },
  {
    name: 'proxy-port-range',
    type: 'text',
    value: 'ports',
    default: '',
    defaultText: 'any free ports',
    help: 'The ports that the proxy listens on for redirected clients: 30000-32767, or 30000+100, or one port.',
    group: 'Mode userspace',
  },
  {
    name: 'udp-timeout',
    type: 'duration',
    value: 'duration',
    default: '250ms',
    defaultText: '250ms',
    help: `How long a UDP client keeps its endpoint while nothing is sent either way, ${DURATION}. More than 0.`,
    group: 'Mode userspace',
  },
  {
    name: 'nftables-localhost-nodeports',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Serve IPv4 NodePorts over TCP and UDP on 127.0.0.1 too, where nftables cannot: by sockets of this process, as mode ' +
      'userspace does.',
    group: 'Mode nftables',
  },
  {
    name: 'nftables-count-connections',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Count connections to every Service, as the metric kube_proxier_service_connections_total. A Service can say for ' +
      'itself, by the annotation kube-proxier.io/count-connections.',
    group: 'Mode nftables',
  },
  {
    name: 'nftables-owned-table',
    type: 'text',
    value: 'when',
    default: 'never',
    defaultText: 'never',
    help:
      'Have the kernel refuse changes of the table by others: "persistent" where nft and the kernel can keep the table ' +
      'when this program ends (nft 1.1.0, Linux 6.9); "always" elsewhere too: the table, and Services with it, then goes ' +
      'whenever this program ends, until it is started again.',
    group: 'Mode nftables',
  },
  {
    name: 'ipvs-scheduler',
    type: 'text',
    value: 'name',
    default: '',
    defaultText: 'rr',
    help:
      'How virtual servers choose an endpoint: rr, wrr, lc, wlc, dh, sh, sed, nq, lblc, lblcr, mh, fo or ovf. A Service ' +
      'chooses another one with the annotation kube-proxier.io/ipvs-scheduler.',
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-exclude-cidrs',
    type: 'list',
    value: 'networks',
    defaultText: 'none',
    help: 'Networks whose virtual servers are left alone, whoever made them, with commas between.',
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-strict-arp',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Answer ARP for an address only on the interface that has it (arp_ignore=1, arp_announce=2).',
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-tcp-timeout',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: "the kernel's, 15m unless it was changed",
    help: `After how long without a packet IPVS forgets a TCP connection, ${DURATION}, in whole seconds. 0 leaves it.`,
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-tcpfin-timeout',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: "the kernel's, 2m unless it was changed",
    help: `The same after one side has closed it, ${DURATION}. 0 leaves it.`,
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-udp-timeout',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: "the kernel's, 5m unless it was changed",
    help: `After how long without a packet IPVS forgets a UDP flow, ${DURATION}. 0 leaves it.`,
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-sync-period',
    type: 'duration',
    value: 'duration',
    default: '30s',
    defaultText: '30s',
    help: `In this mode, how long a failed sync waits at most before it is tried again, ${DURATION}. More than 0.`,
    group: 'Mode ipvs',
  },
  {
    name: 'ipvs-min-sync-period',
    type: 'duration',
    value: 'duration',
    default: '1s',
    defaultText: '1s',
    help: `In this mode, how long to wait at least between two syncs, ${DURATION}. 0 writes every change at once.`,
    group: 'Mode ipvs',
  },
  {
    name: 'config',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'none',
    help:
      "A KubeProxyConfiguration, as kube-proxy and kubeadm have it. It takes the place of kube-proxy's flags but " +
      '--master, --hostname-override, -v and --logging-format. A second document in it, a KubeProxierConfiguration, may ' +
      'say what kube-proxy has no field for; flags win over that one. When what it says changes, kube-proxier ends with ' +
      'status 1, to be started again by what started it.',
    group: 'Objects',
  },
  {
    name: 'write-config-to',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'none',
    help: 'Write the configuration that all flags and files make up to this file, as --config reads it, and end.',
    group: 'Objects',
  },
  {
    name: 'kubeconfig',
    type: 'text',
    value: 'path',
    default: '',
    defaultText:
      'none, which means the API server of the cluster that this runs in, by its service account, unless --master or ' +
      '--manifests is given',
    help: 'A kubeconfig file: which API server to ask for Services, and as whom. It is read again when it changes.',
    group: 'Objects',
  },
  {
    name: 'master',
    type: 'text',
    value: 'url',
    default: '',
    defaultText: 'the one of the kubeconfig',
    help: 'The URL of the API server. Without --kubeconfig it is asked without credentials.',
    group: 'Objects',
  },
  {
    name: 'manifests',
    type: 'list',
    value: 'path',
    defaultText: 'none',
    help:
      'A directory of YAML or JSON files, or one such file, with Service, EndpointSlice, Endpoints, Node and ' +
      'ServiceCIDR objects. It is watched: changes take effect by themselves. Repeat the flag for several. Where an API ' +
      'server has an object of the same name, that one counts.',
    group: 'Objects',
  },
  {
    name: 'hostname-override',
    type: 'text',
    value: 'name',
    default: '',
    defaultText: "the host's name in lower case",
    help: 'The name of this node, as endpoints and its Node object spell it.',
    group: 'Node',
  },
  {
    name: 'bind-address',
    type: 'text',
    value: 'address',
    default: '0.0.0.0',
    defaultText: '0.0.0.0, which means the address of the Node object',
    help: "The node's primary IP address. Its family is the primary one. Nothing is bound to it.",
    group: 'Node',
  },
  {
    name: 'detect-local-mode',
    type: 'text',
    value: 'mode',
    default: '',
    defaultText: 'ClusterCIDR',
    help:
      'How to tell packets of pods on this node from others: ClusterCIDR (source address in --cluster-cidr), NodeCIDR ' +
      '(source address in the pod CIDRs of the Node object), BridgeInterface (came in by --pod-bridge-interface), or ' +
      'InterfaceNamePrefix (came in by an interface whose name begins with --pod-interface-name-prefix).',
    group: 'Node',
  },
  {
    name: 'cluster-cidr',
    type: 'list',
    value: 'networks',
    defaultText: 'none, which means that packets of pods cannot be told from others',
    help: 'The network that pods have their addresses from, or two, one of each IP family, with a comma between.',
    group: 'Node',
  },
  {
    name: 'pod-bridge-interface',
    type: 'text',
    value: 'name',
    default: '',
    defaultText: 'none',
    help: 'The bridge that pods are connected to, for --detect-local-mode=BridgeInterface.',
    group: 'Node',
  },
  {
    name: 'pod-interface-name-prefix',
    type: 'text',
    value: 'prefix',
    default: '',
    defaultText: 'none',
    help: 'How names of interfaces to pods begin, for --detect-local-mode=InterfaceNamePrefix.',
    group: 'Node',
  },
  {
    name: 'nodeport-addresses',
    type: 'list',
    value: 'networks',
    defaultText: 'all addresses of this node',
    help:
      'Where to serve NodePorts: on the addresses of this node that lie in these networks, with commas between; or ' +
      '"primary" for the addresses of the Node object.',
    group: 'Services',
  },
  {
    name: 'iptables-localhost-nodeports',
    type: 'bool',
    default: 'true',
    defaultText: 'true',
    help: 'Serve IPv4 NodePorts on 127.0.0.1 too, where the mode can.',
    group: 'Services',
  },
  {
    name: 'overlapping-external-addresses',
    type: 'text',
    value: 'action',
    default: 'serve',
    defaultText: 'serve',
    help:
      'What to do with external IPs and load balancer IPs that are an address of this node, or in the pod or Service ' +
      'networks: "serve" them, as kube-proxy does, with a warning, although the Service then gets packets meant for what ' +
      'listens there; or "refuse" to serve them.',
    group: 'Services',
  },
  {
    name: 'masquerade-all',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: "Replace the client's address by the node's in everything that is sent to cluster IPs.",
    group: 'Services',
  },
  {
    name: 'iptables-masquerade-bit',
    type: 'int',
    value: 'bit',
    default: '14',
    defaultText: '14',
    help: 'Which bit of the packet mark says that the source address is to be replaced, from 0 to 31.',
    group: 'Services',
  },
  {
    name: 'iptables-sync-period',
    type: 'duration',
    value: 'duration',
    default: '30s',
    defaultText: '30s',
    help: `How long a failed sync waits at most before it is tried again, ${DURATION}. More than 0.`,
    group: 'Timing',
  },
  {
    name: 'iptables-min-sync-period',
    type: 'duration',
    value: 'duration',
    default: '1s',
    defaultText: '1s',
    help: `How long to wait at least between two syncs, ${DURATION}. 0 means that every change is written at once.`,
    group: 'Timing',
  },
  {
    name: 'healthz-bind-address',
    type: 'text',
    value: 'address',
    default: '0.0.0.0:10256',
    defaultText: '0.0.0.0:10256',
    help:
      'Where the agent answers /healthz, /livez and /readyz, by HTTP, for load balancers and the kubelet. Port 10256 ' +
      'when none is given; "" switches it off.',
    group: 'Status',
  },
  {
    name: 'metrics-bind-address',
    type: 'text',
    value: 'address',
    default: '127.0.0.1:10249',
    defaultText: '127.0.0.1:10249',
    help:
      'Where the agent answers /metrics, /configz, /proxyMode, /debug/state and the questions of kube-proxier explain, by HTTP. Who can reach ' +
      'it can see all Services: keep it on a loopback address. Port 10249 when none is given; "" switches it off.',
    group: 'Status',
  },
  {
    name: 'output',
    short: 'o',
    type: 'text',
    value: 'format',
    default: 'text',
    defaultText: 'text',
    help: 'How kube-proxier explain and kube-proxier doctor answer: text for people, or json.',
    group: 'Status',
  },
  {
    name: 'v',
    short: 'v',
    type: 'int',
    value: 'level',
    default: '0',
    defaultText: '0',
    help: 'How much detail to log, from 0: with 2 what is useful at times, with 4 what helps to find errors.',
    group: 'Logging',
  },
  {
    name: 'logging-format',
    type: 'text',
    value: 'format',
    default: 'text',
    defaultText: 'text',
    help: 'text for people, or json for machines: one object in each line. Both go to standard error.',
    group: 'Logging',
  },
  ...HOST_FLAGS,
  {
    name: 'cleanup',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'The same as the command cleanup, as kube-proxy has it: remove what kube-proxier has installed, and end. Unlike ' +
      "kube-proxy's, it leaves kube-proxy's rules alone unless --kube-proxy is given.",
    group: 'Clean-up',
  },
  {
    name: 'kube-proxy',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'With cleanup: remove what kube-proxy has installed as well.',
    group: 'Clean-up',
  },
  {
    name: 'dry-run',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'With cleanup: print what would be removed, and change nothing.',
    group: 'Clean-up',
  },
  {
    name: 'force',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'With cleanup: clean up also while a kube-proxier or a kube-proxy runs in this network namespace. Rules of a ' +
      'kube-proxier that runs are removed, and it has to write them again.',
    group: 'Clean-up',
  },
  { name: 'version', type: 'bool', default: 'false', defaultText: 'false', help: 'Print the version.', group: 'Other' },
  {
    name: 'help',
    short: 'h',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print this text.',
    group: 'Other',
  },
  ...LEGACY_FLAGS,
] as const satisfies readonly Flag[];

/** The flags that kube-proxy does not have. They count beside a KubeProxyConfiguration. */
export const OWN_FLAGS: readonly FlagName[] = [
  'backend',
  'backend-option',
  'proxy-mode-fallback',
  'takeover',
  'allow-multiple-instances',
  'userspace-redirect',
  'proxy-port-range',
  'udp-timeout',
  'nftables-localhost-nodeports',
  'nftables-count-connections',
  'nftables-owned-table',
  'overlapping-external-addresses',
  'manifests',
  'output',
  'kube-proxy',
  'dry-run',
  'force',
  'help',
];

export type FlagName = (typeof FLAGS)[number]['name'];
