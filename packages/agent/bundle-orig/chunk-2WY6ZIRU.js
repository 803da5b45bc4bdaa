import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{DEFAULT_SCHEDULER,NFT_ACCESS_SETTINGS,OWNED_TABLE_SETTINGS,SCHEDULER_NAMES,USERSPACE_REDIRECTS,isScheduler,parsePortRange}from"./chunk-YORNVZFG.js";
import{OUTPUTS,isOutput}from"./chunk-JA47B56O.js";import{MAX_MESSAGE_LENGTH}from"./chunk-OAH5SUEQ.js";import{
BackendLoadError,DEFAULT_PROBE_ADDRESSES,createOffered,importBackend,offeredBackends}from"./chunk-K6JK22O5.js";import{
formatGoDuration,parseGoBool,parseGoDuration,parseGoFloat,parseGoInt}from"./chunk-ZZVTHHAR.js";import{require_dist}from"./chunk-UWS5UL64.js";
import{NODE_PORT_ADDRESS_KEYWORDS,ProxierError,UnknownProxyModeError,assertNever,isNodePortAddressKeyword,isRecord,isText,
joinHostPort,messageOf,nearestName,nestingOfText,parseAddress,parseCIDR,printable,printableValue,selectNodePortAddresses}from"./chunk-4LHTYADA.js";
import{__toESM}from"./chunk-VCSBMK2H.js";var import_yaml2=__toESM(require_dist(),1);var COMMAND_FLAGS=[{name:"recording",type:"text",value:"file",default:"",defaultText:"that of the running agent",help:"T\
he recording to read: a file that kube-proxier record dump has written, or one of --recording-directory.",group:"Command\
s"},{name:"at",type:"text",value:"time",default:"",defaultText:"now",help:"Answer from what was in force at this time: 1\
4:03, 14:03:05, 2026-03-01T14:03:05Z, or 5m for five minutes ago. Times without a zone are local. Needs a recording.",group:"\
Commands"},{name:"since",type:"text",value:"time",default:"",defaultText:"the begin of the recording",help:"Print change\
s from this time on; the forms are those of --at.",group:"Commands"},{name:"until",type:"text",value:"time",default:"",defaultText:"\
the end of the recording",help:"Print changes up to this time, or replay up to it; the forms are those of --at.",group:"\
Commands"},{name:"test",type:"bool",default:"false",defaultText:"false",help:"Print a jest test that replays the recordi\
ng and asserts the outcome of the packet.",group:"Commands"},{name:"expect",type:"text",value:"outcome",default:"",defaultText:"\
the outcome of the replay",help:"With --test, the outcome that the test expects: refused, dropped, passed-on, or the end\
points, comma-separated, such as 10.244.0.5:8080.",group:"Commands"},{name:"output",short:"o",type:"text",value:"format",
default:"text",defaultText:"text",help:"Output format of commands: text, json or yaml; also wide for kube-proxier get.",
group:"Commands"},{name:"between",type:"text",value:"modes",default:"",defaultText:"the kernel is verified",help:"With v\
erify: compare what two modes would do with every class of packets, such as iptables,nftables. Nothing is read from the \
kernel, and nothing is written.",group:"Commands"},{name:"packets",type:"bool",defaultText:"the rules are verified",help:"\
With verify: make real TCP connections from this node to addresses of Services, at most 500 for each IP family, and comp\
are where they go. They carry no data, but endpoints see them.",group:"Commands"},{name:"namespace",short:"n",type:"text",
value:"namespace",default:"default",defaultText:"default",help:"The namespace of names without one.",group:"Commands"},{
name:"via",type:"text",value:"kind",defaultText:"what the clients use",help:"The addresses of the Service to send to: cl\
uster-ip, external-ip, load-balancer or node-port. Clients outside use external addresses where there are some, other cl\
ients the cluster IP.",group:"Commands"},{name:"filename",short:"f",type:"text",value:"file",defaultText:"none",help:"A \
file of Kubernetes objects that replace those of the same kind and name; - is standard input. May be repeated.",group:"C\
ommands"},{name:"delete",type:"text",value:"object",defaultText:"none",help:"An object that is deleted: svc/[<namespace>\
/]<name>, with its EndpointSlices, or endpointslice/[<namespace>/]<name>. May be repeated.",group:"Commands"},{name:"rul\
es",type:"bool",default:"false",defaultText:"false",help:"List every rule that would be added or removed, in the terms o\
f the mode.",group:"Commands"},{name:"all-namespaces",short:"A",type:"bool",default:"false",defaultText:"false",help:"Pr\
int objects of all namespaces.",group:"Commands"},{name:"only-problems",type:"bool",default:"false",defaultText:"false",
help:"Print only checks that are not ok.",group:"Commands"},{name:"watch",short:"w",type:"bool",default:"false",defaultText:"\
false",help:"Print the status again whenever it changes, until the command is interrupted.",group:"Commands"},{name:"v",
short:"v",type:"int",value:"level",default:"0",defaultText:"0",help:"Log verbosity, from 0: 2 for occasional details, 4 \
for debugging.",group:"Logging"},{name:"logging-format",type:"text",value:"format",default:"text",defaultText:"text",help:"\
Log format: text, or json with one object per line. Both are written to standard error.",group:"Logging"}];var DURATION="a duration such as 500ms, 30s or 1m30s";var HOST_FLAGS=[{name:"conntrack-max-per-core",type:"int",value:"entries",default:"32768",defaultText:"32768",help:"Maxi\
mum number of tracked connections per CPU, at most 1048576 in total. 0 keeps the kernel's limit and ignores --conntrack-\
min.",group:"Conntrack"},{name:"conntrack-min",type:"int",value:"entries",default:"131072",defaultText:"131072",help:"Lo\
wer bound of the limit of tracked connections, regardless of the number of CPUs.",group:"Conntrack"},{name:"conntrack-tc\
p-timeout-established",type:"duration",value:"duration",default:"24h0m0s",defaultText:"24h",help:`Conntrack timeout of i\
dle established TCP connections, ${DURATION}. 0 keeps the kernel's value.`,group:"Conntrack"},{name:"conntrack-tcp-timeo\
ut-close-wait",type:"duration",value:"duration",default:"1h0m0s",defaultText:"1h",help:`Conntrack timeout of TCP connect\
ions in CLOSE_WAIT, ${DURATION}. 0 keeps the kernel's value.`,group:"Conntrack"},{name:"conntrack-tcp-be-liberal",type:"\
bool",default:"false",defaultText:"false",help:"Do not mark out-of-window TCP packets as INVALID (nf_conntrack_tcp_be_li\
beral=1).",group:"Conntrack"},{name:"conntrack-udp-timeout",type:"duration",value:"duration",default:"0s",defaultText:"0\
s: the kernel's value",help:`Conntrack timeout of unreplied UDP flows, ${DURATION}.`,group:"Conntrack"},{name:"conntrack\
-udp-timeout-stream",type:"duration",value:"duration",default:"0s",defaultText:"0s: the kernel's value",help:`Conntrack \
timeout of idle replied UDP flows, ${DURATION}.`,group:"Conntrack"},{name:"oom-score-adj",type:"int",value:"score",default:"\
-999",defaultText:"-999",help:"The oom_score_adj of this process, from -1000 (never killed when memory runs out) to 1000\
 (killed first). Lowering it needs CAP_SYS_RESOURCE.",group:"Other"},{name:"init-only",type:"bool",default:"false",defaultText:"\
false",help:"Do only the setup that needs more than CAP_NET_ADMIN (sysctls, checks of the mode), and exit, without insta\
lling rules. For a privileged init container, so that the main container needs no privileges.",group:"Other"},{name:"bin\
d-address-hard-fail",type:"bool",default:"false",defaultText:"false: retry every 5 seconds",help:"Exit if listening on -\
-healthz-bind-address or --metrics-bind-address fails.",group:"Status"},{name:"profiling",type:"bool",default:"false",defaultText:"\
false",help:"Serve /debug/pprof (CPU profile and heap snapshot, in the formats of V8) and PUT /debug/flags/v (log verbos\
ity) on --metrics-bind-address.",group:"Status"},{name:"feature-gates",type:"list",value:"gates",defaultText:"none",help:"\
Comma-separated Kubernetes feature gates, as Name=true or Name=false. With AllowServiceExternalIPs=false, external IPs o\
f Services are not served; with KubeProxyNFTablesLocalhostNodePorts=true, mode nftables serves NodePorts on the loopback\
 addresses that --nodeport-addresses lists; with KubeProxyIPVS=false, mode ipvs is refused. Other gates have no effect a\
nd are reported in a warning.",group:"Services"}];var WINDOWS="Windows only",FEW_REQUESTS="only four lists and watches are requested, and their retries are limited alread\
y",ONE_STREAM="log lines are written to standard error immediately",LEGACY_FLAGS=[{name:"healthz-port",type:"int",value:"\
port",default:"10256",defaultText:"10256",help:"Deprecated: the port of --healthz-bind-address, if that has none. 0 disa\
bles it.",group:"Status"},{name:"metrics-port",type:"int",value:"port",default:"10249",defaultText:"10249",help:"Depreca\
ted: the port of --metrics-bind-address, if that has none. 0 disables it.",group:"Status"},unused("kube-api-qps","float",
"rate","5",FEW_REQUESTS),unused("kube-api-burst","int","requests","10",FEW_REQUESTS),unused("config-sync-period","durati\
on","duration","15m0s","there is no resync of unchanged objects; installed rules are compared every 5 minutes"),unused("\
show-hidden-metrics-for-version","text","version","","there are no hidden metrics"),unused("vmodule","list","levels","",
"verbosity is set for the whole program: use -v"),unused("log-flush-frequency","duration","duration","5s",ONE_STREAM),unused(
"log-text-split-stream","bool",void 0,"false",ONE_STREAM),unused("log-text-info-buffer-size","text","size","0",ONE_STREAM),
unused("log-json-split-stream","bool",void 0,"false",ONE_STREAM),unused("log-json-info-buffer-size","text","size","0",ONE_STREAM),
unused("boot-id-file","text","files","/proc/sys/kernel/random/boot_id","machine information is not reported"),unused("ma\
chine-id-file","text","files","/etc/machine-id,/var/lib/dbus/machine-id","machine information is not reported"),unused("\
windows-service","bool",void 0,"false",WINDOWS),unused("source-vip","text","address","",WINDOWS),unused("network-name","\
text","name","",WINDOWS),unused("enable-dsr","bool",void 0,"false",WINDOWS),unused("root-hnsendpoint-name","text","name",
"cbr0",WINDOWS),unused("forward-healthcheck-vip","bool",void 0,"false",WINDOWS)];function unused(name,type,value,defaultValue,why){
return{name,type,...value===void 0?{}:{value},default:defaultValue,defaultText:defaultValue===""?"none":defaultValue,help:`\
Has no effect: ${why}${type==="duration"?" (a duration such as 500ms, 30s or 1m30s)":""}.`,group:"Without effect",unused:why}}var MODE_FLAGS=[{name:"proxy-mode",type:"text",value:"mode",default:"",defaultText:"iptables, with a warning",help:"How \
to program this node.",group:"Mode"},{name:"proxy-mode-fallback",type:"text",value:"mode",default:"iptables",defaultText:"\
iptables",help:'The mode to use when this host cannot run the requested one. With "none", that is an error.',group:"Mode"},
{name:"takeover",type:"bool",default:"true",defaultText:"true",help:"Remove leftovers of other modes and of kube-proxy f\
rom this node, once the mode is in force; never before.",group:"Mode"},{name:"allow-multiple-instances",type:"bool",default:"\
false",defaultText:"false",help:"Program this node even while another kube-proxier or a kube-proxy runs in its network n\
amespace. By default, this one waits until the other has ended. Two concurrent proxies overwrite each other.",group:"Mod\
e"},{name:"backend",type:"list",value:"package",defaultText:"none",help:"A third-party backend: the name of an installed\
 package, or the path of a module. Its code runs with the privileges of this process. It is used if --proxy-mode names i\
ts mode or is not set. Can be repeated.",group:"Mode"},{name:"backend-option",type:"list",value:"option",defaultText:"no\
ne",help:"An option of a third-party backend, passed to its create...Backend function: key=value for the only such backe\
nd, mode:key=value for one of several. The value is parsed as JSON if possible. Can be repeated.",group:"Mode"},{name:"u\
serspace-redirect",type:"text",value:"how",default:"auto",defaultText:"auto",help:'How clients reach the proxy: "iptable\
s" redirects cluster IPs and external addresses to it; "bind" serves only those that are addresses of this host; "none" \
serves only NodePorts and needs no privileges; "auto" selects iptables if available, else bind.',group:"Mode userspace"},
{name:"proxy-port-range",type:"text",value:"ports",default:"",defaultText:"any free ports",help:"The ports on which the \
proxy listens for redirected clients: 30000-32767, or 30000+100, or one port.",group:"Mode userspace"},{name:"udp-timeou\
t",type:"duration",value:"duration",default:"250ms",defaultText:"250ms",help:`Idle timeout after which a UDP client may \
get another endpoint, ${DURATION}. More than 0.`,group:"Mode userspace"},{name:"nftables-localhost-nodeports",type:"bool",
default:"false",defaultText:"false",help:"Also serve TCP and UDP NodePorts on 127.0.0.1 and ::1, which nftables cannot: \
through sockets of this process, as in mode userspace. As --feature-gates=KubeProxyNFTablesLocalhostNodePorts=true with \
localhost in --nodeport-addresses.",group:"Mode nftables"},{name:"nftables-count-connections",type:"bool",default:"false",
defaultText:"false",help:"The same as --count-connections, from before other modes had it.",group:"Mode nftables"},{name:"\
nftables-owned-table",type:"text",value:"when",default:"never",defaultText:"never",help:'Let this process own the nftabl\
es table, so that the kernel rejects foreign changes: "persistent" only if the table can be kept when this process ends \
(Linux 6.9, and nft 1.1.0 where that is used); "always" also otherwise: the table, and with it all Services, is then del\
eted when this process ends, until it restarts.',group:"Mode nftables"},{name:"nftables-program",type:"text",value:"name",
default:"auto",defaultText:"auto",help:'How nftables is programmed: "netlink" by this process itself, "nft" by the progr\
am nft; "auto" by netlink where that works, else by nft.',group:"Mode nftables"},{name:"ipvs-scheduler",type:"text",value:"\
name",default:"",defaultText:"rr",help:"The IPVS scheduler: rr, wrr, lc, wlc, dh, sh, sed, nq, lblc, lblcr, mh, fo or ov\
f. The annotation kube-proxier.io/ipvs-scheduler overrides it for one Service.",group:"Mode ipvs"},{name:"ipvs-localhost\
-nodeports",type:"bool",default:"false",defaultText:"false",help:"Also serve TCP and UDP NodePorts on 127.0.0.1 and ::1,\
 which IPVS cannot: through sockets of this process, as in mode userspace. On the loopback addresses that --nodeport-add\
resses selects, 127.0.0.1 where it is empty.",group:"Mode ipvs"},{name:"ipvs-exclude-cidrs",type:"list",value:"networks",
defaultText:"none",help:"Comma-separated CIDRs whose virtual servers are never modified or removed.",group:"Mode ipvs"},
{name:"ipvs-strict-arp",type:"bool",default:"false",defaultText:"false",help:"Reply to ARP requests for an address only \
on the interface that has it (arp_ignore=1, arp_announce=2).",group:"Mode ipvs"},{name:"ipvs-tcp-timeout",type:"duration",
value:"duration",default:"0s",defaultText:"the kernel's, 15m unless it was changed",help:`IPVS timeout of idle TCP conne\
ctions, ${DURATION}, in whole seconds. 0 keeps the kernel's value.`,group:"Mode ipvs"},{name:"ipvs-tcpfin-timeout",type:"\
duration",value:"duration",default:"0s",defaultText:"the kernel's, 2m unless it was changed",help:`IPVS timeout of TCP c\
onnections after a FIN, ${DURATION}. 0 keeps the kernel's value.`,group:"Mode ipvs"},{name:"ipvs-udp-timeout",type:"dura\
tion",value:"duration",default:"0s",defaultText:"the kernel's, 5m unless it was changed",help:`IPVS timeout of idle UDP \
flows, ${DURATION}. 0 keeps the kernel's value.`,group:"Mode ipvs"},{name:"ipvs-sync-period",type:"duration",value:"dura\
tion",default:"30s",defaultText:"30s",help:`In this mode, the maximum delay before a failed sync is retried, ${DURATION}\
. More than 0.`,group:"Mode ipvs"},{name:"ipvs-min-sync-period",type:"duration",value:"duration",defaultText:"by the dur\
ation of syncs, at most 1s",help:`In this mode, the minimum period between two syncs, ${DURATION}. 0 applies every chang\
e immediately.`,group:"Mode ipvs"}];var SERVICE_FLAGS=[{name:"nodeport-addresses",type:"list",value:"networks",defaultText:"all; primary in mode nftables",help:"\
Comma-separated networks and keywords: NodePorts are served on the addresses of this node within these. Keywords: primar\
y (the first address of each IP family of the Node object), localhost (127.0.0.0/8 and ::1/128) and all (0.0.0.0/0 and :\
:/0). A family of which nothing is listed is served on all addresses. 127.0.0.0/8 requires mode iptables or userspace, :\
:1 mode userspace; for mode nftables see --nftables-localhost-nodeports.",group:"Services"},{name:"iptables-localhost-no\
deports",type:"bool",default:"true",defaultText:"true",help:"Also serve IPv4 NodePorts on 127.0.0.1, if the mode support\
s it and --nodeport-addresses includes it. Has no effect in mode nftables and on IPv6.",group:"Services"},{name:"count-c\
onnections",type:"bool",default:"false",defaultText:"false",help:"Count connections to every Service and its endpoints, \
as the metrics kube_proxier_service_connections_total and kube_proxier_endpoint_connections_total, and what else the mod\
e can count (docs/modes.md). The annotation kube-proxier.io/count-connections overrides it for one Service.",group:"Serv\
ices"},{name:"count-traffic",type:"bool",default:"false",defaultText:"false",help:"Also count packets and bytes of every\
 Service and its endpoints, where the mode does not count them with the connections (nftables); includes --count-connect\
ions. The annotation kube-proxier.io/count-traffic overrides it for one Service.",group:"Services"},{name:"counter-serie\
s",type:"int",value:"number",default:"100",defaultText:"100",help:"Most series of each counter of Services, from 1 to 10\
0000: those with the highest values. The rest is summed in a series whose labels service, protocol and endpoint are empt\
y.",group:"Services"},{name:"overlapping-external-addresses",type:"text",value:"action",default:"serve",defaultText:"ser\
ve",help:'How to handle external IPs and load balancer IPs that are an address of this node, or in the pod or Service ne\
tworks: "serve" them with a warning, as kube-proxy does, although the Service then gets packets for other listeners of t\
hat address; or "refuse" to serve them.',group:"Services"},{name:"masquerade-all",type:"bool",default:"false",defaultText:"\
false",help:"Masquerade (SNAT) all traffic to cluster IPs.",group:"Services"},{name:"iptables-masquerade-bit",type:"int",
value:"bit",default:"14",defaultText:"14",help:"The bit of the packet mark (fwmark) that marks packets to masquerade, fr\
om 0 to 31.",group:"Services"},{name:"iptables-sync-period",type:"duration",value:"duration",default:"30s",defaultText:"\
30s",help:`Maximum delay before a failed sync is retried, ${DURATION}. More than 0.`,group:"Timing"},{name:"iptables-min\
-sync-period",type:"duration",value:"duration",defaultText:"by the duration of syncs, at most 1s",help:`Minimum period b\
etween two syncs, ${DURATION}. 0 applies every change immediately.`,group:"Timing"},{name:"verify-period",type:"duration",
value:"duration",default:"10m0s",defaultText:"10m",help:`How often the agent verifies that the kernel does with packets \
what the state says, ${DURATION}. 0 verifies on request only (kube-proxier verify), and takeovers do not wait for a veri\
fication.`,group:"Timing"}];var SOURCE_FLAGS=[{name:"config",type:"text",value:"file",default:"",defaultText:"none",help:"A KubeProxyConfiguration f\
ile, as kube-proxy and kubeadm use it. It replaces kube-proxy's flags except --master, --hostname-override, -v and --log\
ging-format. A second document in the file, a KubeProxierConfiguration, sets options that kube-proxy does not have; flag\
s override it. When the configuration changes, kube-proxier exits with status 1, so that its supervisor restarts it.",group:"\
Objects"},{name:"write-config-to",type:"text",value:"file",default:"",defaultText:"none",help:"Write the effective confi\
guration of all flags and files to this file, in the format of --config, and exit.",group:"Objects"},{name:"kubeconfig",
type:"text",value:"path",default:"",defaultText:"none: the in-cluster API server with the service account of the pod, un\
less --master or --manifests is set",help:"The kubeconfig file with the address and credentials of the API server. It is\
 read again when it changes.",group:"Objects"},{name:"master",type:"text",value:"url",default:"",defaultText:"the server\
 of the kubeconfig",help:"The URL of the API server; overrides the kubeconfig. Without --kubeconfig, requests have no cr\
edentials.",group:"Objects"},{name:"kube-api-content-type",type:"text",value:"type",default:"application/vnd.kubernetes.\
protobuf",defaultText:"application/vnd.kubernetes.protobuf",help:"What objects are requested in: application/vnd.kuberne\
tes.protobuf, with JSON where the API server does not have it, or application/json.",group:"Objects"},{name:"manifests",
type:"list",value:"path",defaultText:"none",help:"A directory of YAML or JSON files, or one such file, with Service, End\
pointSlice, Endpoints, Node and ServiceCIDR objects. It is watched: changes take effect automatically. Can be repeated. \
An object of the same name on the API server takes precedence.",group:"Objects"},{name:"health-checks",type:"text",value:"\
where",default:"manifests",defaultText:"manifests",help:'Whose endpoints this process checks: those of Services with the\
 annotation kube-proxier.io/health-check in "manifests", or in "all" sources, the API server included; or "none". With "\
all", every node checks, and everybody who may edit Services and EndpointSlices decides what it connects to.',group:"Obj\
ects"},{name:"health-check-scripts",type:"text",value:"directory",default:"",defaultText:"none: scripts are not run",help:"\
The directory of the scripts that the annotation kube-proxier.io/health-check: script:NAME can name, as an absolute path\
. They run with the privileges of this process. The directory must belong to root or to the user of this process, and no\
body else may write to it.",group:"Objects"},{name:"hostname-override",type:"text",value:"name",default:"",defaultText:"\
the host's name in lower case",help:"The name of this node, as in endpoints and in its Node object.",group:"Node"},{name:"\
bind-address",type:"text",value:"address",default:"0.0.0.0",defaultText:"0.0.0.0: the address of the Node object",help:"\
The node's primary IP address, which determines the primary IP family. No socket is bound to it.",group:"Node"},{name:"d\
etect-local-mode",type:"text",value:"mode",default:"",defaultText:"ClusterCIDR",help:"How to detect traffic of local pod\
s: ClusterCIDR (source address in --cluster-cidr), NodeCIDR (source address in the pod CIDRs of the Node object), Bridge\
Interface (received on --pod-bridge-interface), or InterfaceNamePrefix (received on an interface whose name begins with \
--pod-interface-name-prefix).",group:"Node"},{name:"cluster-cidr",type:"list",value:"networks",defaultText:"none: traffi\
c of pods cannot be detected",help:"The CIDR of pods in the cluster, or a comma-separated pair, one of each IP family.",
group:"Node"},{name:"pod-bridge-interface",type:"text",value:"name",default:"",defaultText:"none",help:"The bridge to wh\
ich pods are connected, for --detect-local-mode=BridgeInterface.",group:"Node"},{name:"pod-interface-name-prefix",type:"\
text",value:"prefix",default:"",defaultText:"none",help:"The name prefix of interfaces of pods, for --detect-local-mode=\
InterfaceNamePrefix.",group:"Node"}];var STATUS_FLAGS=[{name:"healthz-bind-address",type:"text",value:"address",default:"0.0.0.0:10256",defaultText:"0.0.0.0:\
10256",help:'The address that serves /healthz, /livez and /readyz over HTTP, for load balancers and the kubelet. The def\
ault port is 10256; "" disables it.',group:"Status"},{name:"metrics-bind-address",type:"text",value:"address",default:"1\
27.0.0.1:10249",defaultText:"127.0.0.1:10249",help:'The address that serves /metrics, /configz, /proxyMode, and under /d\
ebug what the commands status, get, explain and verify query, over HTTP. It exposes all Services: use a loopback address\
. The default port is 10249; "" disables it.',group:"Status"},{name:"metrics-scrape-bind-address",type:"text",value:"add\
ress",default:"",defaultText:"none",help:"An address that serves only /metrics, for a Prometheus that does not run on th\
is node: with --metrics-scrape-access, to clients with permission. The default port is 10269.",group:"Status"},{name:"me\
trics-scrape-access",type:"text",value:"who",default:"authorized",defaultText:"authorized",help:'Who may read metrics th\
ere: "authorized" are clients with a bearer token whose user may get the URL /metrics, which the API server decides (Tok\
enReview, SubjectAccessReview); "everybody" is everybody who can connect.',group:"Status"},{name:"metrics-scrape-tls",type:"\
bool",default:"true",defaultText:"true",help:"Serve metrics there over HTTPS. Without it, over HTTP, which requires --me\
trics-scrape-access=everybody.",group:"Status"},{name:"metrics-scrape-tls-cert-file",type:"text",value:"file",default:"",
defaultText:"self-signed, made at start",help:"The certificate for HTTPS there, with those of its issuers after it, in P\
EM. It is read again when it changes.",group:"Status"},{name:"metrics-scrape-tls-private-key-file",type:"text",value:"fi\
le",default:"",defaultText:"none",help:"The private key of --metrics-scrape-tls-cert-file, in PEM.",group:"Status"},{name:"\
probe-interval",type:"duration",value:"duration",default:"0s",defaultText:"0s: no probe",help:`Probe the data plane with\
 this period, ${DURATION}: connect to a Service of the agent's own, whose endpoint is the agent. The result is in the co\
mmand status and a metric.`,group:"Status"},{name:"probe-addresses",type:"list",value:"addresses",default:"192.0.2.1,200\
1:db8::1",defaultText:"192.0.2.1,2001:db8::1",help:"Comma-separated cluster IPs of the Services of the probe, one of eac\
h IP family that is probed. Nothing else may have them; without a default route, take unused ones of a network that this\
 host has a route to.",group:"Status"},{name:"probe-readiness",type:"bool",default:"false",defaultText:"false",help:"/re\
adyz also fails until a probe has succeeded, and while probes fail; /healthz is not affected.",group:"Status"},{name:"re\
cording-age",type:"duration",value:"duration",default:"1h",defaultText:"1h",help:`Maximum age of the recording of receiv\
ed objects, syncs and failures that the agent keeps in memory, for the commands record, replay, what-changed and explain\
 --at, ${DURATION}. 0 records nothing.`,group:"Status"},{name:"recording-size",type:"int",value:"megabytes",default:"64",
defaultText:"64",help:"Maximum size of that recording in memory, in megabytes (MiB), and again in --recording-directory.",
group:"Status"},{name:"recording-directory",type:"text",value:"path",default:"",defaultText:"none: in memory only",help:"\
Also write the recording to files in this directory, so that it survives this process; a crash loses at most the last se\
cond.",group:"Status"}];var FLAGS=[...MODE_FLAGS,...SOURCE_FLAGS,...SERVICE_FLAGS,...STATUS_FLAGS,...COMMAND_FLAGS,...HOST_FLAGS,{name:"cleanup",
type:"bool",default:"false",defaultText:"false",help:"The same as the command cleanup, for compatibility with kube-proxy\
: remove what kube-proxier has installed, and exit. Rules of kube-proxy are kept unless --kube-proxy is set.",group:"Cle\
an-up"},{name:"kube-proxy",type:"bool",default:"false",defaultText:"false",help:"With cleanup: also remove what kube-pro\
xy has installed.",group:"Clean-up"},{name:"dry-run",type:"bool",default:"false",defaultText:"false",help:"With cleanup:\
 print what would be removed, without changing anything.",group:"Clean-up"},{name:"force",type:"bool",default:"false",defaultText:"\
false",help:"With cleanup: clean up even while a kube-proxier or a kube-proxy runs in this network namespace. A running \
kube-proxier must then reinstall its rules.",group:"Clean-up"},{name:"version",type:"bool",default:"false",defaultText:"\
false",help:"Print the version.",group:"Other"},{name:"help",short:"h",type:"bool",default:"false",defaultText:"false",help:"\
Print this help.",group:"Other"},...LEGACY_FLAGS],OWN_FLAGS=["backend","backend-option","proxy-mode-fallback","takeover",
"allow-multiple-instances","userspace-redirect","proxy-port-range","udp-timeout","nftables-localhost-nodeports","ipvs-lo\
calhost-nodeports","nftables-count-connections","count-connections","count-traffic","counter-series","nftables-owned-tab\
le","nftables-program","overlapping-external-addresses","verify-period","between","manifests","health-checks","health-ch\
eck-scripts","metrics-scrape-bind-address","metrics-scrape-access","metrics-scrape-tls","metrics-scrape-tls-cert-file","\
metrics-scrape-tls-private-key-file","probe-interval","probe-addresses","probe-readiness","recording-age","recording-siz\
e","recording-directory","recording","at","since","until","test","expect","output","namespace","via","filename","delete",
"rules","all-namespaces","only-problems","watch","kube-proxy","dry-run","force","help"];var import_yaml=__toESM(require_dist(),1);var API_VERSION="kubeproxy.config.k8s.io/v1alpha1",KIND="KubeProxyConfiguration",IPTABLES_MODES=[""],FIELDS={apiVersion:{
type:"text"},kind:{type:"text"},featureGates:{type:"switches",flag:"feature-gates"},"clientConnection.kubeconfig":{type:"\
text",flag:"kubeconfig"},"clientConnection.acceptContentTypes":{type:"text",flagless:!0},"clientConnection.contentType":{
type:"text",flag:"kube-api-content-type"},"clientConnection.qps":{type:"float",flag:"kube-api-qps"},"clientConnection.bu\
rst":{type:"int",flag:"kube-api-burst"},"logging.format":{type:"text",flag:"logging-format"},"logging.verbosity":{type:"\
int",flag:"v"},"logging.flushFrequency":{type:"period",flag:"log-flush-frequency"},"logging.options.text.splitStream":{type:"\
bool",flag:"log-text-split-stream"},"logging.options.text.infoBufferSize":{type:"size",flag:"log-text-info-buffer-size"},
"logging.options.json.splitStream":{type:"bool",flag:"log-json-split-stream"},"logging.options.json.infoBufferSize":{type:"\
size",flag:"log-json-info-buffer-size"},"logging.vmodule":{type:"levels",flag:"vmodule"},hostnameOverride:{type:"text",flag:"\
hostname-override"},bindAddress:{type:"text",flag:"bind-address"},healthzBindAddress:{type:"text",flag:"healthz-bind-add\
ress"},metricsBindAddress:{type:"text",flag:"metrics-bind-address"},bindAddressHardFail:{type:"bool",flag:"bind-address-\
hard-fail"},enableProfiling:{type:"bool",flag:"profiling"},showHiddenMetricsForVersion:{type:"text",flag:"show-hidden-me\
trics-for-version"},mode:{type:"text",flag:"proxy-mode"},"iptables.masqueradeBit":{type:"int",flag:"iptables-masquerade-\
bit",modes:[...IPTABLES_MODES,"ipvs"],zeroCounts:!0},"iptables.masqueradeAll":{type:"bool",flag:"masquerade-all",modes:[
...IPTABLES_MODES,"ipvs"]},"iptables.localhostNodePorts":{type:"bool",flag:"iptables-localhost-nodeports",zeroCounts:!0},
"iptables.syncPeriod":{type:"duration",flag:"iptables-sync-period",modes:IPTABLES_MODES},"iptables.minSyncPeriod":{type:"\
duration",flag:"iptables-min-sync-period",modes:IPTABLES_MODES},"ipvs.syncPeriod":{type:"duration",flag:"ipvs-sync-perio\
d",modes:["ipvs"]},"ipvs.minSyncPeriod":{type:"duration",flag:"ipvs-min-sync-period",modes:["ipvs"]},"ipvs.scheduler":{type:"\
text",flag:"ipvs-scheduler"},"ipvs.excludeCIDRs":{type:"list",flag:"ipvs-exclude-cidrs"},"ipvs.strictARP":{type:"bool",flag:"\
ipvs-strict-arp"},"ipvs.tcpTimeout":{type:"duration",flag:"ipvs-tcp-timeout"},"ipvs.tcpFinTimeout":{type:"duration",flag:"\
ipvs-tcpfin-timeout"},"ipvs.udpTimeout":{type:"duration",flag:"ipvs-udp-timeout"},"nftables.masqueradeBit":{type:"int",flag:"\
iptables-masquerade-bit",modes:["nftables"],zeroCounts:!0},"nftables.masqueradeAll":{type:"bool",flag:"masquerade-all",modes:[
"nftables"]},"nftables.syncPeriod":{type:"duration",flag:"iptables-sync-period",modes:["nftables"]},"nftables.minSyncPer\
iod":{type:"duration",flag:"iptables-min-sync-period",modes:["nftables"]},"winkernel.networkName":{type:"text",flag:"net\
work-name"},"winkernel.sourceVip":{type:"text",flag:"source-vip"},"winkernel.enableDSR":{type:"bool",flag:"enable-dsr"},
"winkernel.rootHnsEndpointName":{type:"text",flag:"root-hnsendpoint-name"},"winkernel.forwardHealthCheckVip":{type:"bool",
flag:"forward-healthcheck-vip"},detectLocalMode:{type:"text",flag:"detect-local-mode"},"detectLocal.bridgeInterface":{type:"\
text",flag:"pod-bridge-interface"},"detectLocal.interfaceNamePrefix":{type:"text",flag:"pod-interface-name-prefix"},clusterCIDR:{
type:"text",flag:"cluster-cidr"},nodePortAddresses:{type:"list",flag:"nodeport-addresses"},oomScoreAdj:{type:"int",flag:"\
oom-score-adj",zeroCounts:!0},"conntrack.maxPerCore":{type:"int",flag:"conntrack-max-per-core",zeroCounts:!0},"conntrack\
.min":{type:"int",flag:"conntrack-min",zeroCounts:!0},"conntrack.tcpEstablishedTimeout":{type:"duration",flag:"conntrack\
-tcp-timeout-established",zeroCounts:!0},"conntrack.tcpCloseWaitTimeout":{type:"duration",flag:"conntrack-tcp-timeout-cl\
ose-wait",zeroCounts:!0},"conntrack.tcpBeLiberal":{type:"bool",flag:"conntrack-tcp-be-liberal"},"conntrack.udpTimeout":{
type:"duration",flag:"conntrack-udp-timeout"},"conntrack.udpStreamTimeout":{type:"duration",flag:"conntrack-udp-timeout-\
stream"},configSyncPeriod:{type:"duration",flag:"config-sync-period"},portRange:{type:"text",without:"kube-proxy ignores\
 it too"},windowsRunAsService:{type:"bool",flag:"windows-service"}},OWN_API_VERSION="kube-proxier.io/v1alpha1",OWN_KIND="\
KubeProxierConfiguration",OWN_FIELDS={apiVersion:{type:"text"},kind:{type:"text"},backends:{type:"list",flag:"backend"},
backendOptions:{type:"texts",flag:"backend-option"},modeFallback:{type:"text",flag:"proxy-mode-fallback"},takeover:{type:"\
bool",flag:"takeover",zeroCounts:!0},overlappingExternalAddresses:{type:"text",flag:"overlapping-external-addresses"},countConnections:{
type:"bool",flag:"count-connections"},countTraffic:{type:"bool",flag:"count-traffic"},counterSeries:{type:"int",flag:"co\
unter-series"},verifyPeriod:{type:"duration",flag:"verify-period",zeroCounts:!0},allowMultipleInstances:{type:"bool",flag:"\
allow-multiple-instances"},manifests:{type:"list",flag:"manifests"},"healthChecks.sources":{type:"text",flag:"health-che\
cks"},"healthChecks.scripts":{type:"text",flag:"health-check-scripts"},"metricsScrape.bindAddress":{type:"text",flag:"me\
trics-scrape-bind-address"},"metricsScrape.access":{type:"text",flag:"metrics-scrape-access"},"metricsScrape.tls":{type:"\
bool",flag:"metrics-scrape-tls",zeroCounts:!0},"metricsScrape.tlsCertFile":{type:"text",flag:"metrics-scrape-tls-cert-fi\
le"},"metricsScrape.tlsPrivateKeyFile":{type:"text",flag:"metrics-scrape-tls-private-key-file"},"probe.interval":{type:"\
duration",flag:"probe-interval"},"probe.addresses":{type:"list",flag:"probe-addresses"},"probe.readiness":{type:"bool",flag:"\
probe-readiness"},"recording.age":{type:"duration",flag:"recording-age",zeroCounts:!0},"recording.size":{type:"int",flag:"\
recording-size"},"recording.directory":{type:"text",flag:"recording-directory"},"userspace.redirect":{type:"text",flag:"\
userspace-redirect"},"userspace.proxyPortRange":{type:"text",flag:"proxy-port-range"},"userspace.udpTimeout":{type:"dura\
tion",flag:"udp-timeout"},"ipvs.localhostNodePorts":{type:"bool",flag:"ipvs-localhost-nodeports"},"nftables.localhostNod\
ePorts":{type:"bool",flag:"nftables-localhost-nodeports"},"nftables.countConnections":{type:"bool",flag:"nftables-count-\
connections"},"nftables.ownedTable":{type:"text",flag:"nftables-owned-table"},"nftables.program":{type:"text",flag:"nfta\
bles-program"}};function fieldOf(flag){return[...Object.entries(FIELDS),...Object.entries(OWN_FIELDS)].find(([,field])=>field.
flag===flag)?.[0]}function sectionsOf(fields){let paths=Object.keys(fields).map(path=>path.split("."));return new Set(paths.
flatMap(names=>names.slice(1).map((_,index)=>names.slice(0,index+1).join("."))))}var KUBE_PROXY={kind:KIND,fields:FIELDS,
sections:sectionsOf(FIELDS),strict:!1},OWN={kind:OWN_KIND,fields:OWN_FIELDS,sections:sectionsOf(OWN_FIELDS),strict:!0},WANTED={
text:"a text",bool:"true or false",int:"a whole number",float:"a number",duration:"a duration such as 30s or 1m30s",period:"\
a duration such as 5s, or a number of nanoseconds",list:"a list of texts",texts:"a list of texts",switches:"an object wi\
th true or false for each name",size:"a size such as 0 or 64Ki",levels:"a list of objects with filePattern and verbosity"};
function readKubeProxyConfiguration(text,file){return new ConfigurationReader(text,file).read()}var MAX_LENGTH=1024*1024,
MAX_NESTING=200,ConfigurationReader=class{text;file;#lines=new import_yaml.LineCounter;#values=new Map;#places=new Map;#fieldsWithoutFlag=new Map;#problems=[];#warnings=[];#mode="";constructor(text,file){
this.text=text,this.file=file}read(){let{file}=this,values=this.#values,places=this.#places,fieldsWithoutFlag=this.#fieldsWithoutFlag,
problems=this.#problems,warnings=this.#warnings;if(this.text.length>MAX_LENGTH||nestingOfText(this.text,MAX_NESTING)>MAX_NESTING)
return problems.push(`${file}: is too large, or nested too deeply, for a configuration file`),{file,values,places,fieldsWithoutFlag,
problems,warnings};let parsed=(0,import_yaml.parseAllDocuments)(this.text,{lineCounter:this.#lines,uniqueKeys:!1}),documents=Array.
isArray(parsed)?parsed.filter(({contents})=>contents!==null):[];for(let error of documents.flatMap(({errors})=>errors))problems.
push(`${this.#at(error.pos[0])}: ${printable(withoutPlace(error.message),MAX_MESSAGE_LENGTH)}`);if(problems.length===0){
let[first,...rest]=documents.map(({contents})=>contents);this.#readDocument(first??null,KUBE_PROXY,API_VERSION);for(let root of rest.
slice(0,1))this.#readDocument(root,OWN,OWN_API_VERSION);for(let root of rest.slice(1))problems.push(`${this.#at(root?.range?.[0])}\
: is a third document; at most two are allowed`)}return{file,values,places,fieldsWithoutFlag,problems,warnings}}#readDocument(root,as,wantedVersion){
if(!(0,import_yaml.isMap)(root)){this.#problems.push(`${this.file}: is not a ${as.kind}: it must be a YAML or JSON objec\
t`);return}let counting=lastByName(root),[apiVersion,kind,mode]=["apiVersion","kind","mode"].map(name=>plain(counting.get(
name)?.value??null));if(apiVersion!==wantedVersion||kind!==as.kind){let place=as.strict?this.#at(root.range?.[0]):this.file,
found=`${printable(String(kind))} of ${printable(String(apiVersion))}`;this.#problems.push(`${place}: is a ${found}; exp\
ected a ${as.kind} of ${wantedVersion}`);return}as.strict||(this.#mode=mode==="ipvs"||mode==="nftables"?mode:""),this.#readMap(
root,"",as),!as.strict&&parseAddress(this.#values.get("bind-address")?.[0])?.family==="IPv6"&&this.#useIPv6Defaults()}#useIPv6Defaults(){
let defaults=[["healthz-bind-address","[::]:10256"],["metrics-bind-address","[::1]:10249"]];for(let[flag,address]of defaults)
this.#values.has(flag)||this.#values.set(flag,[address])}#readMap(map,prefix,as){let seen=new Set,counting=lastByName(map);
for(let pair of map.items){let{key,value}=pair,name=nameOf(pair),path=`${prefix}${name}`,place=`${this.#at((0,import_yaml.isScalar)(
key)?key.range?.[0]:void 0)}: ${printable(path)}`;if(seen.has(name)&&this.#odd(as,`${place}: is a duplicate key`,as.strict?
"; remove one":"; the last value is used"),seen.add(name),counting.get(name)!==pair)continue;let field=as.fields[path];field?
this.#readField(path,field,value,place):as.sections.has(path)?(0,import_yaml.isMap)(value)?this.#readMap(value,`${path}.`,
as):(!(0,import_yaml.isScalar)(value)||value.value!==null)&&this.#problems.push(`${place}: must be an object`):this.#unknown(
as,place,path)}}#unknown(as,place,path){let names=Object.keys(as.fields).filter(name=>name!=="apiVersion"&&name!=="kind"),
meant=nearestName(path,names)??names.find(name=>name.split(".").at(-1)===path.split(".").at(-1)),list=as.strict?`; valid\
 fields: ${names.join(", ")}`:"",hint=meant===void 0?list:`; did you mean ${meant}?`;this.#odd(as,`${place}: unknown fie\
ld of a ${as.kind}`,as.strict?hint:`, ignored${hint}`)}#odd({strict},what,consequence){(strict?this.#problems:this.#warnings).
push(`${what}${consequence}`)}#readField(path,field,node,place){let value=plain(node);if(value==null)return;let texts=textsOf(
field.type,value);if(texts===void 0){this.#problems.push(`${place}: ${printableValue(value,300)} is not ${WANTED[field.type]}`);
return}!field.zeroCounts&&texts.every(text=>isZero(field.type,text))||(field.flag===void 0&&path!=="apiVersion"&&path!==
"kind"&&this.#fieldsWithoutFlag.set(path,value),field.without!==void 0?this.#warnings.push(`${place}: has no effect: ${field.
without}`):field.flag!==void 0&&(field.modes===void 0||field.modes.includes(this.#mode))&&(this.#values.set(field.flag,texts),
this.#places.set(field.flag,place)))}#at(offset){return offset===void 0?this.file:`${this.file}:${this.#lines.linePos(offset).
line}`}};function nameOf({key}){return(0,import_yaml.isScalar)(key)?String(key.value):""}function lastByName({items}){return new Map(
items.map(pair=>[nameOf(pair),pair]))}function withoutPlace(message){return(message.split(`
`)[0]??"").replace(/ at line \d+, column \d+:?$/,"")}function plain(node){return(0,import_yaml.isScalar)(node)?node.value:
(0,import_yaml.isSeq)(node)||(0,import_yaml.isMap)(node)?node.toJSON():null}function textsOf(type,value){switch(type){case"\
text":return typeof value=="string"?[value]:void 0;case"bool":return typeof value=="boolean"?[String(value)]:void 0;case"\
int":return typeof value=="number"&&Number.isInteger(value)?[String(value)]:void 0;case"float":return typeof value=="num\
ber"?[String(value)]:void 0;case"duration":return typeof value=="string"?[value]:value===0?["0"]:void 0;case"period":return typeof value==
"string"?[value]:Number.isInteger(value)?[`${value}ns`]:void 0;case"size":return typeof value=="string"||Number.isInteger(
value)?[String(value)]:void 0;case"list":case"texts":return Array.isArray(value)&&value.every(item=>typeof item=="string")?
value:void 0;case"switches":return isRecord(value)&&Object.values(value).every(on=>typeof on=="boolean")?[Object.entries(
value).map(([name,on])=>`${name}=${on}`).join(",")]:void 0;case"levels":return Array.isArray(value)&&value.every(isLevel)?
[value.map(({filePattern,verbosity})=>`${filePattern}=${verbosity}`).join(",")]:void 0}}function isLevel(value){return isRecord(
value)&&typeof value.filePattern=="string"&&Number.isInteger(value.verbosity)}function isZero(type,text){return text===""||
type==="bool"&&text==="false"||type!=="text"&&/^0(\.0*)?(ns|s|m|h|ms)?$/.test(text)}function effectiveConfiguration(values,fieldsWithoutFlag){let mode=values.get("proxy-mode")?.at(-1)??"",section=mode==="\
ipvs"||mode==="nftables"?mode:"",kubeProxy=build(FIELDS,values,fieldsWithoutFlag,section);return{kubeProxy:{...kubeProxy,
mode:mode===""?"iptables":mode,detectLocalMode:kubeProxy.detectLocalMode===""?"ClusterCIDR":kubeProxy.detectLocalMode,apiVersion:API_VERSION,
kind:KIND},own:{...build(OWN_FIELDS,values,fieldsWithoutFlag,section),apiVersion:OWN_API_VERSION,kind:OWN_KIND}}}function formatConfiguration({
kubeProxy,own}){let text=document=>(0,import_yaml2.stringify)(document,{sortMapEntries:!0});return`${text(kubeProxy)}---\

${text(own)}`}function build(fields,values,fieldsWithoutFlag,section){let root={};for(let[path,field]of Object.entries(fields)){
let counts=field.modes===void 0||field.modes.includes(section),texts=field.flag===void 0||!counts?void 0:values.get(field.
flag)??defaultOf(field.flag);put(root,path.split("."),texts===void 0?fieldsWithoutFlag.get(path)??zero(field):fieldValue(
field,texts))}return root}function put(root,path,value){let[name="",...rest]=path;if(rest.length===0){root[name]=value;return}
let inner=root[name]??{};root[name]=inner,put(inner,rest,value)}function defaultOf(name){let flag=FLAGS.find(candidate=>candidate.
name===name);return flag?.default===void 0?[]:[flag.default]}function zero({type,zeroCounts}){if(zeroCounts)return null;
switch(type){case"bool":return!1;case"int":case"float":return 0;case"duration":case"period":return"0s";case"list":case"t\
exts":case"levels":return null;case"switches":return{};case"text":case"size":return"";default:return assertNever(type)}}
function fieldValue(field,texts){let text=texts.at(-1)??"",items=texts.flatMap(list=>list.split(",")).flatMap(item=>item.
trim()===""?[]:[item.trim()]);switch(field.type){case"text":return FLAGS.some(({name,type})=>name===field.flag&&type==="\
list")?texts.join(","):text;case"bool":return parseGoBool(text)??!1;case"int":case"float":return Number(text);case"durat\
ion":case"period":return formatGoDuration(parseGoDuration(text)??0);case"size":return text;case"list":return items.length===
0?null:items;case"texts":return texts.length===0?null:texts;case"switches":return Object.fromEntries(items.map(item=>item.
split("=")).map(([name,on])=>[name,on==="true"]));case"levels":return items.length===0?null:items.map(item=>item.split("\
=")).map(([filePattern,level])=>({filePattern,verbosity:Number(level)}))}}function readNftables(values,{nftablesLocalhostNodePorts}){let text=values.text("nftables-owned-table"),ownedTable=OWNED_TABLE_SETTINGS.
find(candidate=>candidate===text);ownedTable===void 0&&values.wrong("nftables-owned-table",text,`must be one of ${OWNED_TABLE_SETTINGS.
join(", ")}`);let program=values.text("nftables-program"),access=NFT_ACCESS_SETTINGS.find(candidate=>candidate===program);
return access===void 0&&program!=="auto"&&values.wrong("nftables-program",program,`must be one of auto, ${NFT_ACCESS_SETTINGS.
join(", ")}`),{...access===void 0?{}:{access},localhostNodePorts:values.bool("nftables-localhost-nodeports")||nftablesLocalhostNodePorts?
"selected":!1,ownedTable:ownedTable??"never"}}function readUserspace(values){let text=values.text("userspace-redirect"),
redirect=USERSPACE_REDIRECTS.find(candidate=>candidate===text);redirect===void 0&&values.wrong("userspace-redirect",text,
`must be one of ${USERSPACE_REDIRECTS.join(", ")}`);let portRange=parsePortRange(values.text("proxy-port-range"));portRange===
"invalid"&&values.wrong("proxy-port-range",values.text("proxy-port-range"),"is not a range of ports from 1 to 65535; wri\
te it like 30000-32767 or 30000+100");let udpTimeout=values.duration("udp-timeout");return udpTimeout!==void 0&&udpTimeout<=
0&&values.wrong("udp-timeout",values.text("udp-timeout"),"must be greater than 0, such as 250ms"),{redirect:redirect??"a\
uto",udpTimeout:udpTimeout??250,...portRange===void 0||portRange==="invalid"?{}:{portRange}}}function readIpvs(values){let given=values.
text("ipvs-scheduler").trim(),scheduler=given===""?DEFAULT_SCHEDULER:given;return isScheduler(scheduler)||values.wrong("\
ipvs-scheduler",given,`must be one of ${SCHEDULER_NAMES.join(", ")}`),{localhostNodePorts:values.bool("ipvs-localhost-no\
deports")?"selected":!1,scheduler,excludeCIDRs:values.cidrs("ipvs-exclude-cidrs",values.list("ipvs-exclude-cidrs")).map(
({text})=>text),strictARP:values.bool("ipvs-strict-arp"),timeouts:{tcp:wholeSeconds(values,"ipvs-tcp-timeout"),tcpFin:wholeSeconds(
values,"ipvs-tcpfin-timeout"),udp:wholeSeconds(values,"ipvs-udp-timeout")}}}function wholeSeconds(values,name){let milliseconds=values.
duration(name)??0;return milliseconds<0&&values.wrong(name,values.text(name),"must be 0 or greater, such as 15m"),Math.max(
0,Math.round(milliseconds/1e3))}function readConntrack(values){let entries=name=>values.int(name,0,2147483647,"a number of connections from 0, such as 3\
2768"),timeout=name=>{let duration=values.duration(name);return duration!==void 0&&duration<0&&values.wrong(name,values.
text(name),"must be 0 or greater, such as 30s"),duration??0};return{maxPerCore:entries("conntrack-max-per-core"),min:entries(
"conntrack-min"),tcpEstablishedTimeout:timeout("conntrack-tcp-timeout-established"),tcpCloseWaitTimeout:timeout("conntra\
ck-tcp-timeout-close-wait"),tcpBeLiberal:values.bool("conntrack-tcp-be-liberal"),udpTimeout:timeout("conntrack-udp-timeo\
ut"),udpStreamTimeout:timeout("conntrack-udp-timeout-stream")}}var LOGGING="logging does not depend on it",FEATURE_GATES=[{name:"AllAlpha",stage:"Alpha",effect:"nftablesLocalhostNodeP\
orts"},{name:"AllBeta",stage:"Beta",without:"no beta gate has an effect"},{name:"AllowServiceExternalIPs",stage:"Depreca\
ted",effect:"allowServiceExternalIPs"},{name:"ComponentFlagz",stage:"Beta",without:"/flagz is not served; /configz is"},
{name:"ComponentStatusz",stage:"Beta",without:"/statusz is not served; /debug/status is"},{name:"ContextualLogging",stage:"\
Beta",without:LOGGING},{name:"KubeProxyIPVS",stage:"Deprecated",effect:"ipvs"},{name:"KubeProxyNFTablesLocalhostNodePort\
s",stage:"Alpha",effect:"nftablesLocalhostNodePorts"},{name:"LoggingAlphaOptions",stage:"Alpha",without:LOGGING},{name:"\
LoggingBetaOptions",stage:"Beta",without:LOGGING},{name:"MultiCIDRServiceAllocator",stage:"GA",locked:!0},{name:"NativeH\
istograms",stage:"Beta",without:"metrics are exposed as text, which has classic histograms only"},{name:"NFTablesNetlink",
stage:"Beta",without:"rules are read in one way only"},{name:"PreferSameTrafficDistribution",stage:"GA",locked:!0},{name:"\
WinDSR",stage:"GA",without:"Windows only"},{name:"WinOverlay",stage:"GA",without:"Windows only"}];function readFeatureGates(values){
let place=values.place("feature-gates"),warnings=[],given=new Map,all;for(let item of values.list("feature-gates")){let[
,name="",text=""]=/^([^=]*)=?(.*)$/s.exec(item)??[],on=parseGoBool(text);if(name===""||on===void 0){values.wrong("featur\
e-gates",item,"must be a feature gate with true or false, such as AllowServiceExternalIPs=false");continue}if(name==="Al\
lAlpha"){all=on;continue}let gate=FEATURE_GATES.find(candidate=>candidate.name===name);gate?.locked&&!on?values.wrong("f\
eature-gates",item,"cannot be set: the feature is locked to true"):gate?.effect!==void 0?given.set(gate.effect,on):gate?.
locked||warnings.push(`${place}: ${printable(item,120)} has no effect: ${gate?.without??"it is not supported"}`),gate?.stage===
"Deprecated"&&warnings.push(`${place}: ${name} is a deprecated feature gate; it will be removed in a future release of K\
ubernetes`)}return{allowServiceExternalIPs:given.get("allowServiceExternalIPs")??!0,nftablesLocalhostNodePorts:given.get(
"nftablesLocalhostNodePorts")??all??!1,ipvs:given.get("ipvs")??!0,warnings}}var FlagValues=class{commandLine;configuration;problems;constructor(commandLine,configuration){this.commandLine=commandLine,
this.configuration=configuration,this.problems=[...commandLine.errors,...configuration?.problems??[]]}given(name){return this.
commandLine.values.has(name)}unused(){let warnings=[];for(let flag of FLAGS){let name=flag.name;if(flag.unused===void 0||
!this.given(name))continue;this.#hasDefault(flag,name)||warnings.push(`${this.place(name)}: has no effect: ${flag.unused}`)}
return warnings}#hasDefault(flag,name){switch(flag.type){case"bool":return this.bool(name)===parseGoBool(flag.default??"\
false");case"int":return this.int(name,0,2147483647,"a whole number from 0")===Number(flag.default);case"float":return this.
float(name)===Number(flag.default);case"duration":return this.duration(name)===parseGoDuration(flag.default??"0");case"t\
ext":case"list":return this.text(name)===flag.default;default:return assertNever(flag.type)}}cidrs(name,items){return items.
flatMap(item=>{let cidr=parseCIDR(item);return cidr||this.wrong(name,item,"is not a network; write it like 10.0.0.0/8 or\
 fd00::/64"),cidr??[]})}list(name){return(this.commandLine.values.get(name)??[]).flatMap(value=>value.split(",")).flatMap(
item=>item.trim()===""?[]:[item.trim()])}each(name){return this.commandLine.values.get(name)??[]}bool(name){let text=this.
text(name),value=parseGoBool(text);return value===void 0&&this.wrong(name,text,"must be true or false"),value??!1}int(name,least,most,right){
let text=this.text(name),value=parseGoInt(text);return(value===void 0||value<least||value>most)&&this.wrong(name,text,`m\
ust be ${right}`),value??0}float(name){let text=this.text(name),value=parseGoFloat(text);return value===void 0&&this.wrong(
name,text,"must be a number from 0, such as 5 or 0.5"),value}duration(name){let text=this.text(name),value=parseGoDuration(
text);return value===void 0&&this.wrong(name,text,"is not a duration; write it like 500ms, 30s or 1m30s"),value}text(name){
let flag=FLAGS.find(candidate=>candidate.name===name);return this.commandLine.values.get(name)?.at(-1)??(flag&&"default"in
flag?flag.default:"")}place(name){let{configuration}=this,field=configuration&&!this.given(name)?fieldOf(name):void 0;return configuration?.
places.get(name)??(field===void 0?`--${name}`:`${configuration?.file}: ${field}`)}wrong(name,value,right){this.problems.
push(`${this.place(name)}: "${printable(value,120)}" ${right}`)}};var KEPT_WITH_FILE=new Set([...OWN_FLAGS,"config","write-config-to","init-only","master","hostname-override","v","loggin\
g-format","cleanup","version"]);function mergeConfiguration(commandLine,{values,places}){let isKept=name=>KEPT_WITH_FILE.
has(name)||commandLine.command==="cleanup"&&name==="proxy-mode",kept=[...commandLine.values].filter(([name])=>isKept(name));
return{merged:{...commandLine,values:new Map([...values,...kept])},places:new Map([...places].filter(([name])=>!kept.some(
([own])=>own===name))),ignored:[...commandLine.values.keys()].filter(name=>!isKept(name))}}var SHORTEST_INTERVAL=1e3;function readProbe(values){let interval=values.duration("probe-interval")??0;interval!==0&&interval<
SHORTEST_INTERVAL&&values.wrong("probe-interval",values.text("probe-interval"),"must be at least 1s, or 0 for no probe");
let texts=values.given("probe-addresses")?values.list("probe-addresses"):DEFAULT_PROBE_ADDRESSES,addresses=texts.flatMap(
text=>{let address=parseAddress(text);return address===void 0&&values.wrong("probe-addresses",text,"is not an IP address\
; give one without port, such as 192.0.2.1"),address??[]});new Set(addresses.map(({family})=>family)).size<addresses.length&&
values.wrong("probe-addresses",values.text("probe-addresses"),"must be at most one address of each IP family"),interval!==
0&&texts.length===0&&values.wrong("probe-addresses","","must have an address when --probe-interval is set");let readiness=values.
bool("probe-readiness");return readiness&&interval===0&&values.wrong("probe-readiness","true","needs a --probe-interval,\
 such as 5s"),interval===0?void 0:{interval,addresses:addresses.map(({text})=>text),readiness}}var DETECT_LOCAL_MODES=["ClusterCIDR","NodeCIDR","BridgeInterface","InterfaceNamePrefix"],MAX_INTERFACE_NAME=15;function readProxier(values){
return{...nodeName(values),localTrafficDetection:localTrafficDetection(values),nodePortAddresses:nodePortAddresses(values),
localhostNodePorts:localhostNodePorts(values),masqueradeAll:values.bool("masquerade-all"),countConnections:values.bool("\
count-connections")||values.bool("nftables-count-connections")||values.bool("count-traffic"),countTraffic:values.bool("c\
ount-traffic"),overlappingExternalAddresses:overlappingExternalAddresses(values),masqueradeBit:values.int("iptables-masq\
uerade-bit",0,31,"a bit from 0 to 31"),...periods(values)}}function nodeName(values){let name=values.text("hostname-over\
ride");return name!==""&&name.trim()===""&&values.wrong("hostname-override",name,"must not be blank; leave it out to use\
 the name of the host"),name===""?{}:{nodeName:name}}function localTrafficDetection(values){let cidrs=clusterCIDRs(values),
bridge=interfaceName(values,"pod-bridge-interface"),prefix=interfaceName(values,"pod-interface-name-prefix"),given=values.
text("detect-local-mode");switch(given===""?"ClusterCIDR":given){case"ClusterCIDR":return cidrs.length===0?{kind:"none"}:
{kind:"cluster-cidr",cidrs};case"NodeCIDR":return{kind:"node-cidr"};case"BridgeInterface":return bridge===""&&values.wrong(
"pod-bridge-interface",bridge,"must name the bridge when --detect-local-mode is BridgeInterface"),{kind:"interface",name:bridge};case"\
InterfaceNamePrefix":return prefix===""&&values.wrong("pod-interface-name-prefix",prefix,"must be set to a prefix of int\
erface names when --detect-local-mode is InterfaceNamePrefix"),{kind:"interface-prefix",prefix};default:return values.wrong(
"detect-local-mode",given,`must be one of ${DETECT_LOCAL_MODES.join(", ")}, or empty`),{kind:"none"}}}function clusterCIDRs(values){
let found=values.cidrs("cluster-cidr",values.list("cluster-cidr")),families=new Set(found.map(({family})=>family));if(found.
length>2||found.length===2&&families.size<2){let text=found.map(cidr=>cidr.text).join(",");values.wrong("cluster-cidr",text,
"must be one network, or two, one of each IP family")}return found.map(({text})=>text)}function nodePortAddresses(values){
let nftables=values.text("proxy-mode")==="nftables",given=values.list("nodeport-addresses").filter(item=>{let isValid=isNodePortAddressKeyword(
item)||parseCIDR(item)!==void 0;if(!isValid){let meant=nearestName(item,NODE_PORT_ADDRESS_KEYWORDS),right=`must be a net\
work such as 10.0.0.0/8 or fd00::/64, or one of ${NODE_PORT_ADDRESS_KEYWORDS.join(", ")}`;values.wrong("nodeport-address\
es",item,meant===void 0?right:`${right}; did you mean ${meant}?`)}return isValid}),entries=given.length===0&&nftables?["\
primary"]:given,localhost=nftables&&values.bool("nftables-localhost-nodeports")&&!entries.includes("localhost");return selectNodePortAddresses(
localhost?[...entries,"localhost"]:entries)}function localhostNodePorts(values){let given=values.bool("iptables-localhos\
t-nodeports");return values.text("proxy-mode")==="nftables"?"listed":given}function periods(values){let mode=values.text(
"proxy-mode")==="ipvs"?"ipvs":"iptables",own=periodsOf(values,mode);return periodsOf(values,mode==="ipvs"?"iptables":"ip\
vs"),own}function periodsOf(values,mode){let[period,least]=[`${mode}-sync-period`,`${mode}-min-sync-period`],syncPeriod=values.
duration(period),minSyncPeriod=values.given(least)?values.duration(least):void 0;return syncPeriod!==void 0&&syncPeriod<=
0&&values.wrong(period,values.text(period),"must be greater than 0, such as 30s"),minSyncPeriod!==void 0&&minSyncPeriod<
0?values.wrong(least,values.text(least),"must be 0 or greater, such as 1s"):syncPeriod!==void 0&&minSyncPeriod!==void 0&&
syncPeriod>0&&minSyncPeriod>syncPeriod&&values.wrong(period,values.text(period),`must be greater than or equal to ${values.
text(least)} (${values.place(least)})`),{syncPeriod:syncPeriod??0,minSyncPeriod:minSyncPeriod??"adaptive"}}function overlappingExternalAddresses(values){
let action=values.text("overlapping-external-addresses");return action!=="serve"&&action!=="refuse"&&values.wrong("overl\
apping-external-addresses",action,"must be serve or refuse"),action==="refuse"?"refuse":"serve"}function interfaceName(values,name){
let text=values.text(name);if(text!==""&&(!/^[\x21-\x2e\x30-\x7e]+$/.test(text)||text.endsWith("+")||text.length>MAX_INTERFACE_NAME)){
let right=`must be the name or a prefix of the name of an interface: at most ${MAX_INTERFACE_NAME} letters and digits`;values.
wrong(name,text,right)}return text}function statusAddresses(values){let warnings=[],status=read(values,warnings,"metrics-bind-address","metrics-port",10249),
health=read(values,warnings,"healthz-bind-address","healthz-port",10256);return{status,health,warnings}}function listenAddresses({
health,status}){return[...health?[["healthz-bind-address",[joinHostPort(health.host,health.port)]]]:[],...status?[["metr\
ics-bind-address",[joinHostPort(status.host,status.port)]]]:[]]}function read(values,warnings,name,portName,defaultPort){
let port=values.int(portName,0,65535,"a port from 1 to 65535, or 0 to disable it"),text=values.text(name);if(text===""||
port===0)return;let address=readListenAddress(values,name,values.given(portName)?port:defaultPort),hasPort=parseAddress(
text)===void 0;return address&&hasPort&&values.given(portName)&&port!==address.port&&warnings.push(`${values.place(portName)}\
: has no effect: --${name} has a port, ${address.port}`),address}function readListenAddress(values,name,defaultPort){let text=values.
text(name),whole=parseAddress(text),split=/^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text),address=whole??parseAddress(
split?.[1]??split?.[2]),port=whole?defaultPort:Number(split?.[3]);if(!address||!(port>=1&&port<=65535)){values.wrong(name,
text,`must be an IP address, with a port from 1 to 65535, as in 127.0.0.1:${defaultPort}`);return}return{host:address.text,
port}}var DEFAULT_PORT=10269,DETAILS=[["metrics-scrape-access","authorized"],["metrics-scrape-tls","true"],["metrics-scrape-tl\
s-cert-file",""],["metrics-scrape-tls-private-key-file",""]];function readScrape(values,hasApiServer){let access=values.
text("metrics-scrape-access"),isTls=values.bool("metrics-scrape-tls"),files=certificateFiles(values);if(access!=="author\
ized"&&access!=="everybody"){values.wrong("metrics-scrape-access",access,"must be authorized or everybody");return}if(values.
text("metrics-scrape-bind-address")===""){for(let[name,unset]of DETAILS)values.text(name)!==unset&&values.wrong(name,values.
text(name),"needs a --metrics-scrape-bind-address, such as 0.0.0.0");return}!isTls&&access==="authorized"&&values.wrong(
"metrics-scrape-tls","false","would expose the tokens of clients; use HTTPS, or set --metrics-scrape-access=everybody"),
!isTls&&files&&values.wrong("metrics-scrape-tls-cert-file",files.certificate,"has no effect with --metrics-scrape-tls=fa\
lse"),access==="authorized"&&!hasApiServer&&values.given("manifests")&&values.wrong("metrics-scrape-access",access,"need\
s an API server, which decides: give --kubeconfig, or set everybody");let address=readListenAddress(values,"metrics-scra\
pe-bind-address",DEFAULT_PORT);return address&&{...address,access,tls:isTls?files??"self-signed":"none"}}function certificateFiles(values){
let[certificateName,keyName]=["metrics-scrape-tls-cert-file","metrics-scrape-tls-private-key-file"],certificate=values.text(
certificateName),key=values.text(keyName);if(!(certificate===""&&key===""))return certificate===""?values.wrong(keyName,
key,`needs a --${certificateName}`):key===""&&values.wrong(certificateName,certificate,`needs a --${keyName}`),{certificate,
key}}import{isAbsolute}from"node:path";function readKubernetes(values,environment){let kubeconfig=values.text("kubeconfig"),master=values.text("master"),{encoding}=readContentTypes(
values),full=/^[a-z][a-z0-9+.-]*:\/\//i.test(master)?master:`http://${master}`;if(master!==""&&!(URL.canParse(full)&&/^https?:/i.
test(full))&&values.wrong("master",master,"is not the URL of an API server; write it like https://10.0.0.1:6443"),kubeconfig!==
""||master!=="")return{kubeconfig,master,encoding};let runs=values.commandLine.command==="run"&&!values.given("init-only")&&
!values.given("write-config-to");if(values.given("manifests")||!runs)return;if((environment.KUBERNETES_SERVICE_HOST??"")!==
"")return{kubeconfig,master,encoding};if(values.commandLine.errors.length>0||(values.configuration?.problems.length??0)>
0)return;let where=values.configuration?"set clientConnection.kubeconfig to":"give --kubeconfig with";values.problems.push(
`no Service source configured: ${where} the path of a kubeconfig file, or give --manifests with a directory of Kubernete\
s YAML, or run it in a pod (KUBERNETES_SERVICE_HOST is not set, so this is not a pod)`)}var PROTOBUF_TYPE="application/v\
nd.kubernetes.protobuf",JSON_TYPES=["application/json","application/*","*/*"],ACCEPTED_TYPES="clientConnection.acceptCon\
tentTypes";function readContentTypes(values){let accepted=values.configuration?.fieldsWithoutFlag.get(ACCEPTED_TYPES),isAccepted=isText(
accepted),text=isAccepted?accepted:values.text("kube-api-content-type"),preferred=text.split(",").map(type=>type.split("\
;")[0]?.trim().toLowerCase()??"").find(type=>type===PROTOBUF_TYPE||JSON_TYPES.includes(type));if(preferred!==void 0||text===
"")return{encoding:preferred===PROTOBUF_TYPE?"auto":"json",warnings:[]};let place=isAccepted?ACCEPTED_TYPES:values.place(
"kube-api-content-type"),what=`has neither ${PROTOBUF_TYPE} nor application/json; objects are read as JSON`;return{encoding:"\
json",warnings:[`${place}: ${JSON.stringify(printable(text,120))} ${what}`]}}function readManifests(values){let paths=values.
commandLine.values.get("manifests")??[];return paths.includes("")&&values.wrong("manifests","","must be the path of a di\
rectory or a file"),[...new Set(paths)]}var CHECKED_SOURCES=["manifests","all","none"];function readHealthChecks(values){
let text=values.text("health-checks"),of=CHECKED_SOURCES.find(candidate=>candidate===text);of===void 0&&values.wrong("he\
alth-checks",text,`must be one of ${CHECKED_SOURCES.join(", ")}`);let scripts=values.text("health-check-scripts");return scripts!==
""&&!isAbsolute(scripts)&&values.wrong("health-check-scripts",scripts,"must be an absolute path"),{of:of??"none",scripts}}var CommandLineError=class extends ProxierError{problems;warnings;constructor(problems,warnings=[]){super("INVALID_COMMA\
ND_LINE",problems.join("; ")),this.problems=problems,this.warnings=warnings}};function readSettings(commandLine,modes,configuration,environment=process.
env){if(!configuration)return new SettingsReader(commandLine,environment).read(modes);let{merged,places,ignored}=mergeConfiguration(
commandLine,configuration);return new SettingsReader(merged,environment,{...configuration,places},ignored).read(modes)}function readLogging(commandLine){
let format=commandLine.values.get("logging-format")?.at(-1)==="json"?"json":"text",verbosity=parseGoInt(commandLine.values.
get("v")?.at(-1)??"0")??0;return{format,verbosity}}var SettingsReader=class extends FlagValues{environment;ignored;constructor(commandLine,environment,configuration,ignored=[]){
super(commandLine,configuration),this.environment=environment,this.ignored=ignored}read(modes){let{warnings:gateWarnings,
...featureGates}=readFeatureGates(this),{warnings:addressWarnings,...addresses}=statusAddresses(this),kubernetes=readKubernetes(
this,this.environment),settings={mode:this.#mode(modes,featureGates),fallback:this.#fallback(modes),takeover:this.bool("\
takeover"),verifyPeriod:this.#verifyPeriod(),allowMultipleInstances:this.bool("allow-multiple-instances"),kubernetes,manifests:readManifests(
this),healthChecks:readHealthChecks(this),bindAddress:this.#bindAddress(),proxier:readProxier(this),counterSeries:this.int(
"counter-series",1,1e5,"a number of series from 1 to 100000"),nftables:readNftables(this,featureGates),userspace:readUserspace(
this),ipvs:readIpvs(this),allowLoopbackEndpoints:this.text("proxy-mode")==="userspace"&&this.text("userspace-redirect")===
"none"&&this.commandLine.values.has("manifests"),logging:this.#logging(),...addresses,scrape:readScrape(this,kubernetes!==
void 0),bindAddressHardFail:this.bool("bind-address-hard-fail"),profiling:this.bool("profiling"),probe:readProbe(this),recording:this.#recording(),
output:this.#output(),conntrack:readConntrack(this),oomScoreAdj:this.int("oom-score-adj",-1e3,1e3,"a score from -1000 to\
 1000"),explicit:{conntrack:[...this.commandLine.values.keys()].some(name=>name.startsWith("conntrack-")),oomScoreAdj:this.
