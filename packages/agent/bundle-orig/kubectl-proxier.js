#!/usr/bin/env node
import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{PodClient,isForbidden}from"./chunk-KHXMYMKB.js";import{OUTPUTS,isOutput}from"./chunk-JA47B56O.js";import{
MAX_MESSAGE_LENGTH}from"./chunk-OAH5SUEQ.js";import{VERSION}from"./chunk-NDLARBRE.js";import{formatAge}from"./chunk-IECCYJFR.js";
import{parseGoDuration}from"./chunk-ZZVTHHAR.js";import"./chunk-MTSOMN72.js";import{require_dist}from"./chunk-UWS5UL64.js";
import{ProxierError,formatTable,isProxierError,isRecord,messageOf,pause,printable,systemClock}from"./chunk-4LHTYADA.js";
import{__toESM}from"./chunk-VCSBMK2H.js";import{existsSync}from"node:fs";import{homedir}from"node:os";import{delimiter,join}from"node:path";var import_yaml=__toESM(require_dist(),1);var FAMILIES=["IPv4","IPv6"];function compareDigests(statuses){let differing=new Set;return{groups:FAMILIES.flatMap(family=>{
let byDigest=new Map;for(let{nodeName,families}of statuses){let digest=families[family]?.digest;typeof digest=="string"&&
byDigest.set(digest,[...byDigest.get(digest)??[],nodeName])}let sorted=[...byDigest].map(([digest,nodes])=>({family,digest,
nodes})).sort((left,right)=>right.nodes.length-left.nodes.length||(left.digest<right.digest?-1:1)),[most,next]=sorted,hasMajority=most!==
void 0&&most.nodes.length>(next?.nodes.length??0);for(let{nodes}of sorted.slice(hasMajority?1:0))for(let node of nodes)differing.
add(node);return sorted}),differing:[...differing].sort()}}var VERDICTS={ok:"OK",degraded:"DEGRADED","not-serving":"NOT SERVING"},NONE="-";function formatNodeStatuses({items,groups,
differing},now){let rows=items.map(({nodeName,status})=>status===null?[nodeName,"NO ANSWER",...Array.from({length:5},()=>NONE)]:
[nodeName,VERDICTS[status.verdict],status.mode===""?NONE:status.mode,String(status.services),String(status.endpoints),lastSync(
status,now),digestOf(status)+(differing.includes(nodeName)?" *":"")]),table=formatTable([["NODE","STATUS","MODE","SERVIC\
ES","ENDPOINTS","LAST SYNC","DIGEST"],...rows]),problems=items.flatMap(({nodeName,status,error})=>error===null?(status?.
problems??[]).flatMap(({found,advice})=>[`  - ${nodeName}: ${found}`,`    ${advice}`]):[`  - ${nodeName}: ${error}`]),differences=differing.
length===0?[]:describeDifferences(groups);return[table,...problems.length===0?[]:[`
Problems:
`,...problems.map(line=>`${line}
`)],...differences.length===0?[]:[`
* Nodes differ in the Services or endpoints that are in force:
`,...differences.map(line=>`${line}
`)]].join("")}function formatNodeAnswers(answers){let groups=new Map;for(let{nodeName,result,error}of answers){let text=result===
void 0?`no answer: ${error}
`:`${result.stdout}${result.stderr}`,group=groups.get(text)??{text,nodes:[]};group.nodes.push(nodeName),groups.set(text,
group)}return[...groups.values()].map(({text,nodes})=>`${nodes.join(", ")}:
${text.replace(/^(?=.)/gm,"  ")}`).join(`
`)}function describeDifferences(groups){return[...new Set(groups.map(({family})=>family))].flatMap(family=>{let ofFamily=groups.
filter(group=>group.family===family);return ofFamily.length<2?[]:ofFamily.map(({digest,nodes})=>`  ${family} ${digest}: ${listNodes(
nodes)}`)})}function listNodes(nodes){let shown=nodes.slice(0,10).join(", ");return nodes.length>10?`${shown} and ${nodes.
length-10} more`:shown}function digestOf({families}){return Object.values(families).map(({digest})=>digest?.slice(0,8)??
NONE).join("/")}function lastSync({families},now){let times=Object.values(families).flatMap(({lastSync:time})=>time===null?
[]:[Date.parse(time)]);return times.length===0?"never":formatAge(Math.min(Math.max(...times),now),now)}var PLUGIN_COMMANDS=["status","get","explain","verify"],DEFAULTS={node:"","agent-namespace":"kube-system",selector:"app.\
kubernetes.io/name=kube-proxier",container:"kube-proxier",kubeconfig:"",context:"",timeout:"15s",output:"text"},SHORT={o:"\
output",l:"selector"},REFUSED={w:"repeat the command, or watch one node with kubectl exec",watch:"repeat the command, or\
 watch one node with kubectl exec",manifests:"it answers from files: run kube-proxier itself","metrics-bind-address":"th\
e agent on each node is queried where it listens","hostname-override":"select nodes with --node"};function parsePluginCommandLine(args){
let values=new Map,passed=[],isAll=!1;for(let index=0;index<args.length;index+=1){let text=args[index]??"",[,dashes="",name="",
value]=/^(--?)([a-z][a-z-]*)(?:=(.*))?$/s.exec(text)??[];if(text==="--help"||text==="-h"||index===0&&text==="help")return;
let refused=REFUSED[name];if(dashes!==""&&refused!==void 0)throw invalid(`${dashes}${name} cannot be used here: ${refused}`);
if(dashes==="--"&&name==="all-nodes"){isAll=!0;continue}let own=dashes==="-"?SHORT[name]:isOwnFlag(name)?name:void 0;if(dashes===
""||own===void 0){passed.push(text);continue}index+=value===void 0?1:0;let given=value??args[index];if(given===void 0)throw invalid(
`${text} needs a value`);values.set(own,given)}let[command="",...rest]=passed;if(command==="")return;if(!isPluginCommand(
command))throw invalid(`unknown command ${JSON.stringify(command)}; it must be one of ${PLUGIN_COMMANDS.join(", ")}`);let nodes=(values.
get("node")??"").split(",").filter(name=>name!=="");if(isAll&&nodes.length>0)throw invalid("--node and --all-nodes exclu\
de each other");let read=flag=>values.get(flag)??DEFAULTS[flag],output=read("output");if(!isOutput(output))throw invalid(
`--output=${output}: must be one of ${OUTPUTS.join(", ")}`);let timeout=parseGoDuration(read("timeout"));if(timeout===void 0||
timeout<=0)throw invalid(`--timeout=${read("timeout")}: must be a duration such as 15s`);return{command,args:rest,nodes,
output,timeout,agentNamespace:read("agent-namespace"),selector:read("selector"),container:read("container"),kubeconfig:read(
"kubeconfig"),context:read("context")}}function isOwnFlag(name){return Object.hasOwn(DEFAULTS,name)}function isPluginCommand(name){
return PLUGIN_COMMANDS.includes(name)}function invalid(message){return new ProxierError("INVALID_ARGUMENT",message)}var PLUGIN_HELP=`\
Usage:
  kubectl proxier <status|get|explain|verify> [arguments] [--node <name>[,<name>] | --all-nodes] [flags]

Runs a command of kube-proxier on nodes, in the pods of its agents, through the API server, and compares the answers. No\

port is opened. Without --node, all nodes are queried at once. Needs permission to list pods and to run commands in them\

(create and get of pods/exec) in the namespace of the agents, and to list nodes to find those without an agent.

Examples:
  # Are all nodes well, and do they have the same Services and endpoints in force?
  kubectl proxier status
  # What is in force on one node?
  kubectl proxier get services -A --node node1
  # What happens to connections to a Service, on every node?
  kubectl proxier explain svc/shop/checkout

Flags (others are passed to the command on the node):
      --all-nodes                 Query all nodes. This is the default.
      --node <names>              Query these nodes only, comma-separated.
  -o, --output <format>           text, wide, json or yaml.
      --timeout <duration>        Time limit of each node. Default 15s.
      --agent-namespace <name>    Namespace of the agents. Default kube-system.
  -l, --selector <labels>         Label selector of their pods. Default app.kubernetes.io/name=kube-proxier.
      --container <name>          Their container. Default kube-proxier, or the only one.
      --kubeconfig <path>         Default: KUBECONFIG, ~/.kube/config, or the service account of a pod.
      --context <name>            Context of the kubeconfig. Default: the current one.

Exit status:
  status    0 all nodes are ok and agree, 1 a node is degraded or they differ, 2 a node is not serving,
            3 a node did not answer, 4 an error of the command line or the API server
  others    that of the command, the highest of all nodes; 3 at least when a node did not answer,
            4 an error of the command line or the API server
`;var CONCURRENCY=32,NODES="kubernetes.io/os=linux";async function findAgents(transport,{agentNamespace,selector,nodes},signal){
let pods=await transport.listPods(agentNamespace,selector,signal).catch(error=>{throw isForbidden(error)?lacking(`list p\
ods in namespace ${agentNamespace}`,error):error});if(pods.length===0)throw new ProxierError("NO_AGENT",`no pod in names\
pace ${agentNamespace} has the labels ${selector}; set --agent-namespace and --selector as kube-proxier is deployed`);let agents=new Map;
for(let pod of pods){let other=agents.get(pod.nodeName);pod.nodeName!==""&&(other===void 0||other.phase!=="Running")&&agents.
set(pod.nodeName,pod)}let note;try{for(let name of await transport.listNodeNames(NODES,signal))agents.set(name,agents.get(
name))}catch(error){note=`nodes without an agent are not shown: ${printable(messageOf(error),300)}`}let unknown=nodes.find(
name=>!agents.has(name));if(unknown!==void 0)throw new ProxierError("UNKNOWN_NODE",`there is no node ${printable(unknown)}\
 with an agent; see kubectl get nodes`);return{agents:[...agents].filter(([nodeName])=>nodes.length===0||nodes.includes(
nodeName)).map(([nodeName,pod])=>({nodeName,pod})).sort((left,right)=>left.nodeName<right.nodeName?-1:1),note}}async function queryNodes(transport,agents,args,{
container},signal){let answers=[],pending=agents.entries(),work=async()=>{for(let[index,agent]of pending)answers[index]=
await queryNode(transport,agent,args,container,signal)};return await Promise.all(Array.from({length:Math.min(CONCURRENCY,
agents.length)},work)),answers}async function queryNode(transport,{nodeName,pod},args,containerName,signal){if(pod===void 0)
return{nodeName,podName:null,error:"no pod of kube-proxier is on this node"};let base={nodeName,podName:pod.name};if(pod.
phase!=="Running")return{...base,error:`pod ${pod.name} is ${pod.phase}`};let[only]=pod.containers,container=pod.containers.
find(({name})=>name===containerName)??(pod.containers.length===1?only:void 0);if(container===void 0){let names=pod.containers.
map(({name})=>name).join(", ");return{...base,error:`pod ${pod.name} has no container ${containerName}, but ${names}; se\
t --container`}}let command=["kube-proxier",...args,...addressArgs(container.args)];try{let{namespace,name}=pod;return{...base,
result:await transport.run({namespace,pod:name,container:container.name,command},signal)}}catch(error){let advice=isForbidden(
error)?"; it needs create and get of pods/exec":"",text=isProxierError(error)?error.message:messageOf(error);return{...base,
error:`${printable(text,500)}${advice}`}}}function addressArgs(args){return args.flatMap((arg,index)=>{let[,name,value]=/^--(config|metrics-bind-address)(?:=(.*))?$/s.
exec(arg)??[];return name===void 0?[]:[`--${name}=${value??args[index+1]??""}`]})}function lacking(what,cause){return new ProxierError(
"FORBIDDEN",`you are not allowed to ${what}: ${printable(messageOf(cause),300)}`,{cause})}var NO_ANSWER=3,ERROR=4,VERDICT_STATUS={ok:0,degraded:1,"not-serving":2},SETTLE_TIME=2e3,SETTLE_ATTEMPTS=2;async function runPlugin(args,environment){
let{print,printError,signal}=environment;try{let request=parsePluginCommandLine(args);if(request===void 0)return print(PLUGIN_HELP),
0;let transport=(environment.connect??(options=>new PodClient(options)))({...credentialsOf(request,environment.variables),
timeout:request.timeout,userAgent:`kubectl-proxier/${VERSION}`});try{let{agents,note}=await findAgents(transport,request,
signal);return note!==void 0&&request.nodes.length===0&&printError(`kubectl proxier: ${note}
`),await answer(transport,agents,request,environment)}finally{transport.close()}}catch(error){return printError(`kubectl\
 proxier: ${printable(messageOf(error),MAX_MESSAGE_LENGTH)}
`),ERROR}}function answer(transport,agents,request,environment){return request.nodes.length===1?answerOfOne(transport,agents,
request,environment):request.command==="status"?statusOfAll(transport,agents,request,environment):answersOfAll(transport,
agents,request,environment)}async function answerOfOne(transport,agents,request,{print,printError,signal}){let{command,args,
output}=request,all=[command,...args,...output==="text"?[]:[`--output=${output}`]],[only]=await queryNodes(transport,agents,
all,request,signal);return only?.result===void 0?(printError(`kubectl proxier: node ${only?.nodeName??""} did not answer\
: ${only?.error??"unknown error"}
`),NO_ANSWER):(print(only.result.stdout),printError(only.result.stderr),only.result.exitStatus)}async function statusOfAll(transport,agents,request,{
print,signal}){let query=async()=>listStatuses(await queryNodes(transport,agents,["status",...request.args,"--output=jso\
n"],request,signal)),list=await query();for(let attempt=0;attempt<SETTLE_ATTEMPTS&&list.differing.length>0;attempt+=1)await pause(
systemClock,SETTLE_TIME,signal),list=await query();print(formatDocument(list,request)??formatNodeStatuses(list,Date.now()));
let statuses=list.items.map(({status})=>status===null?NO_ANSWER:VERDICT_STATUS[status.verdict]);return Math.max(...statuses,
list.differing.length>0?1:0)}function listStatuses(answers){let items=answers.map(({nodeName,podName,result,error})=>{let status=result===
void 0?void 0:readStatus(result.stdout),reason=error??(printable((result?.stderr??"").trim(),500)||`it ended with exit s\
tatus ${result?.exitStatus}`);return{nodeName,podName,status:status??null,error:status===void 0?reason:null}}),compared=items.
flatMap(({nodeName,status})=>status===null?[]:[{...status,nodeName}]);return{apiVersion:"kube-proxier.io/v1alpha1",kind:"\
NodeStatusList",items,...compareDigests(compared)}}function readStatus(text){let document=parseJson(text);return isRecord(
document)&&document.kind==="NodeStatus"&&typeof document.verdict=="string"&&Object.hasOwn(VERDICT_STATUS,document.verdict)&&
isRecord(document.families)&&Array.isArray(document.problems)?document:void 0}async function answersOfAll(transport,agents,request,{
print,signal}){let{command,args,output}=request,format=output==="text"?[]:[`--output=${output==="yaml"?"json":output}`],
answers=await queryNodes(transport,agents,[command,...args,...format],request,signal),items=answers.map(({nodeName,podName,
result,error})=>({nodeName,podName,exitStatus:result?.exitStatus??null,answer:result===void 0?null:parseJson(result.stdout)??
null,error:error??(result?.stderr===""?null:printable(result?.stderr.trim()??"",500))}));return print(formatDocument({apiVersion:"\
kube-proxier.io/v1alpha1",kind:"NodeAnswerList",items},request)??formatNodeAnswers(answers)),Math.max(...items.map(({exitStatus})=>exitStatus??
NO_ANSWER))}function formatDocument(document,{output}){switch(output){case"json":return`${JSON.stringify(document,void 0,
2)}
`;case"yaml":return(0,import_yaml.stringify)(document,{aliasDuplicateObjects:!1});default:return}}function parseJson(text){
try{return JSON.parse(text)}catch{return}}function credentialsOf({kubeconfig,context},{KUBECONFIG="",HOME=homedir()}){let chosen=context===
""?{}:{context};if(kubeconfig!=="")return{kubeconfig,...chosen};let files=KUBECONFIG.split(delimiter).filter(path2=>path2!==
""),found=files.filter(path2=>existsSync(path2));if(found.length>1)throw new ProxierError("INVALID_ARGUMENT","KUBECONFIG\
 has several files, and only one is read: write kubectl config view --flatten --raw to a file, and set --kubeconfig");let[
first=files[0]]=found,standard=join(HOME,".kube","config"),path=first??(existsSync(standard)?standard:void 0);return{...path===
void 0?{}:{kubeconfig:path},...chosen}}var abort=new AbortController;for(let signal of["SIGINT","SIGTERM"])process.once(signal,()=>abort.abort());process.stdout.
on("error",()=>{});var alive=setInterval(()=>{},2**30);process.exitCode=await runPlugin(process.argv.slice(2),{print:text=>{
process.stdout.write(text)},printError:text=>{process.stderr.write(text)},variables:process.env,signal:abort.signal});clearInterval(
alive);
//# sourceMappingURL=kubectl-proxier.js.map
