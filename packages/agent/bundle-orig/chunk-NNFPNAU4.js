import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{InstanceLock,findKubeProxy}from"./chunk-K6JK22O5.js";import"./chunk-MTSOMN72.js";import{CommandError,
ConntrackError,ConntrackNetlink,NetlinkSocket,chooseNetlinkTransport,createCommandRunner,kernelFiles,systemErrorCode}from"./chunk-C2RJUF7R.js";
import{isProxierError,messageOf}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";import"./chunk-VCSBMK2H.js";var SYSCTLS=["net/ipv4/ip_forward","net/ipv6/conf/all/forwarding","net/ipv6/conf/all/disable_ipv6","net/bridge/bridge-nf\
-call-iptables","net/bridge/bridge-nf-call-ip6tables","net/ipv4/conf/all/rp_filter","net/ipv4/conf/default/rp_filter","n\
et/ipv4/conf/all/route_localnet","net/netfilter/nf_conntrack_count","net/netfilter/nf_conntrack_max","net/netfilter/nf_c\
onntrack_tcp_loose"],TOOLS=["iptables","iptables-legacy","iptables-nft","ip6tables","nft","conntrack"];async function gatherHostFacts({
runner=createCommandRunner(),conntrack=conntrackOf(runner),netlink=()=>chooseNetlinkTransport("netfilter"),files=kernelFiles,
instance=()=>new InstanceLock().currentHolder(),kubeProxy=()=>findKubeProxy()}={}){let read=async path=>{try{return(await files.
read(path)).trim()}catch{return}},output=async(command,...args)=>{try{return{text:(await runner.run({command,args,timeout:1e4})).
stdout}}catch(error){if(!isProxierError(error))throw error;return{failure:error instanceof CommandError&&error.failure===
"not-found"?"missing":"refused",reason:messageOf(error)}}},brokenTools={},version=async tool=>{try{return firstLine((await runner.
run({command:tool,args:["--version"],timeout:1e4})).stdout)}catch(error){if(!isProxierError(error))throw error;error instanceof
CommandError&&error.failure==="not-found"||(brokenTools[tool]=messageOf(error));return}},unreadable={},forwardPolicyDrop=[],
listed=await output("nft","list","tables"),nftTables="text"in listed?listed.text.match(/(?<=^table ).+$/gm)??[]:void 0,variant=async name=>{
let saved=await Promise.all([output(`iptables-${name}-save`),output(`ip6tables-${name}-save`)]),refused=saved.find(one=>"\
failure"in one&&one.failure==="refused");if(refused&&"reason"in refused)unreadable[name]=refused.reason;else if(saved.every(
one=>"failure"in one)){let reason=name==="legacy"?await whyLegacyMayHaveRules(files):whyNftMayHaveRules(nftTables);reason!==
void 0&&(unreadable[name]=reason)}for(let[index,one]of saved.entries())"text"in one&&dropsForwarded(one.text)&&forwardPolicyDrop.
push(`${index===0?"iptables":"ip6tables"}-${name}`);let texts=saved.flatMap(one=>"text"in one?[one.text]:[]);return texts.
length===0?void 0:countRules(texts.join(`
`))},[tools,settings,tcp,tcp6]=await Promise.all([Promise.all(TOOLS.map(async tool=>[tool,await version(tool)])),Promise.
all(SYSCTLS.map(async name=>[name,await read(`/proc/sys/${name}`)])),read("/proc/net/tcp"),read("/proc/net/tcp6")]),effective=/^CapEff:\s*([0-9a-f]+)$/m.
exec(await read("/proc/self/status")??"")?.[1];return{kernel:await read("/proc/sys/kernel/osrelease"),tools:Object.fromEntries(
tools),brokenTools,netlink:await netlink().catch(error=>({obstacle:messageOf(error)})),conntrackByNetlink:await obstacleOf(
conntrack),iptables:{legacy:await variant("legacy"),nft:await variant("nft")},forwardPolicyDrop,unreadable,instance:await instance(),
kubeProxy:await kubeProxy(),listening:tcp===void 0?void 0:listeningPorts(`${tcp}
${tcp6??""}`),sysctls:Object.fromEntries(settings),capabilities:effective===void 0?void 0:BigInt(`0x${effective}`)}}async function whyLegacyMayHaveRules(files){
for(let path of["/proc/net/ip_tables_names","/proc/net/ip6_tables_names"])try{let names=(await files.read(path)).trim();
if(names!=="")return`legacy tables exist (${names.replace(/\s+/g,", ")}), but iptables-legacy-save is not installed`}catch(error){
if(systemErrorCode(error)!=="ENOENT")return messageOf(error)}}function whyNftMayHaveRules(nftTables){if(nftTables===void 0)
return"neither iptables-nft-save nor nft can list them";let tables=nftTables.filter(table=>/^ip6? (filter|nat|mangle|raw|security)$/.
test(table));return tables.length===0?void 0:`tables ${tables.join(", ")} exist, but iptables-nft-save is not installed`}
function conntrackOf({networkNamespace:place="own"}){return new ConntrackNetlink(()=>new NetlinkSocket("netfilter",place===
"own"?{}:{namespace:place}))}async function obstacleOf(conntrack){try{await conntrack.check?.();return}catch(error){return{
notPermitted:error instanceof ConntrackError&&error.code==="CONNTRACK_NOT_PERMITTED",reason:messageOf(error)}}}function firstLine(text){
return text.split(`
`).find(line=>line.trim()!=="")?.trim()}function countRules(saved){return saved.match(/^(\[\d+:\d+\] )?-A /gm)?.length??
0}function dropsForwarded(saved){let[,filter=""]=/^\*filter$([\s\S]*?)^COMMIT$/m.exec(saved)??[];return/^:FORWARD DROP /m.
test(filter)}function listeningPorts(table){return new Set([...table.matchAll(/^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /gm)].
map(([,port=""])=>Number.parseInt(port,16)))}export{SYSCTLS,countRules,gatherHostFacts,listeningPorts};
//# sourceMappingURL=chunk-NNFPNAU4.js.map