given("oom-score-adj")},featureGates,initOnly:this.bool("init-only"),writeConfigTo:this.text("write-config-to"),configFile:this.
text("config"),foreignBackends:this.list("backend"),backendOptions:this.each("backend-option"),effective:effectiveConfiguration(
new Map([...this.commandLine.values,...listenAddresses(addresses)]),this.configuration?.fieldsWithoutFlag??new Map),warnings:[
...this.#warnings(),...gateWarnings,...addressWarnings]};for(let name of["cleanup","version","help"])this.bool(name);for(let name of[
"kube-proxy","dry-run","force"]){let{command}=this.commandLine,plansCleanup=command==="plan"&&name==="kube-proxy"&&this.
bool("cleanup");this.bool(name)&&!plansCleanup&&!["cleanup","help","version"].includes(command)&&this.problems.push(`--${name}\
: belongs to the command cleanup: kube-proxier cleanup --${name}`)}if(this.#checkUnused(),this.problems.length>0)throw new CommandLineError(
inFileOrder(this.problems,this.configuration?.file),settings.warnings);return settings}#verifyPeriod(){let period=this.duration(
"verify-period")??0;return period<0&&this.wrong("verify-period",this.text("verify-period"),"is negative; write 0 to veri\
fy on request only"),period}#warnings(){let ignored=this.ignored.map(name=>`--${name}`);return[...ignored.length===0?[]:
[`${ignored.join(", ")}: ignored, because --config replaces flags; set it in the file`],...this.configuration?.warnings??
[],...readContentTypes(this).warnings,...this.unused()]}#checkUnused(){let period=this.duration("config-sync-period");this.
given("config-sync-period")&&period!==void 0&&period<=0&&this.wrong("config-sync-period",this.text("config-sync-period"),
"must be greater than 0, such as 15m");let version=this.text("show-hidden-metrics-for-version");version!==""&&!/^\d+\.\d+$/.
test(version)&&this.wrong("show-hidden-metrics-for-version",version,"must be a minor version, such as 1.35")}#mode(modes,{
ipvs}){let mode=this.text("proxy-mode");return mode==="ipvs"&&!ipvs&&this.wrong("proxy-mode",mode,"cannot be selected wh\
ile the feature gate KubeProxyIPVS is false"),mode!==""&&!modes.includes(mode)&&this.problems.push(`${this.place("proxy-\
mode")}: ${printable(new UnknownProxyModeError(mode,modes).message,MAX_MESSAGE_LENGTH)}`),mode}#fallback(modes){let mode=this.
text("proxy-mode-fallback");return this.commandLine.values.has("proxy-mode-fallback")&&mode!=="none"&&!modes.includes(mode)&&
this.wrong("proxy-mode-fallback",mode,`must be one of ${modes.join(", ")}, or none`),mode}#bindAddress(){let text=this.text(
"bind-address"),address=parseAddress(text);return text!==""&&!address&&this.wrong("bind-address",text,"is not a valid te\
xtual representation of an IP address; give one, without port"),address?.text??""}#logging(){let format=this.text("loggi\
ng-format");format!=="text"&&format!=="json"&&this.wrong("logging-format",format,"must be text or json");let verbosity=this.
int("v",0,2147483647,"a verbosity level from 0, such as 2");return{format:format==="json"?"json":"text",verbosity}}#recording(){
let maxAge=this.duration("recording-age")??0;maxAge<0&&this.wrong("recording-age",this.text("recording-age"),"must be 0 \
or greater, such as 1h");let size=this.int("recording-size",1,4096,"a number of megabytes from 1 to 4096"),directory=this.
text("recording-directory");return directory!==""&&maxAge===0&&this.wrong("recording-directory",directory,"needs a --rec\
ording-age greater than 0"),maxAge<=0?void 0:{maxAge,maxBytes:size*1024*1024,...directory===""?{}:{directory}}}#output(){
let output=this.text("output");return isOutput(output)||this.wrong("output",output,`must be ${OUTPUTS.slice(0,-1).join("\
, ")} or ${OUTPUTS.at(-1)}`),isOutput(output)?output:"text"}};function inFileOrder(problems,file){let lineOf=problem=>file!==
void 0&&problem.startsWith(`${file}:`)?Number.parseInt(problem.slice(file.length+1),10)||.5:0;return[...problems].sort((a,b)=>lineOf(
a)-lineOf(b))}import{readFileSync}from"node:fs";async function loadForeignBackends(names,known,place="--backend",directory=process.cwd(),options=[]){let backends=[],problems=[],
given=readOptions(options,problems),wrong=(name,what)=>problems.push(`${place}: "${printable(name,200)}" ${printable(what,
600)}`),modules=[],allLoaded=!0;for(let name of new Set(names))try{modules.push([name,offeredBackends(await importBackend(
name,{importModule,directory}),given.length>0)])}catch(error){allLoaded=!1,wrong(name,error instanceof BackendLoadError&&
error.code==="BACKEND_NOT_FOUND"?`cannot be loaded: ${messageOf(error)}; install it next to kube-proxier, or set the pat\
h of its module`:`failed while it was loaded: ${messageOf(error)}`)}let isOnly=allLoaded&&modules.flatMap(([,offers])=>offers).
length===1;for(let[name,offers]of modules){offers.length===0&&wrong(name,"has no backend: it must export an object with \
mode, description, probe() and module, as BackendModule of @kube-proxier/core says");for(let offer of offers){let candidate;
try{candidate=createWithOptions(offer,given,isOnly)}catch(error){wrong(name,`cannot be made with its options: ${messageOf(
error)}`);continue}let{backend,lacks}=candidate,taken=[...known,...backends].some(({mode})=>mode===backend.mode);lacks.length>
0?wrong(name,`has an incomplete backend: ${lacks.join("; ")}`):taken?wrong(name,`has mode ${backend.mode}, which another\
 backend already has`):backends.push(backend)}}for(let{text,mode,used}of allLoaded?given:[])if(!used){let found=modules.
flatMap(([,offers])=>offers.flatMap(offer=>offer.mode??[]));problems.push(`${OPTION_FLAG}: "${printable(text,200)}" ${printable(
whyUnused(mode,found),400)}`)}return{backends,problems}}var OPTION_FLAG="--backend-option";function whyUnused(mode,found){
if(found.length===0)return"is for a backend that --backend names, and there is none";let modes=`there ${found.length===1?
"is":"are"} ${found.join(", ")}`;return mode===void 0?`must say which backend it is for, as in ${found[0]}:key=value; ${modes}`:
`is for the mode ${mode}, which no backend of --backend has; ${modes}`}function readOptions(texts,problems){return texts.
flatMap(text=>{let match=/^(?:([a-z0-9-]+):)?([A-Za-z_$][\w$]*)=(.*)$/s.exec(text);if(match===null)return problems.push(
`${OPTION_FLAG}: "${printable(text,200)}" is not key=value or mode:key=value`),[];let[,mode,key="",value=""]=match;return[
{text,mode,key,value:optionValue(value),used:!1}]})}function optionValue(text){try{return JSON.parse(text)}catch{return text}}
function createWithOptions(offer,given,isOnly){let{mode}=offer,own=given.filter(option=>option.mode===void 0||mode===void 0?
isOnly:option.mode===mode);for(let option of own)option.used=!0;let options=own.length===0?void 0:Object.fromEntries(own.
map(({key,value})=>[key,value])),created=createOffered(offer,options,mode??own.find(option=>option.mode!==void 0)?.mode);
if(created===void 0)throw new TypeError(`it exports no create...Backend that makes ${mode===void 0?"it":`the mode ${mode}`}`);
return created}async function importModule(specifier){return await import(specifier)}async function interpretCommandLine(commandLine,composition){let configurationText=readConfigurationFile(commandLine),configuration=configurationText===
void 0?void 0:readConfiguration(commandLine,configurationText),names=commandLine.values.get("backend")??configuration?.values.
get("backend")??[],place=commandLine.values.has("backend")?void 0:configuration?.places.get("backend"),foreign=await loadForeignBackends(
names.flatMap(list=>list.split(",")).filter(name=>name!==""),composition.backends,place,void 0,commandLine.values.get("b\
ackend-option")??configuration?.values.get("backend-option")??[]),backends=[...composition.backends,...foreign.backends],
settings=settingsOf(commandLine,backends,configuration,foreign.problems),[only]=foreign.backends,withMode=settings.mode===
""&&foreign.backends.length===1&&only?{...settings,mode:only.mode}:settings;return{commandLine,settings:withMode,composition:{
...composition,backends,configure:chosen=>[...composition.configure?.(chosen)??composition.backends,...foreign.backends]},
configurationText}}function settingsOf(commandLine,backends,configuration,problems){let modes=backends.map(({mode})=>mode);
try{let settings=readSettings(commandLine,modes,configuration);if(problems.length===0)return settings}catch(error){throw error instanceof
CommandLineError?new CommandLineError([...problems,...error.problems],error.warnings):error}throw new CommandLineError(problems)}
function readConfigurationFile({values}){let file=values.get("config")?.at(-1)??"";if(file!=="")try{return readFileSync(
file,"utf8")}catch(error){throw new CommandLineError([`--config: cannot read ${printable(file)}: ${printable(messageOf(error))}`])}}
function readConfiguration({values},text){return readKubeProxyConfiguration(text,printable(values.get("config")?.at(-1)??
""))}export{FLAGS,readKubeProxyConfiguration,formatConfiguration,CommandLineError,readLogging,interpretCommandLine,settingsOf,
readConfiguration};
//# sourceMappingURL=chunk-2WY6ZIRU.js.map
