import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{createIpvsBackend,createNftablesBackend,createUserspaceBackend,ipvsBackend,nftablesBackend,userspaceBackend}from"./chunk-YORNVZFG.js";
import{EventRecorder,MetricsAccessReviewer}from"./chunk-KHXMYMKB.js";import{VERSION}from"./chunk-NDLARBRE.js";
import{HealthCheckMetrics,MAX_FAILING_ENDPOINTS}from"./chunk-K6JK22O5.js";import"./chunk-MTSOMN72.js";import{
EMPTY_TABLE_DOCUMENT,HostConntrack,IPTABLES_SYNC_METRICS,IptablesDocumentRefused,IptablesError,IptablesRule,NetlinkError,
PacketCountersNetlink,ProcSysctl,SysctlError,TcpSocketsNetlink,canRun,createCommandRunner,createIptables,detectIptablesVariant,
effectOf,inNewNamespace,iptablesDocumentChanges,kernelFiles,kernelFilesOf,lineOfDocument,parseDocument,parseSavedTable,parseSavedTableInSlices,
plannedPathOf,readNetfilterPath,removeChains,removedObjects,renderDocument,renderDocumentInSlices,targetOf,userChain,watchRules,
whyNotPermitted,withoutComment}from"./chunk-C2RJUF7R.js";import"./chunk-UWS5UL64.js";import{AccumulatedCounts,
ContainerModule,DEFAULT_PROXIER_OPTIONS,EventLoopPace,LeftoversError,ObjectReader,OptionRules,PartlyAppliedError,ProxierError,
ProxyStateResolver,ReconcilingProxier,StateMemo,Tokens,assertNever,checkBackendOptions,countsConnections,countsMeasurement,
createPreview,diffStates,finish,finishWithPauses,formatServicePortName,hostCIDR,joinHostPort,messageOf,printable,resetsConnections,
selectionWeights,servesLoopback,serviceKey,silentLogger,structurallyEqual,systemClock,withCompanion}from"./chunk-4LHTYADA.js";
import"./chunk-7IMJZ4UJ.js";import"./chunk-VCSBMK2H.js";import{availableParallelism}from"node:os";import{createHash}from"node:crypto";var BASE32="ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",HASH_LENGTH=16;function chainHash(text){let digest=createHash("sha256").update(
text).digest(),hash="",bits=0,held=0;for(let byte of digest){for(bits=bits<<8|byte,held+=8;held>=5&&hash.length<HASH_LENGTH;)
held-=5,hash+=BASE32.charAt(bits>>>held&31);if(bits&=(1<<held)-1,hash.length===HASH_LENGTH)break}return hash}function serviceChain(kind,name,discriminator=""){
return`KUBE-${kind}-${chainHash(formatServicePortName(name)+name.protocol.toLowerCase()+discriminator)}`}var CHAINS={services:"\
KUBE-SERVICES",nodePorts:"KUBE-NODEPORTS",serviceBranches:"KUBE-SVC-IP",nodePortBranches:"KUBE-SVC-NP",postrouting:"KUBE\
-POSTROUTING",markMasquerade:"KUBE-MARK-MASQ",hairpin:"KUBE-HAIRPIN",externalServices:"KUBE-EXTERNAL-SERVICES",proxyFirewall:"\
KUBE-PROXY-FIREWALL",forward:"KUBE-FORWARD",clusterIPs:"KUBE-CLUSTER-IPS",marker:"KUBE-PROXIER",closedNodePorts:"KUBE-CL\
OSED-NP",blockedNodePorts:"KUBE-BLOCKED-NP",localnetGuard:"KUBE-FIREWALL"},PLACE="(?:-(?:[0-9A-F]{1,2}|(?:TCP|UDP|SCTP)-\
[0-9]+)(?:-[0-9A-F]{1,2})?)?",OURS={nat:new RegExp(`^KUBE-(?:(?:SERVICES|NODEPORTS|HAIRPIN)${PLACE}|POSTROUTING|MARK-MAS\
Q|PROXY-CANARY|PROXIER|(?:SVC|SVL|EXT|FW|SEP|XLB)-.*)$`),filter:new RegExp(`^KUBE-(?:(?:SERVICES|NODEPORTS|EXTERNAL-SERV\
ICES|PROXY-FIREWALL|CLUSTER-IPS|CLOSED-NP|BLOCKED-NP)${PLACE}|FORWARD|PROXY-CANARY|PROXIER|FW-.*)$`),mangle:/^KUBE-PROXY-CANARY$/},
SHARED_ROOTS={nat:[CHAINS.services,CHAINS.nodePorts,CHAINS.postrouting,CHAINS.markMasquerade],filter:[CHAINS.services,CHAINS.
externalServices,CHAINS.nodePorts,CHAINS.proxyFirewall,CHAINS.forward]},CANARY="KUBE-PROXY-CANARY",PLACE_OF_TREE=PLACE.replace(
/\?$/,""),ONLY_OURS={nat:new RegExp(`^KUBE-(?:PROXIER|HAIRPIN${PLACE}|(?:SVC-IP|SVC-NP|SERVICES|NODEPORTS)${PLACE_OF_TREE}\
)$`),filter:new RegExp(`^KUBE-(?:PROXIER|(?:CLUSTER-IPS|CLOSED-NP|BLOCKED-NP)${PLACE}|(?:SERVICES|NODEPORTS|EXTERNAL-SER\
VICES|PROXY-FIREWALL)${PLACE_OF_TREE}|FW-.*)$`)};function isOnlyOurChain(table,name){return table!=="mangle"&&ONLY_OURS[table].
test(name)}function isOurChain(table,name){return OURS[table].test(name)}var LOOPBACK="127.0.0.0/8",COUNTERS={invalidDropped:"ct_state_invalid_dropped_pkts",localhostNodePorts:"localhost_nps_ac\
cepted_pkts"};function jump(chain){return{target:"jump",chain}}function jumpRule(table,from,to,comment,onlyNew=!1){let parts=onlyNew?
{matches:[{match:"conntrack",states:["NEW"]}],comment,commentAfter:1}:{comment};return{table,from,rule:new IptablesRule(
{...parts,target:jump(to)})}}var FIREWALL="kubernetes load balancer firewall",PORTALS="kubernetes service portals",EXTERNAL="\
kubernetes externally-visible service portals",JUMPS=[jumpRule("filter","INPUT",CHAINS.proxyFirewall,FIREWALL,!0),jumpRule(
"filter","INPUT",CHAINS.nodePorts,"kubernetes health check service ports"),jumpRule("filter","INPUT",CHAINS.externalServices,
EXTERNAL,!0),jumpRule("filter","FORWARD",CHAINS.proxyFirewall,FIREWALL,!0),jumpRule("filter","FORWARD",CHAINS.forward,"k\
ubernetes forwarding rules"),jumpRule("filter","FORWARD",CHAINS.services,PORTALS,!0),jumpRule("filter","FORWARD",CHAINS.
externalServices,EXTERNAL,!0),jumpRule("filter","OUTPUT",CHAINS.proxyFirewall,FIREWALL,!0),jumpRule("filter","OUTPUT",CHAINS.
services,PORTALS,!0),jumpRule("filter","OUTPUT",CHAINS.externalServices,EXTERNAL,!0),jumpRule("nat","PREROUTING",CHAINS.
services,PORTALS),jumpRule("nat","OUTPUT",CHAINS.services,PORTALS),jumpRule("nat","POSTROUTING",CHAINS.postrouting,"kube\
rnetes postrouting rules")],MARKER=new IptablesRule({target:jump(CHAINS.marker)}),OWN_JUMP=JUMPS.find(({from,rule})=>from===
"OUTPUT"&&rule.bareText.endsWith(`-j ${CHAINS.externalServices}`));function fixedChains(family,masqueradeBit,facts){let bit=1<<
masqueradeBit>>>0,marked={match:"mark",value:bit,mask:bit},notMarked={...marked,not:!0},counting=counter=>facts.counters.
has(counter)?[{match:"nfacct",counter}]:[],forward=[...facts.dropInvalid?[new IptablesRule({matches:[{match:"conntrack",
states:["INVALID"]},...counting(COUNTERS.invalidDropped)],target:{target:"DROP"}})]:[],new IptablesRule({comment:"kubern\
etes forwarding rules",matches:[marked],target:{target:"ACCEPT"}}),new IptablesRule({comment:"kubernetes forwarding conn\
track rule",matches:[{match:"conntrack",states:["RELATED","ESTABLISHED"]}],target:{target:"ACCEPT"}}),MARKER],countLocalhost=counting(
COUNTERS.localhostNodePorts),postrouting=[...countLocalhost.length===0||family==="IPv6"?[]:[new IptablesRule({matches:[{
match:"conntrack",states:["DNAT"],originalDestination:LOOPBACK},...countLocalhost]})],new IptablesRule({matches:[notMarked,
{match:"conntrack",states:["DNAT"]}],target:jump(CHAINS.hairpin)}),new IptablesRule({matches:[notMarked],target:{target:"\
RETURN"}}),new IptablesRule({target:{target:"MARK",value:bit,mask:0}}),new IptablesRule({comment:"kubernetes service tra\
ffic requiring SNAT",target:{target:"MASQUERADE",randomFully:facts.randomFully}}),MARKER],mark=[new IptablesRule({target:{
target:"MARK",value:bit,mask:bit}})];return{filter:new Map([[CHAINS.marker,{rules:[]}],[CHAINS.forward,{rules:forward}]]),
nat:new Map([[CHAINS.marker,{rules:[]}],[CHAINS.postrouting,{rules:postrouting}],[CHAINS.markMasquerade,{rules:mark}]])}}
var LAST="kubernetes service nodeports; NOTE: this must be the last rule in this chain";function nodePortJumps(family,addresses,chain){
let target=jump(chain);if(addresses.kind==="all"){let except=family==="IPv6"?{destination:{value:"::1/128",not:!0}}:addresses.
loopback?{}:{destination:{value:LOOPBACK,not:!0}};return[new IptablesRule({...except,comment:LAST,matches:[{match:"addrt\
ype",side:"dst",type:"LOCAL"}],target})]}let isLoopback=address=>address.startsWith("127.")||address==="::1",loopback=family===
"IPv4"&&addresses.loopback,listed=addresses.addresses.filter(address=>!isLoopback(address)||loopback).map(address=>address.
includes(":")?`${address}/128`:`${address}/32`);return(loopback&&!addresses.addresses.some(isLoopback)?[...listed,LOOPBACK]:
listed).map(value=>new IptablesRule({destination:{value},comment:LAST,target}))}var LOCALNET_GUARD=new IptablesRule({source:{
value:LOOPBACK,not:!0},destination:{value:LOOPBACK},comment:"block incoming localnet connections",matches:[{match:"connt\
rack",states:["RELATED","ESTABLISHED","DNAT"],not:!0}],target:{target:"DROP"}}),LOCALNET_GUARD_JUMP=new IptablesRule({target:jump(
CHAINS.localnetGuard)}),LOCALNET_GUARD_HOOKS=["INPUT","OUTPUT"],ROUTE_LOCALNET="net/ipv4/conf/all/route_localnet";async function openLocalnet(iptables,sysctl,logger){let exists=await iptables.chainExists("filter",CHAINS.localnetGuard),
isMissing2=async(chain,{text:text2})=>!exists||!await iptables.ruleExists("filter",chain,text2),appendedRules=[],insertedRules=[];
await isMissing2(CHAINS.localnetGuard,LOCALNET_GUARD)&&appendedRules.push({chain:CHAINS.localnetGuard,rule:LOCALNET_GUARD.
text});for(let hook of LOCALNET_GUARD_HOOKS)await isMissing2(hook,LOCALNET_GUARD_JUMP)&&insertedRules.push({chain:hook,position:1,
rule:LOCALNET_GUARD_JUMP.text});let created=exists?[]:[CHAINS.localnetGuard],text=renderDocument(new Map([["filter",{...EMPTY_TABLE_DOCUMENT,
created,appendedRules,insertedRules}]]));text!==""&&await iptables.restore(text);try{return await sysctl.write(ROUTE_LOCALNET,
1)&&logger.info("set route_localnet=1 to serve NodePorts on 127.0.0.1; to avoid it, set localhostNodePorts to false or l\
ist nodePortAddresses without loopback"),!0}catch(error){if(!(error instanceof SysctlError))throw error;return logger.warn(
"NodePorts are not served on 127.0.0.1",{reason:error.message}),!1}}function ownersOf(saved2){let[nat,filter]=[ownerOf("nat",saved2.nat),ownerOf("filter",saved2.filter)],isEarlier=nat==="k\
ube-proxier"&&!leadsTo("nat",saved2.nat,chain=>chain===CHAINS.marker);return{nat,filter:filter==="kube-proxy"&&isEarlier?
"kube-proxier":filter}}function ownerOf(table,saved2){return leadsTo(table,saved2,chain=>isOnlyOurChain(table,chain))?"k\
ube-proxier":SHARED_ROOTS[table].some(chain=>saved2.has(chain))?"kube-proxy":"none"}function leadsTo(table,saved2,matches){
return SHARED_ROOTS[table].some(root=>saved2.get(root)?.rules.some(rule=>matches(targetOf(rule)??""))??!1)}function parseTables(saved2){let document=parseDocument(saved2),table=name=>document.get(name)?.written??new Map;return{
filter:table("filter"),nat:table("nat"),mangle:table("mangle")}}function planRemoval(family,saved2,owner){let tables=parseTables(
saved2),owners=ownersOf(tables),document=new Map(["filter","nat","mangle"].map(table=>{let withOwnJump=owner!=="kube-pro\
xy"&&table==="filter",content=removeChains(tables[table],removable(table,owner,owners),{foreignReferences:"keep-empty",alsoDelete:(chain,rule)=>withOwnJump&&
chain===OWN_JUMP?.from&&isOwnJump(rule)});return[table,content]})),mine=Object.values(owners).filter(one=>one!=="none"),
isWanted=owner==="both"||(mine.length===0?owner==="kube-proxier":mine.every(one=>one===owner)),guard=family==="IPv6"||!isWanted||
/^:KUBE-KUBELET-CANARY /m.test(saved2)?void 0:planGuardRemoval(tables.filter);return{document,guard:guard&&new Map([["fi\
lter",guard]])}}function removable(table,owner,owners){let isOurs=chain=>isOurChain(table,chain);if(owner==="both")return isOurs;
if(table==="mangle"){let isReplaced=Object.values(owners).every(one=>one!=="kube-proxy")&&owners.nat==="kube-proxier";return chain=>isOurs(
chain)&&isReplaced===(owner==="kube-proxier")}switch(owners[table]){case"kube-proxier":return chain=>owner==="kube-proxi\
er"&&isOurs(chain);case"kube-proxy":return owner==="kube-proxy"?isOurs:chain=>isOnlyOurChain(table,chain);case"none":return chain=>isOurs(
chain)&&chain===CANARY==(owner==="kube-proxy")}}function isKubeProxyLocalnet(saved2){let tables=parseTables(saved2);return Object.
values(ownersOf(tables)).includes("kube-proxy")&&hasGuard(tables.filter)}function hasGuard(filter){return filter.get(CHAINS.
localnetGuard)?.rules.some(isGuard)??!1}function isOwnJump(text){return effectOf(text)===OWN_JUMP?.rule.bareText}function isGuard(text){
return effectOf(text)===LOCALNET_GUARD.bareText}function planGuardRemoval(filter){let name=CHAINS.localnetGuard,chain=filter.
get(name);if(chain===void 0||!chain.rules.some(isGuard))return;let guards=chain.rules.filter(isGuard).map(rule=>({chain:name,
rule}));if(!chain.rules.every(isGuard))return{...EMPTY_TABLE_DOCUMENT,deletedRules:guards};let jumps=LOCALNET_GUARD_HOOKS.
flatMap(hook=>(filter.get(hook)?.rules??[]).filter(rule=>rule===LOCALNET_GUARD_JUMP.text).map(rule=>({chain:hook,rule}))),
isNeeded=[...filter].some(([other,{rules}])=>!LOCALNET_GUARD_HOOKS.includes(other)&&rules.some(text=>targetOf(text)===name));
return{...EMPTY_TABLE_DOCUMENT,deletedRules:[...guards,...jumps],deletedChains:new Map(isNeeded?[]:[[name,void 0]])}}async function removeRules(iptables,options){let{sysctl,logger,servesLocalnet=!1}=options,{document,guard}=planRemoval(iptables.
family,await iptables.save(),options.owner),location=locationIn(iptables.family,options),text=renderDocument(document);text!==
""&&await iptables.restore(text);let removed=describe(document,location);if(guard===void 0)return removed;let closed=servesLocalnet?
[]:await closeLocalnet(sysctl,logger);return await iptables.restore(renderDocument(guard)),[...removed,...describe(guard,
location),...closed]}function findLeftovers(family,saved2,options){let{document,guard}=planRemoval(family,saved2,options.
owner),location=locationIn(family,options);return[...describe(document,location),...guard===void 0?[]:describe(guard,location)]}
function locationIn(family,{variant}){return table=>[`${table} table`,family,...variant===void 0?[]:[variant]].join(", ")}
function describe(document,location){return[...document].flatMap(([table,content])=>removedObjects(content,location(table)))}
async function servesKubeProxyLocalnet(iptables){return isKubeProxyLocalnet(await iptables.save())}async function guardsLocalnet(iptables){
let filter=parseSavedTable(await iptables.save("filter"),"filter");return hasGuard(filter)}async function closeLocalnet(sysctl,logger){
try{if(await sysctl.write(ROUTE_LOCALNET,0))return logger.info("set route_localnet=0: nothing serves NodePorts on 127.0.\
0.1 any more"),[{kind:"setting",names:[`${ROUTE_LOCALNET}=1`]}]}catch(error){if(!(error instanceof SysctlError)||error.code!==
"SYSCTL_ABSENT")throw error}return[]}var HostCleanup=class{mode;tools;sysctl;#readings=new WeakMap;constructor(mode,tools,sysctl){this.mode=mode,this.tools=tools,
this.sysctl=sysctl}cleanUp=async logger=>{let servesLocalnet=await this.#kubeProxyServesLocalnet();return await this.#removeRules(
logger,()=>({owner:"kube-proxier",servesLocalnet}))};cleanUpKubeProxy=async(logger,{inForce})=>{if(inForce!==this.mode)return await this.#removeRules(
logger,()=>({owner:"kube-proxy"}));let inUse=await this.tools.variantInUse();if(inUse===void 0)return{removed:[]};let servesLocalnet=await guardsLocalnet(
this.tools.of("IPv4",inUse));return await this.#removeRules(logger,variant=>variant===inUse?void 0:{owner:"both",servesLocalnet})};findLeftovers=async(whose,_logger,{
inForce,reading={}})=>{let adopts=inForce===this.mode&&whose==="kube-proxy",inUse=adopts?await this.tools.variantInUse():
void 0,owner=adopts?"both":whose==="backend"?"kube-proxier":"kube-proxy",found=[];return await this.tools.each(async(iptables,variant)=>{
if(adopts&&(inUse===void 0||variant===inUse))return;let saved2=await this.#saved(reading,iptables,variant);found.push(...findLeftovers(
iptables.family,saved2,{owner,...named(variant)}))}),found};#saved(reading,iptables,variant){let known=this.#readings.get(
reading)??new Map;this.#readings.set(reading,known);let key=`${iptables.family} ${variant}`,saved2=known.get(key)??iptables.
save();return known.set(key,saved2),saved2}async#kubeProxyServesLocalnet(){for(let variant of await this.tools.installedVariants(
"IPv4"))if(await servesKubeProxyLocalnet(this.tools.of("IPv4",variant)).catch(()=>!1))return!0;return!1}async#removeRules(logger,choose){
let removed=[];return await this.tools.each(async(iptables,variant)=>{let choice=choose(variant);choice!==void 0&&removed.
push(...await removeRules(iptables,{sysctl:this.sysctl,logger,...named(variant),...choice}))}),{removed}}};function named(variant){
return variant===void 0?{}:{variant}}var EMPTY_TABLE={writes:new Map,created:new Set,deletes:new Map,removals:[],insertions:[],growth:0};function isEmptyTable(table){
return table.writes.size===0&&table.deletes.size===0&&table.removals.length===0&&table.insertions.length===0}function describeTransaction({
filter,nat}){let sum=count=>count(filter)+count(nat),chains=sum(({writes})=>writes.size),removed=sum(({deletes})=>deletes.
size),jumps=sum(({insertions})=>insertions.length);return`${chains} chains and ${jumps} jumps, removed ${removed} chains`}
function renderTransaction(transaction){return finish(renderTransactionInSlices(transaction))}function*renderTransactionInSlices(transaction){
return yield*renderDocumentInSlices(yield*documentInSlices(transaction))}function documentOf(transaction){return finish(
documentInSlices(transaction))}function*documentInSlices(transaction){let{filter,nat,comments}=transaction;return new Map(
[["filter",yield*tableDocument(filter,comments)],["nat",yield*tableDocument(nat,comments)]])}function*tableDocument(table,comments){
let written=new Map;for(let[name,chain]of table.writes)yield,written.set(name,chainContent(chain,comments));for(let name of table.
deletes.keys())written.set(name,userChain());return{...EMPTY_TABLE_DOCUMENT,written,deletedRules:table.removals,insertedRules:table.
insertions.map(({chain,position,rule})=>({chain,position,rule:rule.text})),deletedChains:table.deletes}}function chainContent({
rules,owner,owners},comments){return owner!==void 0?{policy:"-",rules:rules.map(rule=>comments?rule.text:rule.bareText),
owner}:owners!==void 0?{policy:"-",rules:rules.map((rule,index)=>comments||owners[index]===void 0?rule.text:rule.bareText),
owners}:userChain(rules.map(({text})=>text))}function ownersOf2(transaction){let keys=new Set;for(let table of[transaction.
filter,transaction.nat]){for(let{owner,owners}of table.writes.values())for(let key of owner===void 0?owners??[]:[owner])
key!==void 0&&keys.add(key);for(let key of table.deletes.values())key!==void 0&&keys.add(key)}return keys}function withoutOwners(transaction,excluded){
let kept=key=>key===void 0||!excluded(key),restrict=table=>({...table,writes:new Map([...table.writes].filter(([,chain])=>kept(
chain.owner)).map(([name,chain])=>[name,chain.owners===void 0?chain:withoutRules(chain,chain.owners,kept)])),deletes:new Map(
[...table.deletes].filter(([,key])=>kept(key)))});return{...transaction,filter:restrict(transaction.filter),nat:restrict(
transaction.nat)}}function withoutRules(chain,owners,kept){return{rules:chain.rules.filter((_rule,index)=>kept(owners[index])),
owners:owners.filter(kept)}}var LINES=1500,PARTS_OF_RUN=12;function splitLoad(transaction,lines=LINES){let filter=partsOf(transaction.filter,lines),
nat=partsOf(transaction.nat,lines);return filter.length+nat.length<=2?[transaction]:[...filter.map(part=>({...transaction,
filter:part,nat:EMPTY_TABLE})),...nat.map(part=>({...transaction,filter:EMPTY_TABLE,nat:part}))]}function groupRuns(parts){
let runs=[];for(let part of parts){let run=runs.at(-1),[previous]=run??[];run!==void 0&&previous!==void 0&&run.length<PARTS_OF_RUN&&
isEmptyTable(previous.nat)===isEmptyTable(part.nat)&&[previous,part].every(({filter,nat})=>writesOnly(filter)&&writesOnly(
nat))?run.push(part):runs.push([part])}return runs}function writesOnly({deletes,removals,insertions}){return deletes.size===
0&&removals.length===0&&insertions.length===0}function partsOf(table,lines){let{writes,created}=table,isNew=([name])=>created.
has(name),fresh=[...writes].filter(isNew);if(isEmptyTable(table)||fresh.reduce((sum,[,{rules}])=>sum+1+rules.length,0)<2*
lines)return isEmptyTable(table)?[]:[table];let shared=fresh.filter(([,{owner}])=>owner===void 0),owned=fresh.filter(([,
{owner}])=>owner!==void 0),groups=[shared.map(([name])=>[name,{rules:[]}]),...groupsOf(owned,lines),...groupsOf(shared,lines)].
filter(group=>group.length>0),rest=new Map([...writes].filter(entry=>!isNew(entry)));return[...groups.map(group=>({...EMPTY_TABLE,
writes:new Map(group)})),{...table,writes:rest}]}function groupsOf(chains,lines){let groups=[],size=lines,last;for(let[name,
chain]of chains)size>=lines&&(chain.owner===void 0||chain.owner!==last)&&(groups.push([]),size=0),groups.at(-1)?.push([name,
chain]),size+=1+chain.rules.length,last=chain.owner;return groups}var CODE="IPTABLES_PARTLY_APPLIED",UNIDENTIFIED="rules of service ports that were not identified",MAX_ATTEMPTS=64,MAX_CHAINS_IN_ONE=500;
async function applyTransaction(iptables,transaction,logger){let refused=new Map,refusedIn={filter:new Set,nat:new Set},
cause,runs=groupRuns(await partsOf2(iptables,transaction)),ahead;for(let[index,run]of runs.entries()){let document=await(ahead??
documentOfRun(run));ahead=void 0;let renderNext=()=>{ahead=documentOfRun(runs[index+1])};if(!(run.length>1&&refused.size===
0&&await applyTogether(iptables,document,renderNext,logger)))for(let part of run){let table=isEmptyTable(part.nat)?"filt\
er":"nat",omitted=refusedIn[table];try{await applyDocument(iptables,omitted.size>0?withoutOwners(part,key=>omitted.has(key)):
part,logger)}catch(error){if(!(error instanceof PartlyAppliedError))throw error;cause=error;for(let[key,reason]of error.
refused)refused.set(key,reason),omitted.add(key)}}}if(refused.size>0)throw new PartlyAppliedError(CODE,refused,{cause})}
async function partsOf2(iptables,transaction){let{filter,nat}=transaction;if(filter.writes.size+nat.writes.size<=MAX_CHAINS_IN_ONE)
return[transaction];let parts=(await iptables.version()).variant==="nft"?splitLoad(transaction):[transaction];return parts.
length>1||isEmptyTable(filter)||isEmptyTable(nat)?parts:[{...transaction,nat:EMPTY_TABLE},{...transaction,filter:EMPTY_TABLE}]}
async function documentOfRun(parts=[]){let documents=[];if(parts.length>1){let pace=new EventLoopPace;for(let part of parts)
documents.push(await finishWithPauses(renderTransactionInSlices(part),pace))}return documents.join("")}async function applyTogether(iptables,document,meanwhile,logger){
try{let written=iptables.restore(document);return meanwhile(),await written,!0}catch(error){if(!(error instanceof IptablesDocumentRefused))
throw error;return logger.debug(2,"iptables refused a document; its parts are written one by one",{reason:error.message}),
!1}}async function applyDocument(iptables,transaction,logger){let document=await finishWithPauses(renderTransactionInSlices(
transaction),new EventLoopPace);if(document!=="")try{await iptables.restore(document)}catch(error){if(!(error instanceof
IptablesDocumentRefused))throw error;logger.warn("iptables refused a document; looking for what is wrong with it",{reason:error.
message}),await new PiecemealApply(iptables,transaction,error).run()}}var PiecemealApply=class{iptables;transaction;#refused=new Map;#attempts=0;#last;constructor(iptables,transaction,first){
this.iptables=iptables,this.transaction=transaction,this.#last=first}async run(){let error=this.#last;for(;error!==void 0;){
let blamed=this.#blameLine(error);if(await this.#forgetWhatIsDone(),!blamed&&!await this.#blameByHalves(error))throw error;
error=await this.#try(this.transaction)}if(this.#refused.size>0)throw new PartlyAppliedError(CODE,this.#refused,{cause:this.#last})}#blameLine(error){
if(error.line===void 0)return!1;let line=lineOfDocument(documentOf(this.transaction),error.line);return line?.operation===
"delete-chain"&&line.chain!==void 0?(this.#keepEmpty(line.table==="nat"?"nat":"filter",line.chain),!0):line?.owner!==void 0?
(this.#leaveOut([line.owner],error),!0):!1}#keepEmpty(name,kept){let table=this.transaction[name],deletes=new Map([...table.
deletes].filter(([chain])=>chain!==kept)),writes=new Map([...table.writes,[kept,{rules:[]}]]);this.transaction={...this.
transaction,[name]:{...table,deletes,writes}}}async#blameByHalves(error){let good=new Set,bad=[],reason=error,whole=this.
transaction,tryGroup=async group=>{let failed=await this.#try(withoutOwners(whole,key=>!good.has(key)&&!group.includes(key)));
if(failed===void 0)for(let key of group)good.add(key);else if(group.length<=1)reason=failed,bad.push(...group);else{let half=group.
length>>1;await tryGroup(group.slice(0,half)),await tryGroup(group.slice(half))}};return await this.#try(withoutOwners(whole,
()=>!0))!==void 0?!1:(await this.#forgetWhatIsDone(),await tryGroup([...ownersOf2(whole)]),this.#leaveOut(bad,reason),bad.
length>0)}#leaveOut(keys,error){for(let key of keys)this.#refused.set(key,error.reason);let excluded=new Set(keys);this.
transaction=withoutOwners(this.transaction,key=>excluded.has(key))}async#try(transaction){if(++this.#attempts>MAX_ATTEMPTS){
let refused=new Map([...this.#refused,[UNIDENTIFIED,this.#last.reason]]);throw new PartlyAppliedError(CODE,refused,{cause:this.#last})}
try{await this.iptables.restore(renderTransaction(transaction));return}catch(error){if(error instanceof IptablesDocumentRefused)
return this.#last=error,error;throw error}}async#forgetWhatIsDone(){for(let name of["filter","nat"]){let table=this.transaction[name];
if(isEmptyTable(table)||table.insertions.length===0)continue;let[insertion]=table.insertions;table.removals.length===0&&
insertion!==void 0&&await this.iptables.chainExists(name,targetChain(table)??"")&&await this.iptables.ruleExists(name,insertion.
chain,insertion.rule.text)&&(this.transaction={...this.transaction,[name]:{...table,insertions:[]}})}}};function targetChain(table){
let target=table.insertions[0]?.rule.parts.target;return target?.target==="jump"?target.chain:void 0}var TABLES=["filter","nat"],RuleCounts=class{#total={filter:0,nat:0};#written={filter:0,nat:0};#expected;get expected(){
return this.#expected}get rules(){let of=table=>({total:this.#total[table],written:this.#written[table]});return{filter:of(
"filter"),nat:of("nat")}}unknown(){this.#expected=void 0}found(tables){for(let table of TABLES){this.#total[table]=0,this.#written[table]=
0;for(let[chain,{rules}]of tables[table])this.#total[table]+=isOurChain(table,chain)?rules.length:0}this.#expected={...this.#total}}applied(transaction){
for(let table of TABLES){let{writes,insertions,growth}=transaction[table];this.#total[table]+=growth,this.#written[table]=
insertions.length;for(let{rules}of writes.values())this.#written[table]+=rules.length}this.#expected={...this.#total}}};var RuleText=class{text;#bare;constructor(text){this.text=text}get bareText(){return this.#bare??=withoutComment(this.text),
this.#bare}};var TREES={services:{table:"nat",root:CHAINS.services,branches:CHAINS.serviceBranches},nodePorts:{table:"nat",root:CHAINS.
nodePorts,branches:CHAINS.nodePortBranches},hairpin:{table:"nat",root:CHAINS.hairpin,branches:CHAINS.hairpin},refused:{table:"\
filter",root:CHAINS.services,branches:CHAINS.services},clusterIPs:{table:"filter",root:CHAINS.clusterIPs,branches:CHAINS.
clusterIPs},refusedExternal:{table:"filter",root:CHAINS.externalServices,branches:CHAINS.externalServices},closedNodePorts:{
table:"filter",root:CHAINS.closedNodePorts,branches:CHAINS.closedNodePorts},firewall:{table:"filter",root:CHAINS.proxyFirewall,
branches:CHAINS.proxyFirewall},blockedNodePorts:{table:"filter",root:CHAINS.blockedNodePorts,branches:CHAINS.blockedNodePorts},
healthChecks:{table:"filter",root:CHAINS.nodePorts,branches:CHAINS.nodePorts}},TREE_NAMES=Object.keys(TREES),MIDDLE_BITS=15,
LEAF_BITS=496,FLAT=32,places=new Map;function placeOfAddress(address){let low=lowBits(address),[middle,leaf]=[low&MIDDLE_BITS,
low&LEAF_BITS],isIPv6=address.includes(":");return place(`${isIPv6?"IPv6":"IPv4"} ${middle|leaf}`,()=>{let bits=isIPv6?bits6:
bits4,name=hex(middle);return{middle:name,leaf:`${name}-${hex(leaf>>4)}`,toMiddle:{destination:bits(middle,MIDDLE_BITS)},
toLeaf:{destination:bits(leaf,LEAF_BITS)}}})}function placeOfPort(protocol,port){let[middle,leaf]=[port>>10,port>>5];return place(
`${protocol} ${leaf}`,()=>{let name=`${protocol.toUpperCase()}-${middle}`,range=(first,size)=>({protocol,matches:[{match:"\
port",protocol,first,last:first+size-1}]});return{middle:name,leaf:`${name}-${leaf&31}`,toMiddle:range(middle<<10,1024),
toLeaf:range(leaf<<5,32)}})}function place(name,make){let known=places.get(name);return known===void 0&&(known=make(),places.
set(name,known)),known}function lowBits(address){if(address.includes(":")){let last=address.slice(address.lastIndexOf(":")+
1);return last===""?0:Number.parseInt(last,16)}let[,,third="0",fourth="0"]=address.split(".");return Number(third)<<8|Number(
fourth)}function bits4(value,mask){let text=bits=>`0.0.${bits>>8}.${bits&255}`;return{value:`${text(value)}/${text(mask)}`}}
function bits6(value,mask){let text=bits=>bits===0?"::":`::${bits.toString(16)}`;return{value:`${text(value)}/${text(mask)}`}}
function hex(value){return value.toString(16).toUpperCase()}var DispatchTree=class _DispatchTree{name;leaves;size;constructor(name,leaves,size){
this.name=name,this.leaves=leaves,this.size=size}static empty(name){return new _DispatchTree(name,new Map,0)}*editedInSlices(removed,added){
let leaves=new Map(this.leaves),touched=new Map,leaf=name=>{let entries=touched.get(name);return entries===void 0&&(entries=
new Map((leaves.get(name)??[]).map(entry=>[entry.key,entry])),touched.set(name,entries)),entries};for(let entry of removed)
yield,leaf(entry.place.leaf).delete(entry.key);for(let entry of added)yield,leaf(entry.place.leaf).set(entry.key,entry);
let size=this.size;for(let[name,entries]of touched)yield,size+=entries.size-(leaves.get(name)?.length??0),entries.size===
0?leaves.delete(name):leaves.set(name,[...entries.values()].sort(byKey));return new _DispatchTree(this.name,leaves,size)}chainsOf(entries){
return entries.flatMap(({place:place2})=>[this.#chain(place2.middle),this.#chain(place2.leaf)])}get isFlat(){return this.
size<=FLAT}*chains(tail){if(yield[TREES[this.name].root,this.root(tail)],!this.isFlat){for(let middle of this.#middles().
keys())yield[this.#chain(middle),this.#middle(middle)];for(let[name,entries]of this.leaves)yield[this.#chain(name),list(
entries)]}}chain(name){let place2=name.slice(TREES[this.name].branches.length+1);if(this.isFlat)return;let leaf=this.leaves.
get(place2);return leaf!==void 0?list(leaf):this.#middles().has(place2)?this.#middle(place2):void 0}root(tail){if(this.isFlat){
let{rules,owners}=list([...this.leaves.values()].flat().sort(byKey));return{rules:[...rules,...tail],owners:[...owners??
[],...tail.map(()=>{})]}}return{rules:[...[...this.#middles()].sort(byName).map(([name,parts])=>this.#jump(parts,name)),
...tail]}}#middle(name){let places2=[...this.leaves.values()].map(entries=>entries[0].place).filter(place2=>place2.middle===
name);return places2.sort((a,b)=>a.leaf<b.leaf?-1:1),{rules:places2.map(place2=>this.#jump(place2.toLeaf,place2.leaf))}}#middles(){
let middles=new Map;for(let[first]of this.leaves.values())middles.set(first.place.middle,first.place.toMiddle);return middles}#jump(parts,place2){
return new IptablesRule({...parts,target:{target:"jump",chain:this.#chain(place2)}})}#chain(place2){return`${TREES[this.
name].branches}-${place2}`}};function list(entries){let seen=new Set,rules=[],owners=[];for(let{text,owner}of entries){let rule=new RuleText(
text);seen.has(rule.bareText)||(seen.add(rule.bareText),rules.push(rule),owners.push(owner))}return{rules,owners}}function byKey(a,b){
return a.key<b.key?-1:a.key>b.key?1:0}function byName(a,b){return a[0]<b[0]?-1:1}function rangeDiscriminator({port,lastPort}){return lastPort===void 0?"":` ${port}-${lastPort}`}function destinationOf(endpoint,{
port,lastPort}){return lastPort===void 0?endpoint.key:endpoint.port===port?endpoint.address:`${endpoint.key}-${endpoint.
port+lastPort-port}/${port}`}function serviceRules(port,family,detector){return new ServiceRenderer(port,family,detector).
render()}var MARK={target:"jump",chain:CHAINS.markMasquerade},ServiceRenderer=class{port;family;detector;#nat=new Map;#filter=new Map;#entries=[];#label;#protocol;#external=new Map;#firewalls=new Map;#names=new Map;constructor(port,family,detector){
this.port=port,this.family=family,this.detector=detector,this.#label=formatServicePortName(port.name),this.#protocol=port.
name.protocol.toLowerCase()}render(){for(let frontend of this.port.frontends){let routes=this.#effectiveRoutes(frontend),
entry=this.#entryChain(frontend,routes);if(entry!==void 0){let note={ClusterIP:" cluster IP",ExternalIP:" external IP",LoadBalancerIP:"\
 loadbalancer IP",NodePort:""}[frontend.kind],tree=frontend.address===void 0?"nodePorts":"services";this.#enter(tree,frontend,
0,{comment:this.#label+note,target:{target:"jump",chain:entry}})}this.#refuse(frontend,routes),this.#restrict(frontend,routes)}
return this.#pickChains(),{nat:this.#nat,filter:this.#filter,entries:this.#entries}}#effectiveRoutes(frontend){return frontend.
routes.filter(route=>route.source!=="pod"||this.detector.kind!=="none").map(route=>route.action==="forward"&&this.port[route.
endpoints].length===0?{source:route.source,action:"reject"}:route)}#entryChain(frontend,routes){if(frontend.allowedSources?.
length===0||!routes.some(route=>route.action==="forward"))return;let[only]=routes,inside=routes.length===1&&only?.action===
"forward"&&(frontend.kind==="ClusterIP"||only.masquerade==="never")?this.#pick(only,frontend):this.#externalChain(routes,
frontend);return frontend.allowedSources===void 0?inside:this.#firewallChain(frontend.allowedSources,inside)}#pick(route,ports){
return this.#name(route.endpoints==="local"?"SVL":"SVC",rangeDiscriminator(ports))}#externalChain(routes,ports){let signature=JSON.
stringify(routes)+rangeDiscriminator(ports),known=this.#external.get(signature);if(known!==void 0)return known;let chain=this.#variantChain(
"EXT",this.#external,signature),rules=[];for(let route of routes){let{where,parts}=this.#from(route.source);if(route.action!==
"forward"){rules.push(new IptablesRule({...parts,target:{target:"RETURN"}}));continue}let mark=this.#markParts(route);if(mark!==
void 0){let comment2=`masquerade ${where} for ${this.#label} external destinations`;rules.push(new IptablesRule({...parts,
...mark,comment:comment2,target:MARK}))}let comment=route.source==="any"?void 0:`route ${where} for ${this.#label} exter\
nal destinations`;rules.push(new IptablesRule({...parts,...comment===void 0?{}:{comment},target:{target:"jump",chain:this.#pick(
route,ports)}}))}return this.#nat.set(chain,this.#own(rules)),chain}#markParts(route){return route.masquerade==="always"?
{}:route.masquerade==="never"||route.source==="pod"?void 0:this.#pods(!0)}#firewallChain(sources,inside){let signature=`${inside}\
 ${sources.join(" ")}`,known=this.#firewalls.get(signature);if(known!==void 0)return known;let chain=this.#variantChain(
"FW",this.#firewalls,signature),comment=`${this.#label} loadbalancer IP`,target={target:"jump",chain:inside},rules=sources.
map(source=>new IptablesRule({source:{value:source},comment,target}));return this.#nat.set(chain,this.#own(rules)),chain}#variantChain(kind,known,signature){
let chain=this.#name(kind,known.size===0?"":signature);return known.set(signature,chain),chain}#refuse(frontend,routes){
let tree=frontend.address===void 0?"closedNodePorts":frontend.kind==="ClusterIP"?"refused":"refusedExternal";routes.forEach(
(route,index)=>{if(route.action==="forward")return;let{parts}=this.#from(route.source),comment=`${this.#label} has no ${route.
action==="drop"?"local ":""}endpoints`;if(route.action==="reject")this.#enter(tree,frontend,index,{...parts,comment,target:{
target:"REJECT",with:this.#refusal()}});else if(resetsConnections(this.port)){let target={target:"REJECT",with:"tcp-rese\
t"};this.#enter(tree,frontend,index,{...parts,comment,target},"no-syn"),this.#enter(tree,frontend,index,{...parts,comment,
target:{target:"DROP"}},"after")}else this.#enter(tree,frontend,index,{...parts,comment,target:{target:"DROP"}})})}#refusal(){
return resetsConnections(this.port)?"tcp-reset":this.family==="IPv4"?"icmp-port-unreachable":"icmp6-port-unreachable"}#restrict(frontend,routes){
let{allowedSources}=frontend;if(allowedSources===void 0)return;let tree=frontend.address===void 0?"blockedNodePorts":"fi\
rewall",chain=this.#name("FW"),comment=`${this.#label} traffic not accepted by ${chain}`;if(allowedSources.length===0||routes.
every(route=>route.action==="forward")){this.#enter(tree,frontend,0,{comment,target:{target:"DROP"}});return}let signature=allowedSources.
join(" "),filterChain=this.#name("FW",signature),rules=[...allowedSources.map(source=>new IptablesRule({source:{value:source},
target:{target:"RETURN"}})),new IptablesRule({comment,target:{target:"DROP"}})];this.#filter.set(filterChain,this.#own(rules)),
this.#enter(tree,frontend,0,{comment,target:{target:"jump",chain:filterChain}})}#pickChains(){let reachable=new Map;for(let[
endpoints,kind]of[["cluster","SVC"],["local","SVL"]]){let used=this.port.frontends.filter(frontend=>frontend.allowedSources?.
length!==0&&this.#effectiveRoutes(frontend).some(route=>route.action==="forward"&&route.endpoints===endpoints)),list2=this.
port[endpoints];for(let ports of new Map(used.map(frontend=>[rangeDiscriminator(frontend),frontend])).values()){let chain=this.#name(
kind,rangeDiscriminator(ports));this.#nat.set(chain,this.#own([...this.#guards(endpoints,ports),...this.#choices(list2,ports)]));
for(let endpoint of list2)if(reachable.set(endpoint.key,endpoint),this.port.affinitySeconds!==void 0){let endpointChain=this.#endpointChain(
endpoint,ports);this.#nat.set(endpointChain,this.#own([this.#remembering(endpoint,ports)]))}}}for(let endpoint of reachable.
values())this.#hairpin(endpoint)}#guards(endpoints,ports){return this.port.frontends.flatMap(frontend=>{let[route,another]=this.#effectiveRoutes(
frontend);if(frontend.kind!=="ClusterIP"||frontend.address===void 0||route?.action!=="forward"||route.endpoints!==endpoints||
frontend.lastPort!==ports.lastPort||another!==void 0)return[];let mark=this.#markParts(route),destination={value:hostCIDR(
frontend.address)};return mark===void 0?[]:[new IptablesRule({...mark,destination,comment:`${this.#label} cluster IP`,target:MARK})]})}#choices(list2,ports){
let{affinitySeconds}=this.port,sticky=affinitySeconds===void 0?[]:list2.map(endpoint=>{let chain=this.#endpointChain(endpoint,
ports);return new IptablesRule({comment:this.#arrow(endpoint),matches:[{match:"recent",operation:"rcheck",seconds:affinitySeconds,
list:this.#clientList(endpoint),mask:this.#fullMask()}],target:{target:"jump",chain}})}),weights=selectionWeights(list2),
left=weights?.reduce((sum,weight)=>sum+weight,0)??list2.length,chance=list2.map((endpoint,index)=>{let weight=weights?.[index]??
1,probability=weight/left;left-=weight;let matches=left===0?[]:[{match:"statistic",probability}];return affinitySeconds===
void 0?new IptablesRule({protocol:this.#protocol,comment:this.#arrow(endpoint),matches,target:{target:"DNAT",to:destinationOf(
endpoint,ports)}}):new IptablesRule({comment:this.#arrow(endpoint),matches,target:{target:"jump",chain:this.#endpointChain(
endpoint,ports)}})});return[...sticky,...chance]}#remembering(endpoint,ports){let list2=this.#clientList(endpoint);return new IptablesRule(
{protocol:this.#protocol,comment:this.#label,matches:[{match:"recent",operation:"set",list:list2,mask:this.#fullMask()}],
target:{target:"DNAT",to:destinationOf(endpoint,ports)}})}#hairpin(endpoint){if(!endpoint.isLocal)return;let host={value:hostCIDR(
endpoint.address)};this.#entries.push({tree:"hairpin",key:`${endpoint.address} ${this.port.key} ${endpoint.key}`,owner:void 0,
place:placeOfAddress(endpoint.address),text:new IptablesRule({source:host,destination:host,target:MARK}).text})}#enter(tree,frontend,index,parts,kind){
let{address,port,lastPort}=frontend,key=index===0?frontend.key:`${frontend.key} ${index}`,match={match:"port",protocol:this.#protocol,
first:port,...lastPort===void 0?{}:{last:lastPort},...kind==="no-syn"?{noSyn:!0}:{}};this.#entries.push({tree,key:kind===
"after"?`${frontend.key} ${index} drop`:key,owner:this.port.key,place:address===void 0?placeOfPort(this.#protocol,port):
placeOfAddress(address),text:new IptablesRule({...parts,...address===void 0?{}:{destination:{value:hostCIDR(address)}},protocol:this.#protocol,
matches:[...parts.matches??[],match]}).text})}#from(source){switch(source){case"any":return{where:"traffic",parts:{}};case"\
node":return{where:"LOCAL traffic",parts:{matches:[{match:"addrtype",side:"src",type:"LOCAL"}]}};case"pod":return{where:"\
pod traffic",parts:this.#pods(!1)??{}}}}#pods(not){switch(this.detector.kind){case"none":return;case"source-cidr":return{
source:{value:this.detector.cidr,not}};case"interface":return{inInterface:{value:this.detector.name,not}};case"interface\
-prefix":return{inInterface:{value:`${this.detector.prefix}+`,not}}}}#name(kind,discriminator=""){let key=`${kind} ${discriminator}`,
name=this.#names.get(key);return name===void 0&&(name=serviceChain(kind,this.port.name,discriminator),this.#names.set(key,
name)),name}#own(rules){return{rules,owner:this.port.key}}#endpointChain(endpoint,ports){return this.#name("SEP",endpoint.
key+rangeDiscriminator(ports))}#clientList(endpoint){return this.#name("SEP",endpoint.key)}#arrow(endpoint){return`${this.#label}\
 -> ${endpoint.key}`}#fullMask(){return this.family==="IPv4"?"255.255.255.255":"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}};var DispatchIndex=class _DispatchIndex{state;trees;endpoints;constructor(state,trees,endpoints){this.state=state,this.trees=
trees,this.endpoints=endpoints}static*ofInSlices(state,rules){let entries=rules.flatMap(one=>one.entries),endpoints=0;for(let port of state.
servicePorts.values())yield,endpoints+=endpointsOf(port);for(let check of state.healthCheckNodePorts.values())yield,entries.
push(healthCheckEntry(check));for(let address of state.clusterIPs.keys())yield,entries.push(clusterIPEntry(address));let trees=Object.
fromEntries(TREE_NAMES.map(name=>[name,DispatchTree.empty(name)]));for(let[name,{added}]of editsByTree([],entries))trees[name]=
yield*trees[name].editedInSlices([],added);return new _DispatchIndex(state,trees,endpoints)}*nextInSlices(state,changes,rules){
let removed=[],added=[],{endpoints}=this;for(let[key,{previous,current}]of changes.servicePorts)yield,removed.push(...rules.
get(key)?.previous?.entries??[]),added.push(...rules.get(key)?.current?.entries??[]),endpoints+=(current===void 0?0:endpointsOf(
current))-(previous===void 0?0:endpointsOf(previous));for(let key of changes.healthCheckNodePorts){let[before,after]=[this.
state.healthCheckNodePorts.get(key),state.healthCheckNodePorts.get(key)];removed.push(...before===void 0?[]:[healthCheckEntry(
before)]),added.push(...after===void 0?[]:[healthCheckEntry(after)])}for(let address of changes.clusterIPs)this.state.clusterIPs.
has(address)&&removed.push(clusterIPEntry(address)),state.clusterIPs.has(address)&&added.push(clusterIPEntry(address));let{
trees,touched}=yield*editTrees(this.trees,removed,added);return{index:new _DispatchIndex(state,trees,endpoints),touched}}tail(tree){
let{family,node}=this.state;switch(tree){case"services":return nodePortJumps(family,node.nodePortAddresses,CHAINS.nodePorts);case"\
refused":return TRANSPORTS.map(protocol=>new IptablesRule({protocol,matches:[{match:"conntrack",states:["DNAT"],not:!0}],
target:{target:"jump",chain:CHAINS.clusterIPs}}));case"clusterIPs":return node.serviceCIDRs.map(value=>new IptablesRule(
{destination:{value},comment:"not a cluster IP of any service",target:{target:"DROP"}}));case"refusedExternal":return this.#tailFor(
"closedNodePorts",CHAINS.closedNodePorts);case"firewall":return this.#tailFor("blockedNodePorts",CHAINS.blockedNodePorts);case"\
nodePorts":case"hairpin":case"closedNodePorts":case"blockedNodePorts":case"healthChecks":return[];default:return assertNever(
tree)}}#tailFor(tree,chain){let{family,node}=this.state;return this.trees[tree].size===0?[]:nodePortJumps(family,node.nodePortAddresses,
chain)}root(tree){return this.trees[tree].root(this.tail(tree))}*chains(){for(let tree of TREE_NAMES)for(let[name,chain]of this.
trees[tree].chains(this.tail(tree)))yield[TREES[tree].table,name,chain]}};function editsByTree(removed,added){let edits=new Map;
for(let[kind,entries]of[["removed",removed],["added",added]])for(let entry of entries){let edit=edits.get(entry.tree);edit===
void 0&&(edit={removed:[],added:[]},edits.set(entry.tree,edit)),edit[kind].push(entry)}return edits}function*editTrees(trees,removed,added){
let next={...trees},touched=new Map;for(let[name,edit]of editsByTree(removed,added)){let[before,after]=[trees[name],yield*trees[name].
editedInSlices(edit.removed,edit.added)];next[name]=after;let names=before.isFlat===after.isFlat?after.chainsOf([...edit.
removed,...edit.added]):[...before.chains([]),...after.chains([])].map(([chain])=>chain).filter(chain=>chain!==TREES[name].
root);touched.set(name,new Set(names))}return{trees:next,touched}}function rulesOf(port,state){return serviceRules(port,
state.family,state.node.detector)}function endpointsOf(port){return Math.max(port.cluster.length,port.local.length)}var TRANSPORTS=[
"tcp","udp","sctp"];function clusterIPEntry(address){return{tree:"clusterIPs",key:address,owner:void 0,place:placeOfAddress(
address),text:new IptablesRule({destination:{value:hostCIDR(address)},target:{target:"REJECT",with:address.includes(":")?
"icmp6-port-unreachable":"icmp-port-unreachable"}}).text}}function healthCheckEntry(check){let{port}=check;return{tree:"\
healthChecks",key:`${port} ${serviceKey(check)}`,owner:void 0,place:placeOfPort("tcp",port),text:new IptablesRule({protocol:"\
tcp",comment:`${serviceKey(check)} health check node port`,matches:[{match:"port",protocol:"tcp",first:port}],target:{target:"\
ACCEPT"}}).text}}function sameNode(a,b){return a.node===b.node||a.family===b.family&&structurallyEqual(a.node.detector,b.
node.detector)&&structurallyEqual(a.node.nodePortAddresses,b.node.nodePortAddresses)&&structurallyEqual(a.node.serviceCIDRs,
b.node.serviceCIDRs)}var MAX_ENDPOINTS_WITH_COMMENTS=1e3,TABLES2=["filter","nat"],NOTHING={filter:new Map,nat:new Map,routeLocalnet:!1,facts:{
randomFully:!0,dropInvalid:!0,counters:new Set}},IptablesPlanner=class{masqueradeBit;#planned=new StateMemo(state=>finish(
derive(state)));constructor(masqueradeBit){this.masqueradeBit=masqueradeBit}plan(next,changes,installed){return finish(this.
planInSlices(next,changes,installed))}*planInSlices(next,changes,installed){let drafts={filter:draft(),nat:draft()};if(installed===
void 0&&changes.previous!==void 0){if(sameNode(changes.previous,next))yield*this.#planChanges(next,changes.previous,changes,
drafts);else{let wanted2=yield*this.#stateChains(next);yield*diff(wanted2,present(yield*this.#stateChains(changes.previous)),
drafts)}let localnet=wantsLocalnet(next)&&!wantsLocalnet(changes.previous);return this.#transaction(next,drafts,localnet)}
let found=installed??NOTHING,wanted=yield*this.#stateChains(next),fixed=fixedChains(next.family,this.masqueradeBit,found.
facts);for(let table of TABLES2)for(let[name,chain]of fixed[table])wanted[table].set(name,chain);yield*diff(wanted,saved(
found),drafts);for(let table of TABLES2)planJumps(table,found[table],drafts[table]);return this.#transaction(next,drafts,
wantsLocalnet(next)&&!hasLocalnet(found))}#transaction(next,{filter,nat},localnet){if(isEmptyTable(filter)&&isEmptyTable(
nat)&&!localnet)return;let comments=this.#planned.of(next).index.endpoints<=MAX_ENDPOINTS_WITH_COMMENTS;return{family:next.
family,comments,filter:finished(filter),nat:finished(nat),localnet}}*#stateChains(state){let chains={filter:new Map,nat:new Map},
{index,rules=yield*rulesOfAll(state)}=this.#planned.known(state)??(yield*derive(state));this.#planned.set(state,{index});
for(let one of rules){yield;for(let table of TABLES2)for(let[name,chain]of one[table])chains[table].set(name,chain)}for(let[
table,name,chain]of index.chains())yield,chains[table].set(name,chain);return chains}*#planChanges(next,previous,changes,drafts){
let rules=new Map;for(let[key,change]of changes.servicePorts)yield,rules.set(key,{...change.previous===void 0?{}:{previous:rulesOf(
change.previous,previous)},...change.current===void 0?{}:{current:rulesOf(change.current,next)}});let{index:before}=this.#planned.
of(previous),{index:after,touched}=yield*before.nextInSlices(next,changes,rules);this.#planned.advance(previous,next,()=>({
index:after}));for(let[key,{previous:old,current}]of rules){yield;for(let table of TABLES2){for(let[name,chain]of current?.[table]??
[])put(drafts[table],name,old?.[table].get(name),chain);for(let name of old?.[table].keys()??[])current?.[table].has(name)!==
!0&&remove(drafts[table],name,old?.[table].get(name)?.rules.length??0,key)}}for(let tree of TREE_NAMES){let target=drafts[TREES[tree].
table];for(let name of touched.get(tree)??[])yield,put(target,name,before.trees[tree].chain(name),after.trees[tree].chain(
name));touched.size>0&&put(target,TREES[tree].root,before.root(tree),after.root(tree))}}};function*derive(state){let rules=yield*rulesOfAll(
state);return{index:yield*DispatchIndex.ofInSlices(state,rules),rules}}function*rulesOfAll(state){let endpoints=0;for(let port of state.
servicePorts.values())yield,endpoints+=endpointsOf(port);let rules=[];for(let port of state.servicePorts.values()){yield;
let one=rulesOf(port,state);rules.push(endpoints<=MAX_ENDPOINTS_WITH_COMMENTS?one:withoutParts(one))}return rules}function withoutParts({
nat,filter,entries}){let textsOnly=chains=>{let compact=new Map;for(let[name,chain]of chains){let rules=chain.rules.map(
({bareText})=>({text:bareText,bareText}));compact.set(name,{...chain,rules})}return compact};return{nat:textsOnly(nat),filter:textsOnly(
filter),entries}}function draft(){return{writes:new Map,created:new Set,deletes:new Map,removals:[],insertions:[],growth:0}}
function finished(table){return isEmptyTable(table)?EMPTY_TABLE:table}function put(target,name,before,after){after===void 0?
before!==void 0&&remove(target,name,before.rules.length):(before===void 0||!sameRules(before.rules,after.rules))&&write(
target,name,after,before?.rules.length)}function write(target,name,chain,rulesBefore){rulesBefore===void 0&&target.created.
add(name),target.growth+=chain.rules.length-(rulesBefore??0),target.writes.set(name,chain)}function remove(target,name,rulesBefore,owner){
target.growth-=rulesBefore,target.deletes.set(name,owner)}function sameRules(a,b){return a.length===b.length&&a.every((rule,index)=>rule.
bareText===b[index]?.bareText)}function holds(found,wanted){return found.length===wanted.length&&wanted.every((rule,index)=>{
let text=found[index]??"";return text===rule.bareText||effectOf(text)===rule.bareText})}function*diff(wanted,now,drafts){
for(let table of TABLES2){for(let[name,chain]of wanted[table]){yield;let found=now.rules(table,name);(found===void 0||!holds(
found,chain.rules))&&write(drafts[table],name,chain,found?.length)}for(let name of now.names(table))yield,wanted[table].
has(name)||remove(drafts[table],name,now.rules(table,name)?.length??0)}}function present(chains){return{rules:(table,name)=>chains[table].
get(name)?.rules.map(rule=>rule.bareText),names:table=>chains[table].keys()}}function saved(installed){return{rules:(table,name)=>installed[table].
get(name)?.rules.map(withoutComment),names:table=>[...installed[table].keys()].filter(name=>isOurChain(table,name))}}function planJumps(table,installed,target){
let hooks=new Set(JUMPS.filter(jump2=>jump2.table===table).map(jump2=>jump2.from));for(let hook of hooks){let wanted=JUMPS.
filter(jump2=>jump2.table===table&&jump2.from===hook).map(jump2=>jump2.rule),bare=wanted.map(rule=>rule.bareText),standing=installed.
get(hook)?.rules??[],isOurs=text=>bare.includes(effectOf(text)),found=standing.filter(isOurs);if(holds(found.map(withoutComment),
wanted))continue;target.removals.push(...found.map(rule=>({chain:hook,rule})));let first=Math.max(0,standing.findIndex(isOurs))+
1;target.insertions.push(...wanted.map((rule,index)=>({chain:hook,position:first+index,rule})))}}function wantsLocalnet(state){
return state.family==="IPv4"&&state.node.nodePortAddresses.loopback}function hasLocalnet(installed){if(!installed.routeLocalnet&&
installed.localnetRefused===!0)return!0;let has2=(chain,rule)=>installed.filter.get(chain)?.rules.some(text=>effectOf(text)===
rule.bareText)??!1;return installed.routeLocalnet&&has2(CHAINS.localnetGuard,LOCALNET_GUARD)&&LOCALNET_GUARD_HOOKS.every(
hook=>has2(hook,LOCALNET_GUARD_JUMP))}function renderChanges(transaction,installed){let{family,localnet}=transaction,document=documentOf(transaction),changes=iptablesDocumentChanges(
localnet?withGuard(document,installed):document,{family,saved:{filter:installed.filter,nat:installed.nat}});return localnet&&
!installed.routeLocalnet?[...changes,...SETTING]:changes}var SETTING=[["remove",0],["add",1]].map(([action,value])=>({action,
table:"sysctl",kind:"setting",text:`${ROUTE_LOCALNET} = ${value}`}));function withGuard(document,{filter}){let table=document.
get("filter")??EMPTY_TABLE_DOCUMENT,exists=filter.has(CHAINS.localnetGuard),isMissing2=(chain,rule)=>!has(filter,chain,rule),
guard=isMissing2(CHAINS.localnetGuard,LOCALNET_GUARD)?[{chain:CHAINS.localnetGuard,rule:LOCALNET_GUARD.text}]:[],jumps=LOCALNET_GUARD_HOOKS.
filter(hook=>isMissing2(hook,LOCALNET_GUARD_JUMP)).map(chain=>({chain,position:1,rule:LOCALNET_GUARD_JUMP.text}));return new Map(
[...document,["filter",{...table,created:exists?table.created:[...table.created,CHAINS.localnetGuard],appendedRules:[...table.
appendedRules,...guard],insertedRules:[...table.insertedRules,...jumps]}]])}function has(table,chain,rule){return table.
get(chain)?.rules.some(text=>effectOf(text)===rule.bareText)??!1}var TCP_BE_LIBERAL="net/netfilter/nf_conntrack_tcp_be_liberal";async function readInstalled({iptables,sysctl,counters}){
let{randomFully}=await iptables.version(),[existing,filter,nat,liberal,routeLocalnet]=await Promise.all([counters===void 0?
new Set:existingCounters(counters),iptables.save("filter"),iptables.save("nat"),readSetting(sysctl,TCP_BE_LIBERAL),readSetting(
sysctl,ROUTE_LOCALNET)]),pace=new EventLoopPace;return{filter:await finishWithPauses(parseSavedTableInSlices(filter,"fil\
ter"),pace),nat:await finishWithPauses(parseSavedTableInSlices(nat,"nat"),pace),routeLocalnet:routeLocalnet==="1",facts:{
randomFully,dropInvalid:liberal===void 0||liberal==="0",counters:await usableCounters(existing,filter,iptables)}}}async function existingCounters(counters){
let existing=new Set;for(let name of Object.values(COUNTERS))await counters.ensure(name)&&existing.add(name);return existing}
var COUNTING_RULE=/^-A KUBE-FORWARD [^"]*-m nfacct --nfacct-name /m;async function usableCounters(existing,filter,iptables){
let[some]=existing;return some===void 0||COUNTING_RULE.test(filter)||await canCountIn(iptables,some)?existing:new Set}async function canCountIn(iptables,name){
try{let{text}=new IptablesRule({matches:[{match:"nfacct",counter:name}]});return await iptables.ruleExists("filter","FOR\
WARD",text),!0}catch(error){if(error instanceof IptablesError&&error.code==="IPTABLES_FAILED")return!1;throw error}}async function readSetting(sysctl,name){
try{return await sysctl.read(name)}catch(error){if(error instanceof SysctlError)return;throw error}}var MAX_LISTED=8,CHAIN=/^KUBE-(?:SVC|SVL|SEP)-/,NOTHING_WRITTEN={chains:new Set,ids:[]},RuleConnections=class{options;#counts;#chainsOf=new WeakMap;#state;#writing=new Set;#writtenAt=new Map;#time=0;#reading=0;constructor(options){
this.options=options,this.#counts=new AccumulatedCounts(options.family)}async beforeWrite(chains){let names=[...chains].
filter(chain=>CHAIN.test(chain)),owners=names.length===0?new Map:this.#owners(),counted=new Set(names.filter(chain=>owners.
has(chain)));if(counted.size===0)return NOTHING_WRITTEN;for(let chain of counted)this.#writing.add(chain);let found=[];try{
let iptables=await this.options.iptables();found=counted.size>MAX_LISTED?await this.#readTable(iptables,owners):(await Promise.
all([...counted].map(chain=>iptables.counted("nat",chain)))).flatMap(text=>countersIn(text,owners))}catch{}let own=found.
filter(({chain})=>counted.has(chain));return this.#counts.add(own),{chains:counted,ids:own.map(({id})=>id)}}written({chains,
ids}=NOTHING_WRITTEN,state){state!==void 0&&(this.#counts.restart(ids),this.#state=state),this.#time+=1;for(let chain of chains)
this.#writing.delete(chain),this.#writtenAt.set(chain,this.#time)}async read(){let owners=this.#owners();if(owners.size===
0)return this.#counts.retain([]),[];let begin=this.#time;this.#reading+=1;let found;try{found=await this.#readTable(await this.
options.iptables(),owners)}finally{this.#reading-=1}let isCurrent=chain=>!this.#writing.has(chain)&&(this.#writtenAt.get(
chain)??0)<=begin;return this.#counts.add(found.filter(({chain})=>isCurrent(chain))),this.#reading===0&&this.#writtenAt.
clear(),this.#time===begin&&this.#writing.size===0&&this.#counts.retain(found),this.#counts.counts()}async#readTable(iptables,owners){
return countersIn(await iptables.counted("nat"),owners)}#owners(){let owners=new Map;for(let port of this.#state?.servicePorts.
values()??[])if(countsConnections(port.servicePort.annotations,this.options.countAll))for(let chain of this.#chains(port))
owners.set(chain,port);return owners}#chains(port){let known=this.#chainsOf.get(port);if(known!==void 0)return known;let endpoints=port.
affinitySeconds===void 0?[]:[...port.cluster,...port.local],chains=[...new Set(port.frontends.map(rangeDiscriminator))].
flatMap(range=>[...["SVC","SVL"].map(kind=>serviceChain(kind,port.name,range)),...new Set(endpoints.map(({key})=>serviceChain(
"SEP",port.name,key+range)))]);return this.#chainsOf.set(port,chains),chains}};function endpointOf(destination,{servicePort}){
return/:\d+$/.test(destination)&&!/^[^[]*:[^[]*:/.test(destination)?destination:destination.includes("/")?destination.replace(
/-\d+\/\d+$/,""):joinHostPort(destination,servicePort.port)}function countersIn(text,owners){let found=new Map;for(let[,
packets,chain="",destination=""]of text.matchAll(/^\[(\d+):\d+\] -A (KUBE-S\S+) .*-j DNAT --to-destination (\S+)/gm)){let port=owners.
get(chain);if(port===void 0)continue;let endpoint=endpointOf(destination,port),id=`${chain} ${endpoint}`,value=Number(packets)+
(found.get(id)?.value??0),{name}=port;found.set(id,{id,chain,service:formatServicePortName(name),protocol:name.protocol,
endpoint,value})}return[...found.values()]}var REST=19,TABLES3=["nat","filter"],TableAudit=class{options;#suspects=new Set;#restsUntil=Number.NEGATIVE_INFINITY;#found;constructor(options){
this.options=options}async begin(){try{let iptables=await this.#tools();await Promise.all(TABLES3.map(table=>iptables.hasForeignChanges(
table)))}catch{}}async end(){(await this.#found?.catch(()=>{}))?.close(),this.#found=void 0}async look(onDrift){let{clock,
expected}=this.options,iptables=await this.#tools();for(let table of TABLES3)await iptables.hasForeignChanges(table)&&this.#suspects.
add(table);for(let table of this.#suspects){let rules=expected();if(rules===void 0||clock.monotonic()<this.#restsUntil)return;
let begin=clock.monotonic(),saved2=await iptables.save(table),end=clock.monotonic();if(this.#restsUntil=end+REST*(end-begin),
expected()!==rules)return;this.#suspects.delete(table);let wrong=await finishWithPauses(whatIsWrong(saved2,table,rules[table]),
new EventLoopPace);if(wrong!==void 0){onDrift(wrong);return}}}#tools(){return this.#found??=this.options.iptables().catch(
error=>{throw this.#found=void 0,error}),this.#found}};function*whatIsWrong(saved2,table,expected){for(let jump2 of JUMPS)
if(yield,jump2.table===table&&!saved2.includes(`
-A ${jump2.from} ${jump2.rule.text}
`))return`the jump from ${jump2.from} in the ${table} table is gone`;let count=yield*countOurRules(saved2,table);return count===
expected?void 0:`${count} rules in chains of the ${table} table, where there were ${expected}`}function*countOurRules(saved2,table){
let count=0,last,isOurs=!1;for(let[,chain=""]of saved2.matchAll(/^-A (\S+)/gm))chain!==last&&(yield,last=chain,isOurs=isOurChain(
table,chain)),count+=isOurs?1:0;return count}var SENTINELS=["nat","filter"].map(table=>{let from=table==="nat"?"PREROUTING":"FORWARD",jump2=JUMPS.find(candidate=>candidate.
table===table&&candidate.from===from);if(!jump2)throw new Error(`no jump from ${from} in ${table}`);return{table,from,text:jump2.
rule.text}});function watchJumps(options){return watchRules({...options,rules:SENTINELS})}function jumpsStand(tables){return SENTINELS.
every(({table,from,text})=>tables[table].get(from)?.rules.includes(text)??!1)}var IptablesDataplane=class{options;#planner;#sysctl;#logger;#counts=new RuleCounts;#connections;#planned;#found;#localnetRefused=!1;#jumpsPlaced=0;constructor(options){
this.options=options,this.#planner=new IptablesPlanner(options.masqueradeBit??14),this.#sysctl=options.sysctl??new ProcSysctl,
this.#logger=options.logger??silentLogger,this.#connections=new RuleConnections({family:options.family,iptables:()=>this.#iptables(),
countAll:options.countConnections??!1})}plan(next,changes,installed){return finish(this.planInSlices(next,changes,installed))}*planInSlices(next,changes,installed){
let transaction=yield*this.#planner.planInSlices(next,changes,installed);return transaction===void 0&&this.#connections.
written(void 0,next),this.#planned=next,transaction}connections(){return this.#connections.read()}async apply(transaction){
let planned=this.#planned,counters=await this.#connections.beforeWrite(transaction.nat.writes.keys()),state;try{await this.#write(
transaction),state=planned}finally{this.#connections.written(counters,state)}}async#write(transaction){let iptables=await this.#iptables();
this.#counts.unknown();let partly;try{await applyTransaction(iptables,transaction,this.#logger)}catch(error){if(!(error instanceof
PartlyAppliedError))throw error;partly=error}if(transaction.localnet&&(this.#localnetRefused=!await openLocalnet(iptables,
this.#sysctl,this.#logger)),partly!==void 0)throw partly;(transaction.filter.insertions.length>0||transaction.nat.insertions.
length>0)&&this.#jumpsPlaced++,this.#counts.applied(transaction)}report(){return{rules:this.#counts.rules}}async readBack(){
let{counters}=this.options,installed=await readInstalled({iptables:await this.#iptables(),sysctl:this.#sysctl,counters});
return this.#counts.found(installed),jumpsStand(installed)&&this.#jumpsPlaced++,{...installed,localnetRefused:this.#localnetRefused}}async watch(onDrift,signal){
let{family,clock=systemClock}=this.options,audit=new TableAudit({iptables:this.options.iptables,clock,expected:()=>this.#counts.
expected});await audit.begin(),await watchJumps({iptables:()=>this.#iptables(),clock,signal,placed:()=>this.#jumpsPlaced,
afterCheck:()=>audit.look(onDrift),onDrift,onFailure:reason=>this.#logger.debug(2,"Cannot look whether rules were flushe\
d",{family,reason})}),await audit.end()}describe(transaction){return describeTransaction(transaction)}render(transaction,installed){
return renderChanges(transaction,installed)}close(){this.#found?.then(iptables=>iptables.close(),()=>{})}async cleanup(){
await removeRules(await this.#iptables(),{owner:"kube-proxier",sysctl:this.#sysctl,logger:this.#logger})}#iptables(){return this.#found??=
this.options.iptables().catch(error=>{throw this.#found=void 0,error}),this.#found}};var ADDRESSES={IPv4:{pods:"192.0.2.0/24",clients:"203.0.113.0/24",frontend:host=>`198.51.100.${host}`,endpoint:host=>`19\
2.0.2.${host}`},IPv6:{pods:"2001:db8:1::/64",clients:"2001:db8:3::/64",frontend:host=>`2001:db8:2::${host}`,endpoint:host=>`\
2001:db8:1::${host}`}};function trialDocument(family,facts){let{frontend,pods}=ADDRESSES[family],resolver=new ProxyStateResolver(
{family,options:{...DEFAULT_PROXIER_OPTIONS,nodeName:"trial-node",localTrafficDetection:{kind:"cluster-cidr",cidrs:[pods]}},
reader:new ObjectReader,since:0});resolver.updateService(void 0,loadBalancer(family)),resolver.updateEndpointSlice(void 0,
endpointsOf2(family)),resolver.updateService(void 0,{metadata:{name:"without-endpoints",namespace:"trial"},spec:{clusterIP:frontend(
9),ports:[{port:53,protocol:"UDP",nodePort:30002}],type:"NodePort"}});let{state}=resolver.applyPending(),transaction=new IptablesPlanner(
DEFAULT_PROXIER_OPTIONS.masqueradeBit).plan(state,diffStates(void 0,state),{filter:new Map,nat:new Map,routeLocalnet:!1,
facts:{...facts,dropInvalid:!0,counters:new Set}});return transaction===void 0?new Map:documentOf(transaction)}function loadBalancer(family){
let{clients,frontend}=ADDRESSES[family];return{metadata:{name:"load-balancer",namespace:"trial"},spec:{type:"LoadBalance\
r",clusterIP:frontend(1),externalIPs:[frontend(2)],ports:[{name:"tcp",port:80,protocol:"TCP",nodePort:30001},{name:"udp",
port:80,protocol:"UDP",nodePort:30001}],sessionAffinity:"ClientIP",externalTrafficPolicy:"Local",healthCheckNodePort:30003,
loadBalancerSourceRanges:[clients]},status:{loadBalancer:{ingress:[{ip:frontend(3)}]}}}}function endpointsOf2(family){let{
endpoint}=ADDRESSES[family];return{metadata:{name:"load-balancer-1",namespace:"trial",labels:{"kubernetes.io/service-nam\
e":"load-balancer"}},addressType:family,ports:[{name:"tcp",port:8080,protocol:"TCP"},{name:"udp",port:8080,protocol:"UDP"}],
endpoints:[{addresses:[endpoint(1)],nodeName:"trial-node"},{addresses:[endpoint(2)],nodeName:"other-node"}]}}async function probe(tools,runner){try{let iptables=await tools.chosen("IPv4"),found=tools.takeFound(),four=found.get("I\
Pv4"),[{text,variant},isPresent,isInstalled,six]=await Promise.all([tools.version("IPv4"),four?.hasNat||iptables.isPresent(),
four?.hasOwn??iptables.chainExists("nat",CHAINS.marker).catch(()=>!1),isIPv6Present(tools,found.get("IPv6"))]);return isPresent?
(isInstalled||await tryRules(tools,runner),{usable:!0,detail:`iptables ${text} (${variant})`,families:six?["IPv4","IPv6"]:
["IPv4"]}):{usable:!1,reason:`the nat table cannot be listed: ${whyNotPermitted()}; or the kernel lacks it`}}catch(error){
return{usable:!1,reason:messageOf(error).replace(/\.$/,"")}}}async function tryRules(tools,runner){let trial=inNewNamespace(
runner),[{randomFully},canTry]=await Promise.all([tools.version("IPv4"),canRun(trial)]);if(canTry){let document=renderDocument(
trialDocument("IPv4",{randomFully}));await tools.of("IPv4",await tools.variantInUse(),trial).restore(document)}return canTry}
async function isIPv6Present(tools,found){try{let iptables=await tools.chosen("IPv6"),[isPresent]=await Promise.all([found?.
hasNat||iptables.isPresent(),tools.version("IPv6").catch(()=>{})]);return isPresent}catch{return!1}}async function diagnose(tools,runner){return[await diagnoseVariant(runner),await diagnoseRules(tools,runner)]}async function diagnoseVariant(runner){
let{variant,reason,isCertain=!0}=await detectIptablesVariant(runner),found=`${variant??"the one in PATH"}: ${reason}`,check="\
iptables in use";return isCertain?{check,status:"ok",found}:{check,status:"unknown",found,advice:"run doctor as root"}}async function diagnoseRules(tools,runner){
let check="iptables rules";try{return await tryRules(tools,runner)?{check,status:"ok",found:"every kind of rule is accep\
ted"}:await(await tools.chosen("IPv4")).chainExists("nat",CHAINS.marker)?{check,status:"ok",found:"are installed; not tr\
ied, as no network namespace can be created"}:{check,status:"unknown",found:"not tried: no network namespace can be crea\
ted",advice:"install util-linux (unshare), and run doctor as root"}}catch(error){return{check,status:"problem",found:messageOf(
error),advice:"use newer iptables tools or a kernel with this module, or another mode"}}}var FAMILIES=["IPv4","IPv6"],VARIANTS=["nft","legacy"];function foundIn(saved2){return{hasNat:/^\*nat$/m.test(saved2),hasOwn:saved2.
includes(`
:${CHAINS.marker} `)}}var HostTools=class{runner;requested;#variant;#installed=new Set;#versions=new Map;#found=new Map;constructor(runner,requested){
this.runner=runner,this.requested=requested}async chosen(family,logger){let variant=await this.variantInUse(logger),version=this.#versions.
get(family);return version===void 0?this.of(family,variant):this.#create({family,version},variant)}async version(family){
let known=this.#versions.get(family);if(known!==void 0)return known;let version=(await this.chosen(family)).version();return this.#versions.
set(family,version),version.catch(()=>this.#versions.delete(family)),version}of(family,variant,runner=this.runner){return this.#create(
{family,runner},variant)}#create(options,variant){return createIptables({runner:this.runner,...options,...variant===void 0?
{}:{variant}})}variantInUse(logger){return this.#variant??=this.requested===void 0?detectIptablesVariant(this.runner).then(
({variant,reason,saved:saved2=new Map})=>(logger?.debug(1,`using ${variant??"the default"} iptables: ${reason}`),this.#found=
new Map([...saved2].map(([family,text])=>[family,foundIn(text)])),variant)):Promise.resolve(this.requested),this.#variant}takeFound(){
let found=this.#found;return this.#found=new Map,found}async installedVariants(family){let installed=[];for(let variant of this.
requested===void 0?VARIANTS:[this.requested])await this.#isInstalled(family,variant)&&installed.push(variant);return installed.
length>0||this.requested!==void 0?installed:await this.#isInstalled(family,void 0)?[void 0]:[]}async each(run){let failed=[],
cause;for(let family of FAMILIES)for(let variant of await this.installedVariants(family))try{await run(this.of(family,variant),
variant)}catch(error){if(isMissing(error)){this.#installed.clear();continue}failed.push(`${family} rules${variant===void 0?
"":` (${variant})`}: ${messageOf(error)}`),cause=error}if(failed.length>0)throw new LeftoversError("IPTABLES_LEFTOVERS",
failed,{cause})}async#isInstalled(family,variant){let program=`${family} ${variant}`;if(this.#installed.has(program))return!0;
try{return await this.of(family,variant).version(),this.#installed.add(program),!0}catch(error){if(isMissing(error))return!1;
throw error}}};function isMissing(error){return error instanceof IptablesError&&error.code==="IPTABLES_MISSING"}var COUNTING={servicePorts:["connections"],endpoints:["connections"]},METRICS=[[COUNTERS.invalidDropped,{type:"counter",
name:"kubeproxy_iptables_ct_state_invalid_dropped_packets_total",help:"Packets dropped in conntrack state INVALID",labels:[]}],
[COUNTERS.localhostNodePorts,{type:"counter",name:"kubeproxy_iptables_localhost_nodeports_accepted_packets_total",help:"\
Connections to NodePorts on loopback addresses",labels:[]}]];function packetMeasurement(read){return{name:"packets",source:"\
kernel",metrics:METRICS.map(([,metric])=>metric),async read(){let samples=[];for(let[counter,metric]of METRICS){let value=await read(
counter);value!==void 0&&samples.push({metric:metric.name,labels:{},value})}return samples}}}function isForeignRule({system,table="",chain="",text}){if(!system.startsWith("iptables")||table!=="nat"&&table!=="filte\
r")return!0;if(isOurChain(table,chain)||chain===CHAINS.localnetGuard)return!1;let target=targetOf(text);return target===
void 0||!isOurChain(table,target)}function readPacketPath({family,ignores,ignoredInterfaces},host){return readNetfilterPath(
{family,...host,isForeign:isForeignRule,...ignores?{ignores}:{},...ignoredInterfaces?{ignoredInterfaces}:{}})}function plannedPath({
state,options,localAddresses}){let nothing={filter:new Map,nat:new Map,routeLocalnet:!1,facts:{randomFully:!0,dropInvalid:!1,
counters:new Set}},plan=new IptablesPlanner(options.masqueradeBit).plan(state,diffStates(void 0,state),nothing),document=plan===
void 0?"":renderTransaction(plan);return plannedPathOf(state.family,localAddresses,{kind:"iptables",document},isForeignRule)}var ExistingCounters=class{counters;constructor(counters){this.counters=counters}async ensure(name){try{return await this.
counters.read(name),!0}catch(error){if(error instanceof NetlinkError)return!1;throw error}}read(name){return this.counters.
read(name)}close(){this.counters.close()}};var MODE="iptables";function createIptablesBackend(options={}){checkBackendOptions("createIptablesBackend",options,{variant:OptionRules.
oneOf(VARIANTS),runner:OptionRules.having("run"),sysctl:OptionRules.having("read","write"),counters:OptionRules.having("\
ensure","read")});let host=hostOf(options),{counters,runner,sysctl,tools}=host,cleanup=new HostCleanup(MODE,tools,sysctl),
dataplanes=new Set;return{mode:MODE,description:"Programs netfilter through iptables, legacy or nft",capabilities:{localhostNodePorts:!0,
counting:COUNTING,portRanges:!0,shiftedPortRanges:!0},requirements:{tools:["iptables"],routesLocalnet:!0},probe:()=>probe(
tools,runner),diagnose:()=>diagnose(tools,runner),metrics:[packetMeasurement(async name=>(await counters?.read(name).catch(
()=>{}))?.packets),countsMeasurement(COUNTING,{source:"kernel",read:async()=>(await Promise.all([...dataplanes].map(dataplane=>dataplane.
connections()))).flat()})],syncMetrics:IPTABLES_SYNC_METRICS,readPacketPath:request=>readPacketPath(request,{runner,...options.
runner===void 0?{}:{files:kernelFilesOf(runner)}}),plannedPath,ownsRule:rule=>rule.system.startsWith("iptables")&&!isForeignRule(
rule),prepare:(proxierOptions,logger)=>prepare(host,proxierOptions,logger),module:new ContainerModule(({bind})=>{bind(Tokens.
ProxierFactory).toConstantValue(context=>createProxier(host,context,dataplanes)),bind(Tokens.Cleanup).toConstantValue(cleanup.
cleanUp),bind(Tokens.KubeProxyCleanup).toConstantValue(cleanup.cleanUpKubeProxy),bind(Tokens.Leftovers).toConstantValue(
cleanup.findLeftovers),bind(Tokens.Preview).toConstantValue(context=>createBackendPreview(host,context))})}}function hostOf({
runner:given,sysctl,counters,variant}){let runner=given??createCommandRunner();return{runner,tools:new HostTools(runner,
variant),sysctl:sysctl??new ProcSysctl(given&&kernelFilesOf(given)),counters:counters??(given===void 0?new PacketCountersNetlink:
void 0)}}function createProxier({counters,sysctl,tools},context,dataplanes){let{family,logger,options,clock}=context,dataplane=new IptablesDataplane(
{family,iptables:()=>tools.chosen(family,logger),masqueradeBit:options.masqueradeBit,sysctl,...counters===void 0?{}:{counters},
countConnections:options.countConnections,logger,clock});return dataplanes.add(dataplane),new ReconcilingProxier({mode:MODE,
context,dataplane})}function createBackendPreview({counters,sysctl,tools},context){let{family,logger,options,clock,localAddresses}=context,
dataplane=new IptablesDataplane({family,iptables:()=>tools.chosen(family,logger),masqueradeBit:options.masqueradeBit,sysctl,
...counters===void 0?{}:{counters:new ExistingCounters(counters)},logger,clock});return createPreview({dataplane,localAddresses})}
async function prepare({sysctl,tools},options,logger){servesLoopback(options)&&await openLocalnet(await tools.chosen("IP\
v4",logger),sysctl,logger)}var iptablesBackend=createIptablesBackend();function withLocalhostNodePorts(backend,setting,families=["IPv4","IPv6"]){let companion=createUserspaceBackend({redirect:"\
none"});return{...withCompanion(backend,companion,context=>!families.includes(context.family)||setting==="selected"&&!servesLoopback(
context.options,context.family)?void 0:{...context,options:{...context.options,localhostNodePorts:!0,nodePortAddresses:{
kind:"entries",entries:["localhost"]},minSyncPeriod:0},observer:{}}),metrics:[...backend.metrics??[],listenerMeasurement(
backend.mode,()=>companion.nodePorts())],capabilities:{...backend.capabilities,...families.includes("IPv4")&&{localhostNodePorts:!0,
localhostNetwork:!1},...families.includes("IPv6")&&{localhostNodePortsIPv6:!0}}}}function listenerMeasurement(mode,read){
let prefix=mode==="nftables"?"kubeproxy_nftables":`kube_proxier_${mode}`,open={type:"gauge",name:`${prefix}_localhost_no\
deport_listeners`,help:"NodePorts that are served on a loopback address, of TCP and UDP",labels:["ip_family"]},failed={type:"\
counter",name:`${prefix}_localhost_nodeport_listener_creation_failures_total`,help:"Failed attempts to listen on a loopb\
ack address for a NodePort",labels:["ip_family"]};return{name:"localhost node ports",source:"process",metrics:[open,failed],
read:()=>read().flatMap(({family,open:listeners,failures})=>[{metric:open.name,labels:{ip_family:family},value:listeners},
{metric:failed.name,labels:{ip_family:family},value:failures}])}}function createConfiguredIptablesBackend({localhostNodePortsIPv6=!1,...options}={}){let backend=createIptablesBackend(options);
return localhostNodePortsIPv6?withLocalhostNodePorts(backend,"selected",["IPv6"]):backend}function createConfiguredIpvsBackend({localhostNodePorts=!1,...options}={}){let backend=createIpvsBackend(options);return localhostNodePorts===
!1?backend:withLocalhostNodePorts(backend,localhostNodePorts)}function createConfiguredNftablesBackend({localhostNodePorts=!1,...options}={}){let backend=createNftablesBackend(options);
return localhostNodePorts===!1?backend:withLocalhostNodePorts(backend,localhostNodePorts)}function createAccessReviewer({kubernetes}){return kubernetes&&new MetricsAccessReviewer({...kubernetes,userAgent:`kube-\
proxier/${VERSION}`})}var CONTROLLER="kube-proxier";function createEvents({kubernetes},nodeName,logger){return kubernetes?new EventRecorder({...kubernetes,
controller:CONTROLLER,instance:`${CONTROLLER}-${nodeName}`,userAgent:`${CONTROLLER}/${VERSION}`,logger}):void 0}import{statSync}from"node:fs";async function withHealthChecks(sources,{healthChecks,allowLoopbackEndpoints,manifests},logger,metrics){let{of,scripts}=healthChecks;
if(of==="none"||of==="manifests"&&manifests.length===0)return{sources};let[{HealthCheckedSource,HealthChecks},{ManifestSource}]=await Promise.
all([import("./chunk-DK3JY2HA.js"),import("./chunk-DV7U2IDS.js")]),isFromManifests=source=>source instanceof
ManifestSource,isChecked=source=>of==="all"||of==="manifests"&&isFromManifests(source);if(!sources.some(isChecked))return{
sources};scripts!==""&&checkScriptDirectory(scripts);let checks=new HealthChecks({logger,allowLoopbackEndpoints,observer:new HealthCheckMetrics(
metrics.registry,()=>checks.summary()),...scripts===""?{}:{scriptDirectory:scripts}});return{sources:sources.map(source=>isChecked(
source)?new HealthCheckedSource(source,checks,{allowNamespaces:isFromManifests(source)}):source),status:()=>statusOf(checks)}}
function statusOf(checks){let{endpoints,invalidServices}=checks.summary(),failing=checks.services().flatMap(({service,endpoints:all})=>all.
map(one=>({...one,service}))).filter(({state})=>state.verdict==="down").sort((one,other)=>one.state.since-other.state.since).
slice(0,MAX_FAILING_ENDPOINTS).map(({service,address,port,state})=>({service,endpoint:joinHostPort(address,port),reason:state.
reason??"passes again, not yet often enough",since:new Date(state.since).toISOString()}));return{...endpoints,invalidServices,
failing}}var WRITABLE_BY_OTHERS=18;function checkScriptDirectory(path){let wrong=(what,cause)=>new ProxierError("HEALTH_\
CHECK_SCRIPTS_UNUSABLE",`--health-check-scripts: ${printable(path)} ${what}`,cause===void 0?{}:{cause}),found;try{found=
statSync(path)}catch(error){throw wrong(`cannot be read: ${messageOf(error)}; create it, or omit the flag`,error)}if(!found.
isDirectory())throw wrong("is not a directory; give the directory that contains the scripts");if(found.uid!==0&&found.uid!==
process.getuid?.())throw wrong(`belongs to user ${found.uid}, who could have this process run anything; change its owner\
 to root`);if((found.mode&WRITABLE_BY_OTHERS)!==0)throw wrong("can be written to by other users, who could have this pro\
cess run anything; remove that with chmod go-w")}async function createSources({kubernetes,manifests,allowLoopbackEndpoints},logger){let sources=[];if(kubernetes){let{KubernetesSource}=await import("./chunk-5YUFNN5K.js");
sources.push(new KubernetesSource({...kubernetes,logger,userAgent:`kube-proxier/${VERSION}`}))}if(manifests.length>0){let{
ManifestSource}=await import("./chunk-DV7U2IDS.js");sources.push(...manifests.map(path=>new ManifestSource({path,logger,
allowLoopbackEndpoints})))}return sources}function compose(){let backends=[iptablesBackend,nftablesBackend,ipvsBackend,userspaceBackend];return{backends,configure:({
userspace,nftables,ipvs,proxier})=>backends.map(backend=>{switch(backend){case userspaceBackend:return createUserspaceBackend(
userspace);case nftablesBackend:return createConfiguredNftablesBackend(nftables);case iptablesBackend:return createConfiguredIptablesBackend(
{localhostNodePortsIPv6:selectsLoopbackIPv6(proxier)});case ipvsBackend:return createConfiguredIpvsBackend(ipvs);default:
return backend}}),sources:createSources,healthChecks:withHealthChecks,conntrack:new HostConntrack,tcpSockets:new TcpSocketsNetlink,
host:{sysctl:new ProcSysctl,files:kernelFiles,cpus:availableParallelism()},exclusive:!0,inspect:async()=>(await import("./chunk-NNFPNAU4.js")).
gatherHostFacts(),events:createEvents,accessReviewer:createAccessReviewer}}function selectsLoopbackIPv6({nodePortAddresses=DEFAULT_PROXIER_OPTIONS.
nodePortAddresses}){return servesLoopback({nodePortAddresses,localhostNodePorts:"listed"},"IPv6")}export{compose};
//# sourceMappingURL=chunk-Y24WAE2R.js.map
