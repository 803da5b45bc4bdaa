import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{readKubeProxyConfiguration,settingsOf}from"./chunk-2WY6ZIRU.js";import"./chunk-YORNVZFG.js";import{describeRunningProxy,
runningProxies}from"./chunk-XLSJRZ32.js";import{countLines,findingLines}from"./chunk-JTHS2LB6.js";import"./chunk-JA47B56O.js";
import"./chunk-OAH5SUEQ.js";import"./chunk-NDLARBRE.js";import{plainStyle}from"./chunk-4UHNWRYH.js";import{
capabilitiesOf,collectObjects,objectKey,objectsOfList,proxierOptionsOf,readManifestObjects,resolvePairs}from"./chunk-GFOJMRHV.js";
import{describeRemoved,findLeftovers,nameOfLeftoverOwner,previewBackend,thisHost,verifyNode}from"./chunk-K6JK22O5.js";
import"./chunk-ZZVTHHAR.js";import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";import{NOTHING_IN_FORCE,
queryAgent}from"./chunk-4OP7SHWD.js";import{require_dist}from"./chunk-UWS5UL64.js";import{MARKS,ObjectReader,
ProxierError,SERVICE_NAME_LABEL,SPLIT_SLICE,compareStates,comparisonLines,formatObjectProblem,formatPlanSummary,isEmptyComparison,
isProxierError,isRecord,messageOf,printable,selectProxyMode,silentLogger,systemClock}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";
import{__toESM}from"./chunk-VCSBMK2H.js";import{readFileSync}from"node:fs";var import_yaml3=__toESM(require_dist(),1);var import_yaml=__toESM(require_dist(),1);var MAX_ALIASES=1e3,READ=["Service","EndpointSlice","Node","ServiceCIDR"];function changeObjects(objects,files,namespace){
let services=new Map(objects.services),endpointSlices=new Map(objects.endpointSlices),nodes=new Map(objects.nodes),{serviceCIDRs}=objects,
changed=new Map,ignored=new Map,problems=[];for(let object of files.flatMap(file=>readChange(file,namespace))){let key=objectKey(
object);switch(object.kind){case"Service":{let service=asAllocated(object,services.get(key));services.set(key,service),changed.
set(key,service);break}case"EndpointSlice":for(let name of[...endpointSlices.keys()])(name===key||name.startsWith(`${key}${SPLIT_SLICE}`))&&
endpointSlices.delete(name);endpointSlices.set(key,object);break;case"Node":nodes.set(object.metadata?.name??"",object);
break;case"ServiceCIDR":serviceCIDRs=[...new Set([...serviceCIDRs,...cidrsOf(object)])],problems.push(...problemsOf(object));
break;default:ignored.set(object.kind??"",(ignored.get(object.kind??"")??0)+1)}}let kinds=[...ignored].map(([kind,count])=>`${count}\
 ${printable(kind,80)}`).join(", ");return{objects:{services,endpointSlices,nodes,serviceCIDRs},withoutAddress:[...changed].
flatMap(([key,service])=>needsAddress(service)?[key]:[]),assigned:[...changed].flatMap(([key,service])=>assignedFields(key,
service)),notes:[...kinds===""?[]:[`Ignored, as a service proxy does not read them: ${kinds}.`],...problems.map(problem=>`${formatObjectProblem(
problem)}.`)]}}var KINDS={svc:"services",service:"services",services:"services",endpointslice:"endpointSlices",endpointslices:"\
endpointSlices"};function deleteObjects(objects,names,namespace){let left={services:new Map(objects.services),endpointSlices:new Map(
objects.endpointSlices)};for(let text of names){let[kind="",...rest]=text.split("/"),listed=KINDS[kind.toLowerCase()];if(listed===
void 0||rest.length<1||rest.length>2||rest.includes("")){let given=printable(text,80);throw new ProxierError("INVALID_CH\
ANGE",`--delete ${given}: not svc/[<namespace>/]<name> or endpointslice/[<namespace>/]<name>`)}let key=rest.length===2?rest.
join("/"):`${namespace}/${rest[0]}`,isDeleted=left[listed].delete(key),parts=[...left.endpointSlices].filter(([name,slice])=>listed===
"services"?serviceOf(slice)===key:name.startsWith(`${key}${SPLIT_SLICE}`));if(!isDeleted&&(listed==="services"||parts.length===
0))throw new ProxierError("INVALID_CHANGE",`--delete ${printable(text,80)}: there is no ${listed==="services"?"Service":
"EndpointSlice"} ${printable(key,80)}; kube-proxier get services -A lists the Services, and -n sets the namespace`);for(let[
name]of parts)left.endpointSlices.delete(name)}return{...objects,...left}}function serviceOf({metadata}){let service=metadata?.
labels?.[SERVICE_NAME_LABEL];return service===void 0?void 0:`${metadata?.namespace}/${service}`}function readChange({name,
text},namespace){let invalid=problem=>new ProxierError("INVALID_CHANGE",`-f ${printable(name)}: ${printable(problem,400)}\
; give Kubernetes objects as YAML or JSON`),documents=(0,import_yaml.parseAllDocuments)(text,{logLevel:"silent"}),found=(Array.
isArray(documents)?documents:[]).flatMap(document=>{let[error]=document.errors;if(error)throw invalid(error.message.split(
`
`)[0]?.replace(/:$/,"")??"");let value;try{value=document.toJS({maxAliasCount:MAX_ALIASES})}catch(cause){throw invalid(messageOf(
cause))}return value==null?[]:objectsIn(value,invalid)});if(found.length===0)throw invalid("it has no objects");return found.
map(object=>{let hasNamespace=object.kind==="Service"||object.kind==="EndpointSlice";if(READ.includes(object.kind??"")&&
!object.metadata?.name)throw invalid(`a ${object.kind} has no metadata.name`);let complete=hasNamespace&&object.metadata?.
namespace===void 0?{...object,metadata:{...object.metadata,namespace}}:object,[problem]=problemsOf(complete).filter(({ignored})=>ignored===
"object");if(problem)throw invalid(formatObjectProblem(problem));return complete})}function problemsOf(object){let reader=new ObjectReader;
switch(object.kind){case"Service":return reader.readService(object).problems;case"EndpointSlice":return reader.readEndpointSlice(
object).problems;case"Node":return reader.readNode(object).problems;case"ServiceCIDR":return reader.readServiceCIDR(object).
problems;default:return[]}}function objectsIn(value,invalid){if(!isRecord(value)||typeof value.kind!="string")throw invalid(
"it has something that is not an object with a kind");if(Array.isArray(value.items)){let kind=value.kind.replace(/List$/,
"");return value.items.flatMap(item=>objectsIn(isRecord(item)&&item.kind===void 0&&kind!==""?{...item,kind}:item,invalid))}
if(value.metadata!==void 0&&!isRecord(value.metadata))throw invalid(`metadata of a ${value.kind} is not an object`);return[
value]}function asAllocated(object,existing){let service=object,{spec}=service,known=existing?.spec;if(!isRecord(spec)||
!known||existing===void 0)return service;let isExternal=spec.type==="NodePort"||spec.type==="LoadBalancer",hasAddress=spec.
clusterIP!==void 0||spec.clusterIPs!==void 0||spec.type==="ExternalName",{clusterIP,clusterIPs,ipFamilies,healthCheckNodePort}=known,
status=spec.type==="LoadBalancer"?service.status??existing.status:service.status,createdAt=service.metadata?.creationTimestamp??
existing.metadata?.creationTimestamp;return{...service,metadata:{...service.metadata,...createdAt===void 0?{}:{creationTimestamp:createdAt}},
spec:{...hasAddress?{}:defined({clusterIP,clusterIPs,ipFamilies}),...spec.type==="LoadBalancer"&&spec.externalTrafficPolicy===
"Local"?defined({healthCheckNodePort}):{},...spec,...isExternal&&Array.isArray(spec.ports)?{ports:spec.ports.map(port=>isRecord(
port)?withNodePort(port,known):port)}:{}},...status===void 0?{}:{status}}}function withNodePort(port,{ports=[]}){let protocol=port.
protocol??"TCP",known=ports.find(other=>other.port===port.port&&(other.protocol??"TCP")===protocol&&other.nodePort!==void 0);
return port.nodePort!==void 0||known?.nodePort===void 0?port:{...port,nodePort:known.nodePort}}function needsAddress({spec}){
return isRecord(spec)&&spec.type!=="ExternalName"&&!spec.clusterIP&&(spec.clusterIPs??[]).length===0}function assignedFields(service,{
spec}){if(!isRecord(spec)||spec.type!=="NodePort"&&spec.type!=="LoadBalancer")return[];let{allocateLoadBalancerNodePorts}=spec,
withoutNodePorts=spec.type==="LoadBalancer"&&allocateLoadBalancerNodePorts===!1,nodePorts=(Array.isArray(spec.ports)?spec.
ports:[]).flatMap((entry,index)=>isRecord(entry)&&entry.nodePort===void 0&&!withoutNodePorts?[{service,field:`spec.ports\
[${index}].nodePort`,what:`NodePort of ${service} port ${printable(String(entry.port))}`}]:[]);return spec.type==="LoadB\
alancer"&&spec.externalTrafficPolicy==="Local"&&spec.healthCheckNodePort===void 0?[...nodePorts,{service,field:"spec.hea\
lthCheckNodePort",what:`health check node port of ${service}`}]:nodePorts}function cidrsOf(object){return new ObjectReader().
readServiceCIDR(object).definition?.cidrs??[]}function defined(fields){return Object.fromEntries(Object.entries(fields).
filter(([,value])=>value!==void 0))}function countByOwner(changes){let counts=new Map;for(let{action,owner}of changes){let count=counts.get(owner)??{add:0,remove:0};
counts.set(owner,count),count[action]+=1}return[...counts].map(([owner,count])=>({owner,...count})).sort((left,right)=>(left.
owner??"\uFFFF")<(right.owner??"\uFFFF")?-1:1)}function formatPlan(plan2,format){return[headline(plan2),marked(plan2.comparison===
null?ownerLines(format.byOwner):comparisonLines(plan2.comparison),format.style),plan2.withoutAddress.map(name=>mark(`+ ${name}\
: its addresses are assigned by the API server
`,format.style)).join(""),rulesSection(plan2,format),removalSection(plan2,format.style),adoptedSection(plan2),plan2.traffic===
null?"":trafficSection(plan2.traffic),plan2.notes.map(note=>`Note: ${note}
`).join(""),verdict(plan2)].filter(text=>text!=="").join(`
`)}function headline({nodeName,from,to}){let node=printable(nodeName),side=({mode,objects})=>`mode ${printable(mode)}, ${printable(
objects,200)}`;return to===null?`Cleanup of node ${node}
`:`Node ${node}
  in force: ${from===null?"no agent runs here":side(from)}
  planned:  ${side(to)}
`}function marked(lines,style){return lines.map(({change,indent,text})=>mark(`${" ".repeat(indent)}${change===void 0?"":
`${MARKS[change]} `}${printable(text,1e3)}
`,style)).join("")}function mark(line,style){let[,sign]=/^ *([+~-]) /.exec(line)??[];switch(sign){case"+":return style("\
good",line);case"-":return style("bad",line);case"~":return style("warning",line);default:return line}}function ownerLines(owners){
return owners.map(({owner,add,remove})=>({change:remove===0?"add":add===0?"remove":"change",indent:0,text:`${owner??"sha\
red by Services"}: ${add} to add, ${remove} to remove`}))}function rulesSection({rules},{rules:all,style}){if(rules===null||
rules.add+rules.remove===0)return"";let advice=all?"":"; --rules lists them",head=`Rules and objects of mode ${printable(
rules.mode)}: ${rules.add} to add, ${rules.remove} to remove${advice}
`,table="",lines=(rules.changes??[]).map(change=>{let title=change.table===table?"":`${printable(change.table)}
`;table=change.table;let sign=change.action==="add"?"+":"-";return`${title}${mark(`  ${sign} ${printable(change.text,4e3)}\

`,style)}`});return`${head}${lines.join("")}`}function removalSection({removals},style){return removals.map(({mode,owner,
objects})=>{let lines=describeRemoved(objects).map(line=>mark(`  - ${line}
`,style));return`To be removed of ${nameOfLeftoverOwner(owner,mode)}:
${lines.join("")}`}).join("")}function adoptedSection({adopted}){return adopted.map(({mode,owner,objects})=>{let lines=describeRemoved(
objects).map(line=>`  ${line}
`);return`Taken over from ${nameOfLeftoverOwner(owner,mode)}, and changed only where it differs:
${lines.join("")}`}).join("")}function trafficSection({modes,families}){return`${[`What happens to packets now, by the r\
ules of kube-proxy (mode ${modes.map(mode=>printable(mode)).join(", ")}), compared with the plan:`,...[...countLines("th\
e same",families),...findingLines(families)].map(line=>line===""?"":`  ${line}`)].join(`
`)}
`}function verdict({changed,comparison,rules,removals,to,withoutAddress}){if(!changed)return to===null?`Nothing to remov\
e.
`:rules===null?`No differences.
`:`No differences: the rules of this node are as planned.
`;let removed=removals.flatMap(({objects})=>objects).reduce((sum,{names})=>sum+names.length,0);return to===null?`Plan: ${countOf(
removed,"object")} to remove.
`:`Plan: ${[...comparison===null?[]:[servicesOf(comparison,withoutAddress.length)],...rules===null?[]:[`rules and object\
s: ${rules.add} to add, ${rules.remove} to remove`],...removed===0?[]:[`${countOf(removed,"object")} of other modes and \
of kube-proxy to remove`]].join("; ")}.
`}function servicesOf({summary},withoutAddress){return formatPlanSummary({summary:{...summary,add:summary.add+withoutAddress}})}
function countOf(count,noun){return`${count} ${noun}${count===1?"":"s"}`}var import_yaml2=__toESM(require_dist(),1);var LIST_TIMEOUT=6e4;async function queryRunningAgent(address){let text;try{text=await queryAgent(address,"/debug/object\
s",void 0,{timeout:LIST_TIMEOUT})}catch(error){if(isProxierError(error)&&error.code==="NO_AGENT")return;throw error}let{
mode,families,items}=JSON.parse(text);if(families.length===0)throw new ProxierError("AGENT_NOT_READY",`the agent on this\
 node ${NOTHING_IN_FORCE}`);return{mode,families,objects:objectsOfList(items),values:await configurationOf(address)}}async function configurationOf(address){
let parts=JSON.parse(await queryAgent(address,"/configz")),text=(isRecord(parts)?Object.values(parts):[]).map(part=>(0,import_yaml2.stringify)(
part)).join(`---
`);return readKubeProxyConfiguration(text,"configuration of the agent").values}async function plan(request,context){let{document,changes}=await(request.cleanup?planCleanup(request,context):planState(
request,context)),{output}=context.settings,status=document.changed?1:0;if(output==="json"||output==="yaml")return{text:output===
"json"?`${JSON.stringify(document,void 0,2)}
`:(0,import_yaml3.stringify)(document),status};let format={rules:request.rules,byOwner:countByOwner(changes),style:context.
style??plainStyle};return{text:formatPlan(document,format),status}}async function planCleanup({kubeProxy},{commandLine,settings,
composition}){let mode=commandLine.values.get("proxy-mode")?.at(-1),backends=configured(composition,settings).filter(backend=>mode===
void 0||backend.mode===mode),owners=kubeProxy?["backend","kube-proxy"]:["backend"],{removals,notes}=await leftoversOf(backends,
{owners}),holder=composition.exclusive?await describeRunningProxy(runningProxies()):void 0,refusal=`The cleanup is refus\
ed while a proxy runs in this network namespace: ${holder}.`;return{document:{...emptyPlan(settings),changed:removals.length>
0,removals,notes:holder===void 0?notes:[...notes,refusal]},changes:[]}}function emptyPlan(settings){return{apiVersion:"k\
ube-proxier.io/v1alpha1",kind:"Plan",changed:!1,nodeName:proxierOptionsOf(settings,"IPv4").nodeName,from:null,to:null,comparison:null,
rules:null,removals:[],adopted:[],traffic:null,withoutAddress:[],notes:[]}}async function planState(request,context){let{
settings:given,composition}=context,agent=await queryRunningAgent(given.status),inForce=agent&&settingsOfAgent(agent,context),
settings=inForce&&given.configFile===""?withFlags(agent,context):given,{objects,source}=await objectsToPlan(agent,settings,
context),files=request.files.map(name=>readChangeFile(name,context)),left=deleteObjects(objects,request.deletions,request.
namespace),{objects:next,withoutAddress,assigned,notes}=changeObjects(left,files,request.namespace),changedBy=[...files.
map(({name})=>name),...request.deletions.map(name=>`--delete ${name}`)],isOfObjects=changedBy.length>0,hasServer=settings.
kubernetes!==void 0||settings.manifests.length===0,planned={request,agent,settings,next,composition,assigned:hasServer?assigned:
[],inForce:inForce??(isOfObjects?settings:void 0),before:agent?.objects??(isOfObjects?objects:void 0)},result=request.rules||
!isOfObjects?await planOnHost(planned):planObjects(planned);return{document:{...emptyPlan(settings),...result.document,changed:result.
document.changed||hasServer&&withoutAddress.length>0,from:agent?{mode:agent.mode,objects:"the objects of the agent"}:null,
to:{mode:result.mode,objects:isOfObjects?`${source}, changed by ${changedBy.join(", ")}`:source},withoutAddress:hasServer?
withoutAddress:[],notes:[...given.warnings.map(warning=>`${warning}.`),...notes,...agent===void 0&&isOfObjects?[`No agen\
t runs here: compared with ${source} as they are.`]:[],...notesOfAllocation(hasServer,withoutAddress,assigned),...result.
document.notes??[]]},changes:result.changes}}function notesOfAllocation(hasServer,withoutAddress,assigned){if(hasServer){
let list=assigned.map(({what})=>what).join(", ");return list===""?[]:[`Assigned by the API server, and not part of this \
plan: ${list}.`]}let names=withoutAddress.map(name=>printable(name)).join(", ");return names===""?[]:[`Not served, becau\
se without an API server nothing assigns a cluster IP: ${names}.`]}function planObjects({agent,inForce,before,settings,next,
assigned,composition}){let problems=new ProblemNotes(assigned),families=agent?.families??["IPv4","IPv6"],pairs=resolvePairs(
families,inForce&&before&&{objects:before,settings:inForce,host:()=>({capabilities:capabilitiesOf(inForce,composition)})},
{objects:next,settings,host:()=>({capabilities:capabilitiesOf(settings,composition)})},problems.add),comparison=compareStates(
pairs),mode=settings.mode===""?agent?.mode??"<default>":settings.mode;return{document:{changed:!isEmptyComparison(comparison)||
agent!==void 0&&agent.mode!==mode,comparison,notes:problems.notes},mode,changes:[]}}async function planOnHost({request,agent,
inForce,before,settings,next,assigned,composition}){let backends=configured(composition,settings),{backend,families:servable,
notes}=await selectBackend(backends,agent,settings),families=agent?.families??servable,problems=new ProblemNotes(assigned),
changes=[],isSameMode=agent?.mode===backend.mode,previews=previewsOf(backend,families,settings),pairs;try{let hosts=new Map;
for(let[family,preview]of previews){let localAddresses=await preview.localAddresses();hosts.set(family,{localAddresses,includesLocalAddresses:preview.
followsLocalAddresses})}let host=capabilities=>family=>({...hosts.get(family),capabilities}),resolved=resolvePairs(families,
inForce&&before&&{objects:before,settings:inForce,host:host(capabilitiesOf(inForce,composition))},{objects:next,settings,
host:host(backend.capabilities??{})},problems.add);pairs=resolved;for(let pair of resolved){let found=await previews.get(
pair.family)?.changes(pair.after,isSameMode?pair.before:void 0);for(let change of found??[])changes.push(change)}}catch(error){
throw unreadable(backend,error)}finally{for(let preview of previews.values())await preview.close()}let takeover=isSameMode?
NO_TAKEOVER:await planTakeover(backends,backend,settings),isClean=before===void 0&&!takeover.ownFound,ofKubeProxy=[...takeover.
removals,...takeover.adopted].filter(({owner})=>owner==="kube-proxy"),comparison=before!==void 0||isClean?compareStates(
pairs):null,traffic=isClean?await compareTraffic(ofKubeProxy,backends,settings,pairs):null,count=action=>changes.filter(
change=>change.action===action).length;return{document:{changed:changes.length>0||takeover.removals.length>0||agent!==void 0&&
!isSameMode||before!==void 0&&comparison!==null&&!isEmptyComparison(comparison),comparison,rules:{mode:backend.mode,add:count(
"add"),remove:count("remove"),...request.rules?{changes}:{}},removals:takeover.removals,adopted:takeover.adopted,traffic,
notes:[...notes,...traffic===null?[]:[KUBE_PROXY_IS_INSTALLED],...takeover.notes,...problems.notes]},mode:backend.mode,changes}}
var KUBE_PROXY_IS_INSTALLED="Rules of kube-proxy are installed. Its Services are unknown, so all are listed as added; wh\
at its rules do with packets is compared.";async function compareTraffic(ofKubeProxy,backends,settings,pairs){let installed=backends.
filter(one=>ofKubeProxy.some(({mode})=>mode===one.mode)),backend=installed.find(one=>one.readPacketPath!==void 0);if(backend===
void 0)return null;let states=new Map(pairs.flatMap(({family,after})=>after===void 0?[]:[[family,after]])),{verdict:verdict2,
families}=await verifyNode({backend,states:()=>states,clock:systemClock,options:proxierOptionsOf(settings,"IPv4",backend.
capabilities)});return{modes:installed.map(({mode})=>mode),verdict:verdict2,families}}function previewsOf(backend,families,settings){
let previews=new Map;for(let family of families){let proxier=proxierOptionsOf(settings,family,backend.capabilities),preview=previewBackend(
backend,{family,proxier,logger:silentLogger});if(preview===void 0)throw new ProxierError("NO_PREVIEW",`mode ${backend.mode}\
 cannot show what it would write; use -f without --rules to compare objects`);previews.set(family,preview)}return previews}
