import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{EMPTY_TABLE_DOCUMENT,HostConntrack,IPTABLES_SYNC_METRICS,IPVS_SCHEDULER_FLAGS,IpSetsNetlink,IptablesError,IptablesRule,
IpvsNetlink,IpvsStage,LibcMarkedSockets,LinksNetlink,NetlinkRefused,NftChoice,NftError,NftRefused,ProcSysctl,RuleSentinels,
SysctlError,canRun,createCommandRunner,createIptables,detectIptablesVariant,effectOf,expectedNftFingerprint,inNewNamespace,
ipSetEntryKey,iptablesDocumentChanges,isEmptyTableDocument,kernelFiles,kernelFilesOf,loadLibc,mergeTableDocuments,nftContainerSignature,
nftFields,parseSavedTable,plannedPathOf,probeIpvs,readNetfilterPath,removeChains,removedObjects,renderDocument,renderNftRule,
renderNftSetOrMap,supportsIPv6,targetOf,userChain,virtualServerKey,watchRules,whyNotPermitted}from"./chunk-C2RJUF7R.js";
import{AccumulatedCounts,COUNT_CONNECTIONS_ANNOTATION,COUNT_TRAFFIC_ANNOTATION,ContainerModule,EventLoopPace,LeftoversError,
OptionRules,PartlyAppliedError,ProxierError,ReconcilingProxier,SLOW_START_PARTS,StateMemo,Tokens,assertNever,checkBackendOptions,
cidrContains,countConnectionsProblem,countTrafficProblem,countsConnections,countsMeasurement,countsTraffic,createPreview,
diffStates,endpointsKeepingFlows,familyOf,finish,formatPorts,formatServicePortName,frontendKey,hasErrorKind,hostCIDR,isDrained,
isProxierError,joinHostPort,listDifference,messageOf,parseAddress,parseCIDR,pause,proportionalParts,readCountConnections,
readCountTraffic,resetsConnections,selectionSlots,selectionWeights,servicePortKey,silentLogger,structurallyEqual,systemClock}from"./chunk-4LHTYADA.js";var INTERFACE="kube-ipvs0",TYPES={ADDRESSES:"hash:ip",FRONTENDS:"hash:ip,port",MASQUERADE:"hash:ip,port","OFF-CLUSTER":"\
hash:ip,port",DROP:"hash:ip,port",RESETS:"hash:ip,port",GUARDED:"hash:ip,port",ALLOWED:"hash:ip,port,net",SHORTCUT:"hash\
:ip,port",HAIRPIN:"hash:ip,port,ip","HEALTH-CHECK":"hash:ip,port"},SET_ROLES=Object.keys(TYPES),MAX_ENTRIES=1048576;function setName(role,family){
return`${setPrefix(family)}${role}`}function setPrefix(family){return family==="IPv6"?"KUBE-IPVS6-":"KUBE-IPVS-"}function setDefinition(role,family){
return{name:setName(role,family),type:TYPES[role],family,maxEntries:MAX_ENTRIES,marks:role==="SHORTCUT"}}var CHAINS={services:"\
KUBE-IPVS-SERVICES",ranges:"KUBE-IPVS-RANGES",shortcut:"KUBE-IPVS-SHORTCUT",postrouting:"KUBE-IPVS-POSTROUTING",input:"K\
UBE-IPVS-INPUT",forward:"KUBE-IPVS-FORWARD"},KUBE_PROXY_SETS=["LOOP-BACK","CLUSTER-IP","EXTERNAL-IP","EXTERNAL-IP-LOCAL",
"LOAD-BALANCER","LOAD-BALANCER-LOCAL","LOAD-BALANCER-FW","LOAD-BALANCER-SOURCE-IP","LOAD-BALANCER-SOURCE-CIDR","NODE-POR\
T-TCP","NODE-PORT-UDP","NODE-PORT-LOCAL-TCP","NODE-PORT-LOCAL-UDP","NODE-PORT-SCTP-HASH","NODE-PORT-LOCAL-SCTP-HASH","HE\
ALTH-CHECK-NODE-PORT","IPVS-IPS"];function kubeProxySets(family){return KUBE_PROXY_SETS.map(name=>`${family==="IPv6"?"KU\
BE-6-":"KUBE-"}${name}`.slice(0,31))}var KUBE_PROXY_CHAINS={nat:["KUBE-LOAD-BALANCER","KUBE-NODE-PORT"],filter:["KUBE-NO\
DE-PORT","KUBE-SOURCE-RANGES-FIREWALL","KUBE-IPVS-FILTER","KUBE-IPVS-OUT-FILTER"]},MARK_BITS=22,MARK_BEGINNING=363,RANGE_BEGINNINGS={
kept:360,masqueraded:361,dropped:362},COMMON_BITS=508,MARK_NUMBERS=2**MARK_BITS,MarkLayout=class{masqueradeBit;value;mask;ranges;masqueradedRanges;dropMark;constructor(masqueradeBit){
this.masqueradeBit=masqueradeBit,this.value=this.#spread(MARK_BEGINNING*MARK_NUMBERS),this.mask=this.#spread(511*MARK_NUMBERS);
let{kept,masqueraded,dropped}=RANGE_BEGINNINGS;this.ranges={value:this.#spread(kept*MARK_NUMBERS),mask:this.#spread(510*
MARK_NUMBERS)},this.masqueradedRanges={value:this.#spread(masqueraded*MARK_NUMBERS),mask:this.mask},this.dropMark=this.#spread(
dropped*MARK_NUMBERS)}mark(number){return(this.value|this.#spread(number))>>>0}isOurs(mark){let common=this.#spread(COMMON_BITS*
MARK_NUMBERS);return(mark&common)>>>0===(this.value&common)>>>0}rangeMark(number,isMasqueraded){let{value}=isMasqueraded?
this.masqueradedRanges:this.ranges;return(value|this.#spread(number))>>>0}#spread(bits){let low=2**this.masqueradeBit;return Math.
floor(bits/low)*low*2+bits%low}};function refusedServers(commands,results){return refusals(commands,results,command=>{switch(command.do){case"add-virtual":case"\
set-virtual":return`virtual server ${virtualServerKey(command.virtual.at)}`;case"delete-virtual":return`virtual server ${virtualServerKey(
command.at)}`;case"add-real":case"set-real":{let{address,port}=command.real;return`real server ${address} port ${port} o\
f ${virtualServerKey(command.at)}`}case"delete-real":return`real server ${command.address} port ${command.port} of ${virtualServerKey(
command.at)}`}})}function refusedSets(commands,results){return refusals(commands,results,command=>{switch(command.do){case"\
create-set":return`set ${command.set.name}`;case"destroy-set":case"flush-set":return`set ${command.name}`;case"add-entry":case"\
delete-entry":return`entry ${ipSetEntryKey(command.entry)} of set ${command.set}`}})}function refusedAddresses(commands,results){
return refusals(commands,results,({address})=>`address ${address} of ${INTERFACE}`)}function reasonsOf(refused){return new Map(
refused.map(({object,error})=>[object,error.message]))}function isMissing({errnoName}){return errnoName==="ENOENT"||errnoName===
"ESRCH"}function refusals(commands,results,objectOf){return commands.flatMap((command,index)=>{let error=results[index];
return error===void 0?[]:[{object:objectOf(command),error}]})}async function setAddresses({family,host:host2,virtualInterface,draining},add2,unneeded){let link=virtualInterface.index??
await virtualInterface.create();draining.keepAddresses(add2);let remove=draining.removable(unneeded),commands=[...add2.map(
address=>({do:"add-address",link,address})),...remove.map(address=>({do:"delete-address",link,address}))],results=(await host2.
links.execute(commands)).map((result,index)=>result?.errnoName===(index<add2.length?"EEXIST":"EADDRNOTAVAIL")?void 0:result),
set=setName("ADDRESSES",family),entries=remove.map(address=>({do:"delete-entry",set,entry:{address}}));return[...refusedAddresses(
commands,results),...refusedSets(entries,await host2.sets.execute(entries))]}async function detach(target,{addresses,entries}){
let set=setName("FRONTENDS",target.family),commands=entries.map(entry2=>({do:"delete-entry",set,entry:entry2}));return[...addresses.
length===0?[]:await setAddresses(target,[],addresses),...commands.length===0?[]:refusedSets(commands,await target.host.sets.
execute(commands))]}async function writeServers({ipvs,expected,draining},commands){expected.deleting(commands.flatMap(command=>command.do===
"delete-virtual"?command.at:[]));let results=await ipvs.execute(commands);draining.keep(commands),expected.executed(commands,
results);let again=[],refused=commands.map((command,index)=>{let result=results[index],other=result&&alternative(command,
result.errnoName);other!==void 0&&again.push(other);let isGone2=result!==void 0&&command.do.startsWith("delete")&&isMissing(
result);return other!==void 0||isGone2?void 0:result}),second=again.length===0?[]:await ipvs.execute(again);return[...refusedServers(
commands,refused),...refusedServers(again,second)]}function alternative(command,errnoName){if(errnoName==="EEXIST"&&command.
do==="add-virtual")return{...command,do:"set-virtual"};if(errnoName==="EEXIST"&&command.do==="add-real")return{...command,
do:"set-real"};if(errnoName==="ENOENT"&&command.do==="set-real")return{...command,do:"add-real"}}async function drainServers({
ipvs,draining},servers){let commands=servers.map(({at,address,port,drains})=>drains?{do:"set-real",at,real:{address,port,
weight:0}}:{do:"delete-real",at,address,port}),results=await ipvs.execute(commands);return draining.add(servers.filter(({
drains},index)=>drains&&results[index]===void 0)),refusedServers(commands,results).filter(({error})=>!isMissing(error))}async function applyTransaction({steps},target){let refused=[];for(let step of steps)refused.push(...await applyStep(step,
target));if(refused.length>0)throw new PartlyAppliedError("IPVS_PARTLY_APPLIED",reasonsOf(refused),{cause:refused[0]?.error})}
async function applyStep(step,target){switch(step.to){case"settings":return await target.settings.write(),await target.timeouts.
write(),[];case"interface":return await target.virtualInterface.create(),[];case"rules":return await(await target.iptables()).
restore(renderDocument(step.document)),target.onRulesWritten(),[];case"sets":{let results=await target.host.sets.execute(
step.commands);return refusedSets(step.commands,target.referencedSets.executed(step.commands,results))}case"ipvs":return await writeServers(
target,step.commands);case"addresses":return await setAddresses(target,step.add,step.remove);case"draining":return await drainServers(
target,step.servers);case"retirement":return target.expected.deleting(step.servers),await target.draining.retire(step);default:
return assertNever(step)}}var RULE_TABLES=["mangle","nat","filter"],JUMPS={mangle:[jump("PREROUTING",CHAINS.services,"kubernetes service portals"),
jump("OUTPUT",CHAINS.services,"kubernetes service portals")],nat:[jump("POSTROUTING",CHAINS.postrouting,"kubernetes post\
routing rules")],filter:[jump("INPUT",CHAINS.input,"kubernetes ipvs access filter"),jump("FORWARD",CHAINS.forward,"kuber\
netes forwarding rules")]};function jump(from,chain,comment){return{from,rule:new IptablesRule({comment,target:{target:"\
jump",chain}})}}var PROTOCOLS=["tcp","udp","sctp"],NEW={match:"conntrack",states:["NEW"]},FROM_HERE={match:"addrtype",side:"\
src",type:"LOCAL"},NOT_TO_HERE={match:"addrtype",side:"dst",type:"LOCAL",not:!0};function fixedChains(context){return{mangle:new Map(
[[CHAINS.services,services(context)],[CHAINS.ranges,context.ranges?.marking??[]],[CHAINS.shortcut,[shortcut(context)]]]),
nat:new Map([[CHAINS.postrouting,postrouting(context)],[CHAINS.shortcut,afterShortcut(context)]]),filter:new Map([[CHAINS.
input,input(context)],[CHAINS.forward,forward()]])}}function services(context){let{node}=context,{detector}=node,toFrontendIn=role=>inSet(
context,role,"dst","dst"),shortcut2={target:"goto",chain:CHAINS.shortcut},drop={target:"DROP"};return[rule({matches:[{...NEW,
not:!0}],target:{target:"RETURN"}}),rule({matches:[toFrontendIn("GUARDED"),{...inSet(context,"ALLOWED","dst","dst","src"),
not:!0}],target:drop}),...context.ranges?.marking.length?[rule({target:{target:"jump",chain:CHAINS.ranges}})]:[],...detector.
kind==="none"?[]:[rule({...fromPods(detector),matches:[toFrontendIn("SHORTCUT")],target:shortcut2})],rule({matches:[FROM_HERE,
toFrontendIn("SHORTCUT")],target:shortcut2}),rule({protocol:"tcp",matches:[{match:"no-syn"},toFrontendIn("RESETS")],target:{
target:"RETURN"}}),rule({matches:[toFrontendIn("DROP")],target:drop}),...node.serviceCIDRs.flatMap(value=>PROTOCOLS.map(
protocol=>rule({destination:{value},protocol,matches:[{...inSet(context,"ADDRESSES","dst"),not:!0},NOT_TO_HERE],target:drop}))),
rule({matches:[toFrontendIn("MASQUERADE")],target:setBit(context)}),rule({...detector.kind==="none"?{}:fromPods(detector,
!0),matches:[toFrontendIn("OFF-CLUSTER")],target:setBit(context)}),rule({matches:[inSet(context,"ADDRESSES","src"),toFrontendIn(
"FRONTENDS")],target:setBit(context)})]}function shortcut(context){return rule({target:{target:"SET",markFrom:setName("S\
HORTCUT",context.family),sides:["dst","dst"]}})}function postrouting(context){let{masqueradeBit,marks,randomFully,ranges}=context,
bit=1<<masqueradeBit>>>0,masquerade={target:"MASQUERADE",randomFully};return[rule({matches:[{match:"mark",value:marks.value,
mask:marks.mask}],target:{target:"jump",chain:CHAINS.shortcut}}),...ranges?.marking.length?[rule({matches:[{match:"mark",
...marks.masqueradedRanges}],target:{target:"MARK",value:bit,mask:4294967295}}),rule({matches:[{match:"mark",...marks.ranges}],
target:{target:"MARK",value:0,mask:4294967295}})]:[],rule({matches:[inSet(context,"HAIRPIN","dst","dst","src")],target:masquerade}),
...(ranges?.hairpins??[]).map(address=>{let host2={value:hostCIDR(address)};return rule({source:host2,destination:host2,
target:masquerade})}),rule({matches:[{match:"mark",value:bit,mask:bit,not:!0}],target:{target:"RETURN"}}),rule({target:{
target:"MARK",value:bit,mask:0}}),rule({target:masquerade})]}function afterShortcut(context){let{detector}=context.node;
return[rule({target:{target:"MARK",value:0,mask:4294967295}}),...detector.kind==="source-cidr"?[rule({source:{value:detector.
cidr},target:{target:"RETURN"}})]:[],rule({matches:[FROM_HERE],target:setBit(context)})]}function input(context){let reject2=context.
family==="IPv6"?"icmp6-port-unreachable":"icmp-port-unreachable";return[rule({protocol:"tcp",matches:[inSet(context,"HEA\
LTH-CHECK","dst","dst")],target:{target:"ACCEPT"}}),...context.ranges?.marking.length?[rule({matches:[{match:"mark",...context.
marks.ranges}],target:{target:"RETURN"}})]:[],...PROTOCOLS.map(protocol=>rule({protocol,matches:[NEW,inSet(context,"ADDR\
ESSES","dst"),{...inSet(context,"FRONTENDS","dst","dst"),not:!0}],target:{target:"REJECT",with:reject2}}))]}function forward(){
return[rule({matches:[{match:"conntrack",states:["RELATED","ESTABLISHED"]}],target:{target:"ACCEPT"}})]}function setBit({
masqueradeBit}){let bit=1<<masqueradeBit>>>0;return{target:"MARK",value:bit,mask:bit}}function inSet({family},role,...sides){
return{match:"set",set:setName(role,family),sides}}function fromPods(detector,not=!1){let is=value=>not?{value,not}:{value};
switch(detector.kind){case"source-cidr":return{source:is(detector.cidr)};case"interface":return{inInterface:is(detector.
name)};case"interface-prefix":return{inInterface:is(`${detector.prefix}+`)};case"none":return{}}}function rule(parts){return new IptablesRule(
parts)}function rangeRules(frontend,context){let{family,detector,marks,numberOf}=context,{address="",port,lastPort=port,routes,
allowedSources}=frontend,protocol=frontend.protocol.toLowerCase(),given=new Map,rules=[],add2=(target,parts={})=>{let matches=[
{match:"port",protocol,first:port,last:lastPort},...parts.matches??[]];rules.push(new IptablesRule({...parts,destination:{
value:hostCIDR(address)},protocol,matches,target}))},setTo=value=>({target:"MARK",value,mask:4294967295}),isMarked=value=>({
match:"mark",value,mask:4294967295}),dropped=marks.dropMark;if(allowedSources!==void 0){add2(setTo(dropped));for(let value of allowedSources)
add2(setTo(0),{source:{value}});add2({target:"DROP"},{matches:[isMarked(dropped)]})}let give=(route,isMasqueraded,parts)=>{
if(route.action==="drop"){add2(setTo(dropped),parts);return}let list=route.action==="forward"?route.endpoints:"none",mark=marks.
rangeMark(numberOf(list==="local"?"local":"cluster"),isMasqueraded);given.set(mark,list),add2(setTo(mark),parts)};for(let route of[
...routes].reverse()){let pods=detector.kind==="none"?void 0:fromPods(detector);if(route.source==="pod"&&pods===void 0)continue;
let from=route.source==="any"?{}:route.source==="node"?{matches:[FROM_HERE]}:pods??{},masquerade=route.action==="forward"?
route.masquerade:"never";give(route,masquerade==="always"||masquerade==="off-cluster"&&route.source!=="pod",from),masquerade===
"off-cluster"&&route.source!=="pod"&&pods!==void 0&&give(route,!1,{...pods,...from.matches?{matches:from.matches}:{}}),route.
source==="any"&&route.action==="forward"&&masquerade!=="always"&&give(route,!0,{matches:[{match:"set",set:setName("ADDRE\
SSES",family),sides:["src"]}]})}return routes.some(({action})=>action==="drop")&&add2({target:"DROP"},{matches:[isMarked(
dropped)]}),{rules,marks:given}}var SCHEDULERS={rr:"round robin",wrr:"weighted round robin",lc:"least connections",wlc:"weighted least connections",dh:"\
destination hashing",sh:"source hashing",sed:"shortest expected delay",nq:"never queue",lblc:"locality-based least conne\
ctions",lblcr:"locality-based least connections with replication",mh:"Maglev hashing of client address and port",fo:"fai\
lover: the first endpoint that is there",ovf:"overflow: the first endpoint that has not its number of connections yet"},
SCHEDULER_NAMES=Object.keys(SCHEDULERS),DEFAULT_SCHEDULER="rr";function isScheduler(name){return Object.hasOwn(SCHEDULERS,
name)}function schedulerFlags(scheduler){return scheduler==="mh"?IPVS_SCHEDULER_FLAGS.sourcePort:0}function weightFor(scheduler,weight){
return weight??(scheduler==="ovf"?MAX_WEIGHT:1)}function weightedScheduler(scheduler){return scheduler==="rr"?"wrr":scheduler===
"lc"?"wlc":scheduler}var MAX_WEIGHT=65535;var SCHEDULER_ANNOTATION="kube-proxier.io/ipvs-scheduler",WEIGHT_ANNOTATION="kube-proxier.io/ipvs-weight";function readScheduler({
annotations,name},usual,available){let problems=[],service=formatServicePortName(name),requested=annotations[SCHEDULER_ANNOTATION]?.
trim(),scheduler=usual;if(requested!==void 0&&requested!=="")if(isScheduler(requested))available!==void 0&&!available.has(
requested)?problems.push(`${SCHEDULER_ANNOTATION} of ${service} is ${requested}, which this kernel lacks (module ip_vs_${requested}\
); ${usual} is used instead`):scheduler=requested;else{let all=SCHEDULER_NAMES.join(", ");problems.push(`${SCHEDULER_ANNOTATION}\
 of ${service} must be one of ${all}; ${usual} is used instead`)}let withWeights=weightedScheduler(scheduler),weighted=available===
void 0||available.has(withWeights)?withWeights:scheduler,text=annotations[WEIGHT_ANNOTATION]?.trim(),weight;return text!==
void 0&&text!==""&&(/^[1-9]\d{0,4}$/.test(text)&&Number(text)<=MAX_WEIGHT?weight=Number(text):problems.push(`${WEIGHT_ANNOTATION}\
 of ${service} must be a number from 1 to ${MAX_WEIGHT}; it is ignored`)),{choice:{name:scheduler,weighted,schedulerFlags:schedulerFlags(
scheduler),weight:weightFor(scheduler,weight)},problems}}function*schedulerProblems(ports,usual,available){let found=[];
for(let port of ports){yield;let{choice,problems}=readScheduler(port.servicePort,usual,available);found.push(...problems);
let lost=weightedScheduler(choice.name);hasUnequalWeights(port)&&choice.weighted!==lost&&found.push(`Weights of the endp\
oints of ${formatServicePortName(port.name)} need the scheduler ${lost}, which this kernel lacks (module ip_vs_${lost});\
 ${choice.name} ignores them`)}return found}function hasUnequalWeights({cluster,local,servicePort}){return servicePort.slowStartSeconds!==
void 0||selectionWeights(cluster)!==void 0||selectionWeights(local)!==void 0}function needsMark(port){return port.frontends.some(({routes})=>shortcutOf(routes)!==void 0)}function shortcutOf(routes){
return routes.slice(0,-1).find(route=>route.action==="forward")}function finishing(port){return endpointsKeepingFlows(port).
filter(endpoint=>endpoint.serving&&(endpoint.terminating||isDrained(endpoint)))}function itemsOf(port,context){return new ItemList(
port,context).build()}function healthCheckItems(check,addresses){return addresses.nodePorts.map(address=>entry("HEALTH-C\
HECK",{address,port:check.port,protocol:"TCP"}))}function entry(role,content){return{kind:"entry",key:entryItemKey(role,
content),role,entry:content}}function entryItemKey(role,content){return`entry ${role} ${ipSetEntryKey(content)}`}function virtualItemKey(at){
return`virtual ${virtualServerKey(at)}`}function realItemKey(at,{address,port}){return`real ${virtualServerKey(at)} ${address}\
:${port}`}function addressItemKey(address){return`address ${address}`}var ItemList=class{port;context;#items=[];#isWeighted;#rangeMarks=new Set;constructor(port,context){
this.port=port,this.context=context,this.#isWeighted=hasUnequalWeights(port)}build(){let shortcut2;for(let frontend of this.
port.frontends){if(frontend.lastPort!==void 0){this.#range(frontend);continue}let{address:own,exceptAddresses=[]}=frontend,
addresses=own===void 0?this.context.addresses.nodePorts:[own];for(let address of addresses.filter(one=>!exceptAddresses.
includes(one)))this.#frontend(frontend,address);shortcut2??=shortcutOf(frontend.routes)}shortcut2!==void 0&&this.#virtual(
{kind:"mark",family:this.context.family,mark:this.#mark()},this.port[shortcut2.endpoints]);for(let{isLocal:isLocal2,address,
port}of new Set([...this.port.cluster,...this.port.local]))isLocal2&&this.#entry("HAIRPIN",{address,port,protocol:this.port.
name.protocol,second:address});return this.#items}#range(frontend){let{family,detector,marks,rangeNumber}=this.context,{
address=""}=frontend,{rules,marks:given}=rangeRules(frontend,{family,detector,marks,numberOf:rangeNumber});this.#items.push(
{kind:"range",key:`range ${frontend.key}`,rules});for(let[mark,list]of given)this.#rangeMarks.has(mark)||(this.#rangeMarks.
add(mark),this.#virtual({kind:"mark",family,mark},list==="none"?[]:this.port[list],!0));for(let endpoint of new Set([...this.
port.cluster,...this.port.local]))if(endpoint.isLocal){let key=`range-hairpin ${endpoint.address}`;this.#items.push({kind:"\
range-hairpin",key,address:endpoint.address})}this.context.addresses.others.has(address)||(this.#entry("ADDRESSES",{address}),
this.#items.push({kind:"address",key:addressItemKey(address),address}))}#frontend(frontend,address){let{protocol,port,routes,
allowedSources}=frontend,last=routes.at(-1),where={address,port,protocol};if(this.#virtual({kind:"address",family:this.context.
family,...where},last.action==="forward"?this.port[last.endpoints]:[]),this.#entry("FRONTENDS",where),last.action==="dro\
p"?(this.#entry("DROP",where),resetsConnections(this.port)&&this.#entry("RESETS",where)):last.action==="forward"&&last.masquerade!==
"never"&&this.#entry(last.masquerade==="always"?"MASQUERADE":"OFF-CLUSTER",where),shortcutOf(routes)!==void 0&&this.#entry(
"SHORTCUT",{...where,mark:this.#mark()}),allowedSources!==void 0){this.#entry("GUARDED",where);for(let network of allowedSources)
this.#entry("ALLOWED",{...where,network})}frontend.kind==="NodePort"||this.context.addresses.others.has(address)||(this.#entry(
"ADDRESSES",{address}),this.#items.push({kind:"address",key:addressItemKey(address),address}))}#virtual(at,endpoints,keepsPort=!1){
let{name,weighted,schedulerFlags:schedulerFlags2,weight}=this.context.scheduler,weights=selectionWeights(endpoints),persistence=this.
port.affinitySeconds,virtual={at,scheduler:this.#isWeighted?weighted:name,schedulerFlags:schedulerFlags2,persistence};this.#items.
push({kind:"virtual",key:virtualItemKey(at),virtual});let drains=this.port.name.protocol!=="UDP";for(let[index,endpoint]of endpoints.
entries()){let{address}=endpoint,port=keepsPort?0:endpoint.port,real={address,port,weight:weights?.[index]??weight};this.#items.
push({kind:"real",key:realItemKey(at,real),at,real,drains})}for(let{key,address,port}of drains?[]:finishing(this.port))if(!endpoints.
some(endpoint=>endpoint.key===key)){let real={address,port:keepsPort?0:port,weight:0};this.#items.push({kind:"real",key:realItemKey(
at,real),at,real,drains})}}#entry(role,content){this.#items.push(entry(role,content))}#mark(){return this.context.marks.
mark(this.context.markNumber)}};var AFTER_IPVS=new Set(["SHORTCUT"]),SHUTS_OUT=new Set(["GUARDED","DROP","ADDRESSES"]);function stepsOf(changes,family,others){
let early=[],shut=[],late=[],last=[],virtuals=[],reals=[],gone=[],draining=[],add2=[],remove=[],entries=[],leaving=[],deleted=new Set,
retired=new Set;for(let{before,after}of changes)before?.kind==="virtual"&&after===void 0&&deleted.add(before.key);for(let{
before,after}of changes)before?.kind==="real"&&after===void 0&&before.drains&&deleted.has(virtualItemKey(before.at))&&retired.
add(virtualItemKey(before.at));let servers=[];for(let{before,after}of changes){let item=after??before;switch(item?.kind){case"\
virtual":after===void 0&&retired.has(item.key)?servers.push(item.virtual.at):after===void 0?gone.push({do:"delete-virtua\
l",at:item.virtual.at}):virtuals.push({do:before===void 0?"add-virtual":"set-virtual",virtual:item.virtual});break;case"\
real":if(after!==void 0)reals.push({do:before===void 0?"add-real":"set-real",at:item.at,real:item.real});else{let{at,real,
drains}=item;(deleted.has(virtualItemKey(at))?leaving:draining).push({at,address:real.address,port:real.port,drains})}break;case"\
entry":{let set=setName(item.role,family);after!==void 0?(AFTER_IPVS.has(item.role)?late:SHUTS_OUT.has(item.role)?shut:early).
push({do:"add-entry",set,entry:item.entry}):item.role==="FRONTENDS"&&retired.has(frontendItemKey(item.entry)??"")?entries.
push(item.entry):last.push({do:"delete-entry",set,entry:item.entry});break}case"address":(after===void 0?remove:add2).push(
item.address);break;case"range":case"range-hairpin":case void 0:break;default:assertNever(item)}}let weightless=leaving.
filter(({at})=>retired.has(virtualItemKey(at))),removed=new Set(remove.filter(address=>!others.has(address))),unneeded=last.
filter(command=>!("entry"in command&&command.set===setName("ADDRESSES",family)&&removed.has(command.entry.address)));return[
{to:"sets",commands:[...early,...shut]},{to:"ipvs",commands:[...virtuals,...reals]},{to:"sets",commands:late},{to:"addre\
sses",add:add2,remove:servers.length>0?[]:remove},{to:"draining",servers:draining},{to:"ipvs",commands:gone},{to:"sets",
commands:unneeded},{to:"retirement",servers,reals:weightless,addresses:remove,entries}].filter(step=>!isEmptyStep(step))}
function isEmptyStep(step){switch(step.to){case"sets":case"ipvs":return step.commands.length===0;case"addresses":return step.
add.length+step.remove.length===0;case"draining":case"retirement":return step.servers.length===0;case"settings":case"int\
erface":case"rules":return!1;default:return assertNever(step)}}function frontendItemKey({address,port,protocol}){let family=familyOf(
address);return family===void 0||port===void 0||protocol===void 0?void 0:virtualItemKey({kind:"address",family,protocol,
address,port})}function drainingKey({at,address,port}){return realItemKey(at,{address,port})}var DRAIN_INTERVAL=5e3,LOST_AFTER=2*1e3,Draining=class{options;#servers=new Map;#lostSince=new Map;#retiring=new Map;#timer;#looking=!1;constructor(options){
this.options=options}get size(){return this.#servers.size}add(servers){for(let server of servers)this.#servers.set(drainingKey(
server),server);servers.length>0&&this.#lookIn(0)}keep(commands){for(let command of this.#servers.size+this.#retiring.size===
0?[]:commands)command.do==="add-virtual"?this.#takeBack(virtualItemKey(command.virtual.at)):(command.do==="add-real"||command.
do==="set-real")&&this.#forget(drainingKey({at:command.at,...command.real}))}#forget(key){this.#servers.delete(key),this.#lostSince.
delete(key)}#isLost(key,server){let{isLost,lostAfter=LOST_AFTER,clock}=this.options;if(isLost?.(server)!==!0)return this.#lostSince.
delete(key),!1;let now=clock.monotonic(),since=this.#lostSince.get(key)??now;return this.#lostSince.set(key,since),now-since>=
lostAfter}#takeBack(key){let{reals=[]}=this.#retiring.get(key)??{};this.#retiring.delete(key);for(let server of reals)this.#servers.
set(drainingKey(server),server);reals.length>0&&this.#timer===void 0&&this.#lookIn(DRAIN_INTERVAL)}keepAddresses(addresses){
for(let{addresses:held}of this.#retiring.values())for(let address of addresses)held.delete(address)}removable(addresses){
return addresses.filter(address=>{let users=[...this.#retiring.values()].filter(retiring=>mayUse(retiring,address));for(let{
addresses:held}of users)held.add(address);return users.length===0})}async retire({servers,reals,addresses,entries}){let{
ipvs,detach:detach2}=this.options,weights=reals.map(({at,address,port})=>({do:"set-real",at,real:{address,port,weight:0}})),
refusedWeights=refusedServers(weights,await ipvs.execute(weights)),byKey=new Map(entries.map(entry2=>[frontendKey2(entry2),
entry2])),idle=[];for(let at of servers){let key=virtualItemKey(at);if(await this.#hasConnections(at)){let own=reals.filter(
real=>virtualItemKey(real.at)===key);this.#retiring.set(key,{at,reals:own,addresses:new Set,entry:byKey.get(key)}),byKey.
delete(key)}else idle.push(at)}let deletions=idle.map(at=>({do:"delete-virtual",at})),refused=[...refusedWeights,...await detach2(
{addresses:this.removable(addresses),entries:[]}),...refusedServers(deletions,await ipvs.execute(deletions)),...await detach2(
{addresses:[],entries:[...byKey.values()]})];return this.#retiring.size>0&&this.#lookIn(DRAIN_INTERVAL),refused.filter(({
error})=>!isMissing(error))}async#hasConnections(at){return(await this.options.ipvs.realServers(at)).some(({activeConnections})=>activeConnections>
0)}stop(){this.#timer?.cancel(),this.#timer=void 0,this.#servers.clear(),this.#lostSince.clear(),this.#retiring.clear()}#lookIn(milliseconds){
this.#timer?.cancel(),this.#timer=this.options.clock.setTimer(milliseconds,()=>{this.#timer=void 0,this.#looking||(this.#looking=
!0,this.options.inTurn(()=>this.look()).catch(error=>this.options.onFailure(messageOf(error))).finally(()=>{if(this.#looking=
!1,this.#servers.size+this.#retiring.size>0&&this.#timer===void 0){let{lostAfter=LOST_AFTER}=this.options;this.#lookIn(this.#lostSince.
size>0?Math.min(lostAfter,DRAIN_INTERVAL):DRAIN_INTERVAL)}}))})}async look(){let{ipvs}=this.options,byVirtual=new Map;for(let server of this.#servers.
values()){let key=virtualServerKey(server.at);byVirtual.set(key,[...byVirtual.get(key)??[],server])}for(let servers of byVirtual.
values()){let[{at}]=servers,found=new Map((await ipvs.realServers(at)).map(real=>[`${real.address}:${real.port}`,real])),
idle=[];for(let server of servers){let real=found.get(`${server.address}:${server.port}`);real===void 0||real.weight!==0?
this.#forget(drainingKey(server)):(!server.drains||this.#isLost(drainingKey(server),server)||real.activeConnections+real.
inactiveConnections===0)&&idle.push(server)}let results=await ipvs.execute(idle.map(({address,port})=>({do:"delete-real",
at,address,port})));for(let[index,server]of idle.entries()){let result=results[index];(result===void 0||isMissing(result))&&
this.#forget(drainingKey(server))}}for(let[key,retiring]of this.#retiring)await this.#hasConnections(retiring.at)||(this.#retiring.
delete(key),await this.#remove(retiring))}async#remove({at,addresses,entry:entry2}){let{ipvs,detach:detach2}=this.options;
await detach2({addresses:this.removable([...addresses]),entries:[]}),await ipvs.execute([{do:"delete-virtual",at}]),await detach2(
{addresses:[],entries:entry2===void 0?[]:[entry2]})}};function mayUse({at},address){return at.kind==="mark"||at.address===
address}function frontendKey2(entry2){return frontendItemKey(entry2)??""}var ExpectedServers=class{#servers=new Map;get sentinel(){return this.#servers.values().next().value}deleting(servers){for(let at of servers)
this.#servers.delete(virtualServerKey(at))}executed(commands,results){for(let[index,command]of commands.entries()){let result=results[index];
command.do==="add-virtual"&&(result===void 0||result.errnoName==="EEXIST")&&this.#servers.set(virtualServerKey(command.virtual.
at),command.virtual.at)}}found(servers){this.#servers.clear();for(let{virtual,reals}of servers)(reals.length===0||reals.
some(({weight})=>weight>0))&&this.#servers.set(virtualServerKey(virtual.at),virtual.at)}clear(){this.#servers.clear()}};var SETTINGS=[{name:"net/ipv4/vs/conntrack",value:1,needed:!0,purpose:"answers of endpoints find their way back"},{name:"\
net/ipv4/vs/expire_nodest_conn",value:1,needed:!1,purpose:"flows to endpoints that are gone are sent elsewhere"},{name:"\
net/ipv4/vs/expire_quiescent_template",value:1,needed:!1,purpose:"clients leave endpoints that are on their way out"},{name:"\
net/ipv4/ip_forward",value:1,needed:!1,purpose:"packets reach endpoints on other hosts"}],STRICT_ARP=[{name:"net/ipv4/co\
nf/all/arp_ignore",value:1,needed:!1,purpose:"virtual addresses are not answered for"},{name:"net/ipv4/conf/all/arp_anno\
unce",value:2,needed:!1,purpose:"virtual addresses are not announced"}],WITHOUT_REUSE={name:"net/ipv4/vs/conn_reuse_mode",
value:0,needed:!1,purpose:"clients that reuse a port are not delayed by one second"};function waitsForReuse(release2){let[
,major=0,minor=0]=/^(\d+)\.(\d+)/.exec(release2??"")?.map(Number)??[];return major===4&&minor>=1||major===5&&minor<9}async function trySettings(sysctl){
for(let{name,value}of SETTINGS.filter(({needed})=>needed)){let before=await sysctl.read(name);await sysctl.write(name,value)&&
await sysctl.write(name,before)}}var HostSettings=class{sysctl;logger;#settings;#given=new Set;constructor(sysctl,logger,strictARP){
this.sysctl=sysctl,this.logger=logger,this.#settings=strictARP?[...SETTINGS,...STRICT_ARP]:SETTINGS}async areRight(){for(let{
name,value}of await this.#wanted())if(!this.#given.has(name)&&await this.#read(name)!==String(value))return!1;return!0}async write(){
for(let{name,value,needed,purpose}of await this.#wanted())try{await this.sysctl.write(name,value)&&this.logger.info(`Set\
 ${name}=${value}, so that ${purpose}`)}catch(error){if(needed||!(error instanceof SysctlError))throw error;this.#given.
add(name),this.logger.warn(`${error.message}; without it, it cannot be said that ${purpose}`)}}async#wanted(){return waitsForReuse(
await this.#read("kernel/osrelease"))?[...this.#settings,WITHOUT_REUSE]:this.#settings}async#read(name){try{return await this.
sysctl.read(name)}catch(error){if(error instanceof SysctlError)return;throw error}}};var NAMES=["tcp","tcpFin","udp"],TimeoutSettings=class{ipvs;timeouts;warn;#areRefused=!1;constructor(ipvs,timeouts,warn){
this.ipvs=ipvs,this.timeouts=timeouts,this.warn=warn}async write(){let{timeouts}=this;if(!(timeouts===void 0||this.#areRefused||
NAMES.every(name=>timeouts[name]===0)))try{await this.ipvs.setTimeouts(timeouts)}catch(error){if(!(error instanceof NetlinkRefused))
throw error;this.#areRefused=!0,this.warn(`The IPVS timeouts are unchanged; choose shorter ones: ${messageOf(error)}`)}}async areSet(){
let{timeouts}=this,found=await this.ipvs.timeouts();return this.#areRefused||timeouts===void 0||NAMES.every(name=>[0,found[name]].
includes(timeouts[name]))}};var LostServers=class{virtualServersOf;#state;#ports;#hadEndpoints=new Set;constructor(virtualServersOf){this.virtualServersOf=
virtualServersOf}advance(state,{resolvedServicePorts}){this.#state=state,this.#ports=void 0;for(let[key,{current}]of resolvedServicePorts)
current===void 0||!resetsConnections(current)?this.#hadEndpoints.delete(key):current.candidates.length>0&&this.#hadEndpoints.
add(key)}has({at,address,port:number}){let port=this.#byVirtualServer().get(virtualServerKey(at)),endpoint=joinHostPort(
address,number),isThere=one=>number===0?one.address===address:one.key===endpoint;return port!==void 0&&this.#hadEndpoints.
has(port.key)&&!port.candidates.some(isThere)}#byVirtualServer(){let state=this.#state;if(this.#ports===void 0){let ports=new Map;
for(let key of this.#hadEndpoints){let port=state?.servicePorts.get(key);for(let at of port===void 0||state===void 0?[]:
this.virtualServersOf(state,port))ports.set(virtualServerKey(at),port)}this.#ports=ports}return this.#ports}};var ReferencedSets=class{warn;#names=new Set;#kubeProxySets;constructor(family,warn){this.warn=warn,this.#kubeProxySets=
kubeProxySets(family)}has(name){return this.#names.has(name)}executed(commands,results){return results.map((refused,index)=>{
let command=commands[index],name=command?.do==="destroy-set"?command.name:void 0;if(refused?.errnoName!=="IPSET_BUSY"||name===
void 0||!this.#kubeProxySets.includes(name))return refused;this.#names.add(name),this.warn(`The set ${name} of kube-prox\
y is kept: foreign rules reference it, although it is no longer updated`)})}};var VirtualInterface=class{links;#index;constructor(links){this.links=links}get index(){return this.#index}async read(){
return this.#index=(await this.links.find(INTERFACE))?.index,this.#index}async create(){if(await this.links.find(INTERFACE)===
void 0)try{await this.links.addDummy(INTERFACE)}catch(error){if(await this.links.find(INTERFACE)===void 0)throw error}return await this.
read()??0}forget(){this.#index=void 0}};var OWN_CHAINS=Object.values(CHAINS),KUBE_PROXY_SETS2=new Set([...kubeProxySets("IPv4"),...kubeProxySets("IPv6")]);function isKubeProxySet(name){
return KUBE_PROXY_SETS2.has(name)}function reconcileRules(wanted,installed){return documentOf(table=>{let saved=installed?.[table]??
new Map,differing=[...wanted[table]].filter(([chain,rules])=>!holds(saved.get(chain)?.rules,rules));return mergeTableDocuments(
writeChains(differing),placeJumps(table,saved),removeKubeProxyRules(table,saved))})}function rewriteRules(before,after){
return documentOf(table=>writeChains([...after[table]].filter(([chain,rules])=>{let old=before[table].get(chain)??[];return old.
length!==rules.length||rules.some((rule2,index)=>rule2.text!==old[index]?.text)})))}function writeRules(wanted){return documentOf(
table=>writeChains([...wanted[table]]))}function emptyOwnChains(installed){return documentOf(table=>writeChains(OWN_CHAINS.
filter(chain=>installed[table].has(chain)).map(chain=>[chain,[]])))}function removeRules(installed,{ownChains,kubeProxyChains}){
return documentOf(table=>{let isRemoved=chain=>ownChains&&OWN_CHAINS.includes(chain)||kubeProxyChains&&isKubeProxyChain(
table,chain);return removeChains(installed[table],isRemoved,kubeProxyChains?{alsoDelete:looksAtKubeProxySet(table)}:{})})}
function hasKubeProxyRules(installed){return RULE_TABLES.some(table=>!isEmptyTableDocument(removeKubeProxyRules(table,installed[table])))}
function removeKubeProxyRules(table,saved){return removeChains(saved,chain=>isKubeProxyChain(table,chain),{alsoDelete:looksAtKubeProxySet(
table)})}function isKubeProxyChain(table,chain){return table!=="mangle"&&KUBE_PROXY_CHAINS[table].includes(chain)}function looksAtKubeProxySet(table){
return(chain,rule2)=>{let[,set=""]=/--match-set (\S+)/.exec(rule2)??[];return table!=="mangle"&&chain.startsWith("KUBE-")&&
isKubeProxySet(set)}}function writeChains(chains){return{...EMPTY_TABLE_DOCUMENT,written:new Map(chains.map(([chain,rules])=>[
chain,userChain(rules.map(({text})=>text))]))}}function placeJumps(table,saved){let misplaced=JUMPS[table].map(({from,rule:rule2})=>{
let found=(saved.get(from)?.rules??[]).filter(text=>effectOf(text)===rule2.bareText);return{chain:from,rule:rule2.text,found}}).
filter(({found})=>found.length!==1);return{...EMPTY_TABLE_DOCUMENT,deletedRules:misplaced.flatMap(({chain,found})=>found.
map(rule2=>({chain,rule:rule2}))),insertedRules:misplaced.map(({chain,rule:rule2})=>({chain,position:1,rule:rule2}))}}function holds(found,wanted){
return found?.length===wanted.length&&wanted.every((rule2,index)=>effectOf(found[index]??"")===rule2.bareText)}function documentOf(contentOf){
return new Map(RULE_TABLES.map(table=>[table,contentOf(table)]).filter(([,content])=>!isEmptyTableDocument(content)))}function describeRemoval(family,{tables,hasInterface},removal){let of=(kind2,names)=>({kind:kind2,location:family,names});
return[of("address",removal.addresses),of("virtual server",removal.virtualServers.map(({virtual:{at}})=>virtualServerKey(
at))),...removedRules(removeRules(tables,removal),family),of("set",removal.sets),of("interface",removal.interface&&hasInterface?
[INTERFACE]:[])].filter(({names})=>names.length>0)}async function cleanUp(host2,iptables,installed,removal,gently){let{ipvs,
links,sets}=host2,removed=[],location=iptables.family,note=(kind2,names,results2)=>{let gone=names.filter((_name,index)=>results2[index]===
void 0);gone.length>0&&removed.push({kind:kind2,location,names:gone})},refused=[],staying=removal.virtualServers.filter(
server=>gently&&hasConnections(server)),going=removal.virtualServers.filter(server=>!staying.includes(server)),needed=new Set(
staying.map(({virtual:{at}})=>at.kind==="address"?at.address:void 0)),unneeded=needed.has(void 0)?[]:removal.addresses.filter(
address=>!needed.has(address)),link=await links.find(INTERFACE);if(link!==void 0){let commands=unneeded.map(address=>({do:"\
delete-address",link:link.index,address})),results2=await links.execute(commands);note("address",unneeded,results2),refused.
push(...refusedAddresses(commands,results2))}let deletions=going.map(({virtual:{at}})=>({do:"delete-virtual",at})),results=await ipvs.
execute(deletions);note("virtual server",deletions.map(({at})=>virtualServerKey(at)),results);let weights=staying.flatMap(
({virtual:{at},reals})=>reals.map(({address,port})=>({do:"set-real",at,real:{address,port,weight:0}})));refused.push(...refusedServers(
deletions,results),...refusedServers(weights,await ipvs.execute(weights)));let document=removeRules(installed.tables,removal);
if(document.size>0&&(await iptables.restore(renderDocument(document)),removed.push(...removedRules(document,location))),
staying.length===0){let commands=removal.sets.map(name=>({do:"destroy-set",name})),results2=await sets.execute(commands);
note("set",removal.sets,results2),refused.push(...refusedSets(commands,results2.map((result,index)=>gently&&isHeld(result,
removal.sets[index]??"")?void 0:result)))}removal.interface&&staying.length===0&&link?.kind==="dummy"&&(await links.addresses()).
filter(address=>address.link===link.index).every(({address})=>/^fe[89ab]/.test(address))&&await links.remove(INTERFACE).
then(()=>note("interface",[INTERFACE],[void 0]),error=>refused.push({object:`interface ${INTERFACE}`,error}));let leftovers=refused.
filter(({error})=>!isGone(error));if(leftovers.length>0)throw new LeftoversError("IPVS_LEFTOVERS",leftovers.map(({object,
error})=>`${object} (${error.message})`),{cause:leftovers[0]?.error});return{staying:staying.length,removed}}function removedRules(document,family){
return[...document].flatMap(([table,content])=>removedObjects(content,`${table} table, ${family}`))}function hasConnections({
virtual:{at},reals}){return(at.kind==="mark"||at.protocol!=="UDP")&&reals.some(({activeConnections})=>activeConnections>
0)}async function forgetDatagrams(conntrack,servers){let gone=new Map;for(let{virtual}of servers)if(virtual.at.kind==="a\
ddress"&&virtual.at.protocol==="UDP"){let{family,address,port}=virtual.at;gone.set(family,(gone.get(family)??new Set).add(
`${address} ${port}`))}if(conntrack!==void 0)for(let[family,frontends]of gone){let flows=await conntrack.list(family,"UD\
P",({original})=>frontends.has(`${original.destination} ${original.destinationPort}`));await conntrack.delete(flows)}}function isHeld(result,set){
return result?.errnoName==="IPSET_BUSY"&&isKubeProxySet(set)}function isGone({errnoName}){return["ENOENT","ESRCH","ENODE\
V","EADDRNOTAVAIL"].includes(errnoName)}function describeTransaction({steps}){let sum2=count=>steps.reduce((total,step)=>total+count(step),0),commands=(to,matches)=>sum2(
step=>step.to===to&&"commands"in step?step.commands.filter(command=>matches(command.do)).length:0);return[[commands("ipv\
s",what=>what.endsWith("virtual"))+sum2(step=>step.to==="retirement"?step.servers.length:0),"virtual servers"],[commands(
"ipvs",what=>what.endsWith("real"))+sum2(step=>step.to==="draining"?step.servers.length:step.to==="retirement"?step.reals.
length:0),"real servers"],[commands("sets",()=>!0),"sets and entries"],[sum2(step=>step.to==="addresses"?step.add.length+
step.remove.length:0),"addresses"],[sum2(step=>step.to==="interface"?1:0),"interfaces"],[sum2(step=>step.to==="rules"?step.
document.size:0),"tables of rules"]].filter(([count])=>count>0).map(([count,what])=>`${count} ${what}`).join(", ")}var ItemTable=class _ItemTable{current;context;facts;#counted=new Map;#byOwner=new Map;#numbers=new Map;#taken=new Set;#ranges=new Map;#addresses;#detector;#before;constructor(current,context,facts){
this.current=current,this.context=context,this.facts=facts,this.#addresses=hostAddresses(current.node),this.#detector=current.
node.detector}static*of(state,context,facts){let table=new _ItemTable(state,context,facts);for(let key of[...state.servicePorts.
keys()].sort())yield,table.#add(key,table.#itemsOf(state.servicePorts.get(key)));for(let[key,check]of state.healthCheckNodePorts)
yield,table.#add(`health ${key}`,healthCheckItems(check,table.#addresses));return table}get(key){return this.#counted.get(
key)?.item}virtualServersOf(port){return(this.#byOwner.get(port.key)??[]).flatMap(item=>item.kind==="virtual"?[item.virtual.
at]:[])}get ranges(){let items=[...this.#ranges.values()].sort((a,b)=>a.key<b.key?-1:1);return{marking:items.flatMap(item=>item.
kind==="range"?item.rules:[]),hairpins:items.flatMap(item=>item.kind==="range-hairpin"?[item.address]:[])}}*items(){for(let{
item}of this.#counted.values())yield item}get addresses(){return this.#addresses}advance(next2,changes){let touched=new Map;
this.#before=touched,this.#detector=next2.node.detector;let addresses=changes.nodeChanged?hostAddresses(next2.node):this.#addresses,
follows=followsChange(this.#addresses,addresses),isRedetected=!structurallyEqual(this.current.node.detector,next2.node.detector);
this.#addresses=addresses;let ports=new Map;if(follows!==void 0)for(let[key,port]of next2.servicePorts)follows(port)&&ports.
set(key,port);for(let ranges of(isRedetected?next2.portRanges?.values():void 0)??[])for(let{owner}of ranges)ports.set(owner,
next2.servicePorts.get(owner));for(let[key,{previous,current}]of changes.resolvedServicePorts)(changes.servicePorts.has(
key)||(current??previous)?.name.protocol==="UDP")&&ports.set(key,current);let checks=follows===void 0?changes.healthCheckNodePorts:
allKeys(this.current,next2);for(let key of ports.keys())this.#remove(key);for(let key of checks)this.#remove(`health ${key}`);
for(let[key,port]of ports)if(port===void 0)for(let name of[key,...RANGE_LISTS.map(list=>rangeNumberKey(key,list))])this.#taken.
delete(this.#numbers.get(name)??-1),this.#numbers.delete(name);else this.#add(key,this.#itemsOf(port));for(let key of checks){
let check=next2.healthCheckNodePorts.get(key);check!==void 0&&this.#add(`health ${key}`,healthCheckItems(check,this.#addresses))}
return this.#before=void 0,this.current=next2,finish(differences(touched,key=>this.get(key)))}#itemsOf(port){let{marks,scheduler}=this.
context,{choice}=readScheduler(port.servicePort,scheduler,this.facts.schedulers);return itemsOf(port,{family:this.current.
family,addresses:this.#addresses,scheduler:choice,marks,markNumber:needsMark(port)?this.#number(port.key):0,detector:this.#detector,
rangeNumber:list=>this.#number(rangeNumberKey(port.key,list))})}#number(key){let number=this.#numbers.get(key);if(number===
void 0){for(number=hash(key)%MARK_NUMBERS;this.#taken.has(number);)number=(number+1)%MARK_NUMBERS;this.#numbers.set(key,
number),this.#taken.add(number)}return number}#add(owner,items){this.#byOwner.set(owner,items);for(let item of items){let found=this.#counted.
get(item.key);this.#note(item.key,found?.item),(item.kind==="range"||item.kind==="range-hairpin")&&this.#ranges.set(item.
key,item),found===void 0?this.#counted.set(item.key,{item,count:1}):(found.item=item,found.count+=1)}}#remove(owner){for(let{
key}of this.#byOwner.get(owner)??[]){let found=this.#counted.get(key);this.#note(key,found?.item),found!==void 0&&(found.
count-=1,found.count===0&&(this.#counted.delete(key),this.#ranges.delete(key)))}this.#byOwner.delete(owner)}#note(key,item){
this.#before!==void 0&&!this.#before.has(key)&&this.#before.set(key,item)}},RANGE_LISTS=["cluster","local"];function rangeNumberKey(key,list){
return`${key} range ${list}`}function*differences(before,after){let changes=[];for(let[key,old]of before){yield;let now=after(
key);(old===void 0?now!==void 0:now===void 0||!sameItem(old,now))&&changes.push({before:old,after:now})}return changes}function sameItem(left,right){
return left.kind==="virtual"&&right.kind==="virtual"?left.virtual.scheduler===right.virtual.scheduler&&left.virtual.schedulerFlags===
right.virtual.schedulerFlags&&left.virtual.persistence===right.virtual.persistence:left.kind==="real"&&right.kind==="rea\
l"?left.real.weight===right.real.weight:left.kind==="entry"&&right.kind==="entry"?left.entry.mark===right.entry.mark:left.
kind==="range"&&right.kind==="range"?left.rules.length===right.rules.length&&left.rules.every((rule2,index)=>rule2.text===
right.rules[index]?.text):left.kind===right.kind}function followsChange(before,after){let changed=new Set([...[...before.
others].filter(address=>!after.others.has(address)),...[...after.others].filter(address=>!before.others.has(address))]),
nodePorts=before.nodePorts.join(" ")!==after.nodePorts.join(" ");return changed.size===0&&!nodePorts?void 0:({frontends})=>frontends.
some(({address})=>address===void 0?nodePorts:changed.has(address))}function allKeys(before,after){return new Set([...before.
healthCheckNodePorts.keys(),...after.healthCheckNodePorts.keys()])}function hostAddresses(node){let{localAddresses:local,
nodePortAddresses:wanted}=node,others=new Set(local);return{nodePorts:(wanted.kind==="all"?local??node.addresses:wanted.
addresses.filter(address=>local===void 0||others.has(address))).filter(address=>!/^(?:127\.|::1$|fe[89ab][0-9a-f]:)/.test(
address)),others}}function hash(text){let value=2166136261;for(let index=0;index<text.length;index++)value=Math.imul(value^
text.charCodeAt(index),16777619)>>>0;return value}var DEFAULT_FACTS={randomFully:!0,schedulers:void 0},IpvsPlanner=class{options;#tables=new StateMemo(state=>finish(this.#tableOf(
state,DEFAULT_FACTS)));constructor(options){this.options=options}plan(next2,changes,installed){return finish(this.planInSlices(
next2,changes,installed))}*planInSlices(next2,changes,installed){let{family,scheduler}=this.options,{previous}=changes,{
steps,table,ports}=installed===void 0&&previous!==void 0?this.#planChanges(next2,previous,changes):yield*this.#planAll(next2,
installed),problems=(yield*schedulerProblems(ports,scheduler,table.facts.schedulers)).filter(problem=>!installed?.reportedProblems.
has(problem));return this.#tables.set(next2,table),steps.length===0&&problems.length===0?void 0:{family,steps,problems}}virtualServersOf(state,port){
return this.#tables.of(state).virtualServersOf(port)}#tableOf(state,facts){let{marks,scheduler}=this.options;return ItemTable.
of(state,{marks,scheduler},facts)}*#planAll(next2,installed){let{family,marks}=this.options,{facts=DEFAULT_FACTS}=installed??
{},table=yield*this.#tableOf(next2,facts),seen=new Map(yield*installedItems(installed,family,marks));for(let{key}of table.
items())yield,seen.has(key)||seen.set(key,void 0);let all=leavingAtOnce(yield*differences(seen,key=>table.get(key)),next2,
table);yield;let isRetiring=retiringIn(installed,all,table),changes=all.filter(({before,after})=>after!==void 0||before===
void 0||!isRetiring(before)),sets=this.#setCommands(installed),emptied=sets.wrong&&installed!==void 0?rulesStep(emptyOwnChains(
installed.tables)):[],rules=rulesStep(reconcileRules(this.#fixedChains(next2,facts,table.ranges),emptied.length>0?void 0:
installed?.tables)),setup=[...installed?.settled===!0?[]:[{to:"settings"}],...emptied,...sets.create.length===0?[]:[{to:"\
sets",commands:sets.create}],...installed?.hasInterface===!0?[]:[{to:"interface"}]];yield;let steps=stepsOf(changes,family,
table.addresses.others);yield;let filled=steps[0]?.to==="sets"?1:0;return{steps:[...setup,...steps.slice(0,filled),...rules,
...steps.slice(filled),...sets.destroy.length===0?[]:[{to:"sets",commands:sets.destroy}]],table,ports:next2.servicePorts.
values()}}#planChanges(next2,previous,changes){let{family}=this.options,differing=[],rangesBefore,table=this.#tables.advance(
previous,next2,items=>(rangesBefore=items.ranges,differing=items.advance(next2,changes),items)),{facts}=table,steps=stepsOf(
leavingAtOnce(differing,next2,table),family,table.addresses.others),isRuleChanged=({before,after})=>(after??before)?.kind.
startsWith("range")??!1,rules=changes.nodeChanged||differing.some(isRuleChanged)?rulesStep(rewriteRules(this.#fixedChains(
previous,facts,rangesBefore),this.#fixedChains(next2,facts,table.ranges))):[],removals=steps.findIndex(({to})=>to==="add\
resses"||to==="draining"||to==="retirement"),at=removals<0?steps.length:removals;return{steps:[...steps.slice(0,at),...rules,
...steps.slice(at)],table,ports:[...changes.servicePorts.values()].flatMap(({current})=>current??[])}}#fixedChains({node},{
randomFully},ranges){let{family,marks,masqueradeBit}=this.options;return fixedChains({family,node,masqueradeBit,marks,randomFully,
...ranges?{ranges}:{}})}#setCommands(installed){let{family}=this.options,definitions=SET_ROLES.map(role=>({role,wanted:setDefinition(
role,family)})),wrong=definitions.filter(({role,wanted})=>{let found=installed?.sets.get(wanted.name);return found!==void 0&&
!isAsWanted(found,role,family)}),create=definitions.flatMap(({role,wanted})=>{let found=installed?.sets.get(wanted.name);
return found!==void 0&&isAsWanted(found,role,family)?[]:[...found===void 0?[]:[{do:"destroy-set",name:wanted.name}],{do:"\
create-set",set:wanted}]}),destroy=kubeProxySets(family).filter(name=>installed?.sets.has(name)).map(name=>({do:"destroy\
-set",name}));return{create,destroy,wrong:wrong.length>0}}};function leavingAtOnce(changes,next2,table){if(next2.node.localAddresses===
void 0)return changes;let virtual=new Set(changes.flatMap(({before})=>before?.kind==="address"?[before.address]:[])),isLost=at=>at.
kind==="address"&&!table.addresses.others.has(at.address)&&!virtual.has(at.address)&&table.get(addressItemKey(at.address))===
void 0;return changes.map(change=>{let{before,after}=change;return before?.kind==="real"&&after===void 0&&isLost(before.
at)?{before:{...before,drains:!1},after}:change})}function retiringIn(installed,changes,table){let atOnce=new Set(changes.
flatMap(({before,after})=>before?.kind==="real"&&after===void 0&&!before.drains?[virtualItemKey(before.at)]:[])),retiring=(installed?.
virtualServers??[]).filter(({virtual:{at},reals})=>table.get(virtualItemKey(at))===void 0&&!atOnce.has(virtualItemKey(at))&&
reals.every(({weight})=>weight===0)&&reals.some(({activeConnections})=>activeConnections>0)),keys=new Set(retiring.map(({
virtual:{at}})=>virtualItemKey(at))),addresses=new Set(retiring.flatMap(({virtual:{at}})=>at.kind==="address"?[at.address]:
[])),anyMark=retiring.some(({virtual:{at}})=>at.kind==="mark"),held=address=>anyMark||addresses.has(address);return item=>{
switch(item.kind){case"virtual":return keys.has(item.key);case"real":return item.real.weight===0&&item.drains&&(keys.has(
virtualItemKey(item.at))||table.get(virtualItemKey(item.at))!==void 0);case"entry":return item.role==="ADDRESSES"?held(item.
entry.address)&&!table.addresses.others.has(item.entry.address):item.role==="FRONTENDS"&&keys.has(frontendItemKey(item.entry)??
"");case"address":return held(item.address);case"range":case"range-hairpin":return!1}}}function isAsWanted(found,role,family){
let wanted=setDefinition(role,family);return found.type===wanted.type&&found.family===family&&found.marks===wanted.marks}
function*installedItems(installed,family,marks){let items=new Map,put=item=>items.set(item.key,item);for(let{virtual,reals}of installed?.
virtualServers??[]){yield;let{at}=virtual;put({kind:"virtual",key:virtualItemKey(at),virtual});let drains=at.kind==="mar\
k"?marks.isOurs(at.mark):at.protocol!=="UDP";for(let{address,port,weight,forwarding,connectionLimit}of reals){let real={
address,port,weight};put({kind:"real",key:realItemKey(at,real),at,real:forwarding===0&&(connectionLimit===0||weight===0)?
real:{...real,weight:-1},drains})}}for(let role of SET_ROLES){let found=installed?.sets.get(setName(role,family));for(let entry2 of found!==
void 0&&isAsWanted(found,role,family)?found.entries:[])yield,put({kind:"entry",key:entryItemKey(role,entry2),role,entry:entry2})}
for(let address of installed?.addresses??[])put({kind:"address",key:addressItemKey(address),address});return items}function rulesStep(document){
return document.size===0?[]:[{to:"rules",document}]}function ownerOf({tables,sets}){return hasKubeProxyRules(tables)?"kube-proxy":RULE_TABLES.some(table=>OWN_CHAINS.some(chain=>tables[table].
has(chain)))||[...sets.keys()].some(name=>!isKubeProxySet(name))?"kube-proxier":sets.size>0?"kube-proxy":"none"}function removalOf(installed,whose){
let{virtualServers,addresses}=installed,own=[...installed.sets.keys()].filter(name=>!isKubeProxySet(name)),foreign=[...installed.
sets.keys()].filter(isKubeProxySet),everything={virtualServers,addresses,interface:!0},nothing={virtualServers:[],addresses:[],
sets:[],interface:!1};if(whose==="both")return{...everything,sets:[...own,...foreign],ownChains:!0,kubeProxyChains:!0};let owner=ownerOf(
installed);if(whose==="kube-proxy")return owner==="kube-proxier"?{...nothing,ownChains:!1,kubeProxyChains:!1}:{...everything,
sets:foreign,ownChains:!1,kubeProxyChains:!0};switch(owner){case"kube-proxier":return{...everything,sets:own,ownChains:!0,
kubeProxyChains:!1};case"kube-proxy":{let marked=virtualServers.filter(({virtual:{at}})=>at.kind==="mark");return{...nothing,
virtualServers:marked,sets:own,ownChains:!0,kubeProxyChains:!1}}case"none":return{...nothing,ownChains:!1,kubeProxyChains:!1}}}function renderChanges({family,steps},installed){let before=objectsOf(installed,family),after=new Map(before),rules=[];for(let step of steps)
step.to==="rules"?rules.push(...iptablesDocumentChanges(step.document,{family,saved:installed.tables})):follow(step,family,
after);return[...compare(before,after),...rules]}function objectsOf(installed,family){let objects=new Map;for(let set of installed.
sets.values()){putSet(objects,set);for(let entry2 of set.entries)putEntry(objects,set.name,entry2)}for(let{virtual,reals}of installed.
virtualServers){putVirtual(objects,virtual);for(let real of reals)putReal(objects,virtual.at,real)}for(let address of installed.
addresses)putAddress(objects,address);return installed.hasInterface&&putInterface(objects),installed.settled||objects.set(
"settings",{table:"sysctl",kind:"setting",text:`settings of mode ipvs, ${family}: not as needed`}),objects}function follow(step,family,objects){
switch(step.to){case"sets":for(let command of step.commands)followSet(command,objects);break;case"ipvs":for(let command of step.
commands)followIpvs(command,objects);break;case"interface":putInterface(objects);break;case"settings":objects.set("setti\
ngs",{table:"sysctl",kind:"setting",text:`settings of mode ipvs, ${family}: as needed`});break;case"addresses":for(let address of step.
add)putAddress(objects,address);removeAddresses(objects,step.remove,family);break;case"draining":for(let server of step.
servers)drain(objects,server);break;case"retirement":for(let server of step.reals)objects.delete(realKey(server.at,server));
for(let at of step.servers)objects.delete(virtualServerKey(at));removeAddresses(objects,step.addresses,family);for(let entry2 of step.
entries)objects.delete(entryKey(setName("FRONTENDS",family),entry2));break;default:assertNever(step)}}function followSet(command,objects){
switch(command.do){case"create-set":putSet(objects,command.set);break;case"destroy-set":objects.delete(`set ${command.name}`),
removeWhere(objects,({container})=>container===command.name);break;case"flush-set":removeWhere(objects,({container})=>container===
command.name);break;case"add-entry":putEntry(objects,command.set,command.entry);break;case"delete-entry":objects.delete(
entryKey(command.set,command.entry));break}}function followIpvs(command,objects){switch(command.do){case"add-virtual":case"\
set-virtual":putVirtual(objects,command.virtual);break;case"delete-virtual":objects.delete(virtualServerKey(command.at)),
removeWhere(objects,({kind:kind2,container})=>kind2==="real server"&&container===virtualServerKey(command.at));break;case"\
add-real":case"set-real":putReal(objects,command.at,command.real);break;case"delete-real":objects.delete(realKey(command.
at,command));break}}function compare(before,after){return[...new Set([...before.keys(),...after.keys()])].sort().flatMap(
key=>{let[old,fresh]=[before.get(key),after.get(key)];return old?.text===fresh?.text?[]:[...old===void 0?[]:[{action:"re\
move",...old}],...fresh===void 0?[]:[{action:"add",...fresh}]]})}function drain(objects,server){let{at,address,port,drains}=server;
drains?putReal(objects,at,{address,port,weight:0}):objects.delete(realKey(at,server))}function removeAddresses(objects,addresses,family){
for(let address of addresses)objects.delete(`address ${address}`),objects.delete(entryKey(setName("ADDRESSES",family),{address}))}
function putSet(objects,{name,type,family,maxEntries,marks}){let text=`create ${name} ${type} family ${family==="IPv4"?"\
inet":"inet6"} maxelem ${maxEntries}${marks?" skbinfo":""}`;objects.set(`set ${name}`,{table:"ipset",kind:"set",text})}function putEntry(objects,set,entry2){
let mark=entry2.mark===void 0?"":` skbmark 0x${entry2.mark.toString(16)}`,text=`add ${set} ${ipSetEntryKey(entry2)}${mark}`;
objects.set(entryKey(set,entry2),{table:"ipset",kind:"entry",container:set,text})}function putVirtual(objects,{at,scheduler,
schedulerFlags:schedulerFlags2,persistence}){let flags=schedulerFlags2===0?"":` -b 0x${schedulerFlags2.toString(16)}`,text=`\
-A ${serviceOption(at)} -s ${scheduler}${flags}${persistence===void 0?"":` -p ${persistence}`}`;objects.set(virtualServerKey(
at),{table:"ipvs",kind:"virtual server",text})}function putReal(objects,at,real){let text=`-a ${serviceOption(at)} -r ${joinHostPort(
real.address,real.port)} -m -w ${real.weight}`;objects.set(realKey(at,real),{table:"ipvs",kind:"real server",container:virtualServerKey(
at),text})}function putAddress(objects,address){let text=`${address}/${address.includes(":")?128:32} dev ${INTERFACE}`;objects.
set(`address ${address}`,{table:"addresses",kind:"address",text})}function putInterface(objects){objects.set("interface",
{table:"interfaces",kind:"interface",text:`${INTERFACE} type dummy`})}function removeWhere(objects,matches){for(let[key,
object]of objects)matches(object)&&objects.delete(key)}function entryKey(set,entry2){return`set ${set} ${ipSetEntryKey(entry2)}`}
function realKey(at,{address,port}){return`${virtualServerKey(at)} ${joinHostPort(address,port)}`}var OPTION={TCP:"-t",UDP:"\
-u",SCTP:"--sctp-service"};function serviceOption(at){return at.kind==="mark"?`-f ${at.mark}${at.family==="IPv6"?" -6":""}`:
`${OPTION[at.protocol]} ${joinHostPort(at.address,at.port)}`}async function readInstalled(target){let{family,host:host2,iptables,link}=target,all=(await host2.links.addresses()).filter(
address=>address.family===family),isVirtual=address=>address.link===link,addresses=all.filter(isVirtual).map(({address})=>address),
local=all.filter(address=>!isVirtual(address)).map(({address})=>address),sets=await readSets(target),virtualServers=await readVirtualServers(
target,new Set(addresses),new Set(local),sets),saved=await iptables.save(),table=name=>[name,parseSavedTable(saved,name)];
return{virtualServers,sets,hasInterface:link!==void 0,addresses:addresses.filter(address=>!isLinkLocal(address)),tables:Object.
fromEntries(RULE_TABLES.map(table))}}async function readLocalAddresses({links}){let own=await links.find(INTERFACE);return(await links.
addresses()).filter(({link,usable})=>link!==own?.index&&usable).map(({address})=>address)}function isLinkLocal(address){
return/^fe[89ab][0-9a-f]:/.test(address)}async function readSets({family,host:host2,ignoresSet}){let existing=new Set(await host2.
sets.names()),sets=new Map;for(let name of[...SET_ROLES.map(role=>setName(role,family)),...kubeProxySets(family)]){let found=existing.
has(name)&&!ignoresSet(name)?await host2.sets.find(name):void 0;found!==void 0&&sets.set(name,found)}return sets}async function readVirtualServers({
family,host:host2,marks,excludeCIDRs},virtual,local,sets){let named=new Set((sets.get(setName("FRONTENDS",family))?.entries??
[]).map(({address,port,protocol})=>`${protocol} ${address} ${port}`)),afterKubeProxy=kubeProxySets(family).some(name=>sets.
has(name)),isOurs=at=>{if(at.family!==family)return!1;if(at.kind==="mark")return marks.isOurs(at.mark);let{address,port,
protocol}=at;return named.has(`${protocol} ${address} ${port}`)||!excludeCIDRs.some(cidr=>cidrContains(cidr,address))&&(virtual.
has(address)||afterKubeProxy&&local.has(address))},found=[];for(let virtualServer of await host2.ipvs.virtualServers())isOurs(
virtualServer.at)&&found.push({virtual:virtualServer,reals:await host2.ipvs.realServers(virtualServer.at)});return found}var COUNTING={servicePorts:["connections","packets","bytes"],endpoints:["connections","packets","bytes"]},QUANTITIES=["c\
onnections","packetsToServer","packetsToClients","bytesToServer","bytesToClients"],ServerCounts=class{options;#totals;constructor(options){
this.options=options;let{family}=options;this.#totals={connections:new AccumulatedCounts(family),packetsToServer:new AccumulatedCounts(
family),packetsToClients:new AccumulatedCounts(family),bytesToServer:new AccumulatedCounts(family),bytesToClients:new AccumulatedCounts(
family)}}async read(state){let found=[];for(let{at,firstPort,...of}of state===void 0?[]:this.#countedServers(state))for(let counts of await this.
options.ipvs.counts(at)){let endpoint=joinHostPort(counts.address,counts.port===0?firstPort:counts.port);found.push({...of,
id:`${virtualServerKey(at)} ${endpoint}`,endpoint,counts})}for(let quantity of QUANTITIES){let total=this.#totals[quantity];
total.add(found.map(({counts,...counter})=>({...counter,value:counts[quantity]}))),total.retain(found)}return this.#merged()}#countedServers(state){
let{countAll,virtualServersOf}=this.options;return[...state.servicePorts.values()].flatMap(port=>{if(!countsConnections(
port.servicePort.annotations,countAll))return[];let of={service:formatServicePortName(port.name),protocol:port.name.protocol};
return virtualServersOf(state,port).map(at=>({...of,at,firstPort:port.servicePort.port}))})}#merged(){let merged2=new Map;
for(let quantity of QUANTITIES)for(let{connections=0,...of}of this.#totals[quantity].counts()){let key=`${of.service} ${of.
protocol} ${of.endpoint??""}`,counted=merged2.get(key)??{...of,quantities:{}};merged2.set(key,counted),counted.quantities[quantity]=
connections}return[...merged2.values()].map(({quantities,...of})=>({...of,connections:quantities.connections??0,packets:directions(
quantities.packetsToServer,quantities.packetsToClients),bytes:directions(quantities.bytesToServer,quantities.bytesToClients)}))}};
function directions(toEndpoints=0,toClients=0){return{toEndpoints,toClients}}var INTERVAL=700,RULES_EVERY=2,SENTINELS=RULE_TABLES.flatMap(table=>JUMPS[table].slice(0,1).map(({from,rule:rule2})=>({table,
from,text:rule2.text})));function jumpsStand(tables){return SENTINELS.every(({table,from,text})=>tables[table].get(from)?.
rules.includes(text)??!1)}async function watchKernel(options){let{clock,signal,iptables,placed,onDrift,onFailure}=options,
seen=new Set,sentinels=new RuleSentinels(SENTINELS,iptables),failing=!1;for(let look=0;!signal.aborted;look++){await pause(
clock,INTERVAL,signal);try{await lookOnce(options,seen),look%RULES_EVERY===0&&placed()>0&&await sentinels.check(signal,onDrift,
placed),failing=!1}catch(error){failing||(failing=!0,onFailure(messageOf(error)))}}}async function lookOnce({ipvs,links,
sentinel,link,signal,onDrift},seen){let note=(key,isThere,what)=>{isThere?seen.add(key):seen.delete(key)&&!signal.aborted&&
onDrift(what)},expected=sentinel();if(expected!==void 0&&!signal.aborted){let isThere=await ipvs.has(expected);(isThere||
sentinel()===expected)&&note("ipvs",isThere,`the virtual server ${virtualServerKey(expected)} is gone, as after ipvsadm \
-C`)}if(!signal.aborted){let expected2=link(),found=await links.find(INTERFACE);expected2!==void 0&&expected2===link()&&
note("interface",found?.index===expected2,`the interface ${INTERFACE} is gone`)}}var IpvsDataplane=class{options;followsLocalAddresses=!0;#planner;#marks;#target;#logger;#reported=new Set;#counts;#planned;#lost;#queue=Promise.
resolve();#found;#rulesPlaced=0;constructor(options){this.options=options;let{family,host:host2,logger=silentLogger,masqueradeBit=14,
scheduler=DEFAULT_SCHEDULER}=options;this.#logger=logger,this.#marks=new MarkLayout(masqueradeBit),this.#planner=new IpvsPlanner(
{family,masqueradeBit,marks:this.#marks,scheduler}),this.#counts=new ServerCounts({family,ipvs:host2.ipvs,countAll:options.
countConnections??!1,virtualServersOf:(state,port)=>this.#planner.virtualServersOf(state,port)}),this.#lost=new LostServers(
(state,port)=>this.#planner.virtualServersOf(state,port));let warn=problem=>this.#warnOnce(problem);this.#target={family,
host:host2,ipvs:host2.ipvs,iptables:()=>this.#iptables(),settings:new HostSettings(host2.sysctl??new ProcSysctl,logger,options.
strictARP??!1),timeouts:new TimeoutSettings(host2.ipvs,options.timeouts,warn),virtualInterface:new VirtualInterface(host2.
links),referencedSets:new ReferencedSets(family,warn),expected:new ExpectedServers,draining:new Draining({ipvs:host2.ipvs,
clock:options.clock??systemClock,detach:attachments=>detach(this.#target,attachments),inTurn:work=>this.#inTurn(work),isLost:server=>this.#lost.
has(server),lostAfter:options.lostAfter??2*1e3,onFailure:reason=>logger.warn(`Cannot check whether endpoints are drained\
: ${reason}`,{family})}),onRulesWritten:()=>{this.#rulesPlaced++}}}get draining(){return this.#target.draining.size}plan(next2,changes,installed){
return finish(this.planInSlices(next2,changes,installed))}*planInSlices(next2,changes,installed){let transaction=yield*this.#planner.
planInSlices(next2,changes,installed);return this.#planned=next2,this.#lost.advance(next2,changes),transaction}connections(){
return this.#counts.read(this.#planned)}apply(transaction){for(let problem of transaction.problems)this.#warnOnce(problem);
return this.#inTurn(()=>applyTransaction(transaction,this.#target))}readBack(){return this.#inTurn(()=>this.#readBack())}localAddresses(){
return readLocalAddresses(this.options.host)}isOwnInterface(link){return link===this.#target.virtualInterface.index}watch(onDrift,signal){
let{family,host:host2,clock=systemClock}=this.options,{draining,expected,virtualInterface}=this.#target;return signal.addEventListener(
"abort",()=>draining.stop(),{once:!0}),watchKernel({ipvs:host2.ipvs,iptables:()=>this.#iptables(),links:host2.links,sentinel:()=>expected.
sentinel,link:()=>virtualInterface.index,placed:()=>this.#rulesPlaced,clock,signal,onDrift,onFailure:reason=>this.#logger.
debug(2,"Cannot check IPVS for drift",{family,reason})})}close(){this.#found?.then(iptables=>iptables.close(),()=>{})}describe(transaction){
return describeTransaction(transaction)}render(transaction,installed){return renderChanges(transaction,installed)}async cleanup(){
await this.remove(!1)}remove(gently,whose="both"){let{draining,expected,virtualInterface}=this.#target;return draining.stop(),
this.#inTurn(async()=>{let{host:host2}=this.options,installed=await this.#readBack();draining.stop();let removal=removalOf(
installed,whose),result=await cleanUp(host2,await this.#iptables(),installed,removal,gently);return virtualInterface.forget(),
expected.clear(),gently&&await forgetDatagrams(host2.conntrack,removal.virtualServers).catch(error=>this.#logger.warn(`U\
DP flows that IPVS led may lead nowhere until they end: ${messageOf(error)}`)),result})}async leftovers(whose){let installed=await this.
readBack();return this.#target.draining.stop(),describeRemoval(this.options.family,installed,removalOf(installed,whose))}#inTurn(work){
let result=this.#queue.then(work);return this.#queue=result.catch(()=>{}),result}#warnOnce(problem){this.#reported.has(problem)||
(this.#reported.add(problem),this.#logger.warn(problem))}#iptables(){return this.#found??=this.options.host.iptables().catch(
error=>{throw this.#found=void 0,error}),this.#found}async#readBack(){let{family,host:host2,availableSchedulers,excludeCIDRs=[]}=this.
options,{expected,referencedSets,settings,timeouts,virtualInterface}=this.#target,iptables=await this.#iptables(),{randomFully}=await iptables.
version(),objects=await readInstalled({family,host:host2,iptables,marks:this.#marks,excludeCIDRs,link:await virtualInterface.
read(),ignoresSet:name=>referencedSets.has(name)});return expected.found(objects.virtualServers),this.options.readOnly!==
!0&&this.#resumeDraining(objects.virtualServers),jumpsStand(objects.tables)&&this.#rulesPlaced++,{...objects,settled:await settings.
areRight()&&await timeouts.areSet(),facts:{randomFully,schedulers:availableSchedulers?.()},reportedProblems:new Set(this.#reported)}}#resumeDraining(servers){
this.#target.draining.add(servers.flatMap(({virtual:{at},reals})=>at.kind==="mark"||at.protocol!=="UDP"?reals.filter(({weight})=>weight===
0).map(({address,port})=>({at,address,port,drains:!0})):[]))}};var LIMITS=["NodePorts answer on 127.0.0.1 and ::1 only with --ipvs-localhost-nodeports","a client stays with an endpoin\
t for each address and port separately, not for the whole Service","other ports of external and load balancer addresses \
are refused, as the addresses are this node's own","two connections at once from one address and port to two Services wi\
th the same endpoint cut each other off"].map(found=>({check:"ipvs by its nature",status:"ok",found}));async function diagnose(sysctl){
return[...LIMITS,await diagnoseStrictARP(sysctl)]}async function diagnoseStrictARP(sysctl){let check="strict ARP",ignore,
announce;try{ignore=await sysctl.read("net/ipv4/conf/all/arp_ignore"),announce=await sysctl.read("net/ipv4/conf/all/arp_\
announce")}catch(error){if(!(error instanceof SysctlError))throw error;return{check,status:"unknown",found:"arp_ignore a\
nd arp_announce cannot be read",advice:"mount /proc"}}let found=`arp_ignore is ${ignore}, arp_announce ${announce}`;return ignore===
"1"&&announce==="2"?{check,status:"ok",found}:{check,status:"warning",found:`${found}: this node answers ARP for address\
es of Services`,advice:"with MetalLB or other programs that announce them, set --ipvs-strict-arp"}}function isForeignRule({system,chain="",text}){if(system==="ipvs")return!1;let target=targetOf(text);return!system.startsWith(
"iptables")||!OWN_CHAINS.includes(chain)&&(target===void 0||!OWN_CHAINS.includes(target))}async function readPacketPath({
family,ignores,ignoredInterfaces},{ipvs,links,sets,runner,files}){let unread=[],attempt=async(what,read,otherwise)=>{try{
return await read()}catch(error){return unread.push(`${what} cannot be read: ${messageOf(error)}`),otherwise}},virtualAddresses=await attempt(
`addresses of ${INTERFACE}`,()=>readVirtualAddresses(links),new Set),servers=await attempt("virtual servers of IPVS",()=>readVirtualServers2(
ipvs,family),[]);return await readNetfilterPath({family,runner,ipSets:sets,virtualAddresses,unread,isForeign:isForeignRule,
stage:host2=>new IpvsStage(family,servers,host2,INTERFACE),...files===void 0?{}:{files},...ignores===void 0?{}:{ignores},
...ignoredInterfaces===void 0?{}:{ignoredInterfaces}})}async function readVirtualAddresses(links){let own=await links.find(
INTERFACE),addresses=own===void 0?[]:await links.addresses();return new Set(addresses.filter(({link})=>link===own?.index).
map(({address})=>address))}async function readVirtualServers2(ipvs,family){let listings=[];for(let virtual of await ipvs.
virtualServers())virtual.at.family===family&&listings.push({virtual,reals:await ipvs.realServers(virtual.at)});return listings}var TRIAL_INTERFACE="kube-ipvs-try",TRIAL="TRIAL-";async function probeHost({host:host2,supportsIPv6:supportsIPv62,scheduler}){
let schedulers=new Set,fails=reason=>({result:{usable:!1,reason},schedulers});try{let{ipvs}=host2("IPv4"),version=await ipvs.
version();for(let name of await trySchedulers(host2("IPv4")))schedulers.add(name);if(!schedulers.has(scheduler)){let has=[
...schedulers].join(", ")||"none";return fails(`the kernel lacks the IPVS scheduler ${scheduler} (module ip_vs_${scheduler}\
); it has ${has}`)}await trySettings(host2("IPv4").sysctl??new ProcSysctl),await tryInterface(host2("IPv4")),await tryRules(
"IPv4",host2("IPv4"));let six=await supportsIPv62()&&await tryRules("IPv6",host2("IPv6")).then(()=>!0,()=>!1);return{result:{
usable:!0,detail:`IPVS ${version}, schedulers ${[...schedulers].join(" ")}`,families:six?["IPv4","IPv6"]:["IPv4"]},schedulers}}catch(error){
return fails(messageOf(error).replace(/\.$/,""))}}var NO_SUCH_SCHEDULER="ENOENT";async function trySchedulers({ipvs}){let at={
kind:"mark",family:"IPv4",mark:new MarkLayout(14).mark(MARK_NUMBERS-1)},found=[];for(let name of SCHEDULER_NAMES){let virtual={
at,scheduler:name,schedulerFlags:schedulerFlags(name),persistence:void 0},[refused]=await ipvs.execute([{do:"add-virtual",
virtual},{do:"delete-virtual",at}]);if(refused===void 0)found.push(name);else if(refused.errnoName!==NO_SUCH_SCHEDULER)throw refused}
return found}async function tryInterface({links}){await links.find(INTERFACE)===void 0&&(await links.addDummy(TRIAL_INTERFACE),
await links.remove(TRIAL_INTERFACE))}async function tryRules(family,{sets,iptables}){let definitions=SET_ROLES.map(role=>{
let wanted=setDefinition(role,family);return{...wanted,name:wanted.name.replace("KUBE-",TRIAL)}}),tools=await iptables();
try{for(let refused of await sets.execute(definitions.map(set=>({do:"create-set",set}))))if(refused!==void 0)throw refused;
let{randomFully}=await tools.version();await tools.restore(renderDocument(writeRules(trialRules(family,randomFully))))}finally{
await removeTrialChains(tools),await sets.execute(definitions.map(({name})=>({do:"destroy-set",name})))}}var TRIAL_NODE={
name:"",zone:void 0,addresses:[],nodePortAddresses:{kind:"all",loopback:!1}};function trialRules(family,randomFully){let six=family===
"IPv6",rules=fixedChains({family,node:{...TRIAL_NODE,detector:{kind:"source-cidr",cidr:six?"2001:db8::/32":"192.0.2.0/24"},
serviceCIDRs:[six?"2001:db8::/32":"192.0.2.0/24"]},masqueradeBit:14,marks:new MarkLayout(14),randomFully}),renamedTable=table=>new Map(
[...rules[table]].map(([chain,list])=>[renamed(chain),list.map(({parts})=>renamedRule(parts))]));return{mangle:renamedTable(
"mangle"),nat:renamedTable("nat"),filter:renamedTable("filter")}}async function removeTrialChains(tools){let text=await tools.
save(),document=new Map;for(let table of RULE_TABLES){let saved=parseSavedTable(text,table);document.set(table,removeChains(
saved,chain=>chain.startsWith(TRIAL)))}await tools.restore(renderDocument(document))}function renamed(name){return name.
replace("KUBE-",TRIAL)}function renamedRule(parts){return new IptablesRule(JSON.parse(JSON.stringify(parts).replaceAll('\
"KUBE-',`"${TRIAL}`)))}function createIpvsProxier(context,options,onDataplane=()=>{}){let{family,logger,clock}=context,{masqueradeBit,countConnections,
minSyncPeriod}=context.options,lostAfter=2*1e3+(minSyncPeriod==="adaptive"?0:minSyncPeriod),dataplane=new IpvsDataplane(
{...options,family,logger,clock,masqueradeBit,countConnections,lostAfter});return onDataplane(dataplane),new ReconcilingProxier(
{mode:"ipvs",context:withoutVirtualAddresses(context,dataplane),dataplane})}function withoutVirtualAddresses(context,dataplane){
let{watchAddresses}=context,localAddresses=()=>dataplane.localAddresses();return watchAddresses===void 0?{...context,localAddresses}:
{...context,localAddresses,watchAddresses:(onChange,signal)=>watchAddresses(async changes=>{let others=changes?.filter(({
link})=>!dataplane.isOwnInterface(link));others?.length!==0&&await onChange(others)},signal)}}var MODE="ipvs",SECONDS=OptionRules.wholeNumberFrom(0),MAX_SECONDS=2147483647,TIMEOUTS=["tcp","tcpFin","udp"],FAMILIES=[
"IPv4","IPv6"];function createIpvsBackend(options={}){let host2=new IpvsBackendHost(checked(options));return{mode:MODE,description:"\
Uses the load balancer in the kernel (ip_vs), with all of its schedulers",syncMetrics:IPTABLES_SYNC_METRICS,capabilities:{
localhostNodePorts:!1,externalIPsOfPods:!1,counting:COUNTING,portRanges:!0},metrics:[countsMeasurement(COUNTING,{source:"\
kernel",read:()=>host2.connections()})],deprecation:"The ipvs mode is deprecated in kube-proxy and will be removed there\
, by default off from Kubernetes 1.40 on; kube-proxier keeps it. Use nftables instead where its schedulers are not neede\
d",requirements:{tools:["iptables"]},probe:()=>host2.probe(),diagnose:()=>host2.diagnose(),readPacketPath:request=>host2.
readPacketPath(request),interfaces:[INTERFACE],ownsRule:rule2=>!isForeignRule(rule2),module:new ContainerModule(({bind})=>{
bind(Tokens.ProxierFactory).toConstantValue(context=>host2.createProxier(context)),bind(Tokens.Cleanup).toConstantValue(
(logger,{inForce})=>host2.cleanup(logger,inForce!==void 0,"backend")),bind(Tokens.KubeProxyCleanup).toConstantValue(async(logger,{
inForce})=>inForce===MODE?{removed:[]}:await host2.cleanup(logger,inForce!==void 0,"kube-proxy")),bind(Tokens.Leftovers).
toConstantValue(async(owner,logger,{inForce})=>owner==="kube-proxy"&&inForce===MODE?[]:await host2.leftovers(owner,logger)),
bind(Tokens.Preview).toConstantValue(context=>host2.createPreview(context))})}}function checked(options){let{excludeCIDRs=[]}=options;
return checkBackendOptions("createIpvsBackend",options,{scheduler:OptionRules.oneOf(SCHEDULER_NAMES),excludeCIDRs:{expected:"\
a list of networks, each like 10.0.0.0/8",accepts:value=>Array.isArray(value)&&value.every(text=>parseCIDR(text)!==void 0)},
strictARP:OptionRules.boolean,timeouts:{expected:`{ tcp, tcpFin, udp }, each in whole seconds, 0 to ${MAX_SECONDS}`,accepts:value=>typeof value==
"object"&&value!==null&&TIMEOUTS.every(name=>{let seconds=value[name];return SECONDS.accepts(seconds)&&seconds<=MAX_SECONDS})},
runner:OptionRules.having("run"),sysctl:OptionRules.having("read","write")}),{...options,excludeCIDRs:excludeCIDRs.map(text=>parseCIDR(
text)?.text??text)}}var IpvsBackendHost=class{options;#runner;#sysctl;#hosts=new Map;#dataplanes=new Set;#variant;#probed;constructor(options){
this.options=options,this.#runner=options.runner??createCommandRunner(),this.#sysctl=options.sysctl??new ProcSysctl}diagnose(){
return diagnose(this.#sysctl)}async probe(){let kernel=await probeIpvs(this.#runner);return kernel.usable?(this.#probed=
await probeHost({host:family=>this.#host(family),supportsIPv6:()=>supportsIPv6(),scheduler:this.options.scheduler??DEFAULT_SCHEDULER}),
this.#probed.result):kernel}readPacketPath(request){return readPacketPath(request,{...this.#host(request.family),runner:this.#runner})}createProxier(context){
let options={...this.options,host:this.#host(context.family),availableSchedulers:()=>this.#probed?.schedulers};return createIpvsProxier(
context,options,dataplane=>this.#dataplanes.add(dataplane))}async connections(){return(await Promise.all([...this.#dataplanes].
map(dataplane=>dataplane.connections()))).flat()}createPreview({family,options,logger,clock}){let dataplane=new IpvsDataplane(
{...this.options,family,logger,clock,host:this.#host(family),masqueradeBit:options.masqueradeBit,readOnly:!0,availableSchedulers:()=>this.#probed?.
schedulers});return createPreview({dataplane,localAddresses:()=>dataplane.localAddresses()})}async cleanup(logger,gently,whose){
if(!await hasIpvs())return{removed:[]};let staying=0,removed=[],left=[],cause;for(let family of FAMILIES){let dataplane=new IpvsDataplane(
{...this.options,family,host:this.#host(family),logger});try{let done=await dataplane.remove(gently,whose);staying+=done.
staying,removed.push(...done.removed)}catch(error){let leftovers=error instanceof LeftoversError?error.leftovers:[`virtu\
al servers (${messageOf(error)})`];left.push(...leftovers.map(what=>`${family} ${what}`)),cause=error}}if(left.length>0)
throw new LeftoversError("IPVS_LEFTOVERS",left,{cause});return staying===0?{removed}:{removed,remaining:`${staying} virt\
ual servers of IPVS with open connections`}}async leftovers(whose,logger){let found=[];for(let family of await hasIpvs()?
FAMILIES:[]){let dataplane=new IpvsDataplane({...this.options,family,host:this.#host(family),logger});found.push(...await dataplane.
leftovers(whose))}return found}#host(family){let host2=this.#hosts.get(family);return host2===void 0&&(host2={ipvs:new IpvsNetlink,
links:new LinksNetlink,sets:new IpSetsNetlink,iptables:()=>this.#iptables(family),sysctl:this.#sysctl,conntrack:new HostConntrack(
{runner:this.#runner})},this.#hosts.set(family,host2)),host2}async#iptables(family){this.#variant??=detectIptablesVariant(
this.#runner).then(({variant:variant2})=>variant2);let variant=await this.#variant;return createIptables({family,runner:this.#runner,
...variant===void 0?{}:{variant}})}};async function hasIpvs(){try{return await kernelFiles.read("/proc/net/ip_vs"),!0}catch{
return!1}}var ipvsBackend=createIpvsBackend();var TABLE="kube-proxier";function nftFamily(family){return family==="IPv4"?"ip":"ip6"}var SPACES=["address","node-port"],
SPACE_CONTAINERS={address:{dispatch:"services",allowed:"allowed-sources",refused:"refused-services",resets:"reset-servic\
es",counters:"service-counters",affinityIds:"affinity-ids",affinityNumbers:"affinity-numbers",affinityEndpoints:"affinit\
y-endpoints"},"node-port":{dispatch:"node-ports",allowed:"node-port-allowed-sources",refused:"refused-node-ports",resets:"\
reset-node-ports",counters:"node-port-counters",affinityIds:"node-port-affinity-ids",affinityNumbers:"node-port-affinity\
-numbers",affinityEndpoints:"node-port-affinity-endpoints"}},TRAFFIC_DIRECTIONS=["to-endpoints","to-clients"];function endpointCounters(scope,quantity){
return`${scope==="address"?"":scope==="range"?"range-":"node-port-"}${quantity==="connections"?"endpoint-counters":`traf\
fic-${quantity}`}`}var RANGE_CONTAINERS={dispatch:"service-ranges",refused:"refused-service-ranges",resets:"reset-servic\
e-ranges",counters:"service-range-counters"},PROTOCOLS2=["TCP","UDP","SCTP"];function endpointsMap(space,protocol){return`${space===
"address"?"":"node-port-"}endpoints-${protocol.toLowerCase()}`}function protocolPort(protocol){return nftFields.port(protocol.
toLowerCase())}var CLUSTER_IPS="cluster-ips",NODE_PORT_ADDRESSES="node-port-addresses",HAIRPIN="hairpin",AFFINITY="affin\
ity";function idOfAffinityKey(key){return key.slice(key.lastIndexOf(" ")+1)}var AFFINITY_MARKS="affinity-marks",WRITTEN_BY_PACKETS=new Set(
[AFFINITY,AFFINITY_MARKS]),MAX_REMEMBERED=262144,MAX_MARKS=16384,LOCAL_SLOTS=1<<24,HASH_SEED=27504;function hashed(...of){
return{kind:"jhash",of,modulus:4294967295,seed:HASH_SEED}}function fieldsOf(family){let nft=nftFamily(family),saddr=nftFields.
address(nft,"saddr"),daddr=nftFields.address(nft,"daddr"),portKey=[nftFields.protocol,nftFields.port("th")];return{family:nft,
saddr,daddr,client:family==="IPv4"?saddr:hashed(saddr),flow:[...family==="IPv4"?[saddr,daddr]:[hashed(saddr,daddr)],nftFields.
port("th","sport"),nftFields.port("th")],key:{address:[daddr,...portKey],"node-port":portKey}}}var LAYOUTS=["constant","\
chain-per-service"];function quantitiesOf({endpointCounters:endpointCounters2,traffic}){return[...endpointCounters2?["co\
nnections"]:[],...traffic?TRAFFIC_DIRECTIONS:[]]}function containersOf(family,features){let{saddr:source,daddr:destination}=fieldsOf(
family),{protocol}=nftFields,port=nftFields.port("th"),sourcePort=nftFields.port("th","sport"),slot2={kind:"numgen",modulus:2},
{mark:id,priority:number}=nftFields,endpoint=[destination,port],hash3=slot2,client=family==="IPv4"?source:hash3,hosts=family===
"IPv4"?[source,destination]:[hash3],containers=new Map;for(let space of SPACES){let key=space==="address"?[destination,protocol,
port]:[protocol,port],names=SPACE_CONTAINERS[space];containers.set(names.dispatch,{kind:"map",key,value:"verdict"});for(let protocol2 of PROTOCOLS2){
let known=protocolPort(protocol2),slotKey=space==="address"?[destination,known,slot2]:[known,slot2];containers.set(endpointsMap(
space,protocol2),{kind:"map",key:slotKey,value:[destination,known]})}containers.set(names.allowed,{kind:"set",key:[...key,
source],flags:["interval"]}),containers.set(names.refused,{kind:"set",key}),features.resets&&containers.set(names.resets,
{kind:"set",key}),features.counters&&containers.set(names.counters,{kind:"map",key,value:"counter"});for(let quantity of quantitiesOf(
features))containers.set(endpointCounters(space,quantity),{kind:"map",key:[...key,...endpoint],value:"counter"});features.
affinity&&(containers.set(names.affinityIds,{kind:"map",key,value:[id]}),containers.set(names.affinityNumbers,{kind:"map",
key:[...key,slot2],value:[number]}),containers.set(names.affinityEndpoints,{kind:"map",key:[...key,number],value:endpoint}))}
if(features.ranges){let key=[destination,protocol,port];containers.set(RANGE_CONTAINERS.dispatch,{kind:"map",key,value:"\
verdict",flags:["interval"]}),containers.set(RANGE_CONTAINERS.refused,{kind:"set",key,flags:["interval"]}),features.resets&&
containers.set(RANGE_CONTAINERS.resets,{kind:"set",key,flags:["interval"]}),features.counters&&containers.set(RANGE_CONTAINERS.
counters,{kind:"map",key,value:"counter",flags:["interval"]});for(let quantity of quantitiesOf(features)){let counted={kind:"\
map",key:[...key,...endpoint],value:"counter",flags:["interval"]};containers.set(endpointCounters("range",quantity),counted)}}
return containers.set(CLUSTER_IPS,{kind:"set",key:[destination]}),containers.set(NODE_PORT_ADDRESSES,{kind:"set",key:[destination]}),
containers.set(HAIRPIN,{kind:"set",key:[source,destination]}),features.affinity&&(containers.set(AFFINITY,{kind:"map",key:[
client,id],value:[number],flags:["dynamic","timeout"],size:MAX_REMEMBERED}),containers.set(AFFINITY_MARKS,{kind:"map",key:[
...hosts,sourcePort,port],value:[id],flags:["dynamic","timeout"],timeout:10,size:MAX_MARKS})),containers}var FAMILIES2=["IPv4","IPv6"],KUBE_PROXY_TABLE="kube-proxy";function cleanUp2(nft){return removeTables(nft,TABLE)}function cleanUpKubeProxy(nft){
return removeTables(nft,KUBE_PROXY_TABLE)}function findLeftovers(nft,owner){return findTables(nft,owner==="backend"?TABLE:
KUBE_PROXY_TABLE)}async function removeTable(nft,family,table){try{return await nft.run({family:nftFamily(family),table,
commands:[{do:"delete-table"}]}),!0}catch(error){if(!(error instanceof NftRefused)||error.refusal!=="missing")throw error;
return!1}}async function removeTables(nft,table){let names=[],leftovers=[],cause;for(let family of FAMILIES2)try{await removeTable(
nft,family,table)&&names.push(`${nftFamily(family)} ${table}`)}catch(error){if(hasNoTables(error))continue;leftovers.push(
`table ${nftFamily(family)} ${table} (${messageOf(error)})`),cause=error}if(nft.close(),leftovers.length>0)throw new LeftoversError(
"NFTABLES_LEFTOVERS",leftovers,{cause});return{removed:names.length===0?[]:[{kind:"table",names}]}}async function findTables(nft,table){
let names=[];try{for(let family of FAMILIES2){let tables=await nft.tables(nftFamily(family)).catch(error=>{if(hasNoTables(
error))return[];throw error});names.push(...tables.filter(name=>name===table).map(name=>`${nftFamily(family)} ${name}`))}}finally{
nft.close()}return names.length===0?[]:[{kind:"table",names}]}function hasNoTables(error){return error instanceof NftError&&
error.code==="NFT_MISSING"||error instanceof NftRefused&&error.refusal==="unsupported"}function completeWrite({write:write2,load}){if(load===void 0)return write2;let commands=[...write2.commands];for(let part of load.
elements())commands.push(...part??[]);return{...write2,commands:[...commands,...load.end]}}function withoutChainDeletions({write:write2,...rest}){let commands=write2.commands.filter(command=>command.do!=="delete\
-chain");return{...rest,write:{...write2,commands}}}var TransactionDraft=class{#before=[];#chains=[];#flushes=[];#rules=[];#deletions=new Map;#additions=new Map;#after=[];#last=[];first(command){
this.#before.push(command)}declareChain(command){this.#chains.push(command)}flushChain(chain){this.#flushes.push({do:"fl\
ush-chain",chain})}addRule(command){this.#rules.push(command)}deleteChain(chain){this.flushChain(chain),this.#after.push(
{do:"delete-chain",chain})}addCounter(name){this.#before.push({do:"add-counter",name})}deleteCounter(name){this.#last.push(
{do:"delete-counter",name})}deleteContainer(kind2,name){this.#last.push({do:"delete-container",kind:kind2,name})}addElement([
container,key,value]){let element=value===void 0?[key]:[key,value],list=this.#additions.get(container);list===void 0?this.#additions.
set(container,[element]):list.push(element)}deleteElement(container,key){let list=this.#deletions.get(container)??[];this.#deletions.
set(container,list),list.push(key)}commands(){return[...this.#before,...this.#chains,...this.#flushes,...this.#rules,...[
...this.#deletions].map(([name,keys])=>({do:"delete-elements",name,keys})),...[...this.#additions].map(([name,elements])=>({
do:"add-elements",name,elements})),...this.#after,...this.#last]}};var FORGET_ATTEMPTS=3;async function applyTransaction2(transaction,target){let leftovers=transaction.write.commands.length>
0&&await write(transaction,target);return transaction.forget.length>0&&await forget(transaction.forget,target),{leftovers}}
async function write(transaction,{nft,logger}){if(transaction.load!==void 0)return await nft.runAll(partsOf(transaction.
write,transaction.load)),!1;try{return await nft.run(transaction.write),!1}catch(error){let deletes=transaction.write.commands.
some(command=>command.do==="delete-chain");if(!(error instanceof NftRefused)||error.refusal!=="busy"||!deletes)throw error;
return logger.debug(2,"Unused chains are deleted later",{reason:error.reason}),await nft.run(withoutChainDeletions(transaction).
write),!0}}async function*partsOf(write2,{elements,end}){yield write2;let pace=new EventLoopPace;for(let commands of elements())
commands!==void 0?yield{...write2,commands}:pace.isPauseDue()&&await pace.pause();yield{...write2,commands:end}}async function forget(clients,{
nft,family,logger}){let wanted=new Map(clients.map(({id,numbers})=>[String(id),numbers]));for(let attempt=1;;attempt++){
let keys=[...await nft.listElements(nftFamily(family),TABLE,"map",AFFINITY)??[]].flatMap(([key,{value=""}])=>{let id=idOfAffinityKey(
key);return wanted.has(id)&&(wanted.get(id)?.has(value)??!0)?[key]:[]});if(keys.length===0)return;try{let commands=[{do:"\
delete-elements",name:AFFINITY,keys}];await nft.run({family:nftFamily(family),table:TABLE,commands});return}catch(error){
if(!(error instanceof NftRefused)||error.refusal!=="missing")throw error;if(attempt>=FORGET_ATTEMPTS){logger.debug(2,"Af\
finity clients of deleted endpoints are left to time out",{clients:keys.length});return}}}}function countedEndpoints(port,except){let hasRanges=port.frontends.some(({lastPort})=>lastPort!==void 0),isSame=!hasRanges&&
except!==void 0&&except.frontends===port.frontends&&except.servicePort===port.servicePort,others=new Set(isSame?except.candidates.
map(({key})=>key):[]),inRanges=hasRanges?new Map(port.candidates.map(endpoint=>[endpoint.address,endpoint])):void 0,counted=[];
for(let endpoint of inRanges?.values()??port.candidates)others.has(endpoint.key)||counted.push({endpoint,keys:port.frontends.
map(frontend=>keyOf(frontend,endpoint))});return counted}function keyOf({address,protocol,port:first,lastPort},endpoint){
let scope=lastPort!==void 0?"range":address===void 0?"node-port":"address",portsFrom=from=>lastPort===void 0?from:`${from}\
-${from+lastPort-first}`,frontend=[...address===void 0?[]:[address],protocol.toLowerCase(),portsFrom(first)];return[scope,
[...frontend,endpoint.address,portsFrom(endpoint.port)].join(" . ")]}function counterElements({keys},quantity,counter){return keys.
map(([scope,key])=>[endpointCounters(scope,quantity),key,counter])}var COUNTER=/^endpoint\/([^/]+)\/([^/]+)(?:\/([^/]+))?\/(tcp|udp|sctp)\/([\da-f.-]+)\/(\d+)$/;
function endpointCounter({servicePort,endpoint}){return["endpoint",...namesOf(servicePort),...namesOfEndpoint(endpoint)].
join("/")}function connectionsCountedBy(counter){let[,namespace,name,portName="",protocol,address,port]=COUNTER.exec(counter)??
[];return namespace===void 0||name===void 0||protocol===void 0||address===void 0?void 0:{servicePort:{namespace,name,portName,
protocol:protocol.toUpperCase()},endpoint:{address:address.replaceAll("-",":"),port:Number(port)}}}function namesOf({namespace,
name,portName,protocol}){return[namespace,name,...portName===""?[]:[portName],protocol.toLowerCase()]}function namesOfEndpoint({
address,port}){return[address.replaceAll(":","-"),String(port)]}var DIRECTION_NAMES={"to-endpoints":"in","to-clients":"out"},COUNTER2=/^traffic\/([^/]+)\/([^/]+)(?:\/([^/]+))?\/(tcp|udp|sctp)(?:\/([\da-f.-]+)\/(\d+))?\/(in|out)$/;
function trafficCounter({servicePort,direction,endpoint}){let where=endpoint===void 0?[]:namesOfEndpoint(endpoint);return[
"traffic",...namesOf(servicePort),...where,DIRECTION_NAMES[direction]].join("/")}function trafficCountedBy(counter){let[
,namespace,name,portName="",protocol,address,port,direction]=COUNTER2.exec(counter)??[];return namespace===void 0||name===
void 0||protocol===void 0?void 0:{servicePort:{namespace,name,portName,protocol:protocol.toUpperCase()},direction:direction===
DIRECTION_NAMES["to-endpoints"]?"to-endpoints":"to-clients",...address===void 0?{}:{endpoint:{address:address.replaceAll(
"-",":"),port:Number(port)}}}}function trafficElements(servicePort,endpoints){let counters=TRAFFIC_DIRECTIONS.map(direction=>trafficCounter(
{servicePort,direction})),elements=[];for(let counted of endpoints)for(let direction of TRAFFIC_DIRECTIONS){let counter=trafficCounter(
{servicePort,direction,endpoint:counted.endpoint});counters.push(counter),elements.push(...counterElements(counted,direction,
counter))}return{counters,elements}}async function keepTraffic(transaction,nft,logger){let{write:write2}=transaction;if(!write2.commands.some(({do:what})=>what===
"delete-counter"))return transaction;let removedBy=removedCounters(write2.commands);if(removedBy.size===0)return transaction;
let names=[...removedBy].flatMap(([total,removed])=>[total,...removed]),counters;try{counters=await nft.listCounters(write2.
family,write2.table,names)}catch(error){return logger.warn(`Packets that removed endpoints have counted are lost, as cou\
nters cannot be read: ${messageOf(error)}`),transaction}let commands=[...removedBy].flatMap(([name,removed])=>{let counted=sum(
removed.map(counter=>counters?.get(counter)));return counted.packets===0?[]:[{do:"delete-counter",name},{do:"add-counter",
name,value:sum([counted,counters?.get(name)])}]});return commands.length===0?transaction:{...transaction,write:{...write2,
commands:[...write2.commands,...commands]}}}function removedCounters(commands){let deleted=new Set(commands.flatMap(command=>command.
do==="delete-counter"?[command.name]:[])),found=new Map;for(let counter of deleted){let counted=trafficCountedBy(counter);
if(counted?.endpoint===void 0)continue;let{servicePort,direction}=counted,total=trafficCounter({servicePort,direction});
deleted.has(total)||found.set(total,[...found.get(total)??[],counter])}return found}function sum(counters){return counters.
reduce((total,counter)=>({packets:total.packets+(counter?.packets??0),bytes:total.bytes+(counter?.bytes??0)}),{packets:0,
bytes:0})}import{createHash as createHash3}from"node:crypto";import{createHash}from"node:crypto";function*matchSlots(seeds){let{length}=seeds,matching={seeds,order:byPriority(seeds,seeds.keys()),tries:new Uint32Array(
length),holders:new Int32Array(length).fill(-1)},{order}=matching;for(let from=0;from<length;from+=64){yield;for(let place=from;place<
Math.min(length,from+64);place++)insert(matching,order[place])}return matching}var MANY=256;function*rematchSlots(known,seeds,before){
if(maskOf(seeds.length)!==maskOf(known.seeds.length))return yield*matchSlots(seeds);let{matching,kept,free,unplaced}=carryOver(
known,seeds,before);if(free.length>MANY)return yield*matchSlots(seeds);for(let from=0;from<kept.length;from+=64)yield,moveUp(
matching,kept.subarray(from,from+64),free,unplaced);for(let index of unplaced)yield,insert(matching,index);return matching}
function carryOver(known,seeds,before){let{length}=seeds,after=new Int32Array(known.seeds.length).fill(-1),tries=new Uint32Array(
length),added=[];for(let index=0;index<length;index++){let old=before[index];old===-1?added.push(index):(after[old]=index,
tries[index]=known.tries[old])}let kept=new Int32Array(length-added.length);for(let place=0,from=0;place<kept.length;from++){
let index=after[known.order[from]];index!==-1&&(kept[place++]=index)}let holders=new Int32Array(length).fill(-1),free=[],
unplaced=new Set(added);for(let slot2=0;slot2<Math.max(length,known.holders.length);slot2++){let index=slot2<known.holders.
length?after[known.holders[slot2]]:-1;slot2>=length?index!==-1&&unplaced.add(index):index===-1?free.push(slot2):holders[slot2]=
index}let order=merged(kept,byPriority(seeds,added),seeds);return{matching:{seeds,order,tries,holders},kept,free,unplaced}}
function moveUp({seeds,tries,holders},some,free,unplaced){let mask=maskOf(holders.length);for(let place=0;place<some.length;place++){
let index=some[place],seed=seeds[index],first=firstOf(seed),inverse=inverseOf(stepOf(seed)),last=tries[index],number=last,
found=-1;for(let at=0;at<free.length;at++){let tried=(Math.imul(free[at]-first,inverse)&mask)+1;tried<number&&(number=tried,
found=at)}if(found!==-1)if(holders[free[found]]=index,tries[index]=number,unplaced.delete(index))free.splice(found,1);else{
let left=slotOf(seed,last,mask);holders[left]=-1,free[found]=left}}}function insert({seeds,tries,holders},index){let{length}=holders,
mask=maskOf(length);for(let seeker=index;seeker!==-1;){let seed=seeds[seeker],number=tries[seeker]+1;tries[seeker]=number;
let slot2=slotOf(seed,number,mask);if(slot2<length){let holder=holders[slot2];(holder===-1||isBefore(seeds,seeker,holder))&&
(holders[slot2]=seeker,seeker=holder)}}}function slotOf(seed,number,mask){return firstOf(seed)+Math.imul(number-1,stepOf(
seed))&mask}function firstOf(seed){return mixed(seed,1)}function stepOf(seed){return mixed(seed,2)|1}function inverseOf(odd){
let inverse=odd;for(let bits=3;bits<32;bits*=2)inverse=Math.imul(inverse,2-Math.imul(odd,inverse));return inverse}function maskOf(length){
return length<2?0:-1>>>Math.clz32(length-1)}function isBefore(seeds,one,other){let left=priorityOf(seeds[one]),right=priorityOf(
seeds[other]);return left<right||left===right&&one<other}function priorityOf(seed){return mixed(seed,0)}function byPriority(seeds,indices){
let keys=Float64Array.from(indices,index=>priorityOf(seeds[index])*2097152+index).sort();return Int32Array.from(keys,key=>key%
2097152)}function merged(left,right,seeds){let all=new Int32Array(left.length+right.length),from=0;for(let place=0;place<
right.length;place++){let index=right[place],end=from;for(;end<left.length&&isBefore(seeds,left[end],index);)end++;all.set(
left.subarray(from,end),from+place),all[end+place]=index,from=end}return all.set(left.subarray(from),from+right.length),
all}function mixed(seed,number){let hash3=Math.imul(seed^number,2654435761);return hash3=Math.imul(hash3^hash3>>>15,2246822507),
hash3=Math.imul(hash3^hash3>>>13,3266489909),(hash3^hash3>>>16)>>>0}function endpointSlots(endpoints,balancing){let{loadBalancing}=balancing,arranged=arrangedOf(endpoints,balancing);if(arranged!==
void 0)return arranged.slots;let weights=selectionWeights(endpoints);if(loadBalancing==="maglev")return maglevSlots(endpoints,
weights);if(weights===void 0)return endpoints.length<LONG_LIST?endpoints:steadySlots(endpoints,void 0,balancing);let parts=partsOf2(
endpoints,weights,balancing);return weights.length<LONG_LIST?endpoints.flatMap((endpoint,index)=>Array(parts[index]??1).
fill(endpoint)):steadySlots(endpoints,parts,balancing)}function arrangedOf(endpoints,{loadBalancing,drawsAgain}){let arranged=loadBalancing===
"maglev"?void 0:ARRANGED.get(endpoints);return arranged?.matching!==void 0||arranged?.drawsAgain===(drawsAgain??!1)?arranged:
void 0}function slotCount(endpoints,balancing){let{loadBalancing}=balancing;if(loadBalancing==="maglev")return endpoints.
length===0?0:tableSize(endpoints.length);let arranged=arrangedOf(endpoints,balancing);if(arranged!==void 0)return arranged.
slots.length;let weights=selectionWeights(endpoints);return weights===void 0?endpoints.length:sumOf(partsOf2(endpoints,weights,
balancing))}function drawOf(endpoints,balancing){let slots=slotCount(endpoints,balancing),isRepeated=balancing.drawsAgain===
!0&&balancing.loadBalancing!=="maglev"&&selectionWeights(endpoints)!==void 0;return{count:isRepeated?powerOfTwo(slots):slots,
isRepeated}}var DRAWS=20,FEW=6;function partsOf2(endpoints,weights,{drawsAgain=!1}){let limit=selectionSlots(weights.length);
if(!drawsAgain)return proportionalParts(weights,limit);let whole=wholeParts(endpoints,weights,limit);if(weights.length>FEW)
return whole;let times=Math.floor(powerOfTwo(weights.length*SLOW_START_PARTS)/sumOf(whole));return times>1?whole.map(part=>part*
times):whole}function wholeParts(endpoints,weights,limit){if(endpoints.some(({slowStart})=>slowStart!==void 0)){let divisor=endpoints.
map(({weight})=>weight).reduce(greatestCommonDivisor,0),parts=endpoints.map(({weight,slowStart=SLOW_START_PARTS})=>weight/
divisor*slowStart);if(sumOf(parts)<=limit)return parts}return proportionalParts(weights,limit)}function sumOf(numbers){return numbers.
reduce((sum2,number)=>sum2+number,0)}function greatestCommonDivisor(a,b){return b===0?a:greatestCommonDivisor(b,a%b)}function powerOfTwo(number){
return 2**Math.ceil(Math.log2(number))}function*arrangeSlotsInSlices(endpoints,balancing,previous){if(endpoints.length<LONG_LIST)
return;let how=balancing();if(how.loadBalancing!=="maglev"&&arrangedOf(endpoints,how)===void 0){let weights=selectionWeights(
endpoints),matching=previous&&ARRANGED.get(previous)?.matching,known=previous&&matching&&{endpoints:previous,matching};yield*steadySlotsInSlices(
endpoints,weights&&partsOf2(endpoints,weights,how),how,known)}}var LONG_LIST=64,ARRANGED=new WeakMap;function steadySlots(list,parts,balancing){
return finish(steadySlotsInSlices(list,parts,balancing))}function*steadySlotsInSlices(list,parts,{drawsAgain=!1},known){
let endpoints=parts===void 0?list:repeated(list,parts);yield;let matching=parts===void 0&&known!==void 0?yield*rematch(endpoints,
known):yield*matchSlots(seedsOf(endpoints)),slots=inSlots(endpoints,matching.holders);return ARRANGED.set(list,{slots,matching:parts===
void 0?matching:void 0,drawsAgain}),slots}function inSlots(endpoints,holders){let slots=new Array(holders.length);for(let slot2=0;slot2<
holders.length;slot2++)slots[slot2]=endpoints[holders[slot2]];return slots}function repeated(list,parts){return list.flatMap(
(endpoint,index)=>Array(parts[index]??1).fill(endpoint))}function seedsOf(endpoints){let seeds=new Uint32Array(endpoints.
length),previous,hash3=0,copy=0;for(let[index,endpoint]of endpoints.entries())endpoint===previous?copy+=1:(copy=0,hash3=
textHash(endpoint.key),previous=endpoint),seeds[index]=copy===0?hash3:mixed(hash3,copy);return seeds}var LOOK_AHEAD=128;
function rematch(endpoints,{endpoints:known,matching}){let seeds=new Uint32Array(endpoints.length),before=new Int32Array(
endpoints.length).fill(-1),place=0;for(let index=0;index<seeds.length;index++){let endpoint=endpoints[index],found=placeOf(
endpoint,known,place);found===-1?seeds[index]=textHash(endpoint.key):(before[index]=found,seeds[index]=matching.seeds[found],
place=found+1)}return rematchSlots(matching,seeds,before)}function placeOf(endpoint,known,from){let end=Math.min(known.length,
from+LOOK_AHEAD);for(let place=from;place<end;place++)if(known[place]===endpoint)return place;return known[from]?.key===
endpoint.key?from:-1}function textHash(text){let hash3=2166136261;for(let index=0;index<text.length;index++)hash3=Math.imul(
hash3^text.charCodeAt(index),16777619);return hash3>>>0}var TABLE_SIZES=[251,1021,4093,16381,65521],SLOTS_PER_ENDPOINT=20;
function tableSize(endpoints){return TABLE_SIZES.find(size=>size>=endpoints*SLOTS_PER_ENDPOINT)??65521}function maglevSlots(endpoints,own){
let size=slotCount(endpoints,{loadBalancing:"maglev"});if(size===0)return[];let byKey=endpoints.map((endpoint,index)=>({
endpoint,weight:own?.[index]??1})).sort((a,b)=>a.endpoint.key<b.endpoint.key?-1:1),inTurn=byKey.map(({endpoint})=>chooser(
endpoint,size)),weights=byKey.map(({weight})=>weight),most=Math.max(...weights),due=inTurn.map(()=>0),slots=new Array(size).
fill(void 0);for(let filled=0;filled<size;)for(let index=0;index<inTurn.length&&filled<size;index++){let one=inTurn[index];
if(due[index]=(due[index]??0)+(weights[index]??1),!((due[index]??0)<most)){for(due[index]=(due[index]??0)-most;slots[one.
next]!==void 0;)one.next=(one.next+one.step)%size;slots[one.next]=one.endpoint,filled++}}return slots}function chooser(endpoint,size){
let digest=createHash("sha256").update(endpoint.key).digest();return{endpoint,next:digest.readUInt32BE(0)%size,step:digest.
readUInt32BE(4)%(size-1)+1}}import{createHash as createHash2}from"node:crypto";var ANNOTATIONS={loadBalancing:"kube-proxier.io/load-balancing",countConnections:COUNT_CONNECTIONS_ANNOTATION,countTraffic:COUNT_TRAFFIC_ANNOTATION},
AS_USUAL={options:{loadBalancing:"random"},problems:[]};function readServiceOptions(annotations){let requested=annotations[ANNOTATIONS.
loadBalancing],{countConnections,countTraffic}=ANNOTATIONS;if(requested===void 0&&annotations[countConnections]===void 0&&
annotations[countTraffic]===void 0)return AS_USUAL;let problems=[];if(requested!==void 0&&requested!=="random"&&requested!==
"maglev"){let text=JSON.stringify(requested.slice(0,60));problems.push(`${ANNOTATIONS.loadBalancing}: ${text} is not one\
 of random, maglev; random is used`)}for(let problem of[countConnectionsProblem(annotations),countTrafficProblem(annotations)])
problems.push(...problem===void 0?[]:[problem]);return{options:{loadBalancing:requested==="maglev"?requested:"random"},problems}}var RESET_CHAINS=[{kind:"reset",name:"reset-input",hook:"input"},{kind:"reset",name:"reset-forward",hook:"forward"},{kind:"\
reset",name:"reset-output",hook:"output"}],DROP_NEW={kind:"drop-new",name:"drop-new"},COUNT_CHAINS=[{kind:"count",name:"\
count-prerouting",hook:"prerouting"},{kind:"count",name:"count-output",hook:"output"}],COUNT_ENDPOINT={kind:"count-endpo\
int",name:"count-endpoint",hook:void 0},ENDPOINT_COUNT_CHAINS=[COUNT_ENDPOINT,{kind:"count-endpoint",name:"count-postrou\
ting",hook:"postrouting"},{kind:"count-endpoint",name:"count-input",hook:"input"}],COUNT_TRAFFIC={kind:"traffic",name:"c\
ount-traffic",hook:void 0},TRAFFIC_CHAINS=[COUNT_TRAFFIC,{kind:"traffic",name:"traffic-prerouting",hook:"prerouting"},{kind:"\
traffic",name:"traffic-output",hook:"output"}],FORGET_PRIORITY={kind:"priority",name:"affinity-postrouting"};function keyScopeOf(frontend){
return frontend.address===void 0?"node-port":"address"}function pathOf(frontend,port,layout){let space=keyScopeOf(frontend),
chains=new Map,note=chain=>(chains.set(chain.name,chain),chain),routes=frontend.routes.map(route=>{if(route.action!=="fo\
rward"){let drop=()=>resetsConnections(port)?note(DROP_NEW):"drop";return{source:route.source,target:route.action==="rej\
ect"?"accept":drop(),masquerade:"never"}}let target2=note(layout==="constant"?pickChain(frontend,route.endpoints,port):listChain(
frontend,route.endpoints,port));return{source:route.source,target:target2,masquerade:route.masquerade}}),picks=frontend.
routes.some(({action})=>action==="forward");layout==="constant"&&port.affinitySeconds!==void 0&&picks&&note(FORGET_PRIORITY);
let[first]=routes,target=(routes.length===1&&first?.masquerade==="never"?first.target:void 0)??note(routeChain(space,routes)),
top=target;return frontend.allowedSources!==void 0&&(target=top,top=note({kind:"guard",name:`guard/${nameOf(target)}`,space,
target})),{verdict:typeof top=="string"?top:`goto ${top.name}`,chains:[...chains.values()]}}function nameOf(target){return typeof target==
"string"?target:target.name}function prefixOf(space){return space==="address"?"":"node-port/"}function pickChain(frontend,list,port){
let space=keyScopeOf(frontend),{protocol}=frontend,{affinitySeconds}=port,balancing=balancingOf(port),{count,isRepeated}=drawOf(
port[list],balancing),hashed2=balancing.loadBalancing==="maglev",sticky=affinitySeconds===void 0?"":`-affinity-${affinitySeconds}\
s`,what=`${list==="local"?"local-":""}${hashed2?"maglev-":isRepeated?"weighted-":""}${count}`;return{kind:"pick",name:`${prefixOf(
space)}pick-${protocol.toLowerCase()}-${what}${sticky}`,space,protocol,list,count,isRepeated,hashed:hashed2,affinitySeconds}}
function balancingOf({servicePort,affinitySeconds}){let{loadBalancing}=readServiceOptions(servicePort.annotations).options;
return{loadBalancing,drawsAgain:affinitySeconds===void 0}}function listChain(frontend,list,port){let{affinitySeconds}=port,
{protocol}=port.name,{options}=readServiceOptions(port.servicePort.annotations),endpoints=endpointSlots(port[list],{...options,
loadBalancing:"random"}).map(endpoint=>({endpoint,port:portAt(frontend,endpoint,port),clients:affinitySeconds===void 0?void 0:
clientsSet(port,endpoint)})),targets2=endpoints.map(({endpoint,port:to,clients})=>({target:endpoint.key,clients,...frontend.
lastPort===void 0?{}:{to:to??"same port"}})),what=JSON.stringify([protocol,targets2,affinitySeconds]);return{kind:"list",
name:`endpoints/${protocol.toLowerCase()}-${shortHash(what)}`,protocol,endpoints,affinitySeconds}}function portAt(frontend,endpoint,port){
return frontend.lastPort===void 0?endpoint.port:endpoint.port===frontend.port?void 0:{map:shiftMap(port,frontend,endpoint)}}
function shiftMap(port,frontend,endpoint){return`ports/${shortHash(JSON.stringify([port.key,frontend.port,frontend.lastPort,
endpoint.port]))}`}function layoutOf({frontends},layout){return frontends.some(({lastPort})=>lastPort!==void 0)?"chain-p\
er-service":layout}function clientsSet(port,{key}){return`clients/${shortHash(JSON.stringify([port.key,key,port.affinitySeconds]))}`}
function shortHash(text){return createHash2("sha256").update(text).digest("hex").slice(0,20)}function routeChain(space,routes){
let labels=routes.map(({source,target,masquerade})=>{let isOfSpace=typeof target!="string"&&target.kind!=="drop-new",where=nameOf(
target).slice(isOfSpace?prefixOf(space).length:0);return`${source}-${where}${masquerade==="always"?".masquerade":masquerade===
"off-cluster"?".masquerade-off-cluster":""}`});return{kind:"route",name:`${prefixOf(space)}from/${labels.join("/")}`,routes}}var LISTS=["cluster","local"],NO_ELEMENTS={elements:[],chains:[],hairpins:[],sets:new Map,counters:[],hasRanges:!1};function elementsOf(port,{
family,layout:wanted,countAll,countAllTraffic=!1,canCountEndpoints=!0,leavesOutSlots=!1},except){let layout=layoutOf(port,
wanted),{annotations}=port.servicePort,counter=countsConnections(annotations,countAll)?counterOf(port.name):void 0,countsPackets=canCountEndpoints&&
countsTraffic(annotations,countAllTraffic);if(layout==="constant"&&counter===void 0&&!countsPackets&&differsInSlotsOnly(
port,except))return slotsOf(port,except);let elements=[],chains=[],hairpins=new Set,sets=new Map,balancing=balancingOf(port),
affinity=port.affinitySeconds===void 0?void 0:affinityOf(port),counters=[],endpoints=canCountEndpoints&&(counter!==void 0||
countsPackets)?countedEndpoints(port,except):[];if(counter!==void 0){chains.push(...COUNT_CHAINS,...canCountEndpoints?ENDPOINT_COUNT_CHAINS:
[]),counters.push(counter);for(let counted of endpoints){let ofEndpoint=endpointCounter({servicePort:port.name,endpoint:counted.
endpoint});counters.push(ofEndpoint),elements.push(...counterElements(counted,"connections",ofEndpoint))}}if(countsPackets){
let traffic=trafficElements(port.name,endpoints);chains.push(...TRAFFIC_CHAINS),counters.push(...traffic.counters),elements.
push(...traffic.elements)}let resets=resetsConnections(port);resets&&chains.push(...RESET_CHAINS);for(let frontend of port.
frontends){let key=keyOf2(frontend),scope=SPACE_CONTAINERS[keyScopeOf(frontend)],names=frontend.lastPort===void 0?scope:
{...scope,...RANGE_CONTAINERS},path=pathOf(frontend,port,layout);chains.push(...path.chains),elements.push([names.dispatch,
key,path.verdict]),counter!==void 0&&elements.push([names.counters,key,counter]),frontend.kind!=="ClusterIP"&&frontend.routes.
some(({action})=>action==="reject")&&elements.push([names.refused,key,void 0]),resets&&frontend.routes.some(({action})=>action!==
"forward")&&elements.push([names.resets,key,void 0]);for(let source of frontend.allowedSources===void 0?[]:withoutContained(
frontend.allowedSources))elements.push([names.allowed,`${key} . ${source}`,void 0]);let lists=listsOf(frontend);if(layout===
"chain-per-service"){noteEndpoints(port,lists,family,sets,hairpins),noteShifts(port,frontend,lists,sets,elements);continue}
affinity!==void 0&&lists.size>0&&elements.push([names.affinityIds,key,String(affinity.id)]);for(let list of lists){if(noteHairpins(
port[list],hairpins),affinity===void 0){leavesOutSlots||noteSlots(frontend,list,port,hasSameKeys(port,except)?except:void 0,
elements);continue}let firstSlot=list==="local"?LOCAL_SLOTS:0,slots=endpointSlots(port[list],balancing);for(let[index,endpoint]of slots.
entries()){let number=affinity.numbers.get(endpoint.key)??0;elements.push([names.affinityNumbers,`${key} . ${firstSlot+index}`,
classid(number)])}for(let endpoint of new Set(slots)){let number=affinity.numbers.get(endpoint.key)??0;elements.push([names.
affinityEndpoints,`${key} . ${classid(list==="local"?number|1:number)}`,targetOf2(endpoint)])}}}let hasRanges=port.frontends.
some(({lastPort})=>lastPort!==void 0);return{elements,chains,hairpins:[...hairpins],sets,counters,hasRanges}}function hasSameKeys(port,other){
return other!==void 0&&port.frontends===other.frontends&&port.servicePort===other.servicePort&&port.affinitySeconds===void 0}
function differsInSlotsOnly(port,other){if(!hasSameKeys(port,other))return!1;let balancing=balancingOf(port);return LISTS.
every(list=>{if(port[list]===other[list])return!0;let[next2,previous]=[drawOf(port[list],balancing),drawOf(other[list],balancing)];
return next2.count===previous.count&&next2.isRepeated===previous.isRepeated})}function slotsOf(port,other){let elements=[],
hairpins=new Set;for(let frontend of port.frontends)for(let list of listsOf(frontend))noteHairpins(port[list],hairpins),
noteSlots(frontend,list,port,other,elements);return hairpins.size===0?{...NO_ELEMENTS,elements}:{...NO_ELEMENTS,elements,
hairpins:[...hairpins]}}function noteSlots(frontend,list,port,except,elements){if(except!==void 0&&except[list]===port[list])
return;let balancing=balancingOf(port),slots=endpointSlots(port[list],balancing),previousSlots=except&&endpointSlots(except[list],
balancing),map=endpointsMap(keyScopeOf(frontend),frontend.protocol),key=frontend.address===void 0?`${frontend.port}`:`${frontend.
address} . ${frontend.port}`,firstSlot=list==="local"?LOCAL_SLOTS:0;for(let slot2 of changedSlots(slots,previousSlots))elements.
push([map,`${key} . ${firstSlot+slot2}`,targetOf2(slots[slot2])])}function changedSlots(slots,previous=[]){let changed=[];
for(let slot2=0;slot2<slots.length;slot2++){let endpoint=slots[slot2];endpoint!==previous[slot2]&&endpoint.key!==previous[slot2]?.
key&&changed.push(slot2)}return changed}function targetOf2({address,port}){return`${address} . ${port}`}var FEW2=64,HAIRPINS=new WeakMap;
function noteHairpins(endpoints,hairpins){let found=HAIRPINS.get(endpoints);found===void 0&&(found=endpoints.filter(({isLocal:isLocal2})=>isLocal2).
map(({address})=>`${address} . ${address}`),endpoints.length>FEW2&&HAIRPINS.set(endpoints,found));for(let hairpin of found)
hairpins.add(hairpin)}var MAX_CLIENTS=65536;function noteEndpoints(port,lists,family,sets,hairpins){for(let list of lists){
noteHairpins(port[list],hairpins);for(let endpoint of port[list])if(port.affinitySeconds!==void 0){let container={kind:"\
set",key:[fieldsOf(family).saddr],flags:["dynamic","timeout"],size:MAX_CLIENTS};sets.set(clientsSet(port,endpoint),container)}}}
function noteShifts(port,frontend,lists,sets,elements){let{port:first,lastPort:last}=frontend;for(let endpoint of[...lists].
flatMap(list=>port[list])){let name=last===void 0||endpoint.port===first?void 0:shiftMap(port,frontend,endpoint);if(name===
void 0||last===void 0||sets.has(name))continue;let known=[protocolPort(frontend.protocol)];sets.set(name,{kind:"map",key:known,
value:known});for(let from=first;from<=last;from++)elements.push([name,String(from),String(endpoint.port+from-first)])}}
var COUNTER3=/^service\/([^/]+)\/([^/]+)(?:\/([^/]+))?\/(tcp|udp|sctp)$/;function counterOf(servicePort){return["service",
...namesOf(servicePort)].join("/")}function countedBy(counter){let[,namespace,name,portName="",protocol]=COUNTER3.exec(counter)??
[];return namespace===void 0||name===void 0||protocol===void 0?void 0:{namespace,name,portName,protocol:protocol.toUpperCase()}}
var[NO_LIST,ONE_LIST]=[new Set,{cluster:new Set(["cluster"]),local:new Set(["local"])}];function listsOf({routes}){let[first]=routes;
return routes.length===1&&first!==void 0?first.action==="forward"?ONE_LIST[first.endpoints]:NO_LIST:new Set(routes.flatMap(
route=>route.action==="forward"?[route.endpoints]:[]))}function keyOf2(frontend){let{address,protocol}=frontend,ports=formatPorts(
frontend),rest=`${protocol.toLowerCase()} . ${ports}`;return address===void 0?rest:`${address} . ${rest}`}function withoutContained(networks){
let lengthOf=network=>Number(network.slice(network.indexOf("/")+1)),kept=[];for(let network of[...new Set(networks)].sort(
(a,b)=>lengthOf(a)-lengthOf(b))){let[base2=""]=network.split("/");kept.some(other=>cidrContains(other,base2))||kept.push(
network)}return kept.map(network=>network.replace(/^(.*:.*)\/128$|^([^:]*)\/32$/,"$1$2"))}function affinityOf(port){let numbers=new Map,
taken=new Set,addAll=endpoints=>{for(let{key}of endpoints)if(!numbers.has(key)){let number=endpointNumber(key);for(;taken.
has(number);)number=next(number);taken.add(number),numbers.set(key,number)}};return addAll(port.cluster),addAll(port.local),
{id:hash2(port.key)||1,numbers}}function hash2(text){return createHash3("sha256").update(text).digest().readUInt32BE(0)}
function endpointNumber(key){let number=hash2(key),major=(number>>>16)%65534,minor=(number&65535)%32766;return(major+1<<
16|minor+1<<1)>>>0}function next(number){let minor=(number&65535)+2;return(number&4294901760|(minor>=65534?2:minor))>>>0}
function classid(number){return`${(number>>>16).toString(16)}:${(number&65535).toString(16)}`}function removedAffinityClients(was,current){if(was?.affinitySeconds===void 0)return[];let old=affinityOf(was);if(current?.
affinitySeconds===void 0)return[{id:old.id,numbers:void 0}];let kept=new Set(affinityOf(current).numbers.values()),numbers=new Set(
[...old.numbers.values()].filter(number=>!kept.has(number)).map(classid));return numbers.size===0?[]:[{id:old.id,numbers}]}
function staleAffinityClients(state,remembered){if(remembered===void 0||remembered.size===0)return[];let known=new Map;for(let port of state.
servicePorts.values())if(port.affinitySeconds!==void 0){let{id,numbers}=affinityOf(port),found=known.get(String(id))??new Set;
known.set(String(id),found);for(let number of numbers.values())found.add(classid(number))}let unknown=new Map;for(let[key,
{value}]of remembered){let id=idOfAffinityKey(key);value!==void 0&&!known.get(id)?.has(value)&&unknown.set(id,(unknown.get(
id)??new Set).add(value))}return[...unknown].map(([id,numbers])=>({id:Number(id),numbers}))}var NftablesUnusableName=class extends ProxierError{interfaceName;constructor(interfaceName){super("NFTABLES_UNUSABLE_NA\
ME",`${JSON.stringify(interfaceName)} cannot be matched as an interface name; for local traffic detection use a name of \
at most 15 characters without blanks, quotes, slashes and asterisks`),this.interfaceName=interfaceName}},NftablesLayoutRefused=class extends ProxierError{constructor(cause){
super("NFTABLES_LAYOUT_REFUSED",`rules of the kind that is installed were refused; trying which ones this host accepts: ${cause.
message}`,{cause,kind:"perhaps-outdated"})}};var WITH_PORTS={kind:"one-of",left:nftFields.protocol,values:["tcp","udp","sctp"]};function markBit(context){return 1<<context.
masqueradeBit>>>0}function setMark(context){return changeMark("|",markBit(context))}function changeMark(operator,right){
let{mark}=nftFields;return{kind:"assign",to:mark,value:{kind:"bitwise",left:mark,operator,right}}}var INTERFACE_NAME=/^[^\s"'\\*/]{1,15}$/;
function fromInterface(name,wildcard){if(!INTERFACE_NAME.test(name))throw new NftablesUnusableName(name);return{kind:"ma\
tch",left:{kind:"meta",key:"iifname"},right:`${name}${wildcard}`}}function podMatch(family,detector){switch(detector.kind){case"\
none":return;case"source-cidr":return{kind:"match",left:fieldsOf(family).saddr,right:detector.cidr};case"interface":return fromInterface(
detector.name,"");case"interface-prefix":return fromInterface(detector.prefix,"*")}}function nodePortMatch({family,node}){
let{daddr}=fieldsOf(family);return node.nodePortAddresses.kind==="listed"?[{kind:"member",key:[daddr],set:NODE_PORT_ADDRESSES}]:
[isLocal("daddr"),{kind:"match",left:daddr,operator:"!=",right:family==="IPv4"?"127.0.0.0/8":"::1"}]}function isLocal(address){
return{kind:"match",left:{kind:"fib",address},right:"local"}}var IS_FORWARDED={kind:"match",left:{kind:"ct",key:"status"},
right:"dnat"},IS_NO_LOOPBACK={kind:"match",left:{kind:"meta",key:"iifname"},operator:"!=",right:"lo"},base=(type,hook,priority)=>({
type,hook,priority});function onlyFirst(...chains){return[[{kind:"match",left:{kind:"ct",key:"state"},operator:"!=",right:"\
new"},{kind:"accept"}],...chains.map(jumpTo)]}function jumpTo(chain){return[{kind:"jump",chain}]}function fixedChains2(context){
let{family,node,fullyRandom,hasRanges}=context,{saddr,daddr,key}=fieldsOf(family),bit=markBit(context),masquerade={kind:"\
masquerade",fullyRandom},reject2={kind:"reject"},isRefused=(of,set)=>({kind:"member",key:of,set}),{address,"node-port":nodePort}=SPACE_CONTAINERS,
nodePortAddress=nodePortMatch(context);return new Map([["dispatch",{rules:[[{kind:"vmap",key:key.address,map:address.dispatch}],
...hasRanges?[[{kind:"vmap",key:key.address,map:RANGE_CONTAINERS.dispatch}]]:[],[...nodePortAddress,{kind:"vmap",key:key["\
node-port"],map:nodePort.dispatch}]]}],["nat-prerouting",{base:base("nat","prerouting",-100),rules:[jumpTo("dispatch")]}],
["nat-output",{base:base("nat","output",-100),rules:[jumpTo("dispatch")]}],["nat-prerouting-again",{base:base("nat","pre\
routing",-99),rules:[jumpTo("dispatch")]}],["nat-output-again",{base:base("nat","output",-99),rules:[jumpTo("dispatch")]}],
["nat-postrouting",{base:base("nat","postrouting",100),rules:[[{kind:"match",operator:"!=",right:0,left:{kind:"bitwise",
left:nftFields.mark,operator:"&",right:bit}},changeMark("^",bit),masquerade],[IS_FORWARDED,{kind:"member",key:[saddr,daddr],
set:HAIRPIN},masquerade]]}],["closed-services",{rules:[[IS_FORWARDED,{kind:"accept"}],[isRefused(key.address,address.refused),
reject2],...hasRanges?[[isRefused(key.address,RANGE_CONTAINERS.refused),reject2]]:[]]}],["closed-node-ports",{rules:[[...nodePortAddress,
isRefused(key["node-port"],nodePort.refused),reject2]]}],["closed-cluster-ips",{rules:[[WITH_PORTS,{kind:"member",key:[daddr],
set:CLUSTER_IPS},reject2]]}],["closed-networks",{rules:node.serviceCIDRs.map(cidr=>[WITH_PORTS,{kind:"match",left:daddr,
right:cidr},{kind:"drop"}])}],["filter-input",{base:base("filter","input",0),rules:onlyFirst("closed-services","closed-n\
ode-ports","closed-cluster-ips")}],...["forward","output"].map(hook=>[`filter-${hook}`,{base:base("filter",hook,0),rules:onlyFirst(
"closed-services","closed-cluster-ips","closed-networks")}])])}function renderKind(chain,context){switch(chain.kind){case"pick":return{rules:chain.affinitySeconds===void 0?pickRules(chain,
context):stickyRules(chain,context)};case"list":return{rules:listRules(chain,context)};case"route":return{rules:chain.routes.
flatMap(route=>routeRules(route,context))};case"guard":{let{saddr,key}=fieldsOf(context.family),{allowed}=SPACE_CONTAINERS[chain.
space];return{rules:[[{kind:"member",key:[...key[chain.space],saddr],set:allowed,isNot:!0},{kind:"drop"}],[leadTo(chain.
target)]]}}case"count":{let{key}=fieldsOf(context.family),{address,"node-port":nodePort}=SPACE_CONTAINERS;return{base:base(
"nat",chain.hook,-101),rules:[[{kind:"count",key:key.address,map:address.counters},{kind:"accept"}],...context.hasRanges?
[[{kind:"count",key:key.address,map:RANGE_CONTAINERS.counters},{kind:"accept"}]]:[],[...nodePortMatch(context),{kind:"co\
unt",key:key["node-port"],map:nodePort.counters}]]}}case"count-endpoint":return chain.hook===void 0?{rules:PROTOCOLS2.flatMap(
protocol=>endpointCountRules(protocol,context))}:{base:base("nat",chain.hook,-100),rules:[[IS_FORWARDED,{kind:"goto",chain:COUNT_ENDPOINT.
name}]]};case"traffic":return chain.hook===void 0?{rules:PROTOCOLS2.flatMap(protocol=>trafficRules(protocol,context))}:{
base:base("filter",chain.hook,-98),rules:[[IS_FORWARDED,...chain.hook==="prerouting"?[IS_NO_LOOPBACK]:[],{kind:"goto",chain:COUNT_TRAFFIC.
name}]]};case"reset":{let{key}=fieldsOf(context.family),{address,"node-port":nodePort}=SPACE_CONTAINERS,noSyn={kind:"no-\
syn"},reject2={kind:"reject",with:"tcp-reset"};return{base:base("filter",chain.hook,-1),rules:[[{kind:"match",left:{kind:"\
ct",key:"state"},operator:"!=",right:"new"},{kind:"accept"}],[IS_FORWARDED,{kind:"accept"}],[noSyn,{kind:"member",key:key.
address,set:address.resets},reject2],...context.hasRanges?[[noSyn,{kind:"member",key:key.address,set:RANGE_CONTAINERS.resets},
reject2]]:[],...chain.hook==="input"?[[...nodePortMatch(context),noSyn,{kind:"member",key:key["node-port"],set:nodePort.
resets},reject2]]:[]]}}case"drop-new":return{rules:[[{kind:"no-syn"},{kind:"accept"}],[{kind:"drop"}]]};case"priority":return{
base:{type:"nat",hook:"postrouting",priority:99},rules:[[IS_FORWARDED,{kind:"assign",to:nftFields.priority,value:0}]]}}}
function ofProtocol(protocol){return{kind:"match",left:nftFields.protocol,right:protocol.toLowerCase()}}function endpointKeys({
family,hasRanges}){let{family:nft}=fieldsOf(family),frontend=[nftFields.protocol,nftFields.tuple("original","proto-dst")],
endpoint=[nftFields.tuple("reply",`${nft} saddr`),nftFields.tuple("reply","proto-src")],withAddress=[nftFields.tuple("or\
iginal",`${nft} daddr`),...frontend,...endpoint];return[["address",withAddress],...hasRanges?[["range",withAddress]]:[],
["node-port",[...frontend,...endpoint]]]}function endpointCountRules(protocol,context){return endpointKeys(context).map(
([scope,key])=>[ofProtocol(protocol),{kind:"count",key,map:endpointCounters(scope,"connections")},{kind:"accept"}])}function trafficRules(protocol,context){
return endpointKeys(context).flatMap(([scope,key])=>TRAFFIC_DIRECTIONS.map(direction=>[ofProtocol(protocol),{kind:"match",
left:{kind:"ct",key:"direction"},right:direction==="to-endpoints"?"original":"reply"},{kind:"count",key,map:endpointCounters(
scope,direction)},{kind:"accept"}]))}function leadTo(target){return typeof target=="string"?{kind:target}:{kind:"goto",chain:target.
name}}function routeRules({source,target,masquerade},context){let pod=podMatch(context.family,context.node.detector),goOn=leadTo(
target),match=source==="any"?[]:source==="node"?[isLocal("saddr")]:pod&&[pod];if(match===void 0)return[];switch(masquerade){case"\
never":return[[...match,goOn]];case"always":return[[...match,setMark(context),goOn]];case"off-cluster":return[...pod===void 0?
[]:[[...source==="pod"?[]:match,pod,goOn]],[...match,setMark(context),goOn]]}}function slot({list,hashed:hashed2},modulus,{
family}){let offset=list==="local"?{offset:LOCAL_SLOTS}:{};return hashed2&&modulus>1?{kind:"jhash",of:[fieldsOf(family).
saddr],modulus,seed:HASH_SEED,...offset}:{kind:"numgen",modulus,...offset}}function sendTo(family,to){return{kind:"dnat",
family:fieldsOf(family).family,to}}function pickRules(chain,context){let{family}=context,port=protocolPort(chain.protocol),
key=chain.space==="address"?[fieldsOf(family).daddr,port]:[port],map=endpointsMap(chain.space,chain.protocol),rule2=count=>[
sendTo(family,{kind:"lookup",key:[...key,slot(chain,count,context)],map})],draws=chain.count===1?0:chain.isRepeated?DRAWS:
1;return[...Array.from({length:draws},()=>rule2(chain.count)),rule2(1)]}function listRules({protocol,endpoints,affinitySeconds},{
family}){let{family:nft,saddr}=fieldsOf(family),timeout=affinitySeconds===void 0?{}:{timeoutSeconds:affinitySeconds},known=protocolPort(
protocol),rule2=(match,{endpoint,port,clients},remember=!0)=>[{kind:"match",left:nftFields.protocol,right:protocol.toLowerCase()},
...match,...clients===void 0||!remember?[]:[{kind:"write-element",operation:"update",set:clients,key:[saddr],...timeout}],
{kind:"dnat",family:nft,to:{kind:"endpoint",address:endpoint.address,port:typeof port=="object"?{kind:"lookup",key:[known],
map:port.map}:port}}],byClients=new Map(endpoints.map(endpoint=>[endpoint.clients,endpoint])),[first]=endpoints;return[...affinitySeconds===
void 0?[]:[...byClients.values()].map(target=>rule2(target.clients===void 0?[]:[{kind:"member",key:[saddr],set:target.clients}],
target)),...endpoints.map((target,index)=>{let left=endpoints.length-index;return rule2(left===1?[]:[{kind:"match",left:{
kind:"numgen",modulus:left},right:0}],target)}),...affinitySeconds===void 0||first===void 0?[]:[rule2([],first,!1)]]}function stickyRules(chain,context){
let{mark,priority}=nftFields,fields=fieldsOf(context.family),names=SPACE_CONTAINERS[chain.space],key=fields.key[chain.space],
client=[fields.client,mark],flowMark={kind:"write-element",set:AFFINITY_MARKS,key:fields.flow,value:mark},clientNumber={
kind:"write-element",set:AFFINITY,key:client,value:priority},setTo=(to,of,map)=>({kind:"assign",to,value:{kind:"lookup",
key:of,map}}),keepMark=[{...flowMark,operation:"update"},setTo(mark,key,names.affinityIds)],draw=count=>[setTo(priority,
[...key,slot(chain,count,context)],names.affinityNumbers)],send=[...chain.list==="local"?[[{kind:"assign",to:priority,value:{
kind:"bitwise",left:priority,operator:"|",right:1}}]]:[],[WITH_PORTS,sendTo(context.family,{kind:"lookup",key:[...key,priority],
map:names.affinityEndpoints})]],timeout=chain.affinitySeconds===void 0?{}:{timeoutSeconds:chain.affinitySeconds},rememberAndSend=[
draw(chain.count),[{...clientNumber,operation:"update",...timeout}],[setTo(priority,client,AFFINITY)],[setTo(mark,fields.
flow,AFFINITY_MARKS)],[{...flowMark,operation:"delete"}],...send];return[keepMark,...rememberAndSend,keepMark,[{...clientNumber,
operation:"delete"}],...rememberAndSend,draw(1),...send]}function collectElements(into,wanted){for(let[container,key,value]of wanted?.elements??[]){let found=into.get(container);
found===void 0&&(found=new Map,into.set(container,found)),found.set(key,value)}}function diffElements(name,found,wanted,draft){
finish(diffElementsInSlices(name,found,wanted,draft))}var BETWEEN_PAUSES=64;function*diffElementsInSlices(name,found,wanted,draft){
let compared=0;for(let[key,element]of found??NONE2)++compared%BETWEEN_PAUSES===0&&(yield),(!wanted?.has(key)||wanted.get(
key)!==listedValue(element))&&draft.deleteElement(name,key);for(let[key,value]of wanted??NONE2)++compared%BETWEEN_PAUSES===
0&&(yield),(!found?.has(key)||listedValue(found.get(key))!==value)&&draft.addElement([name,key,value])}var NONE2=new Map;
function listedValue(element){return typeof element=="object"?element.value:element}function putElement(container,key,isWanted,draft){
isWanted?draft.addElement([container,key,void 0]):draft.deleteElement(container,key)}function diffContainers(before,after,draft){
for(let[name,container]of after)before.has(name)||draft.first({do:"add-container",name,container});for(let[name,{kind:kind2}]of before)
after.has(name)||draft.deleteContainer(kind2,name)}function diffCounters(before,after,draft){if(before.length===0&&after.
length===0)return;let[was,is]=[new Set(before),new Set(after)];for(let name of is)was.has(name)||draft.addCounter(name);
for(let name of was)is.has(name)||draft.deleteCounter(name)}function reusableTable({table,flags,lacksFlags=!1},containers,chains,draft){let addTable={do:"add-table",...flags===void 0?
{}:{flags}};if(table===void 0){draft.first(addTable);return}if(!lacksFlags&&[...containers].every(([name,container])=>{let found=table.
containers.get(name);return found===void 0||found.signature===nftContainerSignature(container)})&&[...chains].every(([name,
{base:base2}])=>{let found=table.chains.get(name);return found===void 0||sameBase(found.base,base2)}))return table.isDormant&&
draft.first(addTable),table;draft.first({do:"delete-table"}),draft.first(addTable)}function sameBase(a,b){return a?.type===
b?.type&&a?.hook===b?.hook&&a?.priority===b?.priority}import{createHash as createHash4}from"node:crypto";function ruleTag(rule2){return createHash4("sha256").update(renderNftRule(rule2)).digest("hex").slice(0,12)}function hasRules(found,rules,family){
let{rules:tags,fingerprints}=found;return tags.length===rules.length&&rules.every((rule2,index)=>tags[index]===ruleTag(rule2))&&
(fingerprints===void 0||rules.every((rule2,index)=>fingerprints[index]===expectedNftFingerprint(rule2,family)))}var NO_CHANGES={chains:new Map,hairpins:new Map},SharedParts=class{#chains=new Map;#hairpins=new Map;#ranges=0;#hadRanges=!1;#chainsBefore=new Map;#hairpinsBefore=new Map;has(chain){
return this.#chains.has(chain)}get chains(){return new Map([...this.#chains].map(([name,{kind:kind2}])=>[name,kind2]))}get hairpins(){
return this.#hairpins}get hasRanges(){return this.#ranges>0}add(elements){return this.#count(elements,1)}remove(elements){
return this.#count(elements,-1)}begin(){this.#chainsBefore.clear(),this.#hairpinsBefore.clear(),this.#hadRanges=this.hasRanges}end(){
if(this.#chainsBefore.size===0&&this.#hairpinsBefore.size===0)return{...NO_CHANGES,hadRanges:this.#hadRanges};let chains=new Map;
for(let[name,{kind:kind2,wasThere}]of this.#chainsBefore){let isThere=this.#chains.has(name);isThere!==wasThere&&chains.
set(name,{kind:kind2,isThere})}let hairpins=new Map;for(let[key,wasThere]of this.#hairpinsBefore){let isThere=this.#hairpins.
has(key);isThere!==wasThere&&hairpins.set(key,isThere)}let hadRanges=this.#hadRanges;return this.begin(),{chains,hairpins,
hadRanges}}#count(elements,by){this.#ranges+=elements.hasRanges?by:0;for(let kind2 of elements.chains){let{name}=kind2,found=this.#chains.
get(name);this.#chainsBefore.has(name)||this.#chainsBefore.set(name,{kind:kind2,wasThere:found!==void 0});let count=(found?.
count??0)+by;count===0?this.#chains.delete(name):found!==void 0?found.count=count:this.#chains.set(name,{kind:kind2,count})}
for(let key of elements.hairpins){let found=this.#hairpins.get(key);this.#hairpinsBefore.has(key)||this.#hairpinsBefore.
set(key,found!==void 0);let count=(found??0)+by;count===0?this.#hairpins.delete(key):this.#hairpins.set(key,count)}return elements}};var LOAD_PART=8192,BETWEEN_PAUSES2=64;function*inParts(lists,size){let draft=new TransactionDraft,count=0,sincePause=0;for(let list of lists){
for(let element of list)draft.addElement(element),count+=1,count===size&&(yield draft.commands(),draft=new TransactionDraft,
count=0);sincePause+=list.length,sincePause>=BETWEEN_PAUSES2&&(sincePause=0,yield void 0)}count>0&&(yield draft.commands())}var DEFAULT_FACTS2={fullyRandom:!0,layout:"constant"},[FEW3,MANY2]=[64,1e3],NO_SETS=new Map,NO_COUNTERS=[],NO_CLIENTS=[],
NftablesPlanner=class{options;#planned=new StateMemo(state=>{let parts=new SharedParts;for(let port of state.servicePorts.
values())parts.add(this.#elementsOf(port,state,DEFAULT_FACTS2));return{facts:DEFAULT_FACTS2,parts}});constructor(options){
this.options=options}plan(next2,changes,installed){return finish(this.planInSlices(next2,changes,installed))}*planInSlices(next2,changes,installed){
let draft=new TransactionDraft,{previous}=changes,load,forget2=[],facts=installed?.facts??DEFAULT_FACTS2;if(installed===
void 0&&previous!==void 0){let planned=this.#planned.take(previous);({facts}=planned),forget2=yield*this.#planChanges(next2,
previous,planned,changes,draft),this.#planned.set(next2,planned)}else installed?.table===void 0||isEmptyTable(installed.
table)?load=yield*this.#planLoad(next2,facts,installed,draft):forget2=yield*this.#planAll(next2,installed,draft);let commands=draft.
commands();return commands.length===0&&forget2.length===0?void 0:{write:{family:nftFamily(next2.family),table:TABLE,commands},
...load===void 0?{}:{load},forget:forget2,problems:yield*problemsOf(changes,facts)}}#elementsOf(port,{family},{layout,endpointCounters:canCountEndpoints=!0},{
except,leavesOutSlots=!1}={}){let{countConnections:countAll=!1,countTraffic:countAllTraffic=!1}=this.options;return elementsOf(
port,{family,layout,countAll,countAllTraffic,canCountEndpoints,leavesOutSlots},except)}#countsEndpoints(port){let{countConnections=!1,
countTraffic=!1}=this.options,annotations=port?.servicePort.annotations??{};return port!==void 0&&(countsConnections(annotations,
countConnections)||countsTraffic(annotations,countTraffic))}#context(state,{fullyRandom},hasRanges){let{masqueradeBit}=this.
options;return{family:state.family,node:state.node,masqueradeBit,fullyRandom,hasRanges}}*#planLoad(next2,facts,installed,draft){
let parts=new SharedParts,counters=new Set,sets=new Map,ports=[...next2.servicePorts.values()],count=0;for(let port of ports)
yield,yield*arrangeSlots(port),noteContainers(parts.add(this.#elementsOf(port,next2,facts,{leavesOutSlots:!0})),counters,
sets),count+=port.frontends.length*(1+port.cluster.length);this.#planned.set(next2,{facts,parts});let containers=new Map(
[...containersOf(next2.family,featuresOf(parts)),...sets]),chains=allChains(this.#context(next2,facts,parts.hasRanges),parts);
reusableTable(installed??{table:void 0,facts},containers,chains,draft);for(let[name,container]of containers)draft.first(
{do:"add-container",name,container});for(let name of counters)draft.addCounter(name);let hairpins=[...parts.hairpins.keys()],
elements=()=>this.#allElements(next2,ports,facts,hairpins),{loadPart=LOAD_PART}=this.options;if(count<=loadPart){let sorted=new Map(
[...containers.keys()].map(name=>[name,[]]));for(let some of elements())for(let element of some)sorted.get(element[0])?.
push(element);for(let element of[...sorted.values()].flat())draft.addElement(element);writeChains2(chains,draft);return}
let end=new TransactionDraft;return writeChains2(new Map([...chains].filter(([,{base:base2}])=>base2===void 0)),draft),writeChains2(
new Map([...chains].filter(([,{base:base2}])=>base2!==void 0)),end),{elements:()=>inParts(elements(),loadPart),end:end.commands()}}*#allElements(next2,ports,facts,hairpins){
for(let port of ports)yield this.#elementsOf(port,next2,facts).elements;yield[...sharedElements(next2,hairpins)]}*#planAll(next2,installed,draft){
let{facts}=installed,parts=new SharedParts,elements=new Map,counters=new Set,sets=new Map,note=([container,key,value])=>{
let found=elements.get(container);found===void 0&&(found=new Map,elements.set(container,found)),found.set(key,value)};for(let port of next2.
servicePorts.values()){yield,yield*arrangeSlots(port);let wanted=parts.add(this.#elementsOf(port,next2,facts));noteContainers(
wanted,counters,sets);for(let element of wanted.elements)yield,note(element)}this.#planned.set(next2,{facts,parts});for(let element of sharedElements(
next2,parts.hairpins.keys()))yield,note(element);let features=featuresOf(parts),containers=new Map([...containersOf(next2.
family,features),...sets]),chains=allChains(this.#context(next2,facts,parts.hasRanges),parts),standing=reusableTable(installed,
containers,chains,draft);for(let[name,container]of containers){let found=standing?.containers.get(name);found===void 0&&
draft.first({do:"add-container",name,container}),!WRITTEN_BY_PACKETS.has(name)&&!sets.get(name)?.flags?.includes("dynami\
c")&&(yield*diffElementsInSlices(name,found?.elements,elements.get(name)??new Map,draft))}for(let[name,{kind:kind2,elements:found}]of standing?.
containers??[])containers.has(name)||(name===RANGE_CONTAINERS.dispatch&&diffElements(name,found,new Map,draft),draft.deleteContainer(
kind2,name));for(let name of counters)standing?.counters.has(name)||draft.addCounter(name);for(let name of standing?.counters.
keys()??[])counters.has(name)||draft.deleteCounter(name);for(let[name,chain]of chains){let found=standing?.chains.get(name);
found?.dropsByPolicy&&declareChain(name,chain.base,draft),(found===void 0||!hasRules(found,chain.rules,nftFamily(next2.family)))&&
writeChain(name,chain,found!==void 0,draft)}for(let name of standing?.chains.keys()??[])chains.has(name)||draft.deleteChain(
name);return features.affinity?staleAffinityClients(next2,standing?.containers.get(AFFINITY)?.elements):[]}*#planChanges(next2,previous,{
facts,parts},changes,draft){let old=new Map,wanted=new Map,forget2=[];parts.begin();for(let[key,{previous:was,current}]of changes.
resolvedServicePorts){if(!changes.servicePorts.has(key)&&!this.#countsEndpoints(was)&&!this.#countsEndpoints(current))continue;
let isLong=changes.resolvedServicePorts.size>FEW3||Math.max(endpointsOf(was),endpointsOf(current))>MANY2;isLong&&(yield*arrangeSlots(
was),yield*arrangeSlots(current,was),yield);let oldElements=was&&parts.remove(this.#elementsOf(was,next2,facts,{except:current}));
isLong&&(yield);let newElements=current&&parts.add(this.#elementsOf(current,next2,facts,{except:was}));collectElements(old,
oldElements),collectElements(wanted,newElements),diffCounters(oldElements?.counters??NO_COUNTERS,newElements?.counters??
NO_COUNTERS,draft),diffContainers(oldElements?.sets??NO_SETS,newElements?.sets??NO_SETS,draft),forget2.push(...removedAffinityClients(
was,current))}let{chains,hairpins,hadRanges}=parts.end();for(let[name,elements]of old)yield*diffElementsInSlices(name,elements,
wanted.get(name),draft);for(let[name,elements]of wanted)old.has(name)||(yield*diffElementsInSlices(name,void 0,elements,
draft));for(let[key,isThere]of hairpins)putElement(HAIRPIN,key,isThere,draft);for(let address of changes.clusterIPs){let isThere=next2.
clusterIPs.has(address);isThere!==previous.clusterIPs.has(address)&&putElement(CLUSTER_IPS,address,isThere,draft)}if(chains.
size===0&&hadRanges===parts.hasRanges&&!changes.nodeChanged)return parts.has(FORGET_PRIORITY.name)?forget2:NO_CLIENTS;let context=this.#context(
next2,facts,parts.hasRanges),features=featuresOf(parts),toggled=(name,now)=>chains.get(name)?.isThere===void 0?now:!now,
hadFeatures={affinity:toggled(FORGET_PRIORITY.name,features.affinity),counters:toggled(COUNT_CHAINS[0].name,features.counters),
endpointCounters:toggled(ENDPOINT_COUNT_CHAINS[0].name,features.endpointCounters),traffic:toggled(TRAFFIC_CHAINS[0].name,
features.traffic),resets:toggled(RESET_CHAINS[0].name,features.resets),ranges:hadRanges};structurallyEqual(hadFeatures,features)||
diffContainers(containersOf(next2.family,hadFeatures),containersOf(next2.family,features),draft);for(let[name,{kind:kind2,
isThere}]of chains)isThere?writeChain(name,renderKind(kind2,context),!1,draft):draft.deleteChain(name);if(changes.nodeChanged||
hadRanges!==features.ranges){let was=this.#context(previous,facts,hadRanges);rewriteChains(was,context,parts,new Set(chains.
keys()),draft)}return changes.nodeChanged&&putNodePortAddresses(next2,previous,draft),features.affinity?forget2:NO_CLIENTS}};
function isEmptyTable({chains,containers,counters}){return chains.size===0&&containers.size===0&&counters.size===0}function endpointsOf(port){
return port===void 0?0:Math.max(port.cluster.length,port.local.length)}function*arrangeSlots(port,previous){if(port!==void 0){
let balancing=()=>balancingOf(port);yield*arrangeSlotsInSlices(port.cluster,balancing,previous?.cluster),yield*arrangeSlotsInSlices(
port.local,balancing,previous?.local)}}function rewriteChains(before,after,parts,written,draft){let was=allChains(before,
parts);for(let[name,chain]of allChains(after,parts))!written.has(name)&&JSON.stringify(was.get(name)?.rules)!==JSON.stringify(
chain.rules)&&writeChain(name,chain,!0,draft)}function putNodePortAddresses(next2,previous,draft){let addresses=new Set(
nodePortAddresses(next2)),oldAddresses=new Set(nodePortAddresses(previous));for(let address of new Set([...addresses,...oldAddresses]))
addresses.has(address)!==oldAddresses.has(address)&&putElement(NODE_PORT_ADDRESSES,address,addresses.has(address),draft)}
function allChains(context,parts){let chains=new Map(fixedChains2(context));for(let[name,kind2]of parts.chains)chains.set(
name,renderKind(kind2,context));return chains}function featuresOf(parts){return{affinity:parts.has(FORGET_PRIORITY.name),
counters:parts.has(COUNT_CHAINS[0].name),endpointCounters:parts.has(ENDPOINT_COUNT_CHAINS[0].name),traffic:parts.has(TRAFFIC_CHAINS[0].
name),resets:parts.has(RESET_CHAINS[0].name),ranges:parts.hasRanges}}function nodePortAddresses({node}){return node.nodePortAddresses.
kind==="listed"?node.nodePortAddresses.addresses.filter(isNoLoopback):[]}function isNoLoopback(address){return!address.startsWith(
"127.")&&address!=="::1"}function noteContainers(wanted,counters,sets){for(let name of wanted.counters)counters.add(name);
for(let[name,container]of wanted.sets)sets.set(name,container)}function*sharedElements(next2,hairpins){for(let key of hairpins)
yield[HAIRPIN,key,void 0];for(let address of next2.clusterIPs.keys())yield[CLUSTER_IPS,address,void 0];for(let address of new Set(
nodePortAddresses(next2)))yield[NODE_PORT_ADDRESSES,address,void 0]}function writeChains2(chains,draft){for(let[name,chain]of chains)
writeChain(name,chain,!1,draft)}function declareChain(name,base2,draft){draft.declareChain({do:"add-chain",chain:name,...base2===
void 0?{}:{base:base2}})}function writeChain(name,{base:base2,rules},isThere,draft){isThere?draft.flushChain(name):declareChain(
name,base2,draft);for(let statements of rules)draft.addRule({do:"add-rule",chain:name,rule:{statements,comment:ruleTag(statements)}})}
function*problemsOf(changes,{endpointCounters:canCountEndpoints=!0}){let problems=[];for(let{current:port}of changes.servicePorts.
values())if(changes.servicePorts.size>FEW3&&(yield),port!==void 0){let{annotations}=port.servicePort,uncounted=!canCountEndpoints&&
readCountTraffic(annotations)===!0?[`${COUNT_TRAFFIC_ANNOTATION}: this host can count connections only`]:[];for(let problem of[
...readServiceOptions(annotations).problems,...uncounted])problems.push(`Service port ${formatServicePortName(port.name)}\
: ${problem}`)}return problems}function renderChanges2(transaction,{table}){let{forget:forget2}=transaction,before=draftOf(table),after=draftOf(table),
texts=new Map,exists=table!==void 0;for(let command of completeWrite(transaction).commands)switch(command.do){case"add-t\
able":exists=!0;break;case"delete-table":exists=!1,after.chains.clear(),after.containers.clear(),after.counters.clear();
break;case"add-chain":after.chains.has(command.chain)||after.chains.set(command.chain,{base:command.base,rules:[]});break;case"\
flush-chain":after.chains.set(command.chain,{base:after.chains.get(command.chain)?.base,rules:[]});break;case"delete-cha\
in":after.chains.delete(command.chain);break;case"add-rule":{let{base:base2,rules=[]}=after.chains.get(command.chain)??{},
tag=command.rule.comment??"";texts.set(tag,renderNftRule(command.rule.statements)),after.chains.set(command.chain,{base:base2,
rules:[...rules,tag]});break}case"add-container":if(!after.containers.has(command.name)){let{kind:kind2}=command.container,
declaration=renderNftSetOrMap(command.container),signature=nftContainerSignature(command.container);after.containers.set(
command.name,{kind:kind2,signature,declaration,elements:new Map})}break;case"flush-container":after.containers.get(command.
name)?.elements.clear();break;case"delete-container":after.containers.delete(command.name);break;case"add-counter":after.
counters.add(command.name);break;case"delete-counter":after.counters.delete(command.name);break;case"add-elements":for(let[
key,value]of command.elements)after.containers.get(command.name)?.elements.set(key,value);break;case"delete-elements":for(let key of command.
keys)after.containers.get(command.name)?.elements.delete(key);break}let forgotten=new Map(forget2.map(({id,numbers})=>[String(
id),numbers])),clients=after.containers.get(AFFINITY)?.elements;for(let[key,value=""]of clients??[]){let id=idOfAffinityKey(
key);forgotten.has(id)&&(forgotten.get(id)?.has(value)??!0)&&clients?.delete(key)}return new Comparison(`table ${transaction.
write.family} ${TABLE}`,texts).changes({...before,exists:table!==void 0},{...after,exists})}function draftOf(table){return{
chains:new Map([...table?.chains??[]].map(([name,{base:base2,rules}])=>[name,{base:base2,rules:rules.map(tag=>tag??"")}])),
containers:new Map([...table?.containers??[]].map(([name,{kind:kind2,signature,elements}])=>[name,{kind:kind2,signature,
declaration:signature.replace(/^(?:set|map) /,""),elements:new Map([...elements].map(([key,{value}])=>[key,value]))}])),
counters:new Set(table?.counters.keys())}}var Comparison=class{table;texts;constructor(table,texts){this.table=table,this.
texts=texts}changes(before,after){let whole=action=>({action,table:this.table,kind:"table",text:this.table});return[...after.
exists&&!before.exists?[whole("add")]:[],...this.#containers(before,after),...this.#counters(before,after),...this.#chains(
before,after),...before.exists&&!after.exists?[whole("remove")]:[]]}#containers(before,after){return union(before.containers,
after.containers).flatMap(name=>{let[old,fresh]=[before.containers.get(name),after.containers.get(name)],declared=(action,{
kind:kind2,declaration})=>({action,table:this.table,kind:kind2,text:`${kind2} ${name} { ${declaration} }`}),noElements=new Map,
isReplaced=old?.signature!==fresh?.signature;return[...fresh!==void 0&&isReplaced?[declared("add",fresh)]:[],...this.#elements(
name,old?.elements??noElements,fresh?.elements??noElements),...old!==void 0&&isReplaced?[declared("remove",old)]:[]]})}#elements(container,before,after){
let change=(action,key,value)=>({action,table:this.table,kind:"element",container,text:`element ${container} { ${key}${value===
void 0?"":` : ${value}`} }`});return union(before,after).flatMap(key=>{let[had,has]=[before.has(key),after.has(key)];return had&&
has&&before.get(key)===after.get(key)?[]:[...had?[change("remove",key,before.get(key))]:[],...has?[change("add",key,after.
get(key))]:[]]})}#counters(before,after){let names=table=>new Map([...table.counters].map(name=>[name,void 0]));return union(
names(before),names(after)).flatMap(name=>{let[had,has]=[before.counters.has(name),after.counters.has(name)];return had===
has?[]:[{action:has?"add":"remove",table:this.table,kind:"counter",text:`counter ${name}`,...ownerOf2(name)}]})}#chains(before,after){
return union(before.chains,after.chains).flatMap(name=>{let[old,fresh]=[before.chains.get(name),after.chains.get(name)],
declared=(action,{base:base2})=>({action,table:this.table,kind:"chain",text:`chain ${name}${base2?` { type ${base2.type}\
 hook ${base2.hook} priority ${base2.priority}; }`:""}`}),rules=listDifference(old?.rules??[],fresh?.rules??[]).map(({action,
position,text:tag})=>({action,table:this.table,kind:"rule",container:name,position,text:`rule ${name} ${this.#ruleText(tag,
position)}`})),isReplaced=old===void 0||fresh===void 0||!structurallyEqual(old.base,fresh.base);return[...fresh!==void 0&&
isReplaced?[declared("add",fresh)]:[],...rules,...old!==void 0&&isReplaced?[declared("remove",old)]:[]]})}#ruleText(tag,position){
let comment=tag===""?"without comment":`comment "${tag}"`;return`${this.texts.get(tag)??`number ${position},`} ${comment}`}};
function ownerOf2(counter){let name=countedBy(counter)??(connectionsCountedBy(counter)??trafficCountedBy(counter))?.servicePort;
return name===void 0?{}:{owner:servicePortKey(name)}}function union(left,right){return[...new Set([...left.keys(),...right.
keys()])].sort()}var PROTOCOLS3=["TCP","UDP","SCTP"],VARIANTS=[[void 0,{port:1}],[1,{port:1}],[void 0,{port:1,lastPort:2}],[1,{port:2,lastPort:3}]];
function trialState(family,combinations="all"){let six=family==="IPv6",address=number2=>six?`2001:db8::${number2}`:`192.\
0.2.${number2}`,endpoints=[address(1),address(2)].map(text=>({key:six?`[${text}]:1`:`${text}:1`,address:text,port:1,isLocal:!0,
ready:!0,serving:!0,terminating:!1,nodeName:void 0,zoneHints:[],nodeHints:[],weight:1})),forward2={action:"forward",endpoints:"\
cluster",masquerade:"never"},short=[{...forward2,source:"pod"},{...forward2,source:"node",masquerade:"always"},{...forward2,
source:"any",endpoints:"local"}],routes=[short,[{...forward2,source:"any",masquerade:"off-cluster"}],[{source:"any",action:"\
reject"}],[{source:"any",action:"drop"}]],servicePorts=new Map,number=10;for(let protocol of PROTOCOLS3){let isWhole=combinations===
"all"||protocol==="TCP";for(let[affinitySeconds,ports]of isWhole?VARIANTS:VARIANTS.slice(0,1)){let name={namespace:"tria\
l",name:`trial-${number}`,portName:"",protocol},key=servicePortKey(name),frontends=(isWhole?routes:[short]).flatMap(list=>{
number+=1;let frontend={protocol,routes:list,allowedSources:[`${address(3)}/${six?128:32}`]},at=address(number);return[{
...frontend,kind:"LoadBalancerIP",key:frontendKey(protocol,at,ports.port),address:at,...ports},{...frontend,kind:"NodePo\
rt",key:frontendKey(protocol,void 0,number),address:void 0,port:number}]}),servicePort={key,name,clusterIP:address(number),
port:1,nodePort:0,externalIPs:[],loadBalancerVIPs:[],loadBalancerSourceRanges:void 0,externalTrafficPolicy:"Cluster",internalTrafficPolicy:"\
Cluster",affinitySeconds,healthCheckNodePort:0,slowStartSeconds:void 0,whenEndpointGoes:"reset",createdAt:0,annotations:{}};
servicePorts.set(key,{key,name,servicePort,frontends,cluster:endpoints,local:endpoints.slice(0,1),affinitySeconds,candidates:endpoints,
overlaps:[],selection:{topology:"none",clusterBasis:"ready",localBasis:"ready"}})}}let network=six?"2001:db8::/32":"192.\
0.2.0/24";return{family,revision:0,servicePorts,frontends:new Map,healthCheckNodePorts:new Map,clusterIPs:new Map([[address(
9),1]]),node:{name:"trial",zone:void 0,addresses:[address(1)],detector:{kind:"source-cidr",cidr:network},nodePortAddresses:{
kind:"all",loopback:!1},serviceCIDRs:[network]}}}var OWNED_TABLE_SETTINGS=["never","persistent","always"],FAMILIES3=["IPv4","IPv6"],REFUSED=["NFT_REFUSED","NFT_FAILED"];
function isRefusal(error){return error instanceof NftError&&REFUSED.includes(error.code)}var HostSupport=class{options;#layout;#trustsInstalled;#flags;constructor(options){
this.options=options,this.#trustsInstalled=options.trustsInstalled??!1}layout(){return this.#layout??=this.#determineLayout().
catch(error=>{throw this.#layout=void 0,error}),this.#layout}noteRefusal(){this.#trustsInstalled&&(this.#trustsInstalled=
!1,this.#layout=void 0)}tableFlags(){return this.#flags??=this.#tryFlags().catch(error=>{throw this.#flags=void 0,error}),
this.#flags}async probe(){try{let access=await this.access(),{layout,reason,countingRefusal}=await this.layout(),how=layout===
"constant"?"":`, a chain per Service: ${reason??"as requested"}`,{flags}=await this.tableFlags(),owned=flags===void 0?"":
`, its table has the flags ${flags.join(", ")}`,uncounted=countingRefusal===void 0?"":`, nothing can be counted for each\
 endpoint: ${countingRefusal}`;return{usable:!0,detail:`${access}${owned}${how}${uncounted}`}}catch(error){return{usable:!1,
reason:messageOf(error).replace(/\.$/,"")}}}async access(){let{choice}=this.options,{access,transport,reason=""}=await choice.
chosen(),why=reason.replace(/\.$/,""),nft=choice.create();try{let version=await nft.version();return await nft.tables("i\
p"),access==="nft"?`nft ${version}${why===""?"":`, as netlink does not work: ${why}`}`:transport==="netlink"?`by netlink\
, Linux ${version}, through the package netlink, which is limited to small transactions: ${why}`:`by netlink, Linux ${version}`}finally{
nft.close()}}async#determineLayout(){return this.#trustsInstalled&&await this.#isInstalled()?{layout:this.options.layout??
"constant",isAssumed:!0}:this.#tryLayouts()}async#isInstalled(){let nft=this.options.choice.create();try{return(await Promise.
all(FAMILIES3.map(family=>nft.tables(nftFamily(family))))).some(names=>names.includes(TABLE))}catch(error){if(error instanceof
NftError)return!1;throw error}finally{nft.close()}}async#tryLayouts(){let{layout}=this.options;if(layout!==void 0)return this.#tryCounting(
layout);try{return await this.#tryCounting("constant")}catch(error){let reason=refusalReason(error);return{...await this.#tryCounting(
"chain-per-service"),reason}}}async#tryCounting(layout){try{return await this.#tryLayout(layout,!0),{layout}}catch(error){
let countingRefusal=refusalReason(error);return await this.#tryLayout(layout,!1),{layout,countingRefusal}}}async#tryLayout(layout,counts){
let{choice,runner}=this.options,own=inNewNamespace(runner),{access}=await choice.chosen(),separate=choice.createIsolated(
own),isolated=access==="nft"?await canRun(own):await separate.tables("ip").then(()=>!0,()=>!1),trial=isolated?separate:choice.
create();try{await this.#load(trial,{layout,counts,isolated})}finally{separate.close(),trial.close()}}async#load(trial,{
layout,counts,isolated}){let planner=new NftablesPlanner({masqueradeBit:14,countConnections:counts,countTraffic:counts});
for(let family of FAMILIES3){let state=trialState(family,"few"),installed={table:void 0,facts:{fullyRandom:!0,layout,endpointCounters:counts}},
plan=planner.plan(state,diffStates(void 0,state),installed);if(plan!==void 0){let write2=completeWrite(plan);await(isolated?
trial.run(write2):trial.check({...write2,table:`${write2.table}-trial`}))}}}async#tryFlags(){let{ownedTable="never"}=this.
options;if(ownedTable==="never")return{flags:void 0};let persistent=["owner","persist"],reason=await this.#refusalOf(persistent);
if(reason===void 0)return{flags:persistent};let owned=["owner"],ownedReason=ownedTable==="always"?await this.#refusalOf(
owned):reason;return ownedReason===void 0?{flags:owned,reason}:{flags:void 0,reason:ownedReason}}async#refusalOf(flags){
let nft=this.options.choice.create(),commands=[{do:"add-table",flags},{do:"delete-table"}];try{await nft.run({family:"ip",
table:`${TABLE}-trial`,commands});return}catch(error){if(isRefusal(error))return`flags ${flags.join(", ")}: ${messageOf(
error).replace(/\.$/,"")}`;throw error}finally{nft.close()}}};function refusalReason(error){if(!isRefusal(error))throw error;
return messageOf(error).replace(/\.$/,"")}function countedServices(counters,family){let found=new Map,entry2=(servicePort,endpoint)=>{let service=formatServicePortName(
servicePort),{protocol}=servicePort,key=`${service} ${protocol} ${endpoint??""}`,known=found.get(key),counted=known??{service,
protocol,family,...endpoint===void 0?{}:{endpoint}};return known===void 0&&found.set(key,counted),counted};for(let[name,
counter]of counters){let servicePort=countedBy(name);if(servicePort!==void 0){entry2(servicePort).connections=counter.packets;
continue}let ofEndpoint=connectionsCountedBy(name);if(ofEndpoint!==void 0){let{address,port}=ofEndpoint.endpoint;entry2(
ofEndpoint.servicePort,joinHostPort(address,port)).connections=counter.packets;continue}let traffic=trafficCountedBy(name);
if(traffic!==void 0&&add(entry2(traffic.servicePort),traffic,counter),traffic?.endpoint!==void 0){let{address,port}=traffic.
endpoint;add(entry2(traffic.servicePort,joinHostPort(address,port)),traffic,counter)}}return[...found.values()]}function add(totals,{
direction},{packets,bytes}){totals.packets=plus(totals.packets,direction,packets),totals.bytes=plus(totals.bytes,direction,
bytes)}function plus({toEndpoints,toClients}={toEndpoints:0,toClients:0},direction,added){return direction==="to-endpoin\
ts"?{toEndpoints:toEndpoints+added,toClients}:{toEndpoints,toClients:toClients+added}}async function readInstalled2(target){let{nft,family,layout,flags,fullyRandom,endpointCounters:endpointCounters2}=target,
claimed=flags===void 0||await claim(nft,family,flags);return{table:await nft.list(nftFamily(family),TABLE),facts:{fullyRandom,
layout,endpointCounters:endpointCounters2},...flags===void 0?{}:{flags,lacksFlags:!claimed}}}async function claim(nft,family,flags){
try{return await nft.run({family:nftFamily(family),table:TABLE,commands:[{do:"add-table",flags}]}),!0}catch(error){if(error instanceof
NftRefused&&error.refusal==="unsupported")return!1;throw error}}async function supportsFullyRandom(nft,family){try{return await nft.
check({family:nftFamily(family),table:`${TABLE}-trial`,commands:[{do:"add-table"},{do:"add-chain",chain:"trial",base:{type:"\
nat",hook:"postrouting",priority:100}},{do:"add-rule",chain:"trial",rule:{statements:[{kind:"masquerade",fullyRandom:!0}]}}]}),
!0}catch(error){if(error instanceof NftRefused)return!1;throw error}}var RESTART_DELAY=1e3;async function watchTable(nft,family,clock,onDrift,signal){let table=`${nftFamily(family)} ${TABLE}`;
for(;!signal.aborted;){let watch=nft.watch(nftFamily(family),TABLE,({pid,program,ownerEnded,uncertain})=>{if(ownerEnded){
onDrift(`the nft process that owned table ${table} ended`);return}if(uncertain&&pid===void 0){onDrift("changes of nftabl\
es were not received","possible");return}let who=pid===void 0?"an unknown process":`${program??"process"} (process ${pid}\
)`;uncertain?onDrift(`${who} changed an nftables table that nft monitor cannot print`,"possible"):onDrift(`table ${table}\
 changed by ${who}`)});if(watch===void 0)return;let stop=()=>watch.stop();signal.addEventListener("abort",stop,{once:!0}),
await watch.ended,signal.removeEventListener("abort",stop),signal.aborted||(onDrift(`monitoring of table ${table} was in\
terrupted`,"possible"),await pause(clock,RESTART_DELAY,signal))}}var NftablesDataplane=class{options;#planner;#logger;#counters=new Set;#fullyRandom;#leftovers=!1;constructor(options){this.
options=options;let{countConnections=!1,countTraffic=!1,masqueradeBit=14,logger=silentLogger}=options;this.#planner=new NftablesPlanner(
{masqueradeBit,countConnections,countTraffic}),this.#logger=logger,this.#fullyRandom=options.fullyRandom}plan(next2,changes,installed){
return this.#planner.plan(next2,changes,installed)}planInSlices(next2,changes,installed){return this.#planner.planInSlices(
next2,changes,installed)}async apply(transaction){for(let problem of transaction.problems)this.#logger.warn(problem);this.#leftovers=
!1;let{nft,family}=this.options,kept=await keepTraffic(transaction,nft,this.#logger);try{let{leftovers}=await applyTransaction2(
kept,{nft,family,logger:this.#logger});this.#leftovers=leftovers}catch(error){throw isRefusal(error)?this.options.onRefused?.(
error)??error:error}this.#noteCounters(transaction)}async readBack(){let{family,nft,layout,tableFlags,canCountEndpoints}=this.
options;this.#fullyRandom??=await supportsFullyRandom(nft,family);let installed=await readInstalled2({nft,family,layout:await layout?.()??
"constant",endpointCounters:await canCountEndpoints?.()??!0,flags:await tableFlags?.(),fullyRandom:this.#fullyRandom});this.#counters.
clear();for(let name of installed.table?.counters.keys()??[])this.#counters.add(name);return installed}async connections(){
if(this.#counters.size===0)return[];let{family,nft}=this.options,counters=await nft.listCounters(nftFamily(family),TABLE);
return countedServices(counters??new Map,family)}watch(onDrift,signal){let{clock=systemClock,family,nft}=this.options;return watchTable(
nft,family,clock,onDrift,signal)}describe({write:write2,load,forget:forget2}){let clients=forget2.length===0?"":` and th\
e affinity clients of ${forget2.length} service ports`;return`${`${write2.commands.length+(load?.end.length??0)} changes`}${load===
void 0?"":" and all elements"}${clients}`}render(transaction,installed){return renderChanges2(transaction,installed)}close(){
this.options.nft.close()}report(){return{leftovers:this.#leftovers}}async cleanup(){let{nft,family}=this.options;await removeTable(
nft,family,TABLE),nft.close()}#noteCounters({write:write2}){for(let command of write2.commands)switch(command.do){case"a\
dd-counter":this.#counters.add(command.name);break;case"delete-counter":this.#counters.delete(command.name);break;case"d\
elete-table":this.#counters.clear();break}}};async function diagnose2(support,ownedTable){return[await diagnoseAccess(support),await diagnoseLayout(support),...await diagnoseCounting(
support),...ownedTable==="never"?[]:[await diagnoseOwnership(support)]]}async function diagnoseAccess(support){let check="\
nftables access";try{return{check,status:"ok",found:await support.access()}}catch(error){return hasErrorKind(error,"perm\
ission-denied")?{check,status:"unknown",found:messageOf(error),advice:"run doctor as root"}:{check,status:"problem",found:messageOf(
error),advice:"allow netlink sockets (seccomp), or install nftables"}}}async function diagnoseLayout(support){let check="\
nftables layout";try{let{layout,reason}=await support.layout();return reason===void 0?{check,status:"ok",found:`${layout}\
: every kind of rule is accepted, for IPv4 and IPv6`}:{check,status:"warning",found:`a chain per Service, as the ruleset\
 that does not grow is refused: ${reason}`,advice:"use a newer nft and kernel to have changes cost the same in large clu\
sters"}}catch(error){return hasErrorKind(error,"permission-denied")?{check,status:"unknown",found:messageOf(error),advice:"\
run doctor as root"}:{check,status:"problem",found:`is refused: ${messageOf(error)}`,advice:"use a newer nft and kernel,\
 or another mode"}}}async function diagnoseCounting(support){let check="nftables counters of endpoints",{countingRefusal}=await support.
layout().catch(()=>({}));return countingRefusal===void 0?[]:[{check,status:"warning",found:`only connections to Services\
 can be counted, and nothing for each endpoint: ${countingRefusal}`,advice:"use a newer nft and kernel where that is wan\
ted"}]}async function diagnoseOwnership(support){let check="nftables owned table";try{let{flags,reason}=await support.tableFlags();
return reason===void 0?{check,status:"ok",found:`${flags?.join(", ")}: only this program can change its table`}:{check,status:"\
warning",found:flags===void 0?`any privileged process can change the table: ${reason}`:`only this program can change its\
 table, and the table is removed whenever it ends: ${reason}`,advice:"use nft 1.1.0 and Linux 6.9, or newer ones"}}catch(error){
return hasErrorKind(error,"permission-denied")?{check,status:"unknown",found:messageOf(error),advice:"run doctor as root"}:
{check,status:"problem",found:messageOf(error),advice:"see the result of the check nftables layout"}}}var COUNTING2={servicePorts:["connections","packets","bytes"],endpoints:["connections","packets","bytes"]},SYNC_METRICS={
failed:{type:"counter",name:"kubeproxy_sync_proxy_rules_nftables_sync_failures_total",help:"Syncs that failed in nft",labels:[
"ip_family"]},leftovers:{type:"counter",name:"kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total",help:"Syncs th\
at could not remove all stale objects",labels:["ip_family"]}};function isForeignRule2({system,table}){return system!=="nftables"||table!==`ip ${TABLE}`&&table!==`ip6 ${TABLE}`}var OWN_TABLES=new Set(
["ip","ip6"].flatMap(family=>[`${family} ${TABLE}`,`${family} kube-proxy`]));function ownsRule({system,table=""}){return system===
"nftables"&&OWN_TABLES.has(table)}function readPacketPath2({family,ignores,ignoredInterfaces},host2){return readNetfilterPath(
{family,...host2,isForeign:isForeignRule2,...ignores?{ignores}:{},...ignoredInterfaces?{ignoredInterfaces}:{}})}function plannedPath({
state,options,localAddresses},layout="constant"){let{masqueradeBit}=options,plan=new NftablesPlanner({masqueradeBit,countConnections:!1}).
plan(state,diffStates(void 0,state),{table:void 0,facts:{fullyRandom:!0,layout}}),commands=plan===void 0?[]:completeWrite(
plan).commands;return plannedPathOf(state.family,localAddresses,{kind:"nftables",table:TABLE,commands},isForeignRule2)}var MAX_CHAINS=16,TIMEOUT=6e4;async function withRemovedTexts(changes,family,runner){let chains=new Set(changes.flatMap(
({action,kind:kind2,container})=>action==="remove"&&kind2==="rule"&&container!==void 0?[container]:[])),list=async(...what)=>{
try{let{stdout}=await runner.run({command:"nft",args:["-s","list",...what],timeout:TIMEOUT});return ruleTextsOf(stdout)}catch{
return new Map}},texts=new Map(chains.size>MAX_CHAINS?await list("table",nftFamily(family),TABLE):[]);for(let chain of texts.
size===0?chains:[])for(let[name,rules]of await list("chain",nftFamily(family),TABLE,chain))texts.set(name,rules);return changes.
map(change=>{let{action,kind:kind2,container="",position=0}=change,text=action==="remove"&&kind2==="rule"?texts.get(container)?.[position-
1]:void 0;return text===void 0?change:{...change,text:`rule ${container} ${text}`}})}function ruleTextsOf(listing){let found=new Map,
rules,begun="";for(let line of listing.split(`
`)){let[,chain]=/^\tchain (\S+) \{$/.exec(line)??[];if(chain!==void 0)rules=[],found.set(chain,rules);else if(line==="	}")
rules=void 0;else if(rules!==void 0&&line.trim()!==""){if(begun=begun===""?line.trim():`${begun} ${line.trim()}`,openBraces(
begun)>0)continue;/^(?:type \w+ hook |comment ")/.test(begun)||rules.push(begun),begun=""}}return found}function openBraces(text){
let plain=text.replace(/"[^"]*"/g,"");return plain.split("{").length-plain.split("}").length}var MODE2="nftables",NFT_ACCESS_SETTINGS=["netlink","nft"];function createNftablesBackend(options={}){checkBackendOptions(
"createNftablesBackend",options,{runner:OptionRules.having("run"),countConnections:OptionRules.boolean,ownedTable:OptionRules.
oneOf(OWNED_TABLE_SETTINGS),layout:OptionRules.oneOf(LAYOUTS),access:OptionRules.oneOf(NFT_ACCESS_SETTINGS)});let{runner=createCommandRunner(),
access,countConnections=!1,layout,ownedTable="never"}=options,choice=new NftChoice({runner,...access===void 0?{}:{access}}),
nft=()=>choice.create(),host2={runner,choice,ownedTable,...layout===void 0?{}:{layout}},support=new HostSupport({...host2,
trustsInstalled:!0}),proxiers=new ProxierRegistry(support,choice,countConnections,runner);return{mode:MODE2,description:"\
Programs netfilter through nftables, with a ruleset that does not grow with the cluster",capabilities:{localhostNodePorts:!1,
counting:COUNTING2,portRanges:!0,shiftedPortRanges:!0},probe:()=>support.probe(),diagnose:()=>diagnose2(new HostSupport(
host2),ownedTable),metrics:[countsMeasurement(COUNTING2,{source:"kernel",read:()=>proxiers.connections()})],syncMetrics:SYNC_METRICS,
readPacketPath:request=>readPacketPath2(request,{runner,...options.runner===void 0?{}:{files:kernelFilesOf(runner)}}),plannedPath:request=>plannedPath(
request),ownsRule,module:new ContainerModule(({bind})=>{bind(Tokens.ProxierFactory).toConstantValue(context=>proxiers.create(
context)),bind(Tokens.Cleanup).toConstantValue(()=>cleanUp2(nft())),bind(Tokens.KubeProxyCleanup).toConstantValue(()=>cleanUpKubeProxy(
nft())),bind(Tokens.Leftovers).toConstantValue(owner=>findLeftovers(nft(),owner)),bind(Tokens.Preview).toConstantValue(context=>proxiers.
createPreview(context))})}}var ProxierRegistry=class{support;choice;countConnections;runner;#dataplanes=new Set;#warnings=new Set;constructor(support,choice,countConnections,runner){
this.support=support,this.choice=choice,this.countConnections=countConnections,this.runner=runner}create(context){let{family,
logger,clock,options}=context,isLayoutAssumed=!1,dataplane=new NftablesDataplane({family,nft:this.choice.create(),masqueradeBit:options.
masqueradeBit,countConnections:this.countConnections||options.countConnections,countTraffic:options.countTraffic,fullyRandom:!0,
layout:async()=>(isLayoutAssumed=(await this.support.layout()).isAssumed??!1,this.#layout(logger)),canCountEndpoints:()=>this.#canCountEndpoints(
logger,options),tableFlags:()=>this.#tableFlags(logger),onRefused:error=>isLayoutAssumed?(this.support.noteRefusal(),new NftablesLayoutRefused(
error)):error,logger,clock});return this.#dataplanes.add(dataplane),new ReconcilingProxier({mode:MODE2,context,dataplane})}createPreview({
family,options,logger,clock,localAddresses}){let dataplane=new NftablesDataplane({family,nft:this.choice.create(),masqueradeBit:options.
masqueradeBit,countConnections:this.countConnections||options.countConnections,countTraffic:options.countTraffic,fullyRandom:!0,
layout:()=>this.#layout(logger),canCountEndpoints:()=>this.#canCountEndpoints(logger,options),logger,clock});return createPreview(
{dataplane,localAddresses,complete:changes=>withRemovedTexts(changes,family,this.runner)})}async connections(){return(await Promise.
all([...this.#dataplanes].map(dataplane=>dataplane.connections()))).flat()}async#layout(logger){let{layout,reason}=await this.
support.layout();return reason!==void 0&&this.#warnOnce(logger,`Using a chain per Service: this host refuses the ruleset\
 that does not grow: ${reason}`),layout}async#canCountEndpoints(logger,{countConnections,countTraffic}){let{countingRefusal}=await this.
support.layout();return countingRefusal!==void 0&&(this.countConnections||countConnections||countTraffic)&&this.#warnOnce(
logger,`Only connections to Services are counted, and nothing for each endpoint: this host refuses the rules: ${countingRefusal}`),
countingRefusal===void 0}async#tableFlags(logger){let{flags,reason}=await this.support.tableFlags();return reason!==void 0&&
this.#warnOnce(logger,flags===void 0?`The table is not owned, so any privileged process can change it: ${reason}`:`The t\
able, and all Services with it, is removed whenever this program ends: ${reason}`),flags}#warnOnce(logger,message){this.#warnings.
has(message)||(this.#warnings.add(message),logger.warn(message))}},nftablesBackend=createNftablesBackend();function intersectNetworks(left,right){let[leftBase="",leftLength=""]=left.split("/"),[rightBase="",rightLength=""]=right.
split("/"),[outer,inner,base2]=Number(leftLength)<=Number(rightLength)?[left,right,rightBase]:[right,left,leftBase];return cidrContains(
outer,base2)?inner:void 0}var CHAINS2={portalsContainer:"KUBE-PORTALS-CONTAINER",portalsHost:"KUBE-PORTALS-HOST",nodePortContainer:"KUBE-NODEPORT-\
CONTAINER",nodePortHost:"KUBE-NODEPORT-HOST",nonLocal:"KUBE-NODEPORT-NON-LOCAL",refuse:"KUBE-PORTALS-REFUSE"},PORTAL_TABLES=[
"nat","filter"],CLUSTER_IPS2="handle ClusterIPs; NOTE: this must be before the NodePort rules",NON_LOCAL="Ensure that no\
n-local NodePort traffic can flow",REFUSE="refuse what no portal is for",OWN="connections of kube-proxier to endpoints",
NEW2={match:"conntrack",states:["NEW"]};function jump2(table,from,to,comment,at,parts={}){let rule2=new IptablesRule({...parts,
comment,target:{target:"jump",chain:to}});return{table,chain:from,rule:rule2,at}}var JUMPS2=[jump2("nat","PREROUTING",CHAINS2.
portalsContainer,CLUSTER_IPS2,"top"),jump2("nat","OUTPUT",CHAINS2.portalsHost,CLUSTER_IPS2,"top"),jump2("filter","INPUT",
CHAINS2.nonLocal,NON_LOCAL,"top"),jump2("filter","FORWARD",CHAINS2.refuse,REFUSE,"top",{matches:[NEW2],commentAfter:1}),
jump2("filter","OUTPUT",CHAINS2.refuse,REFUSE,"top",{matches:[NEW2],commentAfter:1})],WRITTEN={nat:[CHAINS2.portalsContainer,
CHAINS2.portalsHost],filter:[CHAINS2.nonLocal,CHAINS2.refuse]};function host(address){return address.includes(":")?`${address}\
/128`:`${address}/32`}function reject(family){return{target:"REJECT",with:family==="IPv4"?"icmp-port-unreachable":"icmp6\
-port-unreachable"}}function listenerRules(family,node,listener){return[...redirects(listener),...loopbackNodePorts(listener),
...guards(family,node,listener)]}function loopbackNodePorts({spec,name,at}){let socket=at.find(({address})=>address==="1\
27.0.0.1");if(spec.place.kind!=="node-port"||!socket)return[];let protocol=lower(spec.protocol),matches=[{match:"port",protocol,
first:socket.port}],target={target:"DNAT",to:joinHostPort(socket.address,socket.port)},destination={value:"127.0.0.0/8"},
rule2=new IptablesRule({destination,protocol,comment:name,matches,target});return[{table:"nat",chain:CHAINS2.portalsHost,
rule:rule2}]}function redirects({spec,name,at,notFromHost=[]}){let[socket]=at;if(spec.place.kind!=="proxy-port"||!socket)
return[];let protocol=lower(spec.protocol),target=socket.address==="0.0.0.0"||socket.address==="::"?{target:"REDIRECT",toPort:socket.
port}:{target:"DNAT",to:joinHostPort(socket.address,socket.port)};return spec.portals.flatMap(({address,port})=>address===
void 0?[]:[CHAINS2.portalsContainer,...isAmong(notFromHost,{address,port})?[]:[CHAINS2.portalsHost]].map(chain=>{let matches=[
{match:"port",protocol,first:port}],destination={value:host(address)};return{table:"nat",chain,rule:new IptablesRule({destination,
protocol,comment:name,matches,target})}}))}function isAmong(portals,{address,port}){return portals.some(other=>other.address===
address&&other.port===port)}function ownConnectionRules(mark){let matches=[{match:"mark",value:mark,mask:mark}],rule2=new IptablesRule(
{comment:OWN,matches,target:{target:"RETURN"}});return[{table:"nat",chain:CHAINS2.portalsHost,rule:rule2}]}function guards(family,node,{
spec,name,at}){let protocol=lower(spec.protocol),isNodePort=spec.place.kind==="node-port",rules=[],add2=(port,target,parts={},extra=[])=>{
let matches=[{match:"port",protocol,first:port},...extra,NEW2],rule2=new IptablesRule({...parts,protocol,comment:name,matches,
target});rules.push({table:"filter",chain:CHAINS2.nonLocal,rule:rule2})};for(let port of new Set(at.map(socket=>socket.port))){
if(isNodePort&&!node.nodePortAddresses.loopback&&add2(port,reject(family),{destination:{value:family==="IPv4"?"127.0.0.0\
/8":"::1/128"}}),!isNodePort&&spec.allowedSources===void 0&&spec.routes[0]?.source==="any"&&spec.routes[0].action==="for\
ward")continue;let through={target:isNodePort?"ACCEPT":"RETURN"},networks=spec.allowedSources??[void 0];for(let route of spec.
routes)for(let network of networks){let parts=sourceOf(route,node,network);parts&&add2(port,targetOf3(route,family,through),
parts.parts,parts.extra)}spec.allowedSources!==void 0&&add2(port,{target:"DROP"})}return rules}function targetOf3(route,family,through){
switch(route.action){case"forward":return through;case"reject":return reject(family);case"drop":return{target:"DROP"}}}function sourceOf(route,{
detector},network){let within=cidr=>cidr===void 0||/^(0\.0\.0\.0|::)\/0$/.test(cidr)?{}:{source:{value:cidr}};switch(route.
source){case"any":return{parts:within(network),extra:[]};case"node":return{parts:within(network),extra:[{match:"addrtype",
side:"src",type:"LOCAL"}]};case"pod":{if(detector.kind!=="source-cidr")return;let both=network===void 0?detector.cidr:intersectNetworks(
detector.cidr,network);return both===void 0?void 0:{parts:within(both),extra:[]}}}}function clusterIPRules(family,address){
return["tcp","udp","sctp"].map(protocol=>({table:"filter",chain:CHAINS2.refuse,rule:new IptablesRule({destination:{value:host(
address)},protocol,target:reject(family)})}))}function nodeRules({serviceCIDRs}){return serviceCIDRs.flatMap(cidr=>["tcp",
"udp","sctp"].map(protocol=>({table:"filter",chain:CHAINS2.refuse,rule:new IptablesRule({destination:{value:cidr},protocol,
target:{target:"DROP"}})})))}function lower(protocol){return protocol==="TCP"?"tcp":"udp"}var NODE_GROUP="\0node",OWN_GROUP="\0own";function precedesOthers(key){return key.startsWith("\0")&&key!==NODE_GROUP}function allGroups(family,state,ownMark){
let own=ownMark===void 0?[]:ownConnectionRules(ownMark);return new Map([[OWN_GROUP,own],...groups(family,state,state.listeners.
keys(),state.clusterIPs,!0)])}function changedGroups(family,state,changes){let listeners=changes.node?new Set([...state.
listeners.keys(),...changes.listeners]):changes.listeners;return groups(family,state,listeners,changes.clusterIPs,changes.
node)}function groups(family,{node,listeners,clusterIPs},ids,addresses,withNode){let rules=new Map;for(let id of ids){let listener=listeners.
get(id);rules.set(id,listener?listenerRules(family,node,listener):[])}for(let address of addresses)rules.set(`\0${address}`,
clusterIPs.has(address)?clusterIPRules(family,address):[]);return withNode&&rules.set(NODE_GROUP,nodeRules(node)),rules}var OWNED_CHAINS=Object.values(CHAINS2);function wholeDocument(wanted,saved){let rules=[...wanted].sort(([left],[right])=>+(left===
NODE_GROUP)-+(right===NODE_GROUP)).flatMap(([,list])=>list);return documentOf2(table=>{let written=WRITTEN[table].map(chain=>{
let own=rules.filter(rule2=>rule2.table===table&&rule2.chain===chain);return[chain,userChain(own.map(({rule:rule2})=>rule2.
text))]}),jumps=JUMPS2.filter(jump3=>jump3.table===table&&!saved[table].get(jump3.chain)?.rules.includes(jump3.rule.text));
return{...EMPTY_TABLE_DOCUMENT,written:new Map(written),appendedRules:jumps.filter(({at})=>at==="bottom").map(chainRule),
insertedRules:jumps.filter(({at})=>at==="top").map(atTop)}})}function stepDocument(written,wanted){let changed=[...wanted].
filter(([key,rules])=>textOf(written.get(key)??[])!==textOf(rules)),deleted=changed.flatMap(([key])=>written.get(key)??[]),
inserted=changed.flatMap(([key,rules])=>precedesOthers(key)?[...rules].reverse():[]),appended=changed.flatMap(([key,rules])=>precedesOthers(
key)?[]:rules);return documentOf2(table=>{let ofTable=rules=>rules.filter(rule2=>rule2.table===table);return{...EMPTY_TABLE_DOCUMENT,
deletedRules:ofTable(deleted).map(chainRule),appendedRules:ofTable(appended).map(chainRule),insertedRules:ofTable(inserted).
map(atTop)}})}function removalDocument(saved){return documentOf2(table=>removeChains(saved[table],chain=>OWNED_CHAINS.includes(
chain)))}function documentOf2(contentOf){return new Map(PORTAL_TABLES.map(table=>[table,contentOf(table)]))}function chainRule({
chain,rule:rule2}){return{chain,rule:rule2.text}}function atTop(rule2){return{...chainRule(rule2),position:1}}function textOf(rules){
return rules.map(({table,chain,rule:rule2})=>`${table} ${chain} ${rule2.text}`).join(`
`)}async function readSavedPortals(iptables){return parseSavedPortals(await iptables.save("nat"),await iptables.save("filte\
r"))}async function readUsedPortals(iptables){let all=await iptables.save();return parseSavedPortals(all,all)}function compareSavedPortals(saved,written){
let expected=new Map;for(let{table,chain,rule:rule2}of[...written.values()].flat()){let name=`${table} ${chain}`;expected.
set(name,[...expected.get(name)??[],rule2.text])}let rulesMatch=PORTAL_TABLES.every(table=>WRITTEN[table].every(chain=>{
let found=saved[table].get(chain)?.rules;return found!==void 0&&sameRules(found,expected.get(`${table} ${chain}`)??[])})),
[own]=written.get(OWN_GROUP)??[],ownIsFirst=!own||saved[own.table].get(own.chain)?.rules[0]===own.rule.text,jumpsExist=JUMPS2.
every(({table,chain,rule:rule2})=>saved[table].get(chain)?.rules.includes(rule2.text));return{chainsMatch:rulesMatch&&ownIsFirst,
jumpsExist}}function parseSavedPortals(nat,filter){return{nat:parseSavedTable(nat,"nat"),filter:parseSavedTable(filter,"\
filter")}}function sameRules(left,right){let sorted=[...right].sort();return left.length===right.length&&[...left].sort().
every((text,index)=>text===sorted[index])}var UserspaceError=class extends ProxierError{constructor(code,message,options){super(code,message,options)}};async function findPortalChains(iptables){return removalDocument(await readUsedPortals(iptables))}async function removePortalChains(iptables){
let document=await findPortalChains(iptables),text=renderDocument(document);if(text==="")return document;try{await iptables.
restore(text)}catch(error){let chains=`the ${iptables.family} chains of mode userspace (${messageOf(error)})`;throw new LeftoversError(
"USERSPACE_LEFTOVERS",[chains],{cause:error})}return document}var IptablesRedirector=class{family;iptables;ownMark;#written=new Map;#known=!1;#jumpsPlaced=0;constructor(family,iptables,ownMark){
this.family=family,this.iptables=iptables,this.ownMark=ownMark}async apply(state,changes){let iptables=await this.iptables();
if(changes!=="all"&&!this.#known)throw new UserspaceError("USERSPACE_REDIRECTS_UNKNOWN","the redirect rules in force are\
 unknown; call readBack, and apply a full plan");let wanted=changes==="all"?allGroups(this.family,state,this.ownMark):changedGroups(
this.family,state,changes),document=renderDocument(changes==="all"?wholeDocument(wanted,await readSavedPortals(iptables)):
stepDocument(this.#written,wanted));this.#known=!1,document!==""&&await iptables.restore(document),changes==="all"&&(this.#jumpsPlaced++,
this.#written=new Map(wanted));for(let[key,rules]of wanted)rules.length>0?this.#written.set(key,rules):this.#written.delete(
key);this.#known=!0}async inForce(){if(!this.#known)return!1;let saved=await readSavedPortals(await this.iptables()),{chainsMatch,
jumpsExist}=compareSavedPortals(saved,this.#written);return jumpsExist&&this.#jumpsPlaced++,chainsMatch&&jumpsExist}watch(options){
let rules=PORTAL_TABLES.flatMap(table=>{let jump3=JUMPS2.find(candidate=>candidate.table===table);return jump3?[{table,from:jump3.
chain,text:jump3.rule.text}]:[]});return watchRules({...options,rules,iptables:this.iptables,placed:()=>this.#jumpsPlaced})}close(){
this.iptables().then(iptables=>iptables.close(),()=>{})}async cleanup(){this.#known=!1,this.#written=new Map,await removePortalChains(
await this.iptables())}};var noRedirector={async apply(){},inForce:async()=>!0,async cleanup(){}};var FAMILIES4=["IPv4","IPv6"];async function cleanUp3(access,resources){let removed=[],leftovers=[],cause,attempt=async(name,run)=>{
try{await run()}catch(error){leftovers.push(...error instanceof LeftoversError?error.leftovers:[`${name} (${messageOf(error)}\
)`]),cause=error}};for(let{name,close}of resources)await attempt(name,close);for(let[family,variant]of places(access))await attempt(
`${family} rules of ${variant}`,async()=>{removed.push(...await withRules(access,family,variant,removePortalChains))});if(leftovers.
length>0)throw new LeftoversError("USERSPACE_LEFTOVERS",leftovers,{cause});return{removed}}async function findLeftovers2(access,owner){
let found=[];for(let[family,variant]of owner==="backend"?places(access):[])found.push(...await withRules(access,family,variant,
findPortalChains));return found}function places({variants}){return FAMILIES4.flatMap(family=>variants.map(variant=>[family,
variant]))}async function withRules({iptables},family,variant,run){try{return[...await run(iptables(family,variant))].flatMap(
([table,content])=>removedObjects(content,`${table} table, ${family}, ${variant}`))}catch(error){if(error instanceof IptablesError&&
error.code==="IPTABLES_MISSING")return[];throw error}}async function applyTransaction3(transaction,target){let{engine,redirects:redirects2}=target;engine.tidy();let failed=new Map,
touched=new Set([...[...transaction.open,...transaction.change].map(({id})=>id),...transaction.close,...redirects2.updateEndpoints(
transaction)]);for(let service of transaction.set)engine.setService(service);for(let listener of transaction.change)engine.
change(listener);let closeLater=new Set(transaction.close.filter(id=>engine.spec(id)?.place.kind==="proxy-port")),reopened=new Set(
transaction.open.map(({id})=>id));for(let id of transaction.close)(!closeLater.has(id)||reopened.has(id))&&await engine.
close(id);await settleNode(transaction,target,touched,failed);for(let listener of transaction.open)try{await engine.open(
listener)}catch(error){failed.set(listener.id,error)}await redirects2.apply(transaction,touched,closeLater);for(let id of closeLater)
reopened.has(id)||await engine.close(id);for(let key of transaction.remove)engine.removeService(key);if(failed.size>0)throw partlyApplied(
engine,failed)}async function settleNode({node},{engine,addresses},touched,failed){let current=await addresses.read(),next2=node??
engine.node;if(!next2||node===void 0&&addresses.isApplied(current))return;let settled=await engine.setNode(next2,current);
addresses.markApplied(current);for(let id of settled.moved)touched.add(id);for(let[id,error]of settled.failed)failed.set(
id,error)}function partlyApplied(engine,failed){let refused=new Map;for(let[id,error]of failed)refused.set(engine.spec(id)?.
servicePort??id,messageOf(error));return new PartlyAppliedError("USERSPACE_PARTLY_APPLIED",refused,{cause:[...failed.values()][0]})}var LocalAddresses=class{family;source;#applied="";constructor(family,source){this.family=family,this.source=source}async read(){
let ipv6=this.family==="IPv6";return(await this.source()).filter(address=>address.includes(":")===ipv6&&!/^(fe[89ab]|169\.254\.)/.
test(address))}isApplied(addresses){return addresses.join(" ")===this.#applied}markApplied(addresses){this.#applied=addresses.
join(" ")}};var KeyOwners=class{#owners=new Map;#keys=new Map;set(owner,keys){let before=this.keysOf(owner),changed=[];for(let key of before)
if(!keys.has(key)){let owners=this.#owners.get(key);owners?.delete(owner),owners?.size===0&&(this.#owners.delete(key),changed.
push(key))}for(let key of keys){let owners=this.#owners.get(key);owners?owners.add(owner):(this.#owners.set(key,new Set(
[owner])),changed.push(key))}return keys.size>0?this.#keys.set(owner,keys):this.#keys.delete(owner),changed}has(key){return this.#owners.
has(key)}ownersOf(key){return this.#owners.get(key)??[]}owners(){return[...this.#keys.keys()]}keysOf(owner){return this.#keys.
get(owner)??new Set}},NONE3=new Set;function keyOf3(protocol,address,port){return`${protocol} ${address} ${port}`}function frontendsOf({
place,protocol,portals}){return place.kind==="proxy-port"?new Set(portals.flatMap(({address,port})=>address===void 0?[]:
[keyOf3(protocol,address,port)])):NONE3}function endpointsOf2({protocol,cluster,local}){return new Set([...cluster,...local].
map(({address,port})=>keyOf3(protocol,address,port)))}var RedirectedEndpoints=class{#frontends=new KeyOwners;#endpoints=new KeyOwners;#rulesKnown=!1;includes(protocol,{
address,port}){return!this.#rulesKnown||this.#frontends.has(keyOf3(protocol,address,port))}portalsAtEndpoints({protocol,
place,portals}){return place.kind==="proxy-port"?portals.filter(({address,port})=>address!==void 0&&this.#endpoints.has(
keyOf3(protocol,address,port))):[]}announce(listener){this.#frontends.set(listener.id,new Set([...this.#frontends.keysOf(
listener.id),...frontendsOf(listener)]))}confirm(listeners,ids){this.#rulesKnown=!0;for(let id of[...listeners.keys(),...ids===
"all"?this.#frontends.owners():ids]){let listener=listeners.get(id);this.#frontends.set(id,listener?frontendsOf(listener.
spec):NONE3)}}setService(service){return this.#listenersAt(this.#endpoints.set(service.key,endpointsOf2(service)))}removeService(key){
return this.#listenersAt(this.#endpoints.set(key,NONE3))}#listenersAt(keys){return keys.flatMap(key=>[...this.#frontends.
ownersOf(key)])}};var Redirects=class{redirection;engine;logger;#clusterIPs=new Set;#endpoints=new RedirectedEndpoints;#warned=new Set;constructor(redirection,engine,logger){
this.redirection=redirection,this.engine=engine,this.logger=logger}get reach(){return this.redirection.reach}get redirector(){
return this.redirection.redirector}get clusterIPs(){return this.#clusterIPs}mayRedirect(protocol,target){return this.#endpoints.
includes(protocol,target)}updateEndpoints({set,remove}){if(this.reach!=="redirected")return[];let affected=[...remove.flatMap(
key=>this.#endpoints.removeService(key)),...set.flatMap(service=>this.#endpoints.setService(service))];return this.#whyNotExempt()===
void 0?[]:affected}async apply(transaction,touched,closing){for(let address of transaction.addClusterIPs)this.#clusterIPs.
add(address);for(let address of transaction.removeClusterIPs)this.#clusterIPs.delete(address);let{engine}=this,{node}=engine;
if(!node)return;let opened=new Set(transaction.open.map(({id})=>id)),listeners=new Map;for(let id of transaction.full||transaction.
node?engine.listenerIds:touched){let spec=engine.spec(id),isBound=engine.boundAt(id).length>0;spec&&isBound&&(!closing.has(
id)||opened.has(id))&&(listeners.set(id,this.#redirected(id,spec)),this.#endpoints.announce(spec))}let clusterIPs=new Set(
[...transaction.addClusterIPs,...transaction.removeClusterIPs]);await this.redirector.apply({node,listeners,clusterIPs:this.#clusterIPs},
transaction.full?"all":{listeners:touched,clusterIPs,node:transaction.node!==void 0}),this.#endpoints.confirm(listeners,
transaction.full?"all":touched)}async cleanup(){await this.redirector.cleanup(),this.#clusterIPs=new Set,this.#endpoints=
new RedirectedEndpoints,this.#warned.clear()}#whyNotExempt(){let{ownSockets}=this.redirection;return ownSockets?ownSockets.
unusable:"the redirector cannot exempt them"}#redirected(id,spec){let name=this.engine.services.get(spec.servicePort)?.name??
spec.servicePort,listener={spec,name,at:this.engine.boundAt(id)},reason=this.#whyNotExempt(),notFromHost=reason===void 0?
[]:this.#endpoints.portalsAtEndpoints(spec),[first]=notFromHost;if(!first)return this.#warned.delete(id),listener;if(!this.#warned.
has(id)){this.#warned.add(id);let at=joinHostPort(first.address??"",first.port);this.logger.warn(`${name}: ${at} is an a\
ddress of the Service and an endpoint at once. Connections of this node to it reach this endpoint only, as the proxy's o\
wn connections cannot be distinguished: ${reason}`)}return{...listener,notFromHost}}};function renderChanges3(transaction,{listeners,services:services2,clusterIPs}){let written=new Map([...transaction.open,
...transaction.change].map(listener=>[listener.id,listener])),set=new Map(transaction.set.map(service=>[service.key,service])),
listenerIds=[...new Set([...transaction.close,...written.keys()])].sort(),serviceKeys=[...new Set([...transaction.remove,
...set.keys()])].sort(),addresses=[...transaction.removeClusterIPs.filter(address=>clusterIPs.has(address)).map(address=>[
"remove",address]),...transaction.addClusterIPs.map(address=>["add",address])];return[...listenerIds.flatMap(id=>replaced(
listeners.get(id),written.get(id),socketOf)),...serviceKeys.flatMap(key=>replaced(services2.get(key),set.get(key),serviceOf)),
...addresses.map(([action,address])=>({action,table:"userspace",kind:"address",text:`reject other ports of ${address}`}))]}
function replaced(before,after,show){let[old,fresh]=[before&&show(before),after&&show(after)];return old?.text===fresh?.
text?[]:[...old?[{action:"remove",...old}]:[],...fresh?[{action:"add",...fresh}]:[]]}function socketOf({protocol,place,portals,
allowedSources,routes,servicePort}){let where=place.kind==="proxy-port"?`proxy port for ${portals.map(({address,port})=>address===
void 0?`<node>:${port}`:joinHostPort(address,port)).join(", ")}`:place.kind==="node-port"?`<node>:${place.port}`:joinHostPort(
place.address,place.port),sources=allowedSources===void 0?"":` from ${allowedSources.join(", ")||"no source"}`,actions=routes.
map(route=>route.action==="forward"?`${route.source} to ${route.endpoints} endpoints`:`${route.source} ${route.action}`);
return{table:"userspace",kind:"socket",text:`listen ${protocol} on ${where}${sources}: ${actions.join(", ")}`,owner:servicePort}}
function serviceOf({key,name,protocol,cluster,local,draining,affinitySeconds,options}){let list=targets2=>targets2.map(target=>target.
key).join(" ")||"none",more=[...draining.length===0?[]:[`draining ${draining.join(" ")}`],...affinitySeconds===void 0?[]:
[`affinity ${affinitySeconds} s`],...Object.keys(options).length===0?[]:[`options ${JSON.stringify(options)}`]];return{table:"\
userspace",kind:"endpoints",text:[`${name}/${protocol}: cluster ${list(cluster)}`,`local ${list(local)}`,...more].join("\
; "),owner:key}}var ANNOTATIONS2={proxyProtocol:"kube-proxier.io/proxy-protocol",loadBalancing:"kube-proxier.io/load-balancing",maxConnections:"\
kube-proxier.io/max-connections",countConnections:COUNT_CONNECTIONS_ANNOTATION};function readServiceOptions2(annotations){
let problems=[],oneOf=(key,allowed)=>{let value=annotations[key],found=allowed.find(candidate=>candidate===value);return value!==
void 0&&found===void 0&&problems.push(`${key}: ${JSON.stringify(value.slice(0,60))} is not one of ${allowed.join(", ")};\
 ignored`),found},most=annotations[ANNOTATIONS2.maxConnections],maxConnections=most!==void 0&&/^[1-9]\d{0,8}$/.test(most)?
Number(most):void 0;if(most!==void 0&&maxConnections===void 0){let text=JSON.stringify(most.slice(0,60));problems.push(`${ANNOTATIONS2.
maxConnections}: ${text} is not a whole number from 1 on; ignored`)}for(let problem of[countConnectionsProblem(annotations),
countTrafficProblem(annotations)])problems.push(...problem===void 0?[]:[problem]);return{options:{proxyProtocol:oneOf(ANNOTATIONS2.
proxyProtocol,["v1","v2"]),loadBalancing:oneOf(ANNOTATIONS2.loadBalancing,["round-robin","least-connections"])??"round-r\
obin",maxConnections,countConnections:readCountConnections(annotations)},problems}}function planServicePort(resolved,context){let{protocol}=resolved.name;return protocol==="SCTP"?void 0:{service:serviceSpec(
resolved,protocol),listeners:listenersOf(resolved,protocol,context)}}function problemsOf2(resolved){let name=formatServicePortName(
resolved.name);return resolved.name.protocol==="SCTP"?[`${name}: SCTP is not supported by mode userspace; use another mo\
de for it`]:readServiceOptions2(resolved.servicePort.annotations).problems.map(problem=>`${name}: ${problem}`)}function listenersOf(resolved,protocol,context){
let listeners=[];for(let frontend of resolved.frontends){let place=placeOf2(frontend,context);if(!place)continue;let{address,
port,allowedSources,routes}=frontend,same=place.kind==="proxy-port"?listeners.find(other=>other.place.kind==="proxy-port"&&
structurallyEqual([other.allowedSources,other.routes],[allowedSources,routes])):void 0;if(same)same.portals.push({address,
port});else{let id=`${resolved.key} ${frontend.key}`,portals=[{address,port}];listeners.push({id,servicePort:resolved.key,
protocol,place,portals,allowedSources,routes})}}return listeners}function placeOf2({address,port},{reach,listenAddresses}){
if(address===void 0)return{kind:"node-port",port};switch(reach){case"redirected":return{kind:"proxy-port"};case"bound":return{
kind:"address",address,port};case"none":return listenAddresses.includes(address)?{kind:"address",address,port}:void 0}}function serviceSpec(resolved,protocol){
return{key:resolved.key,name:formatServicePortName(resolved.name),protocol,cluster:targets(resolved.cluster),local:targets(
resolved.local),draining:protocol==="UDP"?drainingKeys(resolved):[],existing:resetsConnections(resolved)?resolved.candidates.
map(({key})=>key):void 0,affinitySeconds:resolved.affinitySeconds,options:readServiceOptions2(resolved.servicePort.annotations).
options}}function drainingKeys(resolved){let listed=new Set([...resolved.cluster,...resolved.local].map(({key})=>key));return endpointsKeepingFlows(
resolved).flatMap(({key})=>listed.has(key)?[]:[key])}function targets(endpoints){let weights=selectionWeights(endpoints);
return endpoints.map(({key,address,port},index)=>({key,address,port,weight:weights?.[index]??1}))}var UserspacePlanner=class{#listenAddresses;#plans=new StateMemo(()=>plansFor("none"));constructor({listenAddresses=[]}={}){
this.#listenAddresses=listenAddresses}plan(next2,changes,installed){return finish(this.planInSlices(next2,changes,installed))}*planInSlices(next2,changes,installed){
let transaction=installed?yield*this.#reconcile(next2,installed):this.#step(next2,changes);return isEmpty(transaction)?void 0:
transaction}#step(next2,changes){let transaction=newTransaction(!1),plans=this.#plans.of(changes.previous??next2);this.#plans.
set(next2,plans),changes.nodeChanged&&(transaction.node=next2.node);for(let[key,{previous,current}]of changes.resolvedServicePorts){
let before=previous&&this.#planServicePort(previous,plans),after=current&&this.#planServicePort(current,plans);transaction.
problems.push(...current&&changes.servicePorts.has(key)?problemsOf2(current):[]),compareServices(before?.service,after?.
service,transaction);let listeners=new Map(before?.listeners.map(listener=>[listener.id,listener]));for(let listener of after?.
listeners??[])compareListener(listeners.get(listener.id),listener,transaction),listeners.delete(listener.id);transaction.
close.push(...listeners.keys())}for(let address of changes.clusterIPs)(next2.clusterIPs.has(address)?transaction.addClusterIPs:
transaction.removeClusterIPs).push(address);return transaction}*#reconcile(next2,installed){let plans=plansFor(installed.
reach),transaction=newTransaction(!installed.redirectInForce);structurallyEqual(installed.node,next2.node)||(transaction.
node=next2.node);let wanted=new Set,services2=new Set;for(let resolved of next2.servicePorts.values()){yield;let planned=this.#planServicePort(
resolved,plans);if(transaction.problems.push(...problemsOf2(resolved)),!!planned){services2.add(resolved.key),compareServices(
installed.services.get(resolved.key),planned.service,transaction);for(let listener of planned.listeners)wanted.add(listener.
id),compareListener(installed.listeners.get(listener.id),listener,transaction)}}this.#plans.set(next2,plans),transaction.
remove.push(...[...installed.services.keys()].filter(key=>!services2.has(key))),transaction.close.push(...[...installed.
listeners.keys()].filter(id=>!wanted.has(id)));for(let address of next2.clusterIPs.keys())installed.clusterIPs.has(address)||
transaction.addClusterIPs.push(address);return transaction.removeClusterIPs.push(...[...installed.clusterIPs].filter(address=>!next2.
clusterIPs.has(address))),!transaction.full&&isEmpty({...transaction,problems:[]})&&(transaction.problems.length=0),transaction}#planServicePort(resolved,{
reach,planned}){let known=planned.get(resolved),found=known??planServicePort(resolved,{reach,listenAddresses:this.#listenAddresses});
return!known&&found&&planned.set(resolved,found),found}};function plansFor(reach){return{reach,planned:new WeakMap}}function newTransaction(full){
return{full,node:void 0,set:[],remove:[],open:[],change:[],close:[],addClusterIPs:[],removeClusterIPs:[],problems:[]}}function compareServices(before,after,transaction){
after?structurallyEqual(before,after)||transaction.set.push(after):before&&transaction.remove.push(before.key)}function compareListener(before,after,transaction){
before?structurallyEqual(before.place,after.place)?structurallyEqual(before,after)||transaction.change.push(after):(transaction.
close.push(before.id),transaction.open.push(after)):transaction.open.push(after)}function isEmpty(transaction){let{full,
node,problems,...lists}=transaction;return!full&&node===void 0&&problems.length===0&&Object.values(lists).every(({length})=>length===
0)}var RESERVE=256,UNKNOWN_LIMIT=8192,DescriptorBudget=class{source;#taken=0;#limit;constructor(source){this.source=source,
this.#limit=typeof source=="number"?source:Number.POSITIVE_INFINITY}get limit(){return this.#limit}async ready(){typeof this.
source=="function"&&!Number.isFinite(this.#limit)&&(this.#limit=await this.source())}get taken(){return this.#taken}take(count){
return this.#taken+count>this.#limit?!1:(this.#taken+=count,!0)}force(count){this.#taken+=count}release(count){this.#taken-=
count}};async function descriptorLimit(files=kernelFiles){let limit=UNKNOWN_LIMIT;try{let soft=/^Max open files\s+(\S+)/m.
exec(await files.read("/proc/self/limits"))?.[1];limit=soft==="unlimited"?Number.MAX_SAFE_INTEGER:Number(soft??UNKNOWN_LIMIT)}catch{}
return Math.max(64,limit-RESERVE)}import{connect,Socket}from"node:net";var EndpointDialer=class{family;#bypass;constructor(family){this.family=family}use(bypass){
this.#bypass=bypass}connectTcp(target,highWaterMark){let options={host:target.address,port:target.port,allowHalfOpen:!0,
highWaterMark},marked=this.#markedSockets("TCP",target);if(!marked)return connect(options);try{return marked.createTcp(this.
family,{allowHalfOpen:!0,highWaterMark}).connect(options)}catch(error){return new Socket().destroy(error)}}connectUdp(socket,target,done){
try{this.#markedSockets("UDP",target)?.bindUdp(this.family,socket)}catch(error){process.nextTick(done,error);return}socket.
connect(target.port,target.address,(...[error])=>done(error))}#markedSockets(protocol,target){let{sockets,isNeeded}=this.#bypass??
{};return sockets?.unusable===void 0&&isNeeded?.(protocol,target)?sockets:void 0}};var KeepAlive=class{clock;#fresh=new Set;#timer;constructor(clock){this.clock=clock}watch(socket){this.#fresh.add(socket),
this.#timer??=this.clock.setTimer(5e3,()=>this.#sweep())}forget(socket){this.#fresh.delete(socket)&&this.#fresh.size===0&&
(this.#timer?.cancel(),this.#timer=void 0)}settle(socket){this.#fresh.has(socket)&&(socket.setKeepAlive(!0,15e3),this.forget(
socket))}#sweep(){this.#timer=void 0;for(let socket of this.#fresh)socket.setKeepAlive(!0,15e3);this.#fresh.clear()}};function parsePortRange(text){let trimmed=text.trim();if(trimmed===""||trimmed==="0"||trimmed==="0-0")return;let[,begin="",
operator,end=""]=/^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(trimmed)??[],first=Number(begin),last=operator==="-"?Number(end):
operator==="+"?first+Number(end):first;return begin!==""&&first>=1&&last<=65535&&first<=last?{first,last}:"invalid"}function*portsOf({
first,last},random=Math.random){let size=last-first+1,start=Math.floor(random()*size);for(let offset=0;offset<size;offset++)
yield first+(start+offset)%size}var Balancer=class{options;#lists={cluster:[],local:[]};#turns={cluster:0,local:0};#credits={cluster:void 0,local:void 0};#clients=new Map;#active=new Map;#begun=new Map;#refusals=new Map;#affinity;#policy="\
round-robin";constructor(options){this.options=options}get active(){return this.#active}get remembered(){return this.#clients.
size}update(spec){for(let name of["cluster","local"])if(!sameTargets(this.#lists[name],spec[name])){let random=this.options.
random??Math.random;this.#turns[name]=Math.floor(random()*Math.max(1,spec[name].length)),this.#credits[name]=isWeighted(
spec[name])?new Map(spec[name].map(({key,weight})=>[key,random()*weight])):void 0}this.#lists={cluster:spec.cluster,local:spec.
local};let known=this.endpointKeys();for(let key of this.#refusals.keys())known.has(key)||this.#refusals.delete(key);for(let key of this.#begun.
keys())known.has(key)||this.#begun.delete(key);if(this.#policy=spec.options.loadBalancing,this.#affinity=spec.affinitySeconds===
void 0?void 0:spec.affinitySeconds*1e3,this.#affinity===void 0){this.#clients.clear();return}for(let[client,{key}]of this.#clients)
known.has(key)||this.#clients.delete(client)}endpointKeys(){return new Set([...this.#lists.cluster,...this.#lists.local].
map(({key})=>key))}pick(list,client,failed){let endpoints=this.#lists[list];if(endpoints.length===0)return;let chosen=(failed||
this.#affinity===void 0?void 0:this.#recall(endpoints,client))??this.#next(list,endpoints,failed);return this.#affinity!==
void 0&&this.#remember(client,chosen.key),chosen}refused(client,key){this.#clients.get(client)?.key===key&&this.#clients.
delete(client),this.#refusals.set(key,this.options.now())}answered(key){this.#refusals.delete(key)}get begun(){return this.#begun}begin(key){
return this.#begun.set(key,(this.#begun.get(key)??0)+1),this.#active.set(key,(this.#active.get(key)??0)+1),()=>{let left=(this.#active.
get(key)??1)-1;left>0?this.#active.set(key,left):this.#active.delete(key)}}forgetStale(){let since=this.options.now()-(this.#affinity??
0);for(let[client,{lastUsed}]of this.#clients){if(lastUsed>since)return;this.#clients.delete(client)}}#recall(endpoints,client){
let record=this.#clients.get(client);if(!(!record||this.options.now()-record.lastUsed>=(this.#affinity??0)))return endpoints.
find(({key})=>key===record.key)}#remember(client,key){if(this.#clients.delete(client),this.#clients.set(client,{key,lastUsed:this.
options.now()}),this.#clients.size>1e5){let[oldest]=this.#clients.keys();this.#clients.delete(oldest)}}#next(list,endpoints,failed){
let first=this.#turns[list]%endpoints.length,credits=this.#credits[list];if(this.#policy==="round-robin"&&credits!==void 0)
return this.#nextByWeight(endpoints,credits,failed)??endpoints[first];let best,fewest=Number.POSITIVE_INFINITY;for(let offset=0;offset<
endpoints.length;offset++){let at=(first+offset)%endpoints.length,candidate=endpoints[at];if(failed?.has(candidate.key)||
this.#isAvoided(candidate.key))continue;if(this.#policy==="round-robin")return this.#turns[list]=(at+1)%endpoints.length,
candidate;let load=(this.#active.get(candidate.key)??0)/candidate.weight;load<fewest&&(fewest=load,best=candidate)}return this.#turns[list]=
(first+1)%endpoints.length,best??endpoints[first]}#nextByWeight(endpoints,credits,failed){let best,most=Number.NEGATIVE_INFINITY,
total=0;for(let candidate of endpoints){let{key,weight}=candidate;if(failed?.has(key)||this.#isAvoided(key))continue;let credit=(credits.
get(key)??0)+weight;credits.set(key,credit),total+=weight,credit>most&&(most=credit,best=candidate)}return best!==void 0&&
credits.set(best.key,most-total),best}#isAvoided(key){let refusedAt=this.#refusals.get(key);return refusedAt!==void 0&&this.
options.now()-refusedAt<1e4}};function sameTargets(left,right){return left.length===right.length&&left.every(({key,weight},index)=>key===
right[index]?.key&&weight===right[index]?.weight)}function isWeighted(endpoints){return endpoints.some(({weight})=>weight!==
endpoints[0]?.weight)}var EndpointBytes=class{toEndpoints=0;toClients=0},TrafficCounters=class{active=0;connections=0;refused=0;limited=0;resets=0;failedDials=0;bytesToEndpoints=0;bytesToClients=0};var RESETS_AT_ONCE=250,PAUSE=250,WARN_EVERY=1e4,ServiceProxy=class{environment;balancer;counters=new TrafficCounters;open=new Set;carried=new Map;#bytes=new Map;#lost=new Map;#spec;#lastWarning=Number.
NEGATIVE_INFINITY;constructor(spec,environment){this.environment=environment,this.balancer=new Balancer({now:()=>environment.
clock.monotonic()}),this.#spec=spec,this.balancer.update(spec)}get spec(){return this.#spec}update(spec){let before=this.#spec;
this.#spec=spec,this.balancer.update(spec);let kept=this.balancer.endpointKeys();for(let endpoint of this.#bytes.keys())
!kept.has(endpoint)&&!this.balancer.active.has(endpoint)&&this.#bytes.delete(endpoint);if(spec.protocol==="UDP"){let known=new Set(
[...this.balancer.endpointKeys(),...spec.draining]);for(let session of this.open)session.endpointKey!==void 0&&!known.has(
session.endpointKey)&&session.close();return}let{existing}=spec;existing!==void 0&&(before.existing!==void 0||existing.length>
0)?this.#watchLost(new Set(existing)):existing===void 0&&this.keepAll()}keepAll(){for(let timer of this.#lost.values())timer.
cancel();this.#lost.clear()}#watchLost(existing){for(let[key,timer]of this.#lost)existing.has(key)&&(timer.cancel(),this.#lost.
delete(key));for(let{endpointKey}of this.open)endpointKey!==void 0&&!existing.has(endpointKey)&&!this.#lost.has(endpointKey)&&
this.#resetIn(this.#goneAfter,endpointKey,0)}get#goneAfter(){return this.environment.goneAfter??1e3}#resetIn(milliseconds,endpoint,done){
let timer=this.environment.clock.setTimer(milliseconds,()=>{this.#lost.delete(endpoint);let all=[...this.open].filter(({
endpointKey})=>endpointKey===endpoint),some=all.filter(({isConnected})=>isConnected).slice(0,RESETS_AT_ONCE);for(let connection of some)
connection.close();this.counters.resets+=some.length;let count=done+some.length;if(all.length>some.length)this.#resetIn(
some.length===0?this.#goneAfter:PAUSE,endpoint,count);else if(count>0){let what=`${count} ${count===1?"connection":"conn\
ections"}`;this.environment.logger.info(`Reset ${what} of ${this.#spec.name} to endpoints that are gone: ${endpoint} (${count}\
)`)}});this.#lost.set(endpoint,timer)}bytesOf(endpoint){let known=this.#bytes.get(endpoint);if(known!==void 0)return known;
let bytes=new EndpointBytes;return this.#bytes.set(endpoint,bytes),bytes}admit(descriptors){let most=this.#spec.options.
maxConnections??this.environment.maxConnectionsPerService;return this.counters.active>=most?(this.limited(`it has ${most}\
 connections, as many as it may have at once`),!1):this.environment.budget.take(descriptors)?(this.counters.active++,this.
counters.connections++,!0):(this.limited("the process has as many open files as it may have; raise its limit (RLIMIT_NOF\
ILE)"),!1)}release(descriptors){this.counters.active--,this.environment.budget.release(descriptors)}limited(reason){this.
counters.limited++,this.warn(`${this.#spec.name} turns clients away: ${reason}`)}warn(message){let now=this.environment.
clock.monotonic();now-this.#lastWarning>=WARN_EVERY&&(this.#lastWarning=now,this.environment.logger.warn(message))}get traffic(){
let{key,name,protocol,options}=this.#spec,counters={...this.counters},bytesByEndpoint=new Map([...this.#bytes].map(([endpoint,
bytes])=>[endpoint,{...bytes}])),copies=new Map([...this.#bytes].map(([endpoint,bytes])=>[bytes,bytesByEndpoint.get(endpoint)]));
for(let[{bytesToEndpoint,bytesToClient},of]of this.carried){counters.bytesToEndpoints+=bytesToEndpoint,counters.bytesToClients+=
bytesToClient;let copy=copies.get(of);copy!==void 0&&(copy.toEndpoints+=bytesToEndpoint,copy.toClients+=bytesToClient)}return{
servicePort:key,name,protocol,activeByEndpoint:new Map(this.balancer.active),connectionsByEndpoint:new Map(this.balancer.
begun),bytesByEndpoint,countConnections:options.countConnections,...counters}}closeAll(){this.keepAll();for(let connection of[
...this.open])connection.close()}};import{BlockList}from"node:net";function networkSet(cidrs){let list=new BlockList;for(let cidr of cidrs){let parsed=parseCIDR(cidr);parsed&&list.addSubnet(
parsed.text.slice(0,parsed.text.lastIndexOf("/")),parsed.prefixLength,kind(parsed.family))}return address=>list.check(address,
address.includes(":")?"ipv6":"ipv4")}function kind(family){return family==="IPv4"?"ipv4":"ipv6"}var DROP={source:"any",action:"\
drop"};function sourcePolicy({allowedSources,routes},facts){let allowed=allowedSources===void 0?void 0:networkSet(allowedSources),
isPod=facts.detector.kind==="source-cidr"?networkSet([facts.detector.cidr]):()=>!1,isNode=source=>isLoopback(source)||facts.
localAddresses.has(source),[first]=routes;return!allowed&&first?.source==="any"?()=>first:source=>allowed&&!allowed(source)?
DROP:routes.find(route=>route.source==="any"||route.source==="pod"&&isPod(source)||route.source==="node"&&isNode(source))??
DROP}function isLoopback(address){return address.startsWith("127.")||address==="::1"}import{createServer}from"node:net";function listenError(protocol,address,port,error){let where=`${joinHostPort(address,port)}/${protocol}`;switch(error.code){case"\
EADDRINUSE":return new UserspaceError("USERSPACE_PORT_TAKEN",`another program holds ${where}; end it, or give the Servic\
e another port`,{cause:error});case"EACCES":case"EPERM":return new UserspaceError("USERSPACE_PORT_FORBIDDEN",`this proce\
ss may not listen on ${where}; ports below 1024 need CAP_NET_BIND_SERVICE`,{cause:error});case"EMFILE":case"ENFILE":case"\
ENOBUFS":return new UserspaceError("USERSPACE_NO_DESCRIPTORS",`there is no descriptor left to listen on ${where}; raise \
the limit of open files`,{cause:error});default:return new UserspaceError("USERSPACE_LISTEN_FAILED",`cannot listen on ${where}\
: ${error.message}; check the address`,{cause:error})}}import{Worker}from"node:worker_threads";var DESCRIPTORS_OF_PIPES=4,MAX_CONNECTIONS=4096,PIPE_SIZE=1<<20,F_DUPFD_CLOEXEC=1030,EFD_CLOEXEC_NONBLOCK=526336,SOL_SOCKET=1,
SO_LINGER=13,RESET_ON_CLOSE=new Uint8Array(Int32Array.of(1,0).buffer),LOWEST_DESCRIPTOR=3,ONE=new Uint8Array(BigUint64Array.
of(1n).buffer),SpliceCarrier=class{options;#carried=new Map;#freeSlots=[];#slots=0;#libc;#thread;#starting;#unusable;constructor(options={}){
this.options=options}get isReady(){return this.#thread!==void 0&&(this.#freeSlots.length>0||this.#slots<MAX_CONNECTIONS)}get size(){
return this.#carried.size}get unusable(){return this.#unusable}start(){return this.#starting??=this.#start(),this.#starting}carry(client,endpoint,events){
let libc=this.#libc,thread=this.#thread;if(!libc||!thread||!this.isReady||!isQuiet(client)||!isQuiet(endpoint))return;let clientFd=duplicate(
libc,client),endpointFd=clientFd===void 0?void 0:duplicate(libc,endpoint);if(clientFd===void 0||endpointFd===void 0){clientFd!==
void 0&&libc.close(clientFd);return}let slot2=this.#freeSlots.pop()??this.#slots++,toEndpoint=release(client),toClient=release(
endpoint),{moved}=thread;moved[2*slot2]=toEndpoint?.length??0,moved[2*slot2+1]=toClient?.length??0,this.#carried.size===
0&&thread.worker.ref();let carried={descriptors:[clientFd,endpointFd],events};return this.#carried.set(slot2,carried),this.#send(
thread,{kind:"carry",slot:slot2,client:clientFd,endpoint:endpointFd,toClient,toEndpoint}),{get bytesToEndpoint(){return moved[2*
slot2]??0},get bytesToClient(){return moved[2*slot2+1]??0},cut:()=>{this.#carried.get(slot2)===carried&&this.#send(thread,
{kind:"cut",slot:slot2})}}}async close(){await this.#starting;let thread=this.#thread;this.#thread=void 0,this.#starting=
void 0,thread&&(this.#send(thread,{kind:"end"}),await thread.exited)}async#start(){if(process.platform!=="linux"){this.#unusable=
"there is splice on Linux only";return}try{let libc=await loadLibc();this.#libc=libc,this.#thread=await this.#startThread(
libc)}catch(error){this.#unusable=error instanceof Error?error.message:String(error)}}async#startThread(libc){let wake=libc.
eventfd(0,EFD_CLOEXEC_NONBLOCK);if(wake<0)throw new Error(`no event descriptor can be had (errno ${libc.errno()})`);let moved=new Float64Array(
new SharedArrayBuffer(2*MAX_CONNECTIONS*Float64Array.BYTES_PER_ELEMENT)),worker=new Worker(new URL("./splice-thread.mjs",
import.meta.url),{name:"splice",workerData:{wake,moved:moved.buffer,pipeSize:this.options.pipeSize??PIPE_SIZE},resourceLimits:{
maxYoungGenerationSizeMb:2,maxOldGenerationSizeMb:32}}),failure;worker.on("error",error=>{failure=error});let online=new Promise(
(resolve,reject2)=>{worker.once("message",()=>resolve()),worker.once("exit",()=>reject2(failure??new Error("the thread e\
nded at once")))}),exited=new Promise(resolve=>{worker.once("exit",()=>{this.#ended(libc,worker,failure),libc.close(wake),
resolve()})});return await online,worker.on("message",message=>this.#receive(message)),worker.unref(),{worker,wake,moved,
exited}}#send({worker,wake},message){worker.postMessage(message),this.#libc?.write(wake,ONE,ONE.length)}#receive({kind:kind2,
slot:slot2}){let carried=this.#carried.get(slot2);if(carried){if(kind2==="half-closed"){carried.events.onHalfClose();return}
this.#carried.delete(slot2),this.#freeSlots.push(slot2),this.#carried.size===0&&this.#thread?.worker.unref(),carried.events.
onEnd()}}#ended(libc,worker,failure){this.#thread?.worker===worker&&(this.#thread=void 0,this.#unusable=`its thread fail\
ed: ${failure?.message??"it ended"}`);for(let[slot2,{descriptors,events}]of[...this.#carried]){this.#carried.delete(slot2),
this.#freeSlots.push(slot2);for(let fd of descriptors)libc.setsockopt(fd,SOL_SOCKET,SO_LINGER,RESET_ON_CLOSE,RESET_ON_CLOSE.
length),libc.close(fd);events.onEnd()}}};function handleOf(socket){let{_handle:handle}=socket;return typeof handle?.fd==
"number"&&handle.fd>=0&&typeof handle.readStop=="function"?handle:void 0}function isQuiet(socket){return!socket.destroyed&&
!socket.connecting&&!socket.readableEnded&&!socket.writableEnded&&socket.writableLength===0}function duplicate(libc,socket){
let handle=handleOf(socket),fd=handle?libc.fcntl(handle.fd,F_DUPFD_CLOEXEC,LOWEST_DESCRIPTOR):-1;return fd<0?void 0:fd}function release(socket){
handleOf(socket)?.readStop();for(let event of["data","end","drain","close","error","timeout"])socket.removeAllListeners(
event);socket.on("error",()=>{});let parts=[];for(let part=socket.read();part!==null;part=socket.read())parts.push(part);
return socket.destroy(),parts.length===0?void 0:Buffer.concat(parts)}import{isIPv4}from"node:net";var SIGNATURE=Buffer.from([13,10,13,10,0,13,10,81,85,73,84,10]),VERSION_AND_COMMAND=33,TCP_OVER_IPV4=17,
TCP_OVER_IPV6=33;function proxyProtocolHeader(version,connection){let{source,sourcePort,destination,destinationPort}=connection,
four=isIPv4(source);if(version==="v1"){let family=four?"TCP4":"TCP6";return Buffer.from(`PROXY ${family} ${source} ${destination}\
 ${sourcePort} ${destinationPort}\r
