import type { Flag } from './flag-definition.js';
import { HOST_FLAGS } from './host-flags.js';
import { LEGACY_FLAGS } from './legacy-flags.js';

const DURATION = 'a duration such as 500ms, 30s or 1m30s';

/** All flags, in the order of the help text. Flags of kube-proxy have the same meaning here. */
export const FLAGS = [
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
  {
    name: 'config',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'none',
    help:
      "A KubeProxyConfiguration file, as kube-proxy and kubeadm use it. It replaces kube-proxy's flags except " +
      '--master, --hostname-override, -v and --logging-format. A second document in the file, a ' +
      'KubeProxierConfiguration, sets options that kube-proxy does not have; flags override it. When the configuration ' +
      'changes, kube-proxier exits with status 1, so that its supervisor restarts it.',
    group: 'Objects',
  },
  {
    name: 'write-config-to',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'none',
    help: 'Write the effective configuration of all flags and files to this file, in the format of --config, and exit.',
    group: 'Objects',
  },
  {
    name: 'kubeconfig',
    type: 'text',
    value: 'path',
    default: '',
    defaultText:
      'none: the in-cluster API server with the service account of the pod, unless --master or --manifests is set',
    help: 'The kubeconfig file with the address and credentials of the API server. It is read again when it changes.',
    group: 'Objects',
  },
  {
    name: 'master',
    type: 'text',
    value: 'url',
    default: '',
    defaultText: 'the server of the kubeconfig',
    help: 'The URL of the API server; overrides the kubeconfig. Without --kubeconfig, requests have no credentials.',
    group: 'Objects',
  },
  {
    name: 'kube-api-content-type',
    type: 'text',
    value: 'type',
    default: 'application/vnd.kubernetes.protobuf',
    defaultText: 'application/vnd.kubernetes.protobuf',
    help:
      'What objects are requested in: application/vnd.kubernetes.protobuf, with JSON where the API server does not ' +
      'have it, or application/json.',
    group: 'Objects',
  },
  {
    name: 'manifests',
    type: 'list',
    value: 'path',
    defaultText: 'none',
    help:
      'A directory of YAML or JSON files, or one such file, with Service, EndpointSlice, Endpoints, Node and ' +
      'ServiceCIDR objects. It is watched: changes take effect automatically. Can be repeated. An object of the same ' +
      'name on the API server takes precedence.',
    group: 'Objects',
  },
  {
    name: 'health-checks',
    type: 'text',
    value: 'where',
    default: 'manifests',
    defaultText: 'manifests',
    help:
      'Whose endpoints this process checks: those of Services with the annotation kube-proxier.io/health-check in ' +
      '"manifests", or in "all" sources, the API server included; or "none". With "all", every node checks, and everybody ' +
      'who may edit Services and EndpointSlices decides what it connects to.',
    group: 'Objects',
  },
  {
    name: 'health-check-scripts',
    type: 'text',
    value: 'directory',
    default: '',
    defaultText: 'none: scripts are not run',
    help:
      'The directory of the scripts that the annotation kube-proxier.io/health-check: script:NAME can name, as an absolute ' +
      'path. They run with the privileges of this process. The directory must belong to root or to the user of this ' +
      'process, and nobody else may write to it.',
    group: 'Objects',
  },
  {
    name: 'hostname-override',
    type: 'text',
    value: 'name',
    default: '',
    defaultText: "the host's name in lower case",
    help: 'The name of this node, as in endpoints and in its Node object.',
    group: 'Node',
  },
  {
    name: 'bind-address',
    type: 'text',
    value: 'address',
    default: '0.0.0.0',
    defaultText: '0.0.0.0: the address of the Node object',
    help: "The node's primary IP address, which determines the primary IP family. No socket is bound to it.",
    group: 'Node',
  },
  {
    name: 'detect-local-mode',
    type: 'text',
    value: 'mode',
    default: '',
    defaultText: 'ClusterCIDR',
    help:
      'How to detect traffic of local pods: ClusterCIDR (source address in --cluster-cidr), NodeCIDR (source address ' +
      'in the pod CIDRs of the Node object), BridgeInterface (received on --pod-bridge-interface), or ' +
      'InterfaceNamePrefix (received on an interface whose name begins with --pod-interface-name-prefix).',
    group: 'Node',
  },
  {
    name: 'cluster-cidr',
    type: 'list',
    value: 'networks',
    defaultText: 'none: traffic of pods cannot be detected',
    help: 'The CIDR of pods in the cluster, or a comma-separated pair, one of each IP family.',
    group: 'Node',
  },
  {
    name: 'pod-bridge-interface',
    type: 'text',
    value: 'name',
    default: '',
    defaultText: 'none',
    help: 'The bridge to which pods are connected, for --detect-local-mode=BridgeInterface.',
    group: 'Node',
  },
  {
    name: 'pod-interface-name-prefix',
    type: 'text',
    value: 'prefix',
    default: '',
    defaultText: 'none',
    help: 'The name prefix of interfaces of pods, for --detect-local-mode=InterfaceNamePrefix.',
    group: 'Node',
  },
  {
    name: 'nodeport-addresses',
    type: 'list',
    value: 'networks',
    defaultText: 'all; primary in mode nftables',
    help:
      'Comma-separated networks and keywords: NodePorts are served on the addresses of this node within these. Keywords: ' +
      'primary (the first address of each IP family of the Node object), localhost (127.0.0.0/8 and ::1/128) and all ' +
      '(0.0.0.0/0 and ::/0). A family of which nothing is listed is served on all addresses. 127.0.0.0/8 requires mode iptables ' +
      'or userspace, ::1 mode userspace; for mode nftables see --nftables-localhost-nodeports.',
    group: 'Services',
  },
  {
    name: 'iptables-localhost-nodeports',
    type: 'bool',
    default: 'true',
    defaultText: 'true',
    help:
      'Also serve IPv4 NodePorts on 127.0.0.1, if the mode supports it and --nodeport-addresses includes it. Has no effect in mode ' +
      'nftables and on IPv6.',
    group: 'Services',
  },
  {
    name: 'count-connections',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Count connections to every Service and its endpoints, as the metrics kube_proxier_service_connections_total and ' +
      'kube_proxier_endpoint_connections_total, and what else the mode can count (docs/modes.md). The annotation kube-proxier.io/count-connections overrides it for one Service.',
    group: 'Services',
  },
  {
    name: 'count-traffic',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'Also count packets and bytes of every Service and its endpoints, where the mode does not count them with the connections ' +
      '(nftables); includes --count-connections. The annotation kube-proxier.io/count-traffic overrides it for one Service.',
    group: 'Services',
  },
  {
    name: 'counter-series',
    type: 'int',
    value: 'number',
    default: '100',
    defaultText: '100',
    help:
      'Most series of each counter of Services, from 1 to 100000: those with the highest values. The rest is summed in a series ' +
      'whose labels service, protocol and endpoint are empty.',
    group: 'Services',
  },
  {
    name: 'overlapping-external-addresses',
    type: 'text',
    value: 'action',
    default: 'serve',
    defaultText: 'serve',
    help:
      'How to handle external IPs and load balancer IPs that are an address of this node, or in the pod or Service ' +
      'networks: "serve" them with a warning, as kube-proxy does, although the Service then gets packets for other ' +
      'listeners of that address; or "refuse" to serve them.',
    group: 'Services',
  },
  {
    name: 'masquerade-all',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Masquerade (SNAT) all traffic to cluster IPs.',
    group: 'Services',
  },
  {
    name: 'iptables-masquerade-bit',
    type: 'int',
    value: 'bit',
    default: '14',
    defaultText: '14',
    help: 'The bit of the packet mark (fwmark) that marks packets to masquerade, from 0 to 31.',
    group: 'Services',
  },
  {
    name: 'iptables-sync-period',
    type: 'duration',
    value: 'duration',
    default: '30s',
    defaultText: '30s',
    help: `Maximum delay before a failed sync is retried, ${DURATION}. More than 0.`,
    group: 'Timing',
  },
  {
    name: 'iptables-min-sync-period',
    type: 'duration',
    value: 'duration',
    defaultText: 'by the duration of syncs, at most 1s',
    help: `Minimum period between two syncs, ${DURATION}. 0 applies every change immediately.`,
    group: 'Timing',
  },
  {
    name: 'verify-period',
    type: 'duration',
    value: 'duration',
    default: '10m0s',
    defaultText: '10m',
    help:
      `How often the agent verifies that the kernel does with packets what the state says, ${DURATION}. 0 verifies on ` +
      'request only (kube-proxier verify), and takeovers do not wait for a verification.',
    group: 'Timing',
  },
  {
    name: 'healthz-bind-address',
    type: 'text',
    value: 'address',
    default: '0.0.0.0:10256',
    defaultText: '0.0.0.0:10256',
    help:
      'The address that serves /healthz, /livez and /readyz over HTTP, for load balancers and the kubelet. The default ' +
      'port is 10256; "" disables it.',
    group: 'Status',
  },
  {
    name: 'metrics-bind-address',
    type: 'text',
    value: 'address',
    default: '127.0.0.1:10249',
    defaultText: '127.0.0.1:10249',
    help:
      'The address that serves /metrics, /configz, /proxyMode, and under /debug what the commands status, get, ' +
      'explain and verify query, over HTTP. It exposes all Services: use a loopback address. The default port is 10249; "" disables it.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-bind-address',
    type: 'text',
    value: 'address',
    default: '',
    defaultText: 'none',
    help:
      'An address that serves only /metrics, for a Prometheus that does not run on this node: with --metrics-scrape-access, ' +
      'to clients with permission. The default port is 10269.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-access',
    type: 'text',
    value: 'who',
    default: 'authorized',
    defaultText: 'authorized',
    help:
      'Who may read metrics there: "authorized" are clients with a bearer token whose user may get the URL /metrics, which the API ' +
      'server decides (TokenReview, SubjectAccessReview); "everybody" is everybody who can connect.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-tls',
    type: 'bool',
    default: 'true',
    defaultText: 'true',
    help: 'Serve metrics there over HTTPS. Without it, over HTTP, which requires --metrics-scrape-access=everybody.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-tls-cert-file',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'self-signed, made at start',
    help: 'The certificate for HTTPS there, with those of its issuers after it, in PEM. It is read again when it changes.',
    group: 'Status',
  },
  {
    name: 'metrics-scrape-tls-private-key-file',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'none',
    help: 'The private key of --metrics-scrape-tls-cert-file, in PEM.',
    group: 'Status',
  },
  {
    name: 'probe-interval',
    type: 'duration',
    value: 'duration',
    default: '0s',
    defaultText: '0s: no probe',
    help:
      `Probe the data plane with this period, ${DURATION}: connect to a Service of the agent's own, whose endpoint is the ` +
      'agent. The result is in the command status and a metric.',
    group: 'Status',
  },
  {
    name: 'probe-addresses',
    type: 'list',
    value: 'addresses',
    default: '192.0.2.1,2001:db8::1',
    defaultText: '192.0.2.1,2001:db8::1',
    help:
      'Comma-separated cluster IPs of the Services of the probe, one of each IP family that is probed. Nothing else may ' +
      'have them; without a default route, take unused ones of a network that this host has a route to.',
    group: 'Status',
  },
  {
    name: 'probe-readiness',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: '/readyz also fails until a probe has succeeded, and while probes fail; /healthz is not affected.',
    group: 'Status',
  },
  {
    name: 'recording-age',
    type: 'duration',
    value: 'duration',
    default: '1h',
    defaultText: '1h',
    help:
      `Maximum age of the recording of received objects, syncs and failures that the agent keeps in memory, for the ` +
      `commands record, replay, what-changed and explain --at, ${DURATION}. 0 records nothing.`,
    group: 'Status',
  },
  {
    name: 'recording-size',
    type: 'int',
    value: 'megabytes',
    default: '64',
    defaultText: '64',
    help: 'Maximum size of that recording in memory, in megabytes (MiB), and again in --recording-directory.',
    group: 'Status',
  },
  {
    name: 'recording-directory',
    type: 'text',
    value: 'path',
    default: '',
    defaultText: 'none: in memory only',
    help:
      'Also write the recording to files in this directory, so that it survives this process; a crash loses at most the ' +
      'last second.',
    group: 'Status',
  },
  {
    name: 'recording',
    type: 'text',
    value: 'file',
    default: '',
    defaultText: 'that of the running agent',
    help: 'The recording to read: a file that kube-proxier record dump has written, or one of --recording-directory.',
    group: 'Commands',
  },
  {
    name: 'at',
    type: 'text',
    value: 'time',
    default: '',
    defaultText: 'now',
    help:
      'Answer from what was in force at this time: 14:03, 14:03:05, 2026-03-01T14:03:05Z, or 5m for five minutes ago. ' +
      'Times without a zone are local. Needs a recording.',
    group: 'Commands',
  },
  {
    name: 'since',
    type: 'text',
    value: 'time',
    default: '',
    defaultText: 'the begin of the recording',
    help: 'Print changes from this time on; the forms are those of --at.',
    group: 'Commands',
  },
  {
    name: 'until',
    type: 'text',
    value: 'time',
    default: '',
    defaultText: 'the end of the recording',
    help: 'Print changes up to this time, or replay up to it; the forms are those of --at.',
    group: 'Commands',
  },
  {
    name: 'test',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print a jest test that replays the recording and asserts the outcome of the packet.',
    group: 'Commands',
  },
  {
    name: 'expect',
    type: 'text',
    value: 'outcome',
    default: '',
    defaultText: 'the outcome of the replay',
    help:
      'With --test, the outcome that the test expects: refused, dropped, passed-on, or the endpoints, comma-separated, ' +
      'such as 10.244.0.5:8080.',
    group: 'Commands',
  },
  {
    name: 'output',
    short: 'o',
    type: 'text',
    value: 'format',
    default: 'text',
    defaultText: 'text',
    help: 'Output format of commands: text, json or yaml; also wide for kube-proxier get.',
    group: 'Commands',
  },
  {
    name: 'between',
    type: 'text',
    value: 'modes',
    default: '',
    defaultText: 'the kernel is verified',
    help:
      'With verify: compare what two modes would do with every class of packets, such as iptables,nftables. Nothing is read ' +
      'from the kernel, and nothing is written.',
    group: 'Commands',
  },
  {
    name: 'packets',
    type: 'bool',
    defaultText: 'the rules are verified',
    help:
      'With verify: make real TCP connections from this node to addresses of Services, at most 500 for each IP family, and compare ' +
      'where they go. They carry no data, but endpoints see them.',
    group: 'Commands',
  },
  {
    name: 'namespace',
    short: 'n',
    type: 'text',
    value: 'namespace',
    default: 'default',
    defaultText: 'default',
    help: 'The namespace of names without one.',
    group: 'Commands',
  },
  {
    name: 'via',
    type: 'text',
    value: 'kind',
    defaultText: 'what the clients use',
    help:
      'The addresses of the Service to send to: cluster-ip, external-ip, load-balancer or node-port. Clients outside use ' +
      'external addresses where there are some, other clients the cluster IP.',
    group: 'Commands',
  },
  {
    name: 'filename',
    short: 'f',
    type: 'text',
    value: 'file',
    defaultText: 'none',
    help: 'A file of Kubernetes objects that replace those of the same kind and name; - is standard input. May be repeated.',
    group: 'Commands',
  },
  {
    name: 'delete',
    type: 'text',
    value: 'object',
    defaultText: 'none',
    help:
      'An object that is deleted: svc/[<namespace>/]<name>, with its EndpointSlices, or endpointslice/[<namespace>/]<name>. ' +
      'May be repeated.',
    group: 'Commands',
  },
  {
    name: 'rules',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'List every rule that would be added or removed, in the terms of the mode.',
    group: 'Commands',
  },
  {
    name: 'all-namespaces',
    short: 'A',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print objects of all namespaces.',
    group: 'Commands',
  },
  {
    name: 'only-problems',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print only checks that are not ok.',
    group: 'Commands',
  },
  {
    name: 'watch',
    short: 'w',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print the status again whenever it changes, until the command is interrupted.',
    group: 'Commands',
  },
  {
    name: 'v',
    short: 'v',
    type: 'int',
    value: 'level',
    default: '0',
    defaultText: '0',
    help: 'Log verbosity, from 0: 2 for occasional details, 4 for debugging.',
    group: 'Logging',
  },
  {
    name: 'logging-format',
    type: 'text',
    value: 'format',
    default: 'text',
    defaultText: 'text',
    help: 'Log format: text, or json with one object per line. Both are written to standard error.',
    group: 'Logging',
  },
  ...HOST_FLAGS,
  {
    name: 'cleanup',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'The same as the command cleanup, for compatibility with kube-proxy: remove what kube-proxier has installed, and ' +
      'exit. Rules of kube-proxy are kept unless --kube-proxy is set.',
    group: 'Clean-up',
  },
  {
    name: 'kube-proxy',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'With cleanup: also remove what kube-proxy has installed.',
    group: 'Clean-up',
  },
  {
    name: 'dry-run',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'With cleanup: print what would be removed, without changing anything.',
    group: 'Clean-up',
  },
  {
    name: 'force',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help:
      'With cleanup: clean up even while a kube-proxier or a kube-proxy runs in this network namespace. A running ' +
      'kube-proxier must then reinstall its rules.',
    group: 'Clean-up',
  },
  { name: 'version', type: 'bool', default: 'false', defaultText: 'false', help: 'Print the version.', group: 'Other' },
  {
    name: 'help',
    short: 'h',
    type: 'bool',
    default: 'false',
    defaultText: 'false',
    help: 'Print this help.',
    group: 'Other',
  },
  ...LEGACY_FLAGS,
] as const satisfies readonly Flag[];

/** The flags that kube-proxy does not have. They stay effective with a KubeProxyConfiguration. */
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
  'ipvs-localhost-nodeports',
  'nftables-count-connections',
  'count-connections',
  'count-traffic',
  'counter-series',
  'nftables-owned-table',
  'nftables-program',
  'overlapping-external-addresses',
  'verify-period',
  'between',
  'manifests',
  'health-checks',
  'health-check-scripts',
  'metrics-scrape-bind-address',
  'metrics-scrape-access',
  'metrics-scrape-tls',
  'metrics-scrape-tls-cert-file',
  'metrics-scrape-tls-private-key-file',
  'probe-interval',
  'probe-addresses',
  'probe-readiness',
  'recording-age',
  'recording-size',
  'recording-directory',
  'recording',
  'at',
  'since',
  'until',
  'test',
  'expect',
  'output',
  'namespace',
  'via',
  'filename',
  'delete',
  'rules',
  'all-namespaces',
  'only-problems',
  'watch',
  'kube-proxy',
  'dry-run',
  'force',
  'help',
];

export type FlagName = (typeof FLAGS)[number]['name'];