var NO_TAKEOVER={removals:[],adopted:[],notes:[],ownFound:!0};async function planTakeover(backends,backend,{takeover}){let reading={},
own=await leftoversOf([backend],{owners:takeover?["backend","kube-proxy"]:["backend"],reading}),ownFound=own.removals.some(
({owner})=>owner==="backend");if(!takeover)return{...NO_TAKEOVER,notes:own.notes,ownFound};let inForce=backend.mode,{removals,
notes}=await leftoversOf(backends,{owners:["backend","kube-proxy"],inForce,reading}),removed=removals.find(({mode,owner})=>mode===
inForce&&owner==="kube-proxy")?.objects??[],isRemoved=location=>removed.some(object=>object.location===location),adopted=own.
removals.filter(({owner})=>owner==="kube-proxy").map(found=>({...found,objects:found.objects.filter(({location})=>!isRemoved(
location))})).filter(({objects})=>objects.length>0);return{removals,adopted,notes:[...new Set([...own.notes,...notes])],
ownFound}}async function leftoversOf(backends,options){let{found,unlisted,failures}=await findLeftovers(backends,{logger:silentLogger,
...options});if(failures.length>0){let reasons=[...new Set(failures.map(({mode,error})=>`${mode}: ${messageOf(error)}`))].
join("; ");throw new ProxierError("LEFTOVERS_UNKNOWN",`cannot list what would be removed (${reasons}); run it as root`,{
cause:failures[0]?.error})}return{removals:found,notes:unlisted.map(mode=>`What mode ${mode} has installed is unknown: i\
ts backend does not list it.`)}}async function selectBackend(backends,agent,settings){let running=agent&&backends.find(({
mode:mode2})=>mode2===agent.mode);if(agent&&running&&(settings.mode===""||settings.mode===agent.mode))return{backend:running,
families:agent.families,notes:[]};let selection=await selectProxyMode({requested:settings.mode,backends,fallback:settings.
fallback,logger:QUIET}),{backend,mode,requested,reason}=selection,hasIPv6=await thisHost.hasIPv6();return{backend,families:selection.
families.filter(family=>family==="IPv4"||hasIPv6),notes:reason===void 0?[]:[`Mode ${mode} would be used in place of ${requested}\
: ${reason}.`]}}var QUIET=silentLogger;function settingsOfAgent(agent,{commandLine,composition}){return settingsOf({...commandLine,
values:agent.values,errors:[]},composition.backends,void 0,[])}function withFlags(agent,{commandLine,composition}){let values=new Map(
[...agent.values,...commandLine.values]),settings=settingsOf({...commandLine,values},composition.backends,void 0,[]);return commandLine.
values.has("proxy-mode")?settings:{...settings,mode:agent.mode}}async function objectsToPlan(agent,settings,{commandLine,
settings:given,composition}){let{values}=commandLine;if(values.has("manifests")||agent===void 0&&given.manifests.length>
0){let{manifests}=given;return{objects:await readManifestObjects({...settings,manifests},composition),source:`the object\
s in ${manifests.join(", ")}`}}if((values.has("kubeconfig")||values.has("master")||agent===void 0)&&given.kubernetes!==void 0){
let{nodeName}=proxierOptionsOf(settings,"IPv4"),sources=await composition.sources({...settings,kubernetes:given.kubernetes,
manifests:[]},silentLogger);return{objects:await collectObjects(sources,nodeName),source:"the objects of the API server"}}
if(agent===void 0){let server=given.configFile===""?"--kubeconfig":"clientConnection.kubeconfig in the file of --config";
throw new ProxierError("NO_OBJECTS",`no agent answers on this node, so its objects are unknown; set --manifests or ${server}\
, or --metrics-bind-address as the agent has it`)}return{objects:agent.objects,source:"the objects of the agent"}}function readChangeFile(name,{
readStandardInput=()=>readFileSync(0,"utf8")}){try{return name==="-"?{name:"standard input",text:readStandardInput()}:{name,
text:readFileSync(name,"utf8")}}catch(error){throw new ProxierError("INVALID_CHANGE",`-f ${printable(name)}: cannot be r\
ead: ${messageOf(error)}`,{cause:error})}}function configured(composition,settings){return composition.configure?.(settings)??
composition.backends}function unreadable({mode},error){return new ProxierError("KERNEL_UNREADABLE",`cannot read what mod\
e ${mode} has installed: ${messageOf(error)}; run it as root on the node, or use -f without --rules to compare objects o\
nly`,{cause:error})}var ProblemNotes=class{assigned;#texts=new Set;constructor(assigned){this.assigned=assigned}add=problem=>{
let service=`${problem.namespace}/${problem.name}`;this.assigned.some(one=>one.service===service&&one.field===problem.field)||
this.#texts.add(`${formatObjectProblem(problem)}.`)};get notes(){return[...this.#texts]}};export{plan};
//# sourceMappingURL=chunk-VWQUF3RS.js.map