`,"latin1")}let size=four?4:16,header=Buffer.alloc(16+2*size+4);return SIGNATURE.copy(header),header[12]=VERSION_AND_COMMAND,
header[13]=four?TCP_OVER_IPV4:TCP_OVER_IPV6,header.writeUInt16BE(2*size+4,14),addressBytes(source).copy(header,16),addressBytes(
destination).copy(header,16+size),header.writeUInt16BE(sourcePort,16+2*size),header.writeUInt16BE(destinationPort,18+2*size),
header}function addressBytes(address){if(!address.includes(":"))return Buffer.from(address.split(".").map(Number));let[head="",
tail]=address.split("::"),groups2=text=>text?text.split(":").map(group=>Number.parseInt(group,16)):[],before=groups2(head),
after=groups2(tail),bytes=Buffer.alloc(16);return before.forEach((group,index)=>{bytes.writeUInt16BE(group,index*2)}),after.
forEach((group,index)=>{bytes.writeUInt16BE(group,16-(after.length-index)*2)}),bytes}var DESCRIPTORS_PER_CONNECTION=2,ONE_SEGMENT=1200,TcpConnection=class{options;#client;#service;#failed;#attempt=0;#endpoint;#connected=!1;#target;#timer;#endAtEndpoint;#lastFailure;#openSockets=1;#done=!1;#carried;constructor(options){
this.options=options;let{client,service}=options;this.#client=client,this.#service=service,service.open.add(this),client.
on("error",()=>this.close()),client.on("close",()=>this.#closed(client)),this.#dial()}get isConnected(){return this.#connected}get endpointKey(){
return this.#target?.key}close(){this.#finishDial(),this.#carried?.cut(),cut(this.#client),this.#endpoint&&cut(this.#endpoint)}#dial(){
let{environment,balancer,counters}=this.#service,{list,source}=this.options,target=balancer.pick(list,source,this.#failed),
timeout=environment.dialTimeouts[this.#attempt++];if(!target||timeout===void 0){counters.refused++,this.#lastFailure!==void 0&&
this.#service.warn(`no endpoint of ${this.#service.spec.name} could be reached, the last: ${this.#lastFailure}`),this.close();
return}let endpoint=environment.dialer.connectTcp(target,environment.highWaterMark),end=balancer.begin(target.key);this.#endAtEndpoint=
end,this.#openSockets++,this.#target=target,this.#endpoint=endpoint,endpoint.on("close",()=>{end(),this.#closed(endpoint)}),
endpoint.on("error",error=>this.#endpointFailed(endpoint,target,error)),endpoint.on("connect",()=>{this.#endpoint===endpoint&&
(this.#connected=!0,this.#finishDial(),this.#splice(endpoint))}),this.#timer=environment.clock.setTimer(timeout,()=>{setImmediate(
()=>{endpoint.connecting&&this.#endpointFailed(endpoint,target,Object.assign(new Error("no answer"),{code:"ETIMEDOUT"}))})})}#endpointFailed(endpoint,target,error){
if(this.#endpoint===endpoint){if(this.#connected){this.close();return}if(this.#service.counters.failedDials++,this.#lastFailure=
`${target.key}: ${error.code??error.message}`,this.#finishDial(),this.#endpoint=void 0,endpoint.destroy(),!this.#client.
destroyed){if(error.code==="EMFILE"||error.code==="ENFILE"){this.#service.limited(`the system has no descriptors left (${error.
code}); raise the limit of open files`),this.close();return}this.#failed??=new Set,this.#failed.add(target.key),this.#dial()}}}#finishDial(){
this.#timer?.cancel(),this.#timer=void 0}#splice(endpoint){let client=this.#client,{counters,spec,environment}=this.#service,
own=this.#service.bytesOf(this.#target?.key??""),version=spec.options.proxyProtocol;version&&(endpoint.setNoDelay(!0),endpoint.
write(proxyProtocolHeader(version,this.#asSeenByClient()))),environment.keepAlive.watch(client),environment.keepAlive.watch(
endpoint),this.#pump(client,endpoint,bytes=>{counters.bytesToEndpoints+=bytes,own.toEndpoints+=bytes}),this.#pump(endpoint,
client,bytes=>{counters.bytesToClients+=bytes,own.toClients+=bytes})}#asSeenByClient(){let{portal,source}=this.options;return{
source,sourcePort:this.#client.remotePort??0,destination:portal?.address??parseAddress(this.#client.localAddress)?.text??
source,destinationPort:portal?.port??this.#client.localPort??0}}#pump(from,to,count){let{bulkAfter,halfClosedTimeout}=this.#service.
environment,moved=0,drained=()=>{(moved<bulkAfter||!this.#handOver())&&from.resume()};from.on("data",chunk=>{count(chunk.
length),moved===0&&chunk.length<ONE_SEGMENT?moved=chunk.length:(moved<ONE_SEGMENT&&to.setNoDelay(!0),moved+=chunk.length),
to.write(chunk)||(from.pause(),to.once("drain",drained)),moved>=bulkAfter&&this.#handOver()}),from.on("end",()=>{if(to.readableEnded&&
to.writableLength===0){to.destroy();return}to.end(),to.setTimeout(halfClosedTimeout,()=>this.close())}),from.resume()}#handOver(){
let endpoint=this.#endpoint,{environment,counters,carried:allCarried}=this.#service,{carrier,budget,clock,halfClosedTimeout,
keepAlive}=environment;if(!carrier||!endpoint||this.#client.writableLength>0||endpoint.writableLength>0)return!1;if(!carrier.
isReady)return carrier.start(),!1;for(let socket of[this.#client,endpoint])keepAlive.settle(socket),socket.setNoDelay(!0);
if(!budget.take(DESCRIPTORS_OF_PIPES))return!1;let watchSilence=before=>{let total=carried?carried.bytesToEndpoint+carried.
bytesToClient:0;total===before?this.close():this.#timer=clock.setTimer(halfClosedTimeout,()=>watchSilence(total))},own=this.#service.
bytesOf(this.#target?.key??""),carried=carrier.carry(this.#client,endpoint,{onHalfClose:()=>{this.#finishDial(),watchSilence(
-1)},onEnd:()=>{counters.bytesToEndpoints+=carried?.bytesToEndpoint??0,counters.bytesToClients+=carried?.bytesToClient??
0,own.toEndpoints+=carried?.bytesToEndpoint??0,own.toClients+=carried?.bytesToClient??0,carried&&allCarried.delete(carried),
budget.release(DESCRIPTORS_OF_PIPES),this.#endAtEndpoint?.(),this.#openSockets=1,this.#release()}});return carried?(this.#carried=
carried,allCarried.set(carried,own),!0):(budget.release(DESCRIPTORS_OF_PIPES),!1)}#closed(socket){this.#service.environment.
keepAlive.forget(socket),this.#connected&&!socket.readableEnded&&this.close(),this.#release()}#release(){this.#openSockets--,
this.#openSockets===0&&!this.#done&&(this.#done=!0,this.#finishDial(),this.#service.open.delete(this),this.#service.release(
DESCRIPTORS_PER_CONNECTION))}};function cut(socket){socket.destroyed||(isShuttingDown(socket)||socket.resetAndDestroy(),
socket.destroy())}function isShuttingDown(socket){return socket.writableEnded&&!socket.writableFinished&&socket.writableLength===
0}var BACKLOG=4096,TcpSocket=class _TcpSocket{server;address;port;constructor(server,address,port){this.server=server,this.
address=address,this.port=port}static async open(address,port,view){let{highWaterMark}=view().service.environment,server=createServer(
{allowHalfOpen:!0,pauseOnConnect:!0,highWaterMark},client=>serve(client,view()));await new Promise((resolve,reject2)=>{let failed=error=>reject2(
listenError("TCP",address,port,error));server.once("error",failed),server.listen({host:address,port,backlog:BACKLOG,ipv6Only:address.
includes(":"),exclusive:!0},()=>{server.off("error",failed),server.on("error",error=>view().service.warn(`${view().spec.
id} could not accept: ${error.message}`)),resolve()})});let bound=server.address();return new _TcpSocket(server,address,
typeof bound=="object"&&bound?bound.port:port)}async close(){this.server.close(),await new Promise(resolve=>setImmediate(
resolve))}};function serve(client,{spec,service,route,loopback}){let source=parseAddress(client.remoteAddress)?.text;if(source===
void 0){client.destroy();return}let chosen=route(source);if(chosen.action!=="forward"||!loopback&&isLoopback(client.localAddress??
"")){service.counters.refused++,turnAway(client);return}if(!service.admit(DESCRIPTORS_PER_CONNECTION)){turnAway(client);
return}let portal=spec.place.kind!=="node-port"&&spec.portals.length===1?spec.portals[0]:void 0;new TcpConnection({client,
source,list:chosen.endpoints,service,portal})}function turnAway(client){client.on("error",()=>{}),cut(client)}import{createSocket}from"node:dgram";var MAX_WAITING=16,LATE=10,MAX_QUEUED=1<<20,DESCRIPTORS_PER_SESSION=1,REFUSALS=["ECONNREFUSED","EHOSTUNREACH","ENETUNREA\
CH","EHOSTDOWN"],RECEIVE_BUFFER=4<<20;function lookup(address,_options,done){done(null,address,address.includes(":")?6:4)}
function newSocket(address,options={}){let ipv6=address.includes(":");return createSocket({type:ipv6?"udp6":"udp4",ipv6Only:ipv6,
lookup,...options})}var UdpSocket=class _UdpSocket{socket;address;port;view;#sessions=new Map;#sweep;#postponed=!1;constructor(socket,address,port,view){
this.socket=socket,this.address=address,this.port=port,this.view=view,socket.on("message",(message,{address:source,port:sourcePort})=>this.#receive(
message,source,sourcePort))}static async open(address,port,view){let socket=newSocket(address,{recvBufferSize:RECEIVE_BUFFER});
return await new Promise((resolve,reject2)=>{let failed=error=>{socket.close(),reject2(listenError("UDP",address,port,error))};
socket.once("error",failed),socket.bind({address,port,exclusive:!0},()=>{socket.off("error",failed),socket.on("error",()=>{}),
resolve()})}),new _UdpSocket(socket,address,socket.address().port,view)}async close(){this.#sweep?.cancel(),this.#sweep=
void 0;for(let session of[...this.#sessions.values()])session.close();await new Promise(resolve=>this.socket.close(()=>resolve()))}#receive(message,source,sourcePort){
let client=`${source} ${sourcePort}`,known=this.#sessions.get(client);if(known){known.send(message);return}let{service,route}=this.
view(),address=parseAddress(source)?.text??source,chosen=route(address),target=chosen.action==="forward"?service.balancer.
pick(chosen.endpoints,address):void 0;if(!target){service.counters.refused++;return}if(!service.admit(DESCRIPTORS_PER_SESSION))
return;let bytes=service.bytesOf(target.key),session=new UdpSession(service,address,target,answer=>{this.socket.getSendQueueSize()<
MAX_QUEUED&&(service.counters.bytesToClients+=answer.length,bytes.toClients+=answer.length,this.socket.send(answer,sourcePort,
source,()=>{}))},()=>this.#sessions.delete(client));this.#sessions.set(client,session),session.send(message),this.#sweepLater()}#sweepLater(){
let{clock,udpTimeout}=this.view().service.environment,period=Math.max(10,udpTimeout/4),due=clock.monotonic()+period;this.#sweep??=
clock.setTimer(period,()=>{if(this.#sweep=void 0,this.#postponed=!this.#postponed&&clock.monotonic()-due>LATE,this.#postponed){
this.#sweepLater();return}let since=clock.monotonic()-udpTimeout;for(let session of[...this.#sessions.values()])session.
lastUsed<=since&&session.close();this.#sessions.size>0&&this.#sweepLater()})}},UdpSession=class{service;client;target;onClose;#socket;#end;#waiting=[];#closed=!1;lastUsed;constructor(service,client,target,answer,onClose){
this.service=service,this.client=client,this.target=target,this.onClose=onClose;let{clock}=service.environment;this.lastUsed=
clock.monotonic(),this.#end=service.balancer.begin(target.key),service.open.add(this),this.#socket=newSocket(target.address),
this.#socket.on("message",message=>{this.lastUsed=clock.monotonic(),service.balancer.answered(target.key),answer(message)}),
this.#socket.on("error",error=>this.#fail(error)),service.environment.dialer.connectUdp(this.#socket,target,error=>{if(error){
this.#fail(error);return}let waiting=this.#waiting??[];this.#waiting=void 0;for(let message of waiting)this.send(message)})}get isConnected(){
return!0}get endpointKey(){return this.target.key}send(message){this.#closed||(this.lastUsed=this.service.environment.clock.
monotonic(),this.#waiting?this.#waiting.length<MAX_WAITING&&this.#waiting.push(message):this.#socket.getSendQueueSize()<
MAX_QUEUED&&(this.service.counters.bytesToEndpoints+=message.length,this.service.bytesOf(this.target.key).toEndpoints+=message.
length,this.#socket.send(message,error=>{error&&this.#fail(error)})))}#fail({code}){this.#closed||(this.service.counters.
failedDials++,(code==="EMFILE"||code==="ENFILE")&&this.service.limited(`the system has no descriptors left (${code}); ra\
ise the limit of open files`),REFUSALS.includes(code)&&this.service.balancer.refused(this.client,this.target.key),this.close())}close(){
this.#closed||(this.#closed=!0,this.#waiting=void 0,this.#end(),this.service.open.delete(this),this.service.release(DESCRIPTORS_PER_SESSION),
this.onClose(),this.#socket.close())}};var NO_NODE={name:"",zone:void 0,addresses:[],detector:{kind:"none"},nodePortAddresses:{kind:"all",loopback:!1},serviceCIDRs:[]},
ProxyEngine=class{options;#services=new Map;#listeners=new Map;#draining=new Set;#failedNodePorts=0;#node;#localAddresses=new Set;constructor(options){
this.options=options}get node(){return this.#node}get services(){return new Map([...this.#services].map(([key,{spec}])=>[
key,spec]))}get listeners(){return new Map([...this.#listeners].flatMap(([id,{complete,spec}])=>complete?[[id,spec]]:[]))}get traffic(){
return[...this.#services.values(),...this.#draining].map(({traffic})=>traffic)}get nodePorts(){return{open:[...this.#listeners.
values()].filter(({spec,complete,sockets})=>spec.place.kind==="node-port"&&complete&&sockets.length>0).length,failures:this.#failedNodePorts}}boundAt(id){
return this.#listeners.get(id)?.sockets.map(({address,port})=>({address,port}))??[]}spec(id){return this.#listeners.get(
id)?.spec}get listenerIds(){return[...this.#listeners.keys()]}async setNode(node,localAddresses){this.#node=node,this.#localAddresses=
new Set(localAddresses);let moved=[],failed=new Map;for(let[id,listener]of this.#listeners){listener.refresh(this.#facts());
try{await this.#settle(listener)&&moved.push(id)}catch(error){failed.set(id,asUserspaceError(error))}}return{moved,failed}}setService(spec){
let known=this.#services.get(spec.key);known?known.update(spec):this.#services.set(spec.key,new ServiceProxy(spec,this.options.
environment))}removeService(key){let service=this.#services.get(key);service&&(this.#services.delete(key),service.keepAll(),
this.#draining.add(service),this.#forgetDrained())}async open(spec){let service=this.#services.get(spec.servicePort);if(!service)
throw new UserspaceError("USERSPACE_LISTEN_FAILED",`${spec.id} belongs to no service port; plan it with one`);let known=this.#listeners.
get(spec.id);known&&known.change(spec,this.#facts());let listener=known??new Listener(spec,service,this.#facts());this.#listeners.
set(spec.id,listener),await this.#settle(listener)}async#settle(listener){let{spec}=listener;try{return await listener.settle(
this.#places(spec),()=>this.#bindProxyPort(listener),address=>this.#isUsable(address))}catch(error){throw this.#failedNodePorts+=
spec.place.kind==="node-port"?1:0,error}}change(spec){this.#listeners.get(spec.id)?.change(spec,this.#facts())}async close(id){
let listener=this.#listeners.get(id);this.#listeners.delete(id),await listener?.close()}tidy(){for(let{balancer}of this.#services.
values())balancer.forgetStale();this.#forgetDrained()}async closeAll(){await Promise.all([...this.#listeners.keys()].map(
id=>this.close(id)));for(let service of[...this.#services.values(),...this.#draining])service.closeAll();this.#services.
clear(),this.#draining.clear(),this.#node=void 0}#forgetDrained(){for(let service of this.#draining)service.open.size===
0&&this.#draining.delete(service)}#facts(){let{detector,nodePortAddresses:nodePortAddresses2}=this.#node??NO_NODE;return{
detector,localAddresses:this.#localAddresses,loopback:nodePortAddresses2.loopback}}get#all(){return this.options.family===
"IPv6"?"::":"0.0.0.0"}#isLocal(address){return isLoopback(address)||this.#localAddresses.has(address)}#isUsable(address){
return address===this.#all||this.#isLocal(address)}#places({place,protocol}){switch(place.kind){case"proxy-port":return;case"\
address":{let{address,port}=place;return this.#isLocal(address)?[{address,port}]:[]}case"node-port":return this.#nodePortPlaces(
protocol).map(address=>({address,port:place.port}))}}#nodePortPlaces(protocol){let{nodePortAddresses:nodePortAddresses2}=this.#node??
NO_NODE,ipv6=this.options.family==="IPv6",loopback=nodePortAddresses2.loopback?[ipv6?"::1":"127.0.0.1"]:[];if(nodePortAddresses2.
kind==="listed"){let listed=nodePortAddresses2.addresses.filter(address=>this.#isLocal(address));return[...new Set([...listed,
...loopback])]}return protocol==="TCP"?[this.#all]:[...[...this.#localAddresses].filter(address=>address.includes(":")===
ipv6&&!isLoopback(address)&&!/^fe[89ab]/.test(address)),...loopback]}async#bindProxyPort(listener){let address=(this.#node??
NO_NODE).addresses.find(address2=>this.#localAddresses.has(address2))??this.#all,{portRange}=this.options;if(!portRange)
return await listener.bind(address,0);for(let port of portsOf(portRange))try{return await listener.bind(address,port)}catch(error){
if(!(error instanceof UserspaceError&&error.code==="USERSPACE_PORT_TAKEN"))throw error}throw new UserspaceError("USERSPA\
CE_NO_PORT_LEFT",`port allocation failed; there are no remaining ports left to allocate in the accepted range ${portRange.
first}-${portRange.last}; make it wider`)}},Listener=class{current;service;#sockets=[];#route;#loopback;#complete=!1;constructor(current,service,facts){
this.current=current,this.service=service,this.#route=sourcePolicy(current,facts),this.#loopback=facts.loopback}get spec(){
return this.current}get sockets(){return this.#sockets}get complete(){return this.#complete}change(spec,facts){this.current=
spec,this.refresh(facts)}refresh(facts){this.#route=sourcePolicy(this.current,facts),this.#loopback=facts.loopback}async settle(places2,bindProxyPort,isUsable){
this.#complete=!1;let changed=!1,failure;if(!places2){let gone=this.#sockets.filter(({address})=>!isUsable(address));for(let socket of gone)
await socket.close();return this.#sockets=this.#sockets.filter(socket=>!gone.includes(socket)),this.service.environment.
budget.release(gone.length),this.#sockets.length===0&&(this.#sockets=[await bindProxyPort()],changed=!0),this.#complete=
!0,changed}let stands=({address,port},others)=>others.some(other=>other.address===address&&other.port===port);for(let socket of this.#sockets.
filter(candidate=>!stands(candidate,places2)))await socket.close(),this.#sockets=this.#sockets.filter(other=>other!==socket),
this.service.environment.budget.release(1),changed=!0;for(let place of places2.filter(candidate=>!stands(candidate,this.#sockets)))
try{this.#sockets=[...this.#sockets,await this.bind(place.address,place.port)],changed=!0}catch(error){failure??=error}if(failure!==
void 0)throw failure;return this.#complete=!0,changed}async bind(address,port){let view=()=>this.#view(),{budget}=this.service.
environment,socket=this.current.protocol==="TCP"?await TcpSocket.open(address,port,view):await UdpSocket.open(address,port,
view);return budget.force(1),socket}async close(){let sockets=this.#sockets;this.#sockets=[],await Promise.all(sockets.map(
socket=>socket.close())),this.service.environment.budget.release(sockets.length)}#view(){let{kind:kind2}=this.current.place;
return{spec:this.current,service:this.service,route:this.#route,loopback:kind2!=="node-port"||this.#loopback}}};function asUserspaceError(error){
return error instanceof UserspaceError?error:new UserspaceError("USERSPACE_LISTEN_FAILED",`cannot listen: ${messageOf(error)}`,
{cause:error})}function proxyLimits(settings){return{udpTimeout:settings.udpTimeout??250,dialTimeouts:settings.dialTimeouts??[250,500,1e3,
2e3],halfClosedTimeout:settings.halfClosedTimeout??36e5,highWaterMark:settings.highWaterMark??256*1024,bulkAfter:settings.
bulkAfter??1<<20,maxConnectionsPerService:settings.maxConnectionsPerService??Number.POSITIVE_INFINITY}}async function readInstalled3({engine,addresses,redirects:redirects2}){engine.tidy();let current=await addresses.read();
return{reach:redirects2.reach,node:addresses.isApplied(current)?engine.node:void 0,services:engine.services,listeners:engine.
listeners,clusterIPs:redirects2.clusterIPs,redirectInForce:await redirects2.redirector.inForce()}}var UserspaceDataplane=class{options;followsLocalAddresses=!0;#planner;#engine;#budget;#clock;#dialer;#logger;#ownCarrier;#addresses;#redirects;#creatingRedirects;constructor(options){
this.options=options;let{family,portRange,listenAddresses=[],clock=systemClock,logger=silentLogger}=options;this.#planner=
new UserspacePlanner({listenAddresses}),this.#addresses=this.#newAddresses(),this.#budget=options.budget??new DescriptorBudget(
descriptorLimit),this.#clock=clock,this.#dialer=new EndpointDialer(family),this.#logger=logger,this.#ownCarrier=options.
carrier?void 0:new SpliceCarrier,this.#engine=new ProxyEngine({family,environment:{...proxyLimits(options),...options.goneAfter===
void 0?{}:{goneAfter:options.goneAfter},clock,logger,keepAlive:new KeepAlive(clock),dialer:this.#dialer,budget:this.#budget,
carrier:options.carrier??this.#ownCarrier},...portRange===void 0?{}:{portRange}})}get traffic(){let{family}=this.options;
return this.#engine.traffic.map(traffic=>({...traffic,family}))}get nodePorts(){return{family:this.options.family,...this.#engine.
nodePorts}}boundAt(id){return this.#engine.boundAt(id)}plan(next2,changes,installed){return this.#planner.plan(next2,changes,
installed)}planInSlices(next2,changes,installed){return this.#planner.planInSlices(next2,changes,installed)}async readBack(){
return await readInstalled3(await this.#prepare())}async apply(transaction){let target=await this.#prepare();for(let problem of transaction.
problems)this.#logger.warn(problem);await applyTransaction3(transaction,target)}async watch(onDrift,signal){let{redirects:redirects2}=await this.#prepare();
await redirects2.redirector.watch?.({clock:this.#clock,signal,onDrift,onFailure:reason=>this.#logger.warn(`Redirect rule\
s cannot be looked at: ${reason}`)})}render(transaction,installed){return renderChanges3(transaction,installed)}async close(){
this.#redirects?.redirector.close?.(),await this.#engine.closeAll(),await this.#ownCarrier?.close()}async cleanup(){let{
redirects:redirects2}=await this.#prepare();await redirects2.cleanup(),await this.#engine.closeAll(),await this.#ownCarrier?.
close(),this.#addresses=this.#newAddresses()}#newAddresses(){return new LocalAddresses(this.options.family,this.options.
localAddresses)}async#prepare(){return await this.#budget.ready(),this.#creatingRedirects??=this.#createRedirects().catch(
error=>{throw this.#creatingRedirects=void 0,error}),{engine:this.#engine,addresses:this.#addresses,redirects:await this.#creatingRedirects}}async#createRedirects(){
let redirection=await this.options.redirection?.()??{reach:"none",redirector:noRedirector},redirects2=new Redirects(redirection,
this.#engine,this.#logger),{reach,ownSockets}=redirection;return this.#dialer.use(reach==="redirected"&&ownSockets?{sockets:ownSockets,
isNeeded:(protocol,target)=>redirects2.mayRedirect(protocol,target)}:void 0),this.#redirects=redirects2,redirects2}};var MIN_CONNECTIONS=4096;async function diagnose3(){return[await diagnoseOpenFiles(),await diagnoseSplice()]}async function diagnoseSplice(){
let check="connections that move much",carrier=new SpliceCarrier;await carrier.start();let{unusable}=carrier;return await carrier.
close(),unusable===void 0?{check,status:"ok",found:"carried by the kernel (splice)"}:{check,status:"warning",found:`carr\
ied by the event loop, at half the throughput: ${unusable}`,advice:"install the package koffi for this platform, and all\
ow the system calls splice, pipe2 and epoll_wait"}}async function diagnoseOpenFiles(){let room=Math.floor(await descriptorLimit()/
2),found=`room for ${room} connections at once`;return room<MIN_CONNECTIONS?{check:"open files",status:"warning",found,advice:"\
raise the limit of open files (ulimit -n, LimitNOFILE)"}:{check:"open files",status:"ok",found}}var COUNTING3={servicePorts:["connections","bytes"],endpoints:["connections","bytes"]},LABELS=["service","protocol"],METRICS={
active:{type:"gauge",name:"kube_proxier_userspace_active_connections",help:"Open connections (UDP: sessions)",labels:LABELS},
connections:{type:"counter",name:"kube_proxier_userspace_connections_total",help:"Accepted connections (UDP: sessions)",
labels:LABELS,counts:"connections"},refused:{type:"counter",name:"kube_proxier_userspace_refused_total",help:"Refused co\
nnections (UDP: sessions)",labels:LABELS},resets:{type:"counter",name:"kube_proxier_userspace_connections_reset_total",help:"\
Connections that were reset because their endpoint was gone",labels:LABELS},failedDials:{type:"counter",name:"kube_proxi\
er_userspace_failed_dials_total",help:"Failed attempts to connect to an endpoint",labels:LABELS},bytesToEndpoints:{type:"\
counter",name:"kube_proxier_userspace_to_endpoints_bytes_total",help:"Payload bytes sent to endpoints",labels:LABELS},bytesToClients:{
type:"counter",name:"kube_proxier_userspace_to_clients_bytes_total",help:"Payload bytes sent to clients",labels:LABELS}};
function trafficMeasurement(traffic){return{name:"traffic",source:"process",metrics:Object.values(METRICS),read:()=>traffic().
flatMap(samplesOf)}}function countsOf(traffic,countAll){return traffic.flatMap(({name,protocol,family,countConnections,...counted})=>{
if(!(countConnections??countAll)||family===void 0)return[];let of={service:name,protocol,family},{connections,connectionsByEndpoint,
bytesByEndpoint,bytesToEndpoints,bytesToClients}=counted,endpoints=new Set([...connectionsByEndpoint.keys(),...bytesByEndpoint.
keys()]);return[{...of,connections,bytes:{toEndpoints:bytesToEndpoints,toClients:bytesToClients}},...[...endpoints].map(
endpoint=>{let own=connectionsByEndpoint.get(endpoint),bytes=bytesByEndpoint.get(endpoint)??{toEndpoints:0,toClients:0};
return{...of,endpoint,...own===void 0?{}:{connections:own},bytes}})]})}function samplesOf(traffic){let labels={service:traffic.
name,protocol:traffic.protocol};return Object.entries(METRICS).map(([field,{name}])=>({metric:name,labels,value:traffic[field],
...traffic.family===void 0?{}:{family:traffic.family}}))}function createUserspacePreview({context,reach,listenAddresses=[]}){return{followsLocalAddresses:!0,localAddresses:context.
localAddresses,async changes(next2,previous){let installed=installedFor(previous,await reach(),listenAddresses),transaction=new UserspacePlanner(
{listenAddresses}).plan(next2,diffStates(void 0,next2),installed);return transaction===void 0?[]:renderChanges3(transaction,
installed)},async close(){}}}function installedFor(state,reach,listenAddresses){let planned=[...state?.servicePorts.values()??
[]].flatMap(port=>planServicePort(port,{reach,listenAddresses})??[]);return{reach,node:state?.node,services:new Map(planned.
map(({service})=>[service.key,service])),listeners:new Map(planned.flatMap(({listeners})=>listeners.map(listener=>[listener.
id,listener]))),clusterIPs:new Set(state?.clusterIPs.keys()),redirectInForce:!0}}var USERSPACE_REDIRECTS=["auto","iptables","bind","none"],HostSupport2=class{options;#variant;#probedReason;constructor(options){
this.options=options}get probedReason(){return this.#probedReason}async probe(){let{redirect}=this.options;if(redirect===
"none"||redirect==="bind")return{usable:!0,detail:`redirect ${redirect}`};let reason=await this.#whyNoIptables("IPv4");return this.#probedReason=
reason,reason===void 0?{usable:!0,detail:"redirect iptables"}:redirect==="auto"?{usable:!0,detail:`redirect bind, as ipt\
ables cannot be used: ${reason}`}:{usable:!1,reason:`redirect iptables cannot be had: ${reason}`}}async redirect(family){
let{redirect}=this.options;if(redirect==="none")return{redirect};if(redirect==="bind")return{redirect,reason:void 0};let reason=await this.#whyNoIptables(
family);if(reason===void 0){let iptables=this.#variantInUse().then(variant=>this.iptables(family,variant));return{redirect:"\
iptables",iptables:()=>iptables}}if(redirect==="iptables")throw new UserspaceError("USERSPACE_INVALID_OPTION",`${family}\
 cannot be redirected by iptables: ${reason}`);return{redirect:"bind",reason}}iptables(family,variant){return createIptables(
{family,runner:this.options.runner,...variant===void 0?{}:{variant}})}async#whyNoIptables(family){try{let iptables=this.
iptables(family,await this.#variantInUse());return await iptables.version(),await iptables.isPresent()?void 0:`the nat t\
able cannot be listed: ${whyNotPermitted()}; or the kernel lacks it`}catch(error){if(isProxierError(error))return messageOf(
error).replace(/\.$/,"");throw error}}#variantInUse(){let{runner,variant}=this.options;return this.#variant??=variant===
void 0?detectIptablesVariant(runner).then(detected=>detected.variant):Promise.resolve(variant),this.#variant}};var MODE3="userspace",VARIANTS2=["nft","legacy"],isPort=port=>Number.isInteger(port)&&port>=1&&port<=65535,OPTION_RULES={
redirect:OptionRules.oneOf(USERSPACE_REDIRECTS),variant:OptionRules.oneOf(VARIANTS2),runner:OptionRules.having("run"),portRange:{
expected:"{ first, last }, two ports of 1 to 65535 in this order",accepts:value=>{let{first,last}=value??{};return isPort(
first)&&isPort(last)&&Number(first)<=Number(last)}},udpTimeout:OptionRules.milliseconds,dialTimeouts:{expected:"a list o\
f numbers of milliseconds, greater than 0, with at least one",accepts:value=>Array.isArray(value)&&value.length>0&&value.
every(OptionRules.milliseconds.accepts)},halfClosedTimeout:OptionRules.milliseconds,highWaterMark:OptionRules.wholeNumberFrom(
1),bulkAfter:{expected:"a number of bytes, 0 or more, or Infinity",accepts:value=>typeof value=="number"&&value>=0},maxConnectionsPerService:OptionRules.
wholeNumberFrom(1),listenAddresses:{expected:"a list of IP addresses",accepts:value=>Array.isArray(value)&&value.every(text=>parseAddress(
text)!==void 0)}};function createUserspaceBackend(options={}){checkBackendOptions("createUserspaceBackend",options,OPTION_RULES);
let{redirect="auto",runner=createCommandRunner(),variant,...settings}=options,support=new HostSupport2({runner,redirect,
...variant===void 0?{}:{variant}}),proxiers=new ProxierRegistry2(support,settings),access={variants:variant===void 0?VARIANTS2:
[variant],iptables:(family,used)=>support.iptables(family,used)};return{mode:MODE3,description:"Carries connections in t\
his process: needs least of the kernel, runs anywhere",capabilities:{localhostNodePorts:!0,localhostNodePortsIPv6:!0,sctp:!1,
preservesSource:!1,tracksConnections:!1,detectsInterfaces:!1,serviceAddresses:redirect!=="none",servesWithoutProcess:!1,
counting:COUNTING3},requirements:{netAdmin:"optional"},probe:()=>support.probe(),diagnose:diagnose3,traffic:()=>proxiers.
traffic(),nodePorts:()=>proxiers.nodePorts(),metrics:[trafficMeasurement(()=>proxiers.traffic()),countsMeasurement(COUNTING3,
{source:"process",read:()=>proxiers.counts()})],module:new ContainerModule(({bind})=>{bind(Tokens.ProxierFactory).toConstantValue(
context=>proxiers.create(context)),bind(Tokens.Cleanup).toConstantValue(()=>cleanUp3(access,proxiers.resources())),bind(
Tokens.Leftovers).toConstantValue(owner=>findLeftovers2(access,owner)),bind(Tokens.Preview).toConstantValue(context=>createUserspacePreview(
{context,reach:async()=>REACH[(await support.redirect(context.family)).redirect],...settings.listenAddresses===void 0?{}:
{listenAddresses:settings.listenAddresses}}))})}}var REACH={none:"none",bind:"bound",iptables:"redirected"},ProxierRegistry2=class{support;settings;#dataplanes=new Set;#carrier=new SpliceCarrier;#budget=new DescriptorBudget(
descriptorLimit);#reportedReason;#countAll=!1;constructor(support,settings){this.support=support,this.settings=settings}create(context){
let{family,logger,clock,localAddresses,options}=context;this.#countAll=options.countConnections;let ownSockets=new LibcMarkedSockets(
2**options.masqueradeBit),{minSyncPeriod}=options,dataplane=new UserspaceDataplane({...this.settings,family,localAddresses,
redirection:()=>this.#redirection(family,logger,ownSockets),budget:this.#budget,carrier:this.#carrier,goneAfter:1e3+(typeof minSyncPeriod==
"number"?minSyncPeriod:0),clock,logger});return this.#dataplanes.add(dataplane),new ReconcilingProxier({mode:MODE3,context,
dataplane})}counts(){return countsOf(this.traffic(),this.#countAll)}traffic(){return[...this.#dataplanes].flatMap(({traffic})=>traffic)}nodePorts(){
return[...this.#dataplanes].map(({nodePorts})=>nodePorts)}resources(){return[...[...this.#dataplanes].map(dataplane=>({name:"\
sockets",close:()=>dataplane.cleanup()})),{name:"the thread that carries connections",close:()=>this.#carrier.close()}]}async#redirection(family,logger,ownSockets){
let host2=await this.support.redirect(family);switch(host2.redirect){case"none":return{reach:"none",redirector:noRedirector};case"\
bind":return this.#report(host2.reason,family,logger),{reach:"bound",redirector:noRedirector};case"iptables":{await ownSockets.
start();let mark=ownSockets.unusable===void 0?ownSockets.mark:void 0;return{reach:"redirected",redirector:new IptablesRedirector(
family,host2.iptables,mark),ownSockets}}}}#report(reason,family,logger){if(reason!==void 0&&reason!==this.#reportedReason){
this.#reportedReason=reason;let fields=reason===this.support.probedReason?{}:{family,reason};logger.warn("Cluster IPs ar\
e not redirected, as iptables cannot be used; serving local addresses",fields)}}},userspaceBackend=createUserspaceBackend();export{SCHEDULER_NAMES,DEFAULT_SCHEDULER,isScheduler,createIpvsBackend,ipvsBackend,OWNED_TABLE_SETTINGS,NFT_ACCESS_SETTINGS,
createNftablesBackend,nftablesBackend,parsePortRange,USERSPACE_REDIRECTS,createUserspaceBackend,userspaceBackend};
//# sourceMappingURL=chunk-YORNVZFG.js.map
