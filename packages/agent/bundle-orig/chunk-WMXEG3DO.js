import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{ProgressLine}from"./chunk-SXEL2VG4.js";import{checkApiAccess}from"./chunk-KHXMYMKB.js";import{MAX_MESSAGE_LENGTH}from"./chunk-OAH5SUEQ.js";
import{plainStyle}from"./chunk-4UHNWRYH.js";import{DEFAULT_CONNTRACK_TUNING,conntrackMax,describeHolder,describeKubeProxy,
findLeftovers,nameOfLeftoverOwner,resolveNodeName}from"./chunk-K6JK22O5.js";import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";
import{require_dist}from"./chunk-UWS5UL64.js";import{DEFAULT_PROXY_MODE,messageOf,printable,silentLogger}from"./chunk-4LHTYADA.js";
import"./chunk-7IMJZ4UJ.js";import{__toESM}from"./chunk-VCSBMK2H.js";import{availableParallelism,hostname}from"node:os";var import_yaml=__toESM(require_dist(),1);function checkCounting({mode,capabilities},{countConnections=!1,countTraffic=!1}){let check="counters";if(!countConnections&&
!countTraffic)return;let{servicePorts=[],endpoints=[]}=capabilities?.counting??{};if(servicePorts.length===0)return{check,
status:"warning",found:`mode ${mode} counts nothing, and --count-connections has no effect`,advice:"leave it out, or use\
 another mode"};if(countTraffic&&!servicePorts.includes("bytes"))return{check,status:"warning",found:`mode ${mode} count\
s no packets and no bytes, so --count-traffic counts connections only`,advice:"use --count-connections, or another mode"};
let list=counted=>counted.length===0?"nothing":counted.join(" and ");return{check,status:"ok",found:`${list(servicePorts)}\
 of service ports, ${list(endpoints)} of endpoints`}}var CAP_NET_ADMIN=12n;function checkHost(facts,needs){return[checkKernel(facts),checkNetlink(facts),...checkTools(facts,
needs),checkCapabilities(facts,needs),checkVariants(facts),...checkOthers(facts,needs),...checkForwarding(facts,needs),...checkForwardPolicy(
facts,needs),checkBridge(facts),checkReversePath(facts),checkLocalnet(facts,needs),checkConntrack(facts,needs)]}function ok(check,found){
return{check,status:"ok",found}}function warning(check,found,advice){return{check,status:"warning",found,advice}}function problem(check,found,advice){
return{check,status:"problem",found,advice}}function unknown(check,found,advice){return{check,status:"unknown",found,advice}}
var AS_ROOT="run doctor as root, on the host",MOUNT_PROC="mount /proc";function checkKernel({kernel}){return kernel===void 0?
unknown("kernel","its release cannot be read",MOUNT_PROC):ok("kernel",`Linux ${kernel}`)}function checkNetlink({netlink}){
let check="netlink";return"obstacle"in netlink?warning(check,`no socket can be opened: ${netlink.obstacle}`,"allow netli\
nk sockets (seccomp), and install the package koffi for this platform; until then tools are run instead"):netlink.transport===
"koffi"?ok(check,"sockets are opened through koffi"):warning(check,`sockets are opened through the package netlink, so c\
hanges are polled, as ${netlink.reason??"requested"}`,"install the package koffi for this platform")}function checkTools({
tools,brokenTools,conntrackByNetlink},{backend:{mode,requirements,capabilities}}){let whatIsWrong=tool=>{let broken=brokenTools[tool];
return broken===void 0?"is not installed":`is installed but cannot be run: ${broken}`},rows=(requirements?.tools??[]).map(
tool=>{let version=tools[tool],advice=`${brokenTools[tool]===void 0?"install":"reinstall"} the package that provides it,\
 or use another mode than ${mode}`;return version===void 0?problem(`tool ${tool}`,whatIsWrong(tool),advice):ok(`tool ${tool}`,
version)});return capabilities?.tracksConnections===!1?rows:[...rows,checkStaleFlows(conntrackByNetlink,tools.conntrack,
whatIsWrong("conntrack"))]}function checkStaleFlows(obstacle,tool,whatIsWrongWithTool){let check="stale flows";if(obstacle===
void 0)return ok(check,"can be deleted by netlink");let otherwise="or UDP clients keep sending to removed endpoints";if(obstacle.
notPermitted){let found=`cannot check whether they can be deleted: ${obstacle.reason}`;return unknown(check,found,`run a\
s root, or with the capability NET_ADMIN, ${otherwise}`)}return tool===void 0?warning(check,`${obstacle.reason}; the too\
l conntrack ${whatIsWrongWithTool}`,`load the module nf_conntrack_netlink, or install conntrack (or conntrack-tools), ${otherwise}`):
ok(check,`can be deleted by ${tool}, but not by netlink: ${obstacle.reason}`)}function checkCapabilities({capabilities},{
backend}){let check="capabilities";return capabilities===void 0?unknown(check,"cannot be read",MOUNT_PROC):capabilities>>
CAP_NET_ADMIN&1n?ok(check,"CAP_NET_ADMIN is present"):backend.requirements?.netAdmin==="optional"?warning(check,"CAP_NET\
_ADMIN is missing","only NodePorts and local addresses can be served; run as root for more"):problem(check,"CAP_NET_ADMI\
N is missing","run as root, or with the capability NET_ADMIN")}function checkVariants({iptables:{legacy,nft},unreadable}){
let check="iptables variants",count=rules=>rules??0;if(count(legacy)>0&&count(nft)>0)return warning(check,`both contain \
rules: legacy ${count(legacy)}, nft ${count(nft)}; each packet traverses both`,"make all programs of the host use one va\
riant (update-alternatives --config iptables), and flush the other");let reasons=[...unreadable.legacy===void 0?[]:[`leg\
acy: ${unreadable.legacy}`],...unreadable.nft===void 0?[]:[`nft: ${unreadable.nft}`]];if(reasons.length>0)return unknown(
check,`not all rules could be listed: ${reasons.join("; ")}`,AS_ROOT);let which=count(legacy)>0?"legacy":count(nft)>0?"n\
ft":void 0;return ok(check,which===void 0?"no rules are installed":`all ${count(legacy)+count(nft)} rules are ${which}`)}
function checkOthers({instance,kubeProxy,listening},{ports}){return[checkProxies(instance,kubeProxy),...ports.map(({port,
name})=>{let check=`port ${port}`;return listening===void 0?unknown(check,"cannot check whether it is in use",MOUNT_PROC):
listening.has(port)?instance?.known?ok(check,"is in use while a kube-proxier runs"):problem(check,`is in use, but needed\
 for ${name}`,"stop the program that uses it, possibly another proxy; run ss -ltnp to find it"):ok(check,`is free for ${name}`)})]}
function checkProxies(instance,kubeProxy){let check="other proxies";if(kubeProxy.status==="found")return problem(check,`${describeKubeProxy(
kubeProxy)} runs in this network namespace`,"only one may run: delete its DaemonSet (kubectl -n kube-system delete daemo\
nset kube-proxy) or stop its service");if(instance?.known===!1)return warning(check,`the lock is held by ${describeHolder(
instance)}`,"run ss -xlp to find its process");if(kubeProxy.status==="unknown"){let found=instance===void 0?"no kube-pro\
xier runs":`kube-proxier runs: ${describeHolder(instance)}`;return unknown(check,`${found}; cannot determine whether kub\
e-proxy runs: ${kubeProxy.reason}`,"run doctor as root, on the host or with hostPID")}return ok(check,instance===void 0?
"none runs in this network namespace":`kube-proxier runs: ${describeHolder(instance)}`)}function checkForwarding({sysctls},{
ipv6,backend}){if(backend.capabilities?.tracksConnections===!1)return[];let row=(check,name,serious)=>{let value=sysctls[name];
return value==="1"?ok(check,"is on"):value===void 0?unknown(check,`${name} cannot be read`,MOUNT_PROC):(serious?problem:
warning)(check,"is off: packets to endpoints on other nodes are dropped",`set sysctl ${dotted(name)}=1`)};return[row("IP\
v4 forwarding","net/ipv4/ip_forward",!0),...ipv6&&sysctls["net/ipv6/conf/all/disable_ipv6"]==="0"?[row("IPv6 forwarding",
"net/ipv6/conf/all/forwarding",!1)]:[]]}function checkForwardPolicy({forwardPolicyDrop,unreadable},{backend:{mode,requirements,
capabilities}}){let check="forward policy";if(requirements?.tools?.includes("iptables")||capabilities?.servesWithoutProcess===
!1)return[];if(forwardPolicyDrop.length>0){let found=`chain FORWARD drops by policy (${forwardPolicyDrop.join(", ")}), w\
here mode ${mode} has no rules: packets of Services are dropped unless other rules accept them`,advice=forwardPolicyDrop.
map(name=>`${name} -A FORWARD -m conntrack --ctstate DNAT -j ACCEPT`);return[warning(check,found,advice.join("; "))]}let[
reason]=Object.values(unreadable);return[reason===void 0?ok(check,"no chain FORWARD of iptables drops by policy"):unknown(
check,`not all rules of iptables can be read: ${reason}`,AS_ROOT)]}function canReadSettings({sysctls}){return Object.values(
sysctls).some(value=>value!==void 0)}function checkBridge({sysctls}){let check="bridged packets";if(!canReadSettings({sysctls}))
return unknown(check,"settings cannot be read",MOUNT_PROC);let names=["net/bridge/bridge-nf-call-iptables","net/bridge/b\
ridge-nf-call-ip6tables"],off=names.filter(name=>sysctls[name]==="0");return off.length>0?warning(check,`bypass the rule\
s (${off.map(dotted).join(", ")} is 0): pods on the same bridge cannot reach each other through a Service`,`where pods a\
re on a bridge, set sysctl ${off.map(name=>`${dotted(name)}=1`).join(" ")}`):ok(check,names.some(name=>sysctls[name]==="\
1")?"traverse the rules":"br_netfilter is not loaded; it is needed only with bridges")}function checkReversePath({sysctls}){
let check="reverse path filter";if(sysctls["net/ipv4/conf/all/rp_filter"]===void 0)return unknown(check,"net/ipv4/conf/a\
ll/rp_filter cannot be read",MOUNT_PROC);let strict=["net/ipv4/conf/all/rp_filter","net/ipv4/conf/default/rp_filter"].filter(
name=>sysctls[name]==="1");return strict.length>0?warning(check,`is strict (${strict.map(dotted).join(", ")} is 1): pack\
ets of asymmetric routes are dropped`,"if pod networks or load balancers use asymmetric routes, set it to 2 (loose) or 0"):
ok(check,"is not strict")}function checkLocalnet({sysctls},{backend}){let check="route_localnet";if(sysctls["net/ipv4/co\
nf/all/route_localnet"]===void 0)return unknown(check,"net/ipv4/conf/all/route_localnet cannot be read",MOUNT_PROC);let on=sysctls["\
net/ipv4/conf/all/route_localnet"]==="1";return on&&backend.requirements?.routesLocalnet!==!0?warning(check,`is on, and \
mode ${backend.mode} does not need it`,"unless another program needs it, set sysctl net.ipv4.conf.all.route_localnet=0"):
ok(check,on?"is on, for NodePorts on 127.0.0.1":"is off")}function checkConntrack({sysctls},{conntrack,cpus,backend}){let check="\
connection tracking",number=name=>sysctls[name]===void 0?void 0:Number(sysctls[name]),[count,max]=[number("net/netfilter\
/nf_conntrack_count"),number("net/netfilter/nf_conntrack_max")];if(!canReadSettings({sysctls}))return unknown(check,"set\
tings cannot be read",MOUNT_PROC);if(count===void 0||max===void 0)return ok(check,"is not loaded yet; the first rules lo\
ad the module");let found=`${count} of ${max} connections`,share=count/Math.max(max,1),advice="raise --conntrack-max-per\
-core or --conntrack-min, or find out which program opens so many connections";if(share>=.95)return problem(check,`${found}\
: new ones are about to be dropped`,advice);if(share>=.8)return warning(check,`${found}: the table is nearly full`,advice);
let tracks=backend.capabilities?.tracksConnections!==!1;if(tracks&&number("net/netfilter/nf_conntrack_tcp_loose")===0)return warning(
check,`${found}; net.netfilter.nf_conntrack_tcp_loose is 0, so kube-proxier.io/when-endpoint-goes: reset has no effect f\
or packets of other hosts and pods`,"where Services have that annotation, set sysctl net.netfilter.nf_conntrack_tcp_loos\
e=1");let wanted=tracks?conntrackMax(conntrack,cpus):0;return max<wanted?warning(check,`${found}, fewer than the configu\
red limit of ${wanted}`,"kube-proxier sets the limit if it has the privileges: run it with --init-only in a privileged c\
ontainer"):ok(check,found)}function dotted(name){return name.replaceAll("/",".")}function modeInForce(instance,mode){return instance?.known&&instance.mode!==""?instance.mode:mode}function checkLeftovers({
found,unlisted,failures},{instance,kubeProxy}){let check="leftovers";if(found.length>0){let owners=found.map(one=>`${nameOfLeftoverOwner(
one.owner,one.mode)} (${countKinds(one.objects)})`);return{check,status:"warning",found:`of ${owners.join(", of ")}`,advice:adviceFor(
instance,kubeProxy)}}let reasons=new Set(failures.map(failure=>`${failure.mode}: ${messageOf(failure.error)}`));for(let one of unlisted)
reasons.add(`${one}: its backend does not list them`);return reasons.size>0?{check,status:"unknown",found:`not everythin\
g could be listed: ${[...reasons].join("; ")}`,advice:"run doctor as root, on the host"}:{check,status:"ok",found:"no ru\
les of another mode or of kube-proxy found"}}function adviceFor(instance,kubeProxy){return kubeProxy.status==="found"?"t\
he running kube-proxy may use them: keep them while it runs":instance===void 0?"they affect the path of packets: if noth\
ing uses them, run kube-proxier cleanup --kube-proxy":"a proxy runs on this node: its --takeover removes them; do not cl\
ean up while it runs"}function countKinds(objects){let counts=new Map;for(let{kind,names}of objects)counts.set(kind,(counts.
get(kind)??0)+names.length);return[...counts].map(([kind,count])=>`${count} ${kind}${count===1?"":"s"}`).join(", ")}function checkPortRanges({mode,capabilities}){let check="port ranges",{portRanges=!1,shiftedPortRanges=!1}=capabilities??
{};return portRanges?shiftedPortRanges?void 0:{check,status:"ok",found:`mode ${mode} serves ranges to the same ports of \
endpoints, no others`}:{check,status:"ok",found:`mode ${mode} serves only the first port of a range (kube-proxier.io/por\
t-range)`}}var STATUSES=["problem","warning","unknown","ok"],MIN_COLUMN_WIDTH=20,TONES={problem:"bad",warning:"warning",unknown:"wa\
rning",ok:"good"};function formatDiagnoses(diagnoses,{columns=Number.POSITIVE_INFINITY,style=plainStyle,onlyProblems=!1}={}){
let shown=onlyProblems?diagnoses.filter(({status})=>status!=="ok"):diagnoses,width=Math.max(...shown.map(({check})=>check.
length),0),indent=width+11,room=columns-indent,text=(words,hang)=>wrap(printable(words,MAX_MESSAGE_LENGTH),room-hang.length).
join(`
${" ".repeat(indent)}${hang}`),lines=shown.flatMap(({check,status,found,advice})=>[`${style(TONES[status],status.padEnd(
7))}  ${printable(check).padEnd(width)}  ${text(found,"")}`,...advice===void 0?[]:[`${" ".repeat(indent)}-> ${text(advice,
"   ")}`]]),counts=STATUSES.flatMap(status=>{let count=diagnoses.filter(diagnosis=>diagnosis.status===status).length;return status===
"unknown"&&count===0?[]:status==="ok"||status==="unknown"?`${count} ${status}`:`${count} ${status}${count===1?"":"s"}`});
return[...lines,...lines.length===0?[]:[""],counts.join(", "),""].join(`
`)}function wrap(text,room){if(room<MIN_COLUMN_WIDTH)return[text];let lines=[];for(let word of text.split(" ")){let last=lines.
at(-1);last!==void 0&&last.length+1+word.length<=room?lines[lines.length-1]=`${last} ${word}`:lines.push(word)}return lines}
function diagnosesAsData(diagnoses){let complete=diagnoses.every(({status})=>status!=="unknown");return{healthy:complete&&
diagnoses.every(({status})=>status!=="problem"),complete,checks:diagnoses}}function exitStatusOf(diagnoses){let has=wanted=>diagnoses.
some(({status})=>status===wanted);return has("problem")?1:has("unknown")?2:0}async function doctor(composition,found,format={},progress=new ProgressLine){let settings="settings"in found?found.settings:
void 0,diagnoses=[...checkConfiguration(found),...await checkBackends(composition,settings,progress),...await progress.during(
"Checking this host",()=>checkThisHost(composition,settings)),...settings?await progress.during("Checking the API server",
()=>checkApi(settings)):[]],output=settings?.output??found.commandLine.values.get("output")?.at(-1);return{text:formatAs(
output,diagnoses,format),status:exitStatusOf(diagnoses)}}function formatAs(output,diagnoses,format){switch(output){case"\
json":return`${JSON.stringify(diagnosesAsData(diagnoses),void 0,2)}
`;case"yaml":return(0,import_yaml.stringify)(diagnosesAsData(diagnoses));default:return formatDiagnoses(diagnoses,format)}}
function checkConfiguration(found){let check="configuration";if(!("settings"in found))return found.problems.map(text=>({
check,status:"problem",found:text}));let{warnings,configFile}=found.settings;return warnings.length>0?warnings.map(text=>({
check,status:"warning",found:text})):[{check,status:"ok",found:configFile===""?"the flags are valid":`${configFile} is v\
alid`}]}async function checkBackends(composition,settings,progress){let backends=(settings&&composition.configure?.(settings))??
composition.backends,requested=settings?.mode??"",mode=requested===""?DEFAULT_PROXY_MODE:requested,fallback=settings?.fallback??
DEFAULT_PROXY_MODE,candidates=requested===""?backends:backends.filter(one=>one.mode===mode||one.mode===fallback),rows=[];
for(let backend of candidates){let result=await progress.during(`Checking mode ${backend.mode}`,()=>backend.probe()).catch(
error=>({usable:!1,reason:messageOf(error)})),check=`mode ${backend.mode}`;if(result.usable){rows.push({check,status:"ok",
found:`can be used${result.detail===void 0?"":`: ${result.detail}`}`});let missing=["IPv4","IPv6"].filter(family=>!(result.
families??[family]).includes(family));missing.length>0&&rows.push({check,status:"warning",found:`serves no ${missing.join(
" and no ")} on this host`}),(requested!==""||backend.mode===mode)&&rows.push(...await progress.during(`Checking mode ${backend.
mode}`,()=>diagnose(backend)))}else{let found=`cannot be used: ${result.reason}`,serious=backend.mode===mode&&(fallback===
mode||fallback==="none"),advice=backend.mode===mode&&!serious?{advice:`it falls back to ${fallback}`}:{};rows.push({check,
status:serious?"problem":"warning",found,...advice})}}return rows}async function diagnose(backend){try{return await backend.
diagnose?.()??[]}catch(error){return[{check:`mode ${backend.mode}`,status:"unknown",found:`its diagnosis failed: ${messageOf(
error)}`}]}}async function checkThisHost(composition,settings){if(!composition.inspect)return[];let facts=await composition.
inspect(),ports=[{port:settings?.health?.port,name:"health"},{port:settings?.status?.port,name:"metrics"}].flatMap(({port,
name})=>port===void 0?[]:[{port,name}]),requested=settings?.mode??"",backends=(settings&&composition.configure?.(settings))??
composition.backends,mode=requested===""?DEFAULT_PROXY_MODE:requested,leftovers=await findLeftovers(backends,{logger:silentLogger,
owners:["backend","kube-proxy"],inForce:modeInForce(facts.instance,mode)}),backend=backends.find(one=>one.mode===mode)??
{mode},counting=checkCounting(backend,settings?.proxier??{}),rows=checkHost(facts,{backend,ipv6:!0,conntrack:settings?.conntrack??
DEFAULT_CONNTRACK_TUNING,cpus:composition.host?.cpus??availableParallelism(),ports}),ranges=checkPortRanges(backend);return[
...rows,...counting?[counting]:[],...ranges?[ranges]:[],checkLeftovers(leftovers,facts)]}async function checkApi(settings){
if(!settings.kubernetes)return[];let nodeName=resolveNodeName(settings.proxier.nodeName,hostname()),{server,access}=await checkApiAccess(
{...settings.kubernetes,nodeName}),refusals=new Set(access.map(({refusal:refusal2})=>refusal2)),[refusal]=refusals;return refusals.
size===1&&refusal!==void 0?[{check:"API server",status:"problem",found:`${server}: ${refusal}`,advice:"check the kubecon\
fig, and the network to the API server"}]:access.map(one=>judgeAccess(one,server,nodeName))}function judgeAccess({resource,
refusal,optional,found},server,nodeName){let check=`API ${resource}`;return refusal!==void 0?{check,status:optional?"war\
ning":"problem",found:`${server}: ${refusal}`,advice:"check the kubeconfig, the network to the API server, and the role \
system:node-proxier"}:resource==="nodes"&&found===0?{check,status:"warning",found:`Node ${nodeName} does not exist`,advice:"\
set --hostname-override to the name of the Node object of this host"}:{check,status:"ok",found:`${server} permits to rea\
d them`}}export{doctor};
//# sourceMappingURL=chunk-WMXEG3DO.js.map
